"""Code in a new interpreter, for what begins with an import: that of a package, or of another."""

from __future__ import annotations

import os
import subprocess
import sys

from benchmarks import ROOT
from graphpac.measuring.own_process import MeasurementError


def printed_by(code: str, *arguments: str, environment: dict[str, str] | None = None) -> str:
    """Return what code prints, run in the root of the repository."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise MeasurementError(done.stderr.strip().rpartition("\n")[2])
    return done.stdout
