"""A numbering of the samples in which near ones have near numbers.

Whatever the solver reads of the neighbors of a sample then lies close together in memory, which is
worth a quarter of the time on 250,000 samples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee

from graphpac._typing import AnyArray, IntVector
from graphpac.graph.copies import Copies
from graphpac.graph.lists import Lists, lists_of


class Numbering(NamedTuple):
    """``order[a]`` is the sample with the number a, ``numbers[i]`` the number of sample i.

    Samples that are equal may share a number; ``order`` then has the first of them.
    """

    order: IntVector
    numbers: IntVector

    def to_caller(self, rows: Any) -> Any:
        """Return what the run has for each number, row by row, for each sample of the caller."""
        return rows[self.numbers]

    def to_run(self, rows: Any) -> Any:
        """Return what the caller has for each sample, row by row, for each number of the run."""
        return rows[self.order]

    def renumber(self, lists: Lists) -> tuple[Lists, AnyArray]:
        """Put new numbers for old; return the lists and where each of their entries was."""
        moved, places = lists_of(lists, self.order)
        return Lists(moved.indptr, self.numbers[moved.indices]), places

    def of(self, copies: Copies) -> Numbering:
        """Let samples that are equal share the number that the first of them has here."""
        return Numbering(copies.originals[self.order], self.numbers[copies.numbers])


def number_by_locality(step: Lists, labels: IntVector) -> Numbering:
    """Give the samples of a label numbers in a row, as a walk over the graph meets them.

    The better the labels, -1 for none, the nearer are the numbers.
    """
    n = labels.size
    ones = np.ones(step.indices.size, np.int8)
    pattern = sp.csr_matrix((ones, step.indices, step.indptr), (n, n))
    walk = reverse_cuthill_mckee(pattern, symmetric_mode=True)
    # Groups in the order in which the walk meets them: names of labels must not matter.
    _, first_met, group = np.unique(labels[walk], return_index=True, return_inverse=True)
    order: IntVector = walk[np.argsort(first_met[group], kind="stable")].astype(np.int32)
    numbers: IntVector = np.empty(n, dtype=np.int32)
    numbers[order] = np.arange(n, dtype=np.int32)
    return Numbering(order, numbers)
