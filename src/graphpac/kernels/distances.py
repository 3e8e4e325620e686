"""Exact distances of given pairs, and the k best of each row in an order that never varies.

Every searcher ends here, whatever it used to find candidates, so values and ties agree between
searchers. A *key* is what rows are ranked by, smaller is nearer: the cosine distance, the Euclidean
distance or the negated inner product. Equal keys are ranked by sample number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphpac._typing import FloatMatrix, FloatVector, IntMatrix, IntVector, OffsetVector
from graphpac.kernels._jit import kernel, summing_kernel

COSINE = 0
EUCLIDEAN = 1
INNER_PRODUCT = 2


@summing_kernel
def _dot(x: FloatVector, y: FloatVector) -> Any:
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
                    max(np.float32(1.0) - _dot(query, rows[j]), np.float32(0.0)), np.float32(2.0)
                )
            elif metric == EUCLIDEAN:
                out[i, c] = np.sqrt(_squared_distance(query, rows[j]))
            else:
                out[i, c] = -_dot(query, rows[j])


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
                out[i, c] = -product


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
    keys: FloatMatrix,
    own: IntVector,
    out_indices: IntMatrix,
    out_keys: FloatMatrix,
) -> None:
    """Merge the candidates of each row into its list of the nearest, ordered by (key, index).

    out_indices and out_keys hold the list so far, -1 and infinity where it is not full. A candidate
    that is missing (-1), is the query itself (own[i], -1 for none) or is in the list is skipped.
    """
    n_best = out_keys.shape[1]
    for i in range(candidates.shape[0]):
        for c in range(candidates.shape[1]):
            j = candidates[i, c]
            key = keys[i, c]
            if j < 0 or j == own[i]:
                continue
            place = n_best
            while place > 0:
                ahead = out_indices[i, place - 1]
                if ahead >= 0 and (
                    out_keys[i, place - 1] < key or (out_keys[i, place - 1] == key and ahead <= j)
                ):
                    break
                place -= 1
            # The key of a pair never varies, so a candidate seen twice lands beside itself.
            if place == n_best or (place > 0 and out_indices[i, place - 1] == j):
                continue
            for later in range(n_best - 1, place, -1):
                out_keys[i, later] = out_keys[i, later - 1]
                out_indices[i, later] = out_indices[i, later - 1]
            out_keys[i, place] = key
            out_indices[i, place] = j


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
    # A Python float would draw the whole inner loop into float64.
    slope = np.float32(factor)
    best = np.empty(n_best, np.float32)
    for i in range(scores.shape[0]):
        best[:] = np.inf
        limit = bounds[i] - query_terms[i]
        for j in range(scores.shape[1]):
            key = slope * scores[i, j] + row_terms[j]
            if key < limit and first_row + j != own[i]:
                place = n_best - 1
                while place > 0 and best[place - 1] > key:
                    best[place] = best[place - 1]
                    place -= 1
                best[place] = key
                limit = min(limit, best[n_best - 1])
        bounds[i] = min(bounds[i], best[n_best - 1] + query_terms[i])


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
            if slope * scores[i, j] + row_terms[j] <= limit and first_row + j != own[i]:
                out[i, found] = first_row + j
                found += 1
            j += 1
        positions[i] = j
        finished = finished and j == scores.shape[1]
        out[i, found:] = -1
    return finished
