"""The answer to how much memory and time a fit will take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from graphpac._costs import Cost
from graphpac._wording import show_bytes, show_seconds
from graphpac.graph.data_size import DataSize
from graphpac.planning.available import available_memory
from graphpac.planning.calibration import Calibration
from graphpac.planning.workload import Workload

LARGEST_ERROR = 1.3  # between measured and estimated peaks, on data with clusters in it
LIBRARIES = 370e6  # the interpreter, NumPy, SciPy, scikit-learn, numba, faiss and compiled loops

_KEPT_FREE = 60e6  # freed by an earlier stage in pieces too small for the allocator to give back,
_KEPT_FREE_SHARE = 0.5  # or this share of what that stage took, if it is less
_MOST_SAMPLES = 1 << 31  # sample numbers have 32 bits
_SHOWN_PARTS = 4


@dataclass(frozen=True)
class Estimate:
    """Memory and time of the stages of a fit: "graph", "start" and "optimize".

    If a report follows, "map" is that of drawing its map and counting what else it shows.
    ``print`` shows it as a table.

    Attributes
    ----------
    memory : mapping of str to mapping of str to int
        Bytes of each stage at its fullest moment, part by part, the largest part first. "X" is
        what was given, a memory map as if all its pages were in memory; "libraries" what the
        interpreter takes with everything loaded.
    seconds : mapping of str to float
        Seconds of each stage. ``optimize`` counts all of ``max_iter`` iterations.
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
        costs = workload.stages()
        seconds = calibration.scale({stage: cost.seconds for stage, cost in costs.items()})
        return cls(_with_surroundings(costs, workload.size), seconds, workload, calibration)

    @property
    def peak_memory(self) -> int:
        """Largest resident memory of the process, in bytes."""
        return max(sum(parts.values()) for parts in self.memory.values())

    @property
    def needed_memory(self) -> int:
        """The peak without the pages of a memory map, which the system can take back."""
        pages = self.workload.size.n_bytes if self.workload.size.memory_map else 0
        return self.peak_memory - pages

    @property
    def new_memory(self) -> Mapping[str, int]:
        """Bytes each stage asks for beyond the data and the libraries."""
        there = {_data_part(self.workload.size), "libraries"}
        return {
            stage: sum(size for name, size in parts.items() if name not in there)
            for stage, parts in self.memory.items()
        }

    @property
    def total_seconds(self) -> float:
        """Seconds of all stages."""
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
        if not passes(fewest := max(2, self.workload.n_clusters)):
            return low
        low = fewest
        while high - low > max(1, low // 100):  # to a percent: it is an estimate
            middle = round((low * high) ** 0.5)
            low, high = (middle, high) if passes(middle) else (low, middle)
        return low

    def to_table(self) -> list[tuple[str, str, str, str]]:
        """Return what ``print`` shows as lines of cells, the names of the columns first."""
        lines = [("stage", "time", "memory", "largest parts")]
        for stage, parts in self.memory.items():
            largest = [name for name, size in parts.items() if size > 0][:_SHOWN_PARTS]
            shown = ", ".join(f"{name} {show_bytes(parts[name])}" for name in largest)
            took, size = show_seconds(self.seconds[stage]), show_bytes(sum(parts.values()))
            lines.append((stage, took, size, shown))
        took, size = show_seconds(self.total_seconds), show_bytes(self.peak_memory)
        return [*lines, ("in all", took, size, "at the peak")]

    def __str__(self) -> str:
        lines = [
            f"{stage:<9} {took:>8} {size:>9}   {parts}"
            for stage, took, size, parts in self.to_table()
        ]
        return "\n".join([self.title, "", *lines])

    @property
    def title(self) -> str:
        """What was asked for, in one line."""
        w = self.workload
        shape = f"{w.n_samples:,} x {w.size.n_features:,}"
        if w.size.form == "graph":
            shape = f"a graph of {w.n_samples:,} samples"
        kept = ", memory-mapped" if w.size.memory_map else ""
        clusters = f"{w.n_clusters:,} clusters"
        if w.counts_clusters:
            clusters = f"clusters counted and taken for {w.n_clusters:,}"
        return (
            f"{shape}{kept}, {clusters}, {w.n_neighbors:,} neighbors, "
            f"{w.n_jobs} thread{'s' * (w.n_jobs > 1)}"
        )


def _with_surroundings(costs: Mapping[str, Cost], size: DataSize) -> dict[str, dict[str, int]]:
    """Add what is there in every stage; parts in bytes, the largest first."""
    always = {_data_part(size): float(size.n_bytes), "libraries": LIBRARIES}
    if size.copied_bytes:
        always["X as an array"] = float(size.copied_bytes)
    stages = {}
    before = 0.0
    for stage, cost in costs.items():
        kept = {"kept by the allocator": min(_KEPT_FREE, _KEPT_FREE_SHARE * before)}
        before = max(before, sum(cost.memory.values()))
        parts = {**always, **cost.memory, **kept}
        ordered = sorted(parts.items(), key=lambda part: -part[1])
        stages[stage] = {name: round(n_bytes) for name, n_bytes in ordered}
    return stages


def _data_part(size: DataSize) -> str:
    """Return the name of the part that is what was given."""
    return "neighbor graph" if size.form == "graph" else "X"
