"""`graphpac.sc.gpac` on real AnnData objects, and after the real scanpy."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import GPAC, NeighborGraph
from graphpac.metrics import clustering_accuracy
from graphpac.sc import gpac


@pytest.fixture
def anndata():
    return pytest.importorskip("anndata")


@pytest.fixture
def cells(anndata, digits):
    """Digits in the place of cells, with the graph scanpy makes of them."""
    scanpy = pytest.importorskip("scanpy")
    cells = anndata.AnnData(digits.X.astype(np.float32), obs={"digit": digits.y.astype(str)})
    cells.obsm["X_half"] = cells.X[:, ::2]
    scanpy.pp.neighbors(cells, n_neighbors=15, use_rep="X")
    return cells


def by_size(model):
    """Labels of a model with the largest cluster as 0, and its clusters in that order."""
    order = np.argsort(-model.cluster_sizes_, kind="stable")
    return np.argsort(order)[model.labels_], order


def test_the_graph_of_scanpy_is_clustered_and_the_cells_annotated(cells, digits, seed):
    assert gpac(cells, 10, neighbors_key="neighbors", random_state=seed) is None

    graph = NeighborGraph.from_anndata(cells)
    expected = GPAC(10, random_state=seed).fit_graph(graph)
    labels, order = by_size(expected)
    assert_array_equal(cells.obs["gpac"].astype(int), labels)
    assert list(cells.obs["gpac"].cat.categories) == [str(cluster) for cluster in range(10)]
    assert_array_equal(cells.obs["gpac_probability"], expected.probabilities_)
    assert cells.obsm["X_gpac"].dtype == np.float32
    assert_allclose(cells.obsm["X_gpac"].sum(axis=1), 1.0, rtol=1e-5)
    assert_array_equal(cells.obsm["X_gpac"], expected.memberships_.toarray()[:, order])
    asked = {"n_clusters": 10, "random_state": seed, "neighbors_key": "neighbors"}
    assert cells.uns["gpac"] == {"params": asked}
    assert clustering_accuracy(digits.y, cells.obs["gpac"].astype(int)) > 0.8


def test_groups_are_numbered_by_size_the_largest_first(cells):
    gpac(cells, 7, max_iter=5)
    sizes = cells.obs["gpac"].value_counts(sort=False)
    assert list(sizes.index) == [str(group) for group in range(7)]
    assert list(sizes) == sorted(sizes, reverse=True)
    assert_array_equal(cells.obsm["X_gpac"].argmax(axis=1), cells.obs["gpac"].astype(int))


def test_rows_are_preferred_to_the_graph_of_scanpy(anndata, cells):
    """NMI on worm neurons: .669 of rows, .638 of scanpy's graph."""
    gpac(cells, 10, max_iter=5)
    assert cells.uns["gpac"]["params"]["use_rep"] == "X"  # as scanpy was told
    cells.obsm["X_pca"] = cells.X[:, :40]
    del cells.uns["neighbors"]["params"]["use_rep"]
    gpac(cells, 10, max_iter=5)
    assert cells.uns["gpac"]["params"]["use_rep"] == "X_pca"
    labels, _ = by_size(GPAC(10, max_iter=5, random_state=0).fit(cells.obsm["X_pca"]))
    assert_array_equal(cells.obs["gpac"].astype(int), labels)
    del cells.obsm["X_pca"]
    gpac(cells, 10, max_iter=5)
    assert "use_rep" not in cells.uns["gpac"]["params"]
    with pytest.raises(ValueError, match="run scanpy.pp.neighbors first"):
        gpac(anndata.AnnData(cells.X), 10)


def test_as_many_components_are_read_as_scanpy_was_told(cells):
    scanpy = pytest.importorskip("scanpy")
    cells.obsm["X_pca"] = cells.X[:, :40]
    scanpy.pp.neighbors(cells, n_neighbors=15, n_pcs=20)
    gpac(cells, 10, max_iter=5)
    assert cells.uns["gpac"]["params"]["n_pcs"] == 20
    labels, _ = by_size(GPAC(10, max_iter=5, random_state=0).fit(cells.X[:, :20]))
    assert_array_equal(cells.obs["gpac"].astype(int), labels)


def test_connectivities_another_key_and_a_copy(cells):
    found = gpac(
        cells, 12, obsp="connectivities", key_added="groups", alpha=2.0, max_iter=5, copy=True
    )

    assert "groups" not in cells.obs
    # Sorted as strings, "10" would stand between "1" and "2".
    categories = found.obs["groups"].cat.categories.astype(int)
    assert list(categories) == sorted(categories)
    assert found.obsm["X_groups"].shape == (cells.n_obs, 12)
    assert found.uns["groups"]["params"] == {
        "n_clusters": 12,
        "random_state": 0,
        "obsp": "connectivities",
        "alpha": 2.0,
        "max_iter": 5,
    }


@pytest.mark.parametrize("use_rep", ["X", "X_half"])
def test_rows_are_clustered_as_by_the_estimator(cells, use_rep):
    gpac(cells, 10, use_rep=use_rep, n_neighbors=8, metric="euclidean", max_iter=5)

    rows = cells.X if use_rep == "X" else cells.obsm[use_rep]
    model = GPAC(10, n_neighbors=8, metric="euclidean", max_iter=5, random_state=0).fit(rows)
    assert_array_equal(cells.obs["gpac"].astype(int), by_size(model)[0])


def test_many_memberships_are_kept_sparse(cells, monkeypatch):
    monkeypatch.setattr("graphpac.sc._MOST_DENSE_ENTRIES", 17_000)

    gpac(cells, 10, key_added="sparse", max_iter=5)
    gpac(cells, 9, key_added="dense", max_iter=5)

    assert sp.issparse(cells.obsm["X_sparse"])
    assert isinstance(cells.obsm["X_dense"], np.ndarray)


def test_the_annotations_survive_a_file(anndata, cells, tmp_path):
    rng = np.random.default_rng(0)
    gpac(cells, 10, random_state=rng, max_iter=5)
    cells.write_h5ad(tmp_path / "cells.h5ad")

    read = anndata.read_h5ad(tmp_path / "cells.h5ad")

    assert_array_equal(read.obs["gpac"].astype(str), cells.obs["gpac"].astype(str))
    assert_array_equal(read.obsm["X_gpac"], cells.obsm["X_gpac"])
    assert read.uns["gpac"]["params"]["random_state"] == repr(rng)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"use_rep": "X_pca"}, "use_rep='X_pca' is not in adata.obsm, which holds X_half: name"),
        ({"use_rep": "X", "obsp": "distances"}, "rows but obsp='distances' for a graph"),
        ({"obsp": "distances", "n_neighbors": 5}, "n_neighbors has no effect on a graph that"),
        ({"neighbors_key": "mine"}, "mine"),
    ],
)
def test_what_contradicts_itself_is_refused(cells, arguments, message):
    with pytest.raises(ValueError, match=message):
        gpac(cells, 10, **arguments)
