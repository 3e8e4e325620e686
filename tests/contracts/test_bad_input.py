"""Every kind of bad input either works or gets one sentence: parameter, value, cure."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac import GPAC, NeighborGraph, build_neighbor_graph
from graphpac.exceptions import DataWarning

METRICS = ("cosine", "euclidean", "inner_product")


@pytest.fixture
def rows(seed):
    """Forty rows in three groups, read-only: whoever writes into the caller's array fails."""
    rng = np.random.default_rng(seed)
    centers = 6.0 * np.eye(3, 5)
    X = centers[np.arange(40) % 3] + rng.normal(size=(40, 5))
    X.flags.writeable = False
    return X


def small(**parameters):
    return GPAC(**{"n_clusters": 3, "n_neighbors": 5, "random_state": 0, **parameters})


def assert_sound(model, n_samples):
    """Check what must hold for every fitted model."""
    memberships = model.memberships_
    assert memberships.shape == (n_samples, model.n_clusters)
    assert memberships.dtype == np.float32
    np.testing.assert_allclose(memberships.sum(axis=1), 1.0, atol=1e-6)
    assert memberships.data.min() >= 0.0
    np.testing.assert_array_equal(memberships.toarray().argmax(axis=1), model.labels_)
    np.testing.assert_array_equal(memberships.toarray().max(axis=1), model.probabilities_)
    np.testing.assert_array_equal(
        np.bincount(model.labels_, minlength=model.n_clusters), model.cluster_sizes_
    )


def assert_refused(message, call, error=ValueError):
    """Check that a call raises exactly this sentence."""
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()
    assert message.count("\n") == 0


# ---- what is refused


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("row", [0, 17, 39])
def test_nan(rows, dtype, row):
    X = rows.astype(dtype)
    X[row, 2] = np.nan
    message = f"X contains NaN in row {row}, column 2: remove such rows or fill in such values."
    assert_refused(message, lambda: small().fit(X))
    if dtype != np.float16:  # scipy has no sparse float16
        assert_refused(message, lambda: small().fit(sp.csr_array(X)))
    model = small().fit(rows)
    assert_refused(message, lambda: model.predict(X))


def test_infinity(rows):
    X = rows.copy()
    X[3, 1] = -np.inf
    cure = "remove such rows or fill in such values."
    message = f"X contains infinity in row 3, column 1: {cure}"
    assert_refused(message, lambda: small().fit(X))
    assert_refused(message, lambda: build_neighbor_graph(X))
    X[5:] = np.nan
    message = f"X contains NaN 175 times and infinity once, first in row 3, column 1: {cure}"
    assert_refused(message, lambda: small().fit(X))
    assert_refused(message, lambda: small().fit(sp.csr_array(X)))
    pandas = pytest.importorskip("pandas")
    message = message.replace("column 1", "column 'b'")
    assert_refused(message, lambda: small().fit(pandas.DataFrame(X, columns=list("abcde"))))


@pytest.mark.parametrize(
    ("dtype", "wider", "factor", "largest"),
    [("float16", "float32", 1e5, "65504"), ("float32", "float64", 1e38, "3.40282e+38")],
)
def test_values_that_overflowed_before_they_came(rows, dtype, wider, factor, largest):
    with np.errstate(over="ignore"):
        X = rows.astype(dtype) * np.array(factor).astype(dtype)
    wrong = np.argwhere(np.isinf(X))
    row, column = wrong[0]
    message = (
        f"X contains infinity {len(wrong)} times, first in row {row}, column {column}: {dtype} "
        f"ends at {largest}, so convert to {wider} before values overflow, or remove such rows or "
        "fill in such values."
    )
    assert_refused(message, lambda: small().fit(X))


def test_entries_that_add_up_to_infinity():
    X = sp.csr_matrix((np.full(8, 1.7e308), np.zeros(8, int), np.arange(0, 9, 2)), shape=(4, 3))
    message = (
        "X contains infinity 4 times, first in row 0, column 0: remove such rows or fill in such "
        "values."
    )
    assert_refused(message, lambda: small().fit(X))


def test_whole_numbers_beyond_float64():
    message = "X holds a whole number beyond 1.8e308, the largest of float64: divide such columns."
    assert_refused(message, lambda: small().fit([[10**400, 1], [2, 3], [4, 5]]))


def test_masked_values(rows):
    X = np.ma.masked_array(rows, mask=False)
    np.testing.assert_array_equal(small().fit(X).labels_, small().fit(rows).labels_)
    X = X.copy()
    X[2, 3] = np.ma.masked
    cure = (
        "the first at (2, 3): fill them in with X.filled, or remove such rows with "
        "numpy.ma.compress_rows."
    )
    message = f"X is a masked array with one masked value, {cure}"
    assert_refused(message, lambda: small().fit(X))
    assert_refused(message, lambda: small().fit(rows).predict(X))
    X[10:] = np.ma.masked
    message = f"X is a masked array with 151 masked values, {cure}"
    assert_refused(message, lambda: small().fit(X))
    assert_refused(message, lambda: small().fit(list(X)))
    assert_refused(message, lambda: build_neighbor_graph(X))


def test_strings():
    cure = "but numbers are needed: encode it, e.g. texts by an embedding."
    texts = [["a", "b"], ["c", "d"], ["e", "f"]]
    assert_refused(f"X has dtype <U1, {cure}", lambda: small().fit(texts))
    assert_refused(f"X has dtype |S1, {cure}", lambda: small().fit(np.array(texts, dtype="S")))
    message = "X holds values that are not numbers: could not convert string to float: 'a'."
    assert_refused(message, lambda: small().fit(np.array(texts, dtype=object)))
    long = [[f"\x1b[2J{'x' * 1000}", 1.0]] * 3
    with pytest.raises(ValueError, match="^X holds values that are not numbers") as refused:
        small().fit(np.array(long, dtype=object))
    assert len(str(refused.value)) < 200
    assert str(refused.value).isprintable()


def test_complex_numbers_and_dates(rows):
    assert_refused(
        "Complex data not supported: X has dtype complex128, pass its real part or its modulus.",
        lambda: small().fit(rows + 1j),
    )
    assert_refused(
        "X has dtype datetime64[D], but numbers are needed: encode it, e.g. texts by an embedding.",
        lambda: small().fit(np.full((5, 2), np.datetime64("2026-01-01"))),
    )


@pytest.mark.parametrize("shape", [(), (40,), (4, 5, 2)])
def test_wrong_number_of_dimensions(rows, shape):
    message = (
        f"X has the shape {shape} instead of (n_samples, n_features): Reshape your data with "
        "X.reshape(-1, 1) if it is one feature, or X.reshape(1, -1) if it is one sample."
    )
    assert_refused(message, lambda: small().fit(np.zeros(shape)))
    model = small().fit(rows)
    assert_refused(message, lambda: model.predict(np.zeros(shape)))


def test_rows_of_different_lengths():
    message = "X has rows of different lengths: pass as many features for every sample."
    assert_refused(message, lambda: small().fit([[1, 2], [3]]))


def test_empty(rows):
    required = "while a minimum of 1 is required by GPAC."
    message = f"Found array with 0 sample(s) (shape=(0, 5)) {required}"
    assert_refused(message, lambda: small().fit(rows[:0]))
    message = f"Found array with 0 feature(s) (shape=(40, 0)) {required}"
    assert_refused(message, lambda: small().fit(rows[:, :0]))


def test_one_row(rows):
    message = "n_samples = 1 leaves nothing to compare: pass at least 2 samples."
    assert_refused(message, lambda: small(n_clusters=1).fit(rows[:1]))
    lonely = NeighborGraph.from_distances(sp.csr_matrix((1, 1)))
    assert_refused(message, lambda: small(n_clusters=1).fit_graph(lonely))


def test_more_clusters_than_rows(rows):
    message = (
        "n_clusters=41 must be at most 40, the number of samples: lower n_clusters or pass more "
        "samples."
    )
    model = small(n_clusters=41)
    assert_refused(message, lambda: model.fit(rows))
    assert_refused(message, lambda: model.fit_graph(small().fit(rows).graph_))


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("n_clusters", 0, "'auto' or a whole number from 1 up"),
        ("n_clusters", 2.0, "'auto' or a whole number from 1 up"),
        ("n_clusters", True, "'auto' or a whole number from 1 up"),
        ("n_neighbors", 0, "'auto' or a whole number from 1 up"),
        ("metric", "cosin", "one of 'cosine', 'euclidean', 'inner_product', 'precomputed'"),
        ("fuzziness", 1.0, "a number above 1 and at most 10"),
        ("fuzziness", 0.5, "a number above 1 and at most 10"),
        ("fuzziness", 1e300, "a number above 1 and at most 10"),
        ("fuzziness", "1.05", "a number above 1 and at most 10"),
        ("alpha", -1.0, "a number at least 0 and at most 1e+06"),
        ("alpha", 1e308, "a number at least 0 and at most 1e+06"),
        ("local_weight", 1.0, "'ramp' or a number at least 0 and below 1"),
        ("local_weight", "ramps", "'ramp' or a number at least 0 and below 1"),
        ("batch_size", 0, "'auto' or a whole number from 1 up"),
        ("max_iter", 0, "'auto' or a whole number from 1 to 100,000"),
        ("tol", float("nan"), "a number at least 0"),
        ("solver", {}, "None or a SolverOptions"),
        ("n_jobs", 1.5, "None or a whole number other than 0, at most 1,024"),
        ("n_jobs", 0, "None or a whole number other than 0, at most 1,024"),
        (
            "random_state",
            "0",
            "None or a whole number from 0 up or a RandomState or a Generator",
        ),
        ("verbose", -1, "a whole number from 0 up or a bool"),
    ],
)
def test_parameters(rows, name, value, allowed):
    model = small(**{name: value})
    message = f"{name}={value!r} must be {allowed}."
    assert_refused(message, lambda: model.fit(rows))


def test_unknown_searcher(rows):
    class Wrong:
        def __repr__(self):
            return "Wrong()"

    names = "'auto', 'published', 'exact', 'lists', 'faiss', 'nndescent'"
    allowed = f"one of {names} or an object with the method index"
    for given in ("annoy", Wrong()):
        message = f"searcher={given!r} must be {allowed}."
        assert_refused(message, lambda given=given: small(searcher=given).fit(rows))


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (
            "kmeans",
            (
                "init='kmeans' must be one of 'smoothed', 'k-means++', 'random', 'zeros', labels, "
                "memberships or a fitted model."
            ),
        ),
        (np.zeros(39, dtype=int), "init holds 39 labels for 40 samples: pass one for each."),
        (
            np.full(40, 3),
            (
                "init holds labels from 3 to 3, but n_clusters=3 allows 0 to 2: renumber them or "
                "change n_clusters."
            ),
        ),
        (
            None,
            (
                "init=None must be a name, whole-number labels of shape (n_samples,), memberships "
                "of shape (n_samples, n_clusters) or a fitted model."
            ),
        ),
        (
            np.ones((40, 2)),
            (
                "init holds memberships of shape (40, 2), but n_samples=40 and n_clusters=3 ask "
                "for (40, 3)."
            ),
        ),
        (
            sp.csr_matrix((40, 3)),
            (
                "init holds memberships that are negative, not finite, or all zero for a sample: "
                "each row must be shares of the clusters."
            ),
        ),
        (
            GPAC(),
            (
                "init is a GPAC that is not fitted: fit it first, and where models are cloned, as "
                "in a grid search, pass its memberships_ instead."
            ),
        ),
    ],
    ids=str,
)
def test_starts(rows, init, message):
    assert_refused(message, lambda: small(init=init).fit(rows))


def test_wrong_matrices_of_distances(rows):
    model = small(metric="precomputed")
    message = (
        "metric='precomputed' needs the distances of all samples to each other, a square matrix, "
        "but X has the shape (40, 5): pass those, or choose another metric."
    )
    assert_refused(message, lambda: model.fit(rows))
    distances = np.linalg.norm(rows[:, None] - rows, axis=2)
    distances[3, 4] = -0.5
    message = (
        "Negative values in data: metric='precomputed' needs distances, but X holds -0.5; of "
        "similarities make a graph with NeighborGraph.from_similarities."
    )
    assert_refused(message, lambda: model.fit(distances))
    assert_refused(message, lambda: model.fit(sp.csr_matrix(distances)))
    model.fit(np.abs(distances))
    assert_refused(message, lambda: model.predict(distances))


def test_wrong_graphs(rows):
    model = small()
    message = (
        "a sparse matrix may hold distances or similarities: pass "
        "NeighborGraph.from_distances(matrix) or NeighborGraph.from_similarities(matrix)."
    )
    assert_refused(message, lambda: model.fit_graph(sp.csr_matrix(np.eye(4))))
    message = (
        "a graph of type ndarray is not known: pass a NeighborGraph, a pair (indices, distances), "
        "a networkx or igraph graph, or an AnnData object."
    )
    assert_refused(message, lambda: model.fit_graph(rows))
    negative = sp.csr_matrix(np.array([[0.0, -1.0], [1.0, 0.0]]))
    message = "similarity values must be above 0, the smallest given is -1."
    assert_refused(message, lambda: NeighborGraph.from_similarities(negative))


def test_predicting_without_rows(rows):
    model = small().fit_graph(small().fit(rows).graph_)
    message = (
        "this GPAC was fitted on a graph, so it has no rows to compare new ones with: fit it on "
        "rows with fit(X), or read labels_ and memberships_."
    )
    for method in ("predict", "predict_proba", "transform", "predict_memberships"):
        assert_refused(message, lambda method=method: getattr(model, method)(rows))
    assert not hasattr(model, "n_features_in_")


def test_a_query_out_of_range(rows):
    model = small(metric="euclidean").fit(rows)
    message = (
        "X has a value of 1e+30, too far from the training rows to measure the distance in single "
        "precision: remove such rows."
    )
    assert_refused(message, lambda: model.predict(np.full((2, 5), 1e30)))
    assert set(small().fit(rows).predict(np.full((2, 5), 1e30))) <= {0, 1, 2}


def test_a_dense_result_larger_than_memory(rows, monkeypatch):
    model = small().fit(rows)
    monkeypatch.setattr("graphpac.fitting.fits_memory.available_memory", lambda: 400)
    message = (
        "a dense array of 40 x 3 memberships needs 0 kB, but 0 kB are available: use "
        "predict_memberships, whose result is sparse, or pass fewer rows."
    )
    assert_refused(message, lambda: model.predict_proba(rows), MemoryError)
    assert_refused(message, lambda: model.transform(rows), MemoryError)
    assert model.predict_memberships(rows).shape == (40, 3)
    assert model.predict_proba(rows[:9]).shape == (9, 3)


# ---- what works


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n_neighbors", [6, 7, 100])
@pytest.mark.filterwarnings("ignore:only . of n_clusters")
def test_no_more_rows_than_neighbors(rows, metric, n_neighbors):
    model = small(n_neighbors=n_neighbors, metric=metric).fit(rows[:7])
    assert_sound(model, 7)
    assert (model.graph_.degrees == min(n_neighbors, 6)).all()
    assert model.predict(rows).shape == (40,)


@pytest.mark.parametrize("metric", METRICS)
def test_one_cluster(rows, metric):
    model = small(n_clusters=1, metric=metric).fit(rows)
    assert_sound(model, 40)
    assert (model.labels_ == 0).all()
    assert (model.predict_proba(rows) == 1.0).all()


@pytest.mark.filterwarnings("ignore:only .* clusters have samples")
@pytest.mark.parametrize("n_samples", [2, 3, 40])
def test_as_many_clusters_as_rows(rows, n_samples):
    assert_sound(small(n_clusters=n_samples).fit(rows[:n_samples]), n_samples)


def test_constant_features(rows):
    X = np.hstack([rows, np.full((40, 3), 2.5)])
    assert_sound(small(metric="euclidean").fit(X), 40)
    assert len(set(small(metric="euclidean").fit(X).labels_)) == 3


@pytest.mark.filterwarnings("ignore:only . of n_clusters")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("value", [0.0, 3.0])
def test_all_rows_equal(metric, value):
    X = np.full((40, 5), value)
    with pytest.warns(DataWarning, match="^all 40 rows are equal: there is nothing to tell"):
        model = small(metric=metric).fit(X)
    assert_sound(model, 40)
    assert len(set(model.predict(X))) == 1


def test_rows_of_zeros_under_cosine(rows):
    X = rows.copy()
    X[::8] = 0.0
    model = small().fit(X)
    assert_sound(model, 40)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.filterwarnings("ignore:only . of n_clusters")
@pytest.mark.parametrize("searcher", ["exact", "faiss"])
@pytest.mark.parametrize("metric", METRICS)
def test_duplicates_by_the_thousand(metric, searcher):
    X = np.repeat(np.eye(3, 4) + 1.0, [1000, 1500, 700], axis=0)
    model = small(metric=metric, searcher=searcher).fit(X)
    assert_sound(model, 3200)
    assert np.isfinite(model.predict_proba(X[::100])).all()


def test_a_disconnected_graph():
    X = np.repeat(np.eye(6), 10, axis=0) + 0.01 * np.random.default_rng(0).normal(size=(60, 6))
    message = "the graph falls into 6 parts that no edge connects, more than n_clusters=2"
    with pytest.warns(DataWarning, match=message):
        model = small(n_clusters=2, n_neighbors=3, metric="euclidean").fit(X)
    assert_sound(model, 60)
    assert model.graph_.n_components > 2


@pytest.mark.filterwarnings("ignore:only . of n_clusters", "ignore:the graph falls into")
def test_samples_without_any_edge():
    sides = sp.block_diag([np.ones((10, 10)), np.ones((10, 10)), np.zeros((5, 5))], format="csr")
    model = small(n_clusters=2).fit_graph(NeighborGraph.from_similarities(sides))
    assert_sound(model, 25)
    empty = NeighborGraph.from_similarities(sp.csr_matrix((8, 8)))
    assert_sound(small(n_clusters=2).fit_graph(empty), 8)


def test_an_asymmetric_and_self_looped_graph(rows):
    directed = np.linalg.norm(rows[:, None] - rows, axis=2)
    order = np.argsort(directed, axis=1)[:, :6]  # each sample itself is among them
    model = small().fit_graph(
        NeighborGraph.from_neighbors(order, np.take_along_axis(directed, order, axis=1))
    )
    assert_sound(model, 40)
    adjacency = model.graph_.to_scipy() != 0
    assert (adjacency != adjacency.T).nnz
    assert adjacency.diagonal().sum() == 0
    assert len(set(model.labels_)) == 3


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("scale", [1e30, 1e-30, 1e200, 1e-200])
def test_huge_and_tiny_values(rows, metric, scale):
    expected = small(metric=metric).fit(rows)
    model = small(metric=metric).fit(rows * scale)
    assert_sound(model, 40)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.predict(rows * scale), model.labels_)


@pytest.mark.parametrize("scale", [1e30, 1e-30, 1e200, 1e-200])
def test_huge_and_tiny_values_under_inner_product(rows, scale):
    # A softmax of products depends on their size, so results differ with the scale.
    model = small(metric="inner_product").fit(rows * scale)
    assert_sound(model, 40)
    assert np.isfinite(model.predict_proba(rows * scale)).all()


@pytest.mark.filterwarnings("ignore:only . of n_clusters")  # of 18 different rows of bits
@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.float16, np.float32])
@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray, sp.csr_matrix, sp.csc_array])
def test_the_caller_s_array_is_never_changed(rows, dtype, container):
    if dtype == np.float16 and container not in (np.asarray, np.asfortranarray):
        pytest.skip("scipy has no sparse float16")
    given = container(np.abs(np.round(rows)).astype(dtype))
    before = given.copy()
    model = small(metric="euclidean").fit(given)
    model.predict_proba(given)
    difference = given != before
    assert (difference.nnz if sp.issparse(difference) else difference.sum()) == 0
    assert_sound(model, 40)
