"""Measure the table of the README: ``make bench`` or ``python -m benchmarks.run``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import RESULTS, parser_of, tables
from benchmarks.contenders import CONTENDERS
from benchmarks.machine import describe_machine
from benchmarks.measure import Measurement, measure
from benchmarks.startup import measure_startup
from graphpac.measuring.own_process import MeasurementError


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parse(arguments)
    machine = describe_machine()  # first, before the run itself makes the machine busy
    measurements: list[Measurement] = []
    failures = 0
    _compile_loops(given.contenders)
    for dataset in given.datasets:
        for contender in given.contenders:
            try:
                found = measure(contender, dataset, range(given.seeds))
            except MeasurementError as error:
                failures += 1
                print(f"{dataset}, {contender}: not measured. {error}", file=sys.stderr)
                continue
            measurements.append(found)
            print(f"{dataset}, {contender}: {found.typical('seconds'):.2f} s", file=sys.stderr)
    if not measurements:
        return 1
    startup = None
    if not given.no_startup:
        try:
            startup = measure_startup()
        except MeasurementError as error:
            failures += 1
            print(f"imports and first fits: not measured. {error}", file=sys.stderr)

    words = sys.argv[1:] if arguments is None else arguments
    command = " ".join(["python -m benchmarks.run", *words])
    text = tables.report(measurements, startup, machine, command)
    given.output.mkdir(parents=True, exist_ok=True)
    today = given.output / datetime.now(UTC).strftime("%Y-%m-%d")
    tables.write_json(today.with_suffix(".json"), measurements, startup, machine, command)
    (given.output / "latest.md").write_text(text, encoding="utf-8")
    if given.readme is not None:
        tables.fill_marks(given.readme, "bench", text)
    print(text)
    return int(failures > 0)


def _compile_loops(contenders: Sequence[str]) -> None:
    """Let each contender compile what it keeps on disk, because compiling takes memory too."""
    for contender in contenders:
        with suppress(MeasurementError):  # the measurement itself will tell
            measure(contender, "digits", [0], warm_up="none")


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of("run", __doc__)
    parser.add_argument(
        "--datasets",
        nargs="+",
        default=["mnist", "pendigits", "digits"],
        help="names graphpac.datasets.load knows (default: %(default)s)",
    )
    parser.add_argument(
        "--contenders", nargs="+", default=["GPAC", "KMeans", "EVoC"], choices=list(CONTENDERS)
    )
    parser.add_argument("--seeds", type=int, default=3, help="timed fits each (default: 3)")
    parser.add_argument("--no-startup", action="store_true", help="leave out imports, first fits")
    parser.add_argument(
        "--output",
        type=Path,
        default=RESULTS,
        help="folder of the results (default: benchmarks/results)",
    )
    parser.add_argument(
        "--readme",
        type=Path,
        help="file whose marked place the tables go to (make bench gives README.md)",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
