"""The definitions of the experiments, and what is refused in one."""

import re

import pytest

from graphpac import methods
from graphpac.datasets import available
from graphpac.experiments.config import experiment_names, load_experiment, parse_experiment
from graphpac.experiments.data import VARIANTS
from graphpac.experiments.published import published_results
from graphpac.experiments.running import make_estimator
from graphpac.experiments.trials import places, trials_at

MINIMAL = """
title = "A table"
kind = "table"
datasets = ["digits"]
[[series]]
label = "KM"
method = "km"
"""


def test_all_of_the_paper_is_there():
    assert experiment_names() == [
        *(f"table{number}" for number in range(2, 7)),
        *(f"figure{number}" for number in range(2, 9)),
        "settings",
        "choices",
    ]


@pytest.mark.parametrize("name", experiment_names())
def test_definitions_name_what_exists(name):
    experiment = load_experiment(name.upper())
    known = {*available(), *VARIANTS}
    assert {*experiment.datasets, *experiment.quick_datasets} <= known
    for form in (experiment, experiment.quickened()):
        for place in places(form):
            (trial, *_) = trials_at(place, form)
            model = make_estimator(trial, 10)
            assert type(model) is methods.find(trial.method).estimator_class


@pytest.mark.parametrize("name", [name for name in experiment_names() if name.startswith("table")])
def test_every_printed_row_has_a_series(name):
    quoted = {"ProPos"}
    printed = {cell.method for cell in published_results() if cell.table == name}
    labels = {series.printed_label for series in load_experiment(name).series}
    assert printed - quoted <= labels


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MINIMAL + "colour = 1\n", "new: series has the unknown entry 'colour': known are "),
        (MINIMAL.replace('"table"', '"pie"'), "new: kind='pie' must be one of table, choices, "),
        (MINIMAL.replace("title", "titel"), "new has the unknown entry 'titel': known are "),
        (MINIMAL.replace('label = "KM"', ""), "new: series is not complete: "),
        (MINIMAL.replace('"km"', '"umap"'), "there is no method 'umap': choose one of "),
        (MINIMAL.replace('"table"', '"curve"'), "new: a curve, and nothing else, has a sweep."),
        ('panels = "rows"\n' + MINIMAL, "new: panels='rows' must be one of data, parameters."),
        ('measures = ["F1"]\n' + MINIMAL, "new: measures must be of NMI, ACC, ARI, seconds, not"),
    ],
)
def test_a_wrong_definition_gets_one_sentence(text, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        parse_experiment("new", text)


def test_an_unknown_experiment_lists_the_known_ones():
    with pytest.raises(
        ValueError, match="^there is no experiment 'table9': choose one of table2, "
    ):
        load_experiment("table9")
