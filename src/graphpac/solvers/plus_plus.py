"""Seeds of k-means++: rows far from each other, the best of a few tried each time."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import FloatMatrix, FloatVector
from graphpac.kernels.seeding import distances_with_seeds

MOST_FEATURES = 32  # rows of more, or sparse ones, are left to scikit-learn, which copies no row


def plus_plus(rows: Any, n_seeds: int, random_state: int) -> FloatMatrix:
    """Draw seeds among rows; the same as those of scikit-learn's `kmeans_plusplus`."""
    if sp.issparse(rows) or rows.shape[1] > MOST_FEATURES or rows.dtype != np.float32:
        from sklearn.cluster import kmeans_plusplus

        seeds, _ = kmeans_plusplus(rows, n_seeds, random_state=random_state)
        return np.asarray(seeds.toarray() if sp.issparse(seeds) else seeds)
    return _of_narrow_rows(rows, n_seeds, np.random.RandomState(random_state))


def _of_narrow_rows(
    rows: FloatMatrix, n_seeds: int, random_state: np.random.RandomState
) -> FloatMatrix:
    """Draw as scikit-learn does, with what it converts anew for every seed converted once."""
    n_rows, n_tried = rows.shape[0], 2 + int(np.log(n_seeds))
    precise = rows.astype(np.float64)
    squares = np.einsum("ij,ij->i", precise, precise)
    ones = np.ones(n_rows, dtype=np.float32)

    def with_seeds(tried: Any, closest: FloatVector) -> FloatMatrix:
        distances: FloatMatrix = np.empty((len(tried), n_rows), dtype=np.float32)
        products = precise[tried] @ precise.T
        distances_with_seeds(products, squares[tried], squares, closest, distances)
        return distances

    chosen = [int(random_state.choice(n_rows, p=ones / ones.sum()))]
    farthest: FloatVector = np.full(n_rows, np.inf, dtype=np.float32)
    closest = with_seeds(chosen, farthest)[0]
    potential = closest[None] @ ones
    for _ in range(1, n_seeds):
        drawn = random_state.uniform(size=n_tried) * potential
        tried = np.minimum(np.searchsorted(np.cumsum(closest), drawn), n_rows - 1)
        distances = with_seeds(tried, closest)
        potentials = distances @ ones[:, None]
        best = int(np.argmin(potentials))
        potential, closest = potentials[best], distances[best]
        chosen.append(int(tried[best]))
    return rows[chosen]
