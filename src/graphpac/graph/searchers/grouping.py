"""Rows sorted into lists around centers, by k-means on a sample."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from graphpac._threads import map_in_threads
from graphpac._typing import AnyArray, FloatMatrix, FloatVector, IntVector, OffsetVector
from graphpac.graph.searchers.projection import sample_numbers
from graphpac.kernels.inverted_lists import StoredLists

_BLOCK_ROWS = 1024
TRAINING_ROWS = 32  # for each center
_TRAIN_ITERATIONS = 3
_MOVED_COLUMNS = 16  # at a time: one line of the cache
LONGEST = 4  # times the mean length; longer lists are cut


def find_centers(
    places: FloatMatrix, n_centers: int, n_jobs: int, rng: np.random.Generator
) -> FloatMatrix:
    """Find centers by a few rounds of k-means on a sample, begun with rows drawn at random."""
    sample = places[sample_numbers(places.shape[0], TRAINING_ROWS * n_centers, rng)]
    centers = sample[sample_numbers(sample.shape[0], n_centers, rng)]
    for _ in range(_TRAIN_ITERATIONS):
        chosen = nearest_centers(sample, centers, n_jobs)
        order = np.argsort(chosen, kind="stable")
        begins = np.flatnonzero(np.diff(chosen[order], prepend=-1))
        centers = _means(sample[order], np.append(begins, order.size))
    return centers


def nearest_centers(places: FloatMatrix, centers: FloatMatrix, n_jobs: int) -> IntVector:
    """Return the number of the center nearest to each place."""
    chosen: IntVector = np.empty(places.shape[0], dtype=np.int32)
    halves = _halves(centers)

    def choose(start: int) -> None:
        some = slice(start, start + _BLOCK_ROWS)
        products = places[some] @ centers.T
        products -= halves
        chosen[some] = products.argmax(axis=1)

    map_in_threads(choose, range(0, places.shape[0], _BLOCK_ROWS), n_jobs)
    return chosen


def store_lists(places: FloatMatrix, chosen: IntVector, n_centers: int) -> StoredLists:
    """Store rows by the center they chose; long lists are cut. The places are moved, not copied."""
    n_rows = places.shape[0]
    numbers: IntVector = np.argsort(chosen, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(chosen, minlength=n_centers))
    most = LONGEST * -(-n_rows // n_centers)
    cuts = [np.arange(begin, end, most) for begin, end in pairwise((0, *ends))]
    begins: OffsetVector = np.concatenate((*cuts, [n_rows]))
    for first in range(0, places.shape[1], _MOVED_COLUMNS):
        columns = slice(first, first + _MOVED_COLUMNS)
        places[:, columns] = places[numbers, columns]
    centers = _means(places, begins)
    return StoredLists(begins, numbers, places, _halves(places), centers, _halves(centers))


def _means(places: FloatMatrix, begins: AnyArray) -> FloatMatrix:
    """Return the mean of each list of places."""
    means: FloatMatrix = np.add.reduceat(places, begins[:-1], axis=0)
    means /= np.diff(begins).astype(np.float32)[:, np.newaxis]
    return means


def _halves(places: FloatMatrix) -> FloatVector:
    return np.asarray(np.einsum("ij,ij->i", places, places) / np.float32(2.0))
