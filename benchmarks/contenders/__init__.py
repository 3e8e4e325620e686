"""Who is measured: GPAC and its peers, each a function from rows to labels.

All are told the true number of clusters where they take one, use every core where they can, and
keep the settings of their library except where ``setting`` says otherwise.
"""

from benchmarks.contenders import centers, density, gpac, graphs, methods, told
from benchmarks.contenders.base import Contender, Fitted, missing_packages

__all__ = ["CONTENDERS", "Contender", "Fitted", "missing_packages"]

# In the order of the tables.
CONTENDERS: dict[str, Contender] = {
    **gpac.CONTENDERS,
    **centers.CONTENDERS,
    **graphs.CONTENDERS,
    **density.CONTENDERS,
    **told.CONTENDERS,
    **methods.CONTENDERS,
}
