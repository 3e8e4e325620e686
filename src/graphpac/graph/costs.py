"""What it takes to make a graph of what is given, part by part."""

from __future__ import annotations

from graphpac._costs import NANOSECOND, Cost, Parts, fullest
from graphpac.graph.data_size import DataSize
from graphpac.graph.hop_sizes import HopSizes
from graphpac.graph.precomputed import sorting_bytes
from graphpac.graph.searchers import NeighborSearcher, search_cost


def working_copy(size: DataSize) -> Parts:
    """Return the float32 rows that `prepare_rows` makes; none of distances or a graph."""
    if not size.has_rows:
        return {}
    if size.form == "sparse":  # values and 4-byte features; offsets of 8 bytes
        return {"working copy of X": 8.0 * size.n_entries + 8.0 * size.n_samples}
    return {"working copy of X": 4.0 * size.n_samples * size.n_features}


def degree_of(size: DataSize, n_neighbors: int) -> int:
    """Count the neighbors of each sample in the graph."""
    if size.form == "graph":
        return max(1, round(size.n_entries / size.n_samples))
    return max(1, min(n_neighbors, size.n_samples - 1))


def neighbor_graph(size: DataSize, n_neighbors: int) -> Parts:
    """Return the graph that is made; none if it is what was given."""
    if size.form == "graph":
        return {}
    return {"neighbor graph": size.n_samples * (8.0 + 8.0 * n_neighbors)}


def link_count(n_samples: int, degree: int) -> float:
    """Count the links of a typical graph in either direction."""
    return n_samples * HopSizes(n_samples, degree, 2).reach(1)


def connect_cost(
    size: DataSize, n_neighbors: int, searcher: str | NeighborSearcher, n_jobs: int
) -> Cost:
    """Tell what the stage "graph" takes, from what is given to a `NeighborGraph`."""
    n = size.n_samples
    if size.form == "graph":
        return Cost({}, 0.0)
    # Neighbors in blocks and joined, then as a graph: what is replaced is alive at each step.
    found = n * (17.0 * n_neighbors + 24.0)
    if size.form == "distances":
        dense = size.n_entries == n**2
        each = 10.0 if dense else 500.0  # of a row most entries are looked at, or all sorted
        parts = {
            "neighbors found": 3 * found,
            "sorting": sorting_bytes(size.n_entries, dense=dense),
        }
        return Cost(parts, each * size.n_entries * NANOSECOND)
    rows = working_copy(size)
    search = search_cost(searcher, size, n_neighbors, n_jobs)
    converted = 20.0 * size.n_entries if size.form == "sparse" else 0.0  # by way of float64
    parts = fullest(
        {**rows, "conversion": converted},
        {**rows, "training of the search": search.indexing},
        {**rows, "search": search.searching, "neighbors found": found},
    )
    return Cost(parts, search.seconds)
