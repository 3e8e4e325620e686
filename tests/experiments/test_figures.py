"""Figures stand as in the paper, and have names on everything."""

from dataclasses import replace

import pytest

from graphpac.experiments.config import experiment_names, load_experiment
from graphpac.experiments.panels import Point, curve_panels, slope
from graphpac.experiments.reproduced import Reproduced, drawn
from graphpac.experiments.summary import summarize
from graphpac.experiments.trials import places, trials_at
from tests.experiments.made_up import made_up_outcome

COIL = "COIL-100, 32 x 32 pixels"
FIGURES = [name for name in experiment_names() if name.startswith("figure")]


def made_up(name, *, keep=lambda trial: True):
    experiment = load_experiment(name)
    found = {
        trial.key: made_up_outcome(trial)
        for place in places(experiment)
        for trial in trials_at(place, experiment)
        if keep(trial)
    }
    return experiment, summarize(experiment, found)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn_with_names_on_its_axes(name):
    figure = Reproduced(*made_up(name)).figure
    panels = figure.axes
    assert all(panel.get_title() for panel in panels)
    if name != "figure7":
        assert all(panel.get_xlabel() for panel in panels)
        assert panels[0].get_ylabel()
    assert len(figure.legends) == 1
    assert drawn(figure, "png", dots_per_inch=40).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "titles", "lines"),
    [
        (
            "figure2",
            ["PENDIGITS", "ISOLET", "MNIST", COIL, "USPS, 0 to 1", "mean of the 5"],
            "GPAC PAC FCM",
        ),
        (
            "figure3",
            ["PENDIGITS", "ISOLET", "MNIST", COIL, "USPS, 0 to 1", "mean of the 5"],
            "ACC NMI ARI",
        ),
        ("figure4", ["alpha", "beta / (1 + beta)"], "PENDIGITS ISOLET MNIST"),
        ("figure5", ["MNIST", "USPS, 0 to 1", "PENDIGITS", "ISOLET"], "GPAC"),
        ("figure8", ["MNIST"], "GPAC PAC Self-CSC K-sums FCM"),
    ],
)
def test_panels_and_lines_are_those_of_the_paper(name, titles, lines):
    panels = curve_panels(*made_up(name))
    assert [panel.title for panel in panels] == titles
    assert list(panels[0].lines)[: len(lines.split())] == lines.split()


def test_what_was_not_run_is_left_out():
    experiment, cells = made_up("figure2", keep=lambda trial: trial.dataset == "isolet")
    assert [panel.title for panel in curve_panels(experiment, cells)] == ["ISOLET"]
    assert Reproduced(experiment, []).figure is None
    failed = [replace(cell, trials=(), values=(), failures=("MemoryError",)) for cell in cells]
    assert Reproduced(experiment, failed).figure is None


def test_seconds_have_an_axis_of_their_own_with_one_method_too():
    experiment, cells = made_up("figure8", keep=lambda trial: trial.method == "gpac")
    experiment = replace(experiment, series=experiment.series[:1])
    (panel,) = curve_panels(experiment, cells)
    assert (panel.y_label, list(panel.lines)) == ("seconds", ["GPAC"])


def test_the_mean_needs_a_point_of_every_data_set():
    experiment, cells = made_up(
        "figure2",
        keep=lambda trial: trial.dataset != "usps" or trial.parameters["fuzziness"] <= 1.1,
    )
    (*_, average) = curve_panels(experiment, cells)
    assert [point.x for point in average.lines["GPAC"]] == [1.01, 1.05, 1.1]


def test_a_method_keeps_its_color_where_another_is_missing():
    experiment, cells = made_up(
        "figure2", keep=lambda trial: (trial.dataset, trial.method) != ("isolet", "gpac")
    )
    first, second, *_ = Reproduced(experiment, cells).figure.axes
    colors = [
        {line.get_label(): line.get_color() for line in axis.lines} for axis in (first, second)
    ]
    assert colors[0]["FCM"] == colors[1]["FCM"]
    assert "GPAC" not in colors[1]


def test_slopes_are_those_of_powers():
    points = [Point(x, 3.0 * x**1.5, 0.0) for x in (10.0, 100.0, 1000.0)]
    assert slope(points) == pytest.approx(1.5)
    assert slope(points[:1]) is None
