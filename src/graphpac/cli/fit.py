"""``graphpac fit``: cluster the rows of a file into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphpac.cli import _options as option
from graphpac.cli._options import flag, parse_clusters, parse_image_shape, split_names, valued
from graphpac.cli._output import (
    lines_unless,
    print_json,
    print_plan,
    print_table,
    say,
    warn,
    watch_unless,
)

if TYPE_CHECKING:
    from graphpac import GPAC
    from graphpac.runs.fitting import FitOptions
    from graphpac.runs.source import Source

HELP = """Cluster the rows of a file.

Writes into the folder RUN: labels.parquet (id, label, probability, second choice and entropy of
each row), memberships.npz, model.graphpac (for predict), run.json and report.html.

A fit that was stopped goes on where it was with --resume.

Example: graphpac fit embeddings.npy --clusters 10 --output run/

Example: graphpac fit embeddings.npy --clusters auto --output run/

Example: graphpac fit rows.csv -c 20 --id-column id --text-column text -o run/
"""


Output = Annotated[
    Path | None, valued("RUN", "Folder, made if need be.", "--output", "-o", show_default=False)
]
Compact = Annotated[
    bool, flag("--compact", about="Make the model file smaller; 99 % the same labels.")
]
Resume = Annotated[
    bool, flag("--resume", about="Go on with a fit in RUN that was stopped; fine if it is done.")
]
Overwrite = Annotated[bool, flag("--overwrite", about="Replace a finished run.")]
DryRun = Annotated[
    bool, flag("--dry-run", about="Only tell how much memory and time it would take.")
]


def fit(
    data: option.Data,
    *,
    clusters: option.Clusters,
    output: Output = None,
    columns: option.Columns = None,
    id_column: option.IdColumn = None,
    text_column: option.TextColumn = None,
    key: option.Key = None,
    keep_columns: option.KeepColumns = None,
    metric: option.MetricOption = option.Metric.cosine,
    neighbors: option.Neighbors = None,
    fuzziness: option.Fuzziness = 1.05,
    alpha: option.Alpha = 1.0,
    sizes: option.SizesOption = option.Sizes.even,
    variant: option.VariantOption = option.Variant.best,
    starts: option.Starts = 1,
    max_iter: option.MaxIter = None,
    seed: option.Seed = 0,
    image_shape: option.ImageShape = None,
    title: option.Title = None,
    no_report: option.NoReport = False,
    compact: Compact = False,
    resume: Resume = False,
    overwrite: Overwrite = False,
    dry_run: DryRun = False,
    threads: option.Threads = None,
    json: option.Json = False,
    quiet: option.Quiet = False,
) -> None:
    """Fit, write and print; the help of the command is `HELP`."""
    shape, n_clusters = parse_image_shape(image_shape), parse_clusters(clusters)
    if output is None and not dry_run:
        msg = "name the folder to write to."
        raise typer.BadParameter(msg, param_hint="--output")

    from graphpac import GPAC
    from graphpac.runs.source import Source

    source = Source(
        name=data,
        columns=split_names("--columns", columns),
        id_column=id_column,
        text_column=text_column,
        key=key,
        keep_columns=split_names("--keep-columns", keep_columns),
    )
    method: dict[str, Any] = {"metric": metric.value, "n_neighbors": neighbors or "auto"}
    method |= {"fuzziness": fuzziness, "alpha": alpha, "max_iter": max_iter or "auto"}
    method |= {"sizes": sizes.value, "variant": variant.value, "n_init": starts}
    method |= {"random_state": seed, "n_jobs": threads, "verbose": 0 if quiet else 1}
    model = GPAC(n_clusters, **method)
    if output is None or dry_run:
        from graphpac.runs.plan import estimate_source, with_report

        plan = estimate_source(source, model)
        print_plan(plan if no_report else with_report(plan, model), json=json)
        return

    from graphpac.runs.fitting import FitOptions
    from graphpac.runs.run_page import Page

    page = None if no_report else Page(title=title or source.title, image_shape=shape)
    options = FitOptions(resume=resume, overwrite=overwrite, compact=compact, page=page)
    _fit(output, source, model, options, json=json, quiet=quiet)


def _fit(
    output: Path, source: Source, model: GPAC, options: FitOptions, *, json: bool, quiet: bool
) -> None:
    from graphpac.runs.folder import RunFolder

    run = RunFolder(output)
    was_finished = options.resume and not options.overwrite and run.is_finished
    if was_finished:
        from graphpac.runs.finished import finished_record

        record = finished_record(run, source, model)
    else:
        from graphpac.runs.fitting import fit_run

        with lines_unless(quiet, "graphpac.notices"):
            record = fit_run(run, source, model, options, watch=watch_unless(quiet), tell=warn)
    if json:
        print_json(record)
    elif not quiet:
        if was_finished:
            say(f"{output} holds this run, finished at {record['created']}: nothing is left to do.")
        _print_summary(output, record)


def _print_summary(output: Path, record: dict[str, Any]) -> None:
    from graphpac._wording import listing, show_bytes, show_seconds
    from graphpac.runs.run_page import MOST_COLUMNS

    found, given = record["fit"], record["input"]
    sizes = [size for size in found["cluster_sizes"] if size]
    clusters = f"{len(sizes):,} clusters of {min(sizes):,} to {max(sizes):,} rows"
    if len(sizes) == 1:
        clusters = "1 cluster"
    elif max(sizes) == 1:
        clusters = f"{len(sizes):,} clusters of 1 row each"
    say(f"{given['n_rows']:,} rows of {given['n_columns']:,} numbers in {clusters}")
    if given["columns"]:
        say(f"columns: {listing(given['columns'], MOST_COLUMNS)}")
    took = show_seconds(record["seconds"]["all"])
    say(f"mean probability {found['mean_probability']:.3f}; {took} in all\n")
    rows = [
        (str(output / name), show_bytes(facts["bytes"]))
        for name, facts in record["outputs"].items()
    ]
    print_table(("written", "size"), rows)
    model = record["model"]
    if model["agreement"] is not None:
        say(
            f"The model holds {model['n_rows']:,} of {model['n_training_rows']:,} rows, which give "
            f"{model['agreement']:.2%} of the rows the same label."
        )
