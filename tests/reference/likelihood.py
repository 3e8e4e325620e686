"""The planted-partition likelihood, again from a dense matrix of links and from the definition."""

from itertools import pairwise
from math import isclose, log

import numpy as np


def shares(A, labels):
    """f, the share of link ends that stay inside clusters, and s, what chance gives."""
    ends = A.sum()
    f = A[labels[:, None] == labels].sum() / ends
    s = sum((A[labels == label].sum() / ends) ** 2 for label in np.unique(labels))
    return f, s


def two_step_walks(A):
    """W_jk = sum_i w_ji w_ik / k_i, the walks from j to k over all samples that have links."""
    degrees = A.sum(axis=1)
    middle = degrees > 0
    return A[:, middle] / degrees[middle] @ A[middle]


def likelihood(f, s):
    """f ln(f / s) + (1 - f) ln((1 - f) / (1 - s)), with 0 ln 0 = 0."""
    inside = f * log(f / s) if f > 0 else 0.0
    between = (1 - f) * log((1 - f) / (1 - s)) if f < 1 else 0.0
    return inside + between


def gamma(f, s):
    """(w_in - w_out) / (ln w_in - ln w_out), the logarithmic mean of the two densities."""
    w_in, w_out = f / s, (1 - f) / (1 - s)
    return w_in if isclose(w_in, w_out) else (w_in - w_out) / (log(w_in) - log(w_out))


def block_information(A, labels):
    """Mutual information of the clusters at both ends of a link."""
    B = A / A.sum()
    names = np.unique(labels)
    m = np.array([[B[np.ix_(labels == a, labels == b)].sum() for b in names] for a in names])
    chance = np.outer(m.sum(axis=1), m.sum(axis=0))
    return sum(x * log(x / y) for x, y in zip(m.ravel(), chance.ravel(), strict=True) if x > 0)


def quality(A, labels, price):
    """Links inside clusters, less price K_l^2 / 2 for each: modularity M if the price is 1 / 2M."""
    inside = A[labels[:, None] == labels].sum()
    return (inside - price * sum(A[labels == label].sum() ** 2 for label in np.unique(labels))) / 2


def modularity(A, labels, resolution):
    """Sum of w_ij - resolution k_i k_j / 2M over all pairs of one cluster, divided by 2M."""
    degrees = A.sum(axis=1)
    excess = A - resolution * np.outer(degrees, degrees) / A.sum()
    return excess[labels[:, None] == labels].sum() / A.sum()


def gain(A, labels, i, label, price):
    """How much the quality grows when sample i moves."""
    moved = labels.copy()
    moved[i] = label
    return quality(A, moved, price) - quality(A, labels, price)


def sweep(A, labels, samples, price, fewest):
    """Move samples one after the other where the gain is largest, the first of equal neighbors'."""
    labels = labels.copy()
    for i in samples:
        best, most = labels[i], 0.0
        for j in np.flatnonzero(A[i]):
            g = gain(A, labels, i, labels[j], price)
            if g > most:
                best, most = labels[j], g
        if np.sum(labels == labels[i]) > fewest:
            labels[i] = best
    return labels


def sweep_in_rounds(A, labels, bounds, n_blocks, price):
    """Sweep blocks, so many at a time from the same labels; a cluster gets its last sample back."""
    labels = labels.copy()
    blocks = [np.arange(*ends) for ends in pairwise(bounds)]
    for start in range(0, len(blocks), n_blocks):
        before = labels.copy()
        for block in blocks[start : start + n_blocks]:
            labels[block] = sweep(A, before, block, price, fewest=1)[block]
        while missing := set(before.tolist()) - set(labels.tolist()):
            labels[np.flatnonzero(before == max(missing))[0]] = max(missing)
    return labels


def links_between(A, labels, n_groups):
    """Sum the links from each group to each."""
    return np.array(
        [[A[labels == a][:, labels == b].sum() for b in range(n_groups)] for a in range(n_groups)]
    )
