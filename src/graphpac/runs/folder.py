"""The folder of a run: its files, which appear together or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from graphpac._files import UNFINISHED, reason_of, sync_folder
from graphpac._wording import short_path
from graphpac.io.checkpoint import PARTS, SUFFIX, check_is_ours, remove_checkpoint
from graphpac.io.lock import locked
from graphpac.runs.outputs import check_is_free, check_is_no_file

LABELS = "labels.parquet"
MEMBERSHIPS = "memberships.npz"
MODEL = "model.graphpac"
SUMMARY = "summary.graphpac"
REPORT = "report.html"
RECORD = "run.json"
# The record comes last: where it is, the run is finished.
OUTPUTS = (LABELS, MEMBERSHIPS, MODEL, SUMMARY, REPORT, RECORD)

CHECKPOINT = "checkpoint"
STAGING = f"outputs{UNFINISHED}"
# Hidden, because a checkpoint refuses to share its folder with files it does not know.
LOCK = ".command"


@dataclass(frozen=True)
class RunFolder:
    """A folder that holds, or will hold, the files of one fit."""

    path: Path

    def __str__(self) -> str:
        return short_path(self.path)

    @property
    def checkpoint(self) -> Path:
        """Where a fit keeps what it has reached."""
        return self.path / CHECKPOINT

    @property
    def is_finished(self) -> bool:
        """Whether all files are there."""
        return (self.path / RECORD).exists()

    @property
    def files(self) -> list[Path]:
        """The files of the run that are there."""
        return [self.path / name for name in OUTPUTS if (self.path / name).exists()]

    @property
    def is_begun(self) -> bool:
        """Whether a fit that was left can be taken up again."""
        return any((self.checkpoint / f"{part.name}{SUFFIX}").exists() for part in PARTS)

    def file(self, name: str) -> Path:
        """Return the path of a file of a finished run; raise FileNotFoundError if it has none."""
        path = self.path / name
        if not self.is_finished:
            msg = f"{self} is not the folder of a finished run: it has no {RECORD}."
            raise FileNotFoundError(msg)
        if not path.exists():
            msg = f"{self} has no {name}: fit again to make it, without --no-report."
            raise FileNotFoundError(msg)
        return path

    @contextmanager
    def opened(self, *, resume: bool = False, overwrite: bool = False) -> Iterator[None]:
        """Make the folder ready for a fit, and keep everybody else out of it.

        What was reached stays there when the fit does not come to its end; if nothing was, the
        folder is left as it was found. To resume is to go on with a fit that was left; without one,
        to begin. To overwrite is to replace the files of a finished run, once the new ones are
        there, and to begin anew where a fit was left, unless it is to be resumed.
        """
        self._check_is_free(resume=resume, overwrite=overwrite)
        made = [path for path in (self.path, *self.path.parents) if not path.exists()]
        try:
            self._make()
            with locked(self.checkpoint / LOCK):
                # Another process may have finished meanwhile.
                self._check_is_free(resume=resume, overwrite=overwrite)
                check_is_ours(self.checkpoint)
                shutil.rmtree(self.path / STAGING, ignore_errors=True)
                if not resume:
                    remove_checkpoint(self.checkpoint)  # all of it but the lock
                try:
                    yield
                except BaseException as error:
                    if not self.is_begun:
                        self._remove_checkpoint()
                    elif isinstance(error, KeyboardInterrupt):
                        msg = f"what was reached is kept in {self}; go on with --resume"
                        raise KeyboardInterrupt(msg) from None
                    raise
                self._remove_checkpoint()
        except BaseException:
            with suppress(OSError):  # it holds a checkpoint
                for path in made:
                    path.rmdir()
            raise

    @contextmanager
    def replacing_outputs(self) -> Iterator[Path]:
        """Give a folder to write all files into; they take their places when the last is whole.

        An error leaves the files of an earlier run as they are, and nothing of this one.
        """
        staging = self.path / STAGING
        try:
            staging.mkdir()
            yield staging
            # From here to the last rename the folder is that of an unfinished run.
            (self.path / RECORD).unlink(missing_ok=True)
            for name in OUTPUTS:
                if (staging / name).exists():
                    (staging / name).replace(self.path / name)
                else:
                    (self.path / name).unlink(missing_ok=True)
            sync_folder(self.path)
        except OSError as error:
            msg = (
                f"the files of the run could not be written to {self} "
                f"({reason_of(error)}): what the fit found is kept, and the same command with "
                "--resume goes on from there once this is mended."
            )
            raise OSError(msg) from error
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def _check_is_free(self, *, resume: bool, overwrite: bool) -> None:
        check_is_no_file(self.path, "--output")
        if overwrite:
            return
        if self.is_finished:
            msg = (
                f"{self} holds a finished run: add --overwrite to replace it, or name another "
                "folder."
            )
            raise FileExistsError(msg)
        if self.is_begun:
            if not resume:
                msg = (
                    f"{self} holds a fit that did not come to its end: add --resume to go on "
                    "with it, or --overwrite to begin anew."
                )
                raise FileExistsError(msg)
            return
        check_is_free(self.path, "--output", OUTPUTS)

    def _make(self) -> None:
        try:
            self.checkpoint.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            msg = (
                f"--output {self} cannot be made a folder, or written to "
                f"({error.strerror}): name another."
            )
            raise type(error)(msg) from error

    def _remove_checkpoint(self) -> None:
        (self.checkpoint / LOCK).unlink(missing_ok=True)
        remove_checkpoint(self.checkpoint)
