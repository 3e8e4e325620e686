"""Clusters of the rows of a file, by a model that was saved."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from graphpac._typing import AnyArray, Progress
from graphpac._wording import listing
from graphpac.exceptions import ParameterError
from graphpac.models import load
from graphpac.runs.folder import MODEL, RunFolder
from graphpac.runs.kept import carried_columns
from graphpac.runs.labels import COLUMNS, ENDINGS, RowLabels, describe_rows, write_labels
from graphpac.runs.outputs import check_file
from graphpac.runs.source import Source
from graphpac.runs.watch import Watch

if TYPE_CHECKING:
    from graphpac.io.readers import Table

BLOCK_ROWS = 1 << 16


def predict_file(
    model_path: Path,
    source: Source,
    output: Path,
    *,
    overwrite: bool = False,
    n_jobs: int | None = None,
    watch: Watch,
) -> dict[str, Any]:
    """Predict the rows of a file and write what each got; return facts for the user.

    The model is a file, or the folder of a run; the output a table, .parquet or .csv.
    """
    began = perf_counter()
    run = RunFolder(model_path)
    path = run.file(MODEL) if model_path.is_dir() else model_path
    inputs = (*source.inputs, path, *run.files)
    check_file(output, "--output", endings=ENDINGS, inputs=inputs, overwrite=overwrite)
    model = load(path, n_jobs=n_jobs)
    with watch("read") as progress:
        table = source.read(progress)
    kept = carried_columns(table.kept, COLUMNS, to_csv=output.suffix == ".csv")
    X = rows_for(model, table)
    counts = np.zeros(model.n_clusters, dtype=np.int64)
    with watch("predict") as progress:
        write_labels(output, table.ids, _predict(model, X, counts, progress), kept)
    return {
        "n_rows": int(X.shape[0]),
        "cluster_sizes": counts.tolist(),
        "n_occupied": int(np.count_nonzero(counts)),
        "output": str(output),
        "seconds": perf_counter() - began,
    }


def rows_for(model: Any, table: Table) -> Any:
    """Return the rows of a table with the columns the model was fitted on, in their order."""
    names = getattr(model, "feature_names_in_", None)
    if names is not None and table.columns is not None:
        return _chosen(list(names), table)
    n_columns = table.X.shape[1]
    if n_columns != model.n_features_in_:
        msg = (
            f"{table.source} has {n_columns} columns of numbers, but the model was fitted on "
            f"{model.n_features_in_}: choose the right ones with --columns, or another file."
        )
        raise ParameterError(msg)
    return table.X


def _chosen(names: list[str], table: Table) -> Any:
    found = {name: place for place, name in enumerate(table.columns or ())}
    missing = [name for name in names if name not in found]
    if missing:
        msg = (
            f"{table.source} lacks {len(missing)} of the {len(names)} columns the model was "
            f"fitted on ({listing(missing, 3)})."
        )
        raise ParameterError(msg)
    places = [found[name] for name in names]
    return table.X if places == list(range(table.X.shape[1])) else table.X[:, places]


def _predict(model: Any, X: Any, counts: AnyArray, progress: Progress) -> Iterator[RowLabels]:
    """Predict and count some rows at a time: what a row gets does not depend on the others."""
    n_rows = X.shape[0]
    for start in range(0, n_rows, BLOCK_ROWS):
        with warnings.catch_warnings():
            # The names were compared before, and are not in the array.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            memberships = model.predict_memberships(X[start : start + BLOCK_ROWS])
        facts = describe_rows(memberships)
        counts += np.bincount(facts.label, minlength=counts.size)
        yield facts
        progress(min(start + BLOCK_ROWS, n_rows), n_rows)
