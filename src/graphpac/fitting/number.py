"""The stage of a fit that counts clusters, if their number is left open."""

from __future__ import annotations

from dataclasses import replace

from graphpac.fitting.progress import logger
from graphpac.fitting.run import FitRun
from graphpac.graph import NeighborGraph
from graphpac.io.parts import COUNT, Sizes
from graphpac.solvers.counting import count_clusters


def count_if_asked(run: FitRun, graph: NeighborGraph) -> FitRun:
    """Return the fit with its number of clusters, counted on the graph in the stage "count"."""
    if run.n_clusters:
        return run
    with run.log.stage("count") as progress:
        n_clusters = run.kept.take(
            COUNT, lambda: count_clusters(graph, n_jobs=run.n_jobs, progress=progress)
        )
    logger.info('n_clusters="auto" is %d', n_clusters)
    run.kept.expect(Sizes(run.n_samples, n_clusters))
    return replace(run, n_clusters=n_clusters)
