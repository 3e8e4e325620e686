"""Thousands of clusters: nowhere a dense array of samples times clusters."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac import GPAC
from graphpac.datasets import make_mixture
from graphpac.metrics import score_labels


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:only .* clusters have samples")  # groups of five rows
def test_thousands_of_clusters_never_need_a_dense_matrix():
    n_samples, n_clusters = 20_000, 4_000
    X, y = make_mixture(n_samples, 16, n_clusters, spread=0.2, random_state=0)
    model = GPAC(n_clusters=n_clusters, n_neighbors=10, max_iter=6, random_state=0)

    tracemalloc.start()
    try:
        model.fit(X)
        found = model.predict_memberships(X[:500])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 4 * n_samples * n_clusters / 2  # half of one such array
    assert sp.issparse(model.memberships_)
    assert sp.issparse(found)
    assert found.shape == (500, n_clusters)
    assert np.count_nonzero(model.cluster_sizes_) > 0.8 * n_clusters
    assert score_labels(y, model.labels_).nmi > 0.8
