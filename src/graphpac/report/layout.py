"""Places in the plane for the samples of a neighbor graph, for drawing only."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from graphpac._typing import AnyArray
from graphpac.graph import NeighborGraph

N_ROUNDS = 200
N_STRANGERS = 10  # samples each sample is pushed away from in a round
PULL = 0.1
PUSH = 8.0
GRAVITY = 0.01  # keeps parts of the graph that no edge connects on the same page
LONGEST_STEP = 2.0


def lay_out_graph(graph: NeighborGraph, seed: int = 0) -> AnyArray:
    """Place neighbors side by side and strangers apart.

    Samples start on the slowest two waves of the graph (its spectral layout); then edges pull
    with the force d / (1 + d^2), and random pairs push with d / (1 + d^2)^2, as in t-SNE and its
    relatives. Meant for some thousands of samples: a picture of more shows nothing more.

    Parameters
    ----------
    graph : NeighborGraph
        The graph; its edges count alike, in both directions.
    seed : int
        Seed of the random pairs.

    Returns
    -------
    places : float64 array of shape (n_samples, 2)
        Coordinates without unit, centered at zero.
    """
    rng = np.random.default_rng(seed)
    n_samples = graph.n_samples
    sources = np.repeat(np.arange(n_samples), graph.degrees)
    ends = np.concatenate((sources, graph.indices)), np.concatenate((graph.indices, sources))
    places = _spectral_layout(*ends, n_samples) + rng.normal(scale=0.01, size=(n_samples, 2))
    everyone = np.repeat(np.arange(n_samples), N_STRANGERS)
    for step in np.linspace(1.0, 0.0, N_ROUNDS, endpoint=False):
        gap, square = _gaps(places, *ends)
        pull = _sum_by_sample(ends[0], -gap / (1.0 + square), n_samples)
        gap, square = _gaps(places, everyone, rng.integers(n_samples, size=everyone.size))
        push = _sum_by_sample(everyone, PUSH * gap / (0.1 + square) / (1.0 + square), n_samples)
        force = PULL * pull + push - GRAVITY * places
        places += step * np.clip(force, -LONGEST_STEP, LONGEST_STEP)
    centered: AnyArray = places - places.mean(axis=0)
    return centered


def _spectral_layout(sources: AnyArray, targets: AnyArray, n_samples: int) -> AnyArray:
    shape = (n_samples, n_samples)
    edges = sp.csr_matrix((np.ones(sources.size), (sources, targets)), shape=shape)
    roots = np.sqrt(np.maximum(np.asarray(edges.sum(axis=1)).ravel(), 1.0))
    walk = sp.diags(1.0 / roots) @ edges @ sp.diags(1.0 / roots)
    _, waves = eigsh(walk, k=3, v0=np.ones(n_samples))
    places: AnyArray = waves[:, :2] / roots[:, np.newaxis]
    # Ranks, because a few samples at the end of a wave would leave the others in one point.
    ranks: AnyArray = places.argsort(axis=0).argsort(axis=0) / n_samples
    return 20.0 * (ranks - 0.5)


def _gaps(places: AnyArray, sources: AnyArray, targets: AnyArray) -> tuple[AnyArray, AnyArray]:
    gap = places[sources] - places[targets]
    return gap, np.square(gap).sum(axis=1, keepdims=True)


def _sum_by_sample(samples: AnyArray, forces: AnyArray, n_samples: int) -> AnyArray:
    sums = [np.bincount(samples, weights=forces[:, axis], minlength=n_samples) for axis in (0, 1)]
    return np.stack(sums, axis=1)
