"""The distance kernels again, in slow and obvious numpy."""

import numpy as np


def exact_key(x, y, metric):
    """Rank value of a pair in float64, smaller is nearer."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if metric == "cosine":
        return float(np.clip(1.0 - x @ y, 0.0, 2.0))
    if metric == "euclidean":
        return float(np.sqrt(np.sum((x - y) ** 2)))
    return float(-(x @ y))


def measure_pairs(rows, queries, candidates, metric):
    """Keys of the given pairs, infinity where the candidate is -1."""
    return np.array(
        [
            [np.inf if j < 0 else exact_key(query, rows[j], metric) for j in listed]
            for query, listed in zip(queries, candidates, strict=True)
        ]
    ).reshape(candidates.shape)


def keep_nearest(candidates, keys, own, n_best):
    """Best candidates of each row by (key, index), without repeats and the row itself."""
    indices = np.full((len(candidates), n_best), -1, dtype=np.int32)
    kept = np.full((len(candidates), n_best), np.inf, dtype=np.float32)
    for i, (listed, measured) in enumerate(zip(candidates, keys, strict=True)):
        pairs = {
            (key, j) for key, j in zip(measured, listed, strict=True) if j >= 0 and j != own[i]
        }
        for place, (key, j) in enumerate(sorted(pairs)[:n_best]):
            kept[i, place], indices[i, place] = key, j
    return indices, kept


def pick_within(keys, bounds, width):
    """Numbers of the keys within the bound of their row, as many as there is room for; and all."""
    counts = (keys <= bounds[:, np.newaxis]).sum(axis=1)
    picked = np.full((len(keys), width), -1, dtype=np.int32)
    for i, row in enumerate(keys):
        within = np.flatnonzero(row <= bounds[i])[:width]
        picked[i, : within.size] = within
    return counts, picked
