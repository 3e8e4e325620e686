"""Readings of the paper are compared seed by seed, and chance is not taken for a finding."""

import re

import numpy as np
import pytest
from scipy import stats

from graphpac.experiments.choices import LEVEL, Paired, compare_readings, correct
from graphpac.experiments.config import Series, load_experiment, parse_experiment
from graphpac.experiments.summary import Cell
from graphpac.experiments.trials import Place, Trial

MEASURES = ("NMI", "ACC", "ARI")
N_READINGS, N_SEEDS = 23, 20


def cells_of(label, rows, *, seeds=None, against="", dataset="digits"):
    """Cells of one series: a tuple of three scores for each seed."""
    place = Place(dataset, Series(label=label, method="gpac", against=against))
    seeds = range(len(rows)) if seeds is None else seeds
    trials = tuple(Trial(dataset, "gpac", {}, seed) for seed in seeds)
    return [
        Cell(place, measure, trials, tuple(row[number] for row in rows))
        for number, measure in enumerate(MEASURES)
    ]


DEFAULT = [(0.5 + 0.05 * seed, 0.6 + 0.05 * seed, 0.4 + 0.05 * seed) for seed in (6, 2, 4, 0, 1, 5)]
FIRST = cells_of("first", DEFAULT)


def shifted(*by):
    """The default, every seed moved by nearly the same amount in each measure."""
    return [
        tuple(value + step + 0.001 * (-1) ** seed for value, step in zip(row, by, strict=True))
        for seed, row in enumerate(DEFAULT)
    ]


def compared(*cells):
    (comparison,) = compare_readings([*FIRST, *cells], "first")
    return comparison


def paired_by_chance(n_pairs, p_value):
    return Paired(difference=0.01, error=0.01, n_pairs=n_pairs, p_value=p_value)


@pytest.mark.parametrize(
    ("by", "verdict"),
    [
        ((0.01, 0.01, 0.01), "better"),
        ((0.01, 0.0, 0.0), "better"),
        ((-0.01, 0.0, 0.0), "worse"),
        ((0.01, -0.01, 0.0), "mixed"),
        ((0.0, 0.0, 0.0), "no difference"),
    ],
)
def test_pairs_show_what_the_spread_between_seeds_hides(by, verdict):
    (reading,) = compared(*cells_of("other", shifted(*by))).readings
    assert reading.verdict == verdict
    assert reading.measures["NMI"].difference == pytest.approx(by[0])
    assert reading.measures["NMI"].error < 0.001


@pytest.mark.parametrize("n_pairs", [5, 10, 20])
def test_p_values_are_those_of_scipy(n_pairs, seed):
    first, other = np.random.default_rng(seed).normal(size=(2, n_pairs)).round(6)
    paired = Paired.of((other - first).tolist())
    assert paired.p_value == pytest.approx(stats.ttest_rel(other, first).pvalue)
    assert paired.error == pytest.approx(stats.sem(other - first))


def test_holm_corrects_step_by_step():
    p_values = {"a": 0.04, "b": 0.01, "c": 0.03, "d": 0.9}
    corrected = correct({key: paired_by_chance(9, value) for key, value in p_values.items()})
    assert {key: item.p_value for key, item in corrected.items()} == pytest.approx(
        {"a": 0.09, "b": 0.04, "c": 0.09, "d": 0.9}
    )


def test_what_is_not_tested_costs_the_others_nothing():
    few, enough = paired_by_chance(4, 1.0), paired_by_chance(5, 0.04)
    assert correct({"few": few, "enough": enough}) == {"few": few, "enough": enough}


def null_cells(rng, *, effect=0.0):
    """Scores of 23 readings that differ by chance only, and by an effect of the last."""
    track = rng.normal(0.8, 0.02, (1 + N_READINGS, N_SEEDS, 1))  # shared by the measures
    scores = track + rng.normal(0.0, 0.01, (1 + N_READINGS, N_SEEDS, len(MEASURES)))
    scores[-1] += effect
    return [
        cell for number, rows in enumerate(scores.tolist()) for cell in cells_of(str(number), rows)
    ]


def verdicts_of(cells):
    (comparison,) = compare_readings(cells, "0")
    return {reading.label: reading.verdict for reading in comparison.readings}


@pytest.mark.slow
def test_chance_alone_rarely_gives_a_verdict(seed):
    rng = np.random.default_rng(seed)
    n_false = sum(
        set(verdicts_of(null_cells(rng)).values()) != {"no difference"} for _ in range(200)
    )
    assert n_false / 200 < 0.08


def test_a_true_effect_is_found_among_many_readings(seed):
    rng = np.random.default_rng(seed)
    found = [verdicts_of(null_cells(rng, effect=0.05))[str(N_READINGS)] for _ in range(50)]
    assert found.count("better") > 45


@pytest.mark.parametrize(
    ("step", "verdict"), [(0.0, "no difference"), (1e-15, "no difference"), (-0.01, "worse")]
)
def test_differences_without_spread(step, verdict):
    rows = [tuple(value + step for value in row) for row in DEFAULT]
    (reading,) = compared(*cells_of("other", rows)).readings
    assert reading.verdict == verdict
    assert reading.measures["ACC"].error == 0.0


def test_only_seeds_that_both_have_are_compared():
    other = cells_of("other", shifted(0.1, 0.1, 0.1)[1:], seeds=[1, 2, 3, 4, 5])
    (reading,) = compared(*other).readings
    assert reading.measures["ACC"].n_pairs == 5
    assert reading.measures["ACC"].difference == pytest.approx(0.1, abs=1e-3)
    assert reading.verdict == "better"


@pytest.mark.parametrize("n_pairs", [0, 1, 2, 4])
def test_few_pairs_give_no_verdict(n_pairs):
    seeds = [*range(n_pairs), 9]
    other = cells_of("other", shifted(0.1, 0.1, 0.1)[: n_pairs + 1], seeds=seeds)
    comparison = compared(*other)
    (reading,) = comparison.readings
    assert (reading.n_pairs, reading.verdict) == (n_pairs, "too few runs")
    assert comparison.table()[1][0][-2:] == [str(n_pairs), "too few runs"]
    assert "won" not in comparison.sentence()
    assert "1 of 1 have fewer than 5 seeds and no verdict" in comparison.sentence()


def test_scores_that_are_no_numbers_are_no_pairs():
    rows = [(float("nan"),) * 3, *shifted(0.1, 0.1, 0.1)[1:]]
    (reading,) = compared(*cells_of("other", rows)).readings
    assert (reading.n_pairs, reading.verdict) == (5, "better")


def test_without_runs_of_the_first_there_is_a_sentence_and_no_verdict():
    cells = [
        *FIRST,
        *cells_of("other", shifted(0.1, 0.1, 0.1)),
        *cells_of("first", [], dataset="wine"),  # every run failed
        *cells_of("other", DEFAULT, dataset="wine"),
        *cells_of("third", DEFAULT, dataset="wine"),
    ]
    digits, wine = compare_readings(cells, "first")
    assert [reading.verdict for reading in digits.readings] == ["better"]
    assert wine.readings == ()
    assert wine.sentence() == "wine: no verdicts, since 'first' has no finished runs there."
    assert compare_readings([], "first") == []


def test_the_first_is_the_one_that_is_named():
    cells = [*cells_of("other", shifted(0.1, 0.1, 0.1)), *FIRST]
    (comparison,) = compare_readings(cells, "first")
    assert [(item.label, item.verdict) for item in comparison.readings] == [("other", "better")]


def test_a_series_may_be_compared_with_another_than_the_first():
    comparison = compared(
        *cells_of("both", shifted(0.2, 0.2, 0.2), against="one"),
        *cells_of("one", shifted(0.1, 0.1, 0.1)),
        *cells_of("lost", DEFAULT, against="nobody"),
    )
    both, one, lost = comparison.readings
    assert both.measures["NMI"].difference == pytest.approx(0.1)
    assert one.measures["NMI"].difference == pytest.approx(0.1)
    assert lost.verdict == "too few runs"
    names = [row[0] for row in comparison.table()[1]]
    assert names == ["both (against 'one')", "one", "lost (against 'nobody')"]
    assert "against 'first': 'both' (against 'one'), 'one' won;" in comparison.sentence()


def test_the_table_and_the_sentence():
    comparison = compared(
        *cells_of("good", shifted(0.02, 0.01, 0.0)),
        *cells_of("bad", shifted(-0.02, 0.0, 0.0)),
        *cells_of("same", DEFAULT[:5]),
    )
    assert comparison.title == "digits, differences from 'first'"
    head, rows = comparison.table()
    assert head == ["reading", "NMI", "ACC", "ARI", "pairs", "verdict"]
    good = ["good", "+0.020 ± 0.000", "+0.010 ± 0.000", "0.000 ± 0.000", "6", "better"]
    assert rows[0] == good
    assert rows[2] == ["same", *["0.000 ± 0.000"] * 3, "5", "no difference"]
    assert comparison.sentence() == (
        "digits, 5 to 6 seeds, against 'first': 'good' won; 'bad' lost; 1 of 3 made no significant "
        f"difference (paired t-tests, corrected by Holm's method, level {LEVEL})."
    )
    same = compared(*cells_of("same", DEFAULT))
    assert "digits, 6 seeds, against 'first': no reading won; 1 of 1" in same.sentence()


def test_every_reading_changes_one_thing_or_names_what_it_is_compared_with():
    series = {item.label: item for item in load_experiment("choices").series}
    first = next(iter(series.values()))
    for item in series.values():
        if item is first or item.label == "as the authors' code":
            continue
        other = series[item.against or first.label]
        assert len(changes(item, other)) == 1, item.label


def changes(item, other):
    ours, theirs = (
        {
            **one.parameters,
            **{f"solver.{key}": value for key, value in one.parameters.get("solver", {}).items()},
        }
        for one in (item, other)
    )
    keys = (ours.keys() | theirs.keys()) - {"solver"}
    return {key for key in keys if ours.get(key) != theirs.get(key)}


@pytest.mark.parametrize("against", ["nobody", "KM"])
def test_a_series_is_compared_with_another_that_exists(against):
    text = f"""
title = "Readings"
kind = "choices"
datasets = ["digits"]
[[series]]
label = "KM"
method = "km"
against = "{against}"
"""
    message = f"new: against='{against}' of 'KM' must be the label of another series."
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_experiment("new", text)


def test_the_quick_form_has_seeds_enough_for_verdicts():
    assert load_experiment("choices").quickened().runs == 5
