"""The answer to how much memory and time a fit will take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from graphpac._wording import show_bytes, show_seconds
from graphpac.planning.available import available_memory
from graphpac.planning.calibration import Calibration
from graphpac.planning.memory import data_part, memory_of
from graphpac.planning.work import seconds_of
from graphpac.planning.workload import Workload

LARGEST_ERROR = 1.3  # between measured and estimated peaks, on data with clusters in it

_MOST_SAMPLES = 1 << 31  # sample numbers have 32 bits
_SHOWN_PARTS = 4


@dataclass(frozen=True)
class Estimate:
    """Memory and time of the phases of a fit: "graph", "start" and "optimize".

    If a report follows, "map" is that of drawing its map and counting what else it shows.
    ``print`` shows it as a table.

    Attributes
    ----------
    memory : mapping of str to mapping of str to int
        Bytes of each phase at its fullest moment, part by part, the largest part first. "X" is
        what was given, a memory map as if all its pages were in memory; "libraries" what the
        interpreter takes with everything loaded.
    seconds : mapping of str to float
        Seconds of each phase. ``optimize`` counts all of ``max_iter`` iterations.
    workload : Workload
        What was asked for.
    calibration : Calibration
        How fast the machine was taken to be.
    """

    memory: Mapping[str, Mapping[str, int]]
    seconds: Mapping[str, float]
    workload: Workload = field(repr=False)
    calibration: Calibration = field(repr=False)

    @classmethod
    def of(cls, workload: Workload, calibration: Calibration | None = None) -> Estimate:
        """Estimate a workload, on the machine of the default calibration unless told otherwise."""
        calibration = Calibration() if calibration is None else calibration
        memory = {
            phase: {name: round(size) for name, size in parts.items()}
            for phase, parts in memory_of(workload).items()
        }
        seconds = calibration.scale(seconds_of(workload))
        return cls(memory, seconds, workload, calibration)

    @property
    def peak_memory(self) -> int:
        """Largest resident memory of the process, in bytes."""
        return max(sum(parts.values()) for parts in self.memory.values())

    @property
    def needed_memory(self) -> int:
        """The peak without the pages of a memory map, which the system can take back."""
        pages = self.workload.data.n_bytes if self.workload.data.memory_map else 0
        return self.peak_memory - pages

    @property
    def new_memory(self) -> Mapping[str, int]:
        """Bytes each phase asks for beyond the data and the libraries."""
        there = {data_part(self.workload), "libraries"}
        return {
            phase: sum(size for name, size in parts.items() if name not in there)
            for phase, parts in self.memory.items()
        }

    @property
    def total_seconds(self) -> float:
        """Seconds of all phases."""
        return sum(self.seconds.values())

    def largest_n_samples(self, available: float | None = None) -> int:
        """Count the samples, of the same kind, that would fit into memory; about, 0 if none would.

        Parameters
        ----------
        available : float, optional
            Bytes the process may take in all, the data included unless they are a memory map.
            None: what the system has available now.
        """
        if available is None:
            left = available_memory()
            available = float("inf") if left is None else left
        return self.largest_that(lambda smaller: smaller.needed_memory <= available)

    def with_threads(self, n_jobs: int) -> Estimate:
        """Estimate the same fit with another number of threads."""
        return Estimate.of(replace(self.workload, n_jobs=n_jobs), self.calibration)

    def largest_that(self, fits: Callable[[Estimate], bool]) -> int:
        """Count the most samples whose estimate passes a test, 0 if none does."""

        def passes(n_samples: int) -> bool:
            return fits(Estimate.of(self.workload.resized(n_samples), self.calibration))

        low, high = 0, _MOST_SAMPLES
        if not passes(fewest := max(2, self.workload.problem.n_clusters)):
            return low
        low = fewest
        while high - low > max(1, low // 100):  # to a percent: it is an estimate
            middle = round((low * high) ** 0.5)
            low, high = (middle, high) if passes(middle) else (low, middle)
        return low

    def to_table(self) -> list[tuple[str, str, str, str]]:
        """Return what ``print`` shows as lines of cells, the names of the columns first."""
        lines = [("phase", "time", "memory", "largest parts")]
        for phase, parts in self.memory.items():
            largest = [name for name, size in parts.items() if size > 0][:_SHOWN_PARTS]
            shown = ", ".join(f"{name} {show_bytes(parts[name])}" for name in largest)
            took, size = show_seconds(self.seconds[phase]), show_bytes(sum(parts.values()))
            lines.append((phase, took, size, shown))
        took, size = show_seconds(self.total_seconds), show_bytes(self.peak_memory)
        return [*lines, ("in all", took, size, "at the peak")]

    def __str__(self) -> str:
        lines = [
            f"{phase:<9} {took:>8} {size:>9}   {parts}"
            for phase, took, size, parts in self.to_table()
        ]
        return "\n".join([self.title, "", *lines])

    @property
    def title(self) -> str:
        """What was asked for, in one line."""
        w = self.workload
        shape = f"{w.n_samples:,} x {w.data.n_features:,}"
        if w.data.form == "graph":
            shape = f"a graph of {w.n_samples:,} samples"
        place = ", memory-mapped" if w.data.memory_map else ""
        return (
            f"{shape}{place}, {w.problem.n_clusters:,} clusters, {w.degree:,} neighbors, "
            f"{w.n_jobs} thread{'s' * (w.n_jobs > 1)}"
        )
