"""One iteration of GPAC in slow, obvious float64 numpy, as published and as it is run here."""

from typing import NamedTuple

import numpy as np

SCORE_FLOOR = 1e-6
NEAR_TIE = 1e-4  # hard scores closer than this may fall either way in float32
SMALL_SCORE = 0.5  # unshifted scores below this lose too many digits in float32


class Iteration(NamedTuple):
    """P and V after the iteration, and the change of every row of P.

    ``certain`` tells which rows of P do not depend on the outcome of a near tie: an implementation
    with other roundings must agree on these rows, and may differ on the rest.
    """

    P: np.ndarray
    V: np.ndarray
    certain: np.ndarray

    def change_from(self, P):
        """Mean L1 change of a row."""
        return np.abs(self.P - P).sum(axis=1).mean()


def algorithm2_iteration(P, V, batches, local, hops, **rule):
    """Algorithm 2 of the paper: every update sees the latest values of all samples.

    P : memberships (n, c), rows sum to one. V : hard assignment (n, c), one-hot or zero rows.
    batches : arrays of sample numbers, in the order of the updates.
    local : weights of the local average (n, n), rows sum to one or are zero.
    hops : whether two samples are within theta hops (n, n), False on the diagonal.
    rule : see `update_batch`.
    """
    P, V = P.copy(), V.copy()
    certain = np.zeros(len(P), dtype=bool)
    clear = True
    for batch in batches:
        clear = update_batch(P, V, certain, batch, local, hops, clear=clear, **rule)
    return Iteration(P, V, certain)


def rounds_iteration(P, V, rounds, local, hops, **rule):
    """The same, but batches come in rounds: each sees what is outside of it as before its round.

    In a single round batches know nothing of each other; rounds of one batch are Algorithm 2.
    """
    P, V = P.copy(), V.copy()
    certain = np.zeros(len(P), dtype=bool)
    clear = True
    for batches in rounds:
        before_P, before_V, was_clear = P.copy(), V.copy(), clear
        for batch in batches:
            own_P, own_V = before_P.copy(), before_V.copy()
            own_clear = update_batch(
                own_P, own_V, certain, batch, local, hops, clear=was_clear, **rule
            )
            P[batch], V[batch] = own_P[batch], own_V[batch]
            clear = clear and own_clear
    return Iteration(P, V, certain)


def update_batch(
    P,
    V,
    certain,
    batch,
    local,
    hops,
    *,
    alpha,
    m,
    lam,
    auxiliary=True,
    totals="batch",
    exponent="exact",
    double_balance=False,
    shift="auto",
    hard_first=False,
    faint=0.0,
    resting=(),
    clear,
):
    """Update a batch sample by sample, in place; return whether no tie came near.

    faint : powers of memberships up to this have no say in the hard labels of others.
    resting : samples that stay as they are.
    """
    counted = batch if totals == "batch" else np.arange(len(P))
    for i in batch:
        if i in resting:
            certain[i] = True
            continue
        others = counted[counted != i]
        near = batch[hops[i, batch]]
        scores = soft_scores(P, V, others, near, alpha, auxiliary=auxiliary, shift=shift)
        if scores.min() < SMALL_SCORE:
            clear = False
        p = memberships_of(scores, m, exponent)
        if local[i].any():
            p = (1.0 - lam) * p + lam * (local[i] @ P)
        certain[i] = clear

        if not hard_first:
            P[i] = p
        if auxiliary:
            powered = P[near] ** m
            heard = np.where(powered > faint, powered, 0.0)
            balance = (2.0 if double_balance else 1.0) * V[others].sum(axis=0)
            hard_scores = balance - alpha * heard.sum(axis=0)
            V[i] = np.arange(V.shape[1]) == np.argmin(hard_scores)
            best = np.sort(hard_scores)[:2]
            # Without neighbors scores are whole numbers, whose ties are exact in any arithmetic.
            sure = near.size == 0 or best.size == 1 or best[1] - best[0] > NEAR_TIE
            hardly_heard = faint > 0.0 and np.any(np.abs(powered / faint - 1.0) < 1e-3)
            clear = clear and sure and not hardly_heard
        P[i] = p
    return clear


def soft_scores(P, V, others, near, alpha, *, auxiliary=True, shift="auto"):
    """Eqs. 28 and 33; without V its place is taken by P and, by default, nothing is shifted."""
    scores = P[others].sum(axis=0) - alpha * (V if auxiliary else P)[near].sum(axis=0)
    if shift == "never" or (shift == "auto" and not auxiliary):
        return np.maximum(scores, SCORE_FLOOR)
    if shift == "raise" and scores.min() >= 1.0:
        return scores
    return scores - scores.min() + 1.0


def memberships_of(scores, m, exponent="exact"):
    """Eq. 13: proportional to s^(-1/(m-1)), in the log domain."""
    power = 1.0 / (m - 1.0)
    if exponent == "truncated":
        power = int(power)
    logs = -power * np.log(scores)
    shares = np.exp(logs - logs.max())
    return shares / shares.sum()


def local_matrix(graph, kernel="authors", *, symmetric=False):
    """Weights of the local average for cosine distances, (n, n), rows sum to one or are zero."""
    n = graph.n_samples
    weights = np.zeros((n, n))
    for i in range(n):
        for edge in range(graph.indptr[i], graph.indptr[i + 1]):
            cosine = 1.0 - float(graph.values[edge])
            weights[i, graph.indices[edge]] = {
                "authors": np.exp(-((2.0 - cosine) ** 2) / 0.1),
                "gaussian": np.exp(-(2.0 - 2.0 * cosine) / (2.0 * 0.05)),
                "uniform": 1.0,
            }[kernel]
    if symmetric:
        weights = np.maximum(weights, weights.T)
    sums = weights.sum(axis=1, keepdims=True)
    return np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0.0)


def one_hot(labels, n_clusters):
    """V of hard labels; -1 gives a row of zeros."""
    return (labels[:, None] == np.arange(n_clusters)).astype(np.float64)


def objective(P, V, hops, *, alpha, m):
    """Eq. 5 with dense matrices, per pair: Tr(V^T H V + P^T H P^m - alpha V^T W P^m)."""
    n = len(P)
    H = np.ones((n, n)) - np.eye(n)
    powered = P**m
    total = np.trace(V.T @ H @ V + P.T @ H @ powered - alpha * V.T @ hops @ powered)
    return total / max(1, n * (n - 1))
