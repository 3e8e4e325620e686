"""Balanced fuzzy cuts of a graph: rows on the simplex, found one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from graphpac._costs import Parts
from graphpac._typing import AnyArray
from graphpac.kernels.balanced_sweep import sweep_balanced_rows


@dataclass(frozen=True)
class BalancedCut:
    """The objective J(F) = sum_i q_i |f_i|^2 - sum_{i != j} a_ij f_i . f_j + lam |sum_i w_i f_i|^2.

    Attributes
    ----------
    links : CSR float64 array of shape (n_rows, n_rows)
        Symmetric similarities a_ij with an empty diagonal.
    own : float64 array of shape (n_rows,)
        The factors q_i.
    masses : float64 array of shape (n_rows,)
        The weights w_i of the rows in the sizes of the clusters.
    balance : float
        The factor lam.
    total : float
        Sum of all similarities, the scale of the objective.
    """

    links: sp.csr_array
    own: AnyArray
    masses: AnyArray
    balance: float
    total: float

    def value(self, memberships: AnyArray) -> float:
        """Compute J(F)."""
        squares = np.einsum("ik,ik->i", memberships, memberships)
        agreement = np.vdot(memberships, self.links @ memberships)
        sizes = self.masses @ memberships
        return float(self.own @ squares - agreement + self.balance * (sizes @ sizes))


def balanced_cut(
    affinity: sp.csr_array, masses: AnyArray, *, balance: float, certainty: float
) -> BalancedCut:
    """Make the objective (1 - certainty) sum_i d_i |f_i|^2 - Tr(F^T A F) + lam |w^T F|^2.

    With certainty 0 that is Tr(F^T L F) + lam |F^T 1|^2 of GBFC, as w = 1. With certainty 1 it is
    minus Tr(G^T B^T B G) - lam |G^T B^T 1|^2 of FFCAG, as A = B^T B and w = B^T 1.

    Parameters
    ----------
    affinity : CSR float64 array of shape (n_rows, n_rows)
        Symmetric similarities A; their sums are the degrees d.
    masses : float64 array of shape (n_rows,)
        The weights w.
    balance : float
        lam in units of sum(d) / sum(w)^2, which is mean degree / n where the masses are one.
    certainty : float
        From 0 to 1.
    """
    degrees = np.asarray(affinity.sum(axis=1)).ravel()
    diagonal = affinity.diagonal()
    links = sp.csr_array(affinity - sp.diags_array(diagonal, format="csr"))
    links.eliminate_zeros()
    total = float(degrees.sum())
    return BalancedCut(
        links=links,
        own=(1.0 - certainty) * degrees - diagonal,
        masses=masses,
        balance=balance * total / float(masses.sum()) ** 2,
        total=total,
    )


@dataclass(frozen=True)
class BalancedResult:
    """Memberships, and the objective after each sweep."""

    memberships: AnyArray
    history: tuple[float, ...]
    converged: bool


def solve_balanced(
    cut: BalancedCut,
    start: AnyArray,
    *,
    max_iter: int,
    tol: float,
    watch: Callable[[int, float], None] | None = None,
) -> BalancedResult:
    """Lower the objective by exact steps, a row at a time: no sweep ever raises it.

    Parameters
    ----------
    cut : BalancedCut
        The objective.
    start : float64 array of shape (n_rows, n_clusters)
        Memberships to start from, not changed; rows sum to one.
    max_iter, tol : int, float
        The search ends when a sweep gains at most this share of all similarities, or after so many
        sweeps.
    watch : callable, optional
        Called with the number and the objective of each sweep.
    """
    memberships = np.array(start, dtype=np.float64, order="C")
    links = cut.links
    indptr, indices = links.indptr.astype(np.int64), links.indices.astype(np.int32)
    curvatures = cut.own + cut.balance * np.square(cut.masses)
    objective = cut.value(memberships)
    history: list[float] = []
    converged = False
    for sweep in range(1, max_iter + 1):
        decrease = sweep_balanced_rows(
            indptr, indices, links.data, curvatures, cut.masses, cut.balance, memberships
        )
        objective -= decrease
        history.append(objective)
        if watch is not None:
            watch(sweep, objective)
        if decrease <= tol * cut.total:
            converged = True
            break
    return BalancedResult(memberships, tuple(history), converged)


def balanced_memory(n_samples: int, n_clusters: int, n_edges: float) -> Parts:
    """Tell what `solve_balanced` takes: a start, memberships, and links of both directions."""
    return {"memberships": 16.0 * n_samples * n_clusters, "links": 60.0 * n_edges}
