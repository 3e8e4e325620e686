"""The parts of a fit as arrays and metadata, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, IntVector
from graphpac.graph import NeighborGraph
from graphpac.io.checks import demand, matrix, stored_whole, taken, vector
from graphpac.io.container import Contents
from graphpac.io.csr import check_shares, checked_csr
from graphpac.solvers import IterationRecord, Snapshot, SolverResult, Start
from graphpac.solvers.options import DENSE_CLUSTERS
from graphpac.solvers.state import dense_width

Value = TypeVar("Value")

_INT32, _INT64 = np.dtype(np.int32), np.dtype(np.int64)
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class Sizes(NamedTuple):
    """What the parts of a run must go with."""

    n_samples: int
    n_clusters: int


@dataclass(frozen=True)
class Part(Generic[Value]):
    """One thing that is stored: its name, and how it becomes the contents of a file and back.

    ``decode`` raises KeyError, TypeError or ValueError for contents that are no such part of a run
    of those sizes: compiled loops will trust every number of it.
    """

    name: str
    encode: Callable[[Value], Contents]
    decode: Callable[[Contents, Sizes], Value]

    def numbered(self, number: int) -> Part[Value]:
        """Return the part of another start; that of number 0 is this one."""
        return self if number == 0 else replace(self, name=f"{self.name}-{number}")


def _encode_graph(graph: NeighborGraph) -> Contents:
    arrays: dict[str, AnyArray] = {
        "indptr": graph.indptr,
        "indices": graph.indices,
        "values": graph.values,
    }
    if graph.copy_of is not None:
        arrays["copy_of"] = graph.copy_of
    return Contents(arrays, {"kind": graph.kind})


def _decode_graph(contents: Contents, sizes: Sizes) -> NeighborGraph:
    graph = NeighborGraph(**contents.arrays, kind=contents.metadata["kind"])
    demand(graph.n_samples == sizes.n_samples, "the graph has another number of samples")
    return graph


def _encode_count(n_clusters: int) -> Contents:
    return Contents({}, {"n_clusters": n_clusters})


def _decode_count(contents: Contents, sizes: Sizes) -> int:
    n_clusters = stored_whole(contents.metadata, "n_clusters")
    demand(1 <= n_clusters <= sizes.n_samples, "there are more clusters than samples, or none")
    return n_clusters


def _encode_start(start: Start) -> Contents:
    arrays: dict[str, AnyArray] = {"hard_labels": start.hard_labels}
    if start.memberships is None:
        return Contents(arrays, {})
    arrays |= _csr_arrays(start.memberships)
    return Contents(arrays, {"n_clusters": start.memberships.shape[1]})


def _decode_start(contents: Contents, sizes: Sizes) -> Start:
    arrays, metadata = contents
    memberships = _memberships(arrays, metadata, sizes) if "n_clusters" in metadata else None
    return Start(_labels(arrays, "hard_labels", sizes), memberships)


def _encode_snapshot(snapshot: Snapshot) -> Contents:
    positions = {"generator": snapshot.generator, "dealt_from": snapshot.dealt_from}
    # A dot keeps the names apart whatever the arrays of the state are called.
    state = {f"state.{name}": array for name, array in snapshot.arrays.items()}
    return Contents({**state, **_history_arrays(snapshot.history)}, positions)


def _decode_snapshot(contents: Contents, sizes: Sizes) -> Snapshot:
    arrays, metadata = contents
    return Snapshot(
        history=_history(arrays, sizes),
        arrays=_state(arrays, sizes),
        generator=_generator(metadata, "generator"),
        dealt_from=_generator(metadata, "dealt_from"),
    )


def _state(arrays: dict[str, AnyArray], sizes: Sizes) -> dict[str, AnyArray]:
    """Return the arrays of a state, in the form that goes with the number of clusters."""
    n_samples, n_clusters = sizes
    state = {"labels": _labels(arrays, "state.labels", sizes)}
    if n_clusters <= DENSE_CLUSTERS:
        state["rows"] = shares = matrix(arrays, "state.rows", (_FLOAT32,))
        demand(shares.shape == (n_samples, dense_width(n_clusters)), "rows have another form")
    else:
        state["clusters"] = clusters = matrix(arrays, "state.clusters", (_INT32,))
        state["values"] = shares = matrix(arrays, "state.values", (_FLOAT32,))
        demand(clusters.shape == shares.shape, "clusters and values have different forms")
        demand(
            shares.shape[0] == n_samples and 1 <= shares.shape[1] <= n_clusters,
            "values have another form",
        )
        demand(bool(((clusters >= 0) & (clusters < n_clusters)).all()), "a cluster is not known")
    demand(bool(((shares >= 0.0) & (shares < 1.001)).all()), "a value is not a membership")
    return state


def _generator(metadata: dict[str, Any], name: str) -> Any:
    """Return the position of a generator after trying it on one."""
    position = taken(metadata, name)
    try:
        np.random.PCG64(0).state = position
    except OverflowError as error:
        reason = f"{name} is out of range"
        raise ValueError(reason) from error
    return position


_NUMBERS = ("converged", "n_hops", "batch_size", "dropped_mass", "objective")


def _encode_result(result: SolverResult) -> Contents:
    metadata: dict[str, Any] = {name: getattr(result, name) for name in _NUMBERS}
    metadata["n_clusters"] = result.memberships.shape[1]
    arrays = {
        "hard_labels": result.hard_labels,
        **_csr_arrays(result.memberships),
        **_history_arrays(result.history),
    }
    return Contents(arrays, metadata)


def _decode_result(contents: Contents, sizes: Sizes) -> SolverResult:
    arrays, metadata = contents
    demand(type(taken(metadata, "converged")) is bool, "converged is neither true nor false")
    return SolverResult(
        memberships=_memberships(arrays, metadata, sizes),
        hard_labels=_labels(arrays, "hard_labels", sizes),
        history=_history(arrays, sizes),
        converged=metadata["converged"],
        n_hops=stored_whole(metadata, "n_hops"),
        batch_size=stored_whole(metadata, "batch_size"),
        dropped_mass=_measured(metadata, "dropped_mass"),
        objective=_measured(metadata, "objective"),
    )


def _measured(metadata: dict[str, Any], name: str) -> float:
    """Return what a run has measured; of extreme data it may be infinite."""
    number: float = taken(metadata, name)
    demand(type(number) is float, f"{name} is not a number")
    return number


GRAPH = Part("graph", _encode_graph, _decode_graph)
COUNT = Part("count", _encode_count, _decode_count)
START = Part("start", _encode_start, _decode_start)
STATE = Part("state", _encode_snapshot, _decode_snapshot)
RESULT = Part("result", _encode_result, _decode_result)


def _csr_arrays(matrix: sp.csr_matrix) -> dict[str, AnyArray]:
    return {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.data}


def _memberships(
    arrays: dict[str, AnyArray], metadata: dict[str, Any], sizes: Sizes
) -> sp.csr_matrix:
    offsets = vector(arrays, "indptr", (_INT32, _INT64))
    clusters = vector(arrays, "indices", (_INT32, _INT64))
    values = vector(arrays, "data", (_FLOAT32,))
    n_clusters = stored_whole(metadata, "n_clusters")
    demand(Sizes(offsets.size - 1, n_clusters) == sizes, "memberships have another form")
    memberships = checked_csr(offsets, clusters, values, n_clusters)
    check_shares(memberships)
    return memberships


def _labels(arrays: dict[str, AnyArray], name: str, sizes: Sizes) -> IntVector:
    labels = vector(arrays, name, (_INT32,))
    demand(labels.size == sizes.n_samples, "there is not a label for each sample")
    demand(bool(((labels >= -1) & (labels < sizes.n_clusters)).all()), "a label is not known")
    return labels


_COLUMNS = ("local_weight", "change", "seconds", "dropped_mass")


def _history_arrays(history: tuple[IterationRecord, ...]) -> dict[str, AnyArray]:
    columns: dict[str, AnyArray] = {
        f"history.{name}": np.array([getattr(record, name) for record in history])
        for name in _COLUMNS
    }
    columns["history.cluster_sizes"] = np.array([record.cluster_sizes for record in history])
    return columns


def _history(arrays: dict[str, AnyArray], sizes: Sizes) -> tuple[IterationRecord, ...]:
    columns = [vector(arrays, f"history.{name}", (_FLOAT64,)).tolist() for name in _COLUMNS]
    counts = matrix(arrays, "history.cluster_sizes", (_INT32, _INT64))
    demand(counts.shape[0] > 0, "there was no iteration")
    demand(counts.shape[1] == sizes.n_clusters, "there is not a size for each cluster")
    return tuple(
        IterationRecord(
            iteration, cluster_sizes=tuple(row), **dict(zip(_COLUMNS, numbers, strict=True))
        )
        for iteration, (row, *numbers) in enumerate(
            zip(counts.tolist(), *columns, strict=True), start=1
        )
    )
