"""Our neighbor search inside scanpy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import KNeighborsTransformer

from graphpac import NeighborGraph, NeighborTransformer


@pytest.fixture
def cells(seed):
    """Rows without ties, which the two sides would break differently."""
    anndata = pytest.importorskip("anndata")
    values = np.random.default_rng(seed).standard_normal((200, 10))
    return anndata.AnnData(values.astype(np.float32))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_scanpy_makes_the_same_of_it_as_of_scikit_learns(cells, metric):
    scanpy = pytest.importorskip("scanpy")
    found, expected = (
        scanpy.pp.neighbors(cells, transformer=transformer, use_rep="X", copy=True)
        for transformer in (
            NeighborTransformer(8, metric=metric),
            KNeighborsTransformer(n_neighbors=8, metric=metric),
        )
    )

    for name in ("distances", "connectivities"):
        assert_array_equal(found.obsp[name].indptr, expected.obsp[name].indptr)
        assert_allclose(found.obsp[name].toarray(), expected.obsp[name].toarray(), atol=1e-3)
    assert found.uns["neighbors"]["params"]["n_neighbors"] == 8
    assert NeighborGraph.from_anndata(found).degrees.max() == 8  # the cell itself is dropped
