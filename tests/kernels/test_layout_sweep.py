"""A round of the layout against the same round sample by sample."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.kernels.layout_sweep import Forces, draw_number, move_samples
from tests.reference import layout as reference
from tests.strategies import neighbor_graphs

FORCES = Forces(n_strangers=4, push=10.0, gravity=0.01, momentum=0.8, fastest=2.0)


def move(graph, coordinates, speeds, seed, start, stop, step=1.0):
    speeds, out = speeds.copy(), np.full_like(coordinates, np.nan)
    lists = graph.indptr, graph.indices
    move_samples(*lists, coordinates, FORCES, seed, step, (start, stop), speeds, out)
    return speeds, out


@given(
    graph=neighbor_graphs(),
    seed=st.integers(0, 2**62 - 1),
    spread=st.sampled_from([0.0, 0.1, 1.0, 30.0]),
)
def test_a_round_moves_every_sample_as_its_forces_say(graph, seed, spread):
    rng = np.random.default_rng(seed)
    coordinates, speeds = rng.normal(scale=spread, size=(2, graph.n_samples, 2)).astype(np.float32)
    neighbors = np.split(graph.indices, graph.indptr[1:-1])

    moved, out = move(graph, coordinates, speeds, seed, 0, graph.n_samples, step=0.5)

    expected = reference.move_samples(
        neighbors,
        coordinates.astype(np.float64),
        speeds.astype(np.float64),
        seed,
        **FORCES._asdict(),
    )
    assert_allclose(moved, expected, rtol=1e-4, atol=1e-5)
    assert_allclose(out, coordinates + 0.5 * expected, rtol=1e-4, atol=1e-5)


@given(graph=neighbor_graphs(min_samples=2), seed=st.integers(0, 2**62 - 1))
def test_a_range_moves_its_own_samples_only_and_by_the_same_bits(graph, seed):
    rng = np.random.default_rng(seed)
    coordinates, speeds = rng.normal(size=(2, graph.n_samples, 2)).astype(np.float32)
    middle = graph.n_samples // 2
    whole_speeds, whole = move(graph, coordinates, speeds, seed, 0, graph.n_samples)

    part_speeds, part = move(graph, coordinates, speeds, seed, middle, graph.n_samples)

    assert_array_equal(part[middle:], whole[middle:])
    assert_array_equal(part_speeds[middle:], whole_speeds[middle:])
    assert np.isnan(part[:middle]).all()
    assert_array_equal(part_speeds[:middle], speeds[:middle])


@given(seed=st.integers(0, 2**62 - 1), number=st.integers(0, 2**40), n=st.integers(1, 2**31 - 1))
def test_numbers_are_drawn_as_in_whole_numbers_of_any_size(seed, number, n):
    assert draw_number(seed, number, n) == reference.draw_number(seed, number, n)


def test_all_numbers_are_drawn_about_equally_often(seed):
    counts = np.bincount([draw_number(seed, number, 10) for number in range(20_000)])
    assert counts.size == 10
    assert np.abs(counts - 2000).max() < 250
