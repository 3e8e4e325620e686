"""Load a data set by its name."""

import logging
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeAlias

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac._wording import short_path
from graphpac.datasets.openml import download as download_from_openml
from graphpac.datasets.registry import EMBEDDED, FILES, EmbeddedRecord, FileRecord
from graphpac.datasets.storage import check_file, data_folder, read_arrays, write_arrays
from graphpac.exceptions import DatasetError, UnknownDatasetError

logger = logging.getLogger(__name__)

Status: TypeAlias = Literal["embedded", "on disk", "on OpenML", "missing"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dataset:
    """Features and labels of one data set.

    Attributes
    ----------
    name : str
        Name under which it was loaded, in lower case.
    X : ndarray of shape (n_samples, n_features)
        Features as stored; float16 and float64 become float32.
    y : ndarray of shape (n_samples,)
        Classes from 0, int32.
    n_classes : int
        Number of classes.
    description : str
        One sentence on what the rows are.
    source : str
        Where these very arrays came from: scikit-learn, a checked file, or OpenML.
    """

    name: str
    X: AnyArray
    y: IntVector
    n_classes: int
    description: str
    source: str

    def __repr__(self) -> str:
        rows, features = self.X.shape
        return (
            f"Dataset({self.name!r}, {rows} x {features} {self.X.dtype}, {self.n_classes} classes)"
        )


def load(name: str, *, download: bool = True) -> Dataset:
    """Load a data set by its name.

    Parameters
    ----------
    name : str
        One of the names `available` lists; upper and lower case are the same.
        ``"digits"`` and three more small ones come with scikit-learn and always work.
    download : bool, default=True
        Fetch from OpenML what is not on disk, where OpenML has it, and keep a copy.

    Returns
    -------
    Dataset
        Features in float32 where the file holds another floating type, whole
        numbers as stored; labels in int32.

    Raises
    ------
    DatasetError
        The name is unknown, the file is missing or has another checksum. The message
        says what to put where.

    Notes
    -----
    Files are looked for in the folder ``$GRAPHPAC_DATA``, by default ``graphpac`` in
    the user's cache folder, and must have the checksum of the file our published
    numbers were measured on. A copy from OpenML cannot have that checksum: its rows may be
    in another order and its values are rescaled to the same range only. `Dataset.source`
    tells which of the two it is.

    Examples
    --------
    >>> load("digits")
    Dataset('digits', 1797 x 64 float32, 10 classes)
    """
    key = name.lower()
    if key in EMBEDDED:
        return _load_embedded(EMBEDDED[key])
    if key not in FILES:
        close = get_close_matches(key, [*EMBEDDED, *FILES], n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        msg = f"there is no data set {name!r}: {hint}known are {', '.join(available())}."
        raise UnknownDatasetError(msg)
    return _load_file(FILES[key], download=download)


def available() -> dict[str, Status]:
    """List the known data sets and where each would come from now.

    Returns
    -------
    dict of str to str
        ``"embedded"`` (in scikit-learn), ``"on disk"`` (a file of that name is there; its
        checksum is looked at only by `load`), ``"on OpenML"`` (`load` would download
        it) or ``"missing"`` (`load` would say what to put where).
    """
    return {name: _status(name) for name in sorted([*EMBEDDED, *FILES])}


def _status(name: str) -> Status:
    if name in EMBEDDED:
        return "embedded"
    record, folder = FILES[name], data_folder()
    if any((folder / file).is_file() for file in (record.file_name, record.openml_file_name)):
        return "on disk"
    return "on OpenML" if record.openml else "missing"


def _load_embedded(record: EmbeddedRecord) -> Dataset:
    import sklearn.datasets

    X, y = getattr(sklearn.datasets, record.loader)(return_X_y=True)
    return _dataset(record, X, y, source=f"scikit-learn, {record.loader}")


def _load_file(record: FileRecord, *, download: bool) -> Dataset:
    folder = data_folder()
    path = folder / record.file_name
    if path.is_file():
        check_file(path, record)
        X, y = read_arrays(path, record)
        if record.divisor != 1:
            X = np.divide(X, record.divisor, dtype=np.float32)
        return _dataset(record, X, y, source=str(path))

    path = folder / record.openml_file_name
    if path.is_file():
        X, y = read_arrays(path, record)
        return _dataset(record, X, y, source=f"{short_path(path)}, an earlier download from OpenML")

    if record.openml is None or not download:
        raise DatasetError(_how_to_get(record, download=download))
    logger.info("downloading %s from OpenML", record.name)
    X, y = download_from_openml(record, record.openml)
    try:
        write_arrays(path, X, y)
    except OSError as error:
        logger.warning(
            "the download of %s could not be kept in %s: %s", record.name, short_path(path), error
        )
    return _dataset(record, X, y, source=f"OpenML data set {record.openml.data_id}")


def _dataset(record: FileRecord | EmbeddedRecord, X: AnyArray, y: AnyArray, source: str) -> Dataset:
    return Dataset(
        name=record.name,
        X=X.astype(np.float32) if X.dtype.kind == "f" else X,
        y=y.astype(np.int32),
        n_classes=record.n_classes,
        description=record.description,
        source=source,
    )


def _how_to_get(record: FileRecord, *, download: bool) -> str:
    rows, features = record.shape
    openml = "" if download or record.openml is None else ", or allow the download"
    return (
        f"the data set {record.name!r} is not on this machine: put {record.file_name} (arrays X of "
        f"{rows} x {features} and y, sha256 {record.sha256}) into {short_path(data_folder())}, or "
        f"set GRAPHPAC_DATA to the folder that holds it{openml}."
    )
