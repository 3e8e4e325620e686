"""Which values samples may have: finite numbers, none of them masked; one sentence for others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray
from graphpac._wording import short_name

_BLOCK_ENTRIES = 1 << 20
_CURE = "remove such rows or fill in such values"
_WIDER = {"float16": "float32", "float32": "float64"}


def row_blocks(X: Any) -> Iterator[tuple[int, Any]]:
    """Cut a dense array into blocks of rows of about a million entries, with their first row."""
    step = max(1, _BLOCK_ENTRIES // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        yield start, X[start : start + step]


def unmasked(X: Any) -> Any:
    """Return X, a masked array without its mask; refuse one in which values are masked."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    places = np.argwhere(np.ma.getmaskarray(X))
    if len(places):
        number = "one masked value" if len(places) == 1 else f"{len(places):,} masked values"
        msg = (
            f"X is a masked array with {number}, the first at {tuple(places[0].tolist())}: fill "
            "them in with X.filled, or remove such rows with numpy.ma.compress_rows."
        )
        raise ValueError(msg)
    return X.data


def check_not_missing(X: Any) -> None:
    """Raise ValueError for pandas.NA among objects, which NumPy cannot convert to NaN."""
    is_missing = np.frompyfunc(lambda value: type(value).__name__ == "NAType", 1, 1)
    places = np.argwhere(is_missing(np.asarray(X, dtype=object)).astype(np.bool_))
    if len(places):
        row, column = places[0].tolist()
        names = getattr(X, "columns", None)
        what = _counted({"NA": len(places)}, row, column, names)
        msg = f"X contains {what}: {_CURE}."
        raise ValueError(msg)


def check_finite(X: Any, names: Sequence[str] | None = None) -> None:
    """Raise ValueError for NaN and infinity; say how many there are and where the first is.

    Features are told by their names, if they have any.
    """
    if X.dtype.kind != "f":
        return
    if sp.issparse(X):
        X = sp.csr_matrix(X)
        wrong = np.flatnonzero(~np.isfinite(X.data))
        if wrong.size:
            row = int(np.searchsorted(X.indptr, wrong[0], side="right")) - 1
            _refuse(X.data[wrong], row, int(X.indices[wrong[0]]), names)
        return
    found: list[AnyArray] = []
    for start, block in row_blocks(X):
        finite = np.isfinite(block)
        if not finite.all():
            if not found:
                row, column = np.argwhere(~finite)[0].tolist()
                row += start
            found.append(block[~finite])
    if found:
        _refuse(np.concatenate(found), row, column, names)


def _refuse(values: AnyArray, row: int, column: int, names: Sequence[str] | None) -> NoReturn:
    n_missing = int(np.isnan(values).sum())
    n_infinite = values.size - n_missing
    what = _counted({"NaN": n_missing, "infinity": n_infinite}, row, column, names)
    cure = _CURE
    dtype = values.dtype
    if n_infinite and dtype.name in _WIDER:
        largest = f"{float(np.finfo(dtype).max):.6g}"
        wider = _WIDER[dtype.name]
        cure = f"{dtype} ends at {largest}, so convert to {wider} before values overflow, or {cure}"
    msg = f"X contains {what}: {cure}."
    raise ValueError(msg)


def _counted(counts: Mapping[str, int], row: int, column: int, names: Sequence[str] | None) -> str:
    """Say what there is, how often, and where the first is."""
    name = None if names is None else names[column]
    place = f"in row {row}, column {short_name(name) if isinstance(name, str) else column}"
    found = {kind: count for kind, count in counts.items() if count}
    if sum(found.values()) == 1:
        return f"{next(iter(found))} {place}"
    listed = " and ".join(f"{kind} {_times(count)}" for kind, count in found.items())
    return f"{listed}, first {place}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
