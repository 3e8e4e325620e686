"""Projection on the simplex, again by trying every set of entries that may be positive."""

from itertools import combinations

import numpy as np


def project(row):
    """The nearest of the best rows on every face of the simplex that are on the simplex."""
    candidates = []
    for size in range(1, row.size + 1):
        for kept in map(list, combinations(range(row.size), size)):
            best = np.zeros(row.size)
            best[kept] = row[kept] + (1.0 - row[kept].sum()) / size
            if best.min() >= 0.0:
                candidates.append(best)
    return min(candidates, key=lambda candidate: np.sum((candidate - row) ** 2))
