"""What the stages of a fit take beside the graph they have in common."""

from __future__ import annotations

from typing import Any

from graphpac._costs import Cost, Parts
from graphpac.graph.costs import connect_cost, degree_of, neighbor_graph, working_copy
from graphpac.graph.data_size import DataSize


def row_fit_costs(size: DataSize, **stages: Parts) -> dict[str, Cost]:
    """Count a working copy of rows in every stage."""
    return {name: Cost(parts).beside(working_copy(size)) for name, parts in stages.items()}


def graph_fit_costs(
    estimator: Any,
    size: DataSize,
    n_jobs: int,
    n_neighbors: int,
    *,
    keep_rows: bool = False,
    **stages: Parts,
) -> dict[str, Cost]:
    """Put the search of an estimator first, and count its graph in every later stage.

    With ``keep_rows`` a working copy of the rows counts as well.
    """
    degree = degree_of(size, n_neighbors)
    held = neighbor_graph(size, degree)
    if keep_rows:
        held |= working_copy(size)
    costs = {"graph": connect_cost(size, degree, estimator.searcher, n_jobs)}
    return costs | {name: Cost(parts).beside(held) for name, parts in stages.items()}
