"""Kernels are Python too: they run without the compiler, slowly, and find the same."""

import json
import os
import subprocess
import sys

import pytest

FIT = """
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

CANDIDATES = """
import json

import numpy as np

from graphpac.solvers.candidates import improved, merged_communities
from tests.strategies import link_graph, planted_links

A, groups = planted_links([20, 30, 40], np.random.default_rng(0))
A[:, 0] = A[0] = 0.0  # one sample has no links
graph = link_graph(A)
found = [improved(graph, "", groups % 2, 2, 0.0)]
for each in merged_communities(graph, 3, 1.5):
    found.append(improved(graph, *each))
print(json.dumps([
    [facts.likelihood, facts.two_step_likelihood, facts.block_information, labels.tolist()]
    for facts, labels in found
]))
"""


def found_by(program, **environment):
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(run.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("program", [FIT, CANDIDATES], ids=["a fit", "candidates"])
def test_without_the_compiler_the_same_is_found(program):
    compiled = found_by(program, NUMBA_DISABLE_JIT="0")
    assert compiled
    assert found_by(program, NUMBA_DISABLE_JIT="1") == compiled
