"""The errors and warnings a caller may want to catch.

Bad data raise ValueError or TypeError, and a fit that leaves clusters empty warns with
scikit-learn's ConvergenceWarning; neither needs a class of its own. What else is odd about data
or a result is told by a DataWarning.
"""

__all__ = [
    "CheckpointError",
    "DataWarning",
    "DatasetError",
    "FileFormatError",
    "NotInFileError",
    "OtherRunError",
    "ParameterError",
    "UnknownDatasetError",
]


class ParameterError(ValueError):
    """A parameter has a value that is not allowed, or that does not go with the data."""


class DataWarning(UserWarning):
    """Rows, or the result of a fit, are of a kind from which clusters mean little."""


class CheckpointError(RuntimeError):
    """A checkpoint is of another run, damaged or in use, or its folder cannot be written to."""


class OtherRunError(CheckpointError, ParameterError):
    """A checkpoint is of other data or parameters."""


class DatasetError(ValueError):
    """A data set is unknown, not on this machine, or not the file it should be."""


class UnknownDatasetError(DatasetError, ParameterError):
    """No data set has that name."""


class FileFormatError(ValueError):
    """A file is damaged, not of the kind it should be, or does not hold what it is asked for."""


class NotInFileError(FileFormatError, ParameterError):
    """A file does not have the column or the array it is asked for."""
