"""The face of GPAC: parameters, fitted attributes, randomness, and its place in scikit-learn."""

import inspect
import logging
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphpac import GPAC, NeighborGraph, SolverOptions, build_neighbor_graph
from graphpac.fitting import run, stages
from graphpac.graph.searchers import FaissSearcher
from graphpac.metrics import score_labels

SHORT = {"n_clusters": 10, "max_iter": 6, "random_state": 0}

# Defaults of the architecture; a change to them changes everybody's results.
DEFAULTS = {
    "n_clusters": 8,
    "n_neighbors": "auto",
    "metric": "cosine",
    "searcher": "auto",
    "fuzziness": 1.05,
    "alpha": 1.0,
    "local_weight": "ramp",
    "batch_size": "auto",
    "sizes": "even",
    "variant": "best",
    "init": "smoothed",
    "n_init": 1,
    "max_iter": "auto",
    "tol": 1e-3,
    "solver": None,
    "n_jobs": None,
    "random_state": None,
    "verbose": 0,
}


@pytest.fixture(scope="module")
def fitted(digits):
    return GPAC(n_clusters=10, random_state=0).fit(digits.X)


def same_memberships(one, other):
    return (one.memberships_ != other.memberships_).nnz == 0


def test_the_constructor_only_stores():
    assert GPAC().get_params() == DEFAULTS
    values = {name: object() for name in DEFAULTS}
    model = GPAC(**values)
    assert vars(model) == values
    assert all(vars(model)[name] is value for name, value in values.items())
    kinds = [parameter.kind.name for parameter in inspect.signature(GPAC).parameters.values()]
    assert kinds == ["POSITIONAL_OR_KEYWORD"] + ["KEYWORD_ONLY"] * 17


def test_fitted_attributes(fitted, digits):
    n_samples = len(digits.X)
    assert fitted.labels_.dtype == np.int32
    assert fitted.hard_labels_.dtype == np.int32
    assert isinstance(fitted.memberships_, sp.csr_matrix)
    assert fitted.memberships_.dtype == np.float32
    assert fitted.memberships_.shape == (n_samples, 10)
    assert fitted.probabilities_.dtype == np.float32
    np.testing.assert_allclose(fitted.memberships_.sum(axis=1), 1.0, atol=1e-6)
    dense = fitted.memberships_.toarray()
    np.testing.assert_array_equal(fitted.labels_, dense.argmax(axis=1))
    np.testing.assert_array_equal(fitted.probabilities_, dense.max(axis=1))
    np.testing.assert_array_equal(fitted.cluster_sizes_, np.bincount(fitted.labels_, minlength=10))
    assert fitted.n_iter_ == len(fitted.history_) == 40
    assert sum(fitted.history_[-1].cluster_sizes) == n_samples
    np.testing.assert_array_equal(fitted.hard_labels_, fitted.labels_)
    assert isinstance(fitted.converged_, bool)
    assert np.isfinite(fitted.objective_)
    assert isinstance(fitted.graph_, NeighborGraph)
    assert set(fitted.timings_) == {"graph", "start", "optimize", "choose"}
    assert fitted.n_features_in_ == 64
    assert fitted.n_hops_ >= 2
    assert 1 <= fitted.batch_size_ <= n_samples


def test_digits_are_found(fitted, digits):
    assert score_labels(digits.y, fitted.labels_).nmi > 0.85


def test_every_parameter_reaches_the_layer_below(digits, monkeypatch):
    """A parameter that nothing reads would pass all other tests."""
    seen = {}

    def spy(module, name):
        function = getattr(module, name)

        def call(*args, **kwargs):
            seen[name] = (args, kwargs)
            return function(*args, **kwargs)

        monkeypatch.setattr(module, name, call)

    for name in ("graph_of_originals", "FitLog"):
        spy(run, name)
    for name in ("make_start", "solve_gpac", "find_partition"):
        spy(stages, name)
    searcher = FaissSearcher(n_probe=3)
    solver = SolverOptions(kernel="uniform")
    GPAC(
        n_clusters=4,
        n_neighbors=7,
        metric="euclidean",
        searcher=searcher,
        fuzziness=1.1,
        alpha=2.0,
        local_weight=0.25,
        batch_size=99,
        sizes="uneven",
        variant="ramp",
        init="random",
        n_init=2,
        max_iter=3,
        tol=0.5,
        solver=solver,
        n_jobs=2,
        random_state=5,
        verbose=1,
    ).fit(digits.X)
    args, kwargs = seen["graph_of_originals"]
    assert args[2] == 7
    assert (kwargs["metric"], kwargs["searcher"], kwargs["n_jobs"]) == ("euclidean", searcher, 2)
    args, kwargs = seen["make_start"]
    assert args == ("random", 4)
    assert kwargs["n_jobs"] == 2
    _, kwargs = seen["find_partition"]
    assert (kwargs["with_communities"], kwargs["sizes"]) == (False, "uneven")
    args, kwargs = seen["solve_gpac"]
    problem = args[2]
    assert problem.n_clusters == 4
    assert (problem.fuzziness, problem.alpha, problem.local_weight) == (1.1, 2.0, 0.25)
    assert (problem.batch_size, problem.max_iter, problem.tol) == (99, 3, 0.5)
    assert args[3] == solver.of_variant(published=False)
    assert kwargs["n_jobs"] == 2
    assert seen["FitLog"][0] == (1,)


@pytest.mark.parametrize("make", [int, np.random.RandomState, np.random.default_rng])
def test_random_states(digits, make):
    first = GPAC(**{**SHORT, "random_state": make(4)}).fit(digits.X)
    second = GPAC(**{**SHORT, "random_state": make(4)}).fit(digits.X)
    other = GPAC(**{**SHORT, "random_state": make(5)}).fit(digits.X)
    assert same_memberships(first, second)
    assert not same_memberships(first, other)


def test_a_shared_generator_goes_on_between_fits(digits):
    for generator in (np.random.default_rng(0), np.random.RandomState(0)):
        model = GPAC(**{**SHORT, "random_state": generator})
        first = model.fit(digits.X).memberships_
        assert (first != model.fit(digits.X).memberships_).nnz


def test_no_random_state_gives_different_results(digits):
    model = GPAC(**{**SHORT, "random_state": None})
    first = model.fit(digits.X).memberships_
    assert (first != model.fit(digits.X).memberships_).nnz


def test_stages_have_randomness_of_their_own(digits, monkeypatch):
    """What the start draws does not shift what the iterations draw."""
    drawn = []
    solve = stages.solve_gpac

    def spy(*args, rng, **kwargs):
        drawn.append(rng.bit_generator.state)
        return solve(*args, rng=rng, **kwargs)

    monkeypatch.setattr(stages, "solve_gpac", spy)
    for variant in ({"init": "smoothed"}, {"init": "random"}, {"searcher": "faiss"}):
        GPAC(**SHORT, **variant).fit(digits.X)
    assert drawn[0] == drawn[1] == drawn[2]


def test_a_callback_sees_every_iteration_and_may_stop(digits):
    records = []

    def stop_at_four(record):
        records.append(record)
        return record.iteration == 4

    model = GPAC(**SHORT).fit(digits.X, callback=stop_at_four)
    assert [record.iteration for record in records] == [1, 2, 3, 4]
    assert model.n_iter_ == 4
    assert model.history_ == tuple(records)


def test_a_callback_may_look_at_the_labels(digits):
    seen = []
    model = GPAC.as_published(**SHORT)
    model.fit(digits.X, callback=lambda record: seen.append(record.labels()))
    np.testing.assert_array_equal(seen[-1], model.labels_)
    assert np.any(seen[0] != seen[-1])
    assert all(record.labels is None for record in model.history_)


def test_y_is_accepted_and_ignored(digits, fitted):
    model = GPAC(n_clusters=10, random_state=0)
    assert same_memberships(model.fit(digits.X, y=digits.y), fitted)
    np.testing.assert_array_equal(model.fit_predict(digits.X, digits.y), fitted.labels_)
    np.testing.assert_array_equal(
        model.fit_transform(digits.X, digits.y), fitted.memberships_.toarray()
    )


def test_a_graph_gives_what_its_rows_give(digits, fitted):
    graph = build_neighbor_graph(digits.X, 10)
    np.testing.assert_array_equal(graph.indices, fitted.graph_.indices)
    model = GPAC(n_clusters=10, random_state=0, init=np.arange(1797) % 10)
    of_rows = model.fit(digits.X).memberships_
    model.fit_graph(graph, digits.y)
    assert (of_rows != model.memberships_).nnz == 0
    assert model.timings_["graph"] == 0.0
    assert not hasattr(model, "n_features_in_")


def test_a_pair_of_arrays_is_a_graph_too(digits):
    distances, indices = NearestNeighbors(n_neighbors=11).fit(digits.X).kneighbors(digits.X)
    model = GPAC(n_clusters=10, random_state=0)
    of_pair = model.fit_graph((indices, distances)).memberships_
    model.fit_graph(NeighborGraph.from_neighbors(indices, distances))
    assert (of_pair != model.memberships_).nnz == 0


def test_a_graph_alone_is_enough(digits, fitted):
    model = GPAC(n_clusters=10, random_state=0).fit_graph(fitted.graph_)
    assert score_labels(digits.y, model.labels_).nmi > 0.8


def test_pickle_keeps_the_model_and_leaves_the_index(digits, fitted):
    fitted.predict(digits.X[:3])
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy._predictor.training._index is None
    assert same_memberships(copy, fitted)
    np.testing.assert_array_equal(copy.predict_proba(digits.X), fitted.predict_proba(digits.X))


def test_clone_forgets_the_fit(fitted):
    copy = clone(fitted)
    assert vars(copy) == vars(GPAC(n_clusters=10, random_state=0))
    with pytest.raises(NotFittedError):
        copy.predict([[1.0, 2.0]])


def test_refitting_leaves_nothing_behind(digits):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(digits.X).add_prefix("pixel")
    model = GPAC(**SHORT).fit(frame)
    assert model.feature_names_in_[0] == "pixel0"
    before = set(vars(model))
    model.fit(digits.X[:, :10])
    assert before - set(vars(model)) == {"feature_names_in_"}
    assert model.n_features_in_ == 10
    assert model.predict(digits.X[:5, :10]).shape == (5,)


def test_in_a_pipeline(digits):
    scaled = make_pipeline(StandardScaler(), GPAC(**SHORT, metric="euclidean"))
    assert scaled.fit_predict(digits.X).shape == (1797,)
    assert scaled.predict_proba(digits.X[:2]).shape == (2, 10)
    neighbors = KNeighborsTransformer(n_neighbors=10, mode="distance")
    piped = make_pipeline(neighbors, GPAC(**SHORT, metric="precomputed")).fit(digits.X)
    agreement = np.mean(piped.predict(digits.X) == piped[-1].labels_)
    assert agreement > 0.99


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_output_as_a_data_frame(digits, library):
    pytest.importorskip(library)
    model = GPAC(**SHORT).set_output(transform=library)
    frame = model.fit_transform(digits.X)
    assert list(frame.columns) == [f"gpac{number}" for number in range(10)]
    again = model.transform(digits.X)
    np.testing.assert_allclose(again.to_numpy(), frame.to_numpy(), atol=1e-6)


def test_names_of_the_columns(fitted):
    assert fitted.get_feature_names_out().tolist() == [f"gpac{number}" for number in range(10)]


def test_tags_follow_the_metric():
    assert not GPAC().__sklearn_tags__().input_tags.pairwise
    assert GPAC(metric="precomputed").__sklearn_tags__().input_tags.pairwise
    assert GPAC().__sklearn_tags__().input_tags.sparse


def test_empty_clusters_are_told(digits):
    with pytest.warns(ConvergenceWarning, match="^only . of n_clusters=9 clusters have") as caught:
        GPAC(n_clusters=9, random_state=0).fit(digits.X[:12])
    assert caught[0].filename == __file__


def test_stages_are_logged(digits, caplog):
    GPAC(**SHORT, verbose=2).fit(digits.X)
    lines = [record.message for record in caplog.records if record.name == "graphpac"]
    assert [line.split(":")[0] for line in lines if " s" in line] == [
        "graph",
        "start",
        "optimize",
        "choose",
    ]
    assert sum(line.startswith("iteration") for line in lines) == 6
    caplog.clear()
    with caplog.at_level(logging.INFO):
        GPAC(**SHORT).fit(digits.X)
    assert all("tol was not reached" in record.message for record in caplog.records)


def test_nothing_is_printed(digits, capfd):
    GPAC(**SHORT, verbose=2).fit(digits.X)
    assert capfd.readouterr() == ("", "")
