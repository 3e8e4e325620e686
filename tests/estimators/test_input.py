"""Containers and dtypes: what can be used as it is, is not copied."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac import GPAC
from graphpac.estimators._input import check_input, check_training_input

SHORT = {"n_clusters": 10, "max_iter": 4, "random_state": 0}


@pytest.fixture(scope="module")
def expected(digits):
    return GPAC(**SHORT).fit(digits.X).labels_


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int64"])
def test_arrays_of_any_dtype_stay_as_they_are(digits, dtype):
    X = digits.X.astype(dtype)
    checked = check_training_input(GPAC(), X).X
    assert checked.dtype == X.dtype
    assert np.shares_memory(checked, X)


def test_a_read_only_memory_map_is_not_copied(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.random.default_rng(0).normal(size=(2000, 4000)))
    X = np.load(path, mmap_mode="r")
    model = GPAC(n_clusters=3, max_iter=2, random_state=0)
    tracemalloc.start()
    try:
        checked = check_input(model, X, reset=True)
        peak = tracemalloc.get_traced_memory()[1]
        assert peak < X.nbytes / 4
        tracemalloc.reset_peak()
        model.fit(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert np.shares_memory(checked, X)
    assert np.shares_memory(model._predictor.training.X, X)
    # The working copy of float32 is half as large as X.
    assert peak < X.nbytes
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_lists(digits, expected):
    np.testing.assert_array_equal(GPAC(**SHORT).fit(digits.X.tolist()).labels_, expected)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(digits, expected, library):
    module = pytest.importorskip(library)
    names = [f"pixel{number}" for number in range(64)]
    columns = {name: digits.X[:, number] for number, name in enumerate(names)}
    frame = module.DataFrame(columns)
    model = GPAC(**SHORT).fit(frame)
    np.testing.assert_array_equal(model.labels_, expected)
    assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(model.predict(frame), expected)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[names[::-1]])


def test_pandas_missing_values_are_refused(digits):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(digits.X[:50]).astype("Int64")
    frame.iloc[7, 3] = pandas.NA
    with pytest.raises(ValueError, match="^X contains NaN in row 7, column 3: "):
        GPAC(**SHORT).fit(frame)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix, sp.coo_array, sp.csr_array])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_sparse_features(digits, expected, form, dtype):
    X = form(digits.X.astype(dtype))
    before = X.copy()
    model = GPAC(**SHORT).fit(X)
    assert np.mean(model.labels_ == expected) > 0.9
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert (X != before).nnz == 0


def test_sparse_and_dense_rows_may_be_mixed(digits):
    model = GPAC(**SHORT).fit(sp.csr_matrix(digits.X))
    np.testing.assert_array_equal(model.predict(digits.X), model.labels_)
    model.fit(digits.X)
    np.testing.assert_array_equal(model.predict(sp.csr_matrix(digits.X)), model.labels_)


def test_columns_are_remembered_only_after_the_fit(digits):
    model = GPAC()
    data = check_training_input(model, digits.X)
    assert data.n_samples == 1797
    assert data.attributes == {"n_features_in_": 64}
    assert not hasattr(model, "n_features_in_")


def test_where_a_value_is_wrong_is_told_across_blocks(monkeypatch):
    monkeypatch.setattr("graphpac.graph.values._BLOCK_ENTRIES", 10)
    X = np.ones((50, 4))
    X[43, 1] = np.nan
    with pytest.raises(ValueError, match="^X contains NaN in row 43, column 1: "):
        check_training_input(GPAC(), X)
