"""The solver as a whole: what it finds, what it reports, what it must not depend on."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from graphpac.graph import NeighborGraph, build_neighbor_graph
from graphpac.kernels.sweep import sweep
from graphpac.metrics import adjusted_rand_index, clustering_accuracy
from graphpac.solvers import Problem, SolverOptions, Start, make_start, solve_gpac
from graphpac.solvers.state import make_state
from tests.reference import gpac as reference
from tests.reference.reach import hop_matrix
from tests.strategies import membership_matrix, random_graph


def make_blobs(n_clusters, rng, n_each=50, noise=0.08):
    """Groups around orthogonal directions, and their labels."""
    labels = np.repeat(np.arange(n_clusters), n_each)
    rows = np.eye(n_clusters + 2)[labels]
    return (rows + rng.normal(0.0, noise, rows.shape)).astype(np.float32), labels


FORMS = {
    "dense": partial(make_state, dense_clusters=64),
    "sparse": partial(make_state, dense_clusters=0),
}


def solve(
    graph, init, problem, options=None, *, rows=None, seed=0, form="dense", sweep=sweep, **given
):
    rng = np.random.default_rng(seed)
    start = init
    if not isinstance(init, Start):
        start = make_start(init, problem.n_clusters, rows=rows, graph=graph, rng=rng)
    options = options or SolverOptions()
    given |= {"make_state": FORMS[form], "sweep": sweep}
    return solve_gpac(graph, start, problem, options, rng=rng, **given)


def labels_of(result):
    return np.asarray(result.memberships.argmax(axis=1)).ravel()


def assert_valid(result, n_samples, n_clusters):
    """Invariants of any result."""
    P = result.memberships
    assert P.shape == (n_samples, n_clusters)
    assert P.dtype == np.float32
    assert P.has_sorted_indices
    assert np.all(P.data > 0.0)
    assert_allclose(P.sum(axis=1), 1.0, atol=1e-6)
    assert result.hard_labels.dtype == np.int32
    assert np.all((result.hard_labels >= 0) & (result.hard_labels < n_clusters))
    assert np.isfinite(result.objective)


@pytest.mark.parametrize("init", ["smoothed", "k-means++", "random", "zeros", "hops"])
@pytest.mark.parametrize("n_clusters", [3, 4, 5])
def test_far_groups_are_found(n_clusters, init, seed):
    X, truth = make_blobs(n_clusters, np.random.default_rng(seed))
    graph = build_neighbor_graph(X, 10, n_jobs=1)

    for run in range(3):
        result = solve(
            graph,
            "k-means++" if init == "hops" else init,
            Problem(n_clusters=n_clusters),
            rows=None if init == "hops" else X,
            seed=run,
        )
        assert_valid(result, truth.size, n_clusters)
        assert adjusted_rand_index(truth, labels_of(result)) == 1.0


@pytest.mark.parametrize(
    "options",
    [
        {"sequential": True},
        {"totals": "all"},
        {"symmetric": True},
        {"auxiliary": False},
        {"exponent": "truncated"},
        {"kernel": "uniform"},
        {"n_round_batches": 1000},
        {"n_pool_batches": 1, "n_pool_epochs": 1},
    ],
    ids=str,
)
def test_far_groups_are_found_by_every_ablation(options):
    X, truth = make_blobs(4, np.random.default_rng(0))
    graph = build_neighbor_graph(X, 10, n_jobs=1)

    result = solve(graph, "k-means++", Problem(n_clusters=4), SolverOptions(**options), rows=X)

    assert_valid(result, truth.size, 4)
    assert adjusted_rand_index(truth, labels_of(result)) == 1.0
    assert_array_equal(result.hard_labels, labels_of(result))


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("fuzziness", [1.001, 1.005, 1.05, 1.2, 1.5, 2.0, 3.0])
def test_rows_sum_to_one_for_any_fuzziness(fuzziness, form):
    graph = random_graph(80, 8, np.random.default_rng(0))

    result = solve(graph, "random", Problem(n_clusters=6, fuzziness=fuzziness), form=form)

    assert_valid(result, 80, 6)


def test_three_is_not_uniform_with_the_exact_exponent_and_is_with_the_truncated_one():
    """The released code truncates -1/(m-1) to 0 for every m above 2."""
    X, _ = make_blobs(3, np.random.default_rng(0))
    graph = build_neighbor_graph(X, 10, n_jobs=1)
    problem = Problem(n_clusters=3, fuzziness=3.0, local_weight=0.0, max_iter=5)

    exact = solve(graph, "k-means++", problem, rows=X)
    truncated = solve(graph, "k-means++", problem, SolverOptions(exponent="truncated"), rows=X)

    assert exact.memberships.max(axis=1).toarray().mean() > 0.5
    assert_allclose(truncated.memberships.toarray(), 1.0 / 3.0, rtol=1e-6)


@pytest.mark.parametrize("fuzziness", [1.3, 1.5, 2.0, 3.0])
def test_the_formula_minimizes_the_sum_of_powered_memberships_times_scores(fuzziness, seed):
    scores = np.random.default_rng(seed).uniform(1.0, 3.0, 4)

    found = minimize(
        lambda p: np.sum(np.abs(p) ** fuzziness * scores),
        np.full(4, 0.25),
        bounds=[(0.0, 1.0)] * 4,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1.0},
        options={"ftol": 1e-14, "maxiter": 1000},
        method="SLSQP",
    )

    assert_allclose(reference.memberships_of(scores, fuzziness), found.x, atol=1e-4)


@pytest.mark.parametrize("iterate", [reference.algorithm2_iteration, reference.rounds_iteration])
def test_p_before_v_equals_v_before_p(iterate, seed):
    """A sample is no neighbor of its own and left out of the totals, so the order is immaterial."""
    rng = np.random.default_rng(seed)
    graph = random_graph(60, 6, rng)
    batches = np.array_split(rng.permutation(60), 4)
    if iterate is reference.rounds_iteration:
        batches = [batches[:2], batches[2:]]
    arguments = (
        membership_matrix(60, 4, rng),
        reference.one_hot(rng.integers(4, size=60), 4),
        batches,
        reference.local_matrix(graph),
        hop_matrix(graph, 3),
    )
    rule = {"alpha": 1.0, "m": 1.2, "lam": 0.5}

    soft_first, hard_first = (
        iterate(*arguments, **rule, hard_first=order) for order in (False, True)
    )

    assert_array_equal(soft_first.P, hard_first.P)
    assert_array_equal(soft_first.V, hard_first.V)


def test_a_clique_has_negative_scores_before_the_shift_and_is_clustered_all_the_same():
    """Also with a single batch: the paper blames mini-batches alone."""
    n = 12
    sources, targets = np.nonzero(np.kron(np.eye(2), np.ones((n, n))))
    graph = NeighborGraph.from_edges(
        sources, targets, np.full(sources.size, 0.1), n_samples=2 * n, kind="cosine"
    )
    labels = np.repeat([0, 1], n)
    P, V = np.full((2 * n, 2), 0.5), reference.one_hot(labels, 2)
    others = np.arange(1, 2 * n)
    near = np.flatnonzero(hop_matrix(graph, 2)[0])
    assert np.min(P[others].sum(axis=0) - 2.0 * V[near].sum(axis=0)) < 0.0

    problem = Problem(n_clusters=2, alpha=2.0, batch_size=2 * n)
    result = solve(graph, Start(labels.astype(np.int32)), problem)

    assert_valid(result, 2 * n, 2)
    assert_array_equal(labels_of(result), labels)


def test_the_local_term_is_what_makes_digits_work(digits):
    graph = build_neighbor_graph(digits.X, 10, n_jobs=1)
    rows = (digits.X / np.linalg.norm(digits.X, axis=1, keepdims=True)).astype(np.float32)

    def accuracies(local_weight):
        problem = Problem(n_clusters=10, local_weight=local_weight)
        return [
            clustering_accuracy(
                digits.y, labels_of(solve(graph, "k-means++", problem, rows=rows, seed=seed))
            )
            for seed in range(3)
        ]

    with_it, without = accuracies("ramp"), accuracies(0.0)

    assert min(with_it) > 0.88
    assert np.mean(without) < np.mean(with_it) - 0.03


def test_balance_over_all_samples_does_not_chase_the_smallest_cluster(digits):
    """Batches side by side would all fill the same one: accuracies near .65."""
    graph = build_neighbor_graph(digits.X, 10, n_jobs=1)
    options = SolverOptions(totals="all")

    result = solve(graph, "smoothed", Problem(n_clusters=10), options, rows=digits.X)

    assert clustering_accuracy(digits.y, labels_of(result)) > 0.85


def test_two_far_groups_do_not_stop_while_the_local_weight_is_low():
    X, _ = make_blobs(2, np.random.default_rng(0))
    graph = build_neighbor_graph(X, 10, n_jobs=1)

    problem = Problem(n_clusters=2, max_iter=20, batch_size=100)
    result = solve(graph, "k-means++", problem, rows=X)

    assert result.history[1].change <= problem.tol
    assert result.converged
    assert len(result.history) >= 10
    assert result.history[-1].local_weight >= 0.45


def test_the_stopping_rule_waits_for_as_many_iterations_as_asked():
    X, _ = make_blobs(2, np.random.default_rng(0))
    graph = build_neighbor_graph(X, 10, n_jobs=1)
    problem = Problem(n_clusters=2, max_iter=20, tol=10.0)

    for min_iter in (1, 7):
        result = solve(graph, "k-means++", problem, SolverOptions(min_iter=min_iter), rows=X)
        assert len(result.history) == min_iter
        assert result.converged


def test_a_run_that_does_not_settle_says_so():
    graph = random_graph(80, 8, np.random.default_rng(0))

    result = solve(graph, "random", Problem(n_clusters=4, max_iter=3, tol=0.0))

    assert not result.converged
    assert len(result.history) == 3


@pytest.mark.parametrize("factor", [0.25, 64.0])
def test_scaling_all_weights_changes_nothing(factor):
    rng = np.random.default_rng(0)
    graph = random_graph(80, 8, rng)
    weights = np.sort(rng.uniform(0.5, 2.0, graph.n_edges)).astype(np.float32)
    sources = np.repeat(np.arange(80), graph.degrees)
    P, scaled = (
        solve(
            NeighborGraph.from_edges(
                sources, graph.indices, weights * scale, n_samples=80, kind="similarity"
            ),
            "random",
            Problem(n_clusters=4, fuzziness=1.3, max_iter=5),
        ).memberships.toarray()
        for scale in (1.0, factor)
    )

    assert_allclose(P, scaled, atol=1e-5)


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_renaming_the_clusters_of_the_start_renames_the_columns(form, seed):
    rng = np.random.default_rng(seed)
    graph = build_neighbor_graph(rng.normal(size=(60, 4)), 8, n_jobs=1)
    P = membership_matrix(60, 5, rng)
    labels = rng.integers(5, size=60)
    names = rng.permutation(5)
    # Everybody has neighbors in the one batch: without any, scores tie and the lowest name wins.
    problem = Problem(
        n_clusters=5, fuzziness=1.3, local_weight=0.5, max_iter=3, alpha=0.9, batch_size=60
    )

    start = Start(labels.astype(np.int32), sp.csr_matrix(P.astype(np.float32)))
    renamed_start = Start(
        names[labels].astype(np.int32), sp.csr_matrix(P[:, np.argsort(names)].astype(np.float32))
    )
    result, renamed = (solve(graph, each, problem, form=form) for each in (start, renamed_start))

    assert_allclose(
        renamed.memberships.toarray()[:, names], result.memberships.toarray(), atol=1e-4
    )
    assert_array_equal(renamed.hard_labels, names[result.hard_labels])


def test_the_order_of_the_samples_does_not_matter_to_what_is_found():
    X, truth = make_blobs(4, np.random.default_rng(0))
    order = np.random.default_rng(1).permutation(truth.size)

    for rows, labels in ((X, truth), (X[order], truth[order])):
        graph = build_neighbor_graph(rows, 10, n_jobs=1)
        result = solve(graph, "k-means++", Problem(n_clusters=4), rows=rows)
        assert adjusted_rand_index(labels, labels_of(result)) == 1.0


@pytest.mark.parametrize("n_clusters", [4, 70])
def test_threads_change_no_bit(n_clusters):
    """Neither of the result nor of the generator that is left behind."""
    graph = random_graph(400, 8, np.random.default_rng(0))
    problem = Problem(n_clusters=n_clusters, max_iter=6, batch_size=40)
    runs = []
    for n_jobs in (1, 2, 4):
        rng = np.random.default_rng(3)
        start = make_start("random", n_clusters, rows=None, graph=graph, rng=rng)
        result = solve_gpac(graph, start, problem, SolverOptions(), rng=rng, n_jobs=n_jobs)
        runs.append((result, rng.bit_generator.state))

    first, first_state = runs[0]
    for result, generator_state in runs[1:]:
        for name in ("data", "indices", "indptr"):
            one, other = getattr(first.memberships, name), getattr(result.memberships, name)
            assert one.tobytes() == other.tobytes()
        assert_array_equal(first.hard_labels, result.hard_labels)
        assert [r.change for r in first.history] == [r.change for r in result.history]
        assert first.objective == result.objective
        assert generator_state == first_state


def test_the_global_generator_is_left_alone():
    graph = random_graph(60, 6, np.random.default_rng(0))
    before = np.random.get_state()[1].copy()  # noqa: NPY002 - to see that nobody used it

    solve(graph, "k-means++", Problem(n_clusters=3, max_iter=3))

    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_the_callback_sees_every_record_and_may_end_the_run():
    graph = random_graph(60, 6, np.random.default_rng(0))
    problem = Problem(n_clusters=3, max_iter=8, tol=0.0)
    seen = []

    result = solve(graph, "random", problem, callback=seen.append)
    assert tuple(seen) == result.history
    assert len(seen) == 8

    stopped = solve(graph, "random", problem, callback=lambda record: record.iteration == 3)
    assert len(stopped.history) == 3
    assert not stopped.converged
    assert_valid(stopped, 60, 3)


def test_an_error_in_the_callback_is_raised():
    def broken(record):
        raise KeyboardInterrupt

    graph = random_graph(60, 6, np.random.default_rng(0))
    with pytest.raises(KeyboardInterrupt):
        solve(graph, "random", Problem(n_clusters=3), n_jobs=2, callback=broken)


def test_read_literally_the_local_weight_ends_at_one_half():
    graph = random_graph(60, 6, np.random.default_rng(0))
    problem = Problem(n_clusters=3, max_iter=10, tol=0.0)

    history = solve(graph, "random", problem, SolverOptions(ramp="beta")).history

    betas = np.arange(10) / 10
    assert_allclose([record.local_weight for record in history], betas / (1.0 + betas))


@pytest.mark.parametrize("larger", [True, False])
def test_early_batches_are_larger_unless_told_otherwise(larger):
    sizes = []

    def recorded(view, rule):
        sizes.append(view.order.size)
        return sweep(view, rule)

    graph = random_graph(900, 6, np.random.default_rng(0))
    problem = Problem(n_clusters=3, max_iter=10, tol=0.0)

    solve(graph, "random", problem, SolverOptions(larger_early_batches=larger), sweep=recorded)

    early = [90] * 10 if larger else [30] * 30
    assert sizes == 2 * early + 8 * [30] * 30


def test_the_history_tells_what_happened():
    graph = random_graph(60, 6, np.random.default_rng(0))

    result = solve(graph, "random", Problem(n_clusters=3, max_iter=10, tol=0.0, batch_size=15))

    assert [record.iteration for record in result.history] == list(range(1, 11))
    assert_allclose([record.local_weight for record in result.history], np.arange(10) / 10)
    for record in result.history:
        assert 0.0 <= record.change <= 2.0
        assert record.seconds > 0.0
        assert sum(record.cluster_sizes) == 60
        assert len(record.cluster_sizes) == 3
        assert record.dropped_mass == 0.0
    assert result.history[-1].cluster_sizes == tuple(np.bincount(labels_of(result), minlength=3))
    assert result.dropped_mass == 0.0
    assert result.batch_size == 15
    assert result.n_hops == 3


def test_hops_can_be_asked_for():
    graph = random_graph(60, 6, np.random.default_rng(0))

    result = solve(graph, "random", Problem(n_clusters=3, max_iter=1), SolverOptions(n_hops=5))

    assert result.n_hops == 5


def test_rows_grow_when_too_much_is_dropped_and_stay_when_told_to():
    """A high fuzziness spreads memberships over more clusters than a row first has room for."""
    graph = random_graph(200, 5, np.random.default_rng(0))
    problem = Problem(n_clusters=100, fuzziness=1.9, max_iter=8, local_weight=0.1)
    widths = []

    def recorded(view, rule):
        widths.append(view.assignment.values.shape[1])
        return sweep(view, rule)

    grown = solve(graph, "random", problem, sweep=recorded)
    assert widths[-1] > 64
    assert grown.dropped_mass < 1e-3
    assert_valid(grown, 200, 100)

    capped = solve(graph, "random", problem, SolverOptions(max_entries=4), sweep=recorded)
    assert widths[-1] == 4
    assert np.diff(capped.memberships.indptr).max() <= 4
    assert capped.dropped_mass == capped.history[-1].dropped_mass > 1e-3
    assert_valid(capped, 200, 100)


def test_a_run_goes_on_from_given_memberships():
    X, truth = make_blobs(4, np.random.default_rng(0))
    graph = build_neighbor_graph(X, 10, n_jobs=1)
    problem = Problem(n_clusters=4, local_weight=0.9, max_iter=50, batch_size=200)
    first = solve(graph, "k-means++", problem, rows=X)

    second = solve(graph, first.memberships, problem)

    assert_array_equal(labels_of(second), labels_of(first))
    assert second.history[0].change < 0.1 * first.history[0].change
    assert adjusted_rand_index(truth, labels_of(second)) == 1.0


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("init", ["k-means++", "random", "zeros"])
@pytest.mark.parametrize(
    ("n_samples", "max_degree", "n_clusters"),
    [(1, 0, 1), (2, 0, 2), (2, 1, 1), (10, 0, 3), (30, 4, 1), (12, 4, 12), (40, 1, 5)],
    ids=["one", "two apart", "two", "isolated", "one cluster", "c = n", "mostly isolated"],
)
def test_ends_of_the_range_work(n_samples, max_degree, n_clusters, init, form):
    graph = random_graph(n_samples, max_degree, np.random.default_rng(0))

    for changes in ({}, {"batch_size": 1}, {"local_weight": 0.999999999}, {"alpha": 0.0}):
        problem = Problem(n_clusters=n_clusters, max_iter=6, **changes)
        assert_valid(solve(graph, init, problem, form=form), n_samples, n_clusters)


def test_rows_without_an_opinion_stand_for_uniform_ones():
    """The sparse form keeps a uniform start as empty lists: a ramp makes the same of both forms."""
    graph = build_neighbor_graph(np.random.default_rng(0).normal(size=(80, 4)), 8, n_jobs=1)
    problem = Problem(n_clusters=5, fuzziness=1.3, max_iter=2, alpha=0.9, tol=0.0)
    dense = solve(graph, "random", problem)

    sparse = solve(graph, "random", problem, SolverOptions(max_entries=5), form="sparse")

    assert_allclose(sparse.memberships.toarray(), dense.memberships.toarray(), atol=1e-5)
    assert_array_equal(sparse.hard_labels, dense.hard_labels)
    for one, other in zip(sparse.history, dense.history, strict=True):
        assert one.change == pytest.approx(other.change, abs=1e-5)


@pytest.mark.parametrize("fuzziness", [1.05, 1.5])
def test_the_first_change_is_measured_as_rows_are_kept(fuzziness):
    """Under a constant local weight, uniform neighbors leave a sparse row short at first."""
    graph = random_graph(60, 6, np.random.default_rng(0))
    problem = Problem(n_clusters=5, fuzziness=fuzziness, local_weight=0.9, max_iter=1)

    result = solve(graph, "random", problem, SolverOptions(max_entries=5), form="sparse")

    expected = np.abs(result.memberships.toarray() - 0.2).sum(axis=1).mean()
    assert result.history[0].change == pytest.approx(expected, abs=1e-5)
