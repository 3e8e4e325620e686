"""Measure GPAC beside its peers, a suite at a time: ``python -m benchmarks.peers --suite growth``.

Every measurement is one process and one line in ``benchmarks/results/SUITE.jsonl``. What stands
there for this machine and these versions is not measured again, so an interrupted run goes on where
it stopped. Tables and plots are made of the lines; ``--tables-only`` does nothing else, and with
``--csv FILE`` they become a table for other programs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from benchmarks import RESULTS, ROOT, parser_of
from benchmarks.contenders import CONTENDERS, missing_packages
from benchmarks.data import mixture_shape, shape_of
from benchmarks.machine import describe_commit, describe_machine
from benchmarks.measure import WarmUp, measure
from benchmarks.records import Record, append_record, latest_records, read_records
from benchmarks.render import render_suite, write_records_csv
from benchmarks.suites import SUITES, Suite
from graphpac.measuring.own_process import (
    KilledError,
    Limits,
    MeasurementError,
    call_in_own_process,
)


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parse(arguments)
    suite = _narrowed(SUITES[given.suite], given)
    path = given.output / f"{given.suite}.jsonl"
    complete = True
    if not given.tables_only:
        complete = run_suite(suite, path, n_seeds=given.seeds, again=given.again)
    print(render_suite(given.suite, path, given.docs))
    if given.csv is not None:
        write_records_csv(given.csv, path)
    return int(not complete)


def run_suite(suite: Suite, path: Path, *, n_seeds: int = 1, again: bool = False) -> bool:
    """Measure what is not recorded yet; tell whether everything could be tried."""
    contenders = installed(suite.contenders)
    datasets = loadable(suite.datasets)
    # The last failure of each contender that will not get better with more rows.
    defeats: dict[str, Record] = {}
    for dataset in datasets:
        if not suite.growing:
            defeats = {}
        for contender in contenders:
            for seed in range(n_seeds):
                record = None if again else _settled(path, suite, (dataset, contender, seed))
                if record is None:
                    record = measure_once(
                        dataset, contender, seed, suite.limits, defeats.get(contender)
                    )
                    append_record(path, record)
                tell(record)
                if record.defeated:
                    defeats[contender] = record
                    break
    return len(datasets) == len(suite.datasets) and len(contenders) == len(suite.contenders)


def measure_once(
    dataset: str, contender: str, seed: int, limits: Limits, defeat: Record | None = None
) -> Record:
    """Measure, whatever comes of it, unless an earlier defeat tells what would."""
    if defeat is not None:
        reason = defeat.reason
        if defeat.status == "killed":
            reason = f"not tried: {reason} on {defeat.dataset}"
        draft = _draft(dataset, contender, seed, limits)
        return replace(draft, status="not tried", reason=reason)
    return measure_seeds(dataset, contender, [seed], limits, warm_up="few rows")[0]


def measure_seeds(
    dataset: str, contender: str, seeds: Sequence[int], limits: Limits, *, warm_up: WarmUp
) -> list[Record]:
    """Measure several seeds in one process; a failure is told of the first alone."""
    drafts = [_draft(dataset, contender, seed, limits) for seed in seeds]
    try:
        found = measure(contender, dataset, seeds, warm_up=warm_up, limits=limits)
    except KilledError as error:
        return [replace(drafts[0], status="killed", reason=str(error))]
    except MeasurementError as error:
        return [replace(drafts[0], status="error", reason=f"error: {error}")]
    return [
        replace(draft, measurement=replace(found, runs=(run,)))
        for draft, run in zip(drafts, found.runs, strict=True)
    ]


def _draft(dataset: str, contender: str, seed: int, limits: Limits) -> Record:
    """Make the record of a measurement that has not begun."""
    return Record(
        dataset=dataset,
        contender=contender,
        seed=seed,
        version=CONTENDERS[contender].version,
        status="done",
        reason="",
        limits=limits,
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=describe_commit(),
        machine=describe_machine(),
    )


def _settled(path: Path, suite: Suite, key: tuple[str, str, int]) -> Record | None:
    machine = describe_machine()
    known = [record for record in read_records(path) if record.machine.name == machine.name]
    record = latest_records(known).get(key)
    if record is None:
        return None
    version = CONTENDERS[record.contender].version
    return record if record.settles(version, suite.limits, machine) else None


def installed(contenders: Sequence[str]) -> list[str]:
    """Leave out whose packages are missing: that says nothing about the method."""
    found = []
    for name in contenders:
        missing = missing_packages(CONTENDERS[name])
        if missing:
            print(f"{name}: left out, needs {', '.join(missing)}", file=sys.stderr)
        else:
            found.append(name)
    return found


def loadable(datasets: Sequence[str]) -> list[str]:
    """Make the mixtures, and leave out files that are not on this machine."""
    found = []
    for name in datasets:
        try:
            call_in_own_process(partial(shape_of, name))
        except MeasurementError as error:
            print(f"{name}: left out. {error}", file=sys.stderr)
        else:
            found.append(name)
    return found


def tell(record: Record) -> None:
    told = record.reason
    if record.measurement is not None:
        run = record.measurement.runs[0]
        told = f"{run.seconds:.2f} s, {record.measurement.peak:.0f} MB, NMI {run.nmi:.3f}"
    print(f"{record.dataset}, {record.contender}, seed {record.seed}: {told}", file=sys.stderr)


def _narrowed(suite: Suite, given: argparse.Namespace) -> Suite:
    """Apply what the command line asks for."""
    datasets = given.datasets or suite.datasets
    if given.max_rows is not None:
        shapes = {name: mixture_shape(name) for name in datasets}
        datasets = [
            name for name, shape in shapes.items() if shape is None or shape[0] <= given.max_rows
        ]
    return replace(
        suite,
        datasets=tuple(datasets),
        contenders=tuple(given.contenders or suite.contenders),
        limits=Limits(
            seconds=given.max_seconds or suite.limits.seconds,
            gigabytes=given.max_gb or suite.limits.gigabytes,
        ),
    )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of("peers", __doc__)
    parser.add_argument("--suite", choices=list(SUITES), default="growth", help="(default: growth)")
    parser.add_argument("--datasets", nargs="+", help="instead of those of the suite")
    parser.add_argument("--contenders", nargs="+", choices=list(CONTENDERS), metavar="NAME")
    parser.add_argument("--max-rows", type=int, help="leave out larger mixtures")
    parser.add_argument("--max-seconds", type=float, help="end a fit after so long")
    parser.add_argument("--max-gb", type=float, help="end a process that grows beyond")
    parser.add_argument("--seeds", type=int, default=1, help="fits each (default: 1)")
    parser.add_argument("--again", action="store_true", help="measure what is recorded, too")
    parser.add_argument("--tables-only", action="store_true", help="measure nothing")
    parser.add_argument("--csv", type=Path, help="write the records to this file, too")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="(default: docs)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
