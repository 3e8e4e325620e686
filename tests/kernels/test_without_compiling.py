"""Kernels are Python too: they run without the compiler, slowly, and find the same."""

import json
import os
import subprocess
import sys

import pytest

RUN = """
import json
from functools import partial

import numpy as np

from graphpac.solvers import Problem, SolverOptions, Start, solve_gpac
from graphpac.solvers.state import make_state
from tests.strategies import random_graph

found = []
for dense_clusters in (64, 0):
    rng = np.random.default_rng(0)
    result = solve_gpac(
        random_graph(60, 6, rng),
        Start(rng.integers(-1, 5, 60, dtype=np.int32)),
        Problem(n_clusters=5, batch_size=15, max_iter=3, tol=0.0),
        SolverOptions(),
        rng=rng,
        make_state=partial(make_state, dense_clusters=dense_clusters),
    )
    found.append([result.hard_labels.tolist(), result.memberships.argmax(axis=1).ravel().tolist()])
print(json.dumps(found))
"""


def labels_found(**environment):
    run = subprocess.run(
        [sys.executable, "-c", RUN],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(run.stdout)


@pytest.mark.slow
def test_a_fit_without_the_compiler_finds_the_same():
    assert labels_found(NUMBA_DISABLE_JIT="1") == labels_found(NUMBA_DISABLE_JIT="0")
