"""One iteration of the compiled solver against two slow references, for one random order."""

from dataclasses import dataclass, replace
from functools import partial
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.graph.copies import Copies, spread_over_copies
from graphpac.graph.lists import either_direction
from graphpac.graph.locality import number_by_locality
from graphpac.kernels.sparse_sweep import FAINT
from graphpac.kernels.sweep import sweep
from graphpac.solvers import Problem, SolverOptions, Start, solve_gpac
from graphpac.solvers.options import Shift
from graphpac.solvers.state import make_state
from tests.reference import gpac as reference
from tests.reference.reach import hop_matrix
from tests.strategies import membership_matrix, random_graph, random_graphs

TOLERANCE = 1e-5


@dataclass
class Compared:
    """What both sides made of one iteration."""

    result: object
    expected: reference.Iteration
    start: np.ndarray


def run_both(graph, P, labels, problem, options, *, form="dense", seed=0, copies=None, resting=()):
    """One iteration by the solver, and by the reference with the batches the solver dealt.

    Without P memberships are uniform, which the sparse form does not write down. With copies the
    solver is given every sample as often as they say, the reference once. Of each batch, the
    samples that rest are not due.
    """
    batches = []

    def recorded(view, rule):
        batch = order[view.pool.members[view.order]]
        batches.append(batch)
        return sweep(view._replace(due=view.order[~np.isin(batch, resting)]), rule)

    memberships = None if P is None else sp.csr_matrix(P.astype(np.float32))
    start = Start(labels.astype(np.int32), memberships)
    if P is None:
        P = np.full((graph.n_samples, problem.n_clusters), 1.0 / problem.n_clusters)
    order = number_by_locality(either_direction(graph), start.hard_labels).order
    given_graph = graph
    if copies is not None:
        zeros = np.zeros(graph.n_samples, dtype=np.float32)
        given_graph = spread_over_copies(graph, copies, zeros, n_links=1, n_neighbors=2)
        start = start.of(copies.numbers)
    result = solve_gpac(
        given_graph,
        start,
        problem,
        options,
        rng=np.random.default_rng(seed),
        make_state=partial(make_state, dense_clusters=64 if form == "dense" else 0),
        sweep=recorded,
    )
    if copies is not None:
        assert_array_equal(
            result.memberships.toarray(), result.memberships[copies.copy_of].toarray()
        )
        result = replace(
            result,
            memberships=result.memberships[copies.originals],
            hard_labels=result.hard_labels[copies.originals],
        )
    assert_array_equal(np.sort(np.concatenate(batches)), np.arange(graph.n_samples))

    kernel = "authors" if options.kernel == "auto" else options.kernel
    n_together = 1 if options.totals == "all" else options.n_round_batches
    rounds = [batches[x : x + n_together] for x in range(0, len(batches), n_together)]
    iterate, dealt = reference.rounds_iteration, rounds
    if options.sequential:
        iterate, dealt = reference.algorithm2_iteration, batches
    expected = iterate(
        P,
        reference.one_hot(labels, problem.n_clusters),
        dealt,
        reference.local_matrix(graph, kernel, symmetric=options.symmetric),
        hop_matrix(graph, result.n_hops),
        alpha=problem.alpha,
        m=problem.fuzziness,
        lam=problem.local_weight,
        auxiliary=options.auxiliary,
        totals=options.totals,
        exponent=options.exponent,
        double_balance=options.double_balance,
        shift=options.shift,
        faint=FAINT if form == "sparse" else 0.0,
        resting=set(resting),
    )
    return Compared(result, expected, P)


def assert_equal_where_certain(compared):
    result, expected = compared.result, compared.expected
    sure = expected.certain
    memberships = result.memberships.toarray()
    assert_allclose(memberships[sure], expected.P[sure], rtol=0, atol=TOLERANCE)
    if sure.all():
        change = result.history[0].change
        assert change == pytest.approx(expected.change_from(compared.start), abs=TOLERANCE)


def one_iteration(n_clusters, **changes):
    """A problem of a single iteration; the weight of the local average is then a number."""
    given_values = {"fuzziness": 1.2, "alpha": 0.9, "local_weight": 0.4, "batch_size": 12}
    return Problem(n_clusters=n_clusters, max_iter=1, **(given_values | changes))


ABLATIONS = {
    "default": ({}, {}),
    "no local term": ({"local_weight": 0.0}, {}),
    "strong local term": ({"local_weight": 0.98}, {}),
    # m = 1.05 raises scores to the power -20, and float32 errors with them; the local term damps.
    "default fuzziness": ({"fuzziness": 1.05, "alpha": 1.0, "local_weight": 0.8}, {}),
    "very fuzzy": ({"fuzziness": 3.0}, {}),
    "no auxiliary": ({"alpha": 0.5}, {"auxiliary": False}),
    "totals over all": ({}, {"totals": "all"}),
    "symmetric": ({}, {"symmetric": True}),
    "truncated exponent": ({"fuzziness": 1.35}, {"exponent": "truncated"}),
    "truncated to uniform": ({"fuzziness": 2.5}, {"exponent": "truncated"}),
    "balance counted twice": ({}, {"double_balance": True}),
    "scores raised only": ({}, {"shift": "raise"}),
    "scores not shifted": ({"alpha": 0.1}, {"shift": "never"}),
    "no auxiliary, scores shifted": ({}, {"auxiliary": False, "shift": "always"}),
    "scores raised only, totals over all": ({}, {"shift": "raise", "totals": "all"}),
    "uniform kernel": ({}, {"kernel": "uniform"}),
    "gaussian kernel": ({}, {"kernel": "gaussian"}),
    "three hops": ({}, {"n_hops": 3}),
    "one pool": ({}, {"n_pool_batches": 8}),
    "pools of one batch": ({}, {"n_pool_batches": 1, "n_pool_epochs": 1}),
    "all batches side by side": ({}, {"n_round_batches": 100}),
    "two batches side by side": ({}, {"n_round_batches": 2}),
    "one batch": ({"batch_size": 48}, {}),
}


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("ablation", ["default", "no auxiliary", "totals over all", "symmetric"])
def test_copies_count_as_one_sample(ablation, form, seed):
    changes, options = ABLATIONS[ablation]
    rng = np.random.default_rng(seed)
    copies = Copies(
        originals=np.arange(48, dtype=np.int32),
        numbers=np.concatenate((np.arange(48), rng.integers(0, 48, 60))).astype(np.int32),
    )
    n_sure = 0
    for draw in range(4):
        compared = run_both(
            random_graph(48, 6, rng),
            membership_matrix(48, 5, rng),
            rng.integers(-1, 5, 48),
            one_iteration(5, **changes),
            SolverOptions(max_entries=5, **options),
            form=form,
            seed=draw,
            copies=copies,
        )
        assert_equal_where_certain(compared)
        n_sure += compared.expected.certain.sum()
    assert n_sure > 48


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("ablation", ["default", "no auxiliary", "totals over all"])
@pytest.mark.parametrize("n_resting", [1, 30, 48])
def test_samples_that_rest_stay_as_they_are_and_vote(n_resting, ablation, form, seed):
    changes, options = ABLATIONS[ablation]
    rng = np.random.default_rng(seed)
    P, labels = membership_matrix(48, 5, rng), rng.integers(0, 5, 48)
    resting = rng.permutation(48)[:n_resting]
    solver = SolverOptions(max_entries=5, **options)
    problem = one_iteration(5, **changes)

    compared = run_both(
        random_graph(48, 6, rng), P, labels, problem, solver, form=form, resting=resting
    )

    assert_equal_where_certain(compared)
    assert compared.expected.certain.sum() > n_resting / 2
    assert_allclose(compared.result.memberships.toarray()[resting], P[resting], atol=TOLERANCE)


@pytest.mark.parametrize("sequential", [False, True], ids=["rounds", "sequential"])
@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("ablation", ABLATIONS)
def test_every_iteration_equals_the_reference(ablation, form, sequential, seed):
    """Four iterations, each from where the reference stood: differences cannot hide or pile up."""
    changes, options = ABLATIONS[ablation]
    rng = np.random.default_rng(seed)
    n_clusters = 5
    graph = random_graph(48, 6, rng)
    problem = one_iteration(n_clusters, **changes)
    solver = SolverOptions(max_entries=n_clusters, sequential=sequential, **options)
    P = membership_matrix(48, n_clusters, rng)
    labels = rng.integers(-1, n_clusters, 48)
    n_sure = 0
    for draw in range(4):
        compared = run_both(graph, P, labels, problem, solver, form=form, seed=draw)
        assert_equal_where_certain(compared)
        expected = compared.expected
        n_sure += expected.certain.sum()
        if solver.auxiliary and expected.certain.all():
            assert_array_equal(compared.result.hard_labels, expected.V.argmax(axis=1))
        P = expected.P.astype(np.float32).astype(np.float64)
        labels = expected.V.argmax(axis=1)
    assert n_sure > 4 * 48 / 3, "too few rows were compared for the test to mean anything"


@pytest.mark.parametrize("n_clusters", [1, 2, 16, 17, 33, 64])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_padding_of_rows_makes_no_difference(n_clusters, form, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(100, 6, rng)
    P = membership_matrix(100, n_clusters, rng)
    labels = rng.integers(n_clusters, size=100)
    options = SolverOptions(max_entries=64, n_hops=2)

    compared = run_both(graph, P, labels, one_iteration(n_clusters), options, form=form)

    assert_equal_where_certain(compared)
    assert compared.expected.certain.mean() > 0.3


@settings(max_examples=60)
@given(
    graph=random_graphs(),
    n_clusters=st.integers(1, 20),
    alpha=st.floats(0.0, 2.0),
    fuzziness=st.floats(1.1, 3.0),
    local_weight=st.floats(0.0, 0.98),
    batch_size=st.integers(1, 40),
    n_pool_batches=st.integers(1, 3),
    n_round_batches=st.integers(1, 5),
    n_hops=st.integers(2, 5),
    shift=st.sampled_from(get_args(Shift)),
    flags=st.tuples(*[st.booleans()] * 6),
    draw_seed=st.integers(0, 2**32 - 1),
)
def test_any_iteration_equals_the_reference(
    graph,
    n_clusters,
    alpha,
    fuzziness,
    local_weight,
    batch_size,
    n_pool_batches,
    n_round_batches,
    n_hops,
    shift,
    flags,
    draw_seed,
):
    """Isolated samples, batches of one sample, one cluster and more clusters than samples too."""
    sparse, sequential, all_totals, symmetric, auxiliary, double_balance = flags
    rng = np.random.default_rng(draw_seed)
    n = graph.n_samples
    P = membership_matrix(n, n_clusters, rng)
    labels = rng.integers(-1, n_clusters, n)
    problem = one_iteration(
        n_clusters,
        alpha=alpha,
        fuzziness=fuzziness,
        local_weight=local_weight,
        batch_size=batch_size,
    )
    options = SolverOptions(
        sequential=sequential,
        totals="all" if all_totals else "batch",
        symmetric=symmetric,
        auxiliary=auxiliary,
        shift=shift,
        double_balance=double_balance,
        n_hops=n_hops,
        n_pool_batches=n_pool_batches,
        n_round_batches=n_round_batches,
        max_entries=20,
    )

    form = "sparse" if sparse else "dense"
    assert_equal_where_certain(run_both(graph, P, labels, problem, options, form=form))


@pytest.mark.parametrize("totals", ["batch", "all"])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_uniform_rows_count_where_scores_are_only_raised(form, totals, seed):
    """Elsewhere they add the same to every score, and the shift takes it away again."""
    rng = np.random.default_rng(seed)
    graph = random_graph(60, 3, rng)
    labels = rng.choice(3, 60, p=[0.1, 0.3, 0.6])  # clusters of one size would tie
    problem = one_iteration(3, batch_size=20, local_weight=0.0)
    options = SolverOptions(shift="raise", totals=totals, n_hops=2, max_entries=3)

    n_sure = 0
    for draw in range(6):
        compared = run_both(graph, None, labels, problem, options, form=form, seed=draw)
        assert_equal_where_certain(compared)
        n_sure += compared.expected.certain.sum()

    assert n_sure > 6 * 60 / 5, "too few rows were compared for the test to mean anything"
    always = SolverOptions(n_hops=2, totals=totals)
    shifted = run_both(graph, None, labels, problem, always, seed=draw)
    assert np.abs(compared.expected.P - shifted.expected.P).max() > 0.01


def test_rounds_and_sequential_differ():
    """Otherwise comparing with two references would show nothing."""
    rng = np.random.default_rng(0)
    graph = random_graph(48, 6, rng)
    P = membership_matrix(48, 5, rng)
    labels = rng.integers(5, size=48)

    ours, published = (
        run_both(graph, P, labels, one_iteration(5), options).expected
        for options in (SolverOptions(n_round_batches=4), SolverOptions(sequential=True))
    )

    assert np.abs(ours.P - published.P).max() > 0.01


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_equal_hard_scores_go_to_the_lowest_cluster(form):
    """Two samples that do not reach each other, uniform memberships: all scores are equal."""
    graph = random_graph(2, 0, np.random.default_rng(0))
    labels = np.array([-1, -1])
    problem = one_iteration(4, batch_size=1)

    P = np.full((2, 4), 0.25)
    compared = run_both(graph, P, labels, problem, SolverOptions(), form=form)

    assert_array_equal(compared.result.hard_labels, [0, 0])
