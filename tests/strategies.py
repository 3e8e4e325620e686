"""Hypothesis generators shared by all tests: data nobody picked."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphpac._threads import Workers
from graphpac.graph import NeighborGraph
from graphpac.graph.links import as_links
from graphpac.solvers.likelihood import LinkGraph

METRICS = ("cosine", "euclidean", "inner_product")
KINDS = (*METRICS, "similarity")


@st.composite
def sample_matrices(draw, min_samples=2, max_samples=24, max_features=6):
    """Small float32 matrices with duplicates, rows of zeros and ties: few different values."""
    n_samples = draw(st.integers(min_samples, max_samples))
    n_features = draw(st.integers(1, max_features))
    values = st.sampled_from([-2.0, -1.0, 0.0, 0.0, 0.5, 1.0, 3.0])
    return draw(hnp.arrays(np.float32, (n_samples, n_features), elements=values))


@st.composite
def neighbor_graphs(draw, min_samples=1, max_samples=16, max_degree=5, kinds=KINDS):
    """Neighbor graphs of any kind and shape: uneven degrees, empty rows, equal values."""
    kind = draw(st.sampled_from(kinds))
    n_samples = draw(st.integers(min_samples, max_samples))
    lowest = {"similarity": 0.25, "inner_product": -2.0}.get(kind, 0.0)
    values = st.sampled_from([lowest, 0.25, 0.5, 1.0, 1.5, 2.0])
    sources, targets, weights = [], [], []
    for i in range(n_samples):
        others = [j for j in range(n_samples) if j != i]
        listed = (
            draw(st.lists(st.sampled_from(others), unique=True, max_size=max_degree))
            if others
            else []
        )
        sources += [i] * len(listed)
        targets += listed
        weights += draw(st.lists(values, min_size=len(listed), max_size=len(listed)))
    return NeighborGraph.from_edges(
        np.array(sources, dtype=np.int64),
        np.array(targets, dtype=np.int64),
        np.array(weights, dtype=np.float32),
        n_samples=n_samples,
        kind=kind,
    )


@st.composite
def random_graphs(draw, min_samples=1, max_samples=40, max_degree=6):
    """Graphs made by `random_graph` from a drawn size and seed."""
    n_samples = draw(st.integers(min_samples, max_samples))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return random_graph(n_samples, draw(st.integers(0, max_degree)), rng)


def random_graph(n_samples, max_degree, rng):
    """Cosine graph without equal distances: uneven degrees, some samples with no neighbor."""
    degrees = rng.integers(0, min(max_degree, n_samples - 1) + 1, n_samples)
    sources = np.repeat(np.arange(n_samples), degrees)
    targets = [
        rng.choice(np.delete(np.arange(n_samples), i), degree, replace=False)
        for i, degree in enumerate(degrees)
    ]
    return NeighborGraph.from_edges(
        sources,
        np.concatenate(targets).astype(np.int64),
        rng.uniform(0.0, 1.0, sources.size),
        n_samples=n_samples,
        kind="cosine",
    )


def membership_matrix(n_samples, n_clusters, rng):
    """Random memberships with no two equal entries, exact in float32; rows sum to one."""
    rows = rng.dirichlet(np.ones(n_clusters), n_samples)
    return rows.astype(np.float32).astype(np.float64)


@st.composite
def link_matrices(draw, min_samples=1, max_samples=14):
    """Symmetric matrices of links without loops; sums and products of the weights are exact."""
    n_samples = draw(st.integers(min_samples, max_samples))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = draw(st.sampled_from([[1.0], [0.5, 1.0, 3.0]]))
    there = rng.random((n_samples, n_samples)) < draw(st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]))
    A = np.triu(rng.choice(weights, there.shape) * there, 1)
    return A + A.T


def planted_links(sizes, rng, inside=8.0, between=1.0):
    """Links at random, so many inside and between for each sample; their matrix and the groups."""
    groups = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    n_samples = groups.size
    density = np.full((n_samples, n_samples), between / n_samples)
    for group, size in enumerate(sizes):
        density[np.ix_(groups == group, groups == group)] = inside / size
    A = np.triu(rng.random(density.shape) < density, 1).astype(np.float64)
    return A + A.T, groups


def links_from(A):
    """Turn a symmetric matrix into links."""
    return as_links(sp.csr_array(A))


def link_graph(A):
    """Turn a symmetric matrix into links that one thread works on."""
    return LinkGraph(links_from(A), Workers(1))


def star(n_samples):
    """Link all samples to the first."""
    A = np.zeros((n_samples, n_samples))
    A[0, 1:] = A[1:, 0] = 1.0
    return A


ODD_MATRICES = {
    "one sample": np.zeros((1, 1)),
    "two samples": 1.0 - np.eye(2),
    "no links": np.zeros((300, 300)),
    "star": star(300),
    "all linked": 1.0 - np.eye(300),
    "pairs": np.kron(np.eye(150), 1.0 - np.eye(2)),
}


def random_labels(n_samples, n_clusters, rng):
    """Draw clusters, each used at least once where there are samples enough."""
    labels = rng.integers(0, n_clusters, n_samples, dtype=np.int32)
    labels[rng.permutation(n_samples)[:n_clusters]] = np.arange(min(n_samples, n_clusters))
    return labels


def linked_groups(*, n_inside, n_outside, n_samples=240, n_groups=4):
    """Link each sample to so many of its own group and of the next; return ends and groups."""
    rng = np.random.default_rng(0)
    size = n_samples // n_groups
    steps = [
        (1 + rng.permutation(size - 1)[:n_inside], rng.permutation(size)[:n_outside])
        for _ in range(n_samples)
    ]
    steps = [np.concatenate((n_groups * own, n_groups * other + 1)) for own, other in steps]
    sources = np.repeat(np.arange(n_samples), n_inside + n_outside)
    return sources, (sources + np.concatenate(steps)) % n_samples, np.arange(n_samples) % n_groups
