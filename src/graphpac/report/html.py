"""The report: one HTML file that needs nothing but a browser."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from graphpac._files import replacing
from graphpac._typing import AnyArray
from graphpac.report.facts import ReportFacts
from graphpac.report.map_data import as_script_json, map_data
from graphpac.report.page import describe_page
from graphpac.report.page_input import GivenRows, check_rows, name_rows
from graphpac.report.palette import colors_on_map, to_hex

_SCRIPTS = ("data.js", "view.js", "drawing.js", "map.js", "page.js")


def write_report(
    path: Path,
    facts: ReportFacts,
    *,
    title: str,
    about: Mapping[str, str] | None = None,
    ids: Sequence[Any] | None = None,
    texts: Sequence[str] | None = None,
    images: AnyArray | None = None,
) -> int:
    """Write the report as one file, whole or not at all.

    Nothing given here is trusted: it is shown as text, whatever it is.

    Parameters
    ----------
    path : Path
        The file; one that exists is replaced.
    facts : ReportFacts
        From `collect_facts`.
    title : str
        Heading of the page.
    about : mapping, optional
        What was clustered, as lines of a table: file, columns, versions. Parameters and facts of
        the fit follow these by themselves.
    ids : sequence of length n_rows, optional
        Names of all rows; by default their numbers.
    texts : sequence of str, optional
        Texts of the rows ``facts.shown_rows``, in that order.
    images : uint8 array of shape (n_shown, height, width) or (n_shown, height, width, 3), optional
        Pictures of the rows ``facts.shown_rows``, in that order.

    Returns
    -------
    n_bytes : int
        Size of the file.
    """
    check_rows(facts, GivenRows(ids, texts, images))
    page = render_report(facts, title, about or {}, GivenRows(name_rows(ids), texts, images))
    # A lone half of a surrogate pair, as undecodable file names have, cannot be written.
    raw = page.encode("utf-8", errors="replace")
    with replacing(path) as file:
        file.write(raw)
    return len(raw)


def render_report(
    facts: ReportFacts, title: str, about: Mapping[str, str], given: GivenRows
) -> str:
    """Fill the template: everything is escaped but our own style and script."""
    from jinja2 import Environment
    from markupsafe import Markup

    colors = to_hex(
        colors_on_map(facts.map_coordinates, facts.map_clusters[:, 0], facts.n_clusters)
    )
    script = '"use strict";\n(() => {\n' + "\n".join(map(_source, _SCRIPTS)) + "})();"
    template = Environment(autoescape=True, trim_blocks=True).from_string(_source("report.html"))
    return template.render(
        **describe_page(facts, title, about, given),
        colors=colors,
        style=Markup(_source("report.css")),  # noqa: S704
        script=Markup(script),  # noqa: S704
        # No other script than this one runs, whatever gets into the page.
        script_hash=_content_hash(script),
        map_data=Markup(as_script_json(map_data(facts, given.ids, colors))),  # noqa: S704
    )


def _source(name: str) -> str:
    return files("graphpac.report").joinpath("templates", name).read_text(encoding="utf-8")


def _content_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")
