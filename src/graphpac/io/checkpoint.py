"""A folder that keeps what a fit has reached, so that the same call goes on from there.

It holds one file that says which run it is of, and one for each part that is done. Every part
follows from the run alone and carries its number, and every file appears whole or not at all:
so whatever set of them a killed process leaves behind can be used.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from graphpac._files import UNFINISHED, reason_of
from graphpac._wording import listing, short_path
from graphpac.exceptions import CheckpointError, FileFormatError, OtherRunError
from graphpac.io.changes import changed_values, in_brackets
from graphpac.io.checks import demand, stored_real
from graphpac.io.container import Contents, read_file, write_file
from graphpac.io.lock import locked
from graphpac.io.parts import COUNT, GRAPH, RESULT, START, STATE, Part, Sizes, Value

SUFFIX = ".gpac"
LOCK = "lock"
RUN = "run"
IMPLIED = {
    "n_init": 1,
    "sizes": "even",
    "solver.resting": False,
    "variant": "published",
}  # parameters that came later, as they were before
PARTS: tuple[Part[Any], ...] = (GRAPH, COUNT, START, STATE, RESULT)

_NAMES = "|".join([RUN, *(part.name for part in PARTS)])
_OURS = re.compile(rf"({_NAMES})(-\d+)?{SUFFIX}(?P<unfinished>\.[0-9a-f]+{UNFINISHED})?")


class Run(NamedTuple):
    """What a checkpoint is of: all that decides the result, and the seeds drawn for it.

    A value of the identity is plain, or ``{"is": description, "sha256": digest}`` for data.
    """

    identity: dict[str, Any]
    seeds: list[int]

    @property
    def number(self) -> str:
        """Number that every file of the run carries."""
        return hashlib.sha256(json.dumps(self, sort_keys=True).encode()).hexdigest()[:16]


class Checkpoint:
    """The parts of one run in a folder; made by `open_checkpoint`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._number = ""
        self._sizes = Sizes(0, 0)

    def begin(self, run: Run, sizes: Sizes) -> list[int]:
        """Start a run, or go on with it; return the seeds to use, those of the first time.

        Raises CheckpointError if the folder is of a run whose identity differs.
        """
        path = self._path(RUN)
        if not path.exists():
            if any(map(self.has, PARTS)):
                msg = (
                    f"{short_path(self.folder)} holds parts of a checkpoint but not {path.name}, "
                    "so nobody knows of which run: pass another folder, or delete this one to "
                    "begin anew."
                )
                raise CheckpointError(msg)
            self._write(RUN, Contents({}, run._asdict()))
        else:
            metadata = self._read(RUN).metadata
            with self._explaining_damage(path):
                first = Run(**metadata)
                _check_seeds(first.seeds, len(run.seeds))
                # What a run could not choose yet when it began.
                implied = {name: IMPLIED[name] for name in IMPLIED if name in run.identity}
                differences = list(changed_values({**implied, **first.identity}, run.identity))
            if differences:
                msg = (
                    f"{short_path(self.folder)} is the checkpoint of another run "
                    f"{in_brackets(differences)}: "
                    "pass another folder, or delete this one to begin anew."
                )
                raise OtherRunError(msg)
            run = first
        self._number = run.number
        self._sizes = sizes
        return run.seeds

    def expect(self, sizes: Sizes) -> None:
        """Change what parts must go with: clusters may be counted during a run."""
        self._sizes = sizes

    def has(self, part: Part[Any]) -> bool:
        """Tell whether a part is stored."""
        return self._path(part.name).exists()

    def load(self, part: Part[Value]) -> tuple[Value, float] | None:
        """Return a part and the seconds it took, or None if it is not stored."""
        if not self.has(part):
            return None
        path = self._path(part.name)
        arrays, metadata = self._read(part.name)
        with self._explaining_damage(path):
            if metadata["run"] != self._number:
                msg = f"{short_path(path)} belongs to another run."
                raise FileFormatError(msg)
            value = part.decode(Contents(arrays, metadata["part"]), self._sizes)
            return value, stored_real(metadata, "seconds")

    def save(self, part: Part[Value], value: Value, *, seconds: float) -> None:
        """Store a part, in place of an earlier version of it."""
        arrays, metadata = part.encode(value)
        about = {"run": self._number, "seconds": seconds, "part": metadata}
        self._write(part.name, Contents(arrays, about))

    def tidy(self) -> None:
        """Remove what killed processes left half-written, and the state that led to a result."""
        for path in self.folder.iterdir():
            if (match := _OURS.fullmatch(path.name)) and match["unfinished"]:
                path.unlink(missing_ok=True)
        for path in self.folder.glob(f"{RESULT.name}*{SUFFIX}"):
            name = path.name.replace(RESULT.name, STATE.name, 1)
            path.with_name(name).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{SUFFIX}"

    def _read(self, name: str) -> Contents:
        path = self._path(name)
        with self._explaining_damage(path):
            return read_file(path, _kind(name))

    def _write(self, name: str, contents: Contents) -> None:
        try:
            write_file(self._path(name), _kind(name), contents)
        except OSError as error:
            msg = (
                f"the checkpoint in {short_path(self.folder)} could not be written "
                f"({reason_of(error)}; {name}{SUFFIX} takes {contents.n_bytes / 1e6:.1f} MB): what "
                "was stored before is kept, and the same call goes on from there once this is "
                "mended."
            )
            raise CheckpointError(msg) from error

    @contextmanager
    def _explaining_damage(self, path: Path) -> Iterator[None]:
        folder = short_path(self.folder)
        cure = f"put back a good copy of it, or delete the folder {folder} to begin anew."
        try:
            yield
        except FileFormatError as error:
            msg = f"{str(error).removesuffix('.')}; {cure}"
            raise CheckpointError(msg) from error
        except OSError as error:
            msg = f"{short_path(path)} cannot be read ({reason_of(error)}); {cure}"
            raise CheckpointError(msg) from error
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            msg = f"{short_path(path)} does not hold what it should; {cure}"
            raise CheckpointError(msg) from error


@contextmanager
def open_checkpoint(folder: Path) -> Iterator[Checkpoint]:
    """Make a folder ready for a checkpoint, and keep everybody else out of it.

    Raises CheckpointError at once if it cannot be written to, is in use, or holds other things.
    """
    checkpoint = Checkpoint(folder)
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            check_is_ours(folder)
            # An old lock may be writable in a folder that is not.
            TemporaryFile(dir=folder, prefix=".").close()
            stack.enter_context(locked(folder / LOCK))
            checkpoint.tidy()
        except OSError as error:
            msg = (
                f"checkpoint={short_path(folder)!r} is not a folder that can be written to "
                f"({reason_of(error)}): pass another one."
            )
            raise CheckpointError(msg) from error
        yield checkpoint
        with suppress(OSError):  # the work is done and stored, whether or not that can be removed
            checkpoint.tidy()


def check_is_ours(folder: Path) -> None:
    """Raise CheckpointError if a folder holds anything but a checkpoint; hidden files are fine."""
    foreign = sorted(
        path.name
        for path in folder.iterdir()
        if not (path.name == LOCK or path.name.startswith(".") or _OURS.fullmatch(path.name))
    )
    if foreign:
        msg = (
            f"{short_path(folder)} holds files that are not of a checkpoint "
            f"({listing(foreign, 3)}): pass a folder that is empty or does not exist yet."
        )
        raise CheckpointError(msg)


def remove_checkpoint(folder: Path) -> None:
    """Remove the files of a checkpoint, and the folder unless anything else is in it."""
    for path in folder.iterdir():
        if path.name == LOCK or _OURS.fullmatch(path.name):
            path.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _check_seeds(seeds: Any, count: int) -> None:
    demand(isinstance(seeds, list) and len(seeds) == count, "seeds are missing")
    demand(all(type(seed) is int and 0 <= seed < 2**63 for seed in seeds), "a seed is out of range")


def _kind(name: str) -> str:
    return f"checkpoint {name}"
