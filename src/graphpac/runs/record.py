"""``run.json``: what was done, with which versions, how long it took, and what came out."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from graphpac._files import replacing
from graphpac._wording import short_path, short_repr
from graphpac.estimators import GPAC
from graphpac.exceptions import FileFormatError
from graphpac.io.checks import demand, stored_whole
from graphpac.runs.folder import RECORD, RunFolder
from graphpac.runs.source import Source

FORMAT = 1


def write_record(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record, whole or not at all."""
    with replacing(path) as file:
        file.write(f"{json.dumps(record, indent=2, ensure_ascii=False)}\n".encode())


def read_record(folder: RunFolder) -> dict[str, Any]:
    """Read the record of a finished run; FileFormatError tells of one that cannot be used."""
    path = folder.file(RECORD)
    try:
        record = json.loads(path.read_bytes())
        written = record["format"]
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{short_path(path)} is damaged, or not the record of a run."
        raise FileFormatError(msg) from error
    if written != FORMAT:
        msg = (
            f"{short_path(path)} has the format {short_repr(written)}, but this graphpac knows "
            f"{FORMAT} only."
        )
        raise FileFormatError(msg)
    try:
        _check(record)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        msg = f"{short_path(path)} is damaged: it does not tell what the record of a run tells."
        raise FileFormatError(msg) from error
    return dict(record)


def _check(record: Mapping[str, Any]) -> None:
    """Raise an error if anything that is read from a record is not what it should be."""
    stored, page = record["input"], record["page"]
    names = {field.name for field in fields(Source)}
    demand(stored["source"].keys() <= names, "source has unknown fields")
    source = Source(**stored["source"])
    lists = (source.columns, source.keep_columns, stored["columns"])
    texts = [record["created"], *(name for names in lists for name in _as_list(names))]
    texts += [stored["dtype"], record["versions"]["graphpac"], source.name]
    demand(all(isinstance(text, str) for text in texts), "a text is none")
    optional = [source.id_column, source.text_column, source.key, stored["path"], stored["sha256"]]
    demand(all(text is None or isinstance(text, str) for text in optional), "a text is none")
    for name in ("n_rows", "n_columns"):
        stored_whole(stored, name, least=1)
    for name in ("parameters", "fit", "outputs"):
        demand(isinstance(record[name], dict), f"{name} is no object")
    if page is not None:
        sides = _as_list(page["image_shape"])
        demand(isinstance(page["title"], str), "the title is no text")
        demand(all(type(side) is int and side > 0 for side in sides), "the shape is none")


def _as_list(values: Any) -> list[Any]:
    demand(values is None or isinstance(values, list), "a list is none")
    return values or []


def describe_file(path: Path) -> dict[str, Any]:
    """Return size and sha256 of a file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"bytes": file.tell(), "sha256": digest}


def describe_data(source: Source) -> dict[str, Any]:
    """Return size and sha256 of the file or folder of a source; None of standard input."""
    if not source.inputs:
        return {"bytes": None, "sha256": None}
    path = Path(source.name)
    return _describe_parts(path) if path.is_dir() else describe_file(path)


def _describe_parts(folder: Path) -> dict[str, Any]:
    """Return the size of all parts, and the sha256 of their names and sha256 in order."""
    from graphpac.io.readers.parquet_parts import find_parts

    n_bytes, digest = 0, hashlib.sha256()
    for part in find_parts(folder):
        about = describe_file(part)
        n_bytes += about["bytes"]
        digest.update(os.fsencode(part.relative_to(folder)) + about["sha256"].encode())
    return {"bytes": n_bytes, "sha256": digest.hexdigest()}


def describe_parameters(model: GPAC) -> dict[str, Any]:
    """Return the parameters of a model that are plain values."""
    return {
        name: value
        for name, value in model.get_params().items()
        if isinstance(value, int | float | str) and name != "verbose"
    }
