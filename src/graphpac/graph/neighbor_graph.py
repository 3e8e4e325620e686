"""The neighbor graph: a frozen value, and the ways to make one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from graphpac._constraints import check_value, named, no_less_than
from graphpac._typing import AnyArray, FloatVector, GraphKind, IntVector, Metric, OffsetVector
from graphpac.graph.graph_checks import LARGER_IS_NEARER, check_graph


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NeighborGraph:
    """Row i holds the neighbors of sample i, nearest first (ties by index), itself excluded.

    Edges are directed: that j is a neighbor of i does not make i one of j. Rows may differ in
    length and may be empty. Make one with `build_neighbor_graph` or with a ``from_...`` method; the
    constructor takes arrays that meet the description already, keeps read-only views of them
    and raises ValueError when they do not.

    Parameters
    ----------
    indptr : int64 array of shape (n_samples + 1,)
        Row i is the slice ``indptr[i]:indptr[i + 1]`` of the other two arrays.
    indices : int32 array of shape (n_edges,)
        Sample numbers of the neighbors.
    values : float32 array of shape (n_edges,)
        What the kind says of sample and neighbor.
    kind : {"cosine", "euclidean", "inner_product", "similarity"}
        "cosine": the distance 1 - cos, in [0, 2]. "euclidean": the distance. "inner_product": the
        product, larger is nearer. "similarity": a positive weight, larger is nearer.
    copy_of : int32 array of shape (n_samples,), optional
        The first sample that equals each, itself if no earlier one does; None where no two samples
        are equal, or nothing is known of it. The neighbors of a first sample are first samples too,
        but for copies of its own.
    """

    indptr: OffsetVector
    indices: IntVector
    values: FloatVector
    kind: GraphKind
    copy_of: IntVector | None = None

    def __post_init__(self) -> None:
        check_value("kind", self.kind, named(*get_args(GraphKind)))
        expected = {"indptr": np.int64, "indices": np.int32, "values": np.float32}
        if self.copy_of is not None:
            expected["copy_of"] = np.int32
        for name, dtype in expected.items():
            given = getattr(self, name)
            if not isinstance(given, np.ndarray) or given.ndim != 1 or given.dtype != dtype:
                msg = f"{name} must be a one-dimensional {np.dtype(dtype)} array."
                raise ValueError(msg)
            view = np.ascontiguousarray(given).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)
        check_graph(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, so that an unpickled graph is checked and read-only too.
        return NeighborGraph, (self.indptr, self.indices, self.values, self.kind, self.copy_of)

    def __repr__(self) -> str:
        return (
            f"NeighborGraph(n_samples={self.n_samples}, n_edges={self.n_edges}, kind={self.kind!r})"
        )

    @property
    def n_samples(self) -> int:
        """Number of samples, with or without neighbors."""
        return int(self.indptr.size - 1)

    @property
    def n_originals(self) -> int:
        """Number of samples that equal no earlier one."""
        if self.copy_of is None:
            return self.n_samples
        return int(np.count_nonzero(self.copy_of == np.arange(self.n_samples)))

    @property
    def n_edges(self) -> int:
        """Number of directed edges."""
        return int(self.indices.size)

    @property
    def degrees(self) -> OffsetVector:
        """Number of neighbors of each sample."""
        return np.diff(self.indptr)

    @property
    def n_components(self) -> int:
        """Number of parts no edge of either direction connects."""
        return int(connected_components(self.to_scipy(), return_labels=False, connection="weak"))

    def to_scipy(self) -> sp.csr_matrix:
        """Copy to a square CSR matrix of the values; neighbors at distance 0 are explicit zeros."""
        shape = (self.n_samples, self.n_samples)
        return sp.csr_matrix((self.values, self.indices, self.indptr), shape=shape, copy=True)

    @classmethod
    def from_edges(
        cls,
        sources: AnyArray,
        targets: AnyArray,
        values: AnyArray,
        *,
        n_samples: int,
        kind: GraphKind,
    ) -> NeighborGraph:
        """Sort loose edges into a graph; edges from a sample to itself are dropped.

        An edge given more than once must have been given the same value, and counts once.

        Parameters
        ----------
        sources, targets : int arrays of shape (n_edges,)
            The sample and its neighbor.
        values : array of shape (n_edges,)
            Distances or similarities, as `kind` says; see the class.
        n_samples : int
            Number of samples.
        kind : {"cosine", "euclidean", "inner_product", "similarity"}
            What the values are.
        """
        keep = sources != targets
        sources, targets = sources[keep], targets[keep]
        with np.errstate(over="ignore"):  # what float32 cannot hold is reported as not finite
            values = values[keep].astype(np.float32)
        order = np.lexsort((targets, -values if kind in LARGER_IS_NEARER else values, sources))
        sources, targets, values = sources[order], targets[order], values[order]
        if order.size:
            repeated = (np.diff(sources) == 0) & (np.diff(targets) == 0) & (np.diff(values) == 0)
            first = np.concatenate(([True], ~repeated))
            sources, targets, values = sources[first], targets[first], values[first]
        indptr = np.zeros(n_samples + 1, dtype=np.int64)
        np.cumsum(np.bincount(sources, minlength=n_samples), out=indptr[1:])
        return cls(indptr, targets.astype(np.int32), values, kind)

    @classmethod
    def from_neighbors(
        cls, indices: Any, distances: Any, *, metric: Metric = "euclidean"
    ) -> NeighborGraph:
        """Take the two arrays neighbor searches return, as UMAP, EVoC and faiss exchange them.

        Parameters
        ----------
        indices : int array of shape (n_samples, n_neighbors)
            Neighbors of each sample in any order; -1 means missing. The sample itself is dropped
            wherever it stands.
        distances : array of shape (n_samples, n_neighbors)
            Distances under the metric (for "inner_product" the products).
        metric : {"cosine", "euclidean", "inner_product"}
            What the distances are.
        """
        indices, distances = np.asarray(indices), np.asarray(distances)
        if indices.ndim != 2 or indices.shape != distances.shape:
            msg = (
                "indices and distances must be two matrices of one shape (n_samples, n_neighbors), "
                f"got {indices.shape} and {distances.shape}."
            )
            raise ValueError(msg)
        if not np.issubdtype(indices.dtype, np.integer):
            msg = f"indices must be whole numbers, got {indices.dtype}: are the two arrays swapped?"
            raise ValueError(msg)
        n_samples = indices.shape[0]
        if indices.size and (indices.min() < -1 or indices.max() >= n_samples):
            msg = f"indices must lie in 0..{n_samples - 1}, or be -1 for a missing neighbor."
            raise ValueError(msg)
        sources, columns = np.nonzero(indices >= 0)
        targets, values = indices[sources, columns], distances[sources, columns]
        return cls.from_edges(sources, targets, values, n_samples=n_samples, kind=metric)

    @classmethod
    def from_distances(
        cls, matrix: Any, *, metric: Metric = "euclidean", n_neighbors: int | None = None
    ) -> NeighborGraph:
        """Take a sparse matrix of distances, such as scikit-learn's KNeighborsTransformer makes.

        Parameters
        ----------
        matrix : sparse matrix of shape (n_samples, n_samples)
            Entry (i, j) is the distance from sample i to its neighbor j. An explicit zero off the
            diagonal is a neighbor at distance zero; the diagonal is dropped, there or not.
        metric : {"cosine", "euclidean", "inner_product"}
            What the distances are.
        n_neighbors : int, optional
            Keep only this many nearest neighbors of each sample.
        """
        from graphpac.graph.interop import square_entries

        rows, columns, data = square_entries(matrix, "from_distances")
        graph = cls.from_edges(rows, columns, data, n_samples=matrix.shape[0], kind=metric)
        return graph if n_neighbors is None else graph.truncated(n_neighbors)

    @classmethod
    def from_similarities(cls, matrix: Any) -> NeighborGraph:
        """Take a sparse matrix of similarities; zeros are no edges, the diagonal is dropped.

        Parameters
        ----------
        matrix : sparse matrix of shape (n_samples, n_samples)
            Entry (i, j), not negative, says how much sample i looks at sample j.
        """
        from graphpac.graph.interop import square_entries

        rows, columns, data = square_entries(matrix, "from_similarities")
        keep = data.astype(np.float32) != 0
        return cls.from_edges(
            rows[keep], columns[keep], data[keep], n_samples=matrix.shape[0], kind="similarity"
        )

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: str | None = "weight") -> NeighborGraph:
        """Take the edges of a networkx graph as similarities; nodes are numbered in its order.

        An undirected edge counts in both directions, parallel edges add up, an edge without the
        attribute (or any edge, for ``weight=None``) weighs 1.
        """
        from graphpac.graph import interop

        return interop.from_networkx(graph, weight=weight)

    @classmethod
    def from_igraph(cls, graph: Any, *, weights: str | None = "weight") -> NeighborGraph:
        """Take the edges of an igraph graph as similarities; see `from_networkx`."""
        from graphpac.graph import interop

        return interop.from_igraph(graph, weights=weights)

    @classmethod
    def from_anndata(
        cls, data: Any, *, neighbors_key: str | None = None, obsp: str | None = None
    ) -> NeighborGraph:
        """Take the graph scanpy's ``pp.neighbors`` left in an AnnData object.

        Parameters
        ----------
        data : AnnData
            Annotated data with a neighbor graph in ``obsp``.
        neighbors_key : str, optional
            Name the neighbors were stored under in ``uns``, default "neighbors".
        obsp : str, optional
            Take this entry of ``obsp`` instead. Entries whose name ends in "connectivities" are
            similarities, all others distances.
        """
        from graphpac.graph import interop

        return interop.from_anndata(data, neighbors_key=neighbors_key, obsp=obsp)

    def truncated(self, n_neighbors: int) -> NeighborGraph:
        """Keep the n_neighbors nearest neighbors of each sample."""
        check_value("n_neighbors", n_neighbors, no_less_than(1))
        places = np.arange(self.n_edges) - np.repeat(self.indptr[:-1], self.degrees)
        keep = places < n_neighbors
        indptr = np.zeros_like(self.indptr)
        np.cumsum(np.minimum(self.degrees, n_neighbors), out=indptr[1:])
        return NeighborGraph(indptr, self.indices[keep], self.values[keep], self.kind, self.copy_of)
