"""What follows the ramp, as a whole."""

from time import process_time

import numpy as np
import pytest

from graphpac import NeighborGraph, build_neighbor_graph
from graphpac.metrics import score_labels
from graphpac.solvers import Problem, SolverOptions, find_partition
from graphpac.solvers.memberships import largest_membership
from tests.strategies import linked_groups


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


def star(n_samples):
    return graph_of([*range(1, n_samples)], [0] * (n_samples - 1), n_samples)


def parts(n_parts, size=10):
    """Groups that no link connects, each with all links inside."""
    first, second = np.triu_indices(size, 1)
    begins = np.repeat(size * np.arange(n_parts), first.size)
    ends = (np.tile(each, n_parts) + begins for each in (first, second))
    return graph_of(*ends, n_parts * size)


ODD = {
    "no link": graph_of([], [], 30),
    "star": star(30),
    "pairs": graph_of([*range(0, 30, 2)], [*range(1, 30, 2)], 30),
    "half alone": graph_of([*range(14)], [*range(1, 15)], 30),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("n_clusters", [2, 5, 29])
@pytest.mark.parametrize("sizes", ["even", "uneven"])
def test_odd_graphs_get_a_partition(name, n_clusters, sizes):
    ramp = (np.arange(30) % n_clusters).astype(np.int32)
    found = partition(ODD[name], [ramp], n_clusters, sizes=sizes)
    assert found.labels.min() >= 0
    assert np.bincount(found.labels, minlength=n_clusters).min() > 0
    np.testing.assert_allclose(found.memberships.sum(axis=1), 1.0, atol=1e-5)
    assert all(np.isfinite(each.likelihood) for each in found.candidates)


@pytest.mark.parametrize("sizes", ["even", "uneven"])
def test_parts_of_the_graph_stay_whole_where_there_are_more_of_them_than_clusters(sizes, seed):
    ramp = np.random.default_rng(seed).integers(12, size=2000).astype(np.int32)
    found = partition(parts(200), [ramp], 12, sizes=sizes)
    of_part = found.labels.reshape(200, 10)
    assert (of_part == of_part[:, :1]).all()
    assert np.unique(found.labels).size == 12


@pytest.mark.parametrize("sizes", ["even", "uneven"])
def test_weights_of_similarities_decide(sizes, seed):
    """As many links lead to the next group as stay inside; only their weights differ."""
    sources, targets, y = linked_groups(n_inside=6, n_outside=6)
    is_inside = y[sources] == y[targets]
    ramp = np.random.default_rng(seed).integers(4, size=y.size).astype(np.int32)
    found = []
    for inside, outside in ((1.0, 0.05), (0.05, 1.0)):
        weights = np.where(is_inside, inside, outside)
        graph = NeighborGraph.from_edges(
            sources, targets, weights, n_samples=y.size, kind="similarity"
        )
        found.append(score_labels(y, partition(graph, [ramp], 4, sizes=sizes).labels).nmi)
    assert found[0] > 0.95
    assert found[1] < 0.5


def seconds_of(graph, n_clusters, sizes):
    """Measure what the processor does, whoever else is busy."""
    ramp = (np.arange(graph.n_samples) % n_clusters).astype(np.int32)
    began = process_time()
    partition(graph, [ramp], n_clusters, sizes=sizes)
    return process_time() - began


@pytest.mark.slow
@pytest.mark.parametrize("sizes", ["even", "uneven"])
@pytest.mark.parametrize(
    ("make", "few", "many", "n_clusters"), [(star, 12_500, 50_000, 10), (parts, 500, 2_000, 50)]
)
def test_odd_graphs_take_no_more_than_others(make, few, many, n_clusters, sizes):
    """Four times the samples take four to six times as long; sixteen would be the square."""
    seconds_of(make(few), n_clusters, sizes)  # compiles
    shorter = min(seconds_of(make(few), n_clusters, sizes) for _ in range(3))
    longer = min(seconds_of(make(many), n_clusters, sizes) for _ in range(3))
    assert longer < 10 * shorter + 0.1


@pytest.mark.slow
@pytest.mark.parametrize("sizes", ["even", "uneven"])
@pytest.mark.parametrize("n_clusters", [2_000, 5_000])
def test_thousands_of_clusters_are_chosen_in_seconds(n_clusters, sizes):
    """The links between communities are a square matrix; beyond its limit the ramp stands alone."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(20_000) % n_clusters).astype(np.int32)
    X = 3.0 * rng.normal(size=(n_clusters, 16))[y] + rng.normal(size=(y.size, 16))
    graph = build_neighbor_graph(X, 5, metric="euclidean")
    began = process_time()
    found = partition(graph, [y], n_clusters, sizes=sizes)
    assert process_time() - began < 20.0  # it takes two
    assert np.unique(found.labels).size == n_clusters
    n_merged = len(found.candidates) - 1
    assert (n_merged > 0) == (n_clusters == 2_000)
