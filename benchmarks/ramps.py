"""How the local weight rises, and who rests meanwhile: ``python -m benchmarks.ramps``.

Ramps of equal steps, as published, and eased ones, of several lengths, with samples that rest and
without, each followed by what the default does after the ramp. NMI and ACC, means over seeds; the
processor seconds are those of the stage "optimize" alone, on one thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks import RESULTS, ROOT, parser_of
from benchmarks.machine import describe_machine
from benchmarks.tables import fill_marks, markdown_table

TABLE = RESULTS / "ramps.md"
DATA = (
    *("isolet", "cifar10_effnetlite2_20k", "tinyimagenet100a_effnetlite2", "banking77_minilm"),
    *("clinc150_minilm", "news20_minilm", "sc_worm_neuron_pca50"),
)
RAMPS: dict[str, dict[str, Any]] = {
    "equal steps, 50": {"max_iter": 50, "ramp": "weight", "resting": False},
    "equal steps, 30": {"max_iter": 30, "ramp": "weight", "resting": False},
    "equal steps, 50, resting": {"max_iter": 50, "ramp": "weight", "resting": True},
    "eased, 40": {"max_iter": 40, "ramp": "eased", "resting": False},
    "eased, 40, resting": {"max_iter": 40, "ramp": "eased", "resting": True},
    "eased, 25, resting": {"max_iter": 25, "ramp": "eased", "resting": True},
}


class Scores(NamedTuple):
    """Of one fit."""

    nmi: float
    acc: float
    seconds: float


def fitted_scores(data: Any, max_iter: int, seed: int, **options: Any) -> Scores:
    """Fit on one thread, on which the seconds of a stage are those of the processor."""
    from graphpac import GPAC, SolverOptions
    from graphpac.metrics import score_labels

    model = GPAC(
        data.n_classes,
        max_iter=max_iter,
        solver=SolverOptions(**options),
        random_state=seed,
        n_jobs=1,
    ).fit(data.X)
    scores = score_labels(data.y, model.labels_)
    return Scores(scores.nmi, scores.acc, model.timings_["optimize"])


def ramps_table(names: Sequence[str], seeds: Sequence[int]) -> str:
    from graphpac.datasets import load

    rows = []
    for name in names:
        data = load(name)
        cells = []
        for settings in RAMPS.values():
            mean = np.mean([fitted_scores(data, seed=seed, **settings) for seed in seeds], axis=0)
            cells.append("{:.3f} / {:.3f}, {:.1f} s".format(*mean))
        rows.append([name, *cells])
        print(" | ".join(rows[-1]), flush=True)
    return markdown_table(["NMI / ACC, seconds", *RAMPS], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = parser_of("ramps", __doc__)
    parser.add_argument("--data", nargs="*", default=DATA, help="data sets, default seven")
    parser.add_argument("--seeds", type=int, default=4, help="number of seeds, default 4")
    asked = parser.parse_args(arguments)
    table = ramps_table(asked.data, range(asked.seeds))
    command = "`python -m benchmarks.ramps`"
    text = f"{table}\n\nMeans of {asked.seeds} seeds, by {command} on {describe_machine()}."
    TABLE.write_text(text + "\n", encoding="utf-8")
    fill_marks(ROOT / "docs" / "decisions.md", "ramps", text)


if __name__ == "__main__":
    main()
