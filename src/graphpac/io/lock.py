"""One process at a time."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from graphpac._wording import short_path, short_text
from graphpac.exceptions import CheckpointError

logger = logging.getLogger("graphpac")

_LONGEST_OWNER = 100


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock on a file, or raise CheckpointError if anybody else does, here or elsewhere.

    The system itself releases the lock when the process ends, however it ends, so a lock left by a
    killed process is no obstacle. The file stays: removing it would let two hold it at once.
    Windows has no such lock, and neither have some network drives: there nobody is kept out.
    """
    with path.open("a+", encoding="utf-8", errors="replace") as file:
        if not _acquire(file):
            file.seek(0)
            owner = short_text(file.read(_LONGEST_OWNER).strip()) or "another process"
            msg = (
                f"{short_path(path.parent)} is in use by {owner}: wait until that fit is done, or "
                "pass another folder."
            )
            raise CheckpointError(msg)
        file.truncate(0)
        file.write(f"process {os.getpid()}\n")
        file.flush()
        yield


def _acquire(file: IO[str]) -> bool:
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        logger.warning(
            "%s cannot be locked (%s): see to it that one fit uses it", short_path(file.name), error
        )
    return True
