"""The clusters are as good as promised: means over seeds, default parameters but c."""

import numpy as np
import pytest

from benchmarks.quality import BARS
from graphpac import GPAC
from graphpac.metrics import score_labels

# Of ten, two may end in a poor optimum where one in thirteen does on average; which ones differs by
# processor.
N_SEEDS = 20
# Of many clusters some are always mistaken, and no seed is far from the others: over ten seeds NMI,
# ACC and ARI were 0.870 ± 0.003, 0.726 ± 0.010 and 0.668 ± 0.010 on COIL-100, and 0.818 ± 0.003,
# 0.705 ± 0.010 and 0.599 ± 0.008 on banking77. The mean of two is three of its deviations above.
FEW_SEEDS = 2
SPARSE_BARS = {"coil100": BARS["coil100"], "banking77_minilm": (0.810, 0.680, 0.580)}


# NMI and ACC of the default method. Over ten seeds its means are at least .005 above.
NOW_SEEDS = 3
NOW_BARS = {
    "digits": (0.895, 0.92),
    "pendigits": (0.845, 0.87),
    "usps": (0.88, 0.94),
    "coil100": (0.89, 0.755),
    "mnist": (0.915, 0.96),
}


def mean_scores(data, n_seeds, make=GPAC.as_published):
    scores = []
    for seed in range(n_seeds):
        labels = make(n_clusters=data.n_classes, random_state=seed).fit_predict(data.X)
        found = score_labels(data.y, labels)
        scores.append((found.nmi, found.acc, found.ari))
    return np.mean(scores, axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", NOW_BARS)
def test_candidates_after_the_ramp_reach_their_bars(name, dataset):
    n_seeds = 1 if name == "mnist" else NOW_SEEDS
    assert np.all(mean_scores(dataset(name), n_seeds, GPAC)[:2] >= NOW_BARS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["digits", "pendigits", "usps"])
def test_means_over_twenty_seeds_reach_their_bars(name, dataset):
    assert np.all(mean_scores(dataset(name), N_SEEDS) >= BARS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", SPARSE_BARS)
def test_beyond_64_clusters_means_over_few_seeds_reach_their_bars(name, dataset):
    """Rows of memberships are kept sparse there, and swept by a kernel of their own."""
    assert np.all(mean_scores(dataset(name), FEW_SEEDS) >= SPARSE_BARS[name])
