"""A fit of a file into the folder of a run."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from graphpac._files import replacing
from graphpac.estimators import GPAC
from graphpac.fitting.input import columns_named
from graphpac.metrics import fuzzy_partition_coefficient, fuzzy_partition_entropy
from graphpac.models import save
from graphpac.runs.environment import installed_versions
from graphpac.runs.folder import LABELS, MEMBERSHIPS, MODEL, OUTPUTS, RECORD, RunFolder
from graphpac.runs.kept import carried_columns
from graphpac.runs.labels import COLUMNS, describe_rows, write_labels
from graphpac.runs.notices import Tell, collecting_warnings
from graphpac.runs.outputs import check_is_no_input
from graphpac.runs.record import (
    FORMAT,
    describe_data,
    describe_file,
    describe_parameters,
    write_record,
)
from graphpac.runs.run_page import Page, about_lines, check_image_shape
from graphpac.runs.source import Source
from graphpac.runs.watch import Watch

if TYPE_CHECKING:
    from graphpac.io.readers import Table


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How a fit of a file is to end, beside the parameters of the model."""

    resume: bool = False
    overwrite: bool = False
    compact: bool = False
    page: Page | None = None  # None: without a report


def fit_run(
    folder: RunFolder, source: Source, model: GPAC, options: FitOptions, *, watch: Watch, tell: Tell
) -> dict[str, Any]:
    """Read rows, cluster them and write everything; return the record of the run.

    A fit that is left keeps what it has reached in the folder; nothing else of it stays. ``tell``
    is told every warning.
    """
    began = perf_counter()
    for name in OUTPUTS:
        check_is_no_input(folder.path / name, "--output", source.inputs)
    with (
        folder.opened(resume=options.resume, overwrite=options.overwrite),
        collecting_warnings(tell) as warnings,
    ):
        with watch("read") as progress:
            table = source.read(progress)
        kept = carried_columns(table.kept, COLUMNS)
        if options.page is not None:
            check_image_shape(options.page.image_shape, table.X.shape[1])
        read = perf_counter()
        with columns_named(table.columns):
            model.fit(table.X, checkpoint=folder.checkpoint)
        fitted = perf_counter()
        record = {
            "format": FORMAT,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": installed_versions(),
            "input": _describe_input(source, table, folder),
            "parameters": describe_parameters(model),
            "fit": _describe_fit(model),
            "page": None if options.page is None else asdict(options.page),
        }
        with folder.replacing_outputs() as place:
            write_labels(place / LABELS, table.ids, [describe_rows(model.memberships_)], kept)
            with replacing(place / MEMBERSHIPS) as file:
                sp.save_npz(file, model.memberships_)
            saved = save(model, place / MODEL, compact=options.compact)
            if options.page is not None:
                from graphpac.runs.reporting import write_pages

                with watch("map") as progress:
                    write_pages(place, model, table, options.page, about_lines(record), progress)
            written = [name for name in OUTPUTS if (place / name).exists()]
            record |= {
                "model": asdict(saved),
                "outputs": {name: describe_file(place / name) for name in written},
                "seconds": {
                    "read": read - began,
                    **model.timings_,
                    "write": perf_counter() - fitted,
                    "all": perf_counter() - began,
                },
                "warnings": warnings,
            }
            write_record(place / RECORD, record)
    return record


def _describe_input(source: Source, table: Table, folder: RunFolder) -> dict[str, Any]:
    return {
        "source": asdict(source),
        "path": _seen_from(folder.path, source.name) if source.inputs else None,
        **describe_data(source),
        "n_rows": table.X.shape[0],
        "n_columns": table.X.shape[1],
        "dtype": str(table.X.dtype),
        "columns": table.columns,
    }


def _seen_from(folder: Path, path: str) -> str:
    """Return where a file is as seen from a folder, so that both can be moved together."""
    try:
        return os.path.relpath(path, folder)
    except ValueError:  # on another drive of Windows
        return str(Path(path).resolve())


def _describe_fit(model: GPAC) -> dict[str, Any]:
    sizes = model.cluster_sizes_
    return {
        "n_clusters": int(sizes.size),
        "n_occupied": int(np.count_nonzero(sizes)),
        "cluster_sizes": sizes.tolist(),
        "mean_probability": float(model.probabilities_.mean(dtype=np.float64)),
        "partition_coefficient": fuzzy_partition_coefficient(model.memberships_),
        "partition_entropy": fuzzy_partition_entropy(model.memberships_),
        "objective": float(model.objective_),
        "candidates": [
            {
                "origin": candidate.origin,
                "likelihood": candidate.likelihood,
                "seconds": candidate.seconds,
                "chosen": candidate.chosen,
            }
            for candidate in model.candidates_
        ],
        "n_iter": model.n_iter_,
        "converged": bool(model.converged_),
        "n_neighbors": model.n_neighbors_,
        "n_hops": model.n_hops_,
        "batch_size": model.batch_size_,
        "n_components": model.graph_.n_components,
        "findings": [finding._asdict() for finding in model.findings_],
    }
