"""Copies of single rows, without the copy in between that numpy makes."""

from __future__ import annotations

from graphpac._typing import AnyArray, IntVector
from graphpac.kernels._jit import kernel


@kernel
def copy_rows(source: AnyArray, samples: IntVector, target: AnyArray) -> None:
    """Copy the rows of some samples from one matrix to another."""
    for x in range(samples.size):
        i = samples[x]
        for k in range(source.shape[1]):
            target[i, k] = source[i, k]
