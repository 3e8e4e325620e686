"""Conjugate gradients for many right-hand sides of one sparse system at once.

NumPy passes over a block ten times in each step, in inner loops no longer than the number of
columns, which takes more than twice the time.
"""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix, FloatVector, IntVector
from graphpac.kernels._jit import kernel


@kernel
def solve_columns(
    indptr: IntVector,
    indices: IntVector,
    data: FloatVector,
    inverse_diagonal: FloatVector,
    right: FloatMatrix,
    solution: FloatMatrix,
    tolerance: float,
    max_steps: int,
) -> int:
    """Improve solutions of (system @ solution = right) in place, each column on its own.

    Every step lowers x . (system @ x) / 2 - x . right of every column x that is not solved yet, so
    that an early end does no harm.

    Parameters
    ----------
    indptr, indices, data : arrays of a CSR matrix
        The system, symmetric and positive definite.
    inverse_diagonal : float32 array of shape (n_rows,)
        One over the diagonal of the system: the preconditioner.
    right, solution : float32 array of shape (n_rows, n_columns)
        The right-hand sides, and the solutions to begin with.
    tolerance : float
        The steps end when no column has a residual longer than this,
    max_steps : int
        or after so many.

    Returns
    -------
    n_steps : int
        Number of steps made.
    """
    n_columns = right.shape[1]
    # The first round makes the residual of the solutions given: a whole step in no direction.
    residual = right.copy()
    direction = np.zeros_like(right)
    image = np.empty_like(right)
    _multiply(indptr, indices, data, solution, image)
    length = np.ones(n_columns, dtype=np.float32)
    slope = np.zeros(n_columns)
    for n_steps in range(max_steps + 1):
        before = slope
        slope, squares = _advance(solution, residual, direction, image, length, inverse_diagonal)
        if n_steps == max_steps or squares.max() <= tolerance * tolerance:
            return n_steps
        _turn(direction, _ratios(slope, before), residual, inverse_diagonal)
        length = _ratios(slope, _multiply(indptr, indices, data, direction, image))
    return max_steps


@kernel
def _multiply(
    indptr: IntVector, indices: IntVector, data: FloatVector, block: FloatMatrix, out: FloatMatrix
) -> AnyArray:
    """Write system @ block into out, and return the product of each column with its image."""
    products = np.zeros(block.shape[1])
    for i in range(out.shape[0]):
        row = out[i]
        row[:] = np.float32(0.0)
        for entry in range(indptr[i], indptr[i + 1]):
            factor = data[entry]
            other = block[indices[entry]]
            for c in range(row.size):
                row[c] += factor * other[c]
        own = block[i]
        for c in range(row.size):
            products[c] += own[c] * row[c]
    return products


@kernel
def _advance(
    solution: FloatMatrix,
    residual: FloatMatrix,
    direction: FloatMatrix,
    image: FloatMatrix,
    length: FloatVector,
    inverse_diagonal: FloatVector,
) -> tuple[AnyArray, AnyArray]:
    """Go along the direction, and sum r^2 / diagonal and r^2 over each column of residuals r."""
    slope = np.zeros(length.size)
    squares = np.zeros(length.size)
    for i in range(solution.shape[0]):
        for c in range(length.size):
            solution[i, c] += length[c] * direction[i, c]
            residual[i, c] -= length[c] * image[i, c]
            square = residual[i, c] * residual[i, c]
            squares[c] += square
            slope[c] += inverse_diagonal[i] * square
    return slope, squares


@kernel
def _turn(
    direction: FloatMatrix,
    share: FloatVector,
    residual: FloatMatrix,
    inverse_diagonal: FloatVector,
) -> None:
    """Make the preconditioned residual the new direction, plus a share of the one before."""
    for i in range(direction.shape[0]):
        row = direction[i]
        slope = residual[i]
        for c in range(row.size):
            row[c] = inverse_diagonal[i] * slope[c] + share[c] * row[c]


@kernel
def _ratios(numerators: AnyArray, denominators: AnyArray) -> FloatVector:
    """Divide; by zero gives zero, so that a column that is solved exactly stays as it is."""
    out = np.zeros(numerators.size, dtype=np.float32)
    for c in range(out.size):
        if denominators[c] > 0.0:
            out[c] = numerators[c] / denominators[c]
    return out
