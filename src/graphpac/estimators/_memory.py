"""Refusing a dense result that would not fit into memory."""

from __future__ import annotations

from pathlib import Path

_MEMINFO = Path("/proc/meminfo")


def available_memory() -> int | None:
    """Bytes the system can give without swapping; None where it does not tell."""
    try:
        lines = _MEMINFO.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            return int(rest.split()[0]) * 1024
    return None


def check_dense_fits(n_samples: int, n_clusters: int) -> None:
    """Raise MemoryError if a float32 array of that shape exceeds the available memory."""
    needed = 4 * n_samples * n_clusters
    available = available_memory()
    if available is not None and needed > available:
        msg = (
            f"a dense array of {n_samples} x {n_clusters} memberships needs {needed / 1e9:.1f} GB, "
            f"but {available / 1e9:.1f} GB are available: use predict_memberships, whose result is "
            "sparse, or pass fewer rows."
        )
        raise MemoryError(msg)
