"""The projection approximate search looks through."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from graphpac.graph.searchers.projection import fit_projection, sample_numbers


def pairwise(rows):
    return np.linalg.norm(rows[:, np.newaxis] - rows, axis=2)


@pytest.mark.parametrize("n_rows", [400, 60])
def test_distances_survive_where_the_variance_is_kept(n_rows, seed):
    """Long rows of few dimensions, with more and with fewer rows than features."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n_rows, 10))
    rows = (5.0 + hidden @ rng.normal(size=(10, 100))).astype(np.float32)

    projected = fit_projection(rows, "auto").apply(rows)

    assert projected.shape == (n_rows, 32)
    ratio = pairwise(projected)[0, 1:] / pairwise(rows)[0, 1:]
    assert_allclose(ratio, ratio[0], rtol=1e-3)


@pytest.mark.parametrize(("n_features", "n_components"), [(2, "auto"), (32, "auto"), (5, 8)])
def test_short_rows_keep_all_their_features(n_features, n_components, seed):
    rows = np.random.default_rng(seed).normal(size=(50, n_features)).astype(np.float32)

    projected = fit_projection(rows, n_components).apply(rows)

    assert projected.shape[1] == n_features


def test_even_variance_takes_the_most_components(seed):
    rows = np.random.default_rng(seed).normal(size=(900, 300)).astype(np.float32)

    assert fit_projection(rows, "auto").apply(rows).shape[1] == 128
    assert fit_projection(rows, 48).apply(rows).shape[1] == 48


def test_equal_rows_and_outliers_stay_finite(seed):
    same = np.ones((50, 40), dtype=np.float32)
    assert np.all(np.isfinite(fit_projection(same, "auto").apply(same)))

    rows = np.random.default_rng(seed).normal(size=(50, 40)).astype(np.float32)
    far = fit_projection(rows, "auto").apply(rows * np.float32(1e9))
    assert np.all(np.isfinite(far.astype(np.float16)))


def test_a_sample_is_sorted_and_has_no_repeats(seed):
    numbers = sample_numbers(100, 30, np.random.default_rng(seed))

    assert np.all(np.diff(numbers) > 0)
    assert sample_numbers(5, 30, np.random.default_rng(seed)).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n_features", [3, 100])
def test_rows_that_hardly_differ_are_projected_to_finite_numbers(n_features, seed):
    rows = np.random.default_rng(seed).normal(size=(50, n_features)) * 1e-41

    projected = fit_projection(rows.astype(np.float32), "auto").apply(rows.astype(np.float32))

    assert np.isfinite(projected).all()
