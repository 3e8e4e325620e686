"""Cells: means, marks, what stands beside them; how tables and remarks show them."""

from math import nan

import numpy as np
import pytest

from graphpac import methods
from graphpac.datasets import load
from graphpac.experiments.config import Series, load_experiment
from graphpac.experiments.explanations import UNEXPLAINED, explain, explanations, remarks_on
from graphpac.experiments.outcomes import Failure
from graphpac.experiments.published import published_results
from graphpac.experiments.summary import Cell, summarize
from graphpac.experiments.tables import csv_rows, grids_of, markdown_of, show_cell, signed, text_of
from graphpac.experiments.trials import Place, places, trials_at
from tests.experiments.made_up import made_up_outcome


def cell_of(values, printed=None, std=None, *, dataset="digits", label="KM", method="km", **facts):
    place = Place(dataset, Series(label=label, method=method))
    return Cell(place, "NMI", (), tuple(values), printed, std, **facts)


def made_up(name):
    experiment = load_experiment(name)
    found = {
        trial.key: made_up_outcome(trial)
        for place in places(experiment)
        for trial in trials_at(place, experiment)
    }
    return experiment, found


@pytest.mark.parametrize(
    ("values", "printed", "std", "marked"),
    [
        ((0.80, 0.82), 0.81, 0.01, False),
        ((0.80, 0.82), 0.70, 0.01, True),
        ((0.8001, 0.8001), 0.80, 0.0, False),
        ((0.81, 0.81), 0.80, 0.0, True),
        ((0.81, 0.81), None, None, False),
        ((), 0.80, 0.0, False),
        ((nan, 0.81), 0.80, 0.0, False),
    ],
)
def test_differences_above_three_deviations_are_marked(values, printed, std, marked):
    assert cell_of(values, printed, std).is_marked is marked


@pytest.mark.parametrize("std", [0.0, None])
@pytest.mark.parametrize(
    ("method", "marked"), [("rcc", True), ("finch", True), ("km", False), ("gpac", False)]
)
def test_one_run_is_marked_only_if_another_would_be_the_same(method, std, marked):
    assert cell_of([0.81], 0.80, std, method=method).is_marked is marked
    assert not cell_of([0.8001], 0.80, std, method=method).is_marked


@pytest.mark.parametrize(
    "name", [name for name in methods.names() if methods.find(name).is_deterministic]
)
def test_what_is_called_deterministic_is(name):
    X = load("digits").X[:600]
    first, *others = (methods.make(name, 10, random_state=seed).fit(X).labels_ for seed in range(3))
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_scores_that_are_no_numbers_have_no_deviation():
    cell = cell_of([nan, 0.8])
    assert cell.std is None
    assert show_cell(cell) == "nan"


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (cell_of([0.85]), "0.850"),
        (cell_of([0.8, 0.9]), "0.850 ± 0.071"),
        (cell_of([0.85], 0.85, 0.01), "0.850 (0.850)"),
        (cell_of([0.95], 0.85, 0.01), "0.950 (0.850)"),
        (cell_of([0.95], 0.85, 0.01, method="rcc"), "0.950 (0.850)*"),
        (cell_of([0.95, 0.95], 0.85, 0.01), "0.950 ± 0.000 (0.850)*"),
        (cell_of([], failures=("ValueError: no",)), "failed"),
        (None, "-"),
    ],
)
def test_numbers_have_three_decimals(cell, shown):
    assert show_cell(cell) == shown


@pytest.mark.parametrize(
    ("difference", "shown"),
    [(0.0124, "+0.012"), (-0.3, "-0.300"), (-0.0004, "0.000"), (0, "0.000")],
)
def test_differences_have_a_sign_unless_they_are_none(difference, shown):
    assert signed(difference) == shown


def test_printed_numbers_stand_beside_ours_and_no_others():
    experiment, found = made_up("table3")
    cells = summarize(experiment, found)
    beside = {
        (c.place.dataset, c.place.series.label): c.printed for c in cells if c.measure == "NMI"
    }
    assert beside["usps", "GPAC"] == beside["usps-signed", "GPAC"] == 0.836
    assert beside["usps", "GPAC, sequential"] == beside["usps", "GPAC, our start"] == 0.836
    assert {value for (data, _), value in beside.items() if data.startswith("emnist")} == {None}


@pytest.mark.parametrize("name", ["table4", "table6"])
def test_nothing_is_printed_beside_data_that_stand_in(name):
    experiment, found = made_up(name)
    assert all(cell.printed is None and not cell.remark for cell in summarize(experiment, found))


def test_a_part_of_the_data_has_nothing_beside_it():
    experiment = load_experiment("table2").quickened()
    found = {
        trial.key: made_up_outcome(trial)
        for place in places(experiment)
        for trial in trials_at(place, experiment, max_samples=2000)
    }
    cells = summarize(experiment, found, max_samples=2000)
    assert cells
    assert all(cell.printed is None for cell in cells)


def test_tables_are_arranged_as_in_the_paper():
    experiment, found = made_up("table2")
    (grid,) = grids_of(experiment, summarize(experiment, found))
    assert [column.group for column in grid.columns[::3]] == ["PENDIGITS", "ISOLET", "MNIST"]
    assert [column.name for column in grid.columns[:3]] == ["NMI", "ACC", "ARI"]
    labels = [label for label, _ in grid.rows]
    assert labels[0] == "KM"
    assert "Self-CSC (reconstruction)" in labels
    text = markdown_of(grid)
    assert text.count("| method | NMI | paper | difference | ACC | paper |") == 3
    assert "| RCC | " in text
    row = next(line for line in text.splitlines() if line.startswith("| RCC"))
    assert row.split(" | ")[5] == "-", "the paper prints no accuracy of RCC"


def test_rows_of_a_curve_are_the_values():
    experiment, found = made_up("figure4")
    grids = grids_of(experiment, summarize(experiment, found))
    assert [grid.title for grid in grids] == ["alpha", "beta / (1 + beta)"]
    head, rows = text_of(next(grids[0].parts()))
    assert head == ["alpha", "ACC", "NMI", "ARI"]
    assert [row[0] for row in rows] == ["0.25", "0.5", "0.75", "1", "1.5", "2", "4"]


def test_iterations_have_a_cell_each_and_few_rows():
    experiment, found = made_up("figure5")
    cells = summarize(experiment, found)
    assert len(cells) == 4 * 3 * 50  # data, series, iterations
    (grid,) = grids_of(experiment, cells)
    assert [label for label, _ in grid.rows] == ["1", "2", "5", "10", "20", "30", "40", "50"]
    rows = csv_rows(cells)
    assert [row["value"] for row in rows[:3]] == ["1", "2", "3"]


def test_what_failed_is_told_once():
    experiment = load_experiment("table5")
    found = {}
    for place in places(experiment):
        for trial in trials_at(place, experiment):
            found[trial.key] = made_up_outcome(trial)
            if (trial.dataset, trial.seed, place.series.label) == ("usps", 2, "FCM+LCC"):
                found[trial.key] = Failure("ValueError: no")
    told = [str(remark) for remark in remarks_on(summarize(experiment, found))]
    failed = [text for text in told if "failed" in text]
    assert failed == ["**FCM+LCC on USPS, 0 to 1**: 1 of 10 runs failed. ValueError: no"]


def test_marked_cells_are_explained():
    cells = [
        cell_of([0.9, 0.9], 0.7, 0.0, dataset="pendigits", label="SC"),
        cell_of([0.9, 0.9], 0.7, 0.0, label="SC"),
        cell_of([0.7, 0.7], 0.7, 0.0, dataset="pendigits", label="K-sums"),
    ]
    told = [str(remark) for remark in remarks_on(cells)]
    assert told[0] == f"**SC on PENDIGITS (NMI)**: {explain('pendigits', 'SC')}"
    assert told[1] == f"**SC on digits (NMI)**: {UNEXPLAINED}"
    assert len(told) == 2


def test_explanations_are_about_what_exists():
    labels = {cell.method for cell in published_results()}
    labels |= {"GPAC, sequential", "GPAC, our start"}
    datasets = {
        name for table in ("table2", "table3", "table5") for name in load_experiment(table).datasets
    }
    assert explanations().keys() <= datasets
    for dataset, lines in explanations().items():
        assert lines.keys() <= labels, dataset
        assert all(line.endswith(".") for line in lines.values()), dataset


def test_an_experiment_without_outcomes_has_no_cells():
    experiment = load_experiment("table2")
    assert summarize(experiment, {}) == []
    assert grids_of(experiment, []) == []


def test_rows_keep_their_order_where_the_first_data_lack_some():
    experiment, found = made_up("table5")
    found = {key: item for key, item in found.items() if "mnist" not in key or "fcm+lcc" in key}
    (grid,) = grids_of(experiment, summarize(experiment, found))
    assert [label for label, _ in grid.rows] == [series.label for series in experiment.series]
