"""What a piece of work takes, told beside the code that does it.

Seconds are those of a known machine: operations are counted, and multiplied by the nanoseconds they
took on one core of a virtual machine (2.3 GHz, AVX-512), on mixtures and on MNIST from 20,000 to
150,000 rows. Another machine is slower or faster by a factor for each stage, its `Calibration`.
"""

from __future__ import annotations

from math import nan
from typing import NamedTuple, TypeAlias

NANOSECOND = 1e-9

Parts: TypeAlias = dict[str, float]
"""Bytes of what is in memory at the same time, by name."""


class Cost(NamedTuple):
    """Memory at the fullest moment, and seconds on the known machine; nan if nobody measured it."""

    memory: Parts
    seconds: float = nan

    def times(self, number: int) -> Cost:
        """Count the seconds of doing it several times, one after the other."""
        return Cost(self.memory, number * self.seconds)

    def beside(self, held: Parts) -> Cost:
        """Count what is held all the time as well."""
        return Cost({**held, **self.memory}, self.seconds)


def fullest(*moments: Parts) -> Parts:
    """Return the moment that takes most."""
    return max(moments, key=lambda parts: sum(parts.values()))
