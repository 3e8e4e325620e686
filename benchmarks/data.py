"""The rows that are clustered: data sets by name, and synthetic mixtures of any size.

``mixture-100000x512-500`` is a mixture of 100,000 rows, 512 features and 500 clusters. It is made
once (``python -m benchmarks.data NAME ...``), kept on disk, and given to everybody as a memory map.
The folder is ``$GRAPHPAC_BENCH_CACHE``, by default ``graphpac/benchmarks`` in the cache folder.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MIXTURE = re.compile(r"mixture-(\d+)x(\d+)-(\d+)")
SEED = 0


@dataclass(frozen=True)
class Rows:
    """Rows, their true clusters, and where they come from."""

    X: Any
    y: Any
    n_classes: int
    source: str


def mixture_shape(name: str) -> tuple[int, int, int] | None:
    """Numbers of rows, features and clusters that the name of a mixture tells."""
    found = MIXTURE.fullmatch(name)
    if found is None:
        return None
    n_samples, n_features, n_clusters = map(int, found.groups())
    return n_samples, n_features, n_clusters


def load_rows(name: str) -> Rows:
    """Load float32 rows: KMeans would turn bytes into float64, EVoC take them for quantized."""
    import numpy as np

    from graphpac.datasets import load

    shape = mixture_shape(name)
    if shape is not None:
        X, y = _load_mixture(name, *shape)
        return Rows(X, y, shape[2], f"make_mixture, random_state={SEED}")
    data = load(name)
    X = np.ascontiguousarray(data.X, dtype=np.float32)
    return Rows(X, data.y, data.n_classes, Path(data.source).name)


def _load_mixture(name: str, n_samples: int, n_features: int, n_clusters: int) -> tuple[Any, Any]:
    import numpy as np

    from graphpac.datasets import make_mixture

    rows_path, labels_path = _cache() / f"{name}.npy", _cache() / f"{name}-labels.npy"

    def write_rows(path: Path) -> None:
        shape = (n_samples, n_features)
        out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
        _, y = make_mixture(n_samples, n_features, n_clusters, random_state=SEED, out=out)
        out.flush()
        _write_whole(labels_path, lambda path: np.save(path, y))

    if not (rows_path.exists() and labels_path.exists()):
        _write_whole(rows_path, write_rows)
    return np.load(rows_path, mmap_mode="r"), np.load(labels_path)


def _write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let a file appear under its name only when it is complete."""
    unfinished = path.with_name(f"{os.getpid()}-{path.name}")
    try:
        write(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _cache() -> Path:
    default = Path.home() / ".cache" / "graphpac" / "benchmarks"
    folder = Path(os.environ.get("GRAPHPAC_BENCH_CACHE", default))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def shape_of(name: str) -> tuple[int, int]:
    """Load rows, made if need be, and tell how many there are of how many features."""
    return load_rows(name).X.shape


if __name__ == "__main__":
    for asked in sys.argv[1:]:
        print(asked, *shape_of(asked))
