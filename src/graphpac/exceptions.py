"""The errors and warnings a caller may want to catch.

Bad arguments raise ValueError or TypeError, and a fit that leaves clusters empty warns
with scikit-learn's ConvergenceWarning; neither needs a class of its own.
"""

__all__ = ["DatasetError"]


class DatasetError(ValueError):
    """A data set is unknown, not on this machine, or not the file it should be."""
