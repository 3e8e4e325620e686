"""``graphpac estimate``: memory and time of a fit, told before it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from graphpac.cli import _options as option
from graphpac.cli._options import parse_clusters, split_names
from graphpac.cli._output import print_plan

HELP = """Tell how much memory and time a fit will take, before it.

Of a file only the shape is looked at; without a file, say how many rows and features there will be.

Example: graphpac estimate embeddings.npy --clusters 100

Example: graphpac estimate --rows 1281167 --features 512 --clusters 1000
"""


def estimate(
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="File of rows.", show_default=False)
    ] = None,
    *,
    clusters: option.Clusters,
    rows: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many rows, instead of a file.")
    ] = None,
    features: Annotated[
        int | None, typer.Option(min=1, metavar="D", help="How many features each has.")
    ] = None,
    columns: option.Columns = None,
    id_column: option.IdColumn = None,
    key: option.Key = None,
    metric: option.MetricOption = option.Metric.cosine,
    neighbors: option.Neighbors = None,
    fuzziness: option.Fuzziness = 1.05,
    max_iter: option.MaxIter = None,
    no_report: option.NoReport = False,
    threads: option.Threads = None,
    json: option.Json = False,
) -> None:
    """Estimate and print; the help of the command is `HELP`."""
    from graphpac import GPAC
    from graphpac import estimate as estimate_size
    from graphpac.runs.plan import estimate_source, with_report
    from graphpac.runs.source import Source

    parameters: dict[str, Any] = {
        "metric": metric.value,
        "n_neighbors": neighbors or "auto",
        "fuzziness": fuzziness,
        "max_iter": max_iter or "auto",
        "n_jobs": threads,
    }
    n_clusters = parse_clusters(clusters)
    model = GPAC(n_clusters, **parameters)
    if data is not None and rows is None and features is None:
        source = Source(
            name=data, columns=split_names("--columns", columns), id_column=id_column, key=key
        )
        plan = estimate_source(source, model)
    elif data is None and rows is not None and features is not None:
        plan = estimate_size(rows, features, n_clusters, **parameters)
    else:
        msg = "name a file, or give both --rows and --features instead."
        raise typer.BadParameter(msg)
    print_plan(plan if no_report else with_report(plan, model), json=json)
