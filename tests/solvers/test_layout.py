import numpy as np

from graphpac import build_neighbor_graph
from graphpac.solvers.layout import lay_out_graph


def test_neighbors_are_nearer_than_strangers(seed):
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(center, size=(60, 8)) for center in (-5.0, 0.0, 5.0)])
    graph = build_neighbor_graph(X, 8, metric="euclidean")

    places = lay_out_graph(graph, seed)

    assert places.shape == (180, 2)
    assert np.isfinite(places).all()
    sources = np.repeat(np.arange(180), graph.degrees)
    to_neighbors = np.linalg.norm(places[sources] - places[graph.indices], axis=1)
    to_anyone = np.linalg.norm(places[:, np.newaxis] - places, axis=2)
    assert np.median(to_neighbors) < 0.3 * np.median(to_anyone)


def test_the_same_seed_gives_the_same_places(digits):
    graph = build_neighbor_graph(digits.X[:300], 8)
    np.testing.assert_array_equal(lay_out_graph(graph, 1), lay_out_graph(graph, 1))
