"""What a fit begins with, and what it need not do again."""

import numpy as np
import pytest

from graphpac import GPAC, PAC, build_neighbor_graph
from graphpac.datasets import make_mixture
from graphpac.fitting import run
from graphpac.fitting.run import begin_fit

ALL = ("graph", "start", "optimize")


@pytest.fixture(scope="module", name="X")
def rows():
    return make_mixture(300, 6, 4, random_state=0)[0]


def test_memory_is_looked_at_once_for_what_is_not_stored(X, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(run, "check_fit_fits", lambda model, X, stages: asked.append(stages))

    def stages_after(*lost):
        for name in lost:
            (tmp_path / f"{name}.gpac").unlink()
        asked.clear()
        GPAC(4, max_iter=6, random_state=0).fit(X, checkpoint=tmp_path)
        (stages,) = asked
        return stages

    assert stages_after() == ALL
    assert stages_after() == ()
    assert stages_after("result") == ("optimize",)
    assert stages_after("result", "start") == ("start", "optimize")
    assert stages_after("result", "graph") == ("graph", "optimize")
    asked.clear()
    GPAC(4, max_iter=6).fit(X)
    GPAC(4, max_iter=6).fit_graph(build_neighbor_graph(X, 5))
    PAC(4, max_iter=3).fit(X)
    assert asked == [ALL, ALL, ALL]


@pytest.mark.parametrize("n_neighbors", [3, lambda n_rows: n_rows // 100])
def test_rows_come_back_only_for_what_is_made_of_them(X, n_neighbors):
    twice = np.concatenate((X, X))
    with begin_fit(GPAC(4), {}, twice) as fit:
        graph, originals, training = fit.connect(n_neighbors)
        assert originals is None
        assert (graph.n_samples, graph.n_originals) == (600, 300)
        assert training.n_neighbors == 3
        originals = fit.connect(n_neighbors, rows_for=run.GRAPH).originals
        assert originals.shape == X.shape


def test_a_start_is_read_only_where_it_may_be_more_than_a_name(X):
    with begin_fit(GPAC(4, init=np.arange(300) % 4), {}, X) as fit:
        assert fit.init is None
    with begin_fit(GPAC(4, init=np.arange(300) % 4), {}, X, starts=("zeros",)) as fit:
        assert fit.init.dtype == np.int32
    with (
        pytest.raises(ValueError, match="init='smoothed' must be one of 'zeros', labels"),
        begin_fit(GPAC(4), {}, X, starts=("zeros",)),
    ):
        pass
