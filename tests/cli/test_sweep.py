"""graphpac sweep: a table, a picture, one recommendation."""

import json

import pytest
from matplotlib.image import imread

from graphpac import suggest_n_clusters
from graphpac.cli.sweep import parse_numbers

OPTIONS = ("--clusters", "5,10", "--seeds", "2", "--max-iter", "10")


def test_the_table_is_that_of_the_library(graphpac, rows_file, rows, tmp_path):
    plot = tmp_path / "sweep.png"
    done = graphpac("sweep", rows_file, *OPTIONS, "--plot", plot)
    assert done.code == 0, done.err
    expected = suggest_n_clusters(rows, [5, 10], n_seeds=2, random_state=0, max_iter=10)
    assert expected.reason in done.out
    assert done.out.endswith(f"The plot is {plot}\n")
    assert imread(plot).ndim == 3


def test_json_and_svg(graphpac, rows_file, tmp_path):
    plot = tmp_path / "sweep.svg"
    found = json.loads(graphpac("sweep", rows_file, *OPTIONS, "--plot", plot, "--json").out)
    assert found["n_clusters"] in {5, 10}
    assert [item["n_clusters"] for item in found["candidates"]] == [5, 10]
    assert "<svg" in plot.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ("5:8", [5, 6, 7, 8]),
        ("5:50:15", [5, 20, 35, 50]),
        ("5, 8,10", [5, 8, 10]),
        ("2:4,10:30:10", [2, 3, 4, 10, 20, 30]),
    ],
)
def test_numbers(given, numbers):
    assert parse_numbers(given) == numbers


@pytest.mark.parametrize("given", ["", "5:", ":5", "5:10:0", "5;8", "five", "-3", "1:2:3:4"])
def test_other_words_are_wrong_usage(graphpac, rows_file, given):
    failed = graphpac("sweep", rows_file, f"--clusters={given}")
    assert failed.code == 2
    assert "must be FIRST:LAST" in " ".join(failed.err.split())


def test_other_formats_are_wrong_usage(graphpac, rows_file):
    failed = graphpac("sweep", rows_file, *OPTIONS, "--plot", "sweep.gif")
    assert failed.code == 2
    assert "must end in .png or .svg" in failed.err
