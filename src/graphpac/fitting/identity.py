"""What decides the result of a fit, in a form that a file can hold and that can be compared."""

from __future__ import annotations

from dataclasses import asdict
from numbers import Integral, Real
from typing import Any

import scipy.sparse as sp

from graphpac._threads import resolve_n_jobs
from graphpac._typing import AnyArray
from graphpac.fitting.init import Init
from graphpac.fitting.problem import iterations_of, options_of
from graphpac.graph import NeighborGraph
from graphpac.io.blocks import digest

_NOT_DECISIVE = {"n_jobs", "verbose"}
_ONLY_FOR_ROWS = {"n_neighbors", "metric", "searcher"}


def identify(estimator: Any, init: Init | None, X: Any) -> dict[str, Any]:
    """Collect all that decides the result of a fit but the numbers a generator draws.

    ``init`` is what `resolve_init` returned; None of an estimator whose starts have names only.
    """
    from graphpac import __version__

    of_graph = isinstance(X, NeighborGraph)
    n_jobs = resolve_n_jobs(estimator.n_jobs)
    identity: dict[str, Any] = {
        "graphpac": __version__,
        "estimator": type(estimator).__name__,
        "method": "fit_graph" if of_graph else "fit",
        "graph" if of_graph else "X": _fingerprint(X, n_jobs),
    }
    unused = _NOT_DECISIVE | (_ONLY_FOR_ROWS if of_graph else set())
    parameters = estimator.get_params(deep=False)
    for name in sorted(parameters.keys() - unused):
        if name == "solver":
            options = asdict(options_of(estimator))
            identity |= {f"solver.{key}": plain_value(kept) for key, kept in options.items()}
        elif name == "max_iter":
            identity[name] = iterations_of(estimator)
        elif name == "init" and not (init is None or isinstance(init, str)):
            identity[name] = _fingerprint(init, n_jobs)
        else:
            identity[name] = plain_value(parameters[name])
    return identity


def plain_value(value: Any) -> Any:
    """Turn a parameter into what JSON can hold and give back."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    # A searcher shows its options. A generator shows where it is in memory, which decides nothing.
    shown = repr(value)
    return type(value).__name__ if " at 0x" in shown else shown


def _fingerprint(data: Any, n_jobs: int) -> dict[str, str]:
    """Describe data in words, and by a digest of every value."""
    arrays: list[AnyArray]
    if isinstance(data, NeighborGraph):
        arrays = [data.indptr, data.indices, data.values]
        if data.copy_of is not None:
            arrays.append(data.copy_of)
        words = f"a graph of {data.kind}, {data.n_samples} samples and {data.n_edges} edges"
    elif sp.issparse(data):
        arrays = [data.indptr, data.indices, data.data]
        words = f"a sparse matrix of {data.dtype}, shape {data.shape}"
    else:
        arrays = [data]
        words = f"an array of {data.dtype}, shape {data.shape}"
    return {"is": words, "sha256": digest(arrays, n_jobs)}
