"""Exact distances of given pairs, and the k best of each row in an order that never varies.

Every searcher ends here, whatever it used to find candidates, so values and ties agree between
searchers. A *key* is what rows are ranked by, smaller is nearer: the cosine distance, the Euclidean
distance or the negated inner product, never -0.0. Equal keys are ranked by sample number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphpac._typing import FloatMatrix, FloatVector, IntMatrix, IntVector, OffsetVector
from graphpac.kernels._jit import comparing_kernel, kernel, summing_kernel
from graphpac.kernels.selection import code_of, merge_codes, replace_largest

COSINE = 0
EUCLIDEAN = 1
INNER_PRODUCT = 2

_STRETCH = 64  # scores passed over at once where none of them is near enough


@summing_kernel
def dot(x: FloatVector, y: FloatVector) -> Any:
    """Inner product of two rows."""
    total = np.float32(0.0)
    for feature in range(x.shape[0]):
        total += x[feature] * y[feature]
    return total


@summing_kernel
def _squared_distance(x: FloatVector, y: FloatVector) -> Any:
    total = np.float32(0.0)
    for feature in range(x.shape[0]):
        difference = x[feature] - y[feature]
        total += difference * difference
    return total


@kernel
def measure_pairs(
    rows: FloatMatrix, queries: FloatMatrix, candidates: IntMatrix, metric: int, out: FloatMatrix
) -> None:
    """Write into out[i, c] the key of query i and row candidates[i, c]; infinity for row -1."""
    for i in range(candidates.shape[0]):
        query = queries[i]
        for c in range(candidates.shape[1]):
            j = candidates[i, c]
            if j < 0:
                out[i, c] = np.inf
            elif metric == COSINE:
                out[i, c] = min(
                    max(np.float32(1.0) - dot(query, rows[j]), np.float32(0.0)), np.float32(2.0)
                )
            elif metric == EUCLIDEAN:
                out[i, c] = np.sqrt(_squared_distance(query, rows[j]))
            else:
                out[i, c] = np.float32(0.0) - dot(query, rows[j])


@kernel
def measure_sparse_pairs(
    indptr: OffsetVector,
    indices: IntVector,
    data: FloatVector,
    query_indptr: OffsetVector,
    query_indices: IntVector,
    query_data: FloatVector,
    candidates: IntMatrix,
    metric: int,
    out: FloatMatrix,
) -> None:
    """As measure_pairs, for CSR rows whose feature numbers ascend."""
    for i in range(candidates.shape[0]):
        for c in range(candidates.shape[1]):
            j = candidates[i, c]
            if j < 0:
                out[i, c] = np.inf
                continue
            a, a_end = query_indptr[i], query_indptr[i + 1]
            b, b_end = indptr[j], indptr[j + 1]
            product = np.float32(0.0)
            squares = np.float32(0.0)
            while a < a_end or b < b_end:
                x = np.float32(0.0)
                y = np.float32(0.0)
                take_a = b == b_end or (a < a_end and query_indices[a] <= indices[b])
                take_b = a == a_end or (b < b_end and indices[b] <= query_indices[a])
                if take_a:
                    x = query_data[a]
                    a += 1
                if take_b:
                    y = data[b]
                    b += 1
                product += x * y
                squares += (x - y) * (x - y)
            if metric == COSINE:
                out[i, c] = min(max(np.float32(1.0) - product, np.float32(0.0)), np.float32(2.0))
            elif metric == EUCLIDEAN:
                out[i, c] = np.sqrt(squares)
            else:
                out[i, c] = np.float32(0.0) - product


@kernel
def multiply_sparse_rows(
    query_indptr: OffsetVector,
    query_indices: IntVector,
    query_data: FloatVector,
    feature_indptr: OffsetVector,
    feature_rows: IntVector,
    feature_data: FloatVector,
    out: FloatMatrix,
) -> None:
    """Write into out[i, j] the product of CSR query i and row j of a matrix stored by feature."""
    for i in range(out.shape[0]):
        out[i] = 0.0
        for entry in range(query_indptr[i], query_indptr[i + 1]):
            feature = query_indices[entry]
            value = query_data[entry]
            for place in range(feature_indptr[feature], feature_indptr[feature + 1]):
                out[i, feature_rows[place]] += value * feature_data[place]


@kernel
def keep_nearest(
    candidates: IntMatrix,
    key_bits: IntMatrix,
    own: IntVector,
    out_indices: IntMatrix,
    out_bits: IntMatrix,
) -> None:
    """Merge the candidates of each row into its list of the nearest, ordered by (key, index).

    Keys are given by their bits. out_indices and out_bits hold the list so far, -1 and infinity
    where it is not full. A candidate that is missing (-1), is the query itself (own[i], -1 for
    none) or is in the list is skipped; it is known by its key too, which never varies for a pair.
    """
    n_best = out_bits.shape[1]
    new = np.empty(candidates.shape[1], np.int64)
    merged = np.empty(n_best, np.int64)
    for i in range(candidates.shape[0]):
        is_full = out_indices[i, n_best - 1] >= 0
        last = code_of(out_bits[i, n_best - 1], out_indices[i, n_best - 1])
        n_new = 0
        for c in range(candidates.shape[1]):
            j = candidates[i, c]
            if j < 0 or j == own[i]:
                continue
            code = code_of(key_bits[i, c], j)
            if not is_full or code < last:
                new[n_new] = code
                n_new += 1
        if n_new > 0:
            new[:n_new].sort()
            merge_codes(new[:n_new], out_bits[i], out_indices[i], merged)


@comparing_kernel
def _least(scores: FloatVector, slope: Any, terms: FloatVector, start: int, stop: int) -> Any:
    """Smallest of slope * scores + terms from start to stop."""
    least = np.float32(np.inf)
    for j in range(start, stop):
        least = min(least, slope * scores[j] + terms[j])
    return least


@kernel
def bound_nearest(
    scores: FloatMatrix,
    factor: float,
    query_terms: FloatVector,
    row_terms: FloatVector,
    own: IntVector,
    first_row: int,
    n_best: int,
    bounds: FloatVector,
) -> None:
    """Lower bounds[i] to the n_best-th smallest upper bound of the keys in row i of the scores.

    Column j of the scores is row first_row + j, and factor * scores[i, j] + query_terms[i] +
    row_terms[j] is at least the key of that pair. Rows with fewer entries keep their bound.
    """
    if n_best > scores.shape[1]:
        return
    # A Python float would draw the whole inner loop into float64.
    slope = np.float32(factor)
    heap = np.empty(n_best, np.float32)
    for i in range(scores.shape[0]):
        heap[:] = np.inf
        limit = bounds[i] - query_terms[i]
        for start in range(0, scores.shape[1], _STRETCH):
            stop = min(start + _STRETCH, scores.shape[1])
            if _least(scores[i], slope, row_terms, start, stop) >= limit:
                continue
            for j in range(start, stop):
                key = slope * scores[i, j] + row_terms[j]
                if key < limit and first_row + j != own[i]:
                    replace_largest(heap, key)
                    limit = min(limit, heap[0])
        bounds[i] = min(bounds[i], heap[0] + query_terms[i])


@kernel
def pick_candidates(
    scores: FloatMatrix,
    factor: float,
    query_terms: FloatVector,
    row_terms: FloatVector,
    own: IntVector,
    first_row: int,
    bounds: FloatVector,
    positions: OffsetVector,
    out: IntMatrix,
) -> bool:
    """Write into out[i] the rows whose key may be within bounds[i], from column positions[i] on.

    Here factor * scores[i, j] + query_terms[i] + row_terms[j] is at most the key; -1 fills up.
    positions[i] moves to where the search goes on when out[i] is full, so any number of ties passes
    through a buffer of fixed width. Returns True when every row has come to its end.
    """
    slope = np.float32(factor)
    width = out.shape[1]
    finished = True
    for i in range(scores.shape[0]):
        limit = bounds[i] - query_terms[i]
        found = 0
        j = positions[i]
        while j < scores.shape[1] and found < width:
            stop = min(j + _STRETCH, scores.shape[1])
            if _least(scores[i], slope, row_terms, j, stop) > limit:
                j = stop
                continue
            while j < stop and found < width:
                if slope * scores[i, j] + row_terms[j] <= limit and first_row + j != own[i]:
                    out[i, found] = first_row + j
                    found += 1
                j += 1
        positions[i] = j
        finished = finished and j == scores.shape[1]
        out[i, found:] = -1
    return finished


@comparing_kernel
def _largest_excess(
    scores: FloatVector,
    slope: Any,
    term: float,
    limit: float,
    terms: FloatVector,
    limits: FloatVector,
    start: int,
    stop: int,
) -> Any:
    """By how much pairs are nearer than either of both demands; negative if none is near enough."""
    largest = np.float32(-np.inf)
    for j in range(start, stop):
        excess = max(limit - terms[j], limits[j] - term) - slope * scores[j]
        largest = max(largest, excess)
    return largest


@kernel
def pick_mutual_candidates(
    scores: FloatMatrix,
    factor: float,
    row_terms: FloatVector,
    column_terms: FloatVector,
    row_bounds: FloatVector,
    column_bounds: FloatVector,
    row_counts: OffsetVector,
    column_counts: OffsetVector,
    row_candidates: IntMatrix,
    column_candidates: IntMatrix,
) -> None:
    """Pick columns whose key may be within the bound of a row, and rows for columns, in one pass.

    factor * scores[i, j] + row_terms[i] + column_terms[j] is at most the key of the pair. The
    first candidates of each are written, -1 fills up; all are counted.
    """
    slope = np.float32(factor)
    width = row_candidates.shape[1]
    row_candidates[:] = -1
    column_candidates[:] = -1
    row_counts[:] = 0
    column_counts[:] = 0
    limits = column_bounds - column_terms
    for i in range(scores.shape[0]):
        term = row_terms[i]
        limit = row_bounds[i] - term
        for start in range(0, scores.shape[1], _STRETCH):
            stop = min(start + _STRETCH, scores.shape[1])
            part = (start, stop)
            if _largest_excess(scores[i], slope, term, limit, column_terms, limits, *part) < 0.0:
                continue
            for j in range(start, stop):
                key = slope * scores[i, j]
                if limit - column_terms[j] >= key:
                    if row_counts[i] < width:
                        row_candidates[i, row_counts[i]] = j
                    row_counts[i] += 1
                if limits[j] - term >= key:
                    if column_counts[j] < width:
                        column_candidates[j, column_counts[j]] = i
                    column_counts[j] += 1
