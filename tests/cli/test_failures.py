"""Fits that do not come to their end: full disks, kill -9, Ctrl-C; and how they go on."""

import errno
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow.parquet as pq
import pytest

from graphpac import _files
from graphpac.runs.folder import CHECKPOINT, LABELS, OUTPUTS, RECORD, STAGING
from tests.cli.conftest import COMMAND, ENVIRONMENT

# Runs the command again and again, each time in a fork of a process that has loaded all it needs.
# A run dies without a word in the call of some function, or may write small files only.
FORKS = """
import importlib, json, os, resource, signal, sys

from graphpac.cli.main import main
from graphpac.runs import fitting, reporting

def die_in(function, n_survived):
    module, _, name = function.partition(":")
    owner, *path = importlib.import_module(module), *name.split(".")
    for part in path[:-1]:
        owner = getattr(owner, part)
    original, calls = getattr(owner, path[-1]), []

    def dying(*arguments, **options):
        calls.append(1)
        if len(calls) > n_survived:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **options)

    setattr(owner, path[-1], dying)

for function, number, errors, *arguments in json.load(sys.stdin):
    child = os.fork()
    if child == 0:
        os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
        if function == "write":
            resource.setrlimit(resource.RLIMIT_FSIZE, (number, resource.RLIM_INFINITY))
        else:
            die_in(function, number)
        sys.argv[1:] = arguments
        main()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
DEATHS = [
    ("graphpac.io.checkpoint:write_file", 0),  # before anything is stored
    ("graphpac._files:os.fsync", 4),  # the graph is on disk but has its temporary name
    ("graphpac.io.checkpoint:Checkpoint.save", 7),  # some iterations are done
    ("graphpac.solvers.partition:improved", 3),  # some candidates are judged
    ("graphpac.runs.fitting:write_labels", 0),
    ("graphpac.runs.fitting:save", 0),
    ("graphpac.runs.reporting:write_report", 0),
    ("graphpac.runs.fitting:write_record", 0),
    ("graphpac.runs.folder:Path.unlink", 1),  # all are whole, none has its place
    ("graphpac.runs.folder:remove_checkpoint", 1),  # the run is finished
]
LIMITS = [("write", 5_000), ("write", 60_000)]  # in the checkpoint, in the files of the run

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")


@pytest.fixture(scope="module")
def forks(rows, tmp_path_factory):
    """All fits that are to fail: their exit codes, what they said, and how to begin them again."""
    folder = tmp_path_factory.mktemp("forks")
    np.save(folder / "rows.npy", rows)
    fits, runs = [], {}
    for number, (function, count) in enumerate([*DEATHS, *LIMITS]):
        run, errors = folder / f"run{number}", folder / f"errors{number}"
        words = ["fit", str(folder / "rows.npy"), "--clusters", "10", "--output", str(run), "-q"]
        fits.append([function, count, str(errors), *words])
        runs[function, count] = run, errors, words
    done = subprocess.run(
        [sys.executable, "-c", FORKS],
        input=json.dumps(fits),
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
        timeout=600,
    )
    codes = map(int, done.stdout.split())
    return {key: (code, *facts) for (key, facts), code in zip(runs.items(), codes, strict=True)}


@pytest.fixture
def run(tmp_path):
    return tmp_path / "run"


@pytest.fixture
def options(rows_file, run):
    return ("fit", rows_file, "--clusters", "10", "--output", run)


def labels_in(run):
    return pq.read_table(run / LABELS)["label"].to_pylist()


def files_in(run):
    return {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}


def leftovers(run):
    """Names of files that should not be there, whatever else is."""
    return {name for name in files_in(run) if name.endswith(".part") or STAGING in name}


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("death", DEATHS)
def test_a_killed_run_goes_on(graphpac, forks, fitted, death):
    code, run, errors, words = forks[death]
    assert code == -signal.SIGKILL
    assert errors.read_text(encoding="utf-8") == ""
    kept = files_in(run) - set(OUTPUTS)
    assert all(name.startswith((f"{CHECKPOINT}/", f"{STAGING}/")) for name in kept)
    is_finished = death[0].endswith("remove_checkpoint")
    assert (run / RECORD).exists() == is_finished
    assert graphpac(*words, "--overwrite" if is_finished else "--resume") == (0, "", "")
    assert labels_in(run) == fitted.labels_.tolist()
    assert files_in(run) == set(OUTPUTS)


@pytest.mark.slow
@needs_fork
@pytest.mark.parametrize("limit", LIMITS)
def test_files_that_may_not_grow_are_told(graphpac, forks, fitted, limit):
    code, run, errors, words = forks[limit]
    told = errors.read_text(encoding="utf-8")
    assert code == 1
    assert "File too large" in told
    assert told.count("\n") == 1
    if run.exists():
        assert not leftovers(run)
        assert not files_in(run) & set(OUTPUTS)
    assert graphpac(*words, "--resume") == (0, "", "")
    assert labels_in(run) == fitted.labels_.tolist()


def test_a_disk_that_fills_up_anywhere_leaves_nothing_half_written(
    graphpac, options, run, fitted, monkeypatch
):
    room = [0]

    def sync(handle):
        room[0] -= 1
        if room[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_files.os, "fsync", sync)
    n_failed = 0
    while True:
        room[0] = n_failed  # a little more each time, and what was kept is not written again
        done = graphpac(*options, "--resume")
        if done.code == 0:
            break
        n_failed += 1
        assert done.code == 1
        assert "No space left on device" in done.err
        assert done.err.count("\n") == 1
        if run.exists():
            assert not leftovers(run)
            assert not files_in(run) & set(OUTPUTS)
    assert n_failed >= len(OUTPUTS)
    assert labels_in(run) == fitted.labels_.tolist()
    assert files_in(run) == set(OUTPUTS)


def test_an_old_run_survives_a_new_one_that_fails(graphpac, options, run, monkeypatch):
    graphpac(*options)
    before = {name: (run / name).read_bytes() for name in OUTPUTS}

    def fail(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("graphpac.runs.fitting.write_record", fail)
    assert graphpac(*options, "--overwrite", "--seed", "1").code == 1
    assert {name: (run / name).read_bytes() for name in OUTPUTS} == before


def test_a_folder_that_cannot_be_written_to(graphpac, rows_file, tmp_path):
    (tmp_path / "taken").touch()
    failed = graphpac("fit", rows_file, "-c", "10", "-o", tmp_path / "taken" / "run")
    assert failed.code == 2
    assert "cannot be made a folder, or written to (Not a directory): name another." in failed.err


def test_a_fit_that_was_left_is_not_begun_again_unasked(graphpac, options, run, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("graphpac.runs.fitting.write_labels", stop)
        stopped = graphpac(*options)
    assert stopped.code == 130
    assert stopped.err == (
        f"graphpac: stopped: what was reached is kept in {run}; go on with --resume\n"
    )
    refused = graphpac(*options)
    assert refused.code == 2
    assert "add --resume to go on with it, or --overwrite to begin anew" in refused.err
    other = graphpac(*options, "--resume", "--seed", "1")
    assert other.code == 2
    assert "--seed was 0, is 1" in other.err
    assert graphpac(*options, "--overwrite", "--seed", "1").code == 0
    assert json.loads((run / RECORD).read_text(encoding="utf-8"))["parameters"]["random_state"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_keeps_the_checkpoint(options, run):
    process = subprocess.Popen(
        [*COMMAND, *map(str, options), "--max-iter", "100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    try:
        for _ in range(3000):
            if (run / CHECKPOINT / "state.gpac").exists():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=100)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, "")
    assert err == f"graphpac: stopped: what was reached is kept in {run}; go on with --resume\n"
    assert not leftovers(run)
    assert (run / CHECKPOINT / "state.gpac").exists()
