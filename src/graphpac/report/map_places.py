"""Which rows the map shows, and where."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac._typing import AnyArray, Progress
from graphpac.graph import NeighborGraph
from graphpac.report.layout import lay_out_graph


class MapPlaces(NamedTuple):
    """Rows in the order in which they are drawn, their places, and what found the places."""

    rows: AnyArray
    places: AnyArray
    method: str


def place_rows(
    graph: NeighborGraph, *, seed: int = 0, progress: Progress | None = None
) -> MapPlaces:
    """Lay the rows of a graph out in the plane."""
    rows = np.random.default_rng(seed).permutation(graph.n_samples)
    places = lay_out_graph(graph, seed)
    if progress is not None:
        progress(1, 1)
    return MapPlaces(rows, places[rows].astype(np.float32), "graph")
