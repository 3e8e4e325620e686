"""Containers and dtypes: what can be used as it is, is not copied."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from packaging.version import Version

from graphpac import GPAC, build_neighbor_graph
from graphpac.fitting.input import check_input, check_training_input

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
    model = GPAC.as_published(n_clusters=3, max_iter=2, random_state=0)
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
    np.testing.assert_array_equal(model.predict(frame), expected)
    is_exchangeable = library == "pandas" or hasattr(frame, "__dataframe__")
    if not is_exchangeable and Version(sklearn.__version__) < Version("1.9"):
        pytest.skip("scikit-learn before 1.9 does not know the columns of polars 2")
    assert model.feature_names_in_.tolist() == names
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[names[::-1]])


def test_pandas_missing_values_are_refused(digits):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(digits.X[:50]).astype("Int64")
    frame.iloc[7, 3] = pandas.NA
    with pytest.raises(ValueError, match="^X contains NaN in row 7, column 3: "):
        GPAC(**SHORT).fit(frame)
    frame = frame.astype(object)
    with pytest.raises(ValueError, match="^X contains NA in row 7, column 3: remove such rows"):
        GPAC(**SHORT).fit(frame)
    frame.iloc[9, 1] = pandas.NA
    with pytest.raises(ValueError, match="^X contains NA 2 times, first in row 7, column 3: "):
        GPAC(**SHORT).fit(frame.to_numpy())


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix, sp.coo_array, sp.csr_array])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_sparse_features(digits, expected_of_widened, form, dtype):
    X = form(widened(digits.X.astype(dtype)))
    before = X.copy()
    model = GPAC(**SHORT).fit(X)
    assert sp.issparse(model._predictor.training.X)
    assert np.mean(model.labels_ == expected_of_widened) > 0.9
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert (X != before).nnz == 0


def widened(X):
    """Append columns of zeros, so that less than an eighth is stored."""
    return np.pad(X, ((0, 0), (0, 9 * X.shape[1])))


@pytest.fixture(scope="module")
def expected_of_widened(digits):
    return GPAC(**SHORT).fit(widened(digits.X)).labels_


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "inner_product"])
def test_a_matrix_that_is_sparse_in_form_only_gives_the_bits_of_the_array(digits, metric):
    X = digits.X.astype(np.float64)
    of_array, of_matrix = (GPAC(**SHORT, metric=metric).fit(form) for form in (X, sp.csr_matrix(X)))
    assert_same_bits(of_array.memberships_, of_matrix.memberships_)
    assert_same_bits(of_array.graph_.to_scipy(), of_matrix.graph_.to_scipy())
    for rows in (X[:50] * 1.01, sp.csr_matrix(X[:50] * 1.01)):
        expected = of_array.predict_memberships(X[:50] * 1.01)
        assert_same_bits(of_matrix.predict_memberships(rows), expected)
    graph = build_neighbor_graph(sp.csr_matrix(X), 10, metric=metric)
    assert_same_bits(graph.to_scipy(), of_array.graph_.to_scipy())


def assert_same_bits(one, other):
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))


def test_a_matrix_whose_array_does_not_fit_stays_sparse(digits, monkeypatch):
    X = sp.csr_matrix(digits.X)
    assert isinstance(check_training_input(GPAC(), X).X, np.ndarray)
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", "1e5")
    assert sp.issparse(check_training_input(GPAC(), X).X)


def test_distances_that_are_not_stored_are_not_zeros():
    X = sp.csr_matrix(np.ones((5, 5)))
    assert sp.issparse(check_training_input(GPAC(metric="precomputed"), X).X)


@pytest.mark.parametrize("widen", [widened, np.asarray], ids=["sparse", "sparse in form only"])
def test_sparse_and_dense_rows_may_be_mixed(digits, widen):
    X = widen(digits.X)
    model = GPAC(**SHORT).fit(sp.csr_matrix(X))
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    model.fit(X)
    np.testing.assert_array_equal(model.predict(sp.csr_matrix(X)), model.labels_)


def test_columns_are_remembered_only_after_the_fit(digits):
    model = GPAC()
    data = check_training_input(model, digits.X)
    assert data.X.shape == (1797, 64)
    assert data.attributes == {"n_features_in_": 64}
    assert not hasattr(model, "n_features_in_")


def test_where_a_value_is_wrong_is_told_across_blocks(monkeypatch):
    monkeypatch.setattr("graphpac.graph.values._BLOCK_ENTRIES", 10)
    X = np.ones((50, 4))
    X[43, 1] = np.nan
    with pytest.raises(ValueError, match="^X contains NaN in row 43, column 1: "):
        check_training_input(GPAC(), X)
