"""How long a user waits before the first result: imports, compiling, a first fit."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.interpreter import printed_by

IMPORT_PACKAGE = "import graphpac"
IMPORT_ESTIMATOR = "from graphpac import GPAC"
FIT_DIGITS = "GPAC(n_clusters=10, random_state=0).fit(X)"
LOAD_DIGITS = "from graphpac import GPAC; from graphpac.datasets import load; X = load('digits').X"


@dataclass(frozen=True)
class Startup:
    """Seconds, each in a new process."""

    import_package: float
    import_estimator: float
    first_fit_ever: float
    first_fit_warm: float


def measure_startup(repeats: int = 5) -> Startup:
    """Measure imports and first fits; the kernels are compiled into an empty folder."""
    # The first import of all reads the files from disk and is thrown away.
    _seconds(IMPORT_ESTIMATOR)
    with TemporaryDirectory() as cache:
        own_cache = {"NUMBA_CACHE_DIR": cache}
        ever = _seconds(FIT_DIGITS, before=LOAD_DIGITS, environment=own_cache)
        warm = [
            _seconds(FIT_DIGITS, before=LOAD_DIGITS, environment=own_cache) for _ in range(repeats)
        ]
    return Startup(
        import_package=median(_seconds(IMPORT_PACKAGE) for _ in range(repeats)),
        import_estimator=median(_seconds(IMPORT_ESTIMATOR) for _ in range(repeats)),
        first_fit_ever=ever,
        first_fit_warm=median(warm),
    )


def _seconds(
    statement: str, *, before: str = "pass", environment: dict[str, str] | None = None
) -> float:
    """Time a statement in a new interpreter."""
    code = (
        f"{before}\nfrom time import perf_counter\nbegan = perf_counter()\n{statement}\n"
        "print(perf_counter() - began)"
    )
    return float(printed_by(code, environment=environment))
