"""Model files: how large they are, and how often they agree: ``python -m benchmarks.models``.

A model is fitted on four fifths of the rows, saved whole and compact, and asked for the others.
What is compared are the labels of the file with those of the fitted model. The second table is of
rows that no small type holds exactly, so that they are rounded, or kept as float32.
"""

from __future__ import annotations

import pickle
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import parser_of
from benchmarks.machine import describe_machine
from benchmarks.tables import fill_marks, markdown_table

DATA = ("mnist", "clinc150_minilm", "banking77_minilm", "pendigits", "digits")
METRICS = ("cosine", "euclidean", "inner_product")
RESULTS = Path(__file__).parent / "results" / "models.md"
SEED = 0


def files_table(names: Sequence[str]) -> str:
    head = ["data", "rows", "clusters", "pickle MB", "file MB", "of it memberships"]
    head += ["compact MB", "rows kept", "training rows agree", "new rows agree", "CPU seconds"]
    return markdown_table(head, [_measure_files(name) for name in names])


def _measure_files(name: str) -> list[str]:
    from graphpac import GPAC, load, save
    from graphpac.datasets import load as load_data
    from graphpac.models.model_file import encode

    data = load_data(name)
    known, new = split(data.X)
    model = GPAC(data.n_classes, random_state=SEED).fit(known)
    expected = model.predict(new)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        whole = save(model, path)
        loaded = load(path)
        assert (loaded.predict(new) == expected).all(), f"rows of {name} are not stored exactly"
        arrays = encode(loaded._model).arrays
        began = time.process_time()  # of all threads, whoever else is busy
        compact = save(model, path, compact=True)
        seconds = time.process_time() - began
        agreement = np.mean(load(path).predict(new) == expected)
    memberships = sum(a.nbytes for key, a in arrays.items() if key.startswith("memberships"))
    return [
        name,
        f"{known.shape[0]:,}",
        str(data.n_classes),
        f"{len(pickle.dumps(model)) / 1e6:.3g}",
        f"{whole.n_bytes / 1e6:.3g}",
        f"{memberships / 1e6:.3g}",
        f"{compact.n_bytes / 1e6:.3g}",
        f"{compact.n_rows / compact.n_training_rows:.1%}",
        f"{compact.agreement:.1%}",
        f"{agreement:.1%}",
        f"{seconds:.0f}",
    ]


def rounding_table() -> str:
    head = ["rows", "metric", "stored as", "training rows agree", "new rows agree"]
    rows = [
        [name, metric, *_measure_rounding(X, metric)]
        for name, X in rounded_rows()
        for metric in METRICS
    ]
    return markdown_table(head, rows, n_names=3)


def rounded_rows() -> Iterator[tuple[str, Any]]:
    """Yield rows that have to be rounded, some of which would not bear it."""
    from graphpac.datasets import load

    pendigits = load("pendigits").X.astype(np.float64)
    standard = (pendigits - pendigits.mean(axis=0)) / pendigits.std(axis=0)
    changes: dict[str, Callable[[Any], Any]] = {
        "pendigits, standardized": lambda X: X,
        "the same, times 1e-9": lambda X: X * 1e-9,
        "the same, times 1e9": lambda X: X * 1e9,
        "the same, plus 30": lambda X: X + 30.0,
        "the same, plus 1,000": lambda X: X + 1000.0,
    }
    for name, change in changes.items():
        yield name, change(standard)
    yield "mnist, 10,000 rows, divided by 255", load("mnist").X[::7] / np.float32(255)


def _measure_rounding(X: Any, metric: Any) -> list[str]:
    from graphpac import GPAC, load, save

    known, new = split(X)
    with warnings.catch_warnings():
        # Products of rows far from the origin hardly differ, which leaves clusters empty.
        warnings.simplefilter("ignore", UserWarning)
        model = GPAC(10, metric=metric, random_state=SEED).fit(known)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        save(model, path)
        loaded = load(path)
    agreements = (np.mean(loaded.predict(rows) == model.predict(rows)) for rows in (known, new))
    return [loaded._model.rows.values.dtype.name, *(f"{share:.2%}" for share in agreements)]


def split(X: Any) -> tuple[Any, Any]:
    """Take four fifths of the rows at random, and the others."""
    order = np.random.default_rng(SEED).permutation(X.shape[0])
    n_known = X.shape[0] * 4 // 5
    return X[np.sort(order[:n_known])], X[np.sort(order[n_known:])]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = parser_of("models", __doc__)
    parser.add_argument("--data", nargs="+", default=DATA, help="data sets of the first table")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, help="page whose tables to replace, docs/models.md")
    given = parser.parse_args(arguments)
    machine = describe_machine()
    source = f"Measured by `python -m benchmarks.models` on {machine}; load {machine.load:.1f}."
    files, rounding = files_table(given.data), rounding_table()
    text = f"{files}\n\n{rounding}\n\n{source}"
    given.output.write_text(text + "\n", encoding="utf-8")
    if given.docs is not None:
        fill_marks(given.docs, "models", f"{files}\n\n{source}")
        fill_marks(given.docs, "rounding", rounding)
    print(text)


if __name__ == "__main__":
    main()
