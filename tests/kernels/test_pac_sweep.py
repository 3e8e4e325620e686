"""The sweep of PAC against sums over all pairs."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from graphpac.kernels.pac_sweep import sweep_rows
from tests.reference import pac as reference
from tests.strategies import membership_matrix, sample_matrices


def sums_of(rows, offsets, memberships, m):
    powers = memberships**m
    return powers.sum(axis=0), offsets @ powers, powers.T @ rows.astype(np.float64)


def swept(rows, offsets, p, m, blocks=((0, None),)):
    """Sweep over a copy of memberships; return it, the change and the sums."""
    p = p.copy()
    own = 2.0 * offsets - np.square(rows, dtype=np.float64).sum(axis=1)
    sums = sums_of(rows, offsets, p, m)
    change = 0.0
    for first, stop in blocks:
        part = slice(first, stop)
        change += sweep_rows(rows[part], offsets[part], own[part], p[part], *sums, m)
    return p, change, sums


def scores_exceed_rounding(d, offsets, p, m):
    """Tell whether no score of a sweep is lost in the sums it is the difference of."""
    p = p.copy()
    for i in range(len(p)):
        scores = d[i] @ p**m
        if np.any(scores <= 1e-4 * ((offsets[i] + offsets) @ p**m)):
            return False
        p[i] = reference.best_memberships(scores, m)
    return True


@st.composite
def sweeps(draw):
    """Rows, offsets, distances and memberships to begin a sweep with."""
    metric = draw(st.sampled_from(["cosine", "euclidean"]))
    n_rows, n_clusters = draw(st.integers(2, 30)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    rows = rng.normal(size=(n_rows, draw(st.integers(1, 20)))).astype(np.float32)
    if metric == "cosine":
        rows[0] = 0.0
        rows = rng.permutation(rows) / np.float32(8.0)
        offsets = np.full(n_rows, 0.5)
    else:
        offsets = 0.5 * np.square(rows, dtype=np.float64).sum(axis=1)
    p = membership_matrix(n_rows, n_clusters, rng)
    return rows, offsets, reference.distances(rows, metric), p


exponents = st.sampled_from([1.01, 1.03, 1.2, 2.0])


@given(sweep=sweeps(), m=exponents, cut=st.integers(0, 30))
def test_a_sweep_is_that_over_all_pairs(sweep, m, cut):
    rows, offsets, d, p = sweep
    assume(scores_exceed_rounding(d, offsets, p, m))
    blocks = ((0, min(cut, len(rows))), (min(cut, len(rows)), None))

    found, change, sums = swept(rows, offsets, p, m, blocks)

    expected = reference.sweep(d, p, m)
    assert_allclose(found, expected, atol=1e-9)
    assert_allclose(change, np.abs(expected - p).sum(), atol=1e-8)
    for kept, anew in zip(sums, sums_of(rows, offsets, found, m), strict=True):
        assert_allclose(kept, anew, atol=1e-10)


@given(sweep=sweeps(), m=exponents)
def test_no_sweep_raises_the_objective(sweep, m):
    """Nor where clusters are empty but for a row, and scores nothing but rounding."""
    rows, offsets, d, p = sweep
    scale = np.sum(offsets) ** 2

    for _ in range(4):
        before = reference.objective(d, p, m)
        p, _, _ = swept(rows, offsets, p, m)
        assert reference.objective(d, p, m) <= before + 1e-12 * scale


@given(rows=sample_matrices(), n_clusters=st.integers(1, 5), m=st.sampled_from([1.001, 1.03, 2.0]))
def test_duplicates_zeros_and_empty_clusters_give_memberships(rows, n_clusters, m):
    offsets = 0.5 * np.square(rows, dtype=np.float64).sum(axis=1)
    p = np.eye(n_clusters)[np.arange(len(rows)) % max(1, n_clusters - 1)]

    for _ in range(4):
        p, _, _ = swept(rows, offsets, p, m)

    assert np.isfinite(p).all()
    assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    assert p.min() >= 0.0
