"""The estimate against the measured peak of real fits, each in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac.datasets import make_mixture
from graphpac.planning.estimate import LARGEST_ERROR

ROOT = Path(__file__).parents[2]
ITERATIONS = 10  # enough for pools to be dealt a second time
CHILD = """
import json, sys
import numpy as np
import scipy.sparse as sp
from graphpac.measuring.resident import peak_memory
from graphpac import GPAC, estimate_fit

path, n_rows, mode, options = sys.argv[1], int(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])
X = sp.load_npz(path) if path.endswith("npz") else np.load(path, mmap_mode=mode or None)
X = X[:n_rows]
model = GPAC(random_state=0, **options).fit(X)
measured, estimated = 1e6 * peak_memory(), estimate_fit(model, X).peak_memory
print(json.dumps({"measured": measured, "estimated": estimated}))
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="peaks are read from /proc"),
]


def check(path, n_rows, *, mode="", **options):
    """Fit in new processes, first a few rows, so that nothing is compiled in the second."""
    options = {"max_iter": ITERATIONS} | options
    for count in (max(1000, 2 * options["n_clusters"]), n_rows):
        command = [sys.executable, "-c", CHILD, path, str(count), mode, json.dumps(options)]
        ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    found = json.loads(ended.stdout)
    ratio = found["estimated"] / found["measured"]
    assert 1 / LARGEST_ERROR < ratio < LARGEST_ERROR, found


@pytest.fixture
def mixture(tmp_path):
    """Write a mixture to a file."""

    def write(n_samples, n_features, n_clusters, dtype="float32"):
        path = tmp_path / "X.npy"
        out = np.lib.format.open_memmap(path, "w+", dtype, (n_samples, n_features))
        make_mixture(n_samples, n_features, n_clusters, random_state=0, out=out)
        out.flush()
        return str(path)

    return write


@pytest.mark.parametrize(
    ("n_samples", "n_features", "n_clusters"),
    [(20_000, 64, 10), (60_000, 256, 200), (120_000, 128, 100)],
)
def test_rows_in_memory(mixture, n_samples, n_features, n_clusters):
    path = mixture(n_samples, n_features, n_clusters)
    check(path, n_samples, n_clusters=n_clusters)


def test_a_memory_map_of_half_precision(mixture):
    path = mixture(60_000, 512, 50, "float16")
    check(path, 60_000, mode="r", n_clusters=50)


def test_more_neighbors(mixture):
    path = mixture(40_000, 32, 20)
    check(path, 40_000, n_clusters=20, n_neighbors=20)


@pytest.mark.parametrize("stored", [0.08, 0.5], ids=["sparse", "sparse in form only"])
def test_sparse_rows(tmp_path, stored):
    X, _ = make_mixture(15_000, 300, 20, random_state=0)
    X[np.abs(X) < np.quantile(np.abs(X), 1 - stored)] = 0.0
    sp.save_npz(tmp_path / "X.npz", sp.csr_matrix(X))
    check(str(tmp_path / "X.npz"), 15_000, n_clusters=20)


def test_real_data(dataset, tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, dataset("mnist").X.astype(np.float32))
    check(str(path), 70_000, n_clusters=10)
