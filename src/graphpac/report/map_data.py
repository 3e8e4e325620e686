"""The points of the map as compact text that the script of the page unpacks."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphpac._typing import AnyArray
from graphpac.report.facts import ReportFacts
from graphpac.report.wording import shorten

LONGEST_ID = 48
_LAST_STEP = 65535  # coordinates are numbers of two bytes


def map_data(facts: ReportFacts, ids: Sequence[Any] | None, colors: list[str]) -> dict[str, Any]:
    """Collect what the script needs: points of about a dozen bytes each, and the clusters.

    Ids are names of all rows, if there are any, cut where they are long.
    """
    wide = facts.n_clusters > 256
    rows = facts.map_rows.tolist()
    return {
        "rows": _packed(facts.map_rows, "<u4"),
        "coordinates": _packed(_steps(facts.map_coordinates), "<u2"),
        "clusters": _packed(facts.map_clusters, "<u2" if wide else "<u1"),
        "wide": wide,
        "memberships": _packed(np.rint(facts.map_memberships * 255), "<u1"),
        "nTop": facts.map_clusters.shape[1],
        "ids": None if ids is None else [shorten(ids[row], LONGEST_ID) for row in rows],
        "colors": colors,
        "sizes": facts.cluster_sizes.tolist(),
        "certainties": np.round(facts.cluster_certainties, 4).tolist(),
    }


def as_script_json(value: Any) -> str:
    """Write JSON that can stand inside a script element: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # The same text to JSON; U+2028 and U+2029 end a line of a script, but not one of JSON.
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _steps(coordinates: AnyArray) -> AnyArray:
    """Scale coordinates to whole steps, alike in both directions, centered in the square of all."""
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    span = float((high - low).max())
    scale = _LAST_STEP / span if span > 0.0 else 0.0
    steps: AnyArray = np.rint((coordinates - (low + high) / 2.0) * scale + _LAST_STEP / 2.0)
    return np.clip(steps, 0, _LAST_STEP)


def _packed(array: AnyArray, dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array.astype(dtype)).tobytes()).decode("ascii")
