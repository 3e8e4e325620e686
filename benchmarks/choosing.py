"""How often `suggest_n_clusters` finds the number of known classes.

``python -m benchmarks.choosing`` compares numbers of clusters on real data and on made groups. What
was compared is kept line by line, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks import ROOT, parser_of
from benchmarks.machine import describe_machine
from benchmarks.tables import fill_marks, markdown_table
from graphpac.io.journal import append_entry, read_entries

SEED = 0
NEAR = 0.2  # a number within a fifth of the truth counts as near
COLUMNS = ("score", "stability", "modularity", "certainty")
TENS = [*range(2, 21), 22, 25, 30]
FORTIES = [*range(2, 11), *range(12, 31, 2), 35, 40, 50]


@dataclass(frozen=True)
class Case:
    """A data set, the numbers of clusters that are compared, and parameters of the fits."""

    name: str
    dataset: str
    numbers: Sequence[int]
    parameters: dict[str, Any] = field(default_factory=dict)


REAL = (
    Case("digits", "digits", TENS),
    Case("pendigits", "pendigits", TENS),
    Case("usps", "usps", TENS),
    Case("coil20", "coil20", FORTIES),
    Case("isolet", "isolet", FORTIES),
    Case("news20_minilm", "news20_minilm", FORTIES),
    Case("banking77_minilm", "banking77_minilm", range(10, 151, 10)),
    Case("sc_mouse_bladder", "sc_mouse_bladder_pca50", TENS),
    Case("sc_mouse_bladder, alpha=4", "sc_mouse_bladder_pca50", TENS, {"alpha": 4.0}),
    Case("sc_worm_neuron", "sc_worm_neuron_pca50", FORTIES),
)
SPREADS = {"apart": 1.5, "overlapping": 3.0}


def made_cases() -> Iterator[Case]:
    """Make groups of known number, 3 to 20, apart and overlapping."""
    for spread in SPREADS:
        for n_groups in range(3, 21):
            yield Case(
                f"{n_groups} groups, {spread}",
                f"blobs-{n_groups}-{spread}",
                range(2, 26),
                {"metric": "euclidean"},
            )


def load_case(dataset: str) -> tuple[Any, Any]:
    """Load rows and classes, or make a thousand rows in sixteen dimensions."""
    import numpy as np

    if dataset.startswith("blobs-"):
        from sklearn.datasets import make_blobs

        _, n_groups, spread = dataset.split("-")
        return make_blobs(
            1000,
            16,
            centers=int(n_groups),
            cluster_std=SPREADS[spread],
            center_box=(-5.0, 5.0),
            random_state=int(n_groups),
        )
    from graphpac.datasets import load

    data = load(dataset, download=False)
    return np.ascontiguousarray(data.X, dtype=np.float32), data.y


def measure(case: Case) -> dict[str, Any]:
    """Compare all numbers, then hold one fit of the suggested and the true one to the classes."""
    import numpy as np

    from graphpac import GPAC, suggest_n_clusters
    from graphpac.metrics import adjusted_rand_index

    X, y = load_case(case.dataset)
    n_classes = int(np.unique(y).size)
    suggestion = suggest_n_clusters(X, case.numbers, random_state=SEED, **case.parameters)

    def ari(n_clusters: int) -> float:
        model = GPAC(n_clusters, random_state=SEED, **case.parameters).fit(X)
        return adjusted_rand_index(y, model.labels_)

    return {
        "name": case.name,
        "n_samples": int(X.shape[0]),
        "n_classes": n_classes,
        "suggested": suggestion.n_clusters,
        "ari_suggested": ari(suggestion.n_clusters),
        "ari_classes": ari(n_classes),
        "candidates": suggestion.to_records(),
    }


def best_by(found: dict[str, Any], column: str) -> int:
    """Return the number a rule of one column alone would suggest, empty clusters passed over."""
    candidates = found["candidates"]
    full = [one for one in candidates if one["n_occupied"] == one["n_clusters"]]
    return int(max(full or candidates, key=lambda one: one[column])["n_clusters"])


def is_near(number: int, n_classes: int) -> bool:
    """Tell whether a number is within a fifth of the true one."""
    return abs(number - n_classes) <= NEAR * n_classes


def real_table(findings: Sequence[dict[str, Any]]) -> str:
    """One row for each real data set."""
    rows = []
    for found in findings:
        numbers = [one["n_clusters"] for one in found["candidates"]]
        rows.append(
            [
                found["name"],
                f"{found['n_samples']:,}",
                f"{numbers[0]}..{numbers[-1]}",
                str(found["n_classes"]),
                f"**{found['suggested']}**",
                *(str(best_by(found, column)) for column in COLUMNS[1:]),
                f"{found['ari_suggested']:.3f}",
                f"{found['ari_classes']:.3f}",
                f"{sum(one['seconds'] for one in found['candidates']):.0f}",
            ]
        )
    head = ["data", "rows", "compared", "classes", "suggested"]
    head += [f"by {column} alone" for column in COLUMNS[1:]]
    head += ["ARI at suggested", "ARI at classes", "seconds"]
    return markdown_table(head, rows)


def made_table(findings: Sequence[dict[str, Any]]) -> str:
    """Summarize the made groups: how many numbers were found, by each rule."""
    rows = []
    for spread in SPREADS:
        here = [found for found in findings if found["name"].endswith(f", {spread}")]
        for column in COLUMNS if here else ():
            off = [abs(best_by(found, column) - found["n_classes"]) for found in here]
            name = "suggested" if column == "score" else f"by {column} alone"
            counts = [sum(one <= most for one in off) for most in (0, 1, 2)]
            rows.append(
                [spread, name, *(f"{n} of {len(off)}" for n in counts), f"{fmean(off):.1f}"]
            )
    return markdown_table(
        ["groups", "rule", "exact", "within 1", "within 2", "mean error"], rows, n_names=2
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = parser_of("choosing", __doc__)
    parser.add_argument("--only", nargs="+", help="names of cases (default: all)")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "choosing-c.md")
    given = parser.parse_args(arguments)
    given.output.mkdir(parents=True, exist_ok=True)
    journal = given.output / "choosing.jsonl"
    cases = [
        case for case in (*REAL, *made_cases()) if given.only is None or case.name in given.only
    ]
    known = {found["name"] for found in read_entries(journal)}
    for case in cases:
        if case.name in known:
            continue
        found = measure(case)
        append_entry(journal, found)
        print(case.name, found["n_classes"], found["suggested"], file=sys.stderr)
    findings = read_entries(journal)
    order = {case.name: place for place, case in enumerate((*REAL, *made_cases()))}
    findings.sort(key=lambda found: order[found["name"]])
    real = [found for found in findings if "groups, " not in found["name"]]
    near = sum(is_near(found["suggested"], found["n_classes"]) for found in real)
    made = [found for found in findings if "groups, " in found["name"]]
    notes = (
        f"The suggestion is within a fifth of the number of classes on {near} of {len(real)} rows "
        "of the first table. ARI: agreement of one fit with the known classes. Seconds: all fits "
        "of a row. Measured by `python -m benchmarks.choosing` "
        f"on {describe_machine()}."
    )
    text = "\n\n".join([real_table(real), made_table(made), notes]) + "\n"
    (given.output / "choosing.md").write_text(text, encoding="utf-8")
    fill_marks(given.page, "choosing", text)
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
