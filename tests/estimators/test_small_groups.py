"""How many neighbors a row has where clusters hold few rows."""

import numpy as np
import pytest

from graphpac import GPAC, estimate, suggest_n_clusters
from graphpac.estimators import estimate_fit
from graphpac.exceptions import CheckpointError
from graphpac.metrics import score_labels


def clear_groups(n_groups, size, seed):
    """Groups ten times as far apart as they are wide, in random order."""
    rng = np.random.default_rng(seed)
    corners = 10.0 * np.eye(n_groups, 6)
    y = rng.permutation(np.repeat(np.arange(n_groups), size))
    return corners[y] + rng.normal(size=(y.size, 6)), y


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("size", [2, 3, 5, 8])
def test_clear_groups_of_a_few_rows_are_found(size, metric, seed):
    X, y = clear_groups(3, size, seed)
    model = GPAC(n_clusters=3, metric=metric, random_state=seed).fit(X)
    assert score_labels(y, model.labels_).nmi == 1.0


def test_ten_rows_a_face_are_enough(dataset):
    faces = dataset("olivetti")
    model = GPAC(n_clusters=40, random_state=0).fit(faces.X)
    assert model.cluster_sizes_.min() > 0
    assert score_labels(faces.y, model.labels_).nmi > 0.7  # .52 with ten neighbors


@pytest.mark.parametrize(
    ("n_samples", "n_clusters", "expected"),
    [(1797, 10, 10), (360, 10, 10), (359, 10, 9), (50, 10, 2), (15, 3, 2), (9, 3, 1), (5, 1, 2)],
)
def test_neighbors_follow_clusters_of_few_rows(digits, n_samples, n_clusters, expected):
    model = GPAC(n_clusters=n_clusters, max_iter=2, random_state=0)
    assert estimate_fit(model, digits.X[:n_samples]).workload.n_neighbors == expected
    assert estimate(n_samples, 64, n_clusters).workload.n_neighbors == expected


def test_chosen_neighbors_are_told_and_those_asked_for_are_kept(digits):
    X = digits.X[:100]
    chosen = GPAC(n_clusters=5, max_iter=3, random_state=0).fit(X)
    asked = GPAC(n_clusters=5, n_neighbors=6, max_iter=3, random_state=0).fit(X)
    assert chosen.n_neighbors_ == asked.n_neighbors_ == 6
    assert (chosen.graph_.degrees == 6).all()
    assert (chosen.memberships_ != asked.memberships_).nnz == 0
    more = GPAC(n_clusters=5, n_neighbors=300, max_iter=3, random_state=0).fit(X)
    assert more.n_neighbors_ == 99


def test_a_fit_of_a_graph_forgets_the_neighbors_of_rows(digits):
    model = GPAC(n_clusters=5, max_iter=3, random_state=0).fit(digits.X[:100])
    assert not hasattr(model.fit_graph(model.graph_), "n_neighbors_")


def test_neighbors_asked_for_are_another_run_than_chosen_ones(digits, tmp_path):
    """Which number is chosen depends on how many rows differ, so it may be another one."""
    X = digits.X[:100]
    GPAC(n_clusters=5, n_neighbors=6, max_iter=3, random_state=0).fit(X, checkpoint=tmp_path)
    with pytest.raises(CheckpointError, match="n_neighbors was 6, is 'auto'"):
        GPAC(n_clusters=5, max_iter=3, random_state=0).fit(X, checkpoint=tmp_path)


def test_numbers_of_small_clusters_are_compared_on_one_graph(seed):
    X, _ = clear_groups(6, 6, seed)
    found = suggest_n_clusters(X, range(3, 10), metric="euclidean", random_state=seed)
    assert found.n_clusters == 6
