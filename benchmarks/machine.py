"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import dataclass

from benchmarks import ROOT
from graphpac._machine import installed_version, processor_name
from graphpac._threads import resolve_n_jobs

PACKAGES = (
    *("graphpac", "numpy", "scipy", "scikit-learn", "numba", "faiss-cpu"),
    *("evoc", "fast_hdbscan", "finch-clust", "igraph", "pynndescent", "scikit-fuzzy", "umap-learn"),
)


@dataclass(frozen=True)
class Machine:
    """The computer, the software on it, and its load when it was described."""

    processor: str
    cores: int
    memory_gb: float
    system: str
    python: str
    load: float
    versions: dict[str, str]

    @property
    def name(self) -> str:
        """The computer alone: seconds of two of them do not belong in one table."""
        return f"{self.cores} cores ({self.processor}), {self.memory_gb:.0f} GB, {self.system}"

    def __str__(self) -> str:
        packages = ", ".join(f"{name} {number}" for name, number in self.versions.items())
        return f"{self.name}, Python {self.python}, {packages}"


def describe_machine() -> Machine:
    """Read all that from this process."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(
        processor=processor_name(),
        cores=resolve_n_jobs(None),
        memory_gb=memory / 1e9,
        system=platform.system(),
        python=platform.python_version(),
        load=os.getloadavg()[0],
        versions={name: found for name in PACKAGES if (found := installed_version(name))},
    )


def describe_commit() -> str:
    """Name the state of the source, with a plus where files differ from it; empty without git."""
    command = ["git", "describe", "--always", "--exclude=*", "--dirty=+"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
