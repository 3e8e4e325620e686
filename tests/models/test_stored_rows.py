"""Rows in few bytes: exact where they can be, else rounded by less than a search would notice."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphpac.graph import build_neighbor_graph
from graphpac.graph.rows import prepare_rows, row_scale
from graphpac.graph.weights import local_scale
from graphpac.models.stored_rows import exact_type, pack_rows
from graphpac.prediction.rounding import round_to_float16

METRICS = ("cosine", "euclidean", "inner_product")


@pytest.fixture
def rows(seed):
    return np.random.default_rng(seed).normal(size=(50, 6))


def pack(X, metric):
    scale = local_scale(build_neighbor_graph(X, 5, metric=metric))
    return pack_rows(X, metric, scale=row_scale(X, metric), kernel_scale=scale)


def searched(packed, metric, scale):
    return prepare_rows(packed.values, metric, scale=scale / (packed.unit or 1.0))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 255.0], "uint8"),
        ([-128, 127], "int8"),
        ([-128.0, 128.0], "float16"),
        ([0.5, 2048.0], "float16"),
        ([True, False], "uint8"),
        ([0, 256], "float16"),
        ([0, 2049], None),
        ([0.1], None),
        ([65536.0], None),
        ([1e-9], None),
        ([2**62], None),
        ([], "uint8"),
    ],
    ids=str,
)
def test_the_smallest_type_that_holds_all_values(values, expected):
    assert exact_type(np.array(values)) == (None if expected is None else np.dtype(expected))


@given(
    hnp.arrays(
        st.sampled_from(["float64", "float32", "float16", "int64", "int16", "uint8"]),
        st.integers(0, 9),
        elements=None,
        fill=st.nothing(),
    )
)
def test_a_type_is_exact_if_the_values_come_back(values):
    values = np.nan_to_num(values, posinf=1.0, neginf=1.0)
    found = exact_type(values)
    if found is not None:
        np.testing.assert_array_equal(values.astype(found).astype(values.dtype), values)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "int32"])
def test_whole_numbers_take_a_byte_and_are_exact(metric, dtype, seed):
    X = np.random.default_rng(seed).integers(0, 256, (20, 5)).astype(dtype)
    packed = pack(X, metric)
    assert packed.values.dtype == np.uint8
    assert packed.unit is None
    np.testing.assert_array_equal(packed.values, X)


def test_rows_that_need_no_change_are_not_copied(seed):
    X = np.random.default_rng(seed).integers(0, 256, (20, 5)).astype(np.uint8)
    assert pack(X, "euclidean").values is X


@pytest.mark.parametrize("metric", METRICS)
def test_other_numbers_take_two_bytes(rows, metric):
    packed = pack(rows, metric)
    assert packed.values.dtype == np.float16
    given = prepare_rows(rows, metric)
    np.testing.assert_allclose(searched(packed, metric, 1.0), given, rtol=1e-3, atol=1e-6)
    if metric == "cosine":
        lengths = np.linalg.norm(packed.values.astype(np.float64), axis=1)
        np.testing.assert_allclose(lengths, 1.0, atol=1e-3)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("size", [1e-300, 1e-12, 1e6, 1e30, 1e200])
def test_neither_large_nor_small_rows_leave_the_range(rows, metric, size):
    X = rows * size
    packed = pack(X, metric)
    assert packed.values.dtype == np.float16
    scale = row_scale(X, metric)
    given = prepare_rows(X, metric, scale=scale)
    found = searched(packed, metric, scale)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, given, rtol=1e-3, atol=1e-6 * np.abs(given).max())


@pytest.mark.parametrize("metric", ["euclidean", "inner_product"])
def test_rows_beside_a_huge_one_keep_the_precision_of_the_search(rows, metric):
    X = rows.copy()
    X[0] = 1e12
    packed = pack(X, metric)
    assert packed.values.dtype == np.float32
    np.testing.assert_array_equal(searched(packed, metric, 1.0), prepare_rows(X, metric))


def test_rows_at_the_end_of_float64_stay_finite_in_their_unit(rows):
    packed = pack(rows / np.abs(rows).max() * np.finfo(np.float64).max, "euclidean")
    assert np.isfinite(packed.values.astype(np.float64) * packed.unit).all()


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_rows_far_from_the_origin_keep_the_precision_of_the_search(rows, metric):
    for X in (rows + 100.0, (rows + 100.0).astype(np.float32)):
        packed = pack(X, metric)
        assert packed.values.dtype == np.float32
        np.testing.assert_allclose(
            searched(packed, metric, 1.0), prepare_rows(X, metric), rtol=2e-7
        )


def test_large_products_keep_the_precision_of_the_search(rows):
    X = 100.0 * rows
    packed = pack(X, "inner_product")
    assert packed.values.dtype == np.float32
    np.testing.assert_array_equal(
        searched(packed, "inner_product", 1.0), prepare_rows(X, "inner_product")
    )


def test_rounding_again_changes_nothing(rows):
    packed = pack(rows, "euclidean")
    again = round_to_float16(rows, packed.unit)
    np.testing.assert_array_equal(again, packed.values.astype(np.float64) * packed.unit)
    np.testing.assert_array_equal(round_to_float16(again, packed.unit), again)


def test_new_values_beyond_float16_are_not_rounded():
    X = np.array([[1e9, 1.0 / 3.0]])
    rounded = round_to_float16(X, 1.0)
    assert rounded[0, 0] == 1e9
    assert 0.0 < abs(rounded[0, 1] - X[0, 1]) < 1e-3


@pytest.mark.parametrize("metric", METRICS)
def test_sparse_rows(rows, metric):
    X = sp.csr_matrix(np.where(rows > 0.5, rows, 0.0))
    packed = pack(X, metric)
    assert packed.values.dtype == np.float32  # scipy has no sparse float16
    expected = "float16" if metric == "cosine" else None
    assert exact_type(packed.values.data) == (expected and np.dtype(expected))
    given = prepare_rows(X, metric).toarray()
    np.testing.assert_allclose(searched(packed, metric, 1.0).toarray(), given, rtol=1e-3, atol=1e-6)


def test_sparse_rows_that_are_exact_sum_duplicates_and_drop_zeros():
    X = sp.csr_matrix(([200, 100, 0, 7], [1, 1, 2, 0], [0, 3, 4]), shape=(2, 3), dtype=np.uint8)
    packed = pack_rows(X, "cosine", scale=1.0, kernel_scale=1.0)
    assert packed.unit is None
    assert packed.values.nnz == 2
    np.testing.assert_array_equal(packed.values.toarray(), [[0, 300, 0], [7, 0, 0]])
