"""Checkpoints and models that a release left behind are of use to the code of today.

Those in tests/data/release-0.1.0 were written by that release; `write_kept_files` is for the next.
Where a checkpoint fails here, whoever updates in the middle of a fit loses it.
"""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import graphpac
from graphpac import GPAC, SolverOptions
from graphpac.datasets import load
from graphpac.metrics import adjusted_rand_index
from tests.processor import cpu

KEPT = Path(__file__).parents[1] / "data" / "release-0.1.0"
# What a snapshot holds differs between these.
FITS = {
    "dense": {"n_clusters": 10},
    "pools": {"n_clusters": 10, "solver": SolverOptions(n_pool_batches=2, n_pool_epochs=4)},
    "sparse": {"n_clusters": 70, "metric": "euclidean"},
}
# With five rows a cluster rounding decides: rows moved by a part in ten million agree by .64.
LEAST_AGREEMENT = {"dense": 0.95, "pools": 0.95, "sparse": 0.5}
MODELS = ("dense", "sparse")
STOPPED_AFTER = 7  # a snapshot is taken every five iterations
PARTS = ("graph", "start", "state")  # in the order they are reached

pytestmark = pytest.mark.filterwarnings("ignore:only .* clusters have samples")


def kept_rows():
    """Rows of whole numbers, the same bits on every machine: to fit, and to place afterwards."""
    X = load("digits").X
    return X[:350], X[350:500]


def kept_model(name):
    return GPAC.as_published(**FITS[name], max_iter=30, random_state=0)


def recorded(name):
    return json.loads((KEPT / "expected.json").read_text(encoding="utf-8"))[name]


def digest(model):
    return hashlib.sha256(model.labels_.tobytes() + model.memberships_.data.tobytes()).hexdigest()


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("last", PARTS)
def test_a_fit_goes_on_from_the_last_part_it_stored(name, last, tmp_path):
    folder = tmp_path / name
    shutil.copytree(KEPT / name, folder)
    for missing in PARTS[PARTS.index(last) + 1 :]:
        (folder / f"{missing}.gpac").unlink()
    seen = []

    model = kept_model(name).fit(
        kept_rows()[0], checkpoint=folder, callback=lambda record: seen.append(record.iteration)
    )

    assert seen[0] == (6 if last == "state" else 1)
    expected = recorded(name)
    assert adjusted_rand_index(expected["labels"], model.labels_) >= LEAST_AGREEMENT[name]
    if cpu() in expected["sha256"]:
        assert digest(model) == expected["sha256"][cpu()]


@pytest.mark.parametrize("form", ["whole", "compact"])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_places_rows_as_it_did(name, form):
    model = graphpac.load(KEPT / f"{name}-{form}.graphpac")

    placed = model.predict(kept_rows()[1])

    assert model.method == "GPAC"
    assert np.mean(placed == recorded(name)[form]) >= 0.98


def write_kept_files(folder):
    """Leave a fit of each kind in a folder, its model, and what the two should give."""

    def leave(record):
        if record.iteration == STOPPED_AFTER:
            raise KeyboardInterrupt

    expected = {}
    rows, others = kept_rows()
    for name in FITS:
        with pytest.raises(KeyboardInterrupt):
            kept_model(name).fit(rows, checkpoint=folder / name, callback=leave)
        (folder / name / "lock").unlink()
        model = kept_model(name).fit(rows)
        expected[name] = {"labels": model.labels_.tolist(), "sha256": {cpu(): digest(model)}}
        for form in ("whole", "compact") if name in MODELS else ():
            path = folder / f"{name}-{form}.graphpac"
            graphpac.save(model, path, compact=form == "compact")
            expected[name][form] = graphpac.load(path).predict(others).tolist()
    (folder / "expected.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")
