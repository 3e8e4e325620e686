"""Inner products as distances: one more coordinate makes the largest product the shortest distance.

With M the greatest length, (x, sqrt(M^2 - |x|^2)) has length M for every indexed row x. A query
(q, 0) is then at the squared distance |q|^2 + M^2 - 2 <q, x>, which falls as the product rises.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, FloatVector
from graphpac.graph.rows import Rows


def lift_heights(squared_lengths: AnyArray) -> FloatVector:
    """Return the additional coordinate of each indexed row."""
    heights: FloatVector = np.sqrt(squared_lengths.max(initial=0.0) - squared_lengths).astype(
        np.float32
    )
    return heights


def lift(rows: Rows, heights: FloatVector | None = None) -> Any:
    """Append the heights, or zeros for queries, as a last column."""
    if heights is None:
        heights = np.zeros(rows.shape[0], dtype=np.float32)
    column = heights[:, np.newaxis]
    if sp.issparse(rows):
        return sp.csr_matrix(sp.hstack((rows, sp.csr_matrix(column)), format="csr"))
    return np.hstack((rows, column))
