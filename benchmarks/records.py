"""One line of JSON for each measurement, only ever appended, failures included.

The file is what tables and plots are made of, and how an interrupted run knows where to go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.machine import Machine
from benchmarks.measure import Measurement
from graphpac.io.journal import append_entry, read_entries
from graphpac.measuring.own_process import Limits

# "not tried": it was killed at a smaller size.
Status = Literal["done", "killed", "error", "not tried"]


@dataclass(frozen=True)
class Record:
    """What became of one contender with one seed on one data set."""

    dataset: str
    contender: str
    seed: int
    version: str  # package of the contender
    status: Status
    reason: str  # empty when done
    limits: Limits
    when: str
    commit: str
    machine: Machine  # with the load before the measurement
    measurement: Measurement | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        """What is measured once."""
        return self.dataset, self.contender, self.seed

    @property
    def defeated(self) -> bool:
        """Whether more rows can only be worse."""
        return self.status in {"killed", "not tried"}

    def settles(self, version: str, limits: Limits, machine: Machine) -> bool:
        """Whether measuring again would tell nothing new.

        A failure may end otherwise under more generous limits.
        """
        if self.version != version or self.machine.name != machine.name:
            return False
        return self.status == "done" or self.limits.cover(limits)


def append_record(path: Path, record: Record) -> None:
    """Write a line, and see to it that it is on disk."""
    append_entry(path, asdict(record))


def read_records(path: Path) -> list[Record]:
    """Read all lines; one that a killed run left half-written is passed over."""
    return [_from_json(entry) for entry in read_entries(path)]


def latest_records(
    records: Iterable[Record], *, any_machine: bool = False
) -> dict[tuple[str, str, int], Record]:
    """Keep the last record of each measurement, by default on the machine that measured last."""
    records = list(records)
    here = {record.machine.name for record in records[-1:]}
    return {record.key: record for record in records if any_machine or record.machine.name in here}


def _from_json(found: Mapping[str, Any]) -> Record:
    measurement = found["measurement"]
    return Record(
        **{
            **found,
            "limits": Limits(**found["limits"]),
            "machine": Machine(**found["machine"]),
            "measurement": None if measurement is None else Measurement.from_json(measurement),
        }
    )
