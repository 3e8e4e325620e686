"""The losses of SCAN again, pair by pair as they are written, for one head in float64."""

import numpy as np


def outputs(Z):
    """Softmax of rows of logits."""
    return np.array([np.exp(z) / np.sum(np.exp(z)) for z in Z])


def entropy(m):
    """H(m) = -sum m log m."""
    return -sum(share * np.log(share) for share in m)


def loss(own, neighbors, entropy_weight):
    """-mean log(q_i . q_j) - weight * H(mean q_i), for logits of samples and of neighbors."""
    q_own, q_neighbors = outputs(own), outputs(neighbors)
    agreement = np.mean([np.log(q_i @ q_j) for q_i, q_j in zip(q_own, q_neighbors, strict=True)])
    return -agreement - entropy_weight * entropy(q_own.mean(axis=0))


def own_label_loss(Z, labels, sure):
    """Cross-entropy to labels, mean over the samples of a label, then over the labels present."""
    q = outputs(Z)
    present = sorted({labels[i] for i in sure})
    return np.mean(
        [np.mean([-np.log(q[i, label]) for i in sure if labels[i] == label]) for label in present]
    )


def slopes(function, Z, step=1e-5):
    """Derivatives of a function of logits by differences."""
    found = np.zeros_like(Z)
    for place in np.ndindex(Z.shape):
        higher, lower = Z.copy(), Z.copy()
        higher[place] += step
        lower[place] -= step
        found[place] = (function(higher) - function(lower)) / (2.0 * step)
    return found


def adam(start, gradient, rates, unit):
    """Steps of Adam as in its paper: one for each rate, on a gradient that never changes.

    What it moves is counted in units, so that derivatives are by units as well.
    """
    x, m, v = start / unit, 0.0, 0.0
    gradient = gradient * unit
    for t, rate in enumerate(rates, start=1):
        m = 0.9 * m + 0.1 * gradient
        v = 0.999 * v + 0.001 * gradient**2
        x = x - rate * (m / (1.0 - 0.9**t)) / (np.sqrt(v / (1.0 - 0.999**t)) + 1e-8)
    return x * unit
