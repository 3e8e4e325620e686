"""The best representatives for edges of given strengths: one sparse system for all features."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from graphpac._threads import Workers
from graphpac._typing import AnyArray, FloatMatrix, FloatVector, IntVector
from graphpac.kernels.conjugate_gradients import solve_columns
from graphpac.solvers.rcc_edges import Edges
from graphpac.solvers.row_blocks import exact_block, map_blocks, sum_blocks

# Residuals, as a share of the typical spread of a feature. The method's authors stop at this share
# of a whole feature, its mean included. A tenth of it takes twice the time, and changed the NMI on
# Digits, Pendigits and USPS by .001 at most with edges by cosine.
TOLERANCE = 1e-2
MOST_STEPS = 100
_FEATURE_ENTRIES = 1 << 15  # for blocks of 32 features: fewer, and more of many rows, are slower


@dataclass(frozen=True)
class RepresentativeSolver:
    """Solves (I + lam A) U = X for one set of rows and many Laplacians A.

    Features are solved without their means: A maps constants to zero, so the means stay, and what
    is large and the same in all rows would only cost digits.
    """

    rows: FloatMatrix
    center: FloatVector
    tolerance: float
    order: IntVector  # connected samples close to each other, which halves the time of a product
    workers: Workers

    @classmethod
    def of(cls, rows: FloatMatrix, edges: Edges, workers: Workers) -> Self:
        """Measure the features, and find an order of the samples."""
        n_samples, n_features = rows.shape

        def add(function: Callable[[AnyArray], AnyArray]) -> AnyArray:
            def add_block(block: slice) -> AnyArray:
                return np.asarray(function(exact_block(rows, block)).sum(axis=0))

            return sum_blocks(add_block, n_samples, n_features, workers)

        center = add(lambda block: block) / n_samples
        squares = float(add(lambda block: np.square(block - center)).mean())
        tolerance = TOLERANCE * math.sqrt(squares)
        return cls(rows, center.astype(np.float32), tolerance, edges.order(), workers)

    def update(self, representatives: FloatMatrix, laplacian: sp.csr_array, lam: float) -> None:
        """Replace representatives by better ones, from which the search starts."""
        n_samples, n_features = self.rows.shape
        identity = sp.eye_array(n_samples, format="csr")
        system = (identity + lam * laplacian)[self.order][:, self.order].astype(np.float32)
        inverse_diagonal = 1.0 / system.diagonal()

        def solve_block(features: slice) -> None:
            center = self.center[features]
            solution = representatives[self.order, features] - center
            solve_columns(
                system.indptr,
                system.indices,
                system.data,
                inverse_diagonal,
                self.rows[self.order, features] - center,
                solution,
                self.tolerance,
                MOST_STEPS,
            )
            representatives[self.order, features] = solution + center

        map_blocks(solve_block, n_features, _FEATURE_ENTRIES, self.workers)
