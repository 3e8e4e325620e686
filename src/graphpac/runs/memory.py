"""Largest resident memory of this process, in MB: with pages of memory maps that were read."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

MEGABYTE = 1e6


def peak_memory() -> float:
    """Return the largest memory of this process so far, or since `reset_peak`."""
    # On Linux a new program inherits ru_maxrss from the process that started it; VmHWM is its own.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / MEGABYTE
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / MEGABYTE


def reset_peak() -> None:
    """Forget earlier peaks, those of compiling for example, where the system can do that."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
