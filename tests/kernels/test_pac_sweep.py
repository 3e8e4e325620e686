"""The sweep of PAC against sums over all pairs."""

import numpy as np
from hypothesis import given
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


@given(
    n_rows=st.integers(2, 30),
    n_clusters=st.integers(1, 6),
    n_features=st.integers(1, 20),
    metric=st.sampled_from(["cosine", "euclidean"]),
    m=st.sampled_from([1.01, 1.03, 1.2, 2.0]),
    cut=st.integers(0, 30),
    seed=st.integers(0, 999),
)
def test_a_sweep_is_that_over_all_pairs(n_rows, n_clusters, n_features, metric, m, cut, seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_rows, n_features)).astype(np.float32)
    offsets = 0.5 * np.square(rows, dtype=np.float64).sum(axis=1)
    if metric == "cosine":
        rows = rng.permutation(np.vstack((rows[1:], np.zeros_like(rows[:1])))) / 8.0
        offsets = np.full(n_rows, 0.5)
    p = membership_matrix(n_rows, n_clusters, rng)
    blocks = ((0, min(cut, n_rows)), (min(cut, n_rows), None))

    found, change, sums = swept(rows, offsets, p, m, blocks)

    expected = reference.sweep(reference.distances(rows, metric), p, m)
    assert_allclose(found, expected, atol=1e-9)
    assert_allclose(change, np.abs(expected - p).sum(), atol=1e-8)
    for kept, anew in zip(sums, sums_of(rows, offsets, found, m), strict=True):
        assert_allclose(kept, anew, atol=1e-10)


@given(rows=sample_matrices(), n_clusters=st.integers(1, 5), m=st.sampled_from([1.001, 1.03, 2.0]))
def test_duplicates_zeros_and_empty_clusters_give_memberships(rows, n_clusters, m):
    offsets = 0.5 * np.square(rows, dtype=np.float64).sum(axis=1)
    p = np.eye(n_clusters)[np.arange(len(rows)) % max(1, n_clusters - 1)]

    for _ in range(4):
        p, _, _ = swept(rows, offsets, p, m)

    assert np.isfinite(p).all()
    assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    assert p.min() >= 0.0
