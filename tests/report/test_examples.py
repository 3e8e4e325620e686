"""Typical and doubtful rows, against a search through all rows."""

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphpac import NeighborGraph, build_neighbor_graph
from graphpac.report.examples import MOST_EXAMPLES, choose_examples
from graphpac.solvers.memberships import top_memberships
from tests.strategies import random_graphs


@given(graph=random_graphs(min_samples=2), n_clusters=st.integers(1, 5), seed=st.integers(0, 99))
def test_examples_are_the_first_by_standing_and_by_lead(graph, n_clusters, seed):
    rng = np.random.default_rng(seed)
    dense = rng.dirichlet(np.ones(n_clusters), graph.n_samples).astype(np.float32)
    labels, best = dense.argmax(axis=1), dense.max(axis=1).astype(np.float64)
    lists = np.split(graph.indices, graph.indptr[1:-1])

    def standing(row):
        named_by = [j for j, mine in enumerate(lists) if row in mine and labels[j] == labels[row]]
        return best[row] * (1 + sum(best[j] for j in named_by))

    def lead(row):
        second = np.sort(dense[row])[-2] if n_clusters > 1 else 0.0
        return dense[row].max() - second

    found = choose_examples(
        graph, top_memberships(sp.csr_matrix(dense), min(3, n_clusters)), n_clusters
    )

    for cluster in range(n_clusters):
        members = np.flatnonzero(labels == cluster)
        typical = sorted(members, key=lambda row: (-standing(row), row))[:MOST_EXAMPLES]
        doubtful = sorted(members, key=lambda row: (lead(row), row))[:MOST_EXAMPLES]
        for places, expected in ((found.typical, typical), (found.doubtful, doubtful)):
            listed = places[cluster][places[cluster] >= 0]
            np.testing.assert_allclose(
                [standing(row) + lead(row) for row in found.shown_rows[listed]],
                [standing(row) + lead(row) for row in expected],
            )
    shown = np.concatenate([found.typical.ravel(), found.doubtful.ravel()])
    assert set(shown[shown >= 0]) == set(range(found.shown_rows.size))


def test_many_clusters_get_few_examples_each(seed):
    rng = np.random.default_rng(seed)
    labels = np.arange(4000) % 1000
    top = top_memberships(sp.csr_matrix((np.ones(4000), (np.arange(4000), labels))), 2)
    graph_rows = rng.integers(4000, size=(4000, 3))
    graph = NeighborGraph.from_neighbors(graph_rows, np.ones((4000, 3)))
    found = choose_examples(graph, top, 1000)
    assert found.typical.shape == found.doubtful.shape == (1000, 2)
    assert (found.typical >= 0).all()


def test_a_row_that_repeats_is_shown_once():
    kinds = np.random.default_rng(0).normal(size=(12, 3))
    graph = build_neighbor_graph(np.tile(kinds, (20, 1)), 3)
    memberships = np.tile(np.random.default_rng(1).dirichlet(np.ones(2), 12), (20, 1))

    found = choose_examples(graph, top_memberships(sp.csr_matrix(memberships), 2), 2)

    assert found.shown_rows.max() < 12
