"""Rows that are there more than once: the clusters of the rows, equal memberships, no waiting."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from graphpac import GPAC, NeighborGraph, build_neighbor_graph
from graphpac.exceptions import CheckpointError
from graphpac.metrics import score_labels

FEW_GROUPS = pytest.mark.filterwarnings("ignore:only .* clusters have samples")


def fit(X, n_clusters=10, **parameters):
    return GPAC(n_clusters, random_state=0, **parameters).fit(X)


@pytest.fixture(scope="module")
def some(digits):
    return digits.X[:200]


@FEW_GROUPS
def test_copies_have_equal_memberships_however_many_there_are(some):
    rng = np.random.default_rng(0)
    rows = np.concatenate((np.arange(200), rng.integers(0, 60, 3000)))

    model = fit(some[rows], max_iter=15)

    memberships = model.memberships_.toarray()
    assert_array_equal(memberships, memberships[rows])
    assert_array_equal(model.predict_memberships(some).toarray(), memberships[:200])


@pytest.mark.parametrize("n_clusters", [10, 70], ids=["dense rows", "sparse rows"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["array", "csr"])
@FEW_GROUPS
def test_every_row_as_often_changes_no_bit(some, form, n_clusters):
    once = fit(form(some), n_clusters, max_iter=15)

    often = fit(form(np.tile(some, (20, 1))), n_clusters, max_iter=15)

    assert_array_equal(often.memberships_.toarray(), np.tile(once.memberships_.toarray(), (20, 1)))
    assert_array_equal(often.hard_labels_, np.tile(once.hard_labels_, 20))
    assert_array_equal(often.cluster_sizes_, 20 * once.cluster_sizes_)
    after_ramps = [np.array(model.history_[-1].cluster_sizes) for model in (once, often)]
    assert_array_equal(after_ramps[1], 20 * after_ramps[0])
    assert often.n_neighbors_ == once.n_neighbors_
    assert often.graph_.n_components == once.graph_.n_components


@FEW_GROUPS
def test_rows_of_the_same_direction_are_copies_under_cosine(some):
    lengths = np.random.default_rng(0).choice([0.25, 0.5, 1.0, 2.0], (200, 1))

    model = fit(np.concatenate((some, lengths * some)), max_iter=10)

    assert_array_equal(model.labels_[200:], model.labels_[:200])


def test_one_row_thousands_of_times_leaves_the_others_their_clusters(digits):
    once = fit(digits.X)
    X = np.concatenate((digits.X, np.tile(digits.X[:1], (3000, 1))))

    model = fit(X)

    with_copies = score_labels(digits.y, model.labels_[:1797]).nmi
    assert with_copies > score_labels(digits.y, once.labels_).nmi - 0.03
    assert np.unique(model.labels_[1797:]).size == 1


def test_rows_of_zeros_share_one_cluster(digits):
    X = digits.X.copy()
    X[::3] = 0.0

    model = fit(X)

    assert np.unique(model.labels_[::3]).size == 1
    rest = np.arange(1797) % 3 != 0
    assert score_labels(digits.y[rest], model.labels_[rest]).nmi > 0.75


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "inner_product"])
def test_as_many_kinds_of_rows_as_clusters_have_one_each(metric):
    kinds = np.array([[3.0, 0.0], [0.0, 2.0], [-1.0, 0.5]])
    X = np.tile(kinds, (400, 1))

    model = fit(X, 3, metric=metric)

    assert_array_equal(model.labels_, np.tile([0, 1, 2], 400))
    assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.filterwarnings("ignore::graphpac.exceptions.DataWarning")
def test_equal_rows_alone_leave_all_clusters_but_one_empty():
    with pytest.warns(ConvergenceWarning, match="only 1 of n_clusters=4 clusters have samples"):
        model = fit(np.ones((50, 3)), 4)
    assert_array_equal(model.labels_, 0)
    assert_array_equal(model.predict(np.ones((2, 3))), 0)


@FEW_GROUPS
def test_given_starts_and_graphs_know_copies(some):
    X = np.repeat(some, 3, axis=0)
    graph = build_neighbor_graph(X, 6)
    start = np.repeat(np.arange(200) % 10, 3)

    for model in (
        GPAC(10, init=start, n_neighbors=6, max_iter=6, random_state=0).fit(X),
        GPAC(10, init=start, max_iter=6, random_state=0).fit_graph(graph),
        GPAC(10, max_iter=6, random_state=0).fit_graph(graph),
    ):
        assert_array_equal(model.labels_, np.repeat(model.labels_[::3], 3))


@FEW_GROUPS
def test_a_fit_of_repeated_rows_goes_on_where_it_was_left(some, tmp_path):
    X = np.repeat(some, 3, axis=0)
    whole = fit(X, max_iter=12)

    def stop(record):
        if record.iteration == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        GPAC(10, max_iter=12, random_state=0).fit(X, checkpoint=tmp_path, callback=stop)
    resumed = GPAC(10, max_iter=12, random_state=0).fit(X, checkpoint=tmp_path)

    assert_array_equal(resumed.memberships_.toarray(), whole.memberships_.toarray())
    assert_array_equal(resumed.graph_.copy_of, whole.graph_.copy_of)
    assert resumed.n_neighbors_ == whole.n_neighbors_
    with pytest.raises(CheckpointError):
        GPAC(10, max_iter=12, random_state=0).fit(X[::-1].copy(), checkpoint=tmp_path)


@FEW_GROUPS
def test_a_checkpoint_of_a_graph_knows_which_rows_are_equal(some, tmp_path):
    graph = build_neighbor_graph(np.repeat(some, 3, axis=0), 6)
    without = NeighborGraph(graph.indptr, graph.indices, graph.values, graph.kind)

    GPAC(10, max_iter=3, random_state=0).fit_graph(graph, checkpoint=tmp_path)

    with pytest.raises(CheckpointError, match="another run"):
        GPAC(10, max_iter=3, random_state=0).fit_graph(without, checkpoint=tmp_path)


@FEW_GROUPS
def test_callbacks_see_labels_of_all_rows(some):
    seen = []

    def watch(record):
        seen.append(record.labels())

    X = np.repeat(some, 2, axis=0)
    model = GPAC.as_published(10, max_iter=5, random_state=0).fit(X, callback=watch)

    assert {labels.size for labels in seen} == {400}
    assert_array_equal(seen[-1], model.labels_)


ODD_ROWS = {
    "hardly different directions": lambda X: X + 1e6,
    "one outlier": lambda X: np.concatenate((X, np.full((1, X.shape[1]), 1e37, X.dtype))),
    "far from the origin": lambda X: X + 4096.0,
    "zeros and ones": lambda X: (X > 8).astype(np.float64),
    "one column": lambda X: X[:, 20:21],
    "equal rows": lambda X: np.repeat(X[:60], 5, axis=0),
    "tiny": lambda X: X * 1e-30,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", ["cosine", "euclidean", "inner_product"])
@pytest.mark.parametrize("odd", ODD_ROWS)
def test_training_rows_keep_their_memberships_whatever_they_are(digits, odd, metric, tmp_path):
    import graphpac

    X = ODD_ROWS[odd](digits.X[:300].astype(np.float64))
    model = fit(X, 5, metric=metric, max_iter=5)

    assert_array_equal(model.predict_memberships(X).toarray(), model.memberships_.toarray())
    graphpac.save(model, tmp_path / "model.graphpac")
    assert_array_equal(graphpac.load(tmp_path / "model.graphpac").predict(X), model.labels_)


@FEW_GROUPS
def test_a_star_and_many_hubs_can_be_fitted():
    """Work grows with the links: each of these would take minutes if it grew with their squares."""
    rng = np.random.default_rng(0)
    n = 20_000
    leaves = np.arange(1, n)
    star = (leaves, np.zeros(n - 1, dtype=np.int64))
    all_to_some = (np.repeat(np.arange(10, n), 10), np.tile(np.arange(10), n - 10))
    for sources, targets in (star, all_to_some):
        graph = NeighborGraph.from_edges(
            sources, targets, rng.random(sources.size), n_samples=n, kind="euclidean"
        )
        model = GPAC(4, max_iter=4, random_state=0).fit_graph(graph)
        assert model.cluster_sizes_.sum() == n
