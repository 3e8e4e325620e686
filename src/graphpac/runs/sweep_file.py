"""The JSON file of a sweep: what was found about each number of clusters, and the suggestion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from graphpac._files import replacing
from graphpac._wording import short_path
from graphpac.exceptions import FileFormatError, ParameterError
from graphpac.io.changes import changed_values, in_brackets
from graphpac.io.checks import demand
from graphpac.selection import ComparedNumber, Suggestion

FORMAT = 2  # 1: of fits, by other criteria
_KIND = "graphpac sweep"
_UNFINISHED = "the sweep is not finished"
_FIELDS = [field.name for field in fields(ComparedNumber)]


class SweepFile:
    """Keeps candidates on disk, each as soon as it is judged; the file is replaced whole each time.

    The identity is all that decides what is found about a number of clusters, as JSON can hold it.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        self.path = path
        self.candidates: dict[int, ComparedNumber] = {}
        self.neighbors: int | None = None
        self._identity = dict(identity)

    def resume(self) -> None:
        """Take up what the file holds; ParameterError tells if that is of another sweep."""
        try:
            record = json.loads(self.path.read_bytes())
            demand((record["kind"], record["format"]) == (_KIND, FORMAT), "it is of another kind")
            was = dict(record["parameters"])
            found = [
                ComparedNumber(**{name: item[name] for name in _FIELDS})
                for item in record["candidates"]
            ]
            numbers = [value for item in found for value in astuple(item)]
            demand(all(type(value) in {int, float} for value in numbers), "a number is none")
            self.neighbors = int(record["n_neighbors"])
        except (ValueError, KeyError, TypeError) as error:
            msg = (
                f"{short_path(self.path)} is damaged, or not the file of a sweep: add --overwrite "
                "to replace it, or name another with --plot."
            )
            raise FileFormatError(msg) from error
        now = dict(self._identity)
        same_data = was.pop("data", None) == now.pop("data")
        differences = list(changed_values(was, now))
        if not same_data:
            differences.append("the data have changed")
        if differences:
            msg = (
                f"{short_path(self.path)} is of another sweep {in_brackets(differences)}: add "
                "--overwrite instead of --resume to replace it, or name another with --plot."
            )
            raise ParameterError(msg)
        self.candidates = {item.n_clusters: item for item in found}

    def add(self, candidate: ComparedNumber) -> None:
        """Keep a candidate."""
        self.candidates[candidate.n_clusters] = candidate
        self.write(Suggestion(None, _UNFINISHED, tuple(self.candidates.values())))

    def write(self, suggestion: Suggestion) -> dict[str, Any]:
        """Keep what is suggested; return what the file holds."""
        record = {
            "kind": _KIND,
            "format": FORMAT,
            "parameters": self._identity,
            "n_neighbors": self.neighbors,
            "n_clusters": suggestion.n_clusters,
            "reason": suggestion.reason,
            "candidates": suggestion.to_records(),
        }
        with replacing(self.path) as file:
            file.write(f"{json.dumps(record, indent=2)}\n".encode())
        return record
