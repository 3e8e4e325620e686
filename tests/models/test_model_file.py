"""Models as files: what goes in comes out, and what makes no sense is told by its reason."""

from dataclasses import fields, replace

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac.exceptions import FileFormatError
from graphpac.graph.searchers import (
    ExactSearcher,
    FaissSearcher,
    ListsSearcher,
    NNDescentSearcher,
    RememberingSearcher,
)
from graphpac.io.container import Contents, write_file
from graphpac.models.model_file import (
    KIND,
    Model,
    ModelRows,
    decode,
    describe_searcher,
    encode,
    read_model,
    write_model,
)
from tests.io.files import assemble
from tests.strategies import membership_matrix


@pytest.fixture
def model(seed):
    rng = np.random.default_rng(seed)
    rows = ModelRows(rng.normal(size=(8, 2)).astype(np.float16), 0.25, 1.0, "auto", 2**62)
    memberships = sp.csr_matrix(membership_matrix(8, 3, rng), dtype=np.float32)
    return Model(
        method="GPAC",
        parameters={"n_clusters": 3, "metric": "euclidean", "random_state": None, "tol": 0.001},
        metric="euclidean",
        n_neighbors=4,
        kernel="auto",
        kernel_scale=0.1,
        n_features=2,
        feature_names=("width", "Höhe"),
        memberships=memberships,
        cluster_sizes=np.array([2, 5, 1]),
        agreement=None,
        rows=rows,
    )


def assert_same(found, expected):
    if sp.issparse(expected):
        for name in ("shape", "indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        assert found.dtype == expected.dtype
    elif isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(found, expected, strict=True)
    elif isinstance(expected, Model | ModelRows):
        for field in fields(expected):
            assert_same(getattr(found, field.name), getattr(expected, field.name))
    else:
        assert found == expected


def sparse_rows(model):
    values = sp.csr_matrix(np.where(model.rows.values > 0, model.rows.values, 0), dtype=np.float32)
    return replace(model, rows=replace(model.rows, values=values))


def without_rows(model):
    return replace(model, metric="precomputed", rows=None, n_features=8, feature_names=None)


def compact(model):
    return replace(model, agreement=0.995, cluster_sizes=np.array([200, 0, 5]))


@pytest.mark.parametrize("change", [lambda m: m, sparse_rows, without_rows, compact])
def test_what_goes_in_comes_out(tmp_path, model, change):
    model = change(model)
    write_model(tmp_path / "m", model)
    assert_same(read_model(tmp_path / "m"), model)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.float16, np.float32])
def test_every_type_of_rows(tmp_path, model, dtype):
    model = replace(model, rows=replace(model.rows, values=model.rows.values.astype(dtype)))
    write_model(tmp_path / "m", model)
    assert_same(read_model(tmp_path / "m"), model)


@pytest.mark.parametrize(
    "searcher",
    [
        "auto",
        "published",
        "faiss",
        ListsSearcher(n_looked_at=900),
        FaissSearcher(n_probe=np.int64(5), n_lists=7),
        FaissSearcher(),
    ],
    ids=str,
)
def test_searchers_keep_their_options(model, searcher):
    model = replace(model, rows=replace(model.rows, searcher=searcher))
    assert decode(encode(model)).rows.searcher == searcher


def test_searchers_by_their_names():
    assert describe_searcher(ExactSearcher()) == {"name": "exact"}
    assert describe_searcher(NNDescentSearcher()) == {"name": "nndescent"}
    assert describe_searcher(RememberingSearcher("faiss")) == {"name": "faiss"}
    assert describe_searcher(RememberingSearcher(FaissSearcher(n_probe=3)))["n_probe"] == 3
    assert describe_searcher(object()) is None
    assert describe_searcher(RememberingSearcher(object())) is None


def test_many_clusters_and_features_take_larger_numbers(model):
    wide = sp.csr_matrix(([1.0] * 8, [0, 70_000] * 4, range(9)), (8, 70_001), dtype=np.float32)
    model = replace(
        sparse_rows(model), memberships=wide, cluster_sizes=np.bincount([0, 70_000] * 4)
    )
    contents = encode(model)
    assert contents.arrays["memberships.columns"].dtype == np.uint32
    assert contents.arrays["memberships.lengths"].dtype == np.uint8
    assert_same(decode(contents), model)


# ---- what is refused


def spoiled(model, name, value):
    """Return the contents of a file with one array or one field changed."""
    arrays, metadata = encode(model)
    if name in arrays:
        return Contents({**arrays, name: np.asarray(value, dtype=arrays[name].dtype)}, metadata)
    if name in metadata["search"]:
        metadata["search"][name] = value
    else:
        metadata[name] = value
    return Contents(arrays, metadata)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("version", 0, "version makes no sense"),
        ("version", "1", "version makes no sense"),
        ("metric", "manhattan", "metric is not one that is known"),
        ("metric", ["cosine"], "metric is not one that is known"),
        ("metric", "precomputed", "there are not as many rows as distances to them"),
        ("kernel", "authors", "kernel is not one that is known"),
        ("kernel", None, "kernel is not one that is known"),
        ("kernel_scale", 0, "kernel_scale is not above zero"),
        ("kernel_scale", float("nan"), "kernel_scale is not a finite number"),
        ("kernel_scale", 1e-200, "kernel_scale is out of range"),
        ("kernel_scale", True, "kernel_scale is not a number"),
        ("n_neighbors", 0, "n_neighbors makes no sense"),
        ("n_neighbors", 9, "n_neighbors makes no sense"),
        ("n_neighbors", 2.0, "n_neighbors makes no sense"),
        ("n_features", 3, "rows, features and memberships do not match"),
        ("n_features", 2**31, "n_features makes no sense"),
        ("feature_names", ["one"], "feature_names make no sense"),
        ("feature_names", ["one", 2], "feature_names make no sense"),
        ("feature_names", ["one", "\ud800"], "feature_names make no sense"),
        ("method", "import os", "method makes no sense"),
        ("method", 5, "method makes no sense"),
        ("parameters", {"init": [1, 2]}, "parameters make no sense"),
        ("parameters", [], "parameters make no sense"),
        ("agreement", 1.5, "sizes of clusters and rows do not match"),
        ("agreement", "0.99", "agreement is not a number"),
        ("search", [], "search makes no sense"),
        ("rows", np.full((8, 2), np.nan), "rows hold values out of range"),
        ("rows", np.zeros((7, 2)), "rows, features and memberships do not match"),
        ("rows", np.zeros(16), "the array 'rows' has a wrong form"),
        ("scale", 0.0, "scale is not above zero"),
        ("scale", 1e-320, "scale and unit do not match"),
        ("unit", 5e-324, "scale and unit do not match"),
        ("unit", -1.0, "unit is not above zero"),
        ("searcher", "exact", "searcher makes no sense"),
        ("searcher", {"name": "best"}, "name is not one that is known"),
        ("searcher", {"name": "auto", "n_probe": 3}, "searcher makes no sense"),
        ("searcher", {"name": "faiss", "n_probe": 0}, "n_probe makes no sense"),
        ("searcher", {"name": "faiss", "n_probe": 2**40}, "n_probe makes no sense"),
        ("searcher", {"name": "faiss", "power": 3}, "searcher has options that are not known"),
        ("searcher", {"name": "faiss", "n_probe": "auto"}, "searcher has options that are not"),
        ("seed", -1, "seed makes no sense"),
        ("seed", 2**63, "seed makes no sense"),
        ("cluster_sizes", [], "it has no clusters"),
        ("cluster_sizes", [8, 1, -1], "sizes of clusters make no sense"),
        ("cluster_sizes", [7, 0, 0], "sizes of clusters and rows do not match"),
        ("cluster_sizes", [4, 4], "a sparse matrix has entries outside of it"),
        ("memberships.lengths", [1] * 8, "the rows of a sparse matrix do not fit together"),
        ("memberships.columns", [2, 1, 0] * 8, "the columns of a sparse matrix are not in order"),
        ("memberships.values", [0.5] * 24, "memberships do not sum to one"),
        ("memberships.values", [2, -0.5, -0.5] * 8, "a membership is negative"),
        ("memberships.values", [np.nan] * 24, "a sparse matrix holds values that are not finite"),
    ],
)
def test_what_does_not_fit_together(tmp_path, model, name, value, reason):
    contents = spoiled(model, name, value)
    (tmp_path / "m").write_bytes(assemble(KIND, *contents))
    with pytest.raises(FileFormatError) as caught:
        read_model(tmp_path / "m")
    start = f"{tmp_path}/m does not hold a model that can be used: {reason}"
    assert str(caught.value).startswith(start)


@pytest.mark.parametrize("change", [lambda m: m, sparse_rows])
def test_whatever_is_missing_is_named(model, change):
    arrays, metadata = encode(change(model))
    for name in arrays:
        with pytest.raises(ValueError, match=f"^{name.split('.', maxsplit=1)[0]}.* is missing$"):
            decode(Contents({k: v for k, v in arrays.items() if k != name}, metadata))
    for name in metadata:
        with pytest.raises(ValueError, match=f"^{name} is missing$"):
            decode(Contents(arrays, {k: v for k, v in metadata.items() if k != name}))


def test_a_later_version(tmp_path, model):
    (tmp_path / "m").write_bytes(assemble(KIND, *spoiled(model, "version", 2)))
    message = (
        "m does not hold a model that can be used: it has the model version 2, but this graphpac "
        "knows versions up to 1, so read it with a newer one.$"
    )
    with pytest.raises(FileFormatError, match=message):
        read_model(tmp_path / "m")


def test_another_kind_of_file(tmp_path):
    write_file(tmp_path / "m", "checkpoint run", Contents({}, {}))
    with pytest.raises(FileFormatError, match="m is a file of the kind 'checkpoint run' instead"):
        read_model(tmp_path / "m")
