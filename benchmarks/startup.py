"""How long a user waits before the first result: imports, compiling, a first fit."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.interpreter import printed_by

IMPORT_PACKAGE = "import graphpac"
IMPORT_ESTIMATOR = "from graphpac import GPAC"
IMPORT_SKLEARN = "import sklearn.cluster"
HELP_OF_FIT = """
import io, sys
from contextlib import redirect_stdout, suppress
sys.argv = ["graphpac", "fit", "--help"]
with suppress(SystemExit), redirect_stdout(io.StringIO()):
    from graphpac.cli.main import main
    main()
"""
FIT_DIGITS = "GPAC(n_clusters=10, random_state=0).fit(X)"
LOAD_DIGITS = "from graphpac import GPAC; from graphpac.datasets import load; X = load('digits').X"


@dataclass(frozen=True)
class Startup:
    """CPU seconds, each in a new process: those on the clock depend on what else is running."""

    import_package: float
    import_estimator: float
    first_fit_ever: float
    first_fit_warm: float
    import_sklearn: float
    help_of_fit: float


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
        import_sklearn=median(_seconds(IMPORT_SKLEARN) for _ in range(repeats)),
        help_of_fit=median(_seconds(HELP_OF_FIT) for _ in range(repeats)),
    )


def _seconds(
    statement: str, *, before: str = "pass", environment: dict[str, str] | None = None
) -> float:
    """CPU seconds of a statement in a new interpreter."""
    code = (
        f"{before}\nfrom time import process_time\nbegan = process_time()\n{statement}\n"
        "print(process_time() - began)"
    )
    return float(printed_by(code, environment=environment))
