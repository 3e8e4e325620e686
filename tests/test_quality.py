"""The clusters are as good as promised: means over twenty seeds, default parameters but c."""

import numpy as np
import pytest

from benchmarks.quality import BARS
from graphpac import GPAC
from graphpac.metrics import score_labels

# Of ten, two may end in a poor optimum where one in thirteen does on average; which ones differs by
# processor.
N_SEEDS = 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["digits", "pendigits", "usps"])
def test_means_over_twenty_seeds_reach_their_bars(name, dataset):
    data = dataset(name)
    scores = []
    for seed in range(N_SEEDS):
        labels = GPAC(n_clusters=data.n_classes, random_state=seed).fit_predict(data.X)
        found = score_labels(data.y, labels)
        scores.append((found.nmi, found.acc, found.ari))

    assert np.all(np.mean(scores, axis=0) >= BARS[name])
