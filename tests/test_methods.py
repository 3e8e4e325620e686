"""The registry: every method by its name."""

import numpy as np
import pytest

from graphpac import methods
from graphpac.experiments.published import find_published, published_results


# Thirty rows a digit are few for ten groups.
@pytest.mark.filterwarnings("ignore:only . of n_clusters=:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", methods.names())
def test_every_method_fits_by_its_name(name, digits):
    X = digits.X[:300]
    model = methods.make(name, n_clusters=10, random_state=0, n_jobs=2)
    labels = model.fit(X).labels_
    assert labels.shape == (300,)
    if not methods.find(name).finds_n_clusters:
        assert model.n_clusters == 10
        assert np.unique(labels).size <= 10 or name == "finch"  # takes the level nearest in size


@pytest.mark.parametrize("name", methods.names())
def test_settings_are_parameters(name):
    method = methods.find(name)
    model = method.make(7)
    known = model.get_params()
    assert {key: known[key] for key in method.settings} == dict(method.settings)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("GPAC", "gpac"),
        ("K-sums", "k-sums"),
        ("KSums", "k-sums"),
        ("fuzzy_c-means", "fcm"),
        ("FCM+LCC", "fcm+lcc"),
        ("kmeans", "km"),
        ("Self-CSC", "self-csc"),
    ],
)
def test_names_in_any_case(given, expected):
    assert methods.find(given).name == expected


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="^there is no method 'umap': choose one of km, fcm, "):
        methods.make("umap")


def test_parameters_replace_settings():
    assert methods.make("fcm", 3, fuzziness=1.5).fuzziness == 1.5


def test_affinity_propagation_refuses_what_is_too_large():
    model = methods.make("ap")
    with pytest.raises(ValueError, match="^affinity propagation of 15,001 samples needs three"):
        model.fit(np.zeros((15_001, 1)))


@pytest.mark.parametrize("value", [1e200, 1e-200])
def test_affinity_propagation_refuses_what_float64_cannot_square(value):
    told = f"^the largest value of X is {value:g}, the square of which float64 cannot hold: "
    with pytest.raises(ValueError, match=told.replace("+", "[+]")):
        methods.make("ap").fit(np.eye(5) * value)


def test_affinity_propagation_squares_large_numbers_of_float32():
    X = np.float32(1e37) * np.random.default_rng(0).normal(size=(30, 2)).astype(np.float32)
    assert methods.make("ap").fit(X).labels_.min() >= 0


def test_every_method_of_the_tables_is_registered():
    quoted = {"ProPos", "FCM w/o LCC", "GPAC w/o LCC", "GPAC+LCC", "CLIP+GPAC", "CLIP+KM"}
    titles = {method.title for method in methods.METHODS.values()}
    assert {cell.method for cell in published_results()} - quoted <= titles


def test_published_numbers():
    cell = find_published("pendigits", "gpac", "nmi")
    assert (cell.mean, cell.std, cell.table) == (0.850, 0.005, "table2")
    assert find_published("PENDIGITS", "RCC", "ACC").mean is None
    assert find_published("coil100", "k-sums", "ari").mean is not None
    assert find_published("digits", "GPAC", "NMI") is None
    assert len(published_results()) == 326
