"""Bytes of each phase of a fit, part by part, at the moment when they are most."""

from __future__ import annotations

import math
from typing import TypeAlias

from graphpac.graph.hops import position_bytes
from graphpac.graph.searchers.exact import ExactSearcher
from graphpac.graph.searchers.faiss_index import FaissSearcher
from graphpac.graph.searchers.nndescent import NNDescentSearcher
from graphpac.planning.workload import Workload
from graphpac.solvers.layout import MOST_DRAWN
from graphpac.solvers.options import DENSE_CLUSTERS
from graphpac.solvers.seeding import SMOOTHING_FEATURES, count_sampled
from graphpac.solvers.state import dense_width, entries_per_row

Parts: TypeAlias = dict[str, float]

LIBRARIES = 370e6  # the interpreter, NumPy, SciPy, scikit-learn, numba, faiss and compiled loops
KEPT_FREE = 60e6  # freed by an earlier phase in pieces too small for the allocator to give back,
KEPT_FREE_SHARE = 0.5  # or this share of what that phase took, if it is less
COORDINATES = 96  # faiss searches in 32 to 128 of them, as the data need


def memory_of(workload: Workload) -> dict[str, Parts]:
    """Bytes of the parts of each phase, largest first, with the data and the libraries."""
    phases = {
        "graph": _of_graph(workload),
        "start": _of_start(workload),
        "optimize": _of_optimize(workload),
    }
    if workload.map_method is not None:
        phases["map"] = _of_map(workload)
    always = {data_part(workload): float(workload.data.n_bytes), "libraries": LIBRARIES}
    if workload.data.copied_bytes:
        always["X as an array"] = float(workload.data.copied_bytes)
    before = 0.0
    for name, parts in phases.items():
        kept = {"kept by the allocator": min(KEPT_FREE, KEPT_FREE_SHARE * before)}
        before = max(before, sum(parts.values()))
        everything = always | parts | kept
        phases[name] = dict(sorted(everything.items(), key=lambda part: -part[1]))
    return phases


def data_part(workload: Workload) -> str:
    """Return the name of the part that is what was given."""
    return "neighbor graph" if workload.data.form == "graph" else "X"


def _of_graph(w: Workload) -> Parts:
    n, k = w.n_samples, w.degree
    if w.data.form == "graph":
        return {}
    # Neighbors in blocks and joined, then as a graph: what is replaced is alive at each step.
    found = n * (17.0 * k + 24)
    if w.data.form == "distances":
        dense = w.data.n_entries == n**2
        return {
            "neighbors found": 3 * found,
            "sorting": 80e6 if dense else 50.0 * w.data.n_entries,
        }
    rows = _working_copy(w)
    if w.data.form == "sparse":
        return _fullest(
            {**rows, "conversion": 20.0 * w.data.n_entries},
            {**rows, "search": _of_search(w), "neighbors found": found},
        )
    training = 0.0
    if isinstance(w.chosen_searcher, FaissSearcher):
        n_trained = min(n / 7, 100 * math.sqrt(n))  # 40 rows for each list
        training = n_trained * (8.0 * w.data.n_features + 4 * COORDINATES)
    return _fullest(
        {**rows, "training of the search": training},
        {**rows, "search": _of_search(w), "neighbors found": found},
    )


def _of_search(w: Workload) -> float:
    """Bytes of the structure that is searched, and of the blocks in work."""
    n, d = w.n_samples, w.data.n_features
    if isinstance(w.chosen_searcher, ExactSearcher):
        if w.data.form == "sparse":
            return 12.0 * w.data.n_entries + w.n_search_jobs * 4.0 * min(1 << 23, 512 * n)
        return 4.0 * n + w.n_search_jobs * 4.0 * min(n, 4096) * (600 + d)
    if isinstance(w.chosen_searcher, FaissSearcher):
        coordinates = min(d, COORDINATES)
        # Lists grow by doubling, so a third more is reserved than used.
        return 1.3 * n * (2 * coordinates + 8) + 4.0 * coordinates * min(n, 1 << 16)
    if isinstance(w.chosen_searcher, NNDescentSearcher):
        return n * 36.0 * (w.degree + 10) + 100e6  # and the loops it compiles
    return 0.0  # somebody else's searcher


def _of_start(w: Workload) -> Parts:
    n, s = w.n_samples, w.reach(1)
    held = _graph(w)
    symmetric = n * (8 + 4.0 * s)
    if w.data.form in {"graph", "distances"}:
        return {**held, "one hop": 4 * symmetric, "distances": 40.0 * n}
    held |= _working_copy(w)
    n_sampled = count_sampled(n, w.problem.n_clusters)
    if w.init == "k-means++":
        return {**held, "sample": 10.0 * n_sampled * w.data.n_features}
    if w.init != "smoothed":
        return held
    smoothed = 4.0 * n * min(w.data.n_features, SMOOTHING_FEATURES)
    return _fullest(
        {**held, "smoothed rows": smoothed, "one hop": n * (8 + 16.0 * s)},
        {**held, "smoothed rows": 3 * smoothed, "one hop": n * (16 + 8.0 * s)},
        {**held, "smoothed rows": smoothed, "sample": n_sampled * 100.0 * SMOOTHING_FEATURES / 8},
    )


def _of_optimize(w: Workload) -> Parts:
    n, k, plan = w.n_samples, w.degree, w.plan
    n_stored = {w.stored_hops(w.near_hops), w.stored_hops(w.far_hops)}
    row_entries, row_bytes = _row(w)
    held = {
        **_graph(w),
        "hop lists": sum(n * (8 + 4 * w.reach(h)) for h in {1} | n_stored),
        "local averages": n * (8.0 + 8 * k),
        "memberships": 2.0 * n * (row_bytes + 4),
        "numbering": 24.0 * n,
    }
    entries = w.reach(w.n_hops) * w.pool_size  # of the lists of all pools
    size = position_bytes(w.pool_size)
    running = min(1.0, w.n_solver_jobs / plan.n_pools)  # share of the pools that are searched
    searched = running * (4 * entries + 4 * n * w.reach(w.near_hops)) + w.n_solver_jobs * 8.0 * n
    if w.stored_hops(w.far_hops) < w.far_hops:
        searched += running * 6 * n * w.reach(w.far_hops)  # walked on for their members only
    kept = 0.0
    if not plan.is_searched_once:
        kept = size * entries + 8 * n
    else:
        searched += running * size * entries
    return _fullest(
        {**held, "pools": kept, "search in pools": searched},
        {
            **held,
            "pools": kept,
            "batches": w.n_solver_jobs * plan.batch_size * (2.0 * row_bytes + 16),
        },
        {**held, "result": n * (20.0 * row_entries + 40)},
    )


def _of_map(w: Workload) -> Parts:
    n, drawn = w.n_samples, min(w.n_samples, MOST_DRAWN)
    row_entries, _ = _row(w)
    held = {**_graph(w), "result": n * (8.0 * row_entries + 40)}
    layout = drawn * (36.0 * w.reach(1) + 500)
    if drawn < n:
        held["thinned graph"] = 30.0 * n * w.reach(1) + 60.0 * drawn * w.reach(2) * drawn / n
    return {**held, "layout": layout}


def _row(w: Workload) -> tuple[int, float]:
    """Memberships kept of a sample, and the bytes they take in one of two copies."""
    n_clusters = w.problem.n_clusters
    if n_clusters <= DENSE_CLUSTERS:
        return n_clusters, 4.0 * dense_width(n_clusters)
    n_entries = entries_per_row(w.problem, w.options)
    return n_entries, 8.0 * n_entries


def _graph(w: Workload) -> Parts:
    """Return the neighbor graph, unless it is what was given."""
    if w.data.form == "graph":
        return {}
    return {"neighbor graph": w.n_samples * (8.0 + 8 * w.degree)}


def _working_copy(w: Workload) -> Parts:
    """Return the float32 rows that are searched and seeded."""
    n, d = w.n_samples, w.data.n_features
    size = 8.0 * w.data.n_entries + 8 * n if w.data.form == "sparse" else 4.0 * n * d
    return {"working copy of X": size}


def _fullest(*moments: Parts) -> Parts:
    return max(moments, key=lambda parts: sum(parts.values()))
