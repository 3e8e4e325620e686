"""Tables and plots show who failed, and why."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import RESULTS, ROOT
from benchmarks.contenders import CONTENDERS
from benchmarks.growth_plot import (
    STYLES,
    draw_growth,
    growth_figure,
    growth_lines,
    spread_labels,
)
from benchmarks.peer_tables import conditions, full_table, growth_tables, threads_table
from benchmarks.records import append_record
from benchmarks.render import render_suite, suite_text, write_records_csv
from benchmarks.standings import collect_standings
from benchmarks.suites import EVERYBODY, SUITES
from benchmarks.tables import fill_marks
from tests.benchmarks.made_up import MACHINE, failed_record, made_up_record

DOCS = ROOT / "docs"
PAGE = DOCS / "benchmarks.md"
SMALL, LARGE = "mixture-100x4-3", "mixture-1000x4-3"
RECORDS = [
    made_up_record(LARGE, "GPAC", 20.0),
    made_up_record(SMALL, "GPAC", 2.0),
    made_up_record(SMALL, "HDBSCAN", 5.0),
    failed_record(LARGE, "HDBSCAN", "killed: above 4 GB"),
    failed_record(SMALL, "EVoC"),
    failed_record(LARGE, "EVoC", f"not tried: gave up after 60 s on {SMALL}", status="not tried"),
]


def cells(table):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]


def test_seeds_are_joined_and_sorted_as_the_suite_is():
    records = [*RECORDS, made_up_record(SMALL, "GPAC", 4.0, seed=1)]
    standings = collect_standings(records, SUITES["growth"])
    names = ["GPAC", "HDBSCAN", "EVoC"]
    assert [(f.dataset, f.contender) for f in standings] == [
        (data, name) for data in (SMALL, LARGE) for name in names
    ]
    assert standings[0].measurement.typical("seconds") == 3.0
    failed = failed_record(SMALL, "GPAC", "error: no", status="error", seed=2)
    standings = collect_standings([*records, failed], SUITES["growth"])
    assert standings[0].measurement is None
    assert standings[0].reason == "error: no"


def test_a_failure_has_its_row():
    rows = cells(full_table(collect_standings(RECORDS, SUITES["growth"])))
    assert rows[0][:4] == ["data", "method", "seconds", "CPU s"]
    assert [LARGE, "HDBSCAN", "killed: above 4 GB", *["-"] * 8] in rows
    done = next(row for row in rows if row[:2] == [SMALL, "HDBSCAN"])
    assert done[2:] == ["5.00", "10.00", "1500 (50)", "0.900", "0.950", "0.850", "25.0%", "3", "50"]


def test_growth_has_a_column_for_each_size():
    seconds, memory, *_ = growth_tables(collect_standings(RECORDS, SUITES["growth"])).split("\n\n")
    rows = cells(seconds)
    assert rows[0] == ["seconds", "100 rows", "1,000 rows"]
    assert rows[2:] == [
        ["GPAC", "2.00", "20.00"],
        ["HDBSCAN", "5.00", "killed: above 4 GB"],
        ["EVoC", "gave up after 60 s", "not tried"],
    ]
    assert cells(memory)[3] == ["HDBSCAN", "1.50", "-"]


def test_threads_and_rows_are_divided():
    one, two = "GPAC, 1 thread", "GPAC, 2 threads"
    seconds = {(one, SMALL): 8.0, (one, LARGE): 17.6, (two, SMALL): 5.0, (two, LARGE): 10.0}
    records = [made_up_record(data, name, value) for (name, data), value in seconds.items()]
    rows = cells(threads_table(collect_standings(records, SUITES["threads"])))
    assert rows[2:] == [
        [one, "4.00", "8.80", "2.20"],
        [two, "2.50", "5.00", "2.00"],
        [f"{one} / {two}", "1.60", "1.76", ""],
    ]
    records[-1] = failed_record(LARGE, two)
    rows = cells(threads_table(collect_standings(records, SUITES["threads"])))
    assert rows[3:] == [
        [two, "2.50", "gave up after 60 s", "-"],
        [f"{one} / {two}", "1.60", "-", ""],
    ]


def test_conditions_tell_limits_machine_and_load():
    text = conditions(RECORDS)
    assert "One seed" in text
    assert "60 s and 4 GB" in text
    assert str(MACHINE) in text
    assert "load" not in text
    busy = made_up_record(machine=replace(MACHINE, load=3.0), seed=1)
    assert "load was above 0.5 before 1 of 4 fits, up to 3.0" in conditions([*RECORDS, busy])
    assert "Medians of 2 seeds" in conditions([*RECORDS, busy])


@pytest.mark.parametrize("suite", [name for name in SUITES if name != "methods"])  # has its page
def test_a_suite_is_written_everywhere(suite, tmp_path):
    page = tmp_path / PAGE.name
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    fill_marks(page, "picture", "")
    path = tmp_path / f"{suite}.jsonl"
    assert "No measurement" in render_suite(suite, path, tmp_path)
    for record in RECORDS:
        append_record(path, record)

    text = render_suite(suite, path, tmp_path)

    shown = page.read_text(encoding="utf-8")
    assert text.strip() in shown
    for name in EVERYBODY:
        assert CONTENDERS[name].setting in shown
    pictures = sorted(path.name for path in (tmp_path / "images").glob("*"))
    drawn = suite in {"growth", "large"}
    assert pictures == (["growth.png"] if drawn else [])
    assert ("](images/growth.png)" in shown) == drawn


@pytest.mark.parametrize("suite", list(SUITES))
def test_the_pages_show_what_the_records_tell(suite):
    shown = (DOCS / ("methods.md" if suite == "methods" else "benchmarks.md")).read_text("utf-8")
    text = suite_text(suite, RESULTS / f"{suite}.jsonl")
    assert text.strip() in shown, f"python -m benchmarks.peers --suite {suite} --tables-only"


def test_records_become_a_table_for_other_programs(tmp_path):
    for record in RECORDS:
        append_record(tmp_path / "growth.jsonl", record)
    write_records_csv(tmp_path / "growth.csv", tmp_path / "growth.jsonl")
    with (tmp_path / "growth.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(RECORDS)
    assert rows[0]["optimize_seconds"] == "10.0"
    assert rows[3]["reason"] == "killed: above 4 GB"
    assert rows[3]["seconds"] == ""


def test_lines_end_where_a_method_failed():
    lines = growth_lines(collect_standings(RECORDS, SUITES["growth"]), "seconds")
    assert lines == {
        "GPAC": ([100, 1000], [2.0, 20.0], False),
        "HDBSCAN": ([100], [5.0], True),
        "EVoC": ([], [], True),
    }


def test_the_same_numbers_draw_the_same_picture(tmp_path):
    standings = {"title": collect_standings(RECORDS, SUITES["growth"])}
    paths = [tmp_path / name for name in ("one.png", "two.png")]
    for path in paths:
        draw_growth(standings, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_picture_names_everybody_and_marks_who_failed():
    figure = growth_figure({"title": collect_standings(RECORDS, SUITES["growth"])})
    for axes in figure.axes:
        assert {text.get_text() for text in axes.texts} == {"GPAC", "HDBSCAN"}
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        crosses = [line.get_xdata().tolist() for line in axes.lines if line.get_marker() == "x"]
        assert crosses == [[100]]
    assert "No size of title was finished by EVoC." in figure.get_supxlabel()


def test_every_method_has_a_style_of_its_own():
    assert set(EVERYBODY) == set(STYLES)
    assert len(set(STYLES.values())) == len(STYLES)


@pytest.mark.parametrize(
    ("heights", "expected"),
    [
        ([0.1, 0.5], [0.1, 0.5]),
        ([0.5, 0.5], [0.45, 0.55]),
        ([0.55, 0.5, 0.9], [0.575, 0.475, 0.9]),
        ([0.5, 0.5, 0.62], [0.44, 0.54, 0.64]),
        ([], []),
    ],
)
def test_labels_keep_their_distance(heights, expected):
    assert np.allclose(spread_labels(heights, gap=0.1), expected)
