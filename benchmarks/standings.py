"""From records to how each contender stands on each data set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from benchmarks.data import mixture_shape
from benchmarks.measure import Measurement
from benchmarks.records import Record, latest_records
from benchmarks.suites import Suite


@dataclass(frozen=True)
class Standing:
    """The measurement over all seeds, or why there is none."""

    dataset: str
    contender: str
    measurement: Measurement | None
    reason: str = ""

    @property
    def n_samples(self) -> int:
        """Number of rows; 0 where neither a measurement nor the name of the data tells."""
        if self.measurement is not None:
            return self.measurement.shape[0]
        shape = mixture_shape(self.dataset)
        return 0 if shape is None else shape[0]


def collect_standings(
    records: Sequence[Record], suite: Suite, *, any_machine: bool = False
) -> list[Standing]:
    """Join the seeds, in the order of the suite, then what was measured beside it."""
    kept = latest_records(records, any_machine=any_machine).values()
    pairs = {(record.dataset, record.contender) for record in kept}

    def order(pair: tuple[str, str]) -> tuple[int, int, int, str, str]:
        dataset, contender = pair
        size = (mixture_shape(dataset) or (0,))[0]
        return (
            _place(dataset, suite.datasets) if not suite.growing else 0,
            size,
            _place(contender, suite.contenders),
            *pair,
        )

    return [
        _join(record for record in kept if record.key[:2] == pair)
        for pair in sorted(pairs, key=order)
    ]


def _place(name: str, names: Sequence[str]) -> int:
    return names.index(name) if name in names else len(names)


def _join(records: Iterable[Record]) -> Standing:
    records = sorted(records, key=lambda record: record.seed)
    first = records[0]
    for record in records:
        if record.measurement is None:
            return Standing(first.dataset, first.contender, None, record.reason)
    found = [record.measurement for record in records if record.measurement is not None]
    runs = tuple(run for item in found for run in item.runs)
    peak = max(item.peak for item in found)
    joined = replace(found[0], peak=peak, runs=runs)
    return Standing(first.dataset, first.contender, joined)
