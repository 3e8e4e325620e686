"""Merging of groups against all pairs looked at anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.kernels import merging
from graphpac.kernels.merging import AVERAGE, INFORMATION, LIKELIHOOD, Groups, Rule, merge_groups
from tests.reference import merging as reference
from tests.strategies import link_matrices

RULES = st.one_of(
    st.just(Rule(AVERAGE, 0.0)),
    st.sampled_from([1 / 256, 1 / 16, 1.0]).map(lambda price: Rule(LIKELIHOOD, price)),
    st.sampled_from([-2.0, 0.0, 0.5]).map(lambda price: Rule(INFORMATION, price)),
)
BY_AVERAGE = Rule(AVERAGE, 0.0)


def cuts_of(links):
    return links.sum(axis=1) - links.diagonal()


def merged(links, weights, sizes, family, rule=BY_AVERAGE, least=0.0):
    """Merge copies; return pairs and affinities."""
    n_groups = len(sizes)
    pairs, affinities = np.full((n_groups - 1, 2), -1, np.int32), np.full(n_groups - 1, np.nan)
    groups = Groups(links.copy(), weights.copy(), cuts_of(links))
    family = np.asarray(family, np.int32)
    n_families = np.unique(family).size
    n_merged = merge_groups(
        groups, sizes.copy(), family, n_families, rule, least, pairs, affinities
    )
    assert n_merged == n_groups - 1
    return pairs, affinities


def compare(n_groups, weights, density, rule, least, n_families, rng):
    """Merge random groups here and in the reference."""
    links = np.triu(rng.choice(weights, (n_groups, n_groups)), 1)
    links *= rng.random(links.shape) < density
    links += links.T
    sizes, masses = rng.choice(weights, (2, n_groups))
    family = rng.integers(0, n_families, n_groups)
    pairs, affinities = merged(links, masses, sizes, family, rule, least)
    expected, values = reference.merge(links, masses, cuts_of(links), sizes, family, rule, least)
    assert pairs.tolist() == [list(pair) for pair in expected]
    assert_array_equal(affinities, values)


@settings(max_examples=60)
@given(
    n_groups=st.integers(1, 22),
    weights=st.sampled_from([[1.0], [1.0, 2.0], [1.0, 2.0, 3.0, 5.0, 40.0]]),
    density=st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]),
    rule=RULES,
    least=st.sampled_from([0.0, 0.0, 2.0, 6.0, 100.0]),
    n_families=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)
def test_merges_are_those_of_the_reference(
    n_groups, weights, density, rule, least, n_families, seed
):
    """Weights are few, so that many pairs are equal, and whole: sums are exact in any order."""
    compare(n_groups, weights, density, rule, least, n_families, np.random.default_rng(seed))


def test_thousands_of_small_trees_are_those_of_the_reference(seed):
    """A partner that is lost, tied or overtaken at the wrong moment shows in few trees of many."""
    rng = np.random.default_rng(seed)
    for _ in range(2000):
        weights = np.array([1.0, 2.0, 3.0, 5.0])[: rng.integers(1, 5)]
        rule, density = Rule(LIKELIHOOD, 0.25 ** rng.integers(1, 5)), rng.choice([0.3, 0.7, 1.0])
        least, n_families = rng.choice([0.0, 0.0, 2.0, 6.0]), rng.integers(1, 4)
        compare(rng.integers(3, 13), weights, density, rule, least, n_families, rng)


@given(links=link_matrices(max_samples=10), seed=st.integers(0, 2**32 - 1), rule=RULES)
def test_families_are_whole_before_they_meet(links, seed, rule):
    rng = np.random.default_rng(seed)
    family = rng.integers(0, 3, len(links))
    sizes = rng.integers(1, 6, len(links)).astype(float)
    pairs, _ = merged(links, sizes, sizes, family, rule, least=4.0)
    n_within = len(links) - np.unique(family).size
    assert all(family[a] == family[b] for a, b in pairs[:n_within])


def test_small_groups_go_first_to_where_their_links_lead():
    links = np.array([[0, 9, 0, 1], [9, 0, 2, 0], [0, 2, 0, 0], [1, 0, 0, 0]], float)
    sizes = np.array([50.0, 50.0, 3.0, 2.0])
    pairs, _ = merged(links, sizes, sizes, np.zeros(4), least=5.0)
    assert pairs.tolist() == [[0, 3], [1, 2], [0, 1]]


def test_groups_without_links_go_by_weight():
    sizes = np.array([7.0, 2.0, 30.0, 1.0])
    pairs, _ = merged(np.zeros((4, 4)), sizes, sizes, np.zeros(4))
    assert pairs.tolist() == [[1, 3], [0, 1], [0, 2]]


@pytest.mark.parametrize("rule", [BY_AVERAGE, Rule(LIKELIHOOD, 1e-3), Rule(INFORMATION, 0.0)])
@pytest.mark.parametrize("least", [0.0, 1e9])
@pytest.mark.parametrize("links", ["none", "all", "star"])
def test_equal_groups_take_few_searches(links, least, rule, monkeypatch):
    """Everybody has the same partner: to search for all anew at each merge takes n^3 steps."""
    n_groups, n_searches = 60, 0
    matrix = np.full((n_groups, n_groups), float(links == "all"))
    if links == "star":
        matrix[0] = matrix[:, 0] = 1.0
    plain = {name: getattr(merging, name) for name in ("find_partner", "merge_groups")}
    python = {name: getattr(function, "py_func", function) for name, function in plain.items()}

    def counted(*arguments):
        nonlocal n_searches
        n_searches += 1
        return python["find_partner"](*arguments)

    monkeypatch.setattr(merging, "find_partner", counted)
    ones = np.ones(n_groups)
    pairs, values = np.empty((n_groups - 1, 2), np.int32), np.empty(n_groups - 1)
    family = np.zeros(n_groups, np.int32)
    groups = Groups(matrix, ones, cuts_of(matrix))
    python["merge_groups"](groups, ones.copy(), family, 1, rule, least, pairs, values)
    assert n_searches <= 5 * n_groups
    assert np.isfinite(values).all()


def test_hundreds_of_groups_without_links_merge():
    sizes = np.random.default_rng(0).integers(1, 100, 300).astype(float)
    pairs, affinities = merged(np.zeros((300, 300)), sizes, sizes, np.zeros(300))
    assert np.unique(pairs[:, 1]).size == 299  # each goes once
    assert np.all(np.diff(affinities) <= 0.0)
