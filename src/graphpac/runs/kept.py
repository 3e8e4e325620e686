"""Columns of the input that are carried into the table of labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from io import BytesIO
from typing import Any

from graphpac._wording import short_name, short_text
from graphpac.exceptions import ParameterError

SUFFIX = "_input"
"""What a kept column gets behind its name where the table has a column of that name itself."""


def carried_columns(
    kept: Mapping[str, Any], own: Collection[str], *, to_csv: bool = False
) -> dict[str, Any]:
    """Turn what a reader kept into columns for a table that has some of its ``own``.

    They are arrays of pyarrow by the names they will have. ParameterError tells of one that cannot
    be written, as CSV cannot hold everything, and of two that would have the same name.
    """
    columns: dict[str, Any] = {}
    for name, values in kept.items():
        new = f"{name}{SUFFIX}" if name in own else name
        if new in columns or (new != name and new in kept):
            msg = (
                f"keep_columns has {short_name(name)}, which the table has itself, and also "
                f"{short_name(new)}, as it would be called: keep one of them."
            )
            raise ParameterError(msg)
        columns[new] = _as_column(name, values, to_csv=to_csv)
    return columns


def _as_column(name: str, values: Any, *, to_csv: bool) -> Any:
    import pyarrow as pa
    from pyarrow.csv import write_csv

    try:
        column = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    except (pa.ArrowException, ValueError, TypeError) as error:
        msg = (
            f"keep_columns: the column {short_name(name)} holds values of different or unknown "
            "types: leave it out, or convert it."
        )
        raise ParameterError(msg) from error
    if to_csv:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        try:
            write_csv(pa.table({"": column.slice(0, 1)}), BytesIO())
        except pa.ArrowException as error:
            msg = (
                f"keep_columns: the column {short_name(name)} has the type "
                f"{short_text(str(column.type))}, which CSV cannot hold: write a .parquet file, or "
                "leave it out."
            )
            raise ParameterError(msg) from error
    return column
