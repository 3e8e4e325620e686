"""NeighborGraph: what it accepts, what it refuses, what it keeps."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph

from graphpac.graph import NeighborGraph
from tests.strategies import neighbor_graphs


def small_graph(**changes):
    parts = {
        "indptr": np.array([0, 2, 3, 3], dtype=np.int64),
        "indices": np.array([1, 2, 0], dtype=np.int32),
        "values": np.array([0.5, 0.5, 0.25], dtype=np.float32),
        "kind": "cosine",
    }
    return NeighborGraph(**{**parts, **changes})


def assert_same_graph(one, other):
    assert one.kind == other.kind
    for name in ("indptr", "indices", "values"):
        assert_array_equal(getattr(one, name), getattr(other, name))


@given(graph=neighbor_graphs())
def test_rows_are_sorted_without_self_and_repeats(graph):
    sign = -1.0 if graph.kind in {"inner_product", "similarity"} else 1.0
    for i in range(graph.n_samples):
        edges = slice(graph.indptr[i], graph.indptr[i + 1])
        listed = list(zip(sign * graph.values[edges], graph.indices[edges], strict=True))
        assert listed == sorted(listed)
        assert i not in graph.indices[edges]
        assert len(set(graph.indices[edges])) == len(listed)


@given(graph=neighbor_graphs())
def test_pickle_keeps_the_graph_and_its_protection(graph):
    copy = pickle.loads(pickle.dumps(graph))

    assert_same_graph(copy, graph)
    assert not copy.values.flags.writeable


@given(graph=neighbor_graphs(kinds=("euclidean", "cosine")))
def test_a_distance_matrix_gives_the_graph_back(graph):
    assert_same_graph(NeighborGraph.from_distances(graph.to_scipy(), metric=graph.kind), graph)


@given(graph=neighbor_graphs(kinds=("similarity",)))
def test_a_similarity_matrix_gives_the_graph_back(graph):
    assert_same_graph(NeighborGraph.from_similarities(graph.to_scipy()), graph)


@given(graph=neighbor_graphs(), n_neighbors=st.integers(1, 6))
def test_truncated_keeps_the_nearest(graph, n_neighbors):
    short = graph.truncated(n_neighbors)

    assert_array_equal(short.degrees, np.minimum(graph.degrees, n_neighbors))
    for i in range(graph.n_samples):
        first = slice(graph.indptr[i], graph.indptr[i] + short.degrees[i])
        assert_array_equal(
            short.indices[short.indptr[i] : short.indptr[i + 1]], graph.indices[first]
        )


def test_numbers_of_the_graph():
    graph = small_graph()

    assert (graph.n_samples, graph.n_edges, graph.n_components) == (3, 3, 1)
    assert_array_equal(graph.degrees, [2, 1, 0])
    assert repr(graph) == "NeighborGraph(n_samples=3, n_edges=3, kind='cosine')"


def test_directed_edges_connect_parts_weakly():
    one_way = NeighborGraph.from_distances(
        sp.csr_matrix(([1.0, 1.0], ([0, 2], [1, 3])), shape=(4, 4))
    )

    assert one_way.n_components == 2


def test_the_callers_arrays_stay_writable_and_the_graphs_do_not():
    values = np.array([0.5, 0.5, 0.25], dtype=np.float32)

    graph = small_graph(values=values)

    assert values.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        graph.values[0] = 1.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "manhattan"}, "kind='manhattan' must be one of"),
        ({"values": np.zeros(3)}, "values must be a one-dimensional float32 array"),
        ({"indptr": np.array([0, 2, 1, 3])}, "indptr must rise"),
        ({"indptr": np.array([0, 2, 2])}, "indptr must rise"),
        ({"indptr": np.array([], dtype=np.int64)}, "indptr must rise"),
        ({"indices": np.array([1, 3, 0], dtype=np.int32)}, "sample 0 names a sample that does not"),
        (
            {"indices": np.array([1, -1, 0], dtype=np.int32)},
            "sample 0 names a sample that does not",
        ),
        ({"indices": np.array([1, 2, 1], dtype=np.int32)}, "sample 1 contains the sample itself"),
        ({"indices": np.array([1, 1, 0], dtype=np.int32)}, "sample 0 names a neighbor twice"),
        ({"indices": np.array([2, 1, 0], dtype=np.int32)}, "sample 0 is not sorted"),
        ({"values": np.array([0.5, 0.4, 1.0], dtype=np.float32)}, "sample 0 is not sorted"),
        ({"values": np.array([0.5, np.nan, 1.0], dtype=np.float32)}, "not a finite number"),
        ({"values": np.array([-0.5, 0.5, 1.0], dtype=np.float32)}, "0 or more, .* is -0.5"),
        ({"values": np.array([0.5, 2.5, 1.0], dtype=np.float32)}, "at most 2, .* is 2.5"),
    ],
)
def test_a_faulty_graph_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        small_graph(**changes)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_scikit_learn_graphs_give_k_neighbors(mode, digits):
    X = digits.X[:60]
    listed = KNeighborsTransformer(n_neighbors=5, mode=mode).fit_transform(X)
    plain = kneighbors_graph(X, 5, mode=mode)
    # The transformer adds the sample itself to the distances, so both name the same neighbors.
    make = NeighborGraph.from_distances if mode == "distance" else NeighborGraph.from_similarities

    graph = make(plain)

    assert_array_equal(graph.degrees, 5)
    if mode == "distance":
        assert_same_graph(make(listed), graph)


def test_explicit_zeros_are_neighbors_at_distance_zero():
    X = np.repeat(np.arange(4.0), 3)[:, np.newaxis]
    listed = KNeighborsTransformer(n_neighbors=2).fit_transform(X)

    graph = NeighborGraph.from_distances(listed)

    assert_array_equal(graph.degrees, 2)
    assert_array_equal(graph.values, 0.0)


def test_explicit_zeros_are_no_similarities():
    matrix = sp.csr_matrix(([0.0, 0.5, 1.0], ([0, 0, 1], [1, 2, 1])), shape=(3, 3))

    graph = NeighborGraph.from_similarities(matrix)

    assert_array_equal(graph.indices, [2])


def test_a_pair_of_arrays_loses_self_and_missing():
    indices = np.array([[0, 2, 1], [2, 1, -1], [0, 1, 2]])
    distances = np.array([[0.0, 3.0, 3.0], [1.0, 0.0, np.inf], [5.0, 4.0, 0.0]])

    graph = NeighborGraph.from_neighbors(indices, distances)

    assert_array_equal(graph.indptr, [0, 2, 3, 5])
    assert_array_equal(graph.indices, [1, 2, 2, 1, 0])
    assert_array_equal(graph.values, np.float32([3.0, 3.0, 1.0, 4.0, 5.0]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NeighborGraph.from_neighbors([[1], [0]], [[1.0, 2.0], [1.0, 2.0]]), "one shape"),
        (lambda: NeighborGraph.from_neighbors([[1.0], [0.0]], [[1], [0]]), "swapped"),
        (lambda: NeighborGraph.from_neighbors([[2], [0]], [[1.0], [1.0]]), "lie in 0..1"),
        (lambda: NeighborGraph.from_neighbors([[1], [0]], [[-1.0], [1.0]]), "0 or more"),
        (lambda: NeighborGraph.from_neighbors([[1], [0]], [[np.nan], [1.0]]), "not a finite"),
        (lambda: NeighborGraph.from_distances(np.eye(2)), "needs a scipy sparse matrix"),
        (lambda: NeighborGraph.from_distances(sp.csr_matrix((2, 3))), "square"),
        (lambda: NeighborGraph.from_distances(sp.eye(2, dtype=complex)), "real numbers"),
        (lambda: NeighborGraph.from_distances(sp.eye(3, k=1), n_neighbors=0), "at least 1"),
        (lambda: NeighborGraph.from_similarities(-sp.eye(3, k=1)), "above 0, .* is -1"),
    ],
)
def test_faulty_sources_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_given_matrix_is_not_changed():
    matrix = KNeighborsTransformer(n_neighbors=2).fit_transform(np.arange(6.0)[:, np.newaxis])
    before = matrix.copy()

    NeighborGraph.from_distances(matrix, n_neighbors=1)

    assert_array_equal(matrix.indices, before.indices)
    assert_array_equal(matrix.data, before.data)
