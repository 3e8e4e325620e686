"""What a run is asked to do: the method's parameters, and the rare options beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from graphpac._constraints import (
    Constraint,
    check_value,
    named,
    no_less_than,
    no_more_than,
    none,
    switch,
    whole_number,
)
from graphpac._typing import LocalKernel
from graphpac.exceptions import ParameterError
from graphpac.graph.hops import MOST_IN_TWO_BYTES
from graphpac.solvers.schedules import Ramp

DENSE_CLUSTERS = 64  # up to here a row of memberships is kept whole: measured faster than sparse
FEWEST_BATCHES = 4  # of an iteration, whatever the threads, so that they can share it
LONGEST_BATCH = MOST_IN_TWO_BYTES  # many clusters need more
_MOST_HOPS = 64  # at two neighbors each enough for 2^64 samples

Shift: TypeAlias = Literal["auto", "always", "raise", "never"]

_CHOICES = {
    "kernel": get_args(LocalKernel),
    "totals": ("batch", "all"),
    "shift": get_args(Shift),
    "ramp": ("auto", *get_args(Ramp)),
    "exponent": ("exact", "truncated"),
}
_FEWEST = {
    "n_hops": 2,
    "max_entries": 2,
    "n_round_batches": 1,
    "n_pool_batches": 1,
    "n_pool_epochs": 1,
    "min_iter": 1,
}
_SWITCHES = ("symmetric", "auxiliary", "double_balance", "larger_early_batches", "sequential")


@dataclass(frozen=True, kw_only=True)
class SolverOptions:
    """Rare options of the solver and the ablations of the paper, given to `GPAC` as ``solver=``.

    Parameters
    ----------
    kernel : {"auto", "authors", "gaussian", "uniform"}
        How distances become the weights of the local average; "auto" goes by the metric.
    symmetric : bool
        Average over neighbors in either direction (the paper's text) instead of a sample's own
        neighbors (its code, and the default).
    auxiliary : bool
        Use the hard assignment V. Without it P stands in for V.
    totals : {"batch", "all"}
        Balance clusters over the mini-batch, or over all samples as Algorithm 2 is printed, which
        takes batches one by one.
    double_balance : bool
        Let the balance of V count twice in its step, as in the derivative of the printed objective,
        instead of once as in the paper's formula and its code.
    shift : {"auto", "always", "raise", "never"}
        Shift the scores of P so that the smallest is one, or only where it is less than one, or
        not at all: scores below a small number count as that number then. "auto" shifts always
        with V and never without, as the paper's run without V did.
    ramp : {"auto", "weight", "beta", "eased"}
        What rises from 0 to 1 when the local weight is "ramp": the weight itself (the paper's code)
        or beta (its text read literally), which takes the weight, beta/(1+beta), to 1/2 only; or
        the weight after a third of the iterations, ever more slowly. "auto" is "weight" for the
        published method and "eased" for the others.
    resting : bool or None
        Leave out samples whose neighbors are all in their cluster, but for one iteration of eight.
        None: not in the published method.
    larger_early_batches : bool
        Have at least thirty samples a cluster in the batches of the first fifth of the iterations;
        without it automatic batches are those of the paper throughout.
    sequential : bool
        Let every batch see what all earlier ones changed, as published. Uses one thread. By default
        a few batches at a time run side by side and do not see each other's changes.
    exponent : {"exact", "truncated"}
        -1/(m-1), or its integer part as in the code the authors released.
    n_hops : int or None
        How many hops make two samples adjacent (theta). None: the paper's rule.
    max_entries : int or None
        Memberships kept per sample beyond 64 clusters; up to 64 all are kept. None: chosen from
        the fuzziness, and doubled when more than 1 % of the mass is dropped.
    n_round_batches : int
        How many batches run side by side, at most; also the most threads that can be used.
    n_pool_batches, n_pool_epochs : int or None
        Neighbors are searched in pools of so many batches, fewer where their lists would take too
        much memory, and a pool is kept for so many iterations, each of which deals its samples anew
        into batches. None: all samples in one pool for good where their neighbors are few enough,
        else as measured to lose nothing.
    min_iter : int or None
        The stopping rule is not looked at before so many iterations. None: half of ``max_iter``
        while the local weight rises, 5 when it is constant.
    """

    kernel: LocalKernel = "auto"
    symmetric: bool = False
    auxiliary: bool = True
    totals: Literal["batch", "all"] = "batch"
    double_balance: bool = False
    shift: Shift = "auto"
    ramp: Ramp | Literal["auto"] = "auto"
    resting: bool | None = None
    larger_early_batches: bool = True
    sequential: bool = False
    exponent: Literal["exact", "truncated"] = "exact"
    n_hops: int | None = None
    max_entries: int | None = None
    n_round_batches: int = 4
    n_pool_batches: int | None = None
    n_pool_epochs: int | None = None
    min_iter: int | None = None

    def __post_init__(self) -> None:
        for name, choices in _CHOICES.items():
            self._check(name, named(*choices))
        for name in _SWITCHES:
            self._check(name, switch(), TypeError)
        self._check("resting", switch() | none(), TypeError)
        for name, fewest in _FEWEST.items():
            optional = name != "n_round_batches"
            self._check(name, whole_number() | none() if optional else whole_number(), TypeError)
            if getattr(self, name) is not None:
                self._check(name, no_less_than(fewest))
        if self.n_hops is not None:
            self._check("n_hops", no_more_than(_MOST_HOPS))

    def of_variant(self, *, published: bool) -> SolverOptions:
        """Decide what was left open, as the published method has it or not."""
        ramp, resting = self.ramp, self.resting
        if ramp == "auto":
            ramp = "weight" if published else "eased"
        if resting is None:
            resting = not published
        return replace(self, ramp=ramp, resting=resting)

    def _check(
        self, name: str, constraint: Constraint, error: type[Exception] = ParameterError
    ) -> None:
        check_value(f"SolverOptions: {name}", getattr(self, name), constraint, error=error)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The method's parameters, already checked: what `solve_gpac` is to find, and how long to try.

    ``fuzziness`` is the paper's m; ``local_weight`` its beta/(1+beta), "ramp" or a number in
    [0, 1); ``batch_size`` a number of samples or "auto".
    """

    n_clusters: int
    fuzziness: float = 1.05
    alpha: float = 1.0
    local_weight: float | Literal["ramp"] = "ramp"
    batch_size: int | Literal["auto"] = "auto"
    max_iter: int = 50
    tol: float = 1e-3

    def samples_per_batch(self, n_samples: int, *, early: bool = False) -> int:
        """Batch size: b samples for each cluster, b = 10 below 12,000 samples and 100 above.

        So the paper's experiments were run. Early iterations have b = 30 at least: two clusters
        that begin in one class, or one in two, find out more often when more neighbors speak. Above
        655 clusters b falls from 100 to 50, which leaves batches of 65,536 samples longer in use:
        they take half the memory and time of larger ones. An iteration keeps at least four batches,
        as long as they have twenty samples each.
        """
        if self.batch_size != "auto":
            return min(self.batch_size, n_samples)
        per_cluster = 10 if n_samples < 12_000 else 100
        if early:
            per_cluster = max(per_cluster, 30)
        wanted = min(per_cluster * self.n_clusters, max(50 * self.n_clusters, LONGEST_BATCH))
        return min(wanted, max(n_samples // FEWEST_BATCHES, 20), n_samples)
