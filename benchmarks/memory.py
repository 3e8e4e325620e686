"""Resident memory of processes, in MB: with the pages of memory maps, as far as they were read."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

MEGABYTE = 1e6


def peak_memory() -> float:
    """Largest memory of this process so far, or since `reset_peak`."""
    # On Linux a new program inherits ru_maxrss from the process that started it; VmHWM is its own.
    found = _read_status("self", "VmHWM")
    if found is not None:
        return found
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / MEGABYTE


def reset_peak() -> None:
    """Forget earlier peaks, those of compiling for example, where the system can do that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def resident_memory(pid: int) -> float:
    """Memory of a process now; 0 when it has ended."""
    if Path("/proc/self/status").exists():
        return _read_status(pid, "VmRSS") or 0.0
    listed = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return int(listed.stdout.strip() or 0) * 1024 / MEGABYTE


def _read_status(pid: int | str, name: str) -> float | None:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024 / MEGABYTE
    return None
