"""How far memberships can be trusted: the share of right rows among those with a membership p.

``python -m benchmarks.membership_calibration`` fits labelled data, calls a row right if its class
is the most frequent one of its cluster, and writes a table and a plot.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks import RESULTS, parser_of
from benchmarks.tables import markdown_table
from graphpac import GPAC
from graphpac._typing import AnyArray
from graphpac.datasets import load

DATA = ("digits", "usps", "pendigits", "coil100", "cifar10_effnetlite2_20k", "banking77_minilm")
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
FEWEST = 30  # rows of a bin that is shown


def are_right(labels: AnyArray, classes: AnyArray) -> AnyArray:
    """Tell which rows have the most frequent class of their cluster."""
    counts = np.zeros((labels.max() + 1, classes.max() + 1))
    np.add.at(counts, (labels, classes), 1)
    right: AnyArray = counts.argmax(axis=1)[labels] == classes
    return right


def bins_of(probabilities: AnyArray, right: AnyArray) -> list[tuple[float, float, int]]:
    """Return mean membership, share of right rows and number of rows of each bin."""
    which = np.digitize(probabilities, EDGES[1:-1])
    bins = []
    for number in range(len(EDGES) - 1):
        rows = which == number
        if np.count_nonzero(rows) >= FEWEST:
            share = float(right[rows].mean())
            bins.append((float(probabilities[rows].mean()), share, int(rows.sum())))
    return bins


def calibration_error(bins: Sequence[tuple[float, float, int]]) -> float:
    """Mean distance between membership and share of right rows."""
    n_rows = sum(count for *_, count in bins)
    return sum(abs(mean - share) * count for mean, share, count in bins) / n_rows


def main(arguments: Sequence[str] | None = None) -> None:
    parser = parser_of("membership_calibration", __doc__)
    parser.add_argument("--data", nargs="*", default=DATA)
    parser.add_argument("--output", type=Path, default=RESULTS / "membership_calibration.md")
    parser.add_argument("--plot", type=Path, default=Path("docs/images/calibration.svg"))
    given = parser.parse_args(arguments)
    figure = Figure(figsize=(5.2, 4.6), layout="constrained")
    axes = figure.subplots()
    axes.plot((0, 1), (0, 1), color="0.7", linewidth=1)
    rows = []
    for name in given.data:
        data = load(name)
        model = GPAC(data.n_classes, random_state=0).fit(data.X)
        classes = np.unique(data.y, return_inverse=True)[1]
        right = are_right(model.labels_, classes)
        bins = bins_of(model.probabilities_, right)
        axes.plot(*zip(*[each[:2] for each in bins], strict=True), marker="o", label=name)
        mean = float(model.probabilities_.mean())
        shares = f"{mean:.3f}", f"{right.mean():.3f}", f"{calibration_error(bins):.3f}"
        rows.append([name, *shares, ", ".join(f"{p:.2f}: {s:.2f}" for p, s, _ in bins)])
    axes.set(xlabel="membership", ylabel="share of right rows", xlim=(0, 1.02), ylim=(0, 1.02))
    axes.legend(frameon=False, fontsize=8)
    head = ["data", "mean membership", "right rows", "calibration error", "membership: right"]
    given.output.write_text(markdown_table(head, rows) + "\n", encoding="utf-8")
    given.plot.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(given.plot)
    print(given.output.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
