"""The parts of a fit as arrays and metadata, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray
from graphpac.graph import NeighborGraph
from graphpac.io.container import Contents
from graphpac.solvers import IterationRecord, Snapshot, SolverResult, Start

Value = TypeVar("Value")


@dataclass(frozen=True)
class Part(Generic[Value]):
    """One thing that is stored: its name, and how it becomes the contents of a file and back.

    ``decode`` may raise KeyError, TypeError or ValueError for contents it cannot use.
    """

    name: str
    encode: Callable[[Value], Contents]
    decode: Callable[[Contents], Value]


def _encode_graph(graph: NeighborGraph) -> Contents:
    arrays: dict[str, AnyArray] = {
        "indptr": graph.indptr,
        "indices": graph.indices,
        "values": graph.values,
    }
    return Contents(arrays, {"kind": graph.kind})


def _decode_graph(contents: Contents) -> NeighborGraph:
    return NeighborGraph(**contents.arrays, kind=contents.metadata["kind"])


def _encode_start(start: Start) -> Contents:
    arrays: dict[str, AnyArray] = {"hard_labels": start.hard_labels}
    if start.memberships is None:
        return Contents(arrays, {})
    arrays |= _csr_arrays(start.memberships)
    return Contents(arrays, {"n_clusters": start.memberships.shape[1]})


def _decode_start(contents: Contents) -> Start:
    n_clusters = contents.metadata.get("n_clusters")
    memberships = None if n_clusters is None else _csr_matrix(contents.arrays, n_clusters)
    return Start(contents.arrays["hard_labels"], memberships)


def _encode_snapshot(snapshot: Snapshot) -> Contents:
    positions = {"generator": snapshot.generator, "dealt_from": snapshot.dealt_from}
    # A dot keeps the names apart whatever the arrays of the state are called.
    state = {f"state.{name}": array for name, array in snapshot.arrays.items()}
    return Contents({**state, **_history_arrays(snapshot.history)}, positions)


def _decode_snapshot(contents: Contents) -> Snapshot:
    state = {
        name.removeprefix("state."): array
        for name, array in contents.arrays.items()
        if name.startswith("state.")
    }
    return Snapshot(
        history=_history(contents.arrays),
        arrays=state,
        generator=contents.metadata["generator"],
        dealt_from=contents.metadata["dealt_from"],
    )


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


def _decode_result(contents: Contents) -> SolverResult:
    arrays, metadata = contents
    return SolverResult(
        memberships=_csr_matrix(arrays, metadata["n_clusters"]),
        hard_labels=arrays["hard_labels"],
        history=_history(arrays),
        **{name: metadata[name] for name in _NUMBERS},
    )


GRAPH = Part("graph", _encode_graph, _decode_graph)
START = Part("start", _encode_start, _decode_start)
STATE = Part("state", _encode_snapshot, _decode_snapshot)
RESULT = Part("result", _encode_result, _decode_result)


def _csr_arrays(matrix: sp.csr_matrix) -> dict[str, AnyArray]:
    return {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.data}


def _csr_matrix(arrays: dict[str, AnyArray], n_columns: int) -> sp.csr_matrix:
    indptr = arrays["indptr"]
    shape = (indptr.size - 1, n_columns)
    return sp.csr_matrix((arrays["data"], arrays["indices"], indptr), shape=shape)


_COLUMNS = ("local_weight", "change", "seconds", "dropped_mass")


def _history_arrays(history: tuple[IterationRecord, ...]) -> dict[str, AnyArray]:
    columns: dict[str, AnyArray] = {
        f"history.{name}": np.array([getattr(record, name) for record in history])
        for name in _COLUMNS
    }
    columns["history.cluster_sizes"] = np.array([record.cluster_sizes for record in history])
    return columns


def _history(arrays: dict[str, AnyArray]) -> tuple[IterationRecord, ...]:
    columns = [arrays[f"history.{name}"].tolist() for name in _COLUMNS]
    sizes = arrays["history.cluster_sizes"].tolist()
    return tuple(
        IterationRecord(
            iteration, cluster_sizes=tuple(counts), **dict(zip(_COLUMNS, numbers, strict=True))
        )
        for iteration, (counts, *numbers) in enumerate(zip(sizes, *columns, strict=True), start=1)
    )
