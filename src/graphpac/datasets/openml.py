"""Download of data sets that OpenML keeps."""

from importlib.util import find_spec

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac.datasets.registry import FileRecord, OpenMLSource
from graphpac.datasets.storage import check_shapes
from graphpac.exceptions import DatasetError


def download(record: FileRecord, source: OpenMLSource) -> tuple[AnyArray, IntVector]:
    """Fetch a data set and bring values and labels into the form of our own files."""
    from sklearn.datasets import fetch_openml

    # The parser of pandas is many times faster, but pandas is not a dependency.
    parser = "pandas" if find_spec("pandas") else "liac-arff"
    try:
        X, labels = fetch_openml(
            data_id=source.data_id,
            as_frame=False,
            return_X_y=True,
            cache=False,
            parser=parser,
        )
    except (OSError, ValueError) as error:
        msg = (
            f"{record.name} could not be downloaded from OpenML (data set {source.data_id}): "
            f"{error}; try again later, or put {record.file_name} into the folder $GRAPHPAC_DATA."
        )
        raise DatasetError(msg) from error
    # Labels come as text; as numbers they sort 1, 2, ..., 10 and not 1, 10, 2.
    names, y = np.unique(np.asarray(labels, dtype=np.float64), return_inverse=True)
    origin = f"OpenML data set {source.data_id}"
    check_shapes(X, y, record, origin=origin)
    if len(names) != record.n_classes:
        msg = f"{origin} has {len(names)} classes, but {record.name} has {record.n_classes}."
        raise DatasetError(msg)
    return _compact(X, source), y.astype(np.int32)


def _compact(X: AnyArray, source: OpenMLSource) -> AnyArray:
    """Return bytes where the values are, else float32."""
    low, high = X.min(), X.max()
    if source.rescale:
        return np.asarray((X - low) / (high - low), dtype=np.float32)
    if low >= 0 and high <= 255 and np.array_equal(X, np.rint(X)):
        return X.astype(np.uint8)
    return X.astype(np.float32)
