"""The size of what is clustered, whatever its form."""

import numpy as np
import scipy.sparse as sp

from graphpac import NeighborGraph
from graphpac.graph.data_size import DataSize


def test_the_size_of_an_array():
    X = np.zeros((5, 3), dtype=np.float16)
    assert DataSize.of(X) == DataSize(
        n_samples=5, n_features=3, n_entries=15, n_bytes=30, form="dense", memory_map=False
    )


def test_the_size_of_a_sparse_matrix_counts_what_is_stored():
    stored = np.eye(20, dtype=np.float32)
    stored[9, :5] = 1.0
    data = DataSize.of(sp.csr_matrix(stored))
    assert (data.form, data.n_entries) == ("sparse", 25)
    assert data.n_bytes == 25 * 8 + 20 * 4
    assert data.n_products == 5 * 2**2 + 15 * 1
    assert data.resized(40).n_products == 4 * data.n_products


def test_a_matrix_that_is_sparse_in_form_only_counts_as_an_array_and_its_copy():
    X = sp.csr_matrix(np.ones((20, 7), dtype=np.float32))
    data = DataSize.of(X)
    assert (data.form, data.n_entries, data.copied_bytes) == ("dense", 140, 560)
    assert data.n_bytes == 140 * 8 + 20 * 4
    assert DataSize.of(X @ X.T, precomputed=True).form == "distances"


def test_the_size_of_a_graph():
    graph = NeighborGraph.from_neighbors([[1, 2], [0, 2], [0, 1]], np.ones((3, 2)))
    data = DataSize.of(graph)
    assert (data.form, data.n_samples, data.n_entries) == ("graph", 3, 6)
    assert data.n_bytes == 6 * 8 + 4 * 8


def test_a_view_of_a_memory_map_is_one(tmp_path):
    np.save(tmp_path / "X.npy", np.zeros((4, 2)))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert DataSize.of(X).memory_map
    assert DataSize.of(np.asarray(X)[1:]).memory_map
    assert not DataSize.of(np.array(X)).memory_map


def test_rows_are_resized_in_proportion_and_dense_distances_in_both_directions():
    rows = DataSize.of(np.zeros((10, 4), dtype=np.float32)).resized(30)
    assert (rows.n_features, rows.n_entries, rows.n_bytes) == (4, 120, 480)
    distances = DataSize.of(np.zeros((10, 10), dtype=np.float32), precomputed=True).resized(20)
    assert (distances.n_features, distances.n_entries, distances.n_bytes) == (20, 400, 1600)
    graph = DataSize.of(sp.eye_array(10, format="csr", dtype=np.float32), precomputed=True).resized(
        20
    )
    assert (graph.n_features, graph.n_entries) == (20, 20)
