"""Which rows stand for a cluster, and which of its rows could as well be elsewhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac._typing import AnyArray
from graphpac.graph import NeighborGraph
from graphpac.graph.copies import merge_copies
from graphpac.solvers.memberships import TopMemberships

MOST_EXAMPLES = 8  # of each kind and cluster
_MOST_IN_ALL = 1600  # so that a thousand clusters still make a page that opens at once


class Examples(NamedTuple):
    """Rows to show: ``shown_rows`` ascending, and for each cluster places in it, -1 for none.

    The places of a cluster, most typical or most doubtful first, are a row of ``typical`` or
    ``doubtful``.
    """

    shown_rows: AnyArray
    typical: AnyArray
    doubtful: AnyArray


def choose_examples(graph: NeighborGraph, top: TopMemberships, n_clusters: int) -> Examples:
    """Choose the most typical and the most doubtful rows of every cluster, empty ones included.

    Typical are rows of large membership that many others of the cluster have among their nearest
    neighbors: the largest memberships alone are often at the edge that is far from other clusters.
    Doubtful are rows whose second best cluster is almost as good as their best; ``top`` holds both,
    where there are two. Of rows that are equal only the first is chosen.
    """
    graph, copies = merge_copies(graph)
    top = TopMemberships(top.clusters[copies.originals], top.values[copies.originals])
    labels = top.clusters[:, 0]
    n_each = int(np.clip(_MOST_IN_ALL // (2 * n_clusters), 2, MOST_EXAMPLES))
    typical, doubtful = (
        np.where(found < 0, -1, copies.originals[found])
        for found in (
            _first_of_each(labels, -_standing(graph, top), n_clusters, n_each),
            _first_of_each(labels, top.lead, n_clusters, n_each),
        )
    )
    shown_rows = np.setdiff1d((typical, doubtful), [-1])
    places = (
        np.where(rows < 0, -1, np.searchsorted(shown_rows, rows)) for rows in (typical, doubtful)
    )
    return Examples(shown_rows, *places)


def _standing(graph: NeighborGraph, top: TopMemberships) -> AnyArray:
    """Membership of each row times those of the rows of its cluster that name it a neighbor."""
    labels, memberships = top.clusters[:, 0], top.values[:, 0].astype(np.float64)
    sources = np.repeat(np.arange(graph.n_samples), graph.degrees)
    inside = labels[sources] == labels[graph.indices]
    named: AnyArray = np.bincount(
        graph.indices[inside], weights=memberships[sources[inside]], minlength=graph.n_samples
    )
    # One more, so that rows nobody names are still ordered by their membership.
    return memberships * (1.0 + named)


def _first_of_each(labels: AnyArray, keys: AnyArray, n_clusters: int, n_each: int) -> AnyArray:
    """Rows of each cluster with the smallest keys, the first of equals first; -1 where none is."""
    order = np.lexsort((keys, labels))
    starts = np.searchsorted(labels[order], np.arange(n_clusters))
    ends = np.searchsorted(labels[order], np.arange(n_clusters), side="right")
    places = starts[:, np.newaxis] + np.arange(n_each)
    inside = places < ends[:, np.newaxis]
    chosen: AnyArray = np.where(inside, order[np.where(inside, places, 0)], -1)
    return chosen
