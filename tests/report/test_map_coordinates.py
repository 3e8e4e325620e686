"""Which rows are on the map, and the two ways to place them."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from graphpac import NeighborGraph, build_neighbor_graph
from graphpac.report import map_coordinates
from graphpac.report.map_coordinates import place_rows, thin_out


@pytest.fixture(scope="module")
def graph(digits):
    return build_neighbor_graph(digits.X, 10)


def test_every_row_is_drawn_once_in_mixed_order(graph):
    drawn = place_rows(graph, method="graph")
    assert_array_equal(np.sort(drawn.rows), np.arange(graph.n_samples))
    assert not np.array_equal(drawn.rows, np.arange(graph.n_samples))
    assert drawn.coordinates.shape == (graph.n_samples, 2)
    assert drawn.coordinates.dtype == np.float32


def test_coordinates_belong_to_their_rows(graph, digits):
    drawn = place_rows(graph, method="graph")
    near = build_neighbor_graph(drawn.coordinates, 10, metric="euclidean").indices.reshape(-1, 10)
    labels = digits.y[drawn.rows]
    assert (labels[near] == labels[:, np.newaxis]).mean() > 0.95


def test_of_very_many_rows_a_fixed_sample_is_drawn(graph, digits, monkeypatch):
    monkeypatch.setattr(map_coordinates, "MOST_ROWS", 300)
    drawn = place_rows(graph)
    assert drawn.method == "graph"
    assert np.unique(drawn.rows).size == 300
    assert_array_equal(drawn.rows, place_rows(graph).rows)
    near = build_neighbor_graph(drawn.coordinates, 5, metric="euclidean").indices.reshape(-1, 5)
    labels = digits.y[drawn.rows]
    assert (labels[near] == labels[:, np.newaxis]).mean() > 0.85


def test_thinning_counts_walks(seed):
    rng = np.random.default_rng(seed)
    graph = build_neighbor_graph(rng.normal(size=(60, 4)), 3, metric="euclidean")
    rows = rng.permutation(60)[:20]

    thin = thin_out(graph, rows)

    directed = (graph.to_scipy().toarray() > 0).astype(float)
    step = np.minimum(directed + directed.T, 1.0) + np.eye(60)
    # Two steps of about 5 choices reach 8 of 20 rows or more; one step reaches less than 3.
    walks = (step @ step)[np.ix_(rows, rows)] * (1 - np.eye(20))
    for row, expected in enumerate(walks):
        mine = slice(thin.indptr[row], thin.indptr[row + 1])
        assert_array_equal(thin.values[mine], np.sort(expected[expected > 0])[::-1][:3])
        assert_array_equal(expected[thin.indices[mine]], thin.values[mine])


def test_rows_that_lose_all_their_neighbors_stay():
    pairs = np.arange(40).reshape(20, 2)[:, ::-1].reshape(-1, 1)
    graph = NeighborGraph.from_neighbors(pairs, np.ones((40, 1)))
    thin = thin_out(graph, np.arange(0, 40, 2))
    assert thin.n_samples == 20
    assert thin.n_edges == 0


class _FakeUMAP:
    """Stands in for UMAP, which compiles for half a minute when it is imported."""

    def __init__(self, **options):
        type(self).options = options

    def fit_transform(self, X):
        return self.options["init"] + 5.0


def test_umap_gets_the_neighbors_of_the_fit_where_it_is_installed(graph, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", type(sys)("umap"))
    monkeypatch.setattr(sys.modules["umap"], "UMAP", _FakeUMAP, raising=False)
    monkeypatch.setattr(map_coordinates, "_has_umap", lambda: True)

    drawn = place_rows(graph, seed=3)

    assert drawn.method == "umap"
    indices, distances = _FakeUMAP.options["precomputed_knn"]
    assert_array_equal(indices[:, 0], np.arange(graph.n_samples))
    assert_array_equal(indices[:, 1:].ravel(), graph.indices)
    assert_array_equal(distances[:, 1:].ravel(), graph.values)
    assert (distances[:, 0] == 0).all()
    assert _FakeUMAP.options["n_neighbors"] == indices.shape[1] == 11
    assert _FakeUMAP.options["random_state"] == 3
    assert_array_equal(drawn.coordinates, _FakeUMAP.options["init"][drawn.rows] + 5.0)


@pytest.mark.slow
def test_umap_itself_places_rows(graph, digits):
    pytest.importorskip("umap", reason="umap-learn is not installed: pip install 'graphpac[map]'")
    drawn = place_rows(graph, method="umap")
    near = build_neighbor_graph(drawn.coordinates, 10, metric="euclidean").indices.reshape(-1, 10)
    labels = digits.y[drawn.rows]
    assert (labels[near] == labels[:, np.newaxis]).mean() > 0.95
    assert_array_equal(drawn.coordinates, place_rows(graph, method="umap").coordinates)


def uneven(graph):
    keep = np.ones(graph.n_edges, dtype=bool)
    keep[3] = False
    sources = np.repeat(np.arange(graph.n_samples), graph.degrees)
    return NeighborGraph.from_edges(
        *(sources[keep], graph.indices[keep], graph.values[keep]),
        n_samples=graph.n_samples,
        kind="cosine",
    )


def similar(graph):
    matrix = graph.to_scipy()
    matrix.data = 1.0 / (1.0 + matrix.data)
    return NeighborGraph.from_similarities(matrix)


@pytest.mark.parametrize("make", [uneven, similar])
def test_a_graph_umap_cannot_take_is_laid_out_by_us(graph, make, monkeypatch):
    monkeypatch.setattr(map_coordinates, "_has_umap", lambda: True)
    assert place_rows(make(graph)).method == "graph"
    with pytest.raises(ValueError, match="UMAP needs distances, .* use method='graph'."):
        place_rows(make(graph), method="umap")


def test_umap_that_is_not_installed_says_how_to_get_it(graph, monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(ImportError, match="pip install 'graphpac\\[map\\]'"):
        place_rows(graph, method="umap")


def test_an_unknown_method_is_refused(graph):
    with pytest.raises(ValueError, match="method='tsne' must be one of auto, umap, graph."):
        place_rows(graph, method="tsne")


@pytest.mark.parametrize("most_rows", [1000, 60])
def test_equal_rows_share_a_place(monkeypatch, most_rows):
    monkeypatch.setattr(map_coordinates, "MOST_ROWS", most_rows)
    kinds = np.random.default_rng(0).normal(size=(100, 4))
    numbers = np.concatenate((np.arange(100), np.random.default_rng(1).integers(0, 100, 200)))

    drawn = place_rows(build_neighbor_graph(kinds[numbers], 5), method="graph")

    assert drawn.rows.size == drawn.coordinates.shape[0] == min(300, most_rows)
    _, first, inverse = np.unique(numbers[drawn.rows], return_index=True, return_inverse=True)
    assert_array_equal(drawn.coordinates, drawn.coordinates[first][inverse])
    assert np.unique(drawn.coordinates[first], axis=0).shape[0] == first.size
