"""Partitions into any number of clusters, from the communities of a graph."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import adjusted_rand_score

from graphpac.solvers.communities import level_by_level
from graphpac.solvers.levels import COARSEST, Levels
from tests.strategies import link_graph, planted_links


@pytest.fixture(scope="module")
def planted():
    A, labels = planted_links([30] * 6, np.random.default_rng(0), inside=20.0)
    return link_graph(A), labels


def test_planted_groups_are_a_level(planted):
    graph, labels = planted
    assert adjusted_rand_score(Levels(graph).cut(6), labels) == 1.0


@pytest.mark.parametrize("n_clusters", [1, 2, 3, 5, 7, 20, 50])
def test_cuts_have_as_many_clusters_as_asked_for(planted, n_clusters):
    found = Levels(planted[0]).cut(n_clusters)
    assert found.dtype == np.int32
    assert_array_equal(np.unique(found), np.arange(n_clusters))


def test_fewer_clusters_than_groups_are_unions_of_them(planted):
    graph, labels = planted
    found = Levels(graph).cut(3)
    assert {np.unique(found[labels == group]).size for group in range(6)} == {1}


def test_a_cut_does_not_depend_on_others(planted):
    levels = Levels(planted[0])
    many_first = {number: levels.cut(number) for number in (40, 12, 3)}
    for number in (3, 12, 40):
        assert_array_equal(Levels(planted[0]).cut(number), many_first[number])


def test_more_clusters_than_samples_are_as_many_as_samples():
    pair = link_graph(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert sorted(Levels(pair).cut(5)) == [0, 1]
    assert_array_equal(Levels(link_graph(np.zeros((1, 1)))).cut(2), [0])


def test_levels_begin_at_the_coarsest_resolution(planted):
    graph, _ = planted
    levels = Levels(graph)
    n_coarsest = int(level_by_level(graph, COARSEST).max()) + 1
    levels.reach(1)
    assert [level.n_communities for level in levels._levels] == [n_coarsest]
