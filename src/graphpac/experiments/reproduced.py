"""An experiment after its trials, and everything that is written of it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from graphpac._files import replacing
from graphpac.experiments.choices import Comparison, compare_readings
from graphpac.experiments.config import Experiment
from graphpac.experiments.explanations import Remark, remarks_on
from graphpac.experiments.figures import draw_bars, draw_curves
from graphpac.experiments.records import Records, conditions
from graphpac.experiments.summary import Cell
from graphpac.experiments.tables import Grid, csv_text, grids_of, markdown_of, markdown_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NO_RECORDS = Records({}, {})


@dataclass(frozen=True)
class Reproduced:
    """One experiment, its cells, and the records they were made from."""

    experiment: Experiment
    cells: Sequence[Cell]
    records: Records = _NO_RECORDS
    subset: int | None = None  # at most so many rows of each data set: the quick form

    @cached_property
    def grids(self) -> list[Grid]:
        """Its tables."""
        return grids_of(self.experiment, self.cells)

    @cached_property
    def remarks(self) -> list[Remark]:
        """What is said about marked and failed cells."""
        return remarks_on(self.cells)

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """Readings of the paper on each data set, of an experiment that compares them."""
        if self.experiment.kind != "choices" or not self.cells:
            return []
        return compare_readings(self.cells, self.experiment.series[0].label)

    @cached_property
    def figure(self) -> Figure | None:
        """Its figure, None of a table or where nothing came to its end."""
        is_drawn = self.experiment.kind not in {"table", "choices"}
        if not is_drawn or not any(cell.values for cell in self.cells):
            return None
        draw = draw_bars if self.experiment.kind == "bars" else draw_curves
        return draw(self.experiment, self.cells)

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """Its CSV file."""
        rows = self.records.rows_of(self.cells)
        if self.subset is not None:
            told = f"quick: at most {self.subset} rows of the data"
            rows = [{**row, "form": told} for row in rows]
        return rows

    @property
    def warning(self) -> str:
        """What tells the quick form from the experiment; nothing of the experiment itself."""
        if self.subset is None:
            return ""
        n_seeds = max((len(cell.values) + len(cell.failures) for cell in self.cells), default=0)
        return (
            f"Quick form: at most {self.subset:,} rows of each data set and {n_seeds} "
            f"seed{'s' * (n_seeds != 1)}, not to be compared with the paper."
        )

    @property
    def conditions(self) -> str:
        """How many runs there were, when, and on what."""
        return conditions(self.rows)

    def markdown(self) -> str:
        """Tables, verdicts and remarks."""
        parts = [markdown_of(grid) for grid in self.grids]
        for comparison in self.comparisons:
            if comparison.readings:
                parts += [f"**{comparison.title}**", markdown_table(*comparison.table())]
            parts.append(comparison.sentence())
        if self.remarks:
            parts.append("\n".join(f"- {remark}" for remark in self.remarks))
        return "\n\n".join(parts)

    def write(self, folder: Path) -> None:
        """Write CSV, Markdown and figures, each under a temporary name first."""
        experiment = self.experiment
        name = experiment.name
        if self.cells:
            told = [f"# {experiment.title}", self.warning and f"**{self.warning}**"]
            told += [experiment.claim, experiment.absent]
            told += [self.markdown(), self.conditions and f"*{self.conditions}*"]
            write(folder / f"{name}.csv", csv_text(self.rows))
            write(folder / f"{name}.md", "\n\n".join(filter(None, told)) + "\n")
        if self.figure is not None:
            for ending in ("png", "svg"):
                write(folder / f"{name}.{ending}", drawn(self.figure, ending))


def file_names(experiment: Experiment) -> list[str]:
    """Name all files that may be written of an experiment."""
    return [f"{experiment.name}.{ending}" for ending in ("csv", "md", "png", "svg")]


def drawn(figure: Figure, ending: str, *, dots_per_inch: int = 150) -> bytes:
    """Draw a figure as PNG or SVG; the same figure gives the same bytes."""
    import matplotlib as mpl

    out = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "graphpac"}):
        undated = {"Date": None} if ending == "svg" else None
        figure.savefig(out, format=ending, dpi=dots_per_inch, metadata=undated)
    return out.getvalue()


def write(path: Path, content: str | bytes) -> None:
    """Write a file at once or not at all."""
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
