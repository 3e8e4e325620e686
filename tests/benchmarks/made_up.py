"""Records that nobody measured."""

from dataclasses import replace

from benchmarks.data import mixture_shape
from benchmarks.machine import Machine
from benchmarks.measure import Measurement, TimedFit
from benchmarks.records import Record
from graphpac.measuring.own_process import Limits

MACHINE = Machine("a processor", 2, 8.0, "Linux", "3.11", 0.1, {"graphpac": "1"})
LIMITS = Limits(seconds=60, gigabytes=4)


def made_up_record(dataset="mixture-100x4-3", contender="GPAC", seconds=2.0, *, seed=0, **changes):
    stages = {"graph": seconds / 4, "start": seconds / 4, "optimize": seconds / 2}
    ours = contender.startswith("GPAC")
    run = TimedFit(
        seed, seconds, 0.9, 0.95, 0.85, 0.25, 3, stages if ours else {}, 2 * seconds, 50,
        0.99 if ours else None,
    )  # fmt: skip
    n_samples, n_features, n_clusters = mixture_shape(dataset) or (150, 4, 3)
    measurement = Measurement(
        contender, dataset, (n_samples, n_features), n_clusters, "nowhere", 50.0, 1500.0, (run,)
    )
    record = Record(
        dataset=dataset,
        contender=contender,
        seed=seed,
        version="graphpac 1",
        status="done",
        reason="",
        limits=LIMITS,
        when="2026-01-02T03:04:05+00:00",
        commit="abc",
        machine=MACHINE,
        measurement=measurement,
    )
    return replace(record, **changes)


def failed_record(dataset, contender, reason="gave up after 60 s", *, status="killed", **changes):
    failure = {"status": status, "reason": reason, "measurement": None}
    return made_up_record(dataset, contender, **(failure | changes))
