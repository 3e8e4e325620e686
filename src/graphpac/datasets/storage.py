"""Files on disk: where they are, whether they are the right ones, reading and writing."""

import hashlib
import os
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np

from graphpac._files import replacing
from graphpac._typing import AnyArray
from graphpac._wording import short_path, short_text
from graphpac.datasets.registry import FileRecord
from graphpac.exceptions import DatasetError


def data_folder() -> Path:
    """Return ``$GRAPHPAC_DATA``, or graphpac's part of the user's cache folder."""
    chosen = os.environ.get("GRAPHPAC_DATA")
    return Path(chosen).expanduser() if chosen else _cache_home() / "graphpac"


def check_file(path: Path, record: FileRecord) -> None:
    """Raise DatasetError unless the file has the checksum of the record."""
    status = path.stat()
    found = _sha256(path, status.st_mtime_ns, status.st_size)
    if found != record.sha256:
        msg = (
            f"{short_path(path)} has the sha256 {found} instead of {record.sha256}: it is damaged "
            "or another version; delete it or put the right file in its place."
        )
        raise DatasetError(msg)


def read_arrays(path: Path, record: FileRecord) -> tuple[AnyArray, AnyArray]:
    """Read ``X`` and ``y`` and compare their shapes with the record."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            X, y = archive["X"], archive["y"]
    except (OSError, ValueError, KeyError) as error:
        msg = (
            f"{short_path(path)} cannot be read as an .npz file with the arrays X and y "
            f"({short_text(str(error))}): delete it or put the right file in its place."
        )
        raise DatasetError(msg) from error
    check_shapes(X, y, record, origin=str(path))
    return X, y


def check_shapes(X: AnyArray, y: AnyArray, record: FileRecord, *, origin: str) -> None:
    """Raise DatasetError unless both arrays have the shapes of the record."""
    if X.shape != record.shape or y.shape != record.shape[:1]:
        msg = (
            f"{origin} holds X of shape {X.shape} and y of shape {y.shape}, but {record.name} "
            f"has {record.shape[0]} rows of {record.shape[1]} features: it is another data set."
        )
        raise DatasetError(msg)


def write_arrays(path: Path, X: AnyArray, y: AnyArray) -> None:
    """Write ``X`` and ``y`` so that readers see the whole file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        np.savez_compressed(file, X=X, y=y)


@lru_cache(maxsize=64)
def _sha256(path: Path, mtime_ns: int, size: int) -> str:  # noqa: ARG001 - part of the cache key
    """Digest of a file, computed once as long as its time and size stay the same."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cache_home() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
