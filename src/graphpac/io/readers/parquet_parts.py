"""The files a Parquet table is in: one, or all parts in a folder, which must be alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphpac._wording import listing, short_name, short_path, short_text
from graphpac.exceptions import FileFormatError
from graphpac.io.readers.faults import refusing_damage

ENDING = ".parquet"

_BUFFER_BYTES = 1 << 16  # of each column


def find_parts(path: Path) -> list[Path]:
    """List the Parquet files of a folder and of folders in it, by name; a file is its only part.

    What begins with a dot or an underscore is passed over: so other tools mark what is no data.
    """
    if not path.is_dir():
        return [path]
    parts = [
        part
        for part in path.rglob("*")
        if part.name.lower().endswith(ENDING)
        and not any(name.startswith((".", "_")) for name in part.relative_to(path).parts)
        and part.is_file()
    ]
    if not parts:
        msg = (
            f"{short_path(path)} is a folder without {ENDING} files: pass one file, or a folder of "
            "Parquet parts."
        )
        raise IsADirectoryError(msg)
    return sorted(parts, key=lambda part: part.relative_to(path).parts)


@contextmanager
def open_part(part: Path) -> Iterator[Any]:
    """Open one file."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    with (
        refusing_damage(short_path(part), "a Parquet file", pa.ArrowException),
        # Unless told so, whole columns of a row group are read ahead.
        ParquetFile(
            str(part),
            pre_buffer=False,
            buffer_size=_BUFFER_BYTES,
            page_checksum_verification=True,
        ) as file,
    ):
        yield file


def check_is_alike(
    part: Path, schema: Any, first: Path, expected: Any, used: list[str], *, chosen: bool
) -> None:
    """Refuse a part that has other columns than the first, or other types where they are used.

    Where somebody chose the columns that are used, it does not matter what else is there.
    """
    missing = [name for name in (used if chosen else expected.names) if name not in schema.names]
    added = [] if chosen else [name for name in schema.names if name not in expected.names]
    if missing or added:
        lacks = f"lacks {listing(missing, 3)}" if missing else ""
        has = f"also has {listing(added, 3)}" if added else ""
        _refuse(part, first, " and ".join(filter(None, (lacks, has))))
    for name in used:
        kind, wanted = schema.field(name).type, expected.field(name).type
        if kind != wanted:
            _refuse(
                part,
                first,
                f"has {short_text(str(kind))} instead of {short_text(str(wanted))} in the column "
                f"{short_name(name)}",
            )


def _refuse(part: Path, first: Path, difference: str) -> None:
    msg = (
        f"{short_path(part)} {difference}, unlike {short_path(first.name)}: all parts in a folder "
        "need the same columns, so write them anew or move this one elsewhere."
    )
    raise FileFormatError(msg)
