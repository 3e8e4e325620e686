"""The whole way with real data: fit, predict, report."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from graphpac import GPAC
from graphpac.runs.folder import LABELS, MODEL, OUTPUTS, REPORT


@pytest.mark.slow
def test_mnist_from_a_file_to_a_report(graphpac, dataset, tmp_path):
    X = dataset("mnist").X
    np.save(tmp_path / "mnist.npy", X)
    run = tmp_path / "run"
    fitted = graphpac("fit", tmp_path / "mnist.npy", "--clusters", "10", "--output", run)
    assert fitted.code == 0, fitted.err
    assert {path.name for path in run.iterdir()} == set(OUTPUTS)
    labels = np.array(pq.read_table(run / LABELS)["label"])
    expected = GPAC(n_clusters=10, random_state=0).fit(X)
    assert np.array_equal(labels, expected.labels_)

    np.save(tmp_path / "new.npy", X[:100])
    new = tmp_path / "new.parquet"
    for model in (run, run / MODEL):
        predicted = graphpac("predict", model, tmp_path / "new.npy", "--output", new, "--overwrite")
        assert predicted.code == 0, predicted.err
        assert np.mean(np.array(pq.read_table(new)["label"]) == labels[:100]) >= 0.99

    reported = graphpac("report", run, "--image-shape", "28x28", "--title", "Digits by hand")
    assert reported.code == 0, reported.err
    page = (run / REPORT).read_text(encoding="utf-8")
    assert "Digits by hand" in page
    assert "data:image/png" in page
    assert (run / REPORT).stat().st_size < 15e6
