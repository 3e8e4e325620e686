"""What a result may depend on beside data and options: versions, threads, memory, folders."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

from graphpac import __version__
from graphpac._machine import installed_version, processor_name
from graphpac._threads import resolve_n_jobs
from graphpac._wording import show_bytes
from graphpac.planning import available_memory

_REQUIREMENT = re.compile(
    r"""(?P<package>[\w.-]+).*?(?:extra\s*==\s*["'](?P<extra>[\w-]+)["'])?$"""
)


def describe_environment() -> dict[str, dict[str, Any]]:
    """Collect versions, facts of the machine and extras, for a person or as JSON."""
    from graphpac.datasets.storage import data_folder

    memory = available_memory()
    folder, n_bytes = kernel_cache()
    return {
        "versions": installed_versions(),
        "machine": {
            "system": platform.platform(),
            "processor": processor_name(),
            "threads": resolve_n_jobs(None),
            "available memory": "unknown" if memory is None else show_bytes(memory),
            "data sets": str(data_folder()),
            "compiled loops": f"{folder}, {show_bytes(n_bytes)}",
        },
        "extras": extras(),
    }


def installed_versions() -> dict[str, str]:
    """Return the versions of Python, of graphpac and of every package it always needs."""
    needed = [package for package, extra in _requirements() if extra is None]
    return {
        "python": platform.python_version(),
        "graphpac": __version__,
        **{package: found for package in needed if (found := installed_version(package))},
    }


def extras() -> dict[str, dict[str, str | None]]:
    """Return the packages of each extra of graphpac with their versions, None where missing."""
    found: dict[Any, dict[str, str | None]] = {}
    for package, extra in _requirements():
        if extra not in {None, "all"}:
            found.setdefault(extra, {})[package] = installed_version(package)
    return found


def kernel_cache() -> tuple[Path, int]:
    """Return the folder of the compiled loops, and how many bytes they take there."""
    folder = Path(__file__).parents[1] / "kernels" / "__pycache__"
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        folder = Path(chosen)
    compiled = [*folder.rglob("*.nbi"), *folder.rglob("*.nbc")]
    return folder, sum(path.stat().st_size for path in compiled)


def _requirements() -> list[tuple[str, str | None]]:
    """List what graphpac was installed with: names of packages, each with the extra it is of."""
    try:
        stated = requires("graphpac") or []
    except PackageNotFoundError:  # run from a source tree that was never installed
        stated = []
    matches = [match for line in stated if (match := _REQUIREMENT.match(line))]
    return [(match["package"], match["extra"]) for match in matches]
