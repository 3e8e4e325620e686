"""Measure one contender on one data set, in a process of its own.

The parent calls `measure`, which starts ``python -m benchmarks.measure`` and reads JSON from it. A
process of its own is what makes the peak memory that of one contender, keeps what one library does
to threads away from the next, and lets a fit be ended that takes too long or too much.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter, process_time
from typing import Any, Literal, get_args

from benchmarks.memory import peak_memory, reset_peak
from benchmarks.processes import NO_LIMITS, Limits, alarm_after, last_line

# The untimed fit before: the same, of a few rows, or none at all.
WarmUp = Literal["fit", "few rows", "none"]
FEW_ROWS = 2000
COMPILE_SECONDS = 600  # a rehearsal may take so long whatever the limit of the fit is


@dataclass(frozen=True)
class Run:
    """One timed fit; what the contender does not tell is None."""

    seed: int
    seconds: float
    nmi: float
    acc: float
    ari: float
    noise: float
    n_clusters: int
    phases: Mapping[str, float]
    cpu_seconds: float | None = None  # of all threads, user and system
    n_iter: int | None = None
    recall: float | None = None  # of the neighbor graph


@dataclass(frozen=True)
class Measurement:
    """All fits of one contender on one data set, and the memory of their process in MB.

    ``baseline`` is the memory before the first fit, with the data and the libraries of the scores
    in it; ``peak`` is the largest during the timed fits.
    """

    contender: str
    dataset: str
    shape: tuple[int, int]
    n_classes: int
    source: str
    baseline: float
    peak: float
    runs: tuple[Run, ...]

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Measurement:
        """Undo `dataclasses.asdict` and a detour through JSON."""
        runs = tuple(Run(**run) for run in found["runs"])
        return cls(**{**found, "shape": tuple(found["shape"]), "runs": runs})

    def typical(self, name: str) -> float:
        """Median over the runs of a field or, failing that, of a phase; nan where not told."""
        if name in Run.__dataclass_fields__:
            told = [getattr(run, name) for run in self.runs]
        else:
            told = [run.phases.get(name) for run in self.runs]
        known = [value for value in told if value is not None]
        return median(known) if known else float("nan")


def measure(
    contender: str,
    dataset: str,
    seeds: Sequence[int],
    *,
    warm_up: WarmUp = "fit",
    limits: Limits = NO_LIMITS,
) -> Measurement:
    """Measure in a new process; the data set is found by `benchmarks.data.load_rows`."""
    command = ["-m", "benchmarks.measure", contender, dataset, "--seeds", *map(str, seeds)]
    command += ["--warm-up", warm_up, "--max-seconds", str(limits.seconds)]
    return Measurement.from_json(json.loads(last_line(command, limits=limits)))


def measure_here(
    contender: str,
    dataset: str,
    seeds: Sequence[int],
    *,
    warm_up: WarmUp = "fit",
    max_seconds: float = NO_LIMITS.seconds,
) -> Measurement:
    """Measure in this process, whose memory should hold nothing else."""
    from benchmarks.contenders import CONTENDERS
    from benchmarks.data import load_rows

    data = load_rows(dataset)
    chosen = CONTENDERS[contender]
    baseline = peak_memory()
    with alarm_after(max(max_seconds, COMPILE_SECONDS)):
        if warm_up == "fit":
            chosen.fit(data.X, data.n_classes, seeds[0])
        elif warm_up == "few rows":
            few = data.X[: max(FEW_ROWS, 4 * data.n_classes)]
            (chosen.rehearse or chosen.fit)(few, data.n_classes, seeds[0])
    runs, peaks = [], []
    for seed in seeds:
        run, peak = _timed_run(chosen.fit, data, seed, max_seconds)
        runs.append(run)
        peaks.append(peak)
    return Measurement(
        contender=contender,
        dataset=dataset,
        shape=data.X.shape,
        n_classes=data.n_classes,
        source=data.source,
        baseline=baseline,
        peak=max(peaks),
        runs=tuple(runs),
    )


def _timed_run(fit: Any, data: Any, seed: int, max_seconds: float) -> tuple[Run, float]:
    """Fit, and only then score; return the run and its peak memory."""
    import numpy as np

    from benchmarks.recall import graph_recall
    from graphpac.metrics import score_labels

    reset_peak()
    cpu_began, began = process_time(), perf_counter()
    with alarm_after(max_seconds):
        outcome = fit(data.X, data.n_classes, seed)
    seconds, cpu_seconds = perf_counter() - began, process_time() - cpu_began
    peak = peak_memory()

    labels = np.asarray(outcome.labels)
    scores = score_labels(data.y, labels)  # rows left out count as one cluster more
    run = Run(
        seed=seed,
        seconds=seconds,
        nmi=scores.nmi,
        acc=scores.acc,
        ari=scores.ari,
        noise=float(np.mean(labels < 0)),
        n_clusters=int(np.unique(labels[labels >= 0]).size),
        phases=dict(outcome.phases),
        cpu_seconds=cpu_seconds,
        n_iter=None if outcome.n_iter is None else int(outcome.n_iter),
        recall=None if outcome.graph is None else graph_recall(outcome.graph, data.X),
    )
    return run, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contender")
    parser.add_argument("dataset")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--warm-up", choices=get_args(WarmUp), default="fit")
    parser.add_argument("--max-seconds", type=float, default=NO_LIMITS.seconds)
    given = parser.parse_args()
    found = measure_here(
        given.contender,
        given.dataset,
        given.seeds,
        warm_up=given.warm_up,
        max_seconds=given.max_seconds,
    )
    print(json.dumps(asdict(found)))


if __name__ == "__main__":
    main()
