"""The public ways to ask, and what they refuse."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from graphpac import GPAC, build_neighbor_graph, estimate, estimate_fit
from graphpac.graph.searchers import ListsSearcher

PAGE = Path(__file__).parents[2] / "docs" / "memory.md"


def test_the_largest_set_of_the_paper_fits_into_a_laptop():
    found = estimate(1_281_167, 512, 1000, memory_map=True, n_jobs=2)
    assert 4e9 < found.peak_memory < 8e9
    assert found.needed_memory < 5e9


def test_the_data_count_as_they_are_given():
    single, half = (
        estimate(100_000, 512, 10, dtype=dtype).memory["graph"] for dtype in ("float32", np.float16)
    )
    assert half["X"] == single["X"] / 2
    assert half["working copy of X"] == single["working copy of X"]


def test_asking_with_data_or_with_sizes_is_the_same(digits):
    model = GPAC(n_clusters=10, n_neighbors=7, n_jobs=2)
    with_data = estimate_fit(model, digits.X)
    with_sizes = estimate(*digits.X.shape, 10, n_neighbors=7, n_jobs=2, dtype=digits.X.dtype)
    assert with_data.memory == with_sizes.memory
    assert with_data.seconds == with_sizes.seconds


def test_parameters_arrive():
    usual = estimate(200_000, 64, 100, n_jobs=1)
    for changed in (
        {"n_neighbors": 20},
        {"fuzziness": 1.3},
        {"metric": "precomputed"},
        {"searcher": "exact"},
        {"dtype": "float64"},
        {"n_jobs": 2},
        {"max_iter": 5},
    ):
        other = estimate(200_000, 64, 100, **({"n_jobs": 1} | changed))
        assert (other.memory, other.seconds) != (usual.memory, usual.seconds), changed
    assert estimate(200_000, 64, 100, searcher=ListsSearcher(), n_jobs=1).memory == usual.memory


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((500, 6)).tolist(),
        sp.random_array((500, 40), density=0.2, random_state=0),
        sp.random_array((500, 40), density=0.2, format="csr", random_state=0),
        np.zeros((500, 6), dtype=np.uint8),
    ],
    ids=["list", "COO", "CSR", "bytes"],
)
def test_rows_of_any_kind(X):
    assert estimate_fit(GPAC(n_clusters=5), X).peak_memory > 0


def test_a_data_frame():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.zeros((500, 6), dtype=np.float32))
    assert estimate_fit(GPAC(n_clusters=5), frame).memory["graph"]["X"] == 500 * 6 * 8


def test_a_graph(digits):
    found = estimate_fit(GPAC(n_clusters=10), build_neighbor_graph(digits.X, 10))
    assert found.seconds["graph"] == 0.0


@pytest.mark.parametrize(
    ("sizes", "options", "message"),
    [
        ((0, 4, 2), {}, "n_samples=0 must be a whole number from 1 up"),
        ((100, 2.5, 2), {}, "n_features=2.5 must be a whole number from 1 up"),
        ((100, 4, 0), {}, "n_clusters=0 must be 'auto' or a whole number from 1 up"),
        ((100, 4, 101), {}, "n_clusters=101 must be at most 100, the number of samples"),
        ((100, 4, 2), {"metric": "hamming"}, "metric='hamming' must be one of"),
        ((100, 4, 2), {"fuzziness": 1.0}, "fuzziness=1.0 must be a number above 1"),
    ],
)
def test_nonsense_is_refused(sizes, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        estimate(*sizes, **options)


def test_the_model_is_left_as_it_is(digits):
    model = GPAC(n_clusters=10)
    before = dict(vars(model))
    estimate_fit(model, digits.X)
    assert vars(model) == before


def test_the_table_of_the_page_is_up_to_date():
    """Sizes in the page are at most a tenth off what is estimated now."""
    rows = re.findall(
        r"^\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|.* ([\d.]+) GB \|$",
        PAGE.read_text(encoding="utf-8"),
        re.M,
    )
    assert len(rows) >= 3
    for *sizes, told in rows:
        found = estimate(*(int(size.replace(",", "")) for size in sizes), memory_map=True, n_jobs=2)
        assert found.peak_memory / 1e9 == pytest.approx(float(told), rel=0.1)
