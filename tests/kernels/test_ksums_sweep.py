"""Sweeps of K-sums against dense distances, and the smallest cluster against numpy."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from graphpac.kernels.ksums_sweep import build_size_tree, sweep_labels, update_size_tree
from tests.reference import ksums as reference


@st.composite
def problems(draw):
    """Symmetric savings of few different values, exact in binary, and labels: ties everywhere."""
    n_samples = draw(st.integers(1, 16))
    n_clusters = draw(st.integers(1, 8))
    values = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0])
    drawn = draw(arrays(np.float32, (n_samples, n_samples), elements=values))
    savings = np.triu(drawn, 1) + np.triu(drawn, 1).T
    labels = draw(arrays(np.int32, n_samples, elements=st.integers(0, n_clusters - 1)))
    return savings, labels, n_clusters


@given(problem=problems())
def test_a_sweep_moves_every_sample_as_the_plain_smallest_cost_does(problem):
    savings, start, n_clusters = problem
    lists = sp.csr_matrix(savings)
    labels = start.copy()
    sizes = np.bincount(labels, minlength=n_clusters)

    gain = sweep_labels(lists.indptr.astype(np.int64), lists.indices, lists.data, labels, sizes)

    distances = 1.0 - savings - np.eye(start.size)
    assert_array_equal(labels, reference.sweep(distances, start, n_clusters))
    assert_array_equal(sizes, np.bincount(labels, minlength=n_clusters))
    before, after = (reference.objective(distances, each) for each in (start, labels))
    assert gain == before - after
    assert (gain > 0.0) == (not np.array_equal(labels, start))


@given(sizes=arrays(np.int64, st.integers(1, 40), elements=st.integers(0, 5)), data=st.data())
def test_the_smallest_cluster_is_known_after_every_change(sizes, data):
    tree = build_size_tree(sizes)
    assert tree[1] == sizes.argmin()
    changes = st.tuples(st.integers(0, sizes.size - 1), st.integers(0, 5))
    for cluster, size in data.draw(st.lists(changes, max_size=10)):
        sizes[cluster] = size
        update_size_tree(tree, sizes, cluster)
        assert tree[1] == sizes.argmin()


def test_the_smallest_of_ten_thousand_clusters(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(90, 110, size=10_000)
    tree = build_size_tree(sizes)
    for cluster in rng.integers(10_000, size=300):
        sizes[cluster] += rng.integers(-20, 20)
        update_size_tree(tree, sizes, cluster)
        assert tree[1] == sizes.argmin()
