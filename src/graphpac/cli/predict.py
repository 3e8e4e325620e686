"""``graphpac predict``: clusters of new rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphpac.cli import _options as option
from graphpac.cli._options import READING, split_names, valued
from graphpac.cli._output import print_json, say, watch_unless

HELP = """Give the rows of a file the clusters of a fitted model.

Columns of the output are those of labels.parquet: id, label, probability, second_label,
second_probability and entropy, and the columns to keep.

Example: graphpac predict run/ new.npy --output new-labels.parquet

Example: graphpac predict run/ new.csv --text-column text --keep-columns city,year -o new.csv
"""


def predict(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL", help="Folder of a run, or its model.graphpac.", show_default=False
        ),
    ],
    data: option.Data,
    *,
    output: Annotated[
        Path, valued("FILE", "Ends in .parquet or .csv.", "--output", "-o", show_default=False)
    ],
    overwrite: option.Overwrite = False,
    columns: option.Columns = None,
    id_column: option.IdColumn = None,
    text_column: Annotated[
        str | None, valued("NAME", "Column with texts, kept in the output.", panel=READING)
    ] = None,
    key: option.Key = None,
    keep_columns: option.KeepColumns = None,
    threads: option.Threads = None,
    json: option.Json = False,
    quiet: option.Quiet = False,
) -> None:
    """Predict, write and print; the help of the command is `HELP`."""
    from graphpac._wording import show_seconds
    from graphpac.runs.predicting import predict_file
    from graphpac.runs.source import Source

    texts = [] if text_column is None else [text_column]
    source = Source(
        name=data,
        columns=split_names("--columns", columns),
        id_column=id_column,
        key=key,
        keep_columns=(*texts, *(split_names("--keep-columns", keep_columns) or ())) or None,
    )
    found = predict_file(
        model, source, output, overwrite=overwrite, n_jobs=threads, watch=watch_unless(quiet)
    )
    if json:
        print_json(found)
    elif not quiet:
        say(
            f"{found['n_rows']:,} rows in {found['n_occupied']} of "
            f"{len(found['cluster_sizes'])} clusters, written to {output}; "
            f"{show_seconds(found['seconds'])}"
        )
