"""How often the number of clusters that is counted is the number of known classes.

``python -m benchmarks.choosing`` counts clusters as ``GPAC(n_clusters="auto")`` does, on real data
and on made groups, and again with other random halves. What was found is kept line by line, so that
a run that was stopped goes on where it was.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks import ROOT, parser_of
from benchmarks.machine import describe_machine
from benchmarks.tables import fill_marks, markdown_table
from graphpac.io.journal import append_entry, read_entries

NEAR = 0.2  # a number within a fifth of the truth counts as near
N_DRAWS = 3  # of halves: the first is that of "auto"
N_NEIGHBORS = 10  # of "auto"


@dataclass(frozen=True)
class Case:
    """A data set, and whether the rule was chosen on it."""

    name: str
    dataset: str
    metric: str = "cosine"
    used: bool = False


REAL = (
    Case("banking77", "banking77_minilm", used=True),
    Case("CIFAR-10 features", "cifar10_effnetlite2_20k"),
    Case("CLINC150", "clinc150_minilm", used=True),
    Case("COIL-100", "coil100"),
    Case("COIL-20", "coil20", used=True),
    Case("digits", "digits"),
    Case("ISOLET", "isolet", used=True),
    Case("MNIST", "mnist"),
    Case("20 newsgroups", "news20_minilm", used=True),
    Case("Olivetti", "olivetti"),
    Case("ORL", "orl32", used=True),
    Case("Pendigits", "pendigits"),
    Case("mouse bladder", "sc_mouse_bladder_pca50", used=True),
    Case("worm neurons", "sc_worm_neuron_pca50"),
    Case("Tiny ImageNet features", "tinyimagenet100a_effnetlite2", used=True),
    Case("USPS", "usps"),
    Case("Yale B", "yaleb32", used=True),
    Case("CIFAR-10 photographs", "cifar10_images_6k"),
    Case("iris", "iris"),
    Case("wine", "wine"),
    Case("breast cancer", "breast_cancer"),
)
SPREADS = {"apart": 1.5, "overlapping": 3.0}
COUNTED = "counted"
RULES = {  # what is multiplied; the number with the largest product is taken
    COUNTED: ("stability", "modularity", "likelihood"),
    "stability": ("stability",),
    "modularity": ("modularity",),
    "likelihood": ("likelihood",),
    "stability x modularity": ("stability", "modularity"),
}
OTHERS = [rule for rule in RULES if rule != COUNTED]


def made_cases() -> Iterator[Case]:
    """Make groups of known number, 3 to 20, apart and overlapping."""
    for spread in SPREADS:
        for n_groups in range(3, 21):
            yield Case(f"{n_groups} groups, {spread}", f"blobs-{n_groups}-{spread}", "euclidean")


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
    """Count the clusters of a data set, with several draws of halves."""
    import numpy as np

    from graphpac import build_neighbor_graph
    from graphpac._threads import Workers
    from graphpac.solvers.counting import N_HALVES, NumberJudge, best_number, numbers_to_try

    X, y = load_case(case.dataset)
    graph = build_neighbor_graph(X, N_NEIGHBORS, metric=case.metric, random_state=0)  # type: ignore[arg-type]
    numbers = numbers_to_try(graph.n_originals)
    draws = []
    began = time.perf_counter()
    with Workers(1) as workers:
        for draw in range(N_DRAWS):
            seeds = range(draw * N_HALVES, (draw + 1) * N_HALVES)
            judge = NumberJudge(graph, numbers[-1], seeds, workers)
            draws.append([judge.judge(number) for number in numbers])
    best = [best_number(judged) for judged in draws]
    return {
        "name": case.name,
        "n_samples": int(X.shape[0]),
        "n_classes": int(np.unique(y).size),
        "seconds": (time.perf_counter() - began) / N_DRAWS,
        "counted": [1 if one is None else one.n_clusters for one in best],
        **columns_of(draws[0]),
    }


def columns_of(judged: Sequence[Any]) -> dict[str, list[float]]:
    """Lay out what was found about all numbers, column by column, with four digits."""
    records = [asdict(one) for one in judged]
    return {name: [float(f"{one[name]:.4g}") for one in records] for name in records[0]}


def best_by(found: dict[str, Any], rule: str) -> int:
    """Return the number that a rule would take, those with empty clusters passed over."""
    if rule == COUNTED:
        return int(found["counted"][0])
    factors = zip(*(found[name] for name in RULES[rule]), strict=True)
    rows = zip(found["n_clusters"], found["n_occupied"], map(prod, factors), strict=True)
    full = [(value, -number) for number, n_occupied, value in rows if n_occupied == number]
    return -int(max(full)[1])


def is_near(number: int, n_classes: int) -> bool:
    """Tell whether a number is within a fifth of the true one."""
    return abs(number - n_classes) <= NEAR * n_classes


def is_within_two(number: int, n_classes: int) -> bool:
    """Tell whether a number is at most twice and at least half the true one."""
    return n_classes / 2 <= number <= 2 * n_classes


def real_table(findings: Sequence[dict[str, Any]]) -> str:
    """One row for each real data set."""
    rows = []
    for found in findings:
        first, *others = found["counted"]
        rows.append(
            [
                found["name"],
                f"{found['n_samples']:,}",
                str(found["n_classes"]),
                f"**{first}**",
                ", ".join(map(str, others)),
                *(str(best_by(found, rule)) for rule in OTHERS),
                f"{found['seconds']:.1f}",
            ]
        )
    head = ["data", "rows", "classes", "counted", "other halves"]
    head += [f"by {rule}" for rule in OTHERS]
    return markdown_table([*head, "seconds"], rows)


def rule_table(findings: Sequence[dict[str, Any]]) -> str:
    """How often each rule is right, on the real data."""
    rows = []
    for rule in RULES:
        pairs = [(best_by(found, rule), found["n_classes"]) for found in findings]
        n_right = (sum(right(*pair) for pair in pairs) for right in (is_near, is_within_two))
        rows.append([rule, *(f"{n} of {len(pairs)}" for n in n_right)])
    return markdown_table(["rule", "within a fifth", "half to twice"], rows)


def made_table(findings: Sequence[dict[str, Any]]) -> str:
    """Summarize the made groups: how many numbers were found, by each rule."""
    rows = []
    for spread in SPREADS:
        here = [found for found in findings if found["name"].endswith(f", {spread}")]
        for rule in RULES if here else ():
            off = [abs(best_by(found, rule) - found["n_classes"]) for found in here]
            counts = [sum(one <= most for one in off) for most in (0, 1, 2)]
            rows.append(
                [spread, rule, *(f"{n} of {len(off)}" for n in counts), f"{fmean(off):.1f}"]
            )
    return markdown_table(
        ["groups", "rule", "exact", "within 1", "within 2", "mean error"], rows, n_names=2
    )


def summary(findings: Sequence[dict[str, Any]]) -> str:
    """Say how often the number is right, and how often on sets that the rule was not chosen on."""
    used = {case.name for case in REAL if case.used}
    unused = [found for found in findings if found["name"] not in used]

    def told(some: Sequence[dict[str, Any]]) -> str:
        pairs = [(number, found["n_classes"]) for found in some for number in found["counted"]]
        near, half = (sum(right(*pair) for pair in pairs) for right in (is_near, is_within_two))
        return (
            f"{near / len(pairs):.0%} are within a fifth of the number of classes and "
            f"{half / len(pairs):.0%} from half to twice of it"
        )

    return (
        f"Of the numbers counted on real data, those with other halves included, {told(findings)}; "
        f"on the {len(unused)} sets that the rule was not chosen on, {told(unused)}. The table of "
        "rules is of the first halves. Seconds: one count on one core, without the search for "
        f"neighbors. Measured by `python -m benchmarks.choosing` on {describe_machine()}."
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = parser_of("choosing", __doc__)
    parser.add_argument("--only", nargs="+", help="names of cases (default: all)")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "choosing-c.md")
    given = parser.parse_args(arguments)
    given.output.mkdir(parents=True, exist_ok=True)
    journal = given.output / "choosing.jsonl"
    every = (*REAL, *made_cases())
    known = {found["name"] for found in read_entries(journal)}
    for case in every:
        if case.name in known or (given.only is not None and case.name not in given.only):
            continue
        found = measure(case)
        append_entry(journal, found)
        print(case.name, found["n_classes"], found["counted"][0], file=sys.stderr)
    findings = read_entries(journal)
    order = {case.name: place for place, case in enumerate(every)}
    findings.sort(key=lambda found: order[found["name"]])
    real = [found for found in findings if "groups, " not in found["name"]]
    made = [found for found in findings if "groups, " in found["name"]]
    tables = [real_table(real), rule_table(real), made_table(made)]
    text = "\n\n".join([*tables, summary(real)]) + "\n"
    fill_marks(given.page, "choosing", text)
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
