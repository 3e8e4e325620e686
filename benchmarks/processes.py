"""New Python processes, in the root of the repository."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]


class MeasurementError(Exception):
    """Something could not be measured; the message is the last line its process wrote."""


def last_line(arguments: Sequence[str], environment: dict[str, str] | None = None) -> str:
    """Run Python and return the last line it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise MeasurementError(reason[-1])
    return done.stdout.splitlines()[-1]
