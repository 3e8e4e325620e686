"""The errors and warnings a caller may want to catch.

Bad arguments raise ValueError or TypeError, and a fit that leaves clusters empty warns
with scikit-learn's ConvergenceWarning; neither needs a class of its own.
"""

__all__ = ["CheckpointError", "DatasetError", "FileFormatError"]


class CheckpointError(RuntimeError):
    """A checkpoint is of another run, damaged or in use, or its folder cannot be written to."""


class DatasetError(ValueError):
    """A data set is unknown, not on this machine, or not the file it should be."""


class FileFormatError(ValueError):
    """A file is damaged, not of the kind it should be, or does not hold what it is asked for."""
