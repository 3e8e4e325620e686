"""The report of a run: made with the fit, and whenever it is asked for again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, Progress
from graphpac._wording import short_path
from graphpac.estimators import GPAC
from graphpac.io.container import read_file, write_file
from graphpac.report.facts import ReportFacts, collect_facts, facts_from_contents, facts_to_contents
from graphpac.report.html import write_report
from graphpac.runs.folder import LABELS, RECORD, REPORT, SUMMARY, RunFolder
from graphpac.runs.labels import Ids, read_ids
from graphpac.runs.notices import Tell
from graphpac.runs.outputs import check_file, is_same
from graphpac.runs.record import describe_data, describe_file, read_record, write_record
from graphpac.runs.run_page import Page, about_lines, check_image_shape
from graphpac.runs.source import Source
from graphpac.runs.watch import Watch

if TYPE_CHECKING:
    from graphpac.io.readers import Table

KIND = "report facts"


def write_pages(
    place: Path, model: GPAC, table: Table, page: Page, about: Mapping[str, str], progress: Progress
) -> None:
    """Write the report of a fit, and the facts it can be made from again."""
    facts = collect_facts(model, progress=progress)
    write_file(place / SUMMARY, KIND, facts_to_contents(facts))
    _write(place / REPORT, facts, page, about, table.ids, table)


def report_again(
    folder: RunFolder,
    *,
    output: Path | None = None,
    overwrite: bool = False,
    title: str | None = None,
    text_column: str | None = None,
    image_shape: tuple[int, ...] | None = None,
    data: str | None = None,
    watch: Watch,
    tell: Tell,
) -> Path:
    """Write the report of a finished run, and return where it is.

    What is not given is as it was when it was fitted; the page is by default that of the run, which
    is replaced. ``data`` is where the data are now: they are read for texts and images only.
    ``tell`` is told if these had to be left out.
    """
    record = read_record(folder)
    own = folder.path / REPORT
    target = own if output is None or is_same(output, own) else output
    if target is not own:
        inputs = [*folder.files, Path(data or _locate(folder, record["input"]))]
        check_file(
            target, "--output", endings=(".html", ".htm"), inputs=inputs, overwrite=overwrite
        )
    facts = facts_from_contents(read_file(folder.file(SUMMARY), KIND))
    stored, was = record["input"], record["page"]
    shape = image_shape or was["image_shape"]
    page = Page(title=title or was["title"], image_shape=None if shape is None else tuple(shape))
    source = Source(**stored["source"])
    source = replace(source, text_column=text_column or source.text_column)
    table = None
    if source.text_column is not None or page.image_shape is not None:
        check_image_shape(page.image_shape, stored["n_columns"])
        path = data or _locate(folder, stored)
        if Path(path).exists():
            _check_is_the_same(path, stored)
            with watch("read") as progress:
                table = replace(source, name=path, keep_columns=None).read(progress)
        else:
            problem = f"{short_path(path)} is not there, and only it holds texts and images"
            if text_column or image_shape or data:
                msg = f"{problem}: say with --data where it is."
                raise FileNotFoundError(msg)
            tell(f"{problem}: the report shows none; say with --data where it is.")
    _write(target, facts, page, about_lines(record), read_ids(folder.file(LABELS)), table)
    if target is own:
        record |= {"page": asdict(page), "input": {**stored, "source": asdict(source)}}
        record["outputs"][REPORT] = describe_file(target)
        write_record(folder.path / RECORD, record)
    return target


def _write(
    path: Path,
    facts: ReportFacts,
    page: Page,
    about: Mapping[str, str],
    ids: Ids,
    table: Table | None,
) -> None:
    texts = images = None
    if table is not None and table.texts is not None:
        texts = [table.texts[row] for row in facts.shown_rows.tolist()]
    if table is not None and page.image_shape is not None:
        images = _images(table.X, facts.shown_rows, page.image_shape)
    write_report(path, facts, title=page.title, about=about, ids=ids, texts=texts, images=images)


def _images(X: Any, rows: AnyArray, shape: tuple[int, ...]) -> AnyArray:
    """Return some rows as images, their values stretched from black to white unless bytes."""
    chosen = X[rows]
    pixels = np.asarray(chosen.toarray() if sp.issparse(chosen) else chosen)
    if pixels.dtype != np.uint8:
        values = pixels.astype(np.float64)
        low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
        span = high - low if high > low else 1.0
        pixels = np.rint(255.0 * (values - low) / span).astype(np.uint8)
    height, width, *channels = shape
    return pixels.reshape(-1, height, width, *(n for n in channels if n > 1))


def _locate(folder: RunFolder, stored: Mapping[str, Any]) -> str:
    path = stored["path"]
    return "the standard input of the fit" if path is None else str(folder.path / path)


def _check_is_the_same(path: str, stored: Mapping[str, Any]) -> None:
    if stored["sha256"] not in {None, describe_data(Source(name=path))["sha256"]}:
        msg = f"{short_path(path)} is not what was clustered, or has changed since."
        raise ValueError(msg)
