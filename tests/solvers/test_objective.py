"""The objective against dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphpac.graph.hops import build_hop_graph
from graphpac.graph.lists import either_direction
from graphpac.graph.locality import number_by_locality
from graphpac.solvers import objective
from graphpac.solvers.objective import sampled_objective
from tests.reference import gpac as reference
from tests.reference.reach import hop_matrix
from tests.strategies import membership_matrix, random_graphs


@given(
    graph=random_graphs(),
    n_clusters=st.integers(1, 6),
    n_sampled=st.sampled_from([5, 2000]),
    alpha=st.floats(0.0, 3.0),
    fuzziness=st.floats(1.01, 3.0),
    n_hops=st.integers(2, 4),
    draw_seed=st.integers(0, 999),
)
def test_the_sampled_objective_equals_the_dense_one_over_its_rows(
    graph, n_clusters, n_sampled, alpha, fuzziness, n_hops, draw_seed
):
    rng = np.random.default_rng(draw_seed)
    n = graph.n_samples
    P = membership_matrix(n, n_clusters, rng)
    labels = rng.integers(-1, n_clusters, n).astype(np.int32)
    step = either_direction(graph)
    numbering = number_by_locality(step, labels)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objective, "SAMPLED_ROWS", n_sampled)
        value = sampled_objective(
            sp.csr_matrix(P.astype(np.float32)),
            labels,
            build_hop_graph(numbering.renumber(step)[0], n_hops),
            numbering,
            fuzziness=fuzziness,
            alpha=alpha,
        )

    rows = np.linspace(0, n - 1, min(n, n_sampled)).astype(int)
    expected = reference.objective(
        P[rows],
        reference.one_hot(labels[rows], n_clusters),
        hop_matrix(graph, n_hops)[np.ix_(rows, rows)],
        alpha=alpha,
        m=fuzziness,
    )
    assert value == pytest.approx(expected, rel=1e-6, abs=1e-9)
