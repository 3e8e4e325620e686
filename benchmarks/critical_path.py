"""How far more threads than there are cores would help: ``python -m benchmarks.critical_path``.

A fit that is told of eight threads cuts its work into as many pieces as eight threads would share.
Here the pieces run one after the other, on one thread, and are dealt on paper to those that would
be free first. What no piece covers is taken as it is. So the seconds are those of the longest chain
of work, on cores that do not share caches or memory; real threads are slower than that. Seconds are
those of the processor, so other work on the machine matters little.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import thread_time
from typing import Any
from unittest.mock import patch

from benchmarks import RESULTS, ROOT, parser_of
from benchmarks.data import load_rows
from benchmarks.machine import describe_machine
from benchmarks.tables import STAGES, fill_marks, markdown_table

FILE = "critical_path.md"
PAGE = "benchmarks.md"
DATASETS = ("mnist", "clinc150_minilm")
THREADS = (1, 2, 4, 8)
SEED = 0


class SimulatedTeam:
    """Runs the pieces of work one after the other, and sets its clock to when threads would end."""

    def __init__(self) -> None:
        self.saved = 0.0  # seconds that threads would not have taken

    def clock(self) -> float:
        """Return the seconds until now, as threads would have taken them."""
        return thread_time() - self.saved

    def map(
        self,
        workers: Any,
        function: Callable[[Any], Any],
        items: Sequence[Any],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Any]:
        """Stand in for `Workers.map`; pieces may have pieces of their own."""
        ends = [0.0] * workers.n_jobs
        taken = 0.0
        results = []
        for done, item in enumerate(items, start=1):
            began = self.clock()
            results.append(function(item))
            seconds = self.clock() - began
            ends[ends.index(min(ends))] += seconds
            taken += seconds
            if progress is not None:
                progress(done, len(items))
        self.saved += taken - max(ends)
        return results


@contextmanager
def simulated_threads() -> Iterator[None]:
    """Let every team of threads be a simulated one, and stages be timed by its clock."""
    team = SimulatedTeam()

    def run(workers: Any, *arguments: Any, **options: Any) -> list[Any]:
        return team.map(workers, *arguments, **options)

    with (
        patch("graphpac._threads.Workers.map", run),
        patch("graphpac.fitting.progress.perf_counter", team.clock),
    ):
        yield


def stage_seconds(X: Any, n_clusters: int, n_jobs: int) -> dict[str, float]:
    """Fit on so many simulated threads; return what each stage would take."""
    from graphpac import GPAC

    with simulated_threads():
        model = GPAC(n_clusters, n_jobs=n_jobs, random_state=SEED).fit(X)
    return dict(model.timings_)


def table_of(names: Sequence[str], threads: Sequence[int] = THREADS) -> str:
    """Measure; a row for each data set and number of threads."""
    rows = []
    for name in names:
        data = load_rows(name)
        stage_seconds(data.X, data.n_classes, 1)  # compiles
        first = 0.0
        for n_jobs in threads:
            found = stage_seconds(data.X, data.n_classes, n_jobs)
            total = sum(found.values())
            first = first or total
            stages = [f"{found[stage]:.2f}" for stage in STAGES]
            rows.append([name, str(n_jobs), *stages, f"{total:.2f}", f"{first / total:.2f}"])
            print(*rows[-1], file=sys.stderr, flush=True)
    head = ["data", "threads", *(f"{stage} s" for stage in STAGES), "in all, s", "speed-up"]
    return markdown_table(head, rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = parser_of("critical_path", __doc__)
    parser.add_argument("names", nargs="*", default=DATASETS, metavar="NAME", help="data sets")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="(default: docs)")
    given = parser.parse_args(arguments)
    machine = describe_machine()
    command = "`python -m benchmarks.critical_path`"
    source = f"One seed, by {command} on {machine}; load {machine.load:.1f}."
    text = f"{table_of(given.names)}\n\n{source}\n"
    given.output.mkdir(parents=True, exist_ok=True)
    (given.output / FILE).write_text(text, encoding="utf-8")
    fill_marks(given.docs / PAGE, "critical-path", text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
