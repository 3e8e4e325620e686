"""Resident memory of processes, in MB: with the pages of memory maps, as far as they were read."""

from __future__ import annotations

import subprocess
from pathlib import Path

from graphpac.runs.memory import MEGABYTE, peak_memory, reset_peak, status_of

__all__ = ["peak_memory", "reset_peak", "resident_memory"]


def resident_memory(pid: int) -> float:
    """Memory of a process now; 0 when it has ended."""
    if Path("/proc/self/status").exists():
        return status_of(pid, "VmRSS") or 0.0
    listed = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return int(listed.stdout.strip() or 0) * 1024 / MEGABYTE
