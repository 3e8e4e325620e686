"""Ctrl-C ends what takes long, soon: a real signal, sent to a process that has just begun."""

import os
import signal
import subprocess
import sys
from time import monotonic

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")

SOON = 10.0  # seconds: a block takes a quarter of one, on machines that have nothing else to do
CHILD = """
import signal
import numpy as np
import scipy.sparse as sp
from graphpac import GPAC, build_neighbor_graph

def begun(done, total):
    print("begun", flush=True)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may start tests without it
rng = np.random.default_rng(0)
try:
    {work}
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
WORKS = {
    "exact": "build_neighbor_graph(rng.normal(size=(40_000, 8)), 999_999, {more})",
    "faiss": "build_neighbor_graph(rng.normal(size=(100_000, 8)), 1_000, {more})",
    "sparse": "build_neighbor_graph(sp.random(150_000, 800, 0.02, random_state=rng), {more})",
}


@pytest.mark.parametrize(
    ("name", "n_jobs"),
    [
        ("exact", 1),
        pytest.param("faiss", 2, marks=pytest.mark.slow),
        pytest.param("sparse", 2, marks=pytest.mark.slow),
    ],
)
def test_a_search_of_minutes_ends_soon_after_ctrl_c(name, n_jobs):
    searcher = "faiss" if name == "faiss" else "exact"
    more = f"searcher={searcher!r}, n_jobs={n_jobs}, random_state=0, progress=begun"
    work = WORKS[name].format(more=more)
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(work=work)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "begun\n"
        child.send_signal(signal.SIGINT)
        began = monotonic()
        told, _ = child.communicate(timeout=10 * SOON)
    finally:
        child.kill()
    assert told.splitlines()[-1] == "stopped"
    assert child.returncode == 0
    assert monotonic() - began < SOON
