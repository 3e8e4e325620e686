"""The folder of a run: refused where it is taken, whole or as it was."""

import os
import subprocess
import sys

import pytest

from graphpac.exceptions import CheckpointError
from graphpac.runs.folder import (
    CHECKPOINT,
    LABELS,
    MODEL,
    OUTPUTS,
    RECORD,
    REPORT,
    STAGING,
    SUMMARY,
    RunFolder,
)


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "deep" / "run")


def begin(folder):
    """Leave what a fit leaves that was killed after its graph was built."""
    folder.checkpoint.mkdir(parents=True)
    (folder.checkpoint / "graph.gpac").write_bytes(b"graph")


def finish(folder, *names, text="new"):
    with folder.opened(overwrite=True), folder.replacing_outputs() as place:
        for name in names or OUTPUTS:
            (place / name).write_text(text)


def enter(folder, **options):
    with folder.opened(**options):
        pass


def leave(folder, error, *parts, **options):
    """Begin a fit that stores some parts and then fails."""
    with folder.opened(**options):
        for name in parts:
            (folder.checkpoint / name).touch()
        raise error


def names_in(path):
    return sorted(item.name for item in path.iterdir())


def test_all_files_appear_and_nothing_else(folder):
    finish(folder)
    assert names_in(folder.path) == sorted(OUTPUTS)
    assert folder.is_finished


def test_a_finished_run_is_refused(folder):
    finish(folder)
    for resume in (False, True):
        with pytest.raises(FileExistsError, match="holds a finished run: add --overwrite"):
            enter(folder, resume=resume)
    assert names_in(folder.path) == sorted(OUTPUTS)


def test_files_the_new_run_does_not_have_are_removed(folder):
    finish(folder)
    finish(folder, LABELS, RECORD)
    assert names_in(folder.path) == sorted((LABELS, RECORD))


def test_a_fit_that_was_left_is_resumed_or_refused_or_forgotten(folder):
    begin(folder)
    with pytest.raises(FileExistsError, match="--resume to go on"):
        enter(folder)
    with pytest.raises(ZeroDivisionError):
        leave(folder, ZeroDivisionError(), resume=True)
    assert folder.is_begun
    with folder.opened(overwrite=True):
        assert not folder.is_begun
    assert not folder.checkpoint.exists()


def test_the_checkpoint_goes_when_the_run_is_finished(folder):
    begin(folder)
    with folder.opened(resume=True), folder.replacing_outputs() as place:
        (place / RECORD).touch()
    assert names_in(folder.path) == [RECORD]


def test_ctrl_c_says_how_to_go_on(folder):
    with pytest.raises(KeyboardInterrupt, match="is kept in .*; go on with --resume"):
        leave(folder, KeyboardInterrupt(), "start.gpac")
    assert folder.is_begun


def test_a_failure_before_anything_was_reached_leaves_no_trace(folder, tmp_path):
    with pytest.raises(KeyboardInterrupt) as stopped:
        leave(folder, KeyboardInterrupt(), "run.gpac")  # what the run is of, and no part of it
    assert not stopped.value.args
    assert names_in(tmp_path) == []


def test_a_folder_that_was_there_stays(folder):
    folder.path.mkdir(parents=True)
    with pytest.raises(ZeroDivisionError):
        leave(folder, ZeroDivisionError())
    assert names_in(folder.path) == []


def test_a_failure_while_writing_leaves_the_old_files(folder):
    finish(folder, text="old")

    def fill_the_disk():
        with folder.opened(overwrite=True), folder.replacing_outputs() as place:
            (folder.checkpoint / "result.gpac").touch()
            (place / LABELS).write_text("new")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match=r"could not be written .*No space left.*--resume"):
        fill_the_disk()
    assert {name: (folder.path / name).read_text() for name in OUTPUTS} == dict.fromkeys(
        OUTPUTS, "old"
    )
    assert names_in(folder.path) == sorted((*OUTPUTS, CHECKPOINT))


def test_what_a_killed_process_left_is_cleaned(folder):
    begin(folder)
    (folder.path / STAGING).mkdir()
    (folder.path / STAGING / LABELS).write_text("half")
    (folder.path / LABELS).write_text("renamed before the end")
    with folder.opened(resume=True), folder.replacing_outputs() as place:
        (place / RECORD).touch()
    assert names_in(folder.path) == [RECORD]


def test_files_of_somebody_else_are_not_replaced(folder):
    folder.path.mkdir(parents=True)
    (folder.path / REPORT).write_text("mine")
    with pytest.raises(FileExistsError, match=r"holds report\.html, which would be replaced"):
        enter(folder)
    assert (folder.path / REPORT).read_text() == "mine"


def test_a_folder_called_checkpoint_of_somebody_else_is_not_touched(folder):
    folder.checkpoint.mkdir(parents=True)
    (folder.checkpoint / "weights.pt").write_text("days of training")
    with pytest.raises(CheckpointError, match=r"not of a checkpoint \('weights\.pt'\)"):
        enter(folder, overwrite=True)
    assert (folder.checkpoint / "weights.pt").read_text() == "days of training"


def test_a_file_is_no_folder(tmp_path):
    taken = tmp_path / "taken"
    taken.touch()
    with pytest.raises(NotADirectoryError, match="is a file: name a folder"):
        enter(RunFolder(taken))
    with pytest.raises(OSError, match="cannot be made a folder, or written to"):  # noqa: SIM117
        with RunFolder(taken / "run").opened():
            pass


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such lock")
def test_two_processes_do_not_share_a_folder(folder):
    code = (
        "import sys; from pathlib import Path; from graphpac.runs.folder import RunFolder\n"
        "with RunFolder(Path(sys.argv[1])).opened(): pass"
    )
    with folder.opened():
        other = subprocess.run(
            [sys.executable, "-c", code, str(folder.path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert f"is in use by process {os.getpid()}" in other.stderr
        assert folder.checkpoint.exists()


def test_only_a_finished_run_has_files(folder):
    with pytest.raises(FileNotFoundError, match=r"not the folder of a finished run: .* run\.json"):
        folder.file(MODEL)
    finish(folder, MODEL, RECORD)
    assert folder.file(MODEL) == folder.path / MODEL
    with pytest.raises(FileNotFoundError, match=r"has no summary\.graphpac: fit again"):
        folder.file(SUMMARY)
