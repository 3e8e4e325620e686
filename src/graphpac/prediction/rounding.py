"""Numbers of 16 bits: what the rows of model files were rounded to, and new rows with them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from graphpac._typing import AnyArray

FLOAT16 = np.dtype(np.float16)


def round_to_float16(X: AnyArray, unit: float) -> AnyArray:
    """Round rows as packed ones were; values beyond their range stay as they are."""
    values = X.astype(np.float64) / unit
    with np.errstate(over="ignore"):
        rounded = values.astype(FLOAT16).astype(np.float64)
    largest = float(largest_stored(FLOAT16, unit))
    kept = np.clip(rounded, -largest, largest)
    return np.where(np.isfinite(rounded), kept, values) * unit


def largest_stored(dtype: np.dtype[Any], unit: float) -> Any:
    """Return the largest value that is finite, and still so after it is multiplied by its unit."""
    limit = min(sys.float_info.max / unit, float(np.finfo(dtype).max))
    rounded = dtype.type(limit)
    return rounded if float(rounded) <= limit else np.nextafter(rounded, dtype.type(0.0))
