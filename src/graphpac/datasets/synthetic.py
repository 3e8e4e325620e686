"""Synthetic data of any size with known clusters."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpac._constraints import check_value, no_less_than
from graphpac._typing import IntVector, RandomState

# Each block of rows has its own random stream, so the rows do not depend on how many
# blocks are made at once, and a memory-mapped result is filled without holding it.
BLOCK_ROWS = 8192


def make_mixture(
    n_samples: int,
    n_features: int,
    n_clusters: int,
    *,
    intrinsic_dim: int = 24,
    spread: float = 0.7,
    imbalance: float = 1.0,
    random_state: RandomState = None,
    out: NDArray[Any] | None = None,
) -> tuple[NDArray[Any], IntVector]:
    """Make overlapping clusters on a curved surface, like the features of a deep network.

    Each cluster is a stretched Gaussian in a space of `intrinsic_dim` dimensions that all
    clusters share. A random projection and a tanh bend that space into `n_features`
    dimensions, so that linear projections do not undo it exactly.

    Parameters
    ----------
    n_samples, n_features, n_clusters : int
        Size of the data; there are at least as many samples as clusters.
    intrinsic_dim : int, default=24
        Number of directions in which a cluster extends.
    spread : float, default=0.7
        Middle standard deviation of a cluster; centers have 1 per direction. It decides the
        overlap: of 50,000 samples in 200 clusters of 24 dimensions, 0.5 leaves 99 of 100
        nearest neighbors in the same cluster, 0.7 leaves 90 and 1.0 leaves 59; 0.7 also leaves
        90 of 1,281,167 samples in 1,000 clusters.
    imbalance : float, default=1.0
        Size of the largest cluster over that of the smallest; sizes fall geometrically.
    random_state : int, Generator, RandomState or None, default=None
        An int gives the same data every time.
    out : ndarray of shape (n_samples, n_features), optional
        Array to fill, e.g. a writable memory map of float32 or float16.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        `out`, or a new float32 array with values in (-1, 1).
    y : ndarray of shape (n_samples,)
        Cluster of each row, int32, in random order. No cluster is empty.
    """
    _check_request(n_samples, n_features, n_clusters, intrinsic_dim, spread, imbalance)
    X = np.empty((n_samples, n_features), dtype=np.float32) if out is None else out
    if X.shape != (n_samples, n_features) or X.dtype.kind != "f":
        msg = (
            f"out has shape {X.shape} and type {X.dtype} but must be a floating array of shape "
            f"{(n_samples, n_features)}."
        )
        raise ValueError(msg)

    entropy = _entropy(random_state)
    rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(0,)))
    y = rng.permutation(
        np.repeat(np.arange(n_clusters, dtype=np.int32), _sizes(n_samples, n_clusters, imbalance))
    )
    centers = rng.standard_normal((n_clusters, intrinsic_dim), dtype=np.float32)
    shapes = _cluster_shapes(rng, n_clusters, intrinsic_dim, spread)
    projection = rng.standard_normal((intrinsic_dim, n_features), dtype=np.float32)
    projection /= np.float32(np.sqrt(intrinsic_dim))

    for block, start in enumerate(range(0, n_samples, BLOCK_ROWS)):
        rows = slice(start, min(start + BLOCK_ROWS, n_samples))
        stream = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(1, block)))
        cluster = y[rows]
        noise = stream.standard_normal((len(cluster), 1, intrinsic_dim), dtype=np.float32)
        latent = centers[cluster] + np.matmul(noise, shapes[cluster])[:, 0]
        X[rows] = np.tanh(latent @ projection)
    return X, y


def _check_request(
    n_samples: int,
    n_features: int,
    n_clusters: int,
    intrinsic_dim: int,
    spread: float,
    imbalance: float,
) -> None:
    counts = {
        "n_samples": n_samples,
        "n_features": n_features,
        "n_clusters": n_clusters,
        "intrinsic_dim": intrinsic_dim,
    }
    for name, count in counts.items():
        check_value(name, count, no_less_than(1))
    if n_clusters > n_samples:
        msg = (
            f"n_clusters={n_clusters} must be at most n_samples={n_samples}: "
            "ask for fewer clusters or more samples."
        )
        raise ValueError(msg)
    if spread < 0:
        msg = f"spread={spread} must not be negative."
        raise ValueError(msg)
    if imbalance < 1:
        msg = f"imbalance={imbalance} must be at least 1, which means clusters of equal size."
        raise ValueError(msg)


def _entropy(random_state: RandomState) -> int:
    """Return one number from which all streams are derived."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return int(np.random.default_rng(random_state).integers(2**63))


def _sizes(n_samples: int, n_clusters: int, imbalance: float) -> NDArray[np.int64]:
    """Share the samples out: one for each cluster, the rest by weight."""
    weights = np.geomspace(imbalance, 1.0, n_clusters)
    rest = n_samples - n_clusters
    bounds = np.rint(np.cumsum(weights) / weights.sum() * rest).astype(np.int64)
    sizes: NDArray[np.int64] = 1 + np.diff(bounds, prepend=0)
    return sizes


def _cluster_shapes(
    rng: np.random.Generator, n_clusters: int, intrinsic_dim: int, spread: float
) -> NDArray[np.float32]:
    """Return one matrix per cluster: axes between half and twice the spread, turned at random."""
    gaussian = rng.standard_normal((n_clusters, intrinsic_dim, intrinsic_dim), dtype=np.float32)
    rotations = np.linalg.qr(gaussian).Q
    axes = spread * 2.0 ** rng.uniform(-1.0, 1.0, (n_clusters, intrinsic_dim, 1))
    shapes: NDArray[np.float32] = (axes * rotations).astype(np.float32)
    return shapes
