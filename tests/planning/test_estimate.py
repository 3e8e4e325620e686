"""Memory and time grow with what is asked, and the answer is easy to read."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac import Calibration, Estimate, SolverOptions
from graphpac._wording import show_bytes, show_seconds
from graphpac.graph.data_size import DataSize
from graphpac.planning import Workload, gpac_costs
from graphpac.planning.calibration import measure_factors
from graphpac.planning.estimate import LIBRARIES
from graphpac.solvers import Problem

STAGES = ["graph", "start", "optimize", "choose"]


def workload(
    n_samples=100_000,
    n_features=128,
    n_clusters=100,
    *,
    size=None,
    n_jobs=1,
    fuzziness=1.05,
    n_neighbors=10,
    options=None,
    **others,
):
    if size is None:
        size = DataSize.of(np.broadcast_to(np.float32(0.0), (n_samples, n_features)))
    costs = partial(
        gpac_costs,
        problem=Problem(n_clusters=n_clusters, fuzziness=fuzziness),
        options=options or SolverOptions(),
        n_neighbors=n_neighbors,
        **others,
    )
    return Workload(
        size=size, costs=costs, n_jobs=n_jobs, n_clusters=n_clusters, n_neighbors=n_neighbors
    )


def test_stages_and_parts_add_up():
    found = Estimate.of(workload())
    assert list(found.memory) == list(found.seconds) == STAGES
    assert found.peak_memory == max(sum(parts.values()) for parts in found.memory.values())
    assert found.total_seconds == sum(found.seconds.values())
    for stage, parts in found.memory.items():
        sizes = list(parts.values())
        assert sizes == sorted(sizes, reverse=True)
        assert min(sizes) >= 0
        assert parts["X"] == 4 * 100_000 * 128
        assert found.new_memory[stage] == sum(sizes) - parts["X"] - parts["libraries"]


def rising(values):
    return all(a <= b for a, b in pairwise(values)) and values[0] < values[-1]


@pytest.mark.parametrize(
    "steps",
    [
        [{"n_samples": n} for n in (1_000, 10_000, 100_000, 1_000_000, 10_000_000)],
        [{"n_features": d} for d in (8, 32, 128, 512, 2048)],
    ],
    ids=["n_samples", "n_features"],
)
def test_more_data_takes_more_memory_and_time(steps):
    found = [Estimate.of(workload(**step)) for step in steps]
    assert rising([estimate.peak_memory for estimate in found])
    assert rising([estimate.total_seconds for estimate in found])


def test_more_neighbors_make_larger_graphs():
    """Not larger peaks always: more neighbors take fewer hops, and pools are dealt by reach."""
    found = [
        Estimate.of(workload(n_neighbors=k, options=SolverOptions(n_hops=3)))
        for k in (5, 10, 20, 40)
    ]
    for stage in ("graph", "start"):
        assert rising([estimate.new_memory[stage] for estimate in found])
    assert rising([estimate.memory["optimize"]["hop lists"] for estimate in found])
    assert rising([estimate.total_seconds for estimate in found])


@pytest.mark.parametrize("n_samples", [10_000, 300_000], ids=["exact", "faiss"])
def test_a_search_takes_time_and_memory_in_proportion_to_many_neighbors(n_samples):
    few, many = (Estimate.of(workload(n_samples, 16, n_neighbors=k)) for k in (100, 1_000))
    assert 4 < many.seconds["graph"] / few.seconds["graph"] < 12
    assert 7 < many.memory["graph"]["neighbors found"] / few.memory["graph"]["neighbors found"] < 10


def test_features_that_many_rows_share_take_time():
    even = sp.random_array((4_000, 3_000), density=0.01, format="csr", random_state=0)
    skewed = even.copy()
    skewed.indices //= 100
    found = [Estimate.of(workload(size=DataSize.of(X))).seconds["graph"] for X in (even, skewed)]
    assert found[1] > 3 * found[0]


def test_rows_that_are_sparse_in_form_only_take_the_time_of_an_array_and_a_copy_more():
    X = np.ones((2_000, 50))
    dense, sparse = (
        Estimate.of(workload(size=DataSize.of(form))) for form in (X, sp.csr_matrix(X))
    )
    assert sparse.seconds == dense.seconds
    assert sparse.memory["graph"]["X as an array"] == X.nbytes
    assert sparse.new_memory["graph"] == dense.new_memory["graph"] + X.nbytes


def test_more_clusters_take_larger_samples_and_more_time_for_each_row():
    found = [
        Estimate.of(workload(10**6, n_clusters=c, options=SolverOptions(n_hops=3)))
        for c in (100, 1_000, 10_000)
    ]
    assert rising([estimate.new_memory["start"] for estimate in found])
    assert rising([estimate.total_seconds for estimate in found])
    few, more, many = (Estimate.of(workload(n_clusters=c)) for c in (10, 60, 100_000))
    rows = [estimate.memory["optimize"]["memberships"] for estimate in (few, more, many)]
    assert rows[0] < rows[1]
    assert rows[2] == 100_000 * (16 * 8 + 4)  # never one cell for every row and cluster


def test_a_tiny_fit_takes_little_more_than_the_libraries():
    found = Estimate.of(workload(n_samples=200, n_features=4, n_clusters=3))
    assert LIBRARIES < found.peak_memory < 1.1 * LIBRARIES
    assert found.total_seconds < 0.1


def test_softer_memberships_take_more_memory():
    sharp, soft = (Estimate.of(workload(fuzziness=m)) for m in (1.05, 1.2))
    assert soft.memory["optimize"]["memberships"] > 3 * sharp.memory["optimize"]["memberships"]


def test_pages_of_a_memory_map_count_in_the_peak_but_are_not_needed():
    mapped = workload()
    mapped = replace(mapped, size=replace(mapped.size, memory_map=True))
    found, in_memory = Estimate.of(mapped), Estimate.of(workload())
    assert found.peak_memory == in_memory.peak_memory == in_memory.needed_memory
    assert found.needed_memory == found.peak_memory - 4 * 100_000 * 128


def test_the_largest_that_fits_does():
    found = Estimate.of(workload())
    largest = found.largest_n_samples(4e9)
    assert largest > 100_000
    assert Estimate.of(found.workload.resized(largest)).needed_memory <= 4e9
    assert Estimate.of(found.workload.resized(round(1.1 * largest))).needed_memory > 4e9
    assert found.largest_n_samples(1e8) == 0
    assert found.largest_n_samples(float("inf")) > 10**9


def test_what_is_available_is_the_default_limit(monkeypatch):
    monkeypatch.setenv("GRAPHPAC_MEMORY_LIMIT", "4e9")
    found = Estimate.of(workload())
    assert found.largest_n_samples() == found.largest_n_samples(4e9)


def test_the_table():
    mapped = workload(1_281_167, 512, 1_000, n_jobs=2)
    mapped = replace(mapped, size=replace(mapped.size, memory_map=True))
    lines = str(Estimate.of(mapped)).splitlines()
    assert lines[0] == "1,281,167 x 512, memory-mapped, 1,000 clusters, 10 neighbors, 2 threads"
    assert [line.split()[0] for line in lines[3:]] == [*STAGES, "in"]
    assert "X 2.6 GB, working copy of X 2.6 GB" in lines[3]
    assert lines[-1].endswith("GB   at the peak")


def test_a_graph_has_no_rows_to_copy():
    size = DataSize(
        n_samples=10**5, n_features=10**5, n_entries=10**6, n_bytes=88 * 10**5, form="graph"
    )
    found = Estimate.of(workload(size=size, n_clusters=20))
    assert found.seconds["graph"] == 0.0
    assert not any("copy" in part for parts in found.memory.values() for part in parts)
    assert str(found).startswith(
        "a graph of 100,000 samples, 20 clusters, 10 neighbors, 1 thread\n"
    )


@pytest.mark.parametrize(
    "options",
    [
        {"size": DataSize.of(sp.random_array((2_000, 300), format="csr", random_state=0))},
        {"searcher": "exact"},
        {"searcher": "nndescent"},
        {"init": "k-means++"},
        {"init": "random"},
        {"options": SolverOptions(n_hops=6)},
        {"options": SolverOptions(sequential=True)},
    ],
    ids=str,
)
def test_every_kind_of_fit_has_an_answer(options):
    found = Estimate.of(workload(**options))
    assert found.peak_memory > LIBRARIES
    assert 0 < found.total_seconds < 3600


def test_sparse_rows_of_which_only_the_number_of_entries_is_known():
    X = np.broadcast_to(np.float32(0.0), (50_000, 30_000))
    known = DataSize.of(X).with_stored(3_500_000, 4)
    found = Estimate.of(workload(size=known))
    assert (known.form, found.memory["graph"]["X"]) == ("sparse", 3_500_000 * 8 + 200_000)
    assert 10 < found.seconds["graph"] < 40  # measured: 22 s of one core
    dense = DataSize.of(X).with_stored(10**9, 4)
    assert (dense.form, dense.copied_bytes) == ("dense", 4 * X.size)


def test_a_calibration_scales_the_stages():
    usual = Estimate.of(workload())
    slower = Estimate.of(workload(), Calibration(graph=2.0, start=3.0, optimize=0.5))
    ratios = [slower.seconds[stage] / usual.seconds[stage] for stage in STAGES]
    assert ratios == pytest.approx([2.0, 3.0, 0.5, 0.5])


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf")])
def test_a_calibration_is_above_zero(factor):
    with pytest.raises(ValueError, match="Calibration: start=.* must be a number above 0"):
        Calibration(start=factor)


def test_a_calibration_is_measured_on_real_fits():
    found = Calibration(**measure_factors(((600, 8, 4), (700, 8, 70)), n_jobs=1))
    assert min(found.graph, found.start, found.optimize) > 0


def test_a_machine_half_as_fast_has_twice_the_factors():
    def took_twice(X, problem, n_jobs):
        costs = gpac_costs(
            DataSize.of(X), n_jobs, problem=problem, options=SolverOptions(), has_choice=False
        )
        return {stage: 2 * cost.seconds for stage, cost in costs.items()}

    found = measure_factors(((600, 8, 4),), 1, took_twice)
    assert found == pytest.approx({"graph": 2.0, "start": 2.0, "optimize": 2.0})


def test_sizes_and_durations_are_shown_in_words():
    assert [show_bytes(size) for size in (25e3, 3e6, 0.94e9, 0.96e9, 47.5e9)] == [
        "25 kB",
        "3 MB",
        "940 MB",
        "1.0 GB",
        "47.5 GB",
    ]
    assert [show_seconds(s) for s in (0.04, 9.9, 61, 150, 9000)] == [
        "0.0 s",
        "9.9 s",
        "61 s",
        "2 min",
        "2.5 h",
    ]
