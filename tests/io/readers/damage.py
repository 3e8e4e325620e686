"""Files with changed bytes: a reader may refuse them or give a table, and do nothing else."""

import warnings
from pathlib import Path

import numpy as np

from graphpac.exceptions import FileFormatError
from graphpac.io.readers import Table, TableShape, describe_table, read_table


def damaged(raw, rng):
    """Cut a file off, or change some bytes at its beginning, its end or anywhere."""
    changed = bytearray(raw)
    kind = rng.integers(4)
    if kind == 0:
        del changed[rng.integers(len(raw)) :]
        return bytes(changed)
    edge = min(len(raw), 1000)
    first, last = [(0, edge), (len(raw) - edge, len(raw)), (0, len(raw))][kind - 1]
    for place in rng.integers(first, last, size=rng.integers(1, 4)):
        changed[place] = rng.integers(256)
    return bytes(changed)


def count_refusals(path: Path, n_cases: int, seed: int, **options) -> int:
    """Damage a file in many ways; anything but a table or a sentence about it is an error."""
    raw = path.read_bytes()
    rng = np.random.default_rng(seed)
    victim = path.with_name(f"damaged-{path.name}")
    refusals = []
    for _ in range(n_cases):
        victim.unlink(missing_ok=True)  # some system may have mapped the last one to memory
        victim.write_bytes(damaged(raw, rng))
        for ask, kind in ((describe_table, TableShape), (read_table, Table)):
            try:
                with warnings.catch_warnings():
                    # NumPy warns of headers that Python 2 could have written.
                    warnings.filterwarnings("ignore", "Reading `.npy`", UserWarning)
                    assert isinstance(ask(victim, **options), kind)
            except (FileFormatError, MemoryError) as error:
                refusals.append(str(error))
    for refusal in refusals:
        assert refusal.startswith(str(victim))
        assert refusal.endswith(".")
        assert "\n" not in refusal
    return len(refusals)
