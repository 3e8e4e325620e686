"""Data sets by name, checked against known checksums, and a synthetic maker of any size."""

from graphpac.datasets.loading import Dataset, available, load
from graphpac.datasets.synthetic import make_mixture

__all__ = ["Dataset", "available", "load", "make_mixture"]
