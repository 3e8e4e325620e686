"""The loss of SCAN, its gradient, pairs, the choice among heads, and self-labeling."""

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac._threads import Workers
from graphpac.graph import NeighborGraph, build_neighbor_graph
from graphpac.solvers.linear_heads import HeadTrainer, LinearHead, RowMoments
from graphpac.solvers.scan import (
    Schedule,
    draw_neighbors,
    draw_pairs,
    entropies,
    scan_loss,
    selection_losses,
    solve_scan,
)
from graphpac.solvers.scan_self_labels import learn_own_labels, own_label_gradients
from tests.reference import scan as reference


@pytest.fixture
def rows(seed):
    """Ninety rows in three groups that touch."""
    rng = np.random.default_rng(seed)
    return (3.0 * np.eye(3, 4)[np.arange(90) % 3] + rng.normal(size=(90, 4))).astype(np.float32)


@pytest.fixture
def graph(rows):
    return build_neighbor_graph(rows, 5, metric="euclidean")


def moments_of(rows):
    with Workers(1) as workers:
        return RowMoments.of(rows, workers)


def solve(rows, graph, n_clusters=3, *, n_heads=4, entropy_weight=5.0, n_steps=150, n_jobs=1):
    with Workers(n_jobs) as workers:
        return solve_scan(
            rows,
            graph,
            n_clusters,
            n_heads=n_heads,
            entropy_weight=entropy_weight,
            schedule=Schedule(n_steps, 64, 5.0),
            moments=RowMoments.of(rows, workers),
            rng=np.random.default_rng(0),
            workers=workers,
        )


def outputs_of(head, rows):
    with Workers(1) as workers:
        return head.memberships(rows, workers).toarray()


@given(
    st.integers(1, 5),
    st.integers(1, 4),
    st.sampled_from([0.0, 1.0, 5.0]),
    st.integers(0, 2**32),
)
def test_loss_and_gradient_are_those_of_the_formula(n_pairs, n_clusters, weight, seed):
    logits = np.random.default_rng(seed).normal(0.0, 2.0, (2, n_clusters, 2 * n_pairs))

    losses, gradients = scan_loss(logits, weight)

    for head, loss, gradient in zip(logits, losses, gradients, strict=True):

        def formula(Z):
            return reference.loss(Z[:, :n_pairs].T, Z[:, n_pairs:].T, weight)

        assert_allclose(loss, formula(head), atol=1e-10)
        assert_allclose(gradient, reference.slopes(formula, head), atol=1e-7)


def test_opposite_certainty_has_a_finite_loss_and_gradient():
    logits = np.array([[[1e4, -1e4], [-1e4, 1e4]]], dtype=np.float32)
    losses, gradients = scan_loss(logits, 5.0)
    assert losses[0] == pytest.approx(2e4, rel=1e-4)
    assert np.isfinite(gradients).all()


def test_entropy_is_largest_for_equal_shares_and_zero_for_one_cluster():
    assert_allclose(
        entropies(np.array([np.full(8, 1 / 8), np.eye(8)[3]])), [np.log(8), 0], atol=1e-5
    )


def test_selection_weighs_the_entropy_by_one_over_all_samples(rows, graph, seed):
    moments = moments_of(rows)
    trainer = HeadTrainer.at_random(np.random.default_rng(seed).spawn(2), 3, moments)
    neighbors = draw_neighbors(graph, np.random.default_rng(seed))
    expected = []
    for head in trainer.heads():
        Z = rows.astype(np.float64) @ head.weights.T + head.biases
        expected.append(reference.loss(Z, Z[neighbors], 1.0))
    assert_allclose(selection_losses(trainer, rows, neighbors), expected, atol=1e-5)


def test_each_round_visits_every_sample_once_with_a_neighbor_or_itself(graph):
    allowed = [{i, *graph.indices[graph.indptr[i] : graph.indptr[i + 1]]} for i in range(90)]
    batches = list(islice(draw_pairs(graph, 40, np.random.default_rng(0)), 2 * 400))
    drawn = [set() for _ in range(90)]
    for round_ in range(400):
        samples = np.concatenate([batches[2 * round_][0], batches[2 * round_ + 1][0]])
        assert_array_equal(np.sort(samples), np.arange(90))
    for samples, neighbors in batches:
        assert samples.size == 45
        for sample, neighbor in zip(samples, neighbors, strict=True):
            drawn[sample].add(neighbor)
    assert drawn == allowed


def test_a_sample_without_neighbors_is_drawn_with_itself():
    graph = NeighborGraph.from_distances(sp.csr_matrix((4, 4)))
    assert_array_equal(draw_neighbors(graph, np.random.default_rng(0)), np.arange(4))


def test_the_best_head_is_kept_and_uses_all_clusters(rows, graph):
    result = solve(rows, graph)
    shares = outputs_of(result.head, rows).mean(axis=0)

    assert result.losses.shape == (4,)
    assert len(result.history) == 150
    assert result.history[-1] < result.history[0]
    assert entropies(shares) > 0.98 * np.log(3)


def test_only_the_entropy_keeps_more_clusters_than_there_are_groups(rows, graph):
    with_it, without = (
        entropies(outputs_of(solve(rows, graph, 12, entropy_weight=w).head, rows).mean(axis=0))
        for w in (5.0, 0.0)
    )
    assert with_it > 0.95 * np.log(12)
    assert without < 0.8 * np.log(12)


def test_groups_of_heads_give_the_same_bits_on_any_threads(rows, graph):
    results = [solve(rows, graph, 30, n_heads=5, n_steps=10, n_jobs=n) for n in (1, 3)]
    assert_array_equal(results[0].losses, results[1].losses)
    assert_array_equal(results[0].head.weights, results[1].head.weights)
    assert results[0].history == results[1].history


def test_sparse_rows_train_the_same_head(rows, graph):
    dense, sparse = (solve(form, graph, n_steps=20) for form in (rows, sp.csr_matrix(rows)))
    assert_allclose(sparse.head.weights, dense.head.weights, atol=1e-3)
    assert_allclose(sparse.losses, dense.losses, atol=1e-4)


@given(st.integers(2, 12), st.integers(2, 4), st.integers(0, 2**32))
def test_own_labels_pull_as_their_cross_entropy(n_rows, n_clusters, seed):
    logits = np.random.default_rng(seed).normal(0.0, 2.0, (1, n_clusters, n_rows))
    q = reference.outputs(logits[0].T)
    sure = np.flatnonzero(q.max(axis=1) > 0.6)

    found = own_label_gradients(logits, 0.6)

    if sure.size == 0:
        assert found is None
    else:
        labels = q.argmax(axis=1)
        expected = reference.slopes(
            lambda Z: reference.own_label_loss(Z.T, labels, sure), logits[0]
        )
        assert_allclose(found[0], expected, atol=1e-7)


def test_learning_own_labels_makes_a_head_more_certain(rows, graph):
    head = solve(rows, graph).head
    learned = learn_own_labels(
        head,
        rows,
        threshold=0.8,
        schedule=Schedule(100, 64, 5.0),
        moments=moments_of(rows),
        rng=np.random.default_rng(0),
    )
    before, after = outputs_of(head, rows), outputs_of(learned, rows)
    assert after.max(axis=1).mean() > before.max(axis=1).mean()
    assert np.mean(after.argmax(axis=1) == before.argmax(axis=1)) > 0.9


def test_a_head_sure_of_nothing_stays_as_it_is(rows):
    head = LinearHead(np.zeros((3, 4), dtype=np.float32), np.zeros(3, dtype=np.float32))
    learned = learn_own_labels(
        head,
        rows,
        threshold=0.99,
        schedule=Schedule(5, 64, 5.0),
        moments=moments_of(rows),
        rng=np.random.default_rng(0),
    )
    assert_array_equal(learned.weights, head.weights)
    assert_array_equal(learned.biases, head.biases)
