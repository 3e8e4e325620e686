"""Which rows the map shows, and where."""

from __future__ import annotations

import math
import warnings
from importlib.util import find_spec
from typing import Literal, NamedTuple, get_args

import numpy as np
import scipy.sparse as sp

from graphpac._constraints import check_value, named
from graphpac._costs import NANOSECOND, Cost
from graphpac._optional import require
from graphpac._threads import map_in_threads, resolve_n_jobs
from graphpac._typing import AnyArray, FloatMatrix, Progress
from graphpac.graph import NeighborGraph
from graphpac.graph.copies import merge_copies
from graphpac.graph.costs import neighbor_graph
from graphpac.graph.data_size import DataSize
from graphpac.graph.hop_sizes import HopSizes
from graphpac.report.layout import (
    MOST_DRAWN,
    both_directions,
    lay_out_graph,
    layout_cost,
    spectral_coordinates,
)

MOST_ROWS = MOST_DRAWN
_BLOCK_ROWS = 4096
_UMAP_NANOSECONDS = 700_000.0  # a row
_OTHERS_NANOSECONDS = 3000.0  # a row, for what else a report shows
MapMethod = Literal["auto", "umap", "graph"]


class MapCoordinates(NamedTuple):
    """Rows in the order in which they are drawn, their coordinates, and what found these."""

    rows: AnyArray
    coordinates: FloatMatrix
    method: str


def place_rows(
    graph: NeighborGraph,
    *,
    method: MapMethod = "auto",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> MapCoordinates:
    """Lay the rows of a graph out in the plane, or a random hundred thousand of them.

    The method "graph" is our own layout. "auto" is UMAP where it is installed and the graph is as
    UMAP needs it: at most `MOST_ROWS` rows with equally many neighbors each, and their distances.
    Rows that are equal share coordinates. The result is the same for any number of threads.
    """
    check_value("method", method, named(*get_args(MapMethod)))
    # In random order, so that no cluster covers the others only because its rows come last.
    rows = np.random.default_rng(seed).permutation(graph.n_samples)[:MOST_ROWS]
    graph, copies = merge_copies(graph)
    numbers: AnyArray = copies.numbers[rows]
    if method == "auto":
        method = "umap" if _has_umap() and _suits_umap(graph) else "graph"
    if method == "umap":
        return MapCoordinates(rows, _lay_out_by_umap(graph, seed, n_jobs)[numbers], method)
    if graph.n_samples > MOST_ROWS:
        _, first, numbers = np.unique(numbers, return_index=True, return_inverse=True)
        kept = copies.numbers[rows[np.sort(first)]]  # in the order of the rows
        numbers = np.argsort(np.argsort(first))[numbers]
        graph = thin_out(graph, kept, resolve_n_jobs(n_jobs))
    coordinates = lay_out_graph(graph, seed, n_jobs=n_jobs, progress=progress)
    return MapCoordinates(rows, coordinates[numbers], method)


def thin_out(graph: NeighborGraph, rows: AnyArray, n_jobs: int = 1) -> NeighborGraph:
    """Connect some rows of a graph with those of them they reach by most of the shortest walks.

    Walks have as many steps as it takes to reach about as many kept rows as a row of the large
    graph has neighbors, and each row keeps that many. Rows, each given once, are renumbered in
    their order. The result is the same for any number of threads.
    """
    n_neighbors = max(1, round(graph.n_edges / graph.n_samples))
    identity = sp.eye_array(graph.n_samples, dtype=np.float32, format="csr")
    # Staying is a step too, so that shorter walks count.
    steps = sp.csr_array(both_directions(graph).astype(np.float32) + identity)
    growth = max(2.0, steps.nnz / graph.n_samples)
    wanted = n_neighbors * graph.n_samples / rows.size
    n_further = math.ceil(math.log(wanted, growth)) - 1
    last_step = sp.csc_array(steps)[:, rows].tocsr()

    def walk(first: int) -> sp.csr_array:
        walks = identity[rows[first : first + _BLOCK_ROWS]]
        for _ in range(n_further):
            walks = walks @ steps
        return walks @ last_step

    among = sp.vstack(map_in_threads(walk, range(0, rows.size, _BLOCK_ROWS), n_jobs), format="csr")
    return NeighborGraph.from_similarities(among).truncated(n_neighbors)


def typical_method(n_samples: int) -> Literal["umap", "graph"]:
    """Return what "auto" means for so many rows with equally many neighbors and their distances."""
    return "umap" if _has_umap() and n_samples <= MOST_ROWS else "graph"


def map_cost(size: DataSize, n_neighbors: int, n_memberships: int, n_jobs: int) -> Cost:
    """Tell what the map and the rest of a report take, beside a result of so many entries a row."""
    result = size.n_samples * (8.0 * n_memberships + 40)
    held = {"result": result, **neighbor_graph(size, n_neighbors)}
    return _drawing_cost(size.n_samples, n_neighbors, n_jobs).beside(held)


def _drawing_cost(n_samples: int, n_neighbors: int, n_jobs: int) -> Cost:
    others = _OTHERS_NANOSECONDS * n_samples * NANOSECOND
    n_drawn = min(n_samples, MOST_ROWS)
    hops = HopSizes(n_samples, n_neighbors, 2)
    layout = layout_cost(n_drawn, hops.reach(1), n_jobs)
    if typical_method(n_samples) == "umap":  # on one thread, from the same start
        return Cost(layout.memory, others + _UMAP_NANOSECONDS * n_samples * NANOSECOND)
    if n_drawn == n_samples:
        return Cost(layout.memory, others / n_jobs + layout.seconds)
    # Thinned out: each drawn row walks as far as it takes to reach enough other drawn ones.
    share = n_drawn / n_samples
    growth = 1.6 * n_neighbors
    n_walked = growth ** max(2, math.ceil(math.log(n_neighbors / share, growth)))
    walking = 60 * growth * n_samples + n_drawn * n_walked * (25 + 250 * share)
    thinned = 30.0 * n_samples * hops.reach(1) + 60.0 * n_drawn * hops.reach(2) * share
    layout = layout_cost(n_drawn, growth, n_jobs)
    seconds = (others + walking * NANOSECOND) / n_jobs + layout.seconds
    return Cost({**layout.memory, "thinned graph": thinned}, seconds)


def _has_umap() -> bool:
    found = find_spec("umap")
    return found is not None and found.origin is not None  # a folder of that name has none


def _suits_umap(graph: NeighborGraph) -> bool:
    degrees = graph.degrees
    return (
        graph.n_samples <= MOST_ROWS
        and graph.kind in {"cosine", "euclidean"}
        and int(degrees.min()) == int(degrees.max()) > 1
    )


def _lay_out_by_umap(graph: NeighborGraph, seed: int, n_jobs: int | None) -> FloatMatrix:
    if not _suits_umap(graph):
        msg = (
            f"UMAP needs distances, at most {MOST_ROWS:,} rows and equally many neighbors of each, "
            f"which {graph!r} does not have: use method='graph'."
        )
        raise ValueError(msg)
    umap = require("umap", extra="map", needed_for="method='umap'")
    n_samples = graph.n_samples
    # UMAP counts a row as its own first neighbor.
    itself = np.arange(n_samples, dtype=np.int32)[:, np.newaxis]
    indices = np.hstack((itself, graph.indices.reshape(n_samples, -1)))
    distances = np.pad(graph.values.reshape(n_samples, -1), ((0, 0), (1, 0)))
    start = spectral_coordinates(
        both_directions(graph), np.random.default_rng(seed), n_jobs=resolve_n_jobs(n_jobs)
    )
    model = umap.UMAP(
        n_neighbors=indices.shape[1],
        metric="euclidean",  # of UMAP's metrics the one that cuts no neighbors off
        precomputed_knn=(indices, distances),
        init=start,
        random_state=seed,
        n_jobs=1,  # all that UMAP can do with a seed
    )
    with warnings.catch_warnings():
        # It cannot place new rows then, which nobody will ask for.
        warnings.filterwarnings("ignore", message="precomputed_knn", category=UserWarning)
        coordinates = model.fit_transform(np.zeros((n_samples, 1), dtype=np.float32))
    return np.asarray(coordinates, dtype=np.float32)
