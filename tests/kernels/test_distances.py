"""The distance kernels against their slow reference."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph.searchers.base import METRIC_CODES, csr_arrays
from graphpac.kernels.distances import (
    bound_nearest,
    keep_nearest,
    measure_pairs,
    measure_sparse_pairs,
    multiply_sparse_rows,
    pick_candidates,
    pick_mutual_candidates,
)
from tests.reference import distances as reference
from tests.strategies import METRICS, sample_matrices


def numbers_below(n_rows, shape, seed):
    return np.random.default_rng(seed).integers(-1, n_rows, shape).astype(np.int32)


@given(rows=sample_matrices(), metric=st.sampled_from(METRICS), seed=st.integers(0, 99))
def test_measured_pairs_match_the_reference(rows, metric, seed):
    candidates = numbers_below(len(rows), (len(rows), 5), seed)
    out = np.empty(candidates.shape, dtype=np.float32)

    measure_pairs(rows, rows, candidates, METRIC_CODES[metric], out)

    assert_allclose(out, reference.measure_pairs(rows, rows, candidates, metric), rtol=1e-5)


@given(rows=sample_matrices(), metric=st.sampled_from(METRICS), seed=st.integers(0, 99))
def test_sparse_pairs_match_the_reference(rows, metric, seed):
    candidates = numbers_below(len(rows), (len(rows), 5), seed)
    out = np.empty(candidates.shape, dtype=np.float32)
    arrays = csr_arrays(sp.csr_matrix(rows))

    measure_sparse_pairs(*arrays, *arrays, candidates, METRIC_CODES[metric], out)

    assert_allclose(out, reference.measure_pairs(rows, rows, candidates, metric), rtol=1e-5)


@given(rows=sample_matrices())
def test_sparse_products_are_a_matrix_product(rows):
    out = np.full((len(rows), len(rows)), np.nan, dtype=np.float32)
    queries, by_feature = csr_arrays(sp.csr_matrix(rows)), csr_arrays(sp.csr_matrix(rows.T))

    multiply_sparse_rows(*queries, *by_feature, out)

    assert_allclose(out, rows @ rows.T, rtol=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_long_rows_match_the_reference(metric, seed):
    rows = np.random.default_rng(seed).normal(size=(40, 785)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    candidates = numbers_below(40, (40, 9), seed)
    out = np.empty(candidates.shape, dtype=np.float32)

    measure_pairs(rows, rows, candidates, METRIC_CODES[metric], out)

    expected = reference.measure_pairs(rows, rows, candidates, metric)
    assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


@given(
    seed=st.integers(0, 10_000),
    n_candidates=st.integers(1, 12),
    n_best=st.integers(1, 6),
    cut=st.integers(0, 12),
)
def test_the_kept_are_the_best_by_key_then_index_in_any_portions(seed, n_candidates, n_best, cut):
    rng = np.random.default_rng(seed)
    key_of_pair = rng.integers(0, 4, (5, 9)).astype(np.float32)  # few values, so many ties
    candidates = rng.integers(-1, 9, (5, n_candidates)).astype(np.int32)
    keys = np.where(candidates < 0, np.inf, key_of_pair[np.arange(5)[:, None], candidates])
    keys = keys.astype(np.float32)
    own = rng.integers(-1, 9, 5).astype(np.int32)
    indices = np.full((5, n_best), -1, dtype=np.int32)
    kept = np.full((5, n_best), np.inf, dtype=np.float32)

    for part in (slice(0, cut), slice(cut, None)):
        listed = np.ascontiguousarray(candidates[:, part])
        bits = np.ascontiguousarray(keys[:, part]).view(np.int32)
        keep_nearest(listed, bits, own, indices, kept.view(np.int32))

    expected_indices, expected_keys = reference.keep_nearest(candidates, keys, own, n_best)
    assert_array_equal(indices, expected_indices)
    assert_array_equal(kept, expected_keys)


@given(seed=st.integers(0, 10_000), n_best=st.integers(1, 5), width=st.integers(1, 4))
def test_everything_within_the_bound_is_picked_through_a_narrow_buffer(seed, n_best, width):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 5, (4, 15)).astype(np.float32)
    query_terms = rng.integers(0, 3, 4).astype(np.float32)
    row_terms = rng.integers(0, 3, 15).astype(np.float32)
    own = np.array([-1, 100, 103, 114], dtype=np.int32)
    bounds = np.full(4, np.inf, dtype=np.float32)

    terms = (scores, -2.0, query_terms, row_terms, own, 100)
    bound_nearest(*terms, n_best, bounds)
    picked = [[] for _ in range(4)]
    positions = np.zeros(4, dtype=np.int64)
    out = np.empty((4, width), dtype=np.int32)
    finished = False
    while not finished:
        finished = pick_candidates(*terms, bounds, positions, out)
        for i in range(4):
            picked[i] += [j for j in out[i].tolist() if j >= 0]

    keys = -2.0 * scores + query_terms[:, None] + row_terms
    for i in range(4):
        others = [j for j in range(15) if 100 + j != own[i]]
        bound = np.sort(keys[i, others])[n_best - 1]
        assert bounds[i] == bound
        assert picked[i] == [100 + j for j in others if keys[i, j] <= bound]


def test_too_few_scores_leave_the_bound_open():
    bounds = np.full(1, np.inf, dtype=np.float32)
    zeros = np.zeros(2, dtype=np.float32)
    own = np.array([0], dtype=np.int32)

    bound_nearest(np.zeros((1, 2), dtype=np.float32), -1.0, zeros[:1], zeros, own, 0, 2, bounds)

    assert bounds[0] == np.inf


@given(seed=st.integers(0, 10_000), n_columns=st.integers(1, 150), width=st.integers(1, 9))
def test_rows_and_columns_get_each_other_in_one_pass(seed, n_columns, width):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 30, (4, n_columns)).astype(np.float32)
    terms = [rng.integers(0, 3, size).astype(np.float32) for size in scores.shape]
    bounds = [rng.integers(-60, -40, size).astype(np.float32) for size in scores.shape]
    bounds[0][0] = np.inf
    counts = [np.empty(size, dtype=np.int64) for size in scores.shape]
    picked = [np.empty((size, width), dtype=np.int32) for size in scores.shape]

    pick_mutual_candidates(scores, -2.0, *terms, *bounds, *counts, *picked)

    keys = -2.0 * scores + terms[0][:, np.newaxis] + terms[1]
    expected = (
        reference.pick_within(keys, bounds[0], width),
        reference.pick_within(keys.T, bounds[1], width),
    )
    for side in (0, 1):
        assert_array_equal(counts[side], expected[side][0])
        assert_array_equal(picked[side], expected[side][1])
