"""SCAN's clustering step on fixed features: neighbors agree, and all clusters are used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from graphpac._costs import Parts
from graphpac._threads import Workers
from graphpac._typing import AnyArray, FloatMatrix, IntVector, Progress
from graphpac.graph import NeighborGraph
from graphpac.solvers.linear_heads import HeadTrainer, LinearHead, RowMoments, decayed, softmax
from graphpac.solvers.row_blocks import block_slices

_SMALLEST_SHARE = 1e-8  # of a cluster, where its logarithm is taken
_SELECTION_WEIGHT = 1.0  # of the entropy, where heads are compared
# One product serves several heads: groups of about so many outputs are trained together, and
# threads share the groups, which do not depend on their number.
_GROUP_OUTPUTS = 64


@dataclass(frozen=True)
class Schedule:
    """How many steps, on how many samples each, and how far the first may move the logits."""

    n_steps: int
    batch_size: int
    learning_rate: float


@dataclass(frozen=True)
class ScanResult:
    """The head of the lowest loss, the losses of all heads, and that of the kept one by step.

    The losses that decide are taken over all samples and weigh the entropy by one, those of the
    history over batches, and weigh it as asked.
    """

    head: LinearHead
    losses: AnyArray
    history: tuple[float, ...]


def solve_scan(
    rows: Any,
    graph: NeighborGraph,
    n_clusters: int,
    *,
    n_heads: int,
    entropy_weight: float,
    schedule: Schedule,
    moments: RowMoments,
    rng: np.random.Generator,
    workers: Workers,
    progress: Progress | None = None,
) -> ScanResult:
    """Train linear heads by the loss of SCAN from random starts, and keep the best.

    Parameters
    ----------
    rows : float32 array or CSR matrix
        The features.
    graph : NeighborGraph
        Neighbors of each row; it is drawn as its own neighbor as often as each of them.
    moments : RowMoments
        Mean and deviation of the rows.
    progress : callable, optional
        Called with the number of steps made, and of all.
    """
    batch_seed, selection_seed = rng.integers(np.iinfo(np.int64).max, size=2)
    n_groups = min(n_heads, -(-n_heads * n_clusters // _GROUP_OUTPUTS))
    starts = rng.spawn(n_heads)

    def train_group(group: int) -> tuple[list[LinearHead], AnyArray, AnyArray]:
        trainer = HeadTrainer.at_random(starts[group::n_groups], n_clusters, moments)
        # All heads learn from the same pairs, and are judged by the same ones.
        pairs = draw_pairs(graph, schedule.batch_size, np.random.default_rng(batch_seed))
        history = []
        for step, (samples, neighbors) in enumerate(islice(pairs, schedule.n_steps)):
            batch = rows[np.concatenate((samples, neighbors))]
            losses, gradients = scan_loss(trainer.logits(batch), entropy_weight)
            rate = decayed(schedule.learning_rate, step, schedule.n_steps)
            trainer.step(batch, gradients, rate)
            history.append(losses)
            if progress is not None and group == 0:
                progress(step + 1, schedule.n_steps)
        judges = draw_neighbors(graph, np.random.default_rng(selection_seed))
        return trainer.heads(), selection_losses(trainer, rows, judges), np.array(history)

    groups = workers.map(train_group, range(n_groups))
    heads = [head for trained, _, _ in groups for head in trained]
    losses = np.concatenate([judged for _, judged, _ in groups])
    best = int(losses.argmin())
    histories = np.hstack([history for _, _, history in groups])
    return ScanResult(heads[best], losses, tuple(histories[:, best].tolist()))


def scan_loss(logits: FloatMatrix, entropy_weight: float) -> tuple[AnyArray, FloatMatrix]:
    """Loss of each head on pairs of a sample i and a neighbor j, and its gradient.

    With outputs q = softmax(z) and their mean m over the samples i of n pairs, the loss is
    -mean log(q_i . q_j) - weight * H(m), and log(q_i . q_j) = S(z_i + z_j) - S(z_i) - S(z_j) with
    S = log sum exp: finite, however certain the outputs are.

    Parameters
    ----------
    logits : float array of shape (n_heads, n_clusters, 2 * n_pairs)
        Of the samples, then of their neighbors in the same order.

    Returns
    -------
    losses : float64 array of shape (n_heads,)
        One for each head.
    gradients : array of the shape of logits
        Derivatives of the loss of a head by its logits.
    """
    n_pairs = logits.shape[2] // 2
    outputs, log_sums = softmax(logits, axis=1)
    joint, joint_log_sums = softmax(logits[:, :, :n_pairs] + logits[:, :, n_pairs:], axis=1)
    disagreement = log_sums[:, :n_pairs] + log_sums[:, n_pairs:] - joint_log_sums
    own = outputs[:, :, :n_pairs]
    shares = own.mean(axis=2)
    losses = disagreement.mean(axis=1, dtype=np.float64) - entropy_weight * entropies(shares)
    # d(-H)/dz_il = q_il (log m_l - sum_k q_ik log m_k) / n
    logs = np.log(np.maximum(shares, _SMALLEST_SHARE))[:, :, np.newaxis]
    spreading = entropy_weight * own * (logs - (own * logs).sum(axis=1, keepdims=True))
    # d(-log q_i . q_j)/dz_i = (q_i - softmax(z_i + z_j)) / n, and the same for j
    gradients = outputs
    gradients[:, :, n_pairs:] -= joint
    gradients[:, :, :n_pairs] -= joint - spreading
    gradients /= n_pairs
    return losses, gradients


def entropies(shares: AnyArray) -> AnyArray:
    """H(m) = -sum_l m_l log m_l along the last axis, in float64."""
    exact = np.maximum(shares.astype(np.float64), _SMALLEST_SHARE)
    return -np.asarray((exact * np.log(exact)).sum(axis=-1))


def selection_losses(trainer: HeadTrainer, rows: Any, neighbors: IntVector) -> AnyArray:
    """Loss of each head over all samples, each with one neighbor, the entropy weighted by one."""

    def block_sums(block: slice) -> tuple[AnyArray, AnyArray]:
        own, others = trainer.logits(rows[block]), trainer.logits(rows[neighbors[block]])
        outputs, own_log_sums = softmax(own, axis=1)
        lost = own_log_sums + softmax(others, axis=1)[1] - softmax(own + others, axis=1)[1]
        return lost.sum(axis=1, dtype=np.float64), outputs.sum(axis=2, dtype=np.float64)

    n_samples = rows.shape[0]
    sums = [block_sums(block) for block in block_slices(n_samples, 2 * rows.shape[1])]
    disagreement, shares = (sum(parts) / n_samples for parts in zip(*sums, strict=True))
    losses: AnyArray = disagreement - _SELECTION_WEIGHT * entropies(shares)
    return losses


def draw_pairs(
    graph: NeighborGraph, batch_size: int, rng: np.random.Generator
) -> Iterator[tuple[IntVector, IntVector]]:
    """Yield batches of samples with a neighbor of each, without end.

    Each round visits every sample once, in a new order and with a neighbor newly drawn.
    """
    while True:
        neighbors = draw_neighbors(graph, rng)
        for samples in draw_batches(graph.n_samples, batch_size, rng):
            yield samples, neighbors[samples]


def draw_batches(n_samples: int, batch_size: int, rng: np.random.Generator) -> list[AnyArray]:
    """Cut all samples, in a new order, into batches alike in size and not below the one asked."""
    return np.array_split(rng.permutation(n_samples), max(1, n_samples // batch_size))


def draw_neighbors(graph: NeighborGraph, rng: np.random.Generator) -> IntVector:
    """Draw for every sample one of its neighbors or itself, all equally likely."""
    places = rng.integers(graph.degrees + 1)
    drawn: IntVector = np.arange(graph.n_samples, dtype=np.int32)
    others = places < graph.degrees
    drawn[others] = graph.indices[(graph.indptr[:-1] + places)[others]]
    return drawn


def scan_memory(n_features: int, n_clusters: int, n_heads: int, batch_size: int) -> Parts:
    """Tell what heads and their averages of Adam take, and a batch of pairs."""
    return {
        "heads": 6 * 4.0 * n_heads * n_clusters * n_features,
        "batches": 2 * 4.0 * batch_size * (n_features + 6 * n_clusters),
    }
