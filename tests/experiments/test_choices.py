"""Readings of the paper are compared seed by seed."""

import pytest

from graphpac.experiments.choices import closing_sentence, compare_readings, readings_table
from graphpac.experiments.config import Series
from graphpac.experiments.summary import Cell
from graphpac.experiments.trials import Place, Trial

MEASURES = ("NMI", "ACC", "ARI")


def cells_of(label, rows, *, seeds=None):
    """Cells of one series on digits: a tuple of three scores for each seed."""
    place = Place("digits", Series(label=label, method="gpac"))
    seeds = range(len(rows)) if seeds is None else seeds
    trials = tuple(Trial("digits", "gpac", {}, seed) for seed in seeds)
    return [
        Cell(place, measure, trials, tuple(row[number] for row in rows))
        for number, measure in enumerate(MEASURES)
    ]


DEFAULT = [(0.80, 0.90, 0.70), (0.60, 0.70, 0.50), (0.70, 0.80, 0.60), (0.50, 0.60, 0.40)]


def shifted(*by):
    """The default, every seed moved by nearly the same amount in each measure."""
    return [
        tuple(value + step + 0.001 * (-1) ** seed for value, step in zip(row, by, strict=True))
        for seed, row in enumerate(DEFAULT)
    ]


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
    (reading,) = compare_readings([*cells_of("first", DEFAULT), *cells_of("other", shifted(*by))])
    assert reading.verdict == verdict
    assert reading.measures["NMI"].difference == pytest.approx(by[0])
    assert reading.measures["NMI"].error < 0.001


def test_only_seeds_that_both_have_are_compared():
    other = cells_of("other", shifted(0.1, 0.1, 0.1)[1:], seeds=[1, 2, 3])
    (reading,) = compare_readings([*cells_of("first", DEFAULT), *other])
    assert reading.measures["ACC"].n_pairs == 3
    assert reading.measures["ACC"].difference == pytest.approx(0.1, abs=1e-3)


@pytest.mark.parametrize("seeds", [[0], [9]])
def test_one_pair_or_none_says_nothing(seeds):
    other = cells_of("other", DEFAULT[:1], seeds=seeds)
    assert compare_readings([*cells_of("first", DEFAULT), *other]) == []
    assert compare_readings([]) == []


def test_the_table_and_the_sentence():
    cells = [
        *cells_of("first", DEFAULT),
        *cells_of("good", shifted(0.02, 0.01, 0.0)),
        *cells_of("bad", shifted(-0.02, 0.0, 0.0)),
        *cells_of("same", DEFAULT),
    ]
    readings = compare_readings(cells)
    head, rows = readings_table(readings)
    assert head == ["reading", "NMI", "ACC", "ARI", "verdict"]
    assert rows[0] == ["good", "+0.020 ± 0.001", "+0.010 ± 0.001", "0.000 ± 0.001", "better"]
    assert rows[2] == ["same", *["0.000 ± 0.000"] * 3, "no difference"]
    assert closing_sentence(readings) == (
        "digits, 4 seeds: 'good' won against 'first'; 'bad' lost; 1 of 3 made no difference beyond "
        "2 standard errors."
    )
    assert "no reading won" in closing_sentence(readings[1:])
