"""Scores of two blocks of rows: all pairs that could be among the nearest are measured."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from graphpac._typing import FloatMatrix, FloatVector, IntMatrix, OffsetVector
from graphpac.graph.searchers.base import Ranking
from graphpac.graph.searchers.score_bounds import ScoreBounds
from graphpac.kernels.distances import bound_nearest, pick_candidates, pick_mutual_candidates

_PICK_WIDTH = 32


def rank_tile(
    ranking: Ranking,
    scores: FloatMatrix,
    bounds: ScoreBounds,
    query_squares: FloatVector,
    row_squares: FloatVector,
    first: int,
) -> None:
    """Add to a ranking all rows, from number first on, whose scores do not rule them out."""
    n_best = ranking.keys.shape[1]
    limits = bounds.limits(ranking.keys[:, -1])
    bound_nearest(
        scores,
        bounds.factor,
        bounds.upper_terms(query_squares),
        bounds.upper_terms(row_squares),
        ranking.own,
        first,
        n_best,
        limits,
    )
    positions = np.zeros(scores.shape[0], dtype=np.int64)
    # As wide as the lists, so that merging candidates into them is little work for each.
    width = min(max(_PICK_WIDTH, n_best), max(_PICK_WIDTH, scores.shape[1]))
    candidates = np.empty((scores.shape[0], width), dtype=np.int32)
    query_terms, row_terms = bounds.lower_terms(query_squares), bounds.lower_terms(row_squares)
    finished = False
    while not finished:
        finished = pick_candidates(
            scores,
            bounds.factor,
            query_terms,
            row_terms,
            ranking.own,
            first,
            limits,
            positions,
            candidates,
        )
        ranking.add(candidates)


class RankedBlock:
    """Consecutive rows and the nearest found for them so far; threads take turns in adding."""

    def __init__(self, first: int, squares: FloatVector, ranking: Ranking) -> None:
        self.first = first
        self.squares = squares
        self.ranking = ranking
        self._lock = Lock()

    def last_keys(self) -> FloatVector:
        """Return the keys of the farthest rows on the lists, which only fall."""
        with self._lock:
            return self.ranking.keys[:, -1].copy()

    def add_own(self, scores: FloatMatrix, bounds: ScoreBounds) -> None:
        """Add what the scores of the block with itself do not rule out."""
        with self._lock:
            rank_tile(self.ranking, scores, bounds, self.squares, self.squares, self.first)

    def add(
        self,
        scores: FloatMatrix,
        other: RankedBlock,
        bounds: ScoreBounds,
        candidates: IntMatrix,
        counts: OffsetVector,
    ) -> None:
        """Add candidates from another block, and look again at those with more than were kept."""
        many = np.flatnonzero(counts > candidates.shape[1])
        width = int(min(counts.max(initial=0), candidates.shape[1]))
        few = np.ascontiguousarray(candidates[:, :width])
        few[few >= 0] += np.int32(other.first)
        few[many] = -1

        def rank_again(some: Ranking) -> None:
            again = np.ascontiguousarray(scores[many])
            rank_tile(some, again, bounds, self.squares[many], other.squares, other.first)

        with self._lock:
            self.ranking.add(few)
            if many.size:
                self.ranking.rank_some(many, rank_again)


def rank_mutually(scores: Any, one: RankedBlock, other: RankedBlock, bounds: ScoreBounds) -> None:
    """Add to the rankings of two different blocks what their scores do not rule out."""
    counts = [np.empty(size, dtype=np.int64) for size in scores.shape]
    candidates = [np.empty((size, _PICK_WIDTH), dtype=np.int32) for size in scores.shape]
    pick_mutual_candidates(
        scores,
        bounds.factor,
        bounds.lower_terms(one.squares),
        bounds.lower_terms(other.squares),
        bounds.limits(one.last_keys()),
        bounds.limits(other.last_keys()),
        *counts,
        *candidates,
    )
    one.add(scores, other, bounds, candidates[0], counts[0])
    other.add(scores.T, one, bounds, candidates[1], counts[1])
