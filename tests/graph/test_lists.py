"""Lists of samples, and numbers in which near ones are near."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graphpac.graph.lists import either_direction, lists_of
from graphpac.graph.locality import number_by_locality
from tests.reference import reach as reference
from tests.strategies import neighbor_graphs


@given(graph=neighbor_graphs())
def test_a_hop_goes_in_either_direction(graph):
    expected_indptr, expected_indices = reference.lists_of(reference.step_matrix(graph))

    indptr, indices = either_direction(graph)

    assert_array_equal(indptr, expected_indptr)
    assert_array_equal(indices, expected_indices)
    assert (indptr.dtype, indices.dtype) == (np.int64, np.int32)


@given(graph=neighbor_graphs(), seed=st.integers(0, 99))
def test_lists_of_some_samples_are_copied_with_their_places(graph, seed):
    lists = either_direction(graph)
    samples = np.random.default_rng(seed).integers(graph.n_samples, size=7).astype(np.int32)

    copied, places = lists_of(lists, samples)

    assert_array_equal(lists.indices[places], copied.indices)
    for a, i in enumerate(samples):
        assert_array_equal(
            copied.indices[copied.indptr[a] : copied.indptr[a + 1]],
            lists.indices[lists.indptr[i] : lists.indptr[i + 1]],
        )


@given(graph=neighbor_graphs(), n_labels=st.integers(1, 5), seed=st.integers(0, 99))
def test_samples_of_one_label_have_numbers_in_a_row(graph, n_labels, seed):
    n = graph.n_samples
    labels = np.random.default_rng(seed).integers(-1, n_labels, n).astype(np.int32)
    step = either_direction(graph)

    numbering = number_by_locality(step, labels)

    assert_array_equal(np.sort(numbering.order), np.arange(n))
    assert_array_equal(numbering.numbers[numbering.order], np.arange(n))
    changes = np.count_nonzero(np.diff(labels[numbering.order]))
    assert changes == np.unique(labels).size - 1


@given(graph=neighbor_graphs(), seed=st.integers(0, 99))
def test_renumbered_lists_tell_the_same_of_the_same_samples(graph, seed):
    n = graph.n_samples
    step = either_direction(graph)
    labels = np.random.default_rng(seed).integers(3, size=n).astype(np.int32)
    numbering = number_by_locality(step, labels)

    (indptr, indices), places = numbering.renumber(step)

    assert_array_equal(numbering.order[indices], step.indices[places])
    expected = reference.step_matrix(graph)
    for a, i in enumerate(numbering.order):
        reached = numbering.order[indices[indptr[a] : indptr[a + 1]]]
        assert_array_equal(np.sort(reached), np.flatnonzero(expected[i]))
