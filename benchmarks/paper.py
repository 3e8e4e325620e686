"""The tables and figures of the paper, as committed: CSV, pictures, a page of the documentation.

``python -m benchmarks.paper JOURNAL...`` takes what ``graphpac reproduce`` left in one folder or
several; where two journals hold the same trial, the later one counts.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks import ROOT, parser_of
from benchmarks.tables import fill_marks
from graphpac.experiments.config import experiment_names, load_experiment
from graphpac.experiments.records import Records, read_records
from graphpac.experiments.reproduced import Reproduced, drawn, write
from graphpac.experiments.summary import summarize
from graphpac.experiments.tables import csv_text

RESULTS = ROOT / "benchmarks" / "results" / "paper"
DOCS = ROOT / "docs"
PAGE = "paper-results.md"
IMAGES = "images/paper"
DOTS_PER_INCH = 100  # pictures stay below 150 kB


def main() -> None:
    parser = parser_of("paper", __doc__)
    parser.add_argument("journals", nargs="+", type=Path, metavar="JOURNAL")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=DOCS)
    asked = parser.parse_args()
    for name in write_paper(read_records(asked.journals), asked.results, asked.docs):
        print(name)


def write_paper(records: Records, results: Path, docs: Path) -> list[str]:
    """Write everything of the experiments the journals tell about; return their names."""
    results.mkdir(parents=True, exist_ok=True)
    (docs / IMAGES).mkdir(parents=True, exist_ok=True)
    written = []
    for name in experiment_names():
        experiment = records.every_seed(load_experiment(name))
        cells = summarize(experiment, records.found, timed_on=records.timed_on)
        item = Reproduced(experiment, cells, records)
        if not item.cells:
            continue
        write(results / f"{name}.csv", csv_text(item.rows))
        if item.figure is not None:
            picture = drawn(item.figure, "png", dots_per_inch=DOTS_PER_INCH)
            write(docs / IMAGES / f"{name}.png", picture)
        fill_marks(docs / PAGE, name, f"{_shown(item)}\n\n*{item.conditions}*")
        written.append(name)
    return written


def _shown(item: Reproduced) -> str:
    if item.figure is None:
        return item.markdown()
    title = item.experiment.title
    picture = f"![{title}]({IMAGES}/{item.experiment.name}.png)"
    return (
        f"{picture}\n\n<details><summary>The numbers</summary>\n\n{item.markdown()}\n\n</details>"
    )


if __name__ == "__main__":
    main()
