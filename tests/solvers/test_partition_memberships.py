"""Memberships of a partition, against averages of dense matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphpac._threads import Workers
from graphpac.kernels.batches import LocalGraph
from graphpac.solvers.memberships import largest_membership
from graphpac.solvers.partition_memberships import STEPS, partition_memberships


def local_graph(rng, n, k, *, alone=0):
    """Neighbors with weights that sum to one; the first ``alone`` samples have none."""
    counts = np.where(np.arange(n) < alone, 0, k)
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    weights = rng.random(indptr[-1]) + 0.1
    sources = np.repeat(np.arange(n), counts)
    weights /= np.bincount(sources, weights=weights, minlength=n)[sources]
    indices = rng.integers(n, size=indptr[-1]).astype(np.int32)
    return LocalGraph(indptr, indices, weights.astype(np.float32))


def dense(local):
    n = local.indptr.size - 1
    matrix = np.zeros((n, n))
    sources = np.repeat(np.arange(n), np.diff(local.indptr))
    np.add.at(matrix, (sources, local.indices), local.weights)
    without = np.diff(local.indptr) == 0
    matrix[without, without] = 1.0
    return matrix


def found(local, labels, n_clusters, fuzziness=1.05, n_jobs=1):
    with Workers(n_jobs) as workers:
        return partition_memberships(
            local, labels, n_clusters, fuzziness=fuzziness, workers=workers
        )


@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.sampled_from([1.02, 1.05, 1.3]))
def test_they_are_powers_of_averages(seed, n_clusters, fuzziness):
    rng = np.random.default_rng(seed)
    local = local_graph(rng, 40, 4, alone=2)
    labels = rng.integers(n_clusters, size=40).astype(np.int32)
    expected = np.linalg.matrix_power(dense(local), STEPS) @ np.eye(n_clusters)[labels]
    expected **= 0.05 / (fuzziness - 1.0)
    expected /= expected.sum(axis=1, keepdims=True)

    memberships = found(local, labels, n_clusters, fuzziness)

    np.testing.assert_allclose(memberships.sum(axis=1), 1.0, atol=1e-5)
    np.testing.assert_array_equal(largest_membership(memberships)[0], labels)
    agree = expected[np.arange(40), labels] > 1.002 * np.sort(expected, axis=1)[:, -2]
    np.testing.assert_allclose(memberships.toarray()[agree], expected[agree], atol=2e-3)


def test_a_label_that_neighbors_speak_against_is_the_largest_by_little():
    everyone = np.arange(4, dtype=np.int32)
    local = LocalGraph(
        np.array([0, 3, 6, 9, 12]),
        np.concatenate([np.delete(everyone, i) for i in everyone]),
        np.full(12, 1 / 3, dtype=np.float32),
    )
    memberships = found(local, np.array([1, 0, 0, 0], dtype=np.int32), 3).toarray()
    assert memberships[0, 1] > memberships[0, 0] > 0.4
    assert memberships[0, 2] == 0.0


@pytest.mark.parametrize("n_clusters", [1, 3, 40])
def test_any_number_of_threads_gives_the_same_bits(n_clusters):
    rng = np.random.default_rng(0)
    local = local_graph(rng, 40_000, 10)
    labels = rng.integers(n_clusters, size=40_000).astype(np.int32)
    one, four = (found(local, labels, n_clusters, n_jobs=n_jobs) for n_jobs in (1, 4))
    assert (one != four).nnz == 0
    assert np.diff(one.indptr).max() <= 16
    np.testing.assert_array_equal(largest_membership(one)[0], labels)
