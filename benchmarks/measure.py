"""Measure one contender on one data set, in a process of its own.

The parent calls `measure`, which starts ``python -m benchmarks.measure`` and reads JSON from it. A
process of its own is what makes the peak memory that of one contender, and keeps what one
library does to threads away from the next.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.processes import last_line

MEGABYTE = 1e6


@dataclass(frozen=True)
class Run:
    """One timed fit."""

    seed: int
    seconds: float
    nmi: float
    acc: float
    ari: float
    noise: float
    n_clusters: int
    phases: Mapping[str, float]


@dataclass(frozen=True)
class Measurement:
    """All fits of one contender on one data set, and the memory of their process in MB.

    ``baseline`` is the memory before the first fit, with the data and the libraries of the scores
    in it; ``peak`` is the largest up to the end.
    """

    contender: str
    dataset: str
    shape: tuple[int, int]
    n_classes: int
    source: str
    baseline: float
    peak: float
    runs: tuple[Run, ...]

    def typical(self, name: str) -> float:
        """Median over the runs of a field or, failing that, of a phase."""
        if name in Run.__dataclass_fields__:
            return median(getattr(run, name) for run in self.runs)
        return median(run.phases[name] for run in self.runs)


def measure(
    contender: str, dataset: str, seeds: Sequence[int], *, warm_up: bool = True
) -> Measurement:
    """Measure in a new process; the data set is found by `graphpac.datasets.load`."""
    command = ["-m", "benchmarks.measure", contender, dataset, "--seeds", *map(str, seeds)]
    found = json.loads(last_line(command + ["--cold"] * (not warm_up)))
    runs = tuple(Run(**run) for run in found.pop("runs"))
    return Measurement(**{**found, "shape": tuple(found["shape"]), "runs": runs})


def measure_here(
    contender: str, dataset: str, seeds: Sequence[int], *, warm_up: bool = True
) -> Measurement:
    """Measure in this process, whose memory should hold nothing else."""
    import numpy as np

    from benchmarks.contenders import CONTENDERS
    from graphpac.datasets import load

    data = load(dataset)
    # Everybody gets the same float32: KMeans would turn bytes into float64, EVoC would
    # take them for quantized embeddings.
    X = np.ascontiguousarray(data.X, dtype=np.float32)
    fit = CONTENDERS[contender]
    baseline = peak_memory()
    if warm_up:
        fit(X, data.n_classes, seeds[0])
    runs = tuple(_timed_run(fit, X, data.y, data.n_classes, seed) for seed in seeds)
    return Measurement(
        contender=contender,
        dataset=dataset,
        shape=X.shape,
        n_classes=data.n_classes,
        source=Path(data.source).name,
        baseline=baseline,
        peak=peak_memory(),
        runs=runs,
    )


def peak_memory() -> float:
    """Largest resident memory of this process so far, in MB."""
    # On Linux a new program inherits ru_maxrss from the process that started it; VmHWM is its own.
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / MEGABYTE
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / MEGABYTE


def _timed_run(fit: Any, X: Any, y: Any, n_clusters: int, seed: int) -> Run:
    import numpy as np

    from graphpac.metrics import score_labels

    began = perf_counter()
    outcome = fit(X, n_clusters, seed)
    seconds = perf_counter() - began
    labels = np.asarray(outcome.labels)
    scores = score_labels(y, labels)  # rows left out count as one cluster more
    return Run(
        seed=seed,
        seconds=seconds,
        nmi=scores.nmi,
        acc=scores.acc,
        ari=scores.ari,
        noise=float(np.mean(labels < 0)),
        n_clusters=int(np.unique(labels[labels >= 0]).size),
        phases=dict(outcome.phases),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contender")
    parser.add_argument("dataset")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--cold", action="store_true", help="no fit before the timed ones")
    given = parser.parse_args()
    found = measure_here(given.contender, given.dataset, given.seeds, warm_up=not given.cold)
    print(json.dumps(asdict(found)))


if __name__ == "__main__":
    main()
