"""The data of the experiments: data sets by name, other scalings, parts, a user's features."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, partial
from hashlib import file_digest
from math import inf
from pathlib import Path

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac._wording import short_path, short_text
from graphpac.datasets import Dataset, available, load
from graphpac.exceptions import DatasetError, FileFormatError, UnknownDatasetError
from graphpac.io.readers import read_table
from graphpac.io.readers.faults import check_finite
from graphpac.io.readers.npz import read_array

# What the paper calls the data, where ours are the same or nearly so.
PAPER_NAMES: Mapping[str, str] = {
    "pendigits": "PENDIGITS",
    "isolet": "ISOLET",
    "mnist": "MNIST",
    "coil100": "COIL-100",
    "usps": "USPS",
    "usps-signed": "USPS",
}
# What ours are called where they are not quite the paper's.
_TITLES = {
    "coil100": "COIL-100, 32 x 32 pixels",
    "usps": "USPS, 0 to 1",
    "usps-signed": "USPS, -1 to 1",
    "emnist_bymerge_test": "EMNIST ByMerge, test split",
    "cifar10_effnetlite2_20k": "CIFAR-10, 20,000 images, EfficientNet-Lite2",
}

_LABEL_KINDS = "biufSU"  # of NumPy's types: whole numbers, also as floats, and strings


@dataclass(frozen=True)
class Variant:
    """A data set made of another."""

    of: str
    description: str
    change: Callable[[Dataset], Dataset]


def _signed(data: Dataset) -> Dataset:
    return replace(data, X=2.0 * data.X - 1.0)


def _first_classes(data: Dataset, n_classes: int) -> Dataset:
    kept = data.y < n_classes
    return replace(data, X=data.X[kept], y=data.y[kept], n_classes=n_classes)


VARIANTS = {
    "usps-signed": Variant("usps", "USPS with values from -1 to 1 instead of 0 to 1.", _signed),
    **{
        f"tinyimagenet-{n}": Variant(
            "tinyimagenet100a_effnetlite2",
            f"The first {n} of 100 classes of Tiny ImageNet, features of an EfficientNet-Lite2.",
            partial(_first_classes, n_classes=n),
        )
        for n in (10, 50, 100)
    },
}


def check_names(names: Iterable[str], features: Mapping[str, Path] | None = None) -> None:
    """Refuse a name nobody knows, before hours are spent on the others."""
    known = {*available(), *VARIANTS, *(name.lower() for name in features or {})}
    for name in names:
        if name.lower() not in known:
            close = get_close_matches(name.lower(), known, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            msg = f"there is no data set {name!r}: {hint}known are {', '.join(sorted(known))}."
            raise UnknownDatasetError(msg)


def check_features(features: Mapping[str, Path] | None) -> None:
    """Refuse a file that cannot be used, before hours are spent on others."""
    for name, path in (features or {}).items():
        _read_features(name, path)


def load_data(
    name: str, *, n_samples: int | None = None, features: Mapping[str, Path] | None = None
) -> Dataset:
    """Load a data set, a variant of one, or the features a user brings for a name.

    ``n_samples`` asks for a random part of so many rows, the same at every call; it is all if there
    are fewer. Features are files of arrays X and y, each under the name it is to have.
    """
    brought = {key.lower(): path for key, path in (features or {}).items()}
    key = name.lower()
    if key in brought:
        data = _read_features(name, brought[key])
    elif key in VARIANTS:
        variant = VARIANTS[key]
        data = replace(variant.change(load(variant.of)), name=key, description=variant.description)
    else:
        data = load(key)
    if n_samples is None or n_samples >= data.y.size:
        return data
    chosen = np.sort(np.random.default_rng(0).choice(data.y.size, n_samples, replace=False))
    return replace(data, X=data.X[chosen], y=data.y[chosen])


def count_rows(name: str, features: Mapping[str, Path] | None = None) -> float:
    """Return how many rows the data have; infinity where they cannot be loaded.

    Why they cannot be is told when their trials are run.
    """
    try:
        return load_data(name, features=features).y.size
    except (DatasetError, FileFormatError, OSError, MemoryError):
        return inf


def digest_of(name: str, features: Mapping[str, Path] | None) -> str:
    """Return what tells the file a user brings for a name from others; empty if there is none."""
    brought = {key.lower(): path for key, path in (features or {}).items()}
    return _digest(brought[name.lower()]) if name.lower() in brought else ""


@cache
def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()[:16]


def paper_name(name: str, features: Mapping[str, Path] | None = None) -> str | None:
    """Return the name of the data in the paper's tables; None where ours are other data.

    Features a user brings under a name of the paper are taken to be what the paper used.
    """
    if name.lower() in {key.lower() for key in features or {}}:
        return name.upper()
    return PAPER_NAMES.get(name.lower())


def data_title(name: str) -> str:
    """Return what the data are called above columns and panels."""
    if name in _TITLES:
        return _TITLES[name]
    if name.startswith("tinyimagenet-"):
        return f"Tiny ImageNet, {name.removeprefix('tinyimagenet-')} classes, EfficientNet-Lite2"
    return PAPER_NAMES.get(name) or name


def _read_features(name: str, path: Path) -> Dataset:
    if path.suffix.lower() != ".npz":
        msg = (
            f"{short_path(path)} must be an .npz file with the arrays X (features) and y "
            "(classes): save one with numpy.savez(path, X=X, y=y)."
        )
        raise FileFormatError(msg)
    X = read_table(path, key="X").X
    with np.errstate(over="ignore"):  # what float32 cannot hold is refused
        rows: AnyArray = X.astype(np.float32) if X.dtype.kind == "f" else X
    check_finite(rows, str(path), lambda row, column: f"row {row}, column {column} of X")
    labels, n_classes = _number_classes(path, read_array(path, "y"), rows.shape[0])
    return Dataset(
        name=name.lower(),
        X=rows,
        y=labels,
        n_classes=n_classes,
        description=f"Features from {path.name}.",
        source=str(path),
    )


def _number_classes(path: Path, y: AnyArray, n_rows: int) -> tuple[IntVector, int]:
    """Return the classes as numbers from 0, and how many there are."""
    if y.shape != (n_rows,):
        msg = (
            f"{short_path(path)}: y has the shape {y.shape}, but one label for each of {n_rows} "
            f"rows of X is needed, the shape {(n_rows,)}."
        )
        raise FileFormatError(msg)
    if y.dtype.kind not in _LABEL_KINDS or (y.dtype.kind == "f" and not _are_whole(y)):
        msg = (
            f"{short_path(path)}: y holds {y.dtype} such as {short_text(str(y[0]))}, but classes "
            "are needed: save whole numbers or strings."
        )
        raise FileFormatError(msg)
    classes, labels = np.unique(y, return_inverse=True)
    if not 2 <= classes.size < n_rows:
        msg = (
            f"{short_path(path)}: the number of different labels in y is {classes.size} for "
            f"{n_rows} rows, but at least two classes are needed, and fewer than rows."
        )
        raise FileFormatError(msg)
    return labels.astype(np.int32), int(classes.size)


def _are_whole(numbers: AnyArray) -> bool:
    return bool(np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all())
