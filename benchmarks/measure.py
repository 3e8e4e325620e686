"""Measure one contender on one data set, in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, median, stdev
from typing import Any, Literal

from graphpac.measuring.own_process import NO_LIMITS, Limits, alarm_after, call_in_own_process
from graphpac.measuring.resident import peak_memory

# The untimed fit before: the same, of a few rows, or none at all.
WarmUp = Literal["fit", "few rows", "none"]
SCORES = ("nmi", "acc", "ari")
COMPILE_SECONDS = 600  # a rehearsal may take so long whatever the limit of the fit is


@dataclass(frozen=True)
class TimedFit:
    """One timed fit; what the contender does not tell is None."""

    seed: int
    seconds: float
    nmi: float
    acc: float
    ari: float
    noise: float
    n_clusters: int
    stages: Mapping[str, float]
    cpu_seconds: float | None = None  # of all threads, user and system
    n_iter: int | None = None
    recall: float | None = None  # of the neighbor graph

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> TimedFit:
        """Undo `dataclasses.asdict`; records once called the stages phases."""
        return cls(**{"stages" if name == "phases" else name: v for name, v in found.items()})


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
    runs: tuple[TimedFit, ...]

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Measurement:
        """Undo `dataclasses.asdict` and a detour through JSON."""
        runs = tuple(map(TimedFit.from_json, found["runs"]))
        return cls(**{**found, "shape": tuple(found["shape"]), "runs": runs})

    def all(self, name: str) -> list[float]:
        """Return a field of every run or, failing that, the seconds of a stage, where told."""
        if name in TimedFit.__dataclass_fields__:
            told = [getattr(run, name) for run in self.runs]
        else:
            told = [run.stages.get(name) for run in self.runs]
        return [value for value in told if value is not None]

    def typical(self, name: str) -> float:
        """Return the median over the runs; nan where not told."""
        known = self.all(name)
        return median(known) if known else float("nan")

    def mean_and_spread(self, name: str) -> str:
        """Write the mean over the runs, and the standard deviation where there are several."""
        known = self.all(name)
        spread = f" ± {stdev(known):.3f}" if len(known) > 1 else ""
        return f"{fmean(known):.3f}{spread}"


def measure(
    contender: str,
    dataset: str,
    seeds: Sequence[int],
    *,
    warm_up: WarmUp = "fit",
    limits: Limits = NO_LIMITS,
) -> Measurement:
    """Measure in a new process; the data set is found by `benchmarks.data.load_rows`."""
    options = {"warm_up": warm_up, "max_seconds": limits.seconds}
    work = partial(measure_here, contender, dataset, list(seeds), **options)
    return call_in_own_process(work, limits=limits)


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
    from graphpac.measuring.fits import few_rows

    data = load_rows(dataset)
    chosen = CONTENDERS[contender]
    baseline = peak_memory()
    with alarm_after(max(max_seconds, COMPILE_SECONDS)):
        if warm_up == "fit":
            chosen.fit(data.X, data.n_classes, seeds[0])
        elif warm_up == "few rows":
            few = few_rows(data.X, data.n_classes)
            (chosen.rehearse or chosen.fit)(few, data.n_classes, seeds[0])
    runs, peaks = zip(*(_timed_fit(chosen.fit, data, s, max_seconds) for s in seeds), strict=True)
    return Measurement(
        contender=contender,
        dataset=dataset,
        shape=data.X.shape,
        n_classes=data.n_classes,
        source=data.source,
        baseline=baseline,
        peak=max(peaks),
        runs=runs,
    )


def _timed_fit(fit: Any, data: Any, seed: int, max_seconds: float) -> tuple[TimedFit, float]:
    """Fit, and only then score; return the run and its peak memory."""
    from benchmarks.recall import graph_recall
    from graphpac.measuring.fits import measure_fit
    from graphpac.metrics import score_labels

    with alarm_after(max_seconds):
        done = measure_fit(lambda: fit(data.X, data.n_classes, seed))
    scores = score_labels(data.y, done.labels)  # rows left out count as one cluster more
    graph = getattr(done.model, "graph_", None)
    run = TimedFit(
        seed=seed,
        seconds=done.seconds,
        nmi=scores.nmi,
        acc=scores.acc,
        ari=scores.ari,
        noise=float((done.labels < 0).mean()),
        n_clusters=done.n_clusters,
        stages=done.stages,
        cpu_seconds=done.cpu_seconds,
        n_iter=done.n_iter,
        recall=None if graph is None else graph_recall(graph, data.X),
    )
    return run, done.peak_memory
