"""Odd numbers, types and containers: a sound result from every method, for any finite input."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from graphpac import RCC, FuzzyCMeans, SCANHead, SphericalKMeans
from tests.contracts.estimators import ESTIMATORS, first_of_each

N_ROWS = 60
FORMS = [form for form, _ in ESTIMATORS if getattr(form, "metric", "") != "precomputed"]
FORMS += [RCC(scaling="none"), RCC(scaling="unit")]
SHORT = {"max_iter": 6, "n_init": 1, "n_anchors": 10, "n_heads": 2}
FROM_CENTERS = (SphericalKMeans, SCANHead)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # few groups, or none at all


def groups():
    """Three groups, in values that float32 holds."""
    rng = np.random.default_rng(0)
    rows = 6.0 * np.eye(3, 5)[np.arange(N_ROWS) % 3] + rng.normal(size=(N_ROWS, 5))
    return rows.astype(np.float32).astype(np.float64)


def odd_values():
    """Name inputs whose values are odd."""
    X, rng = groups(), np.random.default_rng(1)
    largest = np.finfo(np.float64).max
    alternating = np.where(np.arange(N_ROWS) % 2, 1.0, -1.0)[:, np.newaxis]
    found = {
        f"times 1e{power}": X * float(f"1e{power}")
        for power in (-320, -300, -160, -40, -20, -10, 10, 19, 38, 154, 200, 300, 307)
    }
    found |= {f"plus {offset:g}": X + offset for offset in (1e6, 1e9, 1e16, 1e100, 1e300)}
    found |= {f"all {value:g}": np.full((N_ROWS, 5), value) for value in (0, 0.1, 1e-300, largest)}
    for value in (1e10, 1e20, 1e38, -1e38, 1e160, largest):
        found[f"one value {value:g}"] = X.copy()
        found[f"one value {value:g}"][7, 2] = value
    found |= {
        "columns of all sizes": X * [1e300, 1e20, 1.0, 1e-20, 1e-300],
        "rows of two sizes": X * 10.0 ** (300.0 * alternating),
        "rows of all sizes": X * np.geomspace(1e-300, 1e300, N_ROWS)[:, np.newaxis],
        "both ends": largest * rng.choice([-1.0, 1.0], (N_ROWS, 5)),
        "smallest of all": 5e-324 * rng.integers(0, 5, (N_ROWS, 5)),
        "last bit": 1.0 + np.finfo(np.float64).eps * rng.integers(0, 4, (N_ROWS, 5)),
        "one and zero": rng.integers(0, 2, (N_ROWS, 5)).astype(np.float64),
        "one of five": np.eye(5)[rng.integers(0, 5, N_ROWS)],
        "one in a row": np.eye(N_ROWS),
        "one in all": np.eye(1, N_ROWS * 5).reshape(N_ROWS, 5),
        "negative zero": np.where(X < 0, -0.0, X),
        "two values": np.repeat([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], N_ROWS // 2, axis=0),
        "ten copies": np.repeat(X[:6], 10, axis=0),
        "one row unlike the rest": np.vstack([X[:1], np.repeat(X[1:2], N_ROWS - 1, axis=0)]),
        "zero rows": np.where(np.arange(N_ROWS)[:, np.newaxis] % 4 == 0, 0.0, X),
        "line": np.outer(np.arange(N_ROWS), [1.0, 2.0, 3.0]),
        "heavy tails": rng.standard_cauchy((N_ROWS, 5)) ** 9,
        "one column": X[:, :1],
        "one constant column": np.ones((N_ROWS, 1)),
        "one geometric column": np.geomspace(1e-300, 1e300, N_ROWS)[:, np.newaxis],
        "three rows": X[:3],
        "two rows": X[:2],
        "two equal rows": np.ones((2, 3)),
        "wide": 1e300 * rng.normal(size=(12, 300)),
    }
    for dtype in ("int8", "uint8", "int32", "int64", "uint64"):
        info = np.iinfo(dtype)
        found[dtype] = rng.integers(info.min, info.max, (N_ROWS, 5), dtype, endpoint=True)
        found[dtype][0], found[dtype][1] = info.min, info.max
    found["bool"] = X > 2.0
    found["float16"] = (65504.0 * X / abs(X).max()).astype(np.float16)
    found["float32"] = (1e37 * X).astype(np.float32)
    found["tiny float32"] = (1e-42 * X).astype(np.float32)
    return found


def odd_sparse():
    """Name matrices of which so little is stored that they stay sparse."""
    rng = np.random.default_rng(2)
    X = sp.random_array((N_ROWS, 60), density=0.04, format="csr", random_state=rng)
    outlier = X.copy()
    outlier.data[7] = 1e38
    explicit = X.copy()
    explicit.data[::3] = 0.0
    found = {f"sparse times {size:g}": X * size for size in (1.0, 1e-300, 1e-20, 1e20, 1e300)}
    return found | {
        "sparse nothing": sp.csr_matrix((N_ROWS, 60)),
        "sparse outlier": outlier,
        "sparse zeros that are stored": explicit,
        "sparse bool": sp.csr_matrix(X > 0.5),
        "sparse COO": sp.coo_array(X),
    }


def odd_containers(folder):
    """Name ordinary values in odd containers."""
    X = groups()
    np.save(folder / "rows.npy", X)
    read_only = X.copy()
    read_only.flags.writeable = False
    twice = np.arange(0, 2 * X.size + 1, 2 * X.shape[1])
    columns = np.tile(np.arange(X.shape[1]), 2 * N_ROWS)
    return {
        "Fortran order": np.asfortranarray(X),
        "strided": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "backwards": X[::-1, ::-1][::-1, ::-1],
        "read-only": read_only,
        "memory map": np.load(folder / "rows.npy", mmap_mode="r"),
        "big-endian": X.astype(">f8"),
        "long double": X.astype(np.longdouble),
        "objects": X.astype(object),
        "masked": np.ma.masked_array(X, mask=False),
        "list": X.tolist(),
        "CSR": sp.csr_matrix(X),
        "CSC": sp.csc_array(X),
        "COO": sp.coo_array(X),
        "CSR with copies": sp.csr_matrix((np.repeat(X / 2, 2, axis=0).ravel(), columns, twice)),
    }


def fitted(form, X):
    """Fit a short form of an estimator on one thread."""
    model = clone(form)
    known = model.get_params()
    settings = {**SHORT, "random_state": 0, "n_jobs": 1}
    if known.get("n_clusters") is not None:
        settings["n_clusters"] = min(3, len(X) if isinstance(X, list) else X.shape[0])
    if known.get("n_anchors") is None:
        del settings["n_anchors"]
    model.set_params(**{name: settings[name] for name in settings.keys() & known.keys()})
    return model.fit(X)


def faults_of(model, X):
    """List what is wrong with a fitted model."""
    n_rows = len(X) if isinstance(X, list) else X.shape[0]
    faults = [
        f"{name} is not finite"
        for name, value in vars(model).items()
        if name.endswith("_") and not all(np.isfinite(part).all() for part in numbers_in(value))
    ]
    n_clusters = len(model.cluster_sizes_)
    labels, predicted = model.labels_, model.predict(X)
    for name, found in (("labels_", labels), ("predict", predicted)):
        if found.shape != (n_rows,) or found.min() < 0 or found.max() >= n_clusters:
            faults.append(f"{name} gives {found}")
    if hasattr(model, "predict_proba") and not np.isfinite(model.predict_proba(X)).all():
        faults.append("predict_proba is not finite")
    by_centers = isinstance(model, FuzzyCMeans) and model.local_weight == 0.0
    if (by_centers or isinstance(model, FROM_CENTERS)) and not np.array_equal(labels, predicted):
        faults.append(f"predict differs from labels_ {np.sum(labels != predicted)} times")
    return faults


def numbers_in(value):
    """Yield the arrays of numbers in an attribute."""
    if sp.issparse(value):
        yield value.data
    elif isinstance(value, tuple | list):
        for part in value:
            yield from numbers_in(part)
    elif isinstance(value, float | np.ndarray) and np.asarray(value).dtype.kind == "f":
        yield np.asarray(value)


def told_faults(form, inputs):
    """List what is wrong with the fits of inputs, each with the name of the input."""
    told = []
    for name, X in inputs.items():
        try:
            told += [f"{name}: {fault}" for fault in faults_of(fitted(form, X), X)]
        except (ArithmeticError, IndexError, TypeError, ValueError, RuntimeWarning) as error:
            told.append(f"{name}: {type(error).__name__}: {error}")
    return told


every_form = pytest.mark.parametrize(
    "form",
    [
        pytest.param(form, marks=[] if first else pytest.mark.slow)
        for form, first in zip(FORMS, first_of_each(FORMS), strict=True)
    ],
    ids=lambda form: str(form).replace("\n", " "),
)


@every_form
def test_odd_values_give_sound_results(form):
    inputs = odd_values() | (odd_sparse() if form._takes_sparse else {})
    assert told_faults(form, inputs) == []


@every_form
def test_scaling_by_a_power_of_two_changes_nothing(form):
    if isinstance(form, RCC) and form.scaling == "none":
        pytest.skip("several constants of the method are absolute")
    X = groups()
    expected = fitted(form, X)
    for power in (-1000, -120, 120, 1000):
        scaled = np.ldexp(X, power)
        model = fitted(form, scaled)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_array_equal(model.predict(scaled), expected.predict(X))
        if hasattr(model, "memberships_"):
            assert (model.memberships_ != expected.memberships_).nnz == 0


@pytest.mark.parametrize("kind", sorted({type(form) for form in FORMS}, key=lambda k: k.__name__))
def test_any_container_gives_the_same(kind, tmp_path):
    takes_sparse = kind()._takes_sparse
    expected = fitted(kind(), groups()).labels_
    for name, X in odd_containers(tmp_path).items():
        if takes_sparse or not sp.issparse(X):
            model = fitted(kind(), X)
            assert faults_of(model, X) == [], name
            if not sp.issparse(X):  # whose products are summed in another order
                np.testing.assert_array_equal(model.labels_, expected, err_msg=name)
