"""What is seen of rows before a fit, and that its cure helps."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_blobs, make_moons
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from graphpac import GPAC, suggest_n_clusters
from graphpac.exceptions import DataWarning
from graphpac.findings import findings_of_rows, look_at_rows
from graphpac.metrics import score_labels

METRICS = ["cosine", "euclidean", "inner_product"]


def kinds(X, metric="cosine", names=None):
    return [finding.kind for finding in findings_of_rows(look_at_rows(X), metric, names)]


def nmi(data, X, **parameters):
    model = GPAC(len(set(data.y)), max_iter=20, random_state=0, **parameters).fit(X)
    return score_labels(data.y, model.labels_).nmi


@pytest.fixture
def with_noise(digits):
    """Digits beside a column that is a hundred times as wide as any other and says nothing."""
    noise = np.random.default_rng(0).normal(500.0, 600.0, digits.X.shape[0])
    return np.column_stack([digits.X, noise])


@pytest.mark.filterwarnings("ignore:only . of n_clusters=10")
def test_rows_far_from_the_origin_are_told_with_a_cure_that_helps(digits):
    X = digits.X + 1e6
    with pytest.warns(DataWarning, match="^the rows hardly differ in direction") as told:
        model = GPAC(10, max_iter=20, random_state=0).fit(X)
    assert str(told[0].message).endswith(
        ': pass metric="euclidean", or subtract its mean from each column.'
    )
    assert told[0].filename == __file__
    assert score_labels(digits.y, model.labels_).nmi < 0.1
    assert nmi(digits, X, metric="euclidean") > 0.8
    assert nmi(digits, X - X.mean(axis=0)) > 0.8


@pytest.mark.filterwarnings("ignore:only . of n_clusters=10")
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_rows_that_float32_cannot_tell_apart_are_told_with_a_cure_that_helps(digits, metric):
    X = digits.X.astype(np.float64) + 1e9
    with pytest.warns(DataWarning, match=": subtract its mean from each column.$") as told:
        model = GPAC(10, max_iter=20, metric=metric, random_state=0).fit(X)
    assert "float32, in which they are compared, hardly tells" in str(told[0].message)
    assert [finding.kind for finding in model.findings_] == ["rounded_rows", "empty_clusters"]
    assert model.findings_[1].cure == "subtract its mean from each column"
    assert nmi(digits, X - X.mean(axis=0), metric=metric) > 0.8


@pytest.mark.filterwarnings("ignore:only . of n_clusters=10")
def test_no_other_advice_is_given_where_rows_hardly_differ(digits):
    with pytest.warns(DataWarning) as told:
        model = GPAC(10, max_iter=20, random_state=0).fit(digits.X + 1e6)
    assert not any("lower n_clusters" in str(warning.message) for warning in told)
    assert model.findings_[0].kind == "offset"


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_a_column_that_dwarfs_the_others_is_told_with_a_cure_that_helps(digits, with_noise, metric):
    message = r"^column 64 \(counted from 0\) has 9\d.\d % of the variance of all 65 columns"
    with pytest.warns(DataWarning, match=message):
        assert nmi(digits, with_noise, metric=metric) < 0.65
    assert nmi(digits, StandardScaler().fit_transform(with_noise), metric=metric) > 0.7
    assert nmi(digits, with_noise[:, :64], metric=metric) > 0.8


def test_columns_are_called_by_their_names(with_noise):
    pandas = pytest.importorskip("pandas")
    names = [*(f"pixel{number}" for number in range(64)), "income"]
    with pytest.warns(DataWarning, match="^column 'income' has"):
        GPAC(10, max_iter=1, random_state=0).fit(pandas.DataFrame(with_noise, columns=names))


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_column_that_numbers_the_rows_is_told(digits, shuffled):
    numbers = np.arange(1, digits.X.shape[0] + 1)
    if shuffled:
        numbers = np.random.default_rng(0).permutation(numbers)
    X = np.column_stack([digits.X, numbers])
    with pytest.warns(DataWarning, match=r"^column 64 \(counted from 0\) only numbers the rows"):
        assert nmi(digits, X) < 0.8
    assert nmi(digits, X[:, :64]) > 0.8
    assert kinds(X, "euclidean") == ["row_numbers"]


def test_a_single_column_under_cosine_is_told(digits):
    column = digits.X[:, [20]] + 1.0
    assert kinds(column) == ["one_column"]
    assert kinds(column, "euclidean") == []


def test_two_columns_under_cosine_are_told_unless_the_angle_is_enough(seed):
    moons, _ = make_moons(600, noise=0.05, random_state=0)
    assert kinds(moons) == ["two_columns"]
    X, y = make_blobs(600, centers=[[2, 2], [8, 8]], random_state=0)  # seen at one angle
    with pytest.warns(DataWarning, match="sees the angle only"):
        model = GPAC(2, random_state=seed).fit(X)
    better = GPAC(2, metric="euclidean", random_state=seed).fit(X)
    assert score_labels(y, model.labels_).nmi < 0.2
    assert score_labels(y, better.labels_).nmi > 0.9
    around, _ = make_blobs(600, centers=[[5, 0], [-5, 5], [-5, -5]], random_state=0)
    assert kinds(around) == []


@pytest.mark.parametrize("metric", METRICS)
def test_equal_rows_are_told(metric):
    assert kinds(np.full((50, 3), 2.0), metric) == ["equal_rows"]
    assert kinds(sp.csr_matrix((50, 3)), metric) == ["equal_rows"]
    odd = np.zeros((5000, 3))
    odd[1, 2] = 1.0  # not in the sample
    assert "equal_rows" not in kinds(odd, metric)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_units_that_differ_are_told(metric):
    assert kinds(load_wine().data, metric) == ["heavy_columns"]
    assert kinds(load_breast_cancer().data, metric) == ["heavy_columns"]


@pytest.mark.parametrize("metric", METRICS)
def test_good_rows_raise_no_alarm(digits, metric):
    iris = load_iris().data
    scores = PCA().fit_transform(StandardScaler().fit_transform(load_breast_cancer().data))
    line = np.random.default_rng(0).normal(size=(300, 1)) * [1.0, 20.0, 0.1, 0.1]
    outlier = digits.X.astype(np.float64)
    outlier[7, 3] = 1e38
    blobs, _ = make_blobs(300, n_features=6, random_state=0)
    scaled = StandardScaler().fit_transform(load_wine().data)
    calm = [digits.X, digits.X + 100, iris, PCA().fit_transform(iris), scores, blobs, scaled]
    for X in (*calm, outlier, PCA().fit_transform(line), digits.X[:, :2] > 0):
        assert kinds(X, metric) == []


def test_sparse_rows_are_seen_as_dense_ones(digits, with_noise):
    for X in (digits.X, with_noise, digits.X + 1e6):
        assert kinds(sp.csr_matrix(X)) == kinds(X)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_huge_and_tiny_rows_are_seen_as_others(digits, with_noise, scale):
    assert kinds(digits.X.astype(np.float64) * scale) == []
    assert kinds(with_noise * scale) == ["heavy_columns"]


NAMES = ["banking77_minilm", "isolet", "olivetti", "orl32", "pendigits", "usps"]


@pytest.mark.parametrize("name", [*NAMES, "sc_worm_neuron_pca50", "sc_mouse_bladder_pca50"])
def test_ordinary_data_sets_raise_no_alarm(dataset, name):
    data = dataset(name)
    for metric in METRICS:
        assert kinds(data.X, metric) == []


def test_numbers_of_clusters_are_compared_with_one_warning(digits):
    with pytest.warns(DataWarning) as told:
        suggest_n_clusters(digits.X[:200] + 1e6, [2, 3], n_seeds=2, random_state=0, n_neighbors=5)
    assert [str(warning.message).split(",")[0] for warning in told] == [
        "the rows hardly differ in direction"
    ]
