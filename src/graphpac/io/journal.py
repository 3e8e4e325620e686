"""A file that only grows: one JSON object a line, on disk before the next is begun."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def append_entry(path: Path, entry: Mapping[str, Any]) -> None:
    """Write a line, and see to it that it is on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(entry)
    with path.open("ab+") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # a killed run left a line half-written
                line = f"\n{line}"
        file.write(f"{line}\n".encode())
        file.flush()
        os.fsync(file.fileno())


def read_entries(path: Path) -> list[dict[str, Any]]:
    """Read all lines; one that a killed run left half-written is passed over."""
    if not path.exists():
        return []
    entries = []
    for line in path.read_bytes().splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            entries.append(entry)
    return entries
