"""Parameters of absurd size end quickly, with a result or one sentence."""

from numbers import Real

import numpy as np
import pytest
from sklearn.base import clone

from graphpac import GPAC, SolverOptions
from tests.contracts.estimators import ESTIMATORS

WHOLE = (10**6, 2**63, 10**30, 10**5000)
REAL = (5e-324, 1e-300, 1e15, 1e308, 10**400)
# What has another type, or none, by default, but takes numbers.
TAKES_WHOLE = {"batch_size", "max_iter", "n_anchors", "n_neighbors", "random_state"}
TAKES_REAL = {"certainty", "local_weight", "self_label"}
# How many threads there may be is a question of the machine.
NOT_SIZES = {"n_jobs", "verbose"}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # clusters may mean little
CLASSES = sorted({type(estimator) for estimator, _ in ESTIMATORS}, key=lambda one: one.__name__)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return 6.0 * np.eye(3, 5)[np.arange(30) % 3] + rng.normal(size=(30, 5))


def absurd_values(name, default):
    if name in NOT_SIZES or isinstance(default, bool):
        return ()
    if name in TAKES_WHOLE or isinstance(default, int):
        return WHOLE
    if name in TAKES_REAL or isinstance(default, Real):
        return REAL
    return ()


def assert_ends_well(model, rows):
    """Fit, and accept one sentence in the place of a sound result."""
    sentence = ""
    try:
        model.fit(rows)
    except ValueError as error:
        sentence = str(error)
    if sentence:
        assert sentence.endswith(".")
        assert "\n" not in sentence
        assert " must be " in sentence
        assert len(sentence) < 250
        return
    assert model.labels_.min() >= 0
    assert np.isfinite(getattr(model, "objective_", 0.0))
    assert np.isfinite(getattr(model, "probabilities_", 0.0)).all()


@pytest.mark.parametrize("kind", CLASSES)
def test_estimators(kind, rows):
    defaults = kind().get_params()
    usual = {"n_clusters": 3, "max_iter": 10, "n_init": 1, "random_state": 0, "n_jobs": 1}
    model = kind(**{name: usual[name] for name in usual.keys() & defaults.keys()})
    for name, default in defaults.items():
        for value in absurd_values(name, default):
            assert_ends_well(clone(model).set_params(**{name: value}), rows)


@pytest.mark.parametrize(
    "name",
    ["max_entries", "n_round_batches", "n_pool_batches", "n_pool_epochs", "min_iter"],
)
def test_solver_options(name, rows):
    for value in (10**6, 10**30):
        options = SolverOptions(**{name: value})
        assert_ends_well(GPAC(3, solver=options, max_iter=10, random_state=0, n_jobs=1), rows)


def test_most_hops(rows):
    options = SolverOptions(n_hops=64)
    assert_ends_well(GPAC(3, solver=options, max_iter=10, random_state=0, n_jobs=1), rows)
