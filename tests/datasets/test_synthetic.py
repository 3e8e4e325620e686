"""The synthetic mixture."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from graphpac.datasets import make_mixture, synthetic

SIZE = {"n_samples": 500, "n_features": 30, "n_clusters": 7, "intrinsic_dim": 5}


def test_shapes_types_and_range(seed):
    X, y = make_mixture(**SIZE, random_state=seed)
    assert X.shape == (500, 30)
    assert X.dtype == np.float32
    assert y.dtype == np.int32
    assert np.abs(X).max() <= 1.0
    assert np.isfinite(X).all()


def test_the_same_seed_gives_the_same_bits(seed):
    first, second = (make_mixture(**SIZE, random_state=seed) for _ in range(2))
    other, _ = make_mixture(**SIZE, random_state=seed + 1)
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
    assert not np.array_equal(first[0], other)


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState])
def test_generators_are_taken_and_advanced(generator):
    rng = generator(0)
    first, _ = make_mixture(**SIZE, random_state=rng)
    second, _ = make_mixture(**SIZE, random_state=rng)
    again, _ = make_mixture(**SIZE, random_state=generator(0))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, second)


def test_sizes_are_equal_by_default_and_no_cluster_is_empty():
    _, y = make_mixture(**SIZE, random_state=0)
    sizes = np.bincount(y, minlength=7)
    assert np.ptp(sizes) <= 1
    _, y = make_mixture(7, 3, 7, imbalance=1000.0, random_state=0)
    np.testing.assert_array_equal(np.sort(y), np.arange(7))


def test_imbalance_is_the_ratio_of_the_sizes():
    _, y = make_mixture(20_000, 2, 10, imbalance=8.0, random_state=0)
    sizes = np.bincount(y)
    assert sizes.sum() == 20_000
    assert sizes.max() / sizes.min() == pytest.approx(8.0, rel=0.05)


def test_a_given_array_is_filled(tmp_path):
    expected, _ = make_mixture(**SIZE, random_state=0)
    out = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float16, (500, 30))
    X, _ = make_mixture(**SIZE, random_state=0, out=out)
    assert X is out
    np.testing.assert_array_equal(np.load(tmp_path / "X.npy"), expected.astype(np.float16))


def test_more_than_one_block(monkeypatch):
    monkeypatch.setattr(synthetic, "BLOCK_ROWS", 64)
    X, _ = make_mixture(**SIZE, random_state=0)
    assert len(np.unique(X, axis=0)) == 500


def test_less_spread_means_purer_neighborhoods():
    purities = []
    for spread in (0.2, 0.7, 2.0):
        X, y = make_mixture(2000, 40, 10, spread=spread, random_state=0)
        neighbors = NearestNeighbors(n_neighbors=5).fit(X).kneighbors(return_distance=False)
        purities.append(np.mean(y[neighbors] == y[:, None]))
    assert purities == sorted(purities, reverse=True)
    assert purities[0] > 0.99
    assert purities[-1] < 0.7


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_samples": 0}, "n_samples=0 must be at least 1"),
        ({"n_features": 0}, "n_features=0 must be at least 1"),
        ({"n_clusters": 501}, "n_clusters=501 must be at most n_samples=500"),
        ({"spread": -1.0}, "spread=-1.0 must not be negative"),
        ({"imbalance": 0.5}, "imbalance=0.5 must be at least 1"),
        ({"out": np.empty((3, 3))}, r"out has shape \(3, 3\)"),
        ({"out": np.empty((500, 30), dtype=int)}, "must be a floating array"),
    ],
)
def test_bad_requests_get_a_sentence(changes, message):
    with pytest.raises(ValueError, match=message):
        make_mixture(**SIZE | changes, random_state=0)
