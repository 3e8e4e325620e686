"""The folder of a checkpoint: whose it is, what is in it, what is refused."""

import errno
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from graphpac.exceptions import CheckpointError
from graphpac.io import Run, open_checkpoint
from graphpac.io.container import Contents, write_file
from graphpac.io.parts import GRAPH, RESULT, START, STATE, Sizes
from graphpac.solvers import Snapshot, SolverResult, Start
from tests.strategies import random_graph

LABELS = np.array([2, 0, 1], dtype=np.int32)
RUN = Run({"X": {"is": "an array", "sha256": "12"}, "n_clusters": 3, "metric": "cosine"}, [1, 2, 3])

SIZES = Sizes(n_samples=3, n_clusters=3)


def store(folder, *parts, run=RUN):
    """Open a folder and store some parts in it."""
    values = {
        GRAPH: random_graph(3, 2, np.random.default_rng(0)),
        START: Start(LABELS),
        STATE: Snapshot((), {"labels": LABELS}, {}, {}),
        RESULT: SolverResult(
            memberships=random_graph(3, 2, np.random.default_rng(0)).to_scipy(),
            hard_labels=LABELS,
            history=(),
            converged=False,
            n_hops=2,
            batch_size=3,
            dropped_mass=0.0,
            objective=0.0,
        ),
    }
    with open_checkpoint(folder) as checkpoint:
        seeds = checkpoint.begin(run, SIZES)
        for part in parts:
            checkpoint.save(part, values[part], seconds=1.5)
        return seeds


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def assert_refused(message, call):
    with pytest.raises(CheckpointError, match=f"^{re.escape(message)}$"):
        call()


def test_parts_are_there_the_next_time(tmp_path):
    folder = tmp_path / "deep" / "run"
    store(folder, START)
    assert names(folder) == ["lock", "run.gpac", "start.gpac"]
    with open_checkpoint(folder) as checkpoint:
        checkpoint.begin(RUN, SIZES)
        assert checkpoint.has(START)
        assert not checkpoint.has(GRAPH)
        assert checkpoint.load(GRAPH) is None
        start, seconds = checkpoint.load(START)
        assert start.hard_labels.tolist() == LABELS.tolist()
        assert seconds == 1.5


def test_the_first_seeds_stay(tmp_path):
    assert store(tmp_path) == [1, 2, 3]
    assert store(tmp_path, run=RUN._replace(seeds=[7, 8, 9])) == [1, 2, 3]


def test_another_run_is_refused_and_told_apart(tmp_path):
    store(tmp_path, START)
    before = (tmp_path / "run.gpac").read_bytes()
    changes = {"X": {"is": "an array", "sha256": "13"}, "n_clusters": 4, "alpha": 1.0}
    other = Run({**RUN.identity, **changes}, [1, 2, 3])
    assert_refused(
        f"{tmp_path} is the checkpoint of another run (X has other values; n_clusters was 3, is 4; "
        "alpha was None, is 1.0): pass another folder, or delete this one to begin anew.",
        lambda: store(tmp_path, run=other),
    )
    other.identity["X"]["is"] = "a graph"
    with pytest.raises(CheckpointError, match="X was an array, is a graph; n_clusters was"):
        store(tmp_path, run=other)
    assert (tmp_path / "run.gpac").read_bytes() == before


def test_foreign_files_are_refused_before_anything_is_written(tmp_path):
    for name in ("photo.jpg", "b.txt", "c.txt", "d.txt", ".hidden"):
        (tmp_path / name).touch()
    before = names(tmp_path)
    assert_refused(
        f"{tmp_path} holds files that are not of a checkpoint ('b.txt', 'c.txt', 'd.txt' and "
        "1 more): pass a folder that is empty or does not exist yet.",
        lambda: store(tmp_path),
    )
    assert names(tmp_path) == before


def test_hidden_files_are_no_obstacle(tmp_path):
    (tmp_path / ".DS_Store").touch()
    store(tmp_path, START)


def test_parts_without_their_run_are_refused(tmp_path):
    store(tmp_path, START)
    (tmp_path / "run.gpac").unlink()
    assert_refused(
        f"{tmp_path} holds parts of a checkpoint but not run.gpac, so nobody knows of which run: "
        "pass another folder, or delete this one to begin anew.",
        lambda: store(tmp_path),
    )


def test_a_part_of_another_run_is_refused(tmp_path):
    store(tmp_path / "a", START)
    store(tmp_path / "b", START, run=RUN._replace(seeds=[7, 8, 9]))
    (tmp_path / "b" / "start.gpac").replace(tmp_path / "a" / "start.gpac")
    with open_checkpoint(tmp_path / "a") as checkpoint:
        checkpoint.begin(RUN, SIZES)
        assert_refused(
            f"{tmp_path}/a/start.gpac belongs to another run; put back a good copy of it, or "
            f"delete the folder {tmp_path}/a to begin anew.",
            lambda: checkpoint.load(START),
        )


@pytest.mark.parametrize("name", ["run", "start"])
def test_damage_names_the_file(tmp_path, name):
    store(tmp_path, START)
    path = tmp_path / f"{name}.gpac"
    raw = bytearray(path.read_bytes())
    raw[40] ^= 1
    path.write_bytes(raw)

    def load():
        with open_checkpoint(tmp_path) as checkpoint:
            checkpoint.begin(RUN, SIZES)
            checkpoint.load(START)

    assert_refused(
        f"{path} is damaged: its header does not have the checksum it should have; put back a "
        f"good copy of it, or delete the folder {tmp_path} to begin anew.",
        load,
    )


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"identity": {}},
        {"identity": 5, "seeds": [1, 2, 3]},
        {"identity": RUN.identity, "seeds": 5},
        {"identity": RUN.identity, "seeds": [1, 2]},
        {"identity": RUN.identity, "seeds": [1, 2, -3]},
        {"identity": RUN.identity, "seeds": [1, 2, 3.0]},
        {"identity": RUN.identity, "seeds": [1, 2, 2**63]},
    ],
)
def test_whole_files_without_sense_are_refused(tmp_path, metadata):
    write_file(tmp_path / "run.gpac", "checkpoint run", Contents({}, metadata))
    with pytest.raises(CheckpointError, match="run.gpac does not hold what it should; put back"):
        store(tmp_path)


def test_a_part_that_cannot_be_read_is_refused(tmp_path):
    store(tmp_path)
    (tmp_path / "start.gpac").mkdir()
    with open_checkpoint(tmp_path) as checkpoint:
        checkpoint.begin(RUN, SIZES)
        with pytest.raises(CheckpointError, match="start.gpac cannot be read .Is a directory.; "):
            checkpoint.load(START)


def test_leftovers_are_removed_and_nothing_else(tmp_path):
    store(tmp_path, START)
    for name in ("state.gpac.0123abcd.part", "run.gpac.ffffffff.part", ".other.part"):
        (tmp_path / name).touch()
    store(tmp_path)
    assert names(tmp_path) == [".other.part", "lock", "run.gpac", "start.gpac"]


def test_a_result_replaces_the_state_it_came_from(tmp_path):
    store(tmp_path, STATE)
    assert "state.gpac" in names(tmp_path)
    store(tmp_path, RESULT)
    assert names(tmp_path) == ["lock", "result.gpac", "run.gpac"]


# ---- locks


def test_a_folder_in_use_is_refused(tmp_path):
    message = (
        f"{tmp_path} is in use by process {os.getpid()}: wait until that fit is done, or pass "
        "another folder."
    )
    with open_checkpoint(tmp_path):
        assert_refused(message, lambda: store(tmp_path))
    store(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such lock")
def test_the_lock_of_a_killed_process_is_no_obstacle(tmp_path):
    script = f"""
from pathlib import Path
from graphpac.io import open_checkpoint
with open_checkpoint(Path({str(tmp_path)!r})):
    print("inside", flush=True)
    input()
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"inside\n"
        with pytest.raises(CheckpointError, match=f"is in use by process {process.pid}:"):
            store(tmp_path)
        process.kill()
    store(tmp_path)


def test_a_file_system_without_locks_is_used_with_a_warning(tmp_path, monkeypatch, caplog):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    store(tmp_path)
    assert "lock cannot be locked" in caplog.text


# ---- folders that cannot be written to


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_file_is_no_folder(tmp_path, place):
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="file.* is not a folder that can be written to"):
        store(tmp_path / place)


def test_a_full_disk_keeps_what_was_there(tmp_path, monkeypatch):
    store(tmp_path, START)
    before = (tmp_path / "start.gpac").read_bytes()

    def fail(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_checkpoint(tmp_path) as checkpoint:
        checkpoint.begin(RUN, SIZES)
        monkeypatch.setattr(os, "fsync", fail)
        assert_refused(
            f"the checkpoint in {tmp_path} could not be written (No space left on device; "
            "start.gpac takes 8.0 MB): what was stored before is kept, and the same call goes on "
            "from there once this is mended.",
            lambda: checkpoint.save(START, Start(np.zeros(2_000_000, np.int32)), seconds=0.0),
        )
    assert (tmp_path / "start.gpac").read_bytes() == before
    assert names(tmp_path) == ["lock", "run.gpac", "start.gpac"]
