"""The errors and warnings a caller may want to catch.

Bad arguments raise ValueError or TypeError, and a fit that ran out of iterations
warns with scikit-learn's ConvergenceWarning; neither needs a class of its own.
"""

__all__ = ["DatasetError", "GraphWarning"]


class DatasetError(ValueError):
    """A data set is unknown, not on this machine, or not the file it should be."""


class GraphWarning(UserWarning):
    """A neighbor graph is usable but probably not what the caller meant, e.g. disconnected."""
