"""What follows the ramp, as a whole."""

import numpy as np
import pytest

from graphpac import NeighborGraph, build_neighbor_graph
from graphpac.metrics import score_labels
from graphpac.solvers import Problem, SolverOptions, find_partition
from graphpac.solvers.memberships import largest_membership


@pytest.fixture(scope="module")
def mixture():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(6), 200))
    X = 3.0 * np.eye(6)[y] + rng.normal(size=(y.size, 6))
    return build_neighbor_graph(X, 10), y


def partition(graph, ramps, n_clusters=6, **options):
    return find_partition(
        graph,
        ramps,
        Problem(n_clusters=n_clusters),
        SolverOptions(),
        **{"with_communities": True, **options},
    )


def test_communities_mend_a_bad_ramp(mixture):
    graph, y = mixture
    halves = (y // 2 + 3 * (np.arange(y.size) % 2)).astype(np.int32)  # each class cut in two
    found = partition(graph, [halves])
    origin, *_ = (each.origin for each in found.candidates if each.chosen)
    assert "communities" in origin
    assert score_labels(y, found.labels).nmi > score_labels(y, halves).nmi + 0.1
    np.testing.assert_array_equal(largest_membership(found.memberships)[0], found.labels)


def test_a_good_ramp_keeps_its_numbers(mixture):
    graph, y = mixture
    found = partition(graph, [y.astype(np.int32)])
    assert np.mean(found.labels == y) > 0.9
    assert [each.chosen for each in found.candidates].count(True) == 1
    assert sum(found.candidates[0].cluster_sizes) == y.size


def test_of_several_ramps_the_likeliest_is_kept(mixture, seed):
    graph, y = mixture
    noise = np.random.default_rng(seed).integers(6, size=y.size).astype(np.int32)
    found = partition(graph, [noise, y.astype(np.int32)], with_communities=False)
    assert [each.origin for each in found.candidates] == ["ramp 1", "ramp 2"]
    assert found.candidates[1].chosen
    assert found.ramp == 1


def test_threads_and_copies_change_no_bit(mixture):
    graph, y = mixture
    labels = y.astype(np.int32)
    one, four = (partition(graph, [labels], n_jobs=n_jobs) for n_jobs in (1, 4))
    assert (one.memberships != four.memberships).nnz == 0
    for here, there in zip(one.candidates, four.candidates, strict=True):
        assert here.likelihood == there.likelihood
        assert here.cluster_sizes == there.cluster_sizes


def graph_of(sources, targets, n_samples):
    return NeighborGraph.from_edges(
        np.array(sources, dtype=np.int32),
        np.array(targets, dtype=np.int32),
        np.ones(len(sources)),
        n_samples=n_samples,
        kind="similarity",
    )


ODD = {
    "no link": graph_of([], [], 30),
    "star": graph_of([*range(1, 30)], [0] * 29, 30),
    "pairs": graph_of([*range(0, 30, 2)], [*range(1, 30, 2)], 30),
    "half alone": graph_of([*range(14)], [*range(1, 15)], 30),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("n_clusters", [2, 5, 29])
def test_odd_graphs_get_a_partition(name, n_clusters):
    ramp = (np.arange(30) % n_clusters).astype(np.int32)
    found = partition(ODD[name], [ramp], n_clusters)
    assert found.labels.min() >= 0
    assert np.bincount(found.labels, minlength=n_clusters).min() > 0
    np.testing.assert_allclose(found.memberships.sum(axis=1), 1.0, atol=1e-5)
    assert all(np.isfinite(each.likelihood) for each in found.candidates)
