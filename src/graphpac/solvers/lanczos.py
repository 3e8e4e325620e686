"""The largest eigenvalue of a matrix that is known by its products only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh_tridiagonal

from graphpac._typing import AnyArray

TOLERANCE = 1e-4
_MOST_STEPS = 500
_STEPS_BETWEEN_CHECKS = 5


def largest_eigenvalue(product: Callable[[AnyArray], AnyArray], start: AnyArray) -> float:
    """Largest eigenvalue of a symmetric, positive semidefinite matrix, by Lanczos steps.

    The same bits for the same start, which is why ARPACK is not asked: it draws vectors of its own
    when a subspace is exhausted, as happens on small and on very regular graphs. Vectors need not
    be kept orthogonal for the outermost eigenvalue: what rounding brings back are copies of it.

    Parameters
    ----------
    product : callable
        Multiplies the matrix with a vector.
    start : float64 array of shape (n,)
        A vector with a part in every direction, such as a random one.

    Returns
    -------
    eigenvalue : float
        The residual of its eigenvector is at most ``TOLERANCE`` times as long as the eigenvalue is
        large; the relative error is smaller, about the square of that.
    """
    diagonal: list[float] = []
    off_diagonal: list[float] = []
    largest = 0.0
    before = np.zeros_like(start)
    vector = start / np.linalg.norm(start)
    for step in range(1, _MOST_STEPS + 1):
        image = product(vector)
        diagonal.append(float(vector @ image))
        image = image - diagonal[-1] * vector
        if off_diagonal:
            image -= off_diagonal[-1] * before
        length = float(np.linalg.norm(image))
        exhausted = length <= np.finfo(np.float64).eps * max(diagonal)
        if exhausted or step % _STEPS_BETWEEN_CHECKS == 0:
            largest, last_entry = _largest_of_tridiagonal(diagonal, off_diagonal)
            if exhausted or length * abs(last_entry) <= TOLERANCE * largest:
                break
        off_diagonal.append(length)
        before, vector = vector, image / length
    return largest


def _largest_of_tridiagonal(
    diagonal: list[float], off_diagonal: list[float]
) -> tuple[float, float]:
    """Return the largest eigenvalue and the last entry of its eigenvector of length one."""
    if not off_diagonal:  # SciPy 1.12 refuses a matrix of one row
        return diagonal[0], 1.0
    last = len(off_diagonal)
    values, vectors = eigh_tridiagonal(
        diagonal, off_diagonal, select="i", select_range=(last, last)
    )
    return float(values[0]), float(vectors[-1, 0])
