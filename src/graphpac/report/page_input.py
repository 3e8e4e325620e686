"""What a caller gives beside the facts, and checks of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from graphpac._typing import AnyArray
from graphpac.report.facts import ReportFacts


class GivenRows(NamedTuple):
    """Ids of all rows, texts and images of those shown; see `write_report`."""

    ids: Sequence[Any] | None
    texts: Sequence[str] | None
    images: AnyArray | None


def check_rows(facts: ReportFacts, given: GivenRows) -> None:
    """Raise ValueError unless there is one id a row, and one text and image a row shown."""
    ids, texts, images = given
    if ids is not None and len(ids) != facts.n_rows:
        msg = f"ids has {len(ids)} entries for {facts.n_rows} rows: pass one for each row."
        raise ValueError(msg)
    n_shown = facts.shown_rows.size
    for name, values in (("texts", texts), ("images", images)):
        if values is not None and len(values) != n_shown:
            msg = (
                f"{name} has {len(values)} entries, but the report shows {n_shown} rows: pass one "
                "for each of facts.shown_rows, in that order."
            )
            raise ValueError(msg)
    if images is not None and not _are_images(images):
        msg = (
            f"images has dtype {images.dtype} and shape {images.shape}: pass a uint8 array of "
            "shape (n_shown, height, width) or (n_shown, height, width, 3)."
        )
        raise ValueError(msg)


def name_rows(ids: Sequence[Any] | None) -> Sequence[Any] | None:
    """Return ids, or None where they only repeat the number of each row."""
    if ids is None or all(str(name) == str(row) for row, name in enumerate(ids)):
        return None
    return ids


def _are_images(images: AnyArray) -> bool:
    is_gray = images.ndim == 3
    is_color = images.ndim == 4 and images.shape[3] == 3
    return images.dtype == np.uint8 and (is_gray or is_color) and 0 not in images.shape[1:3]
