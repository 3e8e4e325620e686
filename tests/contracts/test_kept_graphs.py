"""Every estimator that makes a graph can keep it in a folder, and goes on from there."""

import inspect
import re

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from graphpac import NeighborGraph
from graphpac.datasets import make_mixture
from graphpac.exceptions import CheckpointError
from graphpac.fitting import run
from graphpac.fitting.progress import FitLog
from tests.contracts.estimators import ESTIMATORS

# Its memberships come from centers or anchors, without a graph.
NO_GRAPH = {"FuzzyCMeans()", "BalancedFuzzyGraph(metric='cosine', n_anchors=20)"}
KEEPING = [
    model
    for model, _ in ESTIMATORS
    if "checkpoint" in inspect.signature(model.fit).parameters
    and repr(model) not in NO_GRAPH
    and getattr(model, "metric", None) != "precomputed"
]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module", name="X")
def rows_with_copies():
    X = make_mixture(300, 6, 8, random_state=0)[0]
    return np.concatenate((X, X[:40]))


def prepared(model):
    short = {"random_state": 0, "max_iter": 20}
    known = {name: value for name, value in short.items() if name in model.get_params()}
    return clone(model).set_params(**known)


def bits(value):
    """Return arrays and numbers of what a fit found, without seconds and objects."""
    if isinstance(value, NeighborGraph):
        return [value.indptr, value.indices, value.values]
    if sp.issparse(value):
        return [value.indptr, value.indices, value.data]
    found = np.asarray(value)
    return [] if found.dtype.kind == "O" else [found]


def assert_same_fit(model, expected, X):
    names = {name for name in vars(expected) if name.endswith("_")} - {"timings_"}
    assert names == {name for name in vars(model) if name.endswith("_")} - {"timings_"}
    for name in names:
        pairs = zip(bits(getattr(model, name)), bits(getattr(expected, name)), strict=True)
        for found, wanted in pairs:
            np.testing.assert_array_equal(found, wanted, err_msg=name)
    moved = X + np.float32(0.01)
    np.testing.assert_array_equal(model.predict(moved), expected.predict(moved))


def leave_after_the_graph(model, X, folder, monkeypatch):
    stage = FitLog.stage

    def interrupted(log, name):
        if (folder / "graph.gpac").exists():
            raise KeyboardInterrupt
        return stage(log, name)

    with monkeypatch.context() as patch:
        patch.setattr(FitLog, "stage", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, checkpoint=folder)
    assert not hasattr(model, "labels_")


def test_every_method_that_makes_a_graph_can_keep_it():
    names = {type(model).__name__ for model in KEEPING}
    made = {
        type(model).__name__
        for model, _ in ESTIMATORS
        if "searcher" in model.get_params(deep=False)
    }
    assert names == made


@pytest.mark.parametrize("model", KEEPING, ids=repr)
def test_a_graph_that_was_kept_is_not_made_again(model, X, tmp_path, monkeypatch):
    expected = prepared(model).fit(X)
    leave_after_the_graph(prepared(model), X, tmp_path, monkeypatch)

    def made_again(*_, **__):
        raise AssertionError("the graph was stored")

    with monkeypatch.context() as patch:
        patch.setattr(run, "graph_of_originals", made_again)
        resumed = prepared(model).fit(X, checkpoint=tmp_path)
    assert_same_fit(resumed, expected, X)


@pytest.mark.parametrize("model", KEEPING, ids=repr)
def test_a_graph_of_something_else_is_refused(model, X, tmp_path, monkeypatch):
    leave_after_the_graph(prepared(model), X, tmp_path, monkeypatch)
    other = X.copy()
    other[17, 3] += 1e-6
    words = re.escape(f"{tmp_path} is the checkpoint of another run")
    with pytest.raises(CheckpointError, match=rf"^{words} \(X has other values\)"):
        prepared(model).fit(other, checkpoint=tmp_path)
    with pytest.raises(CheckpointError, match=rf"^{words} \(searcher was 'auto', is 'exact'\)"):
        prepared(model).set_params(searcher="exact").fit(X, checkpoint=tmp_path)
