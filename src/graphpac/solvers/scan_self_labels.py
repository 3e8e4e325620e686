"""Self-labeling: a head learns the labels it is sure of."""

from __future__ import annotations

from itertools import chain, islice, repeat
from typing import Any

import numpy as np

from graphpac._typing import FloatMatrix
from graphpac.solvers.linear_heads import HeadTrainer, LinearHead, RowMoments, decayed, softmax
from graphpac.solvers.scan import Schedule, draw_batches

# The head is there already: larger steps forget what neighbors taught it.
_RATE_SHARE = 0.001


def learn_own_labels(
    head: LinearHead,
    rows: Any,
    *,
    threshold: float,
    schedule: Schedule,
    moments: RowMoments,
    rng: np.random.Generator,
) -> LinearHead:
    """Train a head by the cross-entropy to its own labels of samples above the threshold.

    Batches without such a sample are passed over.
    """
    trainer = HeadTrainer.at_head(head, moments)
    rounds = (draw_batches(rows.shape[0], schedule.batch_size, rng) for _ in repeat(None))
    batches = islice(chain.from_iterable(rounds), schedule.n_steps)
    for step, samples in enumerate(batches):
        batch = rows[samples]
        gradients = own_label_gradients(trainer.logits(batch), threshold)
        if gradients is not None:
            rate = decayed(_RATE_SHARE * schedule.learning_rate, step, schedule.n_steps)
            trainer.step(batch, gradients, rate)
    return trainer.heads()[0]


def own_label_gradients(logits: FloatMatrix, threshold: float) -> FloatMatrix | None:
    """Differentiate the cross-entropy of samples with an output above to their own label y.

    A sample weighs the inverse of the number of those with its label, so that every label weighs
    the same: w_i = 1 / n_{y_i}, over the number of labels present.

    Parameters
    ----------
    logits : float array of shape (1, n_clusters, n_rows)
        Of one head.

    Returns
    -------
    gradients
        An array of the shape of logits, zero for all other samples; None if no sample is sure.
    """
    outputs = softmax(logits, axis=1)[0]
    labels = outputs[0].argmax(axis=0)
    sure = np.flatnonzero(outputs[0].max(axis=0) > threshold)
    if sure.size == 0:
        return None
    counts = np.bincount(labels[sure], minlength=logits.shape[1])
    weights = np.zeros(labels.size, dtype=logits.dtype)
    weights[sure] = 1.0 / (counts[labels[sure]] * np.count_nonzero(counts))
    gradients = outputs
    gradients[0, labels[sure], sure] -= 1.0  # dL/dz_il = w_i (q_il - [l = y_i])
    gradients *= weights
    return gradients
