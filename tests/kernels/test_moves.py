"""Moves of samples, links inside and walks that return against dense matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.graph.links import degrees_of
from graphpac.kernels.moves import (
    Clusters,
    add_links_between,
    links_inside,
    move_block,
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


@given(A=link_matrices(), n_clusters=st.integers(1, 5), seed=SEEDS, data=st.data())
def test_sums_over_parts_are_those_of_the_definition(A, n_clusters, seed, data):
    labels = random_labels(len(A), n_clusters, np.random.default_rng(seed))
    cut = data.draw(st.integers(0, len(A)))
    links, same = links_from(A), labels[:, None] == labels
    inside = [links_inside(links, labels, *part) for part in [(0, cut), (cut, len(A))]]
    walks = [
        walks_returning(links, labels, n_clusters, *part) for part in [(0, cut), (cut, len(A))]
    ]
    assert sum(inside) == A[same].sum()
    assert sum(walks) == pytest.approx(reference.two_step_walks(A)[same].sum())
    assert reference.two_step_walks(A).sum() == pytest.approx(A.sum())  # as many as link ends


@given(A=link_matrices(), n_groups=st.integers(1, 5), seed=SEEDS)
def test_links_between_groups_are_those_of_the_definition(A, n_groups, seed):
    labels = random_labels(len(A), n_groups, np.random.default_rng(seed))
    between = np.zeros((n_groups, n_groups))
    add_links_between(links_from(A), labels, between)
    expected = reference.links_between(A, labels, n_groups)
    np.testing.assert_allclose(between, expected, rtol=1e-6)


def test_a_star_joins_its_center():
    A = star(500)
    found, clusters, _, n_moved = moved(A, np.arange(500, dtype=np.int32), 500, 1e-6)
    assert n_moved == 499  # the center goes to the first of its equal leaves, all others follow
    assert set(found) == {1}
    assert clusters.totals[1] == A.sum()
