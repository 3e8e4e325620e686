"""Two source trees beside each other: ``python -m benchmarks.versions ../before``.

Each fit has a process of its own, the trees take turns, and what they find is compared: a change
that should change no result is judged by time and memory in one run on one machine.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import RESULTS, ROOT, parser_of
from benchmarks.interpreter import printed_by
from benchmarks.machine import describe_machine

DATA = ("mnist", "mixture")
MIXTURE = (100_000, 128, 100)  # samples, features, clusters
# The first fit, of fewer rows, loads the compiled code.
FIT = """
import hashlib, json, resource, sys, time
from graphpac import GPAC
from graphpac.datasets import load, make_mixture
from graphpac.metrics import score_labels
if sys.argv[1] == "mixture":
    n, d, c = map(int, sys.argv[2:])
    X, y = make_mixture(n, d, c, random_state=0)
else:
    data = load(sys.argv[1])
    X, y, c = data.X, data.y, data.n_classes
GPAC(c, random_state=0, max_iter=2).fit(X[: len(X) // 20])
cpu, wall = time.process_time(), time.perf_counter()
model = GPAC(c, random_state=0).fit(X)
print(json.dumps({
    "seconds": time.perf_counter() - wall,
    "cpu": time.process_time() - cpu,
    "optimize": model.timings_["optimize"],
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "nmi": score_labels(y, model.labels_).nmi,
    "bits": hashlib.sha256(model.memberships_.data.tobytes() + model.labels_.tobytes()).hexdigest(),
}))
"""


def measure(tree: Path, data: str) -> dict[str, Any]:
    """Fit once with the package of a tree."""
    sizes = [str(size) for size in MIXTURE] if data == "mixture" else []
    return json.loads(printed_by(FIT, data, *sizes, environment={"PYTHONPATH": str(tree / "src")}))


def compare(before: Path, names: Sequence[str], repeats: int) -> list[str]:
    """Measure both trees in turns; return the lines of a table."""
    lines = [
        "| data | tree | seconds | CPU seconds | optimize, s | peak, MB | NMI | memberships |",
        "|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for name in names:
        found: dict[str, list[dict[str, Any]]] = {"before": [], "now": []}
        for _ in range(repeats):
            for tree, path in (("before", before), ("now", ROOT)):
                found[tree].append(measure(path, name))
        middle = {
            tree: {
                key: median(each[key] for each in records) for key in records[0] if key != "bits"
            }
            for tree, records in found.items()
        }
        same = len({each["bits"] for records in found.values() for each in records}) == 1
        for tree, m in middle.items():
            lines.append(
                f"| {name} | {tree} | {m['seconds']:.2f} | {m['cpu']:.2f} | {m['optimize']:.2f} "
                f"| {m['peak']:.0f} | {m['nmi']:.3f} | {'the same bits' if same else 'differ'} |"
            )
        ratios = [middle["now"][key] / middle["before"][key] for key in ("seconds", "cpu")]
        ratios += [middle["now"][key] / middle["before"][key] for key in ("optimize", "peak")]
        shown = " | ".join(f"{ratio:.3f}" for ratio in ratios)
        lines.append(f"| {name} | now / before | {shown} | | |")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    parser = parser_of("versions", __doc__)
    parser.add_argument("before", type=Path, help="another clone of the repository")
    parser.add_argument("--data", nargs="*", default=DATA, help="data sets, or mixture")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path, default=RESULTS / "versions.md")
    given = parser.parse_args(arguments)
    machine = describe_machine()
    lines = compare(given.before.resolve(), given.data, given.repeats)
    head = (
        f"Medians of {given.repeats}, the trees in turns. {machine.name}, load {machine.load:.1f}."
    )
    given.output.write_text("\n".join([head, "", *lines, ""]), encoding="utf-8")
    print(given.output.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
