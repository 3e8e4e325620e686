"""Coarser and finer partitions of a finished fit."""

from __future__ import annotations

from typing import NamedTuple

import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from graphpac._threads import Workers, resolve_n_jobs
from graphpac._typing import IntVector
from graphpac.graph import NeighborGraph
from graphpac.graph.copies import merge_copies
from graphpac.graph.links import links_of
from graphpac.solvers.cuts import cut_memberships
from graphpac.solvers.likelihood import LinkGraph
from graphpac.solvers.tree import ClusterTree, grow_tree


class Cut(NamedTuple):
    """A partition of the samples of a fit: the cluster of each, and memberships in all of them."""

    labels: IntVector
    memberships: sp.csr_matrix


class HasTree:
    """Mixin of estimators with ``labels_``, ``memberships_`` and ``graph_``: a tree over clusters.

    It is grown when it is first asked for: most fits are never cut.
    """

    n_jobs: int | None
    labels_: IntVector
    memberships_: sp.csr_matrix
    graph_: NeighborGraph
    _tree: ClusterTree | None

    @property
    def tree_(self) -> ClusterTree:
        """What merges with what: a linkage that SciPy draws, from communities up to one cluster."""
        check_is_fitted(self, "labels_")
        if self._tree is None:
            merged, copies = merge_copies(self.graph_)
            with Workers(resolve_n_jobs(self.n_jobs)) as workers:
                tree = grow_tree(
                    LinkGraph(links_of(merged), workers),
                    self.labels_[copies.originals],
                    int(self.memberships_.shape[1]),
                )
            self._tree = tree.with_copies(copies.numbers)
        return self._tree

    def cut(self, n_clusters: int) -> Cut:
        """Return a coarser or finer partition of this fit.

        Cuts are nested: each cluster is a union of clusters of the cut into one more. Into as many
        clusters as were fitted it is the fit itself.

        Parameters
        ----------
        n_clusters : int
            From 1 to ``tree_.n_leaves``.

        Returns
        -------
        cut : Cut
            With ``labels`` and ``memberships``.
        """
        tree = self.tree_
        labels = tree.labels(n_clusters)
        merged, copies = merge_copies(self.graph_)
        memberships = cut_memberships(
            tree.of_originals(copies.originals),
            links_of(merged),
            sp.csr_array(self.memberships_[copies.originals]),
            n_clusters,
        )
        return Cut(labels, sp.csr_matrix(memberships)[copies.numbers])
