"""Whether a finished run is the one that is asked for again, as a job that is queued anew does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from graphpac._wording import short_path
from graphpac.estimators import GPAC
from graphpac.exceptions import ParameterError
from graphpac.io.changes import changed_values, in_brackets
from graphpac.runs.folder import RunFolder
from graphpac.runs.record import describe_data, describe_parameters, read_record
from graphpac.runs.source import Source

# Where the data are, what the report shows of them and the threads do not change the result.
_NOT_DECISIVE = {"name", "text_column", "n_jobs"}


def finished_record(folder: RunFolder, source: Source, model: GPAC) -> dict[str, Any]:
    """Return the record of the finished run that a folder holds.

    ParameterError tells if it is of other data than the source's or of other parameters than those
    of the model, which is not fitted, or lacks files.
    """
    record = read_record(folder)
    missing = [name for name in record["outputs"] if not (folder.path / name).exists()]
    differences = [f"{name} is not there any more" for name in missing]
    differences += _differences(record, source, model)
    if differences:
        msg = (
            f"{folder} holds a finished run, but not this one {in_brackets(differences)}: add "
            "--overwrite to replace it, or name another folder."
        )
        raise ParameterError(msg)
    return record


def _differences(record: Mapping[str, Any], source: Source, model: GPAC) -> Iterator[str]:
    yield from _changed(record["parameters"], describe_parameters(model))
    read = {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(source).items()}
    stored = record["input"]
    for path in source.inputs:
        if not path.exists():
            msg = f"there is no file {short_path(path)}: check its name."
            raise FileNotFoundError(msg)
    yield from _changed(stored["source"], read)
    if stored["sha256"] is None or not source.inputs:
        yield "standard input cannot be compared with what it was"
    elif describe_data(source)["sha256"] != stored["sha256"]:
        yield "the data have changed"


def _changed(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Tell which values that decide the result are not what they were."""
    decisive = [name for name in now if name not in _NOT_DECISIVE]
    return changed_values(*({name: one.get(name) for name in decisive} for one in (was, now)))
