"""Moves of samples, links inside and walks that return against dense matrices."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.graph.links import degrees_of
from graphpac.kernels.moves import (
    Clusters,
    add_links_between,
    inside_changes,
    links_inside,
    move_block,
    move_blocks,
    sum_links_between,
    walks_returning,
)
from tests.reference import likelihood as reference
from tests.strategies import link_matrices, links_from, random_labels, star

PRICES = st.sampled_from([0.0, 1 / 64, 1 / 8, 1.0])  # exact: ties are ties in any order of sums
SEEDS = st.integers(0, 2**32 - 1)


def clusters_of(A, labels, n_clusters):
    totals = np.bincount(labels, weights=A.sum(axis=1), minlength=n_clusters)
    return Clusters(totals, np.bincount(labels, minlength=n_clusters))


def moved(A, labels, n_clusters, price, *, block=None, fewest=0, due=None):
    """Move a block (by default all); return all labels, the clusters, who is next, and a count."""
    links = links_from(A)
    first, last = block or (0, len(A))
    clusters = clusters_of(A, labels, n_clusters)
    due = np.ones(len(A), np.uint8) if due is None else due
    next_due = np.zeros_like(due)
    found, rest = labels[first:last].copy(), labels.copy()
    rest[first:last] = -1  # labels of the block are not to be read from there
    degrees = degrees_of(links)
    n_moved = move_block(links, degrees, rest, clusters, due, next_due, first, found, price, fewest)
    rest[first:last] = found
    return rest, clusters, next_due, n_moved


@given(
    A=link_matrices(),
    n_clusters=st.integers(1, 5),
    price=PRICES,
    fewest=st.integers(0, 2),
    seed=SEEDS,
)
def test_moves_are_those_of_the_reference(A, n_clusters, price, fewest, seed):
    labels = random_labels(len(A), n_clusters, np.random.default_rng(seed))
    found, *_ = moved(A, labels, n_clusters, price, fewest=fewest)
    assert_array_equal(found, reference.sweep(A, labels, range(len(A)), price, fewest))


@given(A=link_matrices(), price=PRICES, seed=SEEDS, data=st.data())
def test_a_block_moves_alone_and_only_samples_that_are_due(A, price, seed, data):
    rng = np.random.default_rng(seed)
    labels = random_labels(len(A), 3, rng)
    first = data.draw(st.integers(0, len(A)))
    last = data.draw(st.integers(first, len(A)))
    due = rng.integers(0, 2, len(A), dtype=np.uint8)
    found, *_ = moved(A, labels, 3, price, block=(first, last), due=due)
    samples = [i for i in range(first, last) if due[i]]
    assert_array_equal(found, reference.sweep(A, labels, samples, price, fewest=0))


@given(A=link_matrices(), n_clusters=st.integers(1, 5), price=PRICES, seed=SEEDS)
def test_totals_and_counts_follow_and_neighbors_of_the_moved_are_next(A, n_clusters, price, seed):
    labels = random_labels(len(A), n_clusters, np.random.default_rng(seed))
    found, clusters, next_due, n_moved = moved(A, labels, n_clusters, price)
    expected = clusters_of(A, found, n_clusters)
    assert_array_equal(clusters.totals, expected.totals)
    assert_array_equal(clusters.counts, expected.counts)
    assert n_moved == np.count_nonzero(found != labels)
    assert_array_equal(next_due.astype(bool), (A[found != labels] > 0).any(axis=0))


@given(A=link_matrices(), price=PRICES, seed=SEEDS)
def test_no_sweep_lowers_the_quality_and_sweeps_come_to_rest(A, price, seed):
    labels = random_labels(len(A), 4, np.random.default_rng(seed))
    for _ in range(100):
        found, _, _, n_moved = moved(A, labels, 4, price)
        if n_moved == 0:
            return
        assert reference.quality(A, found, price) > reference.quality(A, labels, price)
        labels = found
    pytest.fail("samples move for ever")


@given(A=link_matrices(), fewest=st.integers(1, 3), seed=SEEDS)
def test_clusters_keep_the_fewest_samples_they_may_have(A, fewest, seed):
    labels = random_labels(len(A), 4, np.random.default_rng(seed))
    before = np.bincount(labels, minlength=4)
    found, *_ = moved(A, labels, 4, 1 / 64, fewest=fewest)
    assert np.all(np.bincount(found, minlength=4) >= np.minimum(before, fewest))


@given(A=link_matrices(), price=PRICES, n_blocks=st.integers(1, 5), seed=SEEDS)
def test_blocks_move_unaware_of_each_other_and_tell_what_they_changed(A, price, n_blocks, seed):
    labels = random_labels(len(A), 3, np.random.default_rng(seed))
    bounds = np.linspace(0, len(A), n_blocks + 1).astype(np.int64)
    links, clusters, found = links_from(A), clusters_of(A, labels, 3), labels.copy()
    due, next_due = np.ones(len(A), np.uint8), np.zeros(len(A), np.uint8)
    changes = Clusters(np.zeros((n_blocks, 3)), np.zeros((n_blocks, 3), np.int64))
    n_moved = move_blocks(
        links, degrees_of(links), labels, clusters, due, next_due, bounds, found, price, changes
    )
    for first, last in pairwise(bounds):
        expected = reference.sweep(A, labels, range(first, last), price, fewest=1)
        assert_array_equal(found[first:last], expected[first:last])
    assert n_moved == np.count_nonzero(found != labels)
    for before, change, after in zip(clusters, changes, clusters_of(A, found, 3), strict=True):
        assert_array_equal(before + change.sum(axis=0), after)


@given(A=link_matrices(), n_clusters=st.integers(1, 5), seed=SEEDS, data=st.data())
def test_sums_over_parts_are_those_of_the_definition(A, n_clusters, seed, data):
    rng = np.random.default_rng(seed)
    labels, others = (random_labels(len(A), n_clusters, rng) for _ in range(2))
    links, same = links_from(A), labels[:, None] == labels
    bounds = np.array([0, data.draw(st.integers(0, len(A))), len(A)])
    inside, changes, walks = np.empty((3, 2))
    links_inside(links, labels, bounds, inside)
    inside_changes(links, labels, others, bounds, changes)
    walks_returning(links, labels, n_clusters, bounds, walks)
    assert inside.sum() == A[same].sum()
    assert inside.sum() + changes.sum() == A[others[:, None] == others].sum()
    assert walks.sum() == pytest.approx(reference.two_step_walks(A)[same].sum())
    assert reference.two_step_walks(A).sum() == pytest.approx(A.sum())  # as many as link ends


@given(A=link_matrices(), n_groups=st.integers(1, 5), seed=SEEDS)
def test_links_between_groups_are_those_of_the_definition(A, n_groups, seed):
    labels = random_labels(len(A), n_groups, np.random.default_rng(seed))
    links, expected = links_from(A), reference.links_between(A, labels, n_groups)
    between = np.zeros((n_groups, n_groups))
    add_links_between(links, labels, between)
    np.testing.assert_allclose(between, expected, rtol=1e-6)
    indptr = np.zeros(n_groups + 1, np.int64)
    indices, sums = np.empty(links.indices.size, np.int32), np.empty(links.indices.size)
    samples = np.argsort(labels, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(labels, minlength=n_groups))
    sum_links_between(links, labels, samples, ends, indptr, indices, sums)
    sparse = sp.csr_array((sums[: indptr[-1]], indices[: indptr[-1]], indptr), between.shape)
    assert sparse.has_canonical_format
    np.testing.assert_allclose(sparse.toarray(), expected, rtol=1e-6)


def test_a_star_joins_its_center():
    A = star(500)
    found, clusters, _, n_moved = moved(A, np.arange(500, dtype=np.int32), 500, 1e-6)
    assert n_moved == 499  # the center goes to the first of its equal leaves, all others follow
    assert set(found) == {1}
    assert clusters.totals[1] == A.sum()
