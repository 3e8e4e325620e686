"""Resident memory of processes, in MB: with the pages of memory maps, as far as they were read."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

MEGABYTE = 1e6


def peak_memory() -> float | None:
    """Return the largest memory of this process so far, or since `reset_peak`; None on Windows."""
    # On Linux a new program inherits ru_maxrss from the process that started it; VmHWM is its own.
    found = _status_of("self", "VmHWM")
    if found is not None or sys.platform == "win32":
        return found
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / MEGABYTE


def reset_peak() -> None:
    """Forget earlier peaks, those of compiling for example, where the system can do that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def resident_memory(pid: int) -> float:
    """Return the memory of a process now; 0 when it has ended."""
    if Path("/proc/self/status").exists():
        return _status_of(pid, "VmRSS") or 0.0
    command = ["ps", "-o", "rss=", "-p", str(pid)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return int(listed.stdout.strip() or 0) * 1024 / MEGABYTE


def _status_of(process: int | str, name: str) -> float | None:
    """Return a size that Linux tells of a process, such as VmRSS; None if it tells nothing."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024 / MEGABYTE
    return None
