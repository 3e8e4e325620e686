"""Rows of memberships kept as lists, again in obvious numpy."""

import numpy as np

KEPT_SHARE = 1e-6


def dense_row(clusters, values, n_clusters):
    """The row a list stands for; a list of zeros stands for the uniform row."""
    if not np.any(values):
        return np.full(n_clusters, 1.0 / n_clusters)
    row = np.zeros(n_clusters)
    used = values > 0
    row[clusters[used]] = values[used]
    return row


def keep_largest(row, n_entries):
    """The largest entries of a row, ties to the lower cluster, summing to one; and what is lost."""
    order = np.lexsort((np.arange(row.size), -row))
    order = [k for k in order if row[k] >= KEPT_SHARE * row.sum()]
    kept = np.array(order[:n_entries], dtype=np.int64)
    clusters = np.zeros(n_entries, dtype=np.int64)
    values = np.zeros(n_entries)
    clusters[: kept.size] = kept
    values[: kept.size] = row[kept] / row[kept].sum()
    return clusters, values, 1.0 - row[kept].sum() / row.sum()
