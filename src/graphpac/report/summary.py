"""Plain facts about a clustering, for tables and pictures."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from graphpac._typing import AnyArray
from graphpac.metrics import match_labels
from graphpac.solvers.memberships import top_memberships


class ClusterSummary(NamedTuple):
    """One cluster, and the class it was matched to.

    ``share`` is the share of its samples that are of that class, ``certainty`` the mean of their
    largest memberships.
    """

    cluster: int
    size: int
    matched_class: Any
    share: float
    certainty: float


class DoubtfulSample(NamedTuple):
    """A sample and the two clusters it belongs to most."""

    row: int
    first: int
    first_membership: float
    second: int
    second_membership: float


def summarize_clusters(
    labels: AnyArray, probabilities: AnyArray, y_true: ArrayLike
) -> list[ClusterSummary]:
    """Describe every cluster that has samples, ordered by its matched class."""
    known = np.asarray(y_true)
    matched = match_labels(known, labels)
    summaries = []
    for cluster in np.unique(labels).tolist():
        inside = labels == cluster
        name = matched[inside][0]
        summaries.append(
            ClusterSummary(
                cluster=cluster,
                size=int(inside.sum()),
                matched_class=name,
                share=float(np.mean(known[inside] == name)),
                certainty=float(probabilities[inside].mean()),
            )
        )
    return sorted(summaries, key=lambda summary: (summary.matched_class, summary.cluster))


def find_doubtful_samples(memberships: sp.csr_matrix, n_samples: int) -> list[DoubtfulSample]:
    """Return the samples whose best cluster leads the second best by least, closest first."""
    top = top_memberships(memberships, 2)
    rows = np.argsort(top.lead, kind="stable")[:n_samples].tolist()
    return [
        DoubtfulSample(
            row,
            int(top.clusters[row, 0]),
            float(top.values[row, 0]),
            int(top.clusters[row, 1]),
            float(top.values[row, 1]),
        )
        for row in rows
    ]
