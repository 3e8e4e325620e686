"""Models in files: they place rows as the fitted ones do, and whatever else is refused."""

import errno
import json
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import graphpac
from graphpac import (
    FINCH,
    GPAC,
    PAC,
    BalancedFuzzyGraph,
    FuzzyCMeans,
    KSums,
    NeighborSpectralClustering,
    SelfCSC,
    SphericalKMeans,
)
from graphpac.exceptions import FileFormatError
from graphpac.graph.searchers import ExactSearcher, FaissSearcher

KEPT = Path(__file__).parents[1] / "data"
METRICS = ("cosine", "euclidean", "inner_product")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.graphpac"


@pytest.fixture
def rows(seed):
    """Ninety rows in three groups, of which every float16 is rounded."""
    rng = np.random.default_rng(seed)
    X = 4.0 * np.eye(3, 5)[np.arange(90) % 3] + rng.normal(size=(90, 5))
    X.flags.writeable = False
    return X


def small(**parameters):
    return GPAC(
        **{"n_clusters": 3, "n_neighbors": 5, "max_iter": 8, "random_state": 0} | parameters
    )


def stored(model, path, **options):
    """Save a model and load it again."""
    graphpac.save(model, path, **options)
    return graphpac.load(path)


def assert_same_bits(found, expected):
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert (found != expected).nnz == 0


def assert_refused(message, call, error=ValueError):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


# ---- what comes back


@pytest.mark.parametrize("searcher", ["auto", "faiss"])
@pytest.mark.parametrize("metric", METRICS)
def test_exact_rows_are_placed_to_the_same_bits(digits, path, metric, searcher, seed):
    model = GPAC(10, metric=metric, searcher=searcher, max_iter=8, random_state=0)
    model.fit(digits.X[:1000])
    loaded = stored(model, path)
    new = digits.X[1000:] + np.random.default_rng(seed).normal(size=(797, 64))
    for X in (digits.X[:1000], digits.X[1000:], new):
        assert_same_bits(loaded.predict_memberships(X), model.predict_memberships(X))
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    np.testing.assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))


@pytest.mark.filterwarnings("ignore:memberships are nearly even")  # of inner products
@pytest.mark.parametrize(
    "metric",
    [
        "cosine",
        "euclidean",
        pytest.param(
            "inner_product", marks=pytest.mark.filterwarnings("ignore:only . of n_clusters=10")
        ),
    ],
)
def test_rounded_rows_keep_almost_all_labels(digits, path, metric):
    X = digits.X / np.float32(16.3)
    model = GPAC(10, metric=metric, random_state=0).fit(X[:1400])
    loaded = stored(model, path)
    assert path.stat().st_size < 1400 * (2 * 64 + 10 * 5 + 10)
    assert np.mean(loaded.predict(X[:1400]) == model.predict(X[:1400])) >= 0.999
    assert np.mean(loaded.predict(X[1400:]) == model.predict(X[1400:])) >= 0.99
    if metric != "inner_product":  # where a row need not be its own nearest
        np.testing.assert_array_equal(loaded.predict(X[:1400]), model.labels_)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_training_rows_of_pendigits_keep_their_labels(dataset, path, metric):
    X = dataset("pendigits").X.astype(np.float64)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = GPAC(10, metric=metric, max_iter=10, random_state=0).fit(X)
    assert np.mean(stored(model, path).predict(X) == model.labels_) >= 0.999


@pytest.mark.parametrize("size", [1e-30, 1e-6, 1e6, 1e30])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_huge_and_tiny_rows(rows, path, metric, size):
    model = small(metric=metric).fit(rows * size)
    loaded = stored(model, path)
    np.testing.assert_array_equal(loaded.predict(rows * size), model.labels_)
    new = (rows[:20] + 0.01) * size
    np.testing.assert_allclose(loaded.predict_proba(new), model.predict_proba(new), atol=0.05)


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_rows_that_cannot_be_rounded(rows, path, metric, size):
    X = ((rows + 100.0) * size).astype(np.float32)
    model = small(metric=metric).fit(X)
    loaded = stored(model, path)
    for queries in (X, X * np.float32(1.001)):
        expected = model.predict_memberships(queries)
        assert_same_bits(loaded.predict_memberships(queries), expected)


@pytest.mark.parametrize("metric", METRICS)
def test_sparse_rows(rows, path, metric):
    few = np.where(np.abs(rows) > 1.0, rows, 0.0)
    X = sp.csr_array(np.pad(few, ((0, 0), (0, 20))))  # an eighth stored would count as dense
    model = small(metric=metric).fit(X)
    assert sp.issparse(model._predictor.training.X)
    loaded = stored(model, path)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict(X.toarray()), model.predict(X))
    new = sp.csr_matrix(X[:20] * 1.01)
    np.testing.assert_allclose(loaded.predict_proba(new), model.predict_proba(new), atol=0.02)


def test_distances_are_not_stored(rows, path):
    distances = np.linalg.norm(rows[:, None] - rows, axis=2)
    model = small(metric="precomputed").fit(distances)
    loaded = stored(model, path)
    assert path.stat().st_size < 4000
    assert_same_bits(loaded.predict_memberships(distances), model.predict_memberships(distances))
    assert loaded.__sklearn_tags__().input_tags.pairwise
    assert_refused(
        "compact=True leaves out rows, but under metric='precomputed' new rows come with their "
        "distances to all of them: save it without compact.",
        lambda: graphpac.save(model, path, compact=True),
    )


@pytest.mark.parametrize(
    "method",
    [
        BalancedFuzzyGraph(n_clusters=3, random_state=0),
        FINCH(n_clusters=3),
        FuzzyCMeans(n_clusters=3, local_weight=0.5, random_state=0),
        NeighborSpectralClustering(n_clusters=3, random_state=0),
        SelfCSC(n_clusters=3, random_state=0),
    ],
    ids=lambda method: type(method).__name__,
)
def test_methods_that_average_over_neighbors(rows, path, method):
    X = np.round(rows)
    model = method.fit(X)
    loaded = stored(model, path)
    assert loaded.method == type(method).__name__
    new = rows[:30] + 0.25
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    assert loaded.get_feature_names_out()[0] == f"{type(method).__name__.lower()}0"


def test_memory_maps(rows, path, tmp_path):
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    loaded = stored(small().fit(mapped), path)
    np.testing.assert_array_equal(loaded.predict(rows), small().fit(rows).labels_)


def test_a_loaded_model_is_a_fitted_clusterer(rows, path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=list("abcde"))
    model = small(alpha=2.0).fit(frame)
    loaded = stored(model, path)
    check_is_fitted(loaded)
    assert (loaded.method, loaded.metric, loaded.n_clusters) == ("GPAC", "cosine", 3)
    assert loaded.parameters == model.get_params()
    assert loaded.n_features_in_ == 5
    assert loaded.feature_names_in_.tolist() == list("abcde")
    assert loaded.agreement_ is None
    assert_same_bits(loaded.memberships_, model.memberships_)
    for name in ("labels_", "probabilities_", "cluster_sizes_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name), strict=True)
    assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    named = loaded.set_output(transform="pandas").transform(frame)
    assert list(named.columns) == ["gpac0", "gpac1", "gpac2"]
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"a": "z"}))
    assert "GPAC" in repr(loaded)
    assert "'alpha': 2.0" in repr(loaded)


def test_each_row_stands_alone(digits, path, seed):
    X = digits.X / np.float32(16.3)
    loaded = stored(small(metric="euclidean").fit(X[:900]), path)
    together = loaded.predict_proba(X[900:1100])
    some = np.random.default_rng(seed).choice(200, 20, replace=False)
    np.testing.assert_array_equal(loaded.predict_proba(X[900:1100][some]), together[some])
    np.testing.assert_array_equal(loaded.predict_proba(X[907:908]), together[7:8])


@pytest.mark.parametrize("compact", [False, True])
def test_a_loaded_model_has_no_tree_and_says_so(rows, path, compact):
    loaded = stored(small().fit(rows), path, compact=compact)
    message = (
        "a model file holds no graph, so a loaded model has no tree and cannot be cut: keep what "
        "cut returns of the fitted model, or pickle that model."
    )
    assert_refused(message, lambda: loaded.cut(2), TypeError)
    assert_refused(message, lambda: loaded.tree_, AttributeError)
    assert not hasattr(loaded, "tree_")
    check_is_fitted(loaded)


@pytest.mark.parametrize("is_grown", [False, True])
def test_a_pickled_model_can_be_cut(rows, is_grown):
    model = small().fit(rows)
    if is_grown:
        model.cut(2)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.cut(2).labels, model.cut(2).labels)
    np.testing.assert_array_equal(copy.tree_.linkage, model.tree_.linkage)


def test_loaded_models_can_be_pickled_and_saved_again(rows, path, tmp_path):
    model = small(metric="euclidean").fit(rows)
    loaded = stored(model, path)
    again = pickle.loads(pickle.dumps(loaded))
    np.testing.assert_array_equal(again.predict_proba(rows), loaded.predict_proba(rows))
    graphpac.save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_a_loaded_model_is_a_start(rows, path):
    model = small().fit(rows)
    loaded = stored(model, path)
    again = small(init=loaded, local_weight=0.9, max_iter=2).fit(rows)
    assert np.mean(again.labels_ == model.labels_) > 0.9
    assert small(init=loaded, max_iter=2).fit(rows[:60]).labels_.size == 60


def test_a_loaded_model_cannot_be_fitted(rows, path):
    loaded = stored(small().fit(rows), path)
    message = "a loaded model places rows but cannot be fitted: fit a new GPAC."
    for method in (loaded.fit, loaded.fit_predict, loaded.fit_transform):
        assert_refused(message, lambda method=method: method(rows), TypeError)


def test_parameters_are_plain_and_short(rows, path):
    generator = np.random.default_rng(0)
    model = small(init=[0, 1, 2] * 30, random_state=generator, tol=np.float32(0.5)).fit(rows)
    parameters = stored(model, path).parameters
    assert parameters["random_state"] == "Generator"
    assert parameters["tol"] == 0.5
    assert parameters["init"].endswith("...")
    assert len(parameters["init"]) < 250


def test_threads(rows, path):
    model = small().fit(rows)
    graphpac.save(model, path)
    one, three = (graphpac.load(path, n_jobs=n_jobs).predict_proba(rows) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one, three)


# ---- searchers


def test_options_of_a_searcher_are_kept(rows, path):
    loaded = stored(small(searcher=FaissSearcher(n_probe=7)).fit(rows), path)
    assert loaded._predictor.training.searcher == FaissSearcher(n_probe=7)


def test_a_searcher_of_somebody_else_gives_way_to_auto(rows, path, caplog):
    class Own:
        def index(self, rows, **options):
            return ExactSearcher().index(rows, **options)

        def __repr__(self):
            return "Own()"

    model = small(searcher=Own()).fit(rows)
    loaded = stored(model, path)
    assert caplog.messages[-1] == (
        "searcher=Own() is not one of graphpac's, so the saved model will search by 'auto'."
    )
    assert loaded._predictor.training.searcher == "auto"
    np.testing.assert_array_equal(loaded.predict(rows), model.labels_)


# ---- representatives


@pytest.mark.parametrize("metric", METRICS)
def test_representatives_give_the_same_labels(digits, path, metric):
    model = GPAC(10, metric=metric, max_iter=20, random_state=0).fit(digits.X)
    full = graphpac.save(model, path)
    facts = graphpac.save(model, path, compact=True)
    loaded = graphpac.load(path)
    assert facts.agreement == loaded.agreement_ >= 0.99
    measured = np.mean(loaded.predict(digits.X) == model.predict(digits.X))
    assert measured == pytest.approx(facts.agreement, abs=1e-12)
    assert facts.n_rows == loaded.labels_.size < facts.n_training_rows == 1797
    # Under the inner product a quarter of the rows has another label than its nearest rows.
    share = 0.75 if metric == "inner_product" else 0.5
    assert facts.n_bytes == path.stat().st_size < share * full.n_bytes
    np.testing.assert_array_equal(loaded.cluster_sizes_, model.cluster_sizes_)
    assert set(loaded.labels_) == set(model.labels_)


def test_representatives_are_the_same_every_time(digits, path, tmp_path):
    model = GPAC(10, max_iter=8, random_state=0).fit(digits.X)
    graphpac.save(model, path, compact=True)
    other = GPAC(10, max_iter=8, random_state=0, n_jobs=1).fit(digits.X)
    loaded = stored(other, tmp_path / "full")
    graphpac.save(loaded, tmp_path / "later", compact=True)
    again = stored(graphpac.load(path), tmp_path / "again", compact=True)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    assert again.agreement_ == graphpac.load(path).agreement_
    later = graphpac.load(tmp_path / "later")
    assert_same_bits(later.memberships_, again.memberships_)


def test_representatives_of_a_loaded_model_with_rounded_rows(digits, path, tmp_path):
    X = digits.X / np.float32(16.3)
    model = GPAC(10, metric="euclidean", max_iter=8, random_state=0).fit(X)
    facts = graphpac.save(stored(model, path), tmp_path / "later", compact=True)
    compact = graphpac.load(tmp_path / "later")
    assert facts.agreement >= 0.99
    assert np.mean(compact.predict(X) == model.labels_) == pytest.approx(facts.agreement)


@pytest.mark.parametrize("n_rows", [2, 3, 7])
@pytest.mark.filterwarnings("ignore:only . of n_clusters")
def test_representatives_of_very_few_rows(rows, path, n_rows):
    model = small(n_clusters=2).fit(rows[:n_rows])
    loaded = stored(model, path, compact=True)
    np.testing.assert_array_equal(loaded.predict(rows[:n_rows]), model.labels_)


def test_equal_rows_of_different_labels_come_to_an_end(path):
    """No choice of rows can give each the label it has, as all get that of their average."""
    X = np.ones((60, 3))
    model = NeighborSpectralClustering(n_clusters=3, n_neighbors=5, random_state=0).fit(
        np.vstack((X, 2.0 * X[:20], [[3.0, 0.0, 1.0]]))
    )
    facts = graphpac.save(model, path, compact=True)
    assert facts.agreement is None or facts.agreement >= 0.99


def test_all_rows_are_kept_if_nothing_less_will_do(rows, path, monkeypatch):
    monkeypatch.setattr("graphpac.models.compact.LEAST_AGREEMENT", 1.1)
    facts = graphpac.save(small().fit(rows), path, compact=True)
    assert facts == graphpac.save(small().fit(rows), path)


def test_facts_in_words(rows, path):
    facts = graphpac.save(small().fit(rows), path)
    assert str(facts) == f"{facts.n_bytes / 1000:.0f} kB, all 90 rows"
    facts = graphpac.save(small().fit(rows), path, compact=True)
    assert re.fullmatch(
        r"\d+ kB, \d+ of 90 rows, which give \d+\.\d\d% of the training rows the same label",
        str(facts),
    )


# ---- what cannot be saved


@pytest.mark.parametrize(
    "method",
    [
        FuzzyCMeans(n_clusters=3, random_state=0),
        SphericalKMeans(n_clusters=3, random_state=0),
        PAC(n_clusters=3, random_state=0),
        KSums(n_clusters=3, random_state=0),
        BalancedFuzzyGraph(n_clusters=3, n_anchors=9, random_state=0),
    ],
    ids=lambda method: type(method).__name__,
)
def test_methods_that_place_rows_otherwise(rows, path, method):
    name = type(method).__name__
    assert_refused(
        f"this {name} cannot be saved, only GPAC, FINCH, NeighborSpectralClustering, SelfCSC, "
        "BalancedFuzzyGraph without anchors and FuzzyCMeans with a local_weight can: pickle it.",
        lambda: graphpac.save(method.fit(rows), path),
    )
    assert not path.exists()


def test_models_without_rows(rows, path):
    model = small().fit_graph(small().fit(rows).graph_)
    assert_refused(
        "this GPAC was fitted on a graph, so it has no rows to compare new ones with: fit it on "
        "rows with fit(X) and save that.",
        lambda: graphpac.save(model, path),
    )


def test_what_is_no_model(path):
    with pytest.raises(NotFittedError, match="This GPAC instance is not fitted yet"):
        graphpac.save(GPAC(), path)
    message = "save needs a fitted estimator of graphpac, got {'labels_': 3}."
    assert_refused(message, lambda: graphpac.save({"labels_": 3}, path), TypeError)
    for call in (lambda: graphpac.save(GPAC(), 5), lambda: graphpac.load(5)):
        assert_refused("path=5 must be the path of a file.", call, TypeError)


# ---- files


def test_a_full_disk_leaves_the_old_file(rows, path, monkeypatch):
    graphpac.save(small().fit(rows), path)
    before = path.read_bytes()

    def fail(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    assert_refused(
        f"the model could not be written to {path} (No space left on device): a file that was "
        "there before is unchanged.",
        lambda: graphpac.save(small().fit(rows[:60]), path),
        OSError,
    )
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_folders_that_are_not_there(rows, tmp_path):
    path = tmp_path / "no" / "model"
    assert_refused(
        f"the model could not be written to {path} (No such file or directory): a file that was "
        "there before is unchanged.",
        lambda: graphpac.save(small().fit(rows), path),
        FileNotFoundError,
    )
    message = f"{path} cannot be read (No such file or directory)."
    assert_refused(message, lambda: graphpac.load(path), FileNotFoundError)
    message = f"{tmp_path} cannot be read (Is a directory)."
    assert_refused(message, lambda: graphpac.load(tmp_path), IsADirectoryError)


def test_foreign_and_damaged_files(rows, path):
    path.write_bytes(pickle.dumps({"a": 1}))
    message = f"{path} is not a file of graphpac: it does not begin as one."
    assert_refused(message, lambda: graphpac.load(str(path)), FileFormatError)
    graphpac.save(small().fit(rows), path)
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    message = f"{path} is damaged: the array 'rows' does not have the checksum it should have."
    assert_refused(message, lambda: graphpac.load(path), FileFormatError)


# ---- files of earlier releases


def kept_rows():
    """Make the rows of the files in tests/data, the same on every machine."""
    rng = np.random.default_rng(0)
    return 4.0 * np.eye(3, 5)[np.arange(60) % 3] + rng.normal(size=(60, 5))


def write_kept_files(folder):
    """Write the files of a release, as those in tests/data were written by 0.1.0.

    To be called once for every version of the format, by
    ``python -c "from tests.estimators.test_saved import *; write_kept_files(KEPT)"``.
    """
    X = kept_rows()
    dense = small(metric="euclidean").fit(X)
    dense.feature_names_in_ = np.array(list("abcde"), dtype=object)
    graphpac.save(dense, folder / "model-1.graphpac")
    sparse = small().fit(sp.csr_matrix(np.where(X > 1.0, X, 0.0)))
    graphpac.save(sparse, folder / "model-1-compact.graphpac", compact=True)
    expected = {
        "dense": dense.labels_.tolist(),
        "sparse": sparse.labels_.tolist(),
        "memberships": dense.memberships_[:9].toarray().tolist(),
    }
    (folder / "model-1.json").write_text(json.dumps(expected), encoding="utf-8")


def test_files_of_the_first_release():
    expected = json.loads((KEPT / "model-1.json").read_text(encoding="utf-8"))
    X = kept_rows()
    dense = graphpac.load(KEPT / "model-1.graphpac")
    assert (dense.method, dense.metric, dense.n_clusters) == ("GPAC", "euclidean", 3)
    assert dense.feature_names_in_.tolist() == list("abcde")
    frame = pytest.importorskip("pandas").DataFrame(X, columns=list("abcde"))
    np.testing.assert_array_equal(dense.predict(frame), expected["dense"])
    np.testing.assert_allclose(dense.predict_proba(frame)[:9], expected["memberships"], atol=1e-5)
    sparse = graphpac.load(KEPT / "model-1-compact.graphpac")
    found = sparse.predict(sp.csr_matrix(np.where(X > 1.0, X, 0.0)))
    assert np.mean(found == expected["sparse"]) == sparse.agreement_
