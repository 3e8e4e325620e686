"""Which columns of a Parquet file hold the vectors, and of what type they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphpac._wording import listing, short_name, short_text
from graphpac.exceptions import FileFormatError, NotInFileError
from graphpac.io.readers.columns import (
    check_names,
    chosen_columns,
    refuse_no_numbers,
    tell_left_out,
    warn_of_no_features,
)
from graphpac.io.readers.table import TableRequest

_SMALL_DTYPES = {np.dtype(code) for code in ("f2", "i1", "u1", "i2", "u2")}


@dataclass(frozen=True)
class Vectors:
    """Where the vectors are: the columns by name, and their types."""

    names: list[str]
    types: list[Any]
    is_list: bool
    float_type: Any

    @property
    def dtype(self) -> np.dtype[Any]:
        """What they are read as: small numbers as they are, everything else as decimals."""
        kinds = [_item_type(kind) for kind in self.types] if self.is_list else self.types
        found = {_numpy_dtype(kind) for kind in kinds}
        small = [dtype for dtype in _SMALL_DTYPES if found == {dtype}]
        return small[0] if small else np.dtype(self.float_type)


def choose_vectors(schema: Any, request: TableRequest) -> Vectors:
    """Find the columns that are asked for, else the only lists, else all numbers."""
    names = schema.names
    if request.columns is not None:
        chosen = chosen_columns(request, names)
    else:
        chosen = _default_columns(schema, request)
        warn_of_no_features(request, chosen)
    check_names(request, chosen, names)
    tell_left_out(request, chosen, names)
    types = [schema.field(name).type for name in chosen]
    if len(chosen) == 1 and _item_type(types[0]) is not None:
        return Vectors(chosen, types, is_list=True, float_type=request.float_type)
    wrong = {name: kind for name, kind in zip(chosen, types, strict=True) if not _is_number(kind)}
    lists = [name for name, kind in wrong.items() if _item_type(kind) is not None]
    if lists:
        msg = (
            f"{request.name} has lists in {listing(lists)}, which cannot be joined with other "
            "columns: choose one column of lists, or columns of numbers."
        )
        raise NotInFileError(msg)
    if wrong:
        refuse_no_numbers(request, list(wrong))
    return Vectors(chosen, types, is_list=False, float_type=request.float_type)


def _default_columns(schema: Any, request: TableRequest) -> list[str]:
    """Take the only column of lists of numbers or, where there is none, all columns of numbers."""
    import pyarrow as pa

    about_rows = _about_rows(schema, request)
    fields = [field for field in schema if field.name not in about_rows]
    lists = [field.name for field in fields if _item_type(field.type) is not None]
    if len(lists) > 1:
        msg = (
            f"{request.name} has several columns of lists ({listing(lists)}): choose one with "
            "columns=NAME."
        )
        raise NotInFileError(msg)
    numbers = [
        field.name
        for field in fields
        if _numpy_dtype(field.type) is not None and not pa.types.is_boolean(field.type)
    ]
    if not lists and not numbers:
        there = ", ".join(f"{short_name(field.name)} {field.type}" for field in schema)
        msg = (
            f"{request.name} has neither a column of lists of numbers nor columns of numbers, but "
            f"{short_text(there, 160) or 'nothing'}: write the vectors into it as well."
        )
        raise FileFormatError(msg)
    return lists or numbers


def _about_rows(schema: Any, request: TableRequest) -> set[str]:
    """Name the columns that are no features: ids, texts and the index of a pandas frame."""
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    return {*request.about_rows, *(name for name in index if isinstance(name, str))}


def storage_type(kind: Any) -> Any:
    """Tell how an extension type is stored: a tensor of any shape is a list of its numbers."""
    import pyarrow as pa

    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _item_type(kind: Any) -> Any:
    """Type of the numbers in a list, None for everything else."""
    import pyarrow as pa

    kind = storage_type(kind)
    is_list = (
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )
    return kind.value_type if is_list and _numpy_dtype(kind.value_type) is not None else None


def _is_number(kind: Any) -> bool:
    return _numpy_dtype(kind) is not None


def _numpy_dtype(kind: Any) -> np.dtype[Any] | None:
    """Type of numbers in NumPy, None for what are no numbers; booleans count as 0 and 1."""
    import pyarrow as pa

    if pa.types.is_decimal(kind):
        return np.dtype(np.float64)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        dtype: np.dtype[Any] = np.dtype(kind.to_pandas_dtype())
        return dtype
    return None
