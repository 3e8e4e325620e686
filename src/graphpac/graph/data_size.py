"""How large what is clustered is: all that is known before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from graphpac.graph.neighbor_graph import NeighborGraph
from graphpac.graph.rows import is_hardly_sparse

# Pairs of entries in the same column, beside as many entries in all columns alike: 22 in a matrix
# of 50,000 texts by 30,000 words that follow Zipf's law.
_TYPICAL_SKEW = 20


@dataclass(frozen=True, kw_only=True)
class DataSize:
    """What is clustered, as far as its size goes.

    ``n_entries`` counts the numbers that are worked with, of a graph its edges; ``n_bytes`` is what
    was given, in memory or as the pages of a memory map. Of sparse rows ``n_products`` counts the
    pairs of entries in the same column, and ``copied_bytes`` is the array that is made of them if
    they are sparse in form only.
    """

    n_samples: int
    n_features: int
    n_entries: int
    n_bytes: int
    form: Literal["dense", "sparse", "distances", "graph"]
    memory_map: bool = False
    n_products: float = 0.0
    copied_bytes: int = 0

    @classmethod
    def of(cls, X: Any, *, precomputed: bool = False) -> DataSize:
        """Take the size of an array, a data frame, a sparse matrix or a graph."""
        if isinstance(X, NeighborGraph):
            n_bytes = X.indptr.nbytes + X.indices.nbytes + X.values.nbytes
            n = X.n_samples
            return cls(
                n_samples=n, n_features=n, n_entries=X.n_edges, n_bytes=n_bytes, form="graph"
            )
        n_samples, n_features = map(int, X.shape)
        value_size = np.dtype(getattr(X, "dtype", np.float64)).itemsize  # a frame has no one dtype
        dense = cls(
            n_samples=n_samples,
            n_features=n_features,
            n_entries=n_samples * n_features,
            n_bytes=n_samples * n_features * value_size,
            form="distances" if precomputed else "dense",
            memory_map=_is_memory_map(X),
        )
        if not sp.issparse(X):
            return dense
        if precomputed:
            stored = dense.with_stored(int(X.nnz), value_size)
            return replace(stored, form="distances", n_entries=int(X.nnz), copied_bytes=0)
        counts = np.bincount(sp.csr_matrix(X).indices).astype(np.float64)
        return dense.with_stored(int(X.nnz), value_size, float(counts @ counts))

    def with_stored(
        self, n_stored: int, value_size: int, n_products: float | None = None
    ) -> DataSize:
        """Return the size of the same rows as a sparse matrix that stores so many numbers.

        Where it is not known which features they are of, a few are taken to be in most rows, as in
        texts.
        """
        n_bytes = n_stored * (value_size + 4) + 4 * self.n_samples
        if is_hardly_sparse(self.n_samples, self.n_features, n_stored):
            return replace(self, n_bytes=n_bytes, copied_bytes=self.n_bytes)
        if n_products is None:
            even = n_stored**2 / max(1, self.n_features)
            n_products = min(_TYPICAL_SKEW * even, float(n_stored) * self.n_samples)
        return replace(
            self, n_entries=n_stored, n_bytes=n_bytes, form="sparse", n_products=n_products
        )

    @property
    def has_rows(self) -> bool:
        """Whether rows are given, and not what is known between them."""
        return self.form in {"dense", "sparse"}

    def resized(self, n_samples: int) -> DataSize:
        """Return the size that as many samples of the same kind would have."""
        factor = n_samples / self.n_samples
        square = self.n_features == self.n_samples and self.form in {"distances", "graph"}
        if square and self.n_entries == self.n_samples**2:
            factor *= factor  # a dense matrix of distances
        return replace(
            self,
            n_samples=n_samples,
            n_features=n_samples if square else self.n_features,
            n_entries=round(factor * self.n_entries),
            n_bytes=round(factor * self.n_bytes),
            n_products=factor**2 * self.n_products,
            copied_bytes=round(factor * self.copied_bytes),
        )


def _is_memory_map(X: Any) -> bool:
    """Tell whether an array, or what it is a view of, is a memory map."""
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap):
            return True
        X = X.base
    return False
