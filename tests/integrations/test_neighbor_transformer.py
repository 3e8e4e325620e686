"""Our neighbor search inside scanpy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import NeighborTransformer


@pytest.fixture
def cells(digits):
    anndata = pytest.importorskip("anndata")
    return anndata.AnnData(digits.X[:200].astype(np.float32))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_scanpy_finds_the_neighbors_it_finds_by_itself(cells, metric):
    scanpy = pytest.importorskip("scanpy")
    theirs = scanpy.pp.neighbors(cells, n_neighbors=8, metric=metric, use_rep="X", copy=True)
    transformer = NeighborTransformer(8, metric=metric)

    ours = scanpy.pp.neighbors(cells, transformer=transformer, use_rep="X", copy=True)

    for name in ("distances", "connectivities"):
        assert_array_equal(ours.obsp[name].indptr, theirs.obsp[name].indptr)
        assert_allclose(ours.obsp[name].toarray(), theirs.obsp[name].toarray(), atol=2e-6)
    assert ours.uns["neighbors"]["params"]["n_neighbors"] == 8
