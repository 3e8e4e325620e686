"""Cells in .h5ad files, written by the real anndata."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac.exceptions import FileFormatError
from graphpac.io.readers import describe_table, read_table
from tests.io.readers.damage import damaged

anndata = pytest.importorskip("anndata", reason="install the extra single-cell")
pd = pytest.importorskip("pandas")

BOTH = pytest.mark.parametrize("ask", [read_table, describe_table])
N_CELLS, N_GENES = 30, 6


@pytest.fixture(scope="module")
def expression():
    return np.random.default_rng(0).poisson(0.7, size=(N_CELLS, N_GENES)).astype(np.float32)


@pytest.fixture
def cells(expression):
    data = anndata.AnnData(
        expression,
        obs=pd.DataFrame(
            {
                "note": [f"cell number {i}" for i in range(N_CELLS)],
                "batch": pd.Categorical(["p", "q"] * (N_CELLS // 2)),
                "number": np.arange(N_CELLS),
                "share": np.linspace(0, 1, N_CELLS),
            },
            index=[f"cell-{i}" for i in range(N_CELLS)],
        ),
        var=pd.DataFrame(index=[f"gene-{j}" for j in range(N_GENES)]),
    )
    data.obsm["X_pca"] = expression[:, :3].astype(np.float64)
    data.obsm["X_scvi"] = expression[:, :2]
    data.layers["counts"] = sp.csr_matrix(expression)
    data.layers["by gene"] = sp.csc_matrix(expression)
    return data


@pytest.fixture
def path(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    return tmp_path / "cells.h5ad"


@pytest.mark.parametrize(
    ("key", "n_columns", "dtype", "has_genes"),
    [
        (None, 3, np.float64, False),
        ("X_pca", 3, np.float64, False),
        ("X_scvi", 2, np.float32, False),
        ("obsm/X_scvi", 2, np.float32, False),
        ("X", N_GENES, np.float32, True),
        ("counts", N_GENES, np.float32, True),
        ("layers/counts", N_GENES, np.float32, True),
        ("by gene", N_GENES, np.float32, True),
    ],
)
def test_which_matrix_is_read(key, n_columns, dtype, has_genes, path, expression):
    table, shape = read_table(path, key=key), describe_table(path, key=key)
    assert (shape.n_rows, shape.n_columns, shape.dtype) == (N_CELLS, n_columns, dtype)
    assert table.X.dtype == dtype
    assert sp.issparse(table.X) == (key in {"counts", "layers/counts", "by gene"})
    dense = table.X.toarray() if sp.issparse(table.X) else table.X
    np.testing.assert_array_equal(dense, expression[:, :n_columns])
    genes = tuple(f"gene-{j}" for j in range(N_GENES))
    assert table.columns == (genes if has_genes else None)
    assert table.ids == [f"cell-{i}" for i in range(N_CELLS)]


def test_sparse_matrices_are_by_rows(path):
    assert read_table(path, key="by gene").X.format == "csr"


def test_without_components_it_is_x(cells, expression, tmp_path):
    del cells.obsm["X_pca"]
    cells.X = sp.csr_matrix(expression)
    cells.write_h5ad(tmp_path / "cells.h5ad", compression="gzip")
    calls = []
    table = read_table(tmp_path / "cells.h5ad", progress=lambda *counts: calls.append(counts))
    np.testing.assert_array_equal(table.X.toarray(), expression)
    assert calls == [(1, 1)]


@pytest.mark.parametrize(
    ("column", "ids"), [("number", list(range(N_CELLS))), ("batch", ["p", "q"] * (N_CELLS // 2))]
)
def test_ids_and_texts_are_columns_of_obs(column, ids, path):
    table = read_table(path, id_column=column, text_column="note")
    assert table.ids == ids
    assert table.texts[3] == "cell number 3"


def test_missing_ids_and_texts(cells, tmp_path):
    cells.obs["kind"] = pd.Categorical(["p", None] * (N_CELLS // 2))
    cells.obs["count"] = pd.array([1, None] * (N_CELLS // 2), dtype="Int64")
    cells.write_h5ad(tmp_path / "cells.h5ad")
    assert read_table(tmp_path / "cells.h5ad", text_column="kind").texts[:2] == ["p", ""]
    for column in ("kind", "count"):
        with pytest.raises(FileFormatError, match=f"has no id in row 1 .column '{column}'."):
            read_table(tmp_path / "cells.h5ad", id_column=column)


@BOTH
@pytest.mark.parametrize("key", ["X_umap", "obs", "obsm/counts", "layers"])
def test_matrices_that_are_not_there(ask, key, path):
    message = f"has no matrix '{key}' .it has 'X', 'obsm/X_pca', 'obsm/X_scvi', 'layers/by gene'"
    with pytest.raises(FileFormatError, match=message):
        ask(path, key=key)


@BOTH
def test_a_frame_is_no_matrix(ask, cells, tmp_path):
    cells.obsm["protein"] = pd.DataFrame({"a": np.ones(N_CELLS)}, index=cells.obs_names)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    with pytest.raises(FileFormatError, match="obsm/protein is dataframe, but a dense or sparse m"):
        ask(tmp_path / "cells.h5ad", key="protein")


@BOTH
def test_no_matrix_at_all(ask, cells, tmp_path):
    anndata.AnnData(obs=cells.obs).write_h5ad(tmp_path / "cells.h5ad")
    with pytest.raises(FileFormatError, match="cells.h5ad"):
        ask(tmp_path / "cells.h5ad")


def test_columns_of_obs_that_are_not_there_or_no_ids(path):
    with pytest.raises(FileFormatError, match="has no column 'nummer' in obs .it has "):
        read_table(path, id_column="nummer")
    with pytest.raises(FileFormatError, match="has values of type float in the column 'share'"):
        read_table(path, id_column="share")


@BOTH
@pytest.mark.parametrize("raw", [b"\x89HDF\r\n\x1a\n", b"a,b\n1,2\n", bytes(1000)])
def test_other_files(ask, raw, tmp_path):
    (tmp_path / "cells.h5ad").write_bytes(raw)
    with pytest.raises(FileFormatError, match="cells.h5ad cannot be read as an .h5ad file"):
        ask(tmp_path / "cells.h5ad")


def test_a_file_that_ends_too_early(path):
    raw = path.read_bytes()
    for length in (len(raw) - 1, len(raw) // 2, 600):
        path.write_bytes(raw[:length])
        with pytest.raises(FileFormatError, match="cannot be read as an .h5ad file .*damaged"):
            read_table(path)


def test_any_damage(path, seed):
    """Where bytes are changed only the outline is read: HDF5 can lose minutes on changed texts."""
    raw = path.read_bytes()
    rng = np.random.default_rng(seed)
    refusals = []
    for _ in range(100):
        damage = damaged(raw, rng)
        path.write_bytes(damage)
        ask = describe_table if len(damage) == len(raw) else read_table
        try:
            ask(path)
        except FileFormatError as error:
            refusals.append(str(error))
    assert len(refusals) > 30
    assert all(refusal.startswith(str(path)) and refusal.endswith(".") for refusal in refusals)


def test_kept_columns_are_those_of_obs(cells, tmp_path):
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    kept = read_table(path, keep_columns=["batch", "no*"]).kept
    assert kept["batch"] == ["p", "q"] * (N_CELLS // 2)
    assert kept["note"][:2] == ["cell number 0", "cell number 1"]
    with pytest.raises(FileFormatError, match="has no column 'batches' .did you mean 'batch'?"):
        read_table(path, keep_columns=["batches"])
