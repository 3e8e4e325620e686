"""What the page of a run shows beside the facts of the fit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphpac._wording import listing
from graphpac.exceptions import ParameterError
from graphpac.runs.source import Source

MOST_COLUMNS = 12  # named on the page and in the terminal


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a report shows beside the facts of the fit.

    ``image_shape`` is the height, the width and, for colors, the number 3.
    """

    title: str
    image_shape: tuple[int, ...] | None = None


def check_image_shape(shape: tuple[int, ...] | None, n_columns: int) -> None:
    """Raise ParameterError unless rows of that many numbers are images of that shape."""
    if shape is not None and (needed := math.prod(shape)) != n_columns:
        shown = "x".join(map(str, shape))
        msg = f"--image-shape {shown} takes {needed} numbers, but the rows have {n_columns}."
        raise ParameterError(msg)


def about_lines(record: Mapping[str, Any]) -> dict[str, str]:
    """Say what was clustered, as lines of the table at the head of the report."""
    stored = record["input"]
    shape = f"{stored['n_rows']:,} x {stored['n_columns']:,}"
    return {
        "Data": Source(name=stored["source"]["name"]).title,
        "Rows x features": f"{shape} ({stored['dtype']})",
        **({"Columns": listing(stored["columns"], MOST_COLUMNS)} if stored["columns"] else {}),
        "Clustered": f"{record['created'][:10]} by graphpac {record['versions']['graphpac']}",
    }
