"""Fingerprints of results: ``python -m benchmarks.bits`` before a change, ``--compare`` after it.

A change that should change no result is checked by comparing both on the same machine: sums round
differently on other processors. What is taken is every bit of labels, memberships, hard labels and
the record of iterations of GPAC on five data sets; of a fit that was stopped and taken up again; of
predictions for new rows; and the labels of every other method on the digits.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import parser_of
from benchmarks.machine import describe_machine

RESULTS = Path(__file__).parent / "results" / "bits.json"
DATA = ("digits", "usps", "banking77_minilm", "coil100", "mnist")
SEEDS = (0, 1, 2)
STOPPED_AFTER = 27


def fingerprints(names: Sequence[str], seeds: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Yield what was computed, and a digest of all its bits."""
    from graphpac import GPAC, methods
    from graphpac.datasets import load

    for name in names:
        data = load(name)
        for seed in seeds:
            model = GPAC.as_published(data.n_classes, random_state=seed).fit(data.X)
            yield f"GPAC, {name}, seed {seed}", digest(model)
    digits = load("digits")
    yield "GPAC, digits, stopped and taken up again", digest(resumed(digits.X))
    model = GPAC.as_published(10, random_state=0).fit(digits.X[:1500])
    new = model.predict_memberships(digits.X[1500:])
    yield "GPAC, digits, 297 new rows", of_arrays((new.indptr, new.indices, new.data))
    for name in methods.names():
        labels = methods.make(name, n_clusters=10, random_state=0).fit(digits.X).labels_
        yield f"{name}, digits", of_arrays((labels.astype(np.int32),))


def resumed(X: Any) -> Any:
    """Fit with a checkpoint, stop on the way, and fit again."""
    from graphpac import GPAC

    def stop(record: Any) -> None:
        if record.iteration == STOPPED_AFTER:
            raise KeyboardInterrupt

    with tempfile.TemporaryDirectory() as folder:
        try:
            GPAC.as_published(10, random_state=0).fit(X, checkpoint=folder, callback=stop)
        except KeyboardInterrupt:
            return GPAC.as_published(10, random_state=0).fit(X, checkpoint=folder)
    msg = f"the fit ended before iteration {STOPPED_AFTER}."
    raise RuntimeError(msg)


def digest(model: Any) -> str:
    """Digest what a fit of GPAC found, and how."""
    memberships = model.memberships_
    changes = np.array([record.change for record in model.history_])
    sizes = np.array([record.cluster_sizes for record in model.history_])
    return of_arrays(
        (
            model.labels_,
            model.hard_labels_,
            memberships.indptr,
            memberships.indices,
            memberships.data,
            changes,
            sizes,
            np.array([model.objective_]),
        )
    )


def of_arrays(arrays: Sequence[Any]) -> str:
    """Digest arrays; whole numbers count by their values, not by the bytes they take."""
    found = hashlib.sha256()
    for array in arrays:
        kind = np.int64 if array.dtype.kind in "iu" else array.dtype
        found.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return found.hexdigest()[:16]


def print_differences(found: dict[str, str], expected: dict[str, str]) -> int:
    """Print what is not as it was; return how many."""
    changed = [name for name, value in found.items() if expected.get(name, value) != value]
    new = [name for name in found if name not in expected]
    for words, names in (("changed", changed), ("not in the file", new)):
        for name in names:
            print(f"{words}: {name}")
    print(f"{len(found) - len(changed) - len(new)} of {len(found)} as before")
    return len(changed)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = parser_of("bits", __doc__)
    parser.add_argument("--data", nargs="*", default=DATA, help="data sets for GPAC")
    parser.add_argument("--seeds", nargs="*", type=int, default=SEEDS)
    parser.add_argument("--compare", action="store_true", help="compare with the file instead")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the file")
    given = parser.parse_args(arguments)
    found: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some methods leave clusters of digits empty
        for name, value in fingerprints(given.data, given.seeds):
            print(f"{value}  {name}", flush=True)
            found[name] = value
    if given.compare:
        stored = json.loads(given.output.read_text(encoding="utf-8"))
        sys.exit(min(1, print_differences(found, stored["bits"])))
    record = {"machine": str(describe_machine()), "bits": found}
    given.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
