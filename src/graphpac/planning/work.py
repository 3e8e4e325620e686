"""Seconds of each phase of a fit: counts of operations, times what they take on one known thread.

The nanoseconds below were measured on one core of a virtual machine (2.3 GHz, AVX-512), on
mixtures and on MNIST from 20,000 to 150,000 rows. Another machine is slower or faster by a factor
for each phase, its `Calibration`.
"""

from __future__ import annotations

import math

from graphpac.graph.searchers.exact import (
    ExactSearcher,
    exact_nanoseconds,
    exact_sparse_nanoseconds,
    ranking_nanoseconds,
)
from graphpac.graph.searchers.faiss_index import LOOKED_AT_PER_NEIGHBOR, FaissSearcher
from graphpac.planning.memory import COORDINATES
from graphpac.planning.workload import Workload
from graphpac.solvers.layout import (
    FEWEST_WAVE_ROUNDS,
    MOST_DRAWN,
    N_ROUNDS,
    N_WAVES,
    SPARE_WAVES,
)
from graphpac.solvers.options import DENSE_CLUSTERS
from graphpac.solvers.seeding import (
    LLOYD_STEPS,
    SEEDS_AT_ONCE,
    SEEDS_PER_GROUP,
    SMOOTHING_FEATURES,
    SMOOTHING_STEPS,
    count_draws,
    count_sampled,
)
from graphpac.solvers.spectral import DEGREE

NANOSECOND = 1e-9
CACHED_BATCH = 1 << 14  # sparse rows of so many samples are found in a cache of 2 MB


def seconds_of(workload: Workload) -> dict[str, float]:
    """Seconds of the phases on the known machine, with the threads of the workload."""
    w = workload
    per_sample = {"graph": _of_graph(w), "start": _of_start(w), "optimize": _of_optimize(w)}
    threads = {"graph": w.n_jobs, "start": w.n_jobs, "optimize": w.n_solver_jobs}
    if w.map_method is not None:
        per_sample["map"] = _of_map(w)
        threads["map"] = 1 if w.map_method == "umap" else w.n_jobs
    return {
        name: nanoseconds * w.n_samples / threads[name] * NANOSECOND
        for name, nanoseconds in per_sample.items()
    }


def _of_graph(w: Workload) -> float:
    n, d, k = w.n_samples, w.data.n_features, w.degree
    if w.data.form == "graph":
        return 0.0
    if w.data.form == "distances":
        return (10.0 if w.data.n_entries == n**2 else 500.0) * w.data.n_entries / n
    if isinstance(w.chosen_searcher, ExactSearcher):
        if w.data.form == "dense":
            return exact_nanoseconds(n, d) + ranking_nanoseconds(k, d)
        comparing = exact_sparse_nanoseconds(n, w.data.n_products / n)
        return comparing + ranking_nanoseconds(k, w.data.n_entries / n)
    if isinstance(w.chosen_searcher, FaissSearcher):
        n_lists = max(1.0, min(n / 280, 2.5 * math.sqrt(n)))
        coordinates = min(d, COORDINATES)
        n_candidates = w.chosen_searcher.candidates_of(k)
        n_looked_at = max(w.chosen_searcher.n_probe * n / n_lists, LOOKED_AT_PER_NEIGHBOR * k)
        # Projected twice, compared with all centroids twice and with the rows of some lists.
        compared = coordinates * (2 * d + 2 * n_lists + n_looked_at)
        return 0.07 * compared + n_candidates * (400 + 0.5 * d)
    # Nearest neighbor descent compiles for most of a minute and uses one thread; others may differ.
    return w.n_jobs * (100_000 + 45 / NANOSECOND / n)


def _of_start(w: Workload) -> float:
    n, d, c, s = w.n_samples, w.data.n_features, w.problem.n_clusters, w.reach(1)
    if w.data.form in {"graph", "distances"}:
        return c * s * 5.0
    if w.init not in {"smoothed", "k-means++"}:
        return 0.0
    width = d if w.init == "k-means++" else min(d, SMOOTHING_FEATURES)
    n_sampled = count_sampled(n, c)
    n_at_once = c if c <= SEEDS_AT_ONCE else SEEDS_PER_GROUP
    # k-means++ tries 2 + log(c) rows for each seed.
    drawing = 0.3 * width * n_sampled / n * n_at_once * (2 + math.log(n_at_once))
    assigning = 0.06 * width * c
    if w.init == "k-means++":
        return drawing + assigning
    n_draws = count_draws(c)
    improving = assigning * n_sampled / n * (LLOYD_STEPS + 1)
    averaging = 0.1 * width * w.data.n_entries / n + 35 * SMOOTHING_STEPS * s + 1500
    return averaging + n_draws * (drawing + improving) + assigning


def _of_optimize(w: Workload) -> float:
    walks = sum(_of_walk(w, h) for h in range(2, w.stored_hops(w.far_hops) + 1))
    on_demand = sum(_of_walk(w, h) for h in range(w.stored_hops(w.far_hops) + 1, w.far_hops + 1))
    share = w.pool_size / w.n_samples
    hits = w.reach(w.far_hops) * w.reach(w.near_hops) * share
    listed = w.reach(w.n_hops) * share
    deal = on_demand + 10 * w.reach(w.far_hops) + 3 * hits + 2 * listed
    return 3000 + walks + w.n_deals * deal + w.problem.max_iter * _of_update(w, listed)


def _of_walk(w: Workload, n_hops: int) -> float:
    """Nanoseconds to list the samples within some hops from the lists of one hop less."""
    return 20 * w.reach(1) * w.reach(n_hops - 1) + 30 * w.reach(n_hops)


def _of_update(w: Workload, listed: float) -> float:
    """Nanoseconds to update the memberships of one sample once."""
    c, k = w.problem.n_clusters, w.degree
    near = w.reach(w.n_hops) * w.plan.batch_size / w.n_samples
    if c <= DENSE_CLUSTERS:
        lanes = math.ceil(c / 16)
        return 300 + listed + lanes * (8 * near + 5 * k + 100)
    # Rows of a long batch leave the cache between two looks at them.
    look, average = (20, 150) if w.plan.batch_size <= CACHED_BATCH else (45, 250)
    return 2500 + listed + look * near + average * k + 3.5 * c


def _of_map(w: Workload) -> float:
    """Nanoseconds to draw the map of the report, for each sample of the fit."""
    others = 3000.0  # what else the report shows
    if w.map_method == "umap":
        return others + 700_000
    drawn = min(w.n_samples, MOST_DRAWN) / w.n_samples
    s = w.reach(1)
    thinning = 0.0
    if drawn < 1.0:
        s = 1.6 * w.degree
        n_walked = s ** max(2, math.ceil(math.log(w.degree / drawn, s)))
        thinning = 60 * s + drawn * (25 * n_walked + 250 * drawn * n_walked)
    waves = FEWEST_WAVE_ROUNDS * DEGREE * (1 + N_WAVES + SPARE_WAVES) * (0.7 * s + 8)
    return others + thinning + drawn * (waves + N_ROUNDS * (100 + 4 * s))
