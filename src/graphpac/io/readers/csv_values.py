"""Columns of texts turned into numbers, vectors or whatever they are, a whole batch at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np

from graphpac._typing import AnyArray, FloatMatrix
from graphpac._wording import short_name
from graphpac.exceptions import FileFormatError
from graphpac.io.readers.csv_cells import (
    BRACKETS,
    MISSING,
    NUMPY_SCALAR,
    is_missing,
    is_number,
    is_vector,
)
from graphpac.io.readers.faults import check_finite, refuse_value

_IN_BRACKETS = r"(?s)^\s*[\[{].*[\]}]\s*$"
_NUMBER_LEFT_OUT = r"[\[{,]\s*[,\]}]"
_NO_PLAIN_NUMBER = r"^[+-]?(0[0-9]|[0-9]{16,}$)"  # zeros in front, or more digits than float64 has


def parse_numbers(
    columns: list[Any], float_type: Any, name: str, place: Callable[[int, int], str]
) -> FloatMatrix:
    """Turn columns of texts of a batch into a matrix; refuse the first cell that is no number.

    ``name`` is the file, ``place`` names a row and column of the batch.
    """
    block: FloatMatrix = np.empty((len(columns[0]), len(columns)), dtype=float_type)

    def parse(some: Any) -> AnyArray | None:
        return _numbers(some, float_type)

    for j, cells in enumerate(columns):
        numbers = parse(cells)
        if numbers is None:
            row, cell = _first_wrong(cells, parse)
            value = (
                "a missing value" if is_missing(cell) else f"{short_name(cell)} instead of a number"
            )
            refuse_value(name, place(row, j), value)
        block[:, j] = numbers
    check_finite(block, name, place)
    return block


def parse_vectors(
    cells: Any, n_columns: int | None, float_type: Any, name: str, place: Callable[[int], str]
) -> FloatMatrix:
    """Turn the vectors of a batch into a matrix; refuse the first cell that is none of that length.

    Without ``n_columns`` the first cell decides. ``name`` is the file, ``place`` names a row.
    """
    if n_columns is None:
        n_columns = len(parts_of(cells[0].as_py()))

    def parse(some: Any) -> AnyArray | None:
        return _vectors(some, n_columns, float_type)

    block = parse(cells)
    if block is None:
        row, cell = _first_wrong(cells, parse)
        _refuse_vector(cell, n_columns, name, place(row))
    check_finite(block, name, lambda row, j: f"{place(row)}, number {j + 1} of the vector")
    return block


def kept_values(batches: list[Any]) -> Any:
    """Join the texts of a column: as integers or decimals if all are written so, else as they are.

    Numbers that are missing become null. Texts stay texts where a number would lose digits or
    zeros, as in 007.
    """
    import pyarrow as pa
    from pyarrow import compute

    texts = pa.chunked_array(batches, pa.string())
    cells = compute.utf8_trim_whitespace(texts)
    missing = compute.is_in(compute.utf8_lower(cells), value_set=pa.array(MISSING))
    cells = compute.if_else(missing, None, cells)
    loses = compute.any(compute.match_substring_regex(cells, _NO_PLAIN_NUMBER)).as_py()
    if loses is False:  # None if there is nothing at all
        for kind in (pa.int64(), pa.float64()):
            with suppress(pa.ArrowInvalid):
                return cells.cast(kind)
    return texts


def _numbers(cells: Any, float_type: Any) -> AnyArray | None:
    """Turn texts into numbers; None if one of them is no number."""
    import pyarrow as pa
    from pyarrow import compute

    with suppress(pa.ArrowInvalid):
        return _cast(cells, float_type)
    with suppress(pa.ArrowInvalid):
        return _cast(compute.utf8_trim_whitespace(cells), float_type)
    return None


def _vectors(cells: Any, n_columns: int, float_type: Any) -> AnyArray | None:
    """Turn texts into rows of so many numbers; None if one of them is something else."""
    import pyarrow as pa
    from pyarrow import compute

    if compute.any(compute.match_substring(cells, "np.float")).as_py():
        cells = compute.replace_substring_regex(cells, NUMPY_SCALAR, r"\1")
    # Two commas with nothing between would otherwise count as one.
    if compute.any(compute.match_substring_regex(cells, _NUMBER_LEFT_OUT)).as_py():
        return None
    if not compute.all(compute.match_substring_regex(cells, _IN_BRACKETS)).as_py():
        return None
    inside = compute.replace_substring(compute.utf8_trim(cells, BRACKETS), ",", " ")
    vectors = compute.ascii_split_whitespace(inside)
    if not compute.all(compute.equal(vectors.value_lengths(), n_columns)).as_py():
        return None
    with suppress(pa.ArrowInvalid):
        return _cast(vectors.flatten(), float_type).reshape(-1, n_columns)
    return None


def _cast(cells: Any, float_type: Any) -> AnyArray:
    import pyarrow as pa

    numbers = cells.cast(pa.from_numpy_dtype(float_type))
    converted: AnyArray = np.from_dlpack(numbers)  # to_numpy would import pandas
    return converted


def _first_wrong(cells: Any, parse: Callable[[Any], AnyArray | None]) -> tuple[int, str]:
    return next(
        (row, cell)
        for row, cell in enumerate(cells.to_pylist())
        if parse(cells.slice(row, 1)) is None
    )


def parts_of(cell: str) -> list[str]:
    """Take a vector apart."""
    inside = re.sub(NUMPY_SCALAR, r"\1", cell).strip(BRACKETS)
    return inside.split(",") if "," in inside else inside.split()


def _refuse_vector(cell: str, n_columns: int, name: str, place: str) -> NoReturn:
    """Say what is wrong with a cell that is no vector of that length."""
    if is_missing(cell):
        refuse_value(name, place, "a missing value")
    if not is_vector(cell):
        refuse_value(name, place, f"{short_name(cell)} instead of a vector such as [0.1, 0.2]")
    if "..." in cell:
        msg = (
            f"{name} has a vector in {place} of which NumPy left out the middle (...): write all "
            "its numbers, better into an .npy or .parquet file."
        )
        raise FileFormatError(msg)
    parts = parts_of(cell)
    for number, part in enumerate(parts, start=1):
        if not is_number(part):
            value = "a missing value" if is_missing(part) else short_name(part.strip())
            refuse_value(name, f"{place}, number {number} of the vector", value)
    msg = (
        f"{name} has {len(parts)} numbers in {place}, but {n_columns} in the first row: make all "
        "vectors equally long, or choose other columns."
    )
    raise FileFormatError(msg)
