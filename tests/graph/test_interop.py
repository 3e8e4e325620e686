"""Graphs of other libraries."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.neighbors import kneighbors_graph

from graphpac.graph import NeighborGraph, as_neighbor_graph

WEIGHTS = [(0, 1, 2.0), (1, 2, 0.5)]


def annotated(**entries):
    """What from_anndata looks at, for machines without anndata."""
    uns = {"neighbors": {"distances_key": "distances", "params": {"metric": "euclidean"}}}
    return SimpleNamespace(obsp=entries, uns=uns)


@pytest.fixture
def distances(digits):
    return kneighbors_graph(digits.X[:50], 4, mode="distance")


@pytest.mark.parametrize("library", ["networkx", "igraph"])
@pytest.mark.parametrize("directed", [False, True])
def test_edges_become_similarities(library, directed):
    module = pytest.importorskip(library)
    if library == "networkx":
        source = module.DiGraph() if directed else module.Graph()
        source.add_nodes_from(range(4))
        source.add_weighted_edges_from(WEIGHTS)
    else:
        source = module.Graph(4, [edge[:2] for edge in WEIGHTS], directed=directed)
        source.es["weight"] = [edge[2] for edge in WEIGHTS]

    graph = as_neighbor_graph(source)

    assert graph.kind == "similarity"
    assert_array_equal(graph.degrees, [1, 1, 0, 0] if directed else [1, 2, 1, 0])
    assert_array_equal(graph.values, np.float32([2.0, 0.5] if directed else [2.0, 2.0, 0.5, 0.5]))


def test_networkx_nodes_of_any_name_are_numbered_in_order():
    networkx = pytest.importorskip("networkx")
    source = networkx.MultiGraph([("b", "a"), ("b", "a"), ("a", "c"), ("c", "c")])

    graph = NeighborGraph.from_networkx(source, weight=None)

    assert_array_equal(graph.to_scipy().toarray(), [[0, 2, 0], [2, 0, 1], [0, 1, 0]])


def test_igraph_without_weights_counts_edges():
    igraph = pytest.importorskip("igraph")

    graph = NeighborGraph.from_igraph(igraph.Graph.Ring(5))

    assert_array_equal(graph.values, 1.0)
    assert graph.n_components == 1


def test_a_graph_without_edges():
    networkx = pytest.importorskip("networkx")

    graph = as_neighbor_graph(networkx.empty_graph(3))

    assert (graph.n_samples, graph.n_edges) == (3, 0)


def test_anndata_distances_are_the_default(distances):
    graph = as_neighbor_graph(annotated(distances=distances, connectivities=distances))

    assert graph.kind == "euclidean"
    assert_array_equal(graph.degrees, 4)


def test_anndata_metric_and_key_are_read(distances):
    source = annotated(mine_distances=distances / distances.max())
    source.uns["mine"] = {"distances_key": "mine_distances", "params": {"metric": "cosine"}}

    assert NeighborGraph.from_anndata(source, neighbors_key="mine").kind == "cosine"


def test_anndata_neighbors_of_another_name_are_not_taken_instead(distances):
    source = annotated(distances=distances)
    with pytest.raises(ValueError, match="has no uns\\['mine'\\]: run scanpy.pp.neighbors with"):
        NeighborGraph.from_anndata(source, neighbors_key="mine")


def test_anndata_connectivities_are_similarities(distances):
    graph = NeighborGraph.from_anndata(annotated(connectivities=distances), obsp="connectivities")

    assert graph.kind == "similarity"


def test_anndata_without_a_graph_says_what_to_do():
    with pytest.raises(ValueError, match=r"obsp holds nothing\): run scanpy.pp.neighbors first"):
        as_neighbor_graph(annotated())


def test_a_real_anndata_object(distances):
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(np.zeros((50, 2), dtype=np.float32))
    data.obsp["distances"] = distances

    assert as_neighbor_graph(data).n_edges == 200


def test_a_neighbor_graph_stays_itself_and_a_pair_is_read(distances):
    graph = as_neighbor_graph((np.array([[1], [0]]), np.array([[0.5], [0.5]])), metric="cosine")

    assert graph.kind == "cosine"
    assert as_neighbor_graph(graph) is graph


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (sp.eye(3, format="csr"), "from_distances.* or NeighborGraph.from_similarities"),
        (np.eye(3), "a graph of type ndarray is not known"),
    ],
)
def test_what_is_unclear_is_refused(source, message):
    with pytest.raises(ValueError, match=message):
        as_neighbor_graph(source)
