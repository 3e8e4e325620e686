"""Over twenty thousand changed files: each gives our own error, or something that works.

Most have right checksums, so that what reads the meaning is reached, not only what reads the bytes.
"""

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac import load
from graphpac.exceptions import CheckpointError, FileFormatError
from graphpac.graph.searchers import FaissSearcher
from graphpac.io import Run, open_checkpoint
from graphpac.io.container import read_file
from graphpac.io.parts import GRAPH, RESULT, START, STATE, Sizes
from graphpac.models.loaded import clusterer_of
from graphpac.models.model_file import KIND, Model, ModelRows, decode, encode, write_model
from graphpac.solvers import IterationRecord, Snapshot, SolverResult, Start
from tests.io.files import overwrite
from tests.io.mutations import mutate_bytes, mutate_meaning
from tests.strategies import membership_matrix, random_graph

BLOCKS = 8
MODEL_CASES = 350  # of each of five models, in each block
PART_CASES = 110  # of each of ten parts, in each block


def make_model(metric, rows, rng, **changes):
    n_rows = 9
    fields = {
        "method": "GPAC",
        "parameters": {"n_clusters": 3, "init": "smoothed", "random_state": None, "tol": 1e-3},
        "metric": metric,
        "n_neighbors": 4,
        "kernel": "auto",
        "kernel_scale": 0.75,
        "n_features": 2,
        "feature_names": ("width", "height"),
        "memberships": sp.csr_matrix(membership_matrix(n_rows, 3, rng), dtype=np.float32),
        "cluster_sizes": np.array([n_rows, 0, 0]),
        "agreement": None,
        "rows": rows,
    }
    return Model(**{**fields, **changes})


def make_models(rng):
    values = rng.normal(size=(9, 2))
    whole = rng.integers(0, 9, (9, 2)).astype(np.uint8)
    sparse = sp.csr_matrix(whole * rng.integers(0, 2, (9, 2)), dtype=np.float32)
    return [
        make_model("cosine", ModelRows(values.astype(np.float16), 1.0, 1.0, "auto", 5), rng),
        make_model("euclidean", ModelRows(values.astype(np.float16), 0.25, 1.0, "exact", 5), rng),
        make_model(
            "inner_product",
            ModelRows(sparse, None, 1.0, "exact", 0),
            rng,
            feature_names=None,
            agreement=0.995,
            cluster_sizes=np.array([20, 3, 0]),
        ),
        make_model("euclidean", ModelRows(whole, None, 1.0, FaissSearcher(n_probe=2), 5), rng),
        make_model("precomputed", None, rng, n_features=9, feature_names=None),
    ]


@pytest.mark.parametrize("block", range(BLOCKS))
def test_models(tmp_path, block, seed):
    rng = np.random.default_rng([seed, block])
    path = tmp_path / "model"
    refusals = []
    for model in make_models(rng):
        write_model(path, model)
        raw, contents = path.read_bytes(), read_file(path, KIND)
        assert_places_rows(load(path))
        for case in range(MODEL_CASES):
            changed = (
                mutate_bytes(raw, rng) if case % 4 == 0 else mutate_meaning(KIND, contents, rng)
            )
            overwrite(path, changed)
            try:
                loaded = load(path, n_jobs=1)
            except FileFormatError as error:
                refusals.append(str(error))
            else:
                assert_holds_shares(loaded.memberships_)
                if case % 3 == 0:  # a search takes as long as reading ten files
                    assert_places_rows(loaded)
    assert all(refusal.startswith(f"{path} ") and "\n" not in refusal for refusal in refusals)
    assert 3 * MODEL_CASES < len(refusals) < 5 * MODEL_CASES


def assert_holds_shares(memberships):
    assert memberships.data.min() >= 0.0
    assert abs(memberships.sum(axis=1) - 1.0).max() < 1e-3


def assert_places_rows(model):
    """Clusters are counted alike everywhere, and rows the model knows get memberships in them."""
    assert model.labels_.max() < model.n_clusters == model.get_feature_names_out().size
    if model.n_features_in_ > 1000:
        return  # a sparse model may have any number of features
    known = (
        np.ones((2, model.n_features_in_))
        if model.metric == "precomputed"
        else model._predictor.training.as_given(slice(0, 2))
    )
    memberships = model._predictor.predict(known)
    assert memberships.shape == (2, model.n_clusters)
    assert_holds_shares(memberships)


SCALES = (5e-324, 1e-300, 1e-30, 0.25, 1.0, 1e30, 1e300)


@pytest.mark.parametrize("value", [0.5, 65504.0, 3e38])
def test_scales_are_refused_or_predict_without_a_warning(value, seed):
    """Warnings are errors in tests: an overflow anywhere in a prediction is seen."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(9, 2)).astype(np.float32)
    rows[0, 0] = value
    stored = rows.astype(np.float16) if value < 1e5 else rows
    n_accepted = 0
    for metric in ("cosine", "euclidean"):
        for scale in SCALES:
            for unit in (None, *SCALES):
                model = make_model(metric, ModelRows(stored, unit, scale, "exact", 5), rng)
                try:
                    loaded = clusterer_of(decode(encode(model)), n_jobs=1)
                except ValueError:
                    continue
                n_accepted += 1
                assert_places_rows(loaded)
                for factor in (1e-310, 1.0, 1e10, 1e300):
                    assert_places_or_refuses(loaded, factor * rng.uniform(0.5, 1.0, (2, 2)))
    assert n_accepted > len(SCALES)


def assert_places_or_refuses(model, X):
    try:
        memberships = model._predictor.predict(X)
    except ValueError as error:
        if "too far from the training rows" not in str(error):
            raise
    else:
        assert_holds_shares(memberships)


def store_parts(folder, n_clusters, rng):
    """Store one of each part in a folder, and return the run, its sizes, and the parts by name."""
    labels = rng.integers(-1, n_clusters, 6).astype(np.int32)
    memberships = sp.csr_matrix(membership_matrix(6, n_clusters, rng), dtype=np.float32)
    counts = tuple(rng.integers(0, 4, n_clusters).tolist())
    history = tuple(IterationRecord(i, 0.5, 0.25, 1.5, counts, 0.0) for i in (1, 2))
    state = {"labels": labels}
    if n_clusters <= 64:
        state["rows"] = np.full((6, -(-n_clusters // 16) * 16), 0.25, dtype=np.float32)
    else:
        state["clusters"] = rng.integers(0, n_clusters, (6, 4)).astype(np.int32)
        state["values"] = np.full((6, 4), 0.25, dtype=np.float32)
    position = rng.bit_generator.state
    values = {
        GRAPH: random_graph(6, 3, rng),
        START: Start(labels, memberships),
        STATE: Snapshot(history, state, position, position),
        RESULT: SolverResult(memberships, labels, history, True, 2, 3, 0.0, -1.5),
    }
    run = Run({"X": {"is": "an array", "sha256": "12"}, "n_clusters": n_clusters}, [1, 2, 3])
    sizes = Sizes(6, n_clusters)
    with open_checkpoint(folder) as checkpoint:
        checkpoint.begin(run, sizes)
        for part in (GRAPH, START, RESULT):
            checkpoint.save(part, values[part], seconds=1.5)
    with open_checkpoint(folder) as checkpoint:
        checkpoint.begin(run, sizes)
        checkpoint.save(STATE, values[STATE], seconds=1.5)
        yield checkpoint, run, sizes


@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("n_clusters", [3, 70])
def test_checkpoints(tmp_path, block, n_clusters, seed):
    rng = np.random.default_rng([seed, block, n_clusters])
    for checkpoint, run, sizes in store_parts(tmp_path, n_clusters, rng):
        refusals = []
        for part in (None, GRAPH, START, STATE, RESULT):
            name = "run" if part is None else part.name
            path = tmp_path / f"{name}.gpac"
            kind = f"checkpoint {name}"
            raw, contents = path.read_bytes(), read_file(path, kind)
            for case in range(PART_CASES):
                changed = (
                    mutate_bytes(raw, rng) if case % 4 == 0 else mutate_meaning(kind, contents, rng)
                )
                overwrite(path, changed)
                try:
                    if part is None:
                        assert all(0 <= number < 2**63 for number in checkpoint.begin(run, sizes))
                    else:
                        checkpoint.load(part)
                except CheckpointError as error:
                    refusals.append(str(error))
            overwrite(path, raw)
            checkpoint.begin(run, sizes)
        assert all(str(tmp_path) in refusal and "\n" not in refusal for refusal in refusals)
        assert 3 * PART_CASES < len(refusals) < 5 * PART_CASES
