"""The methods beside the printed numbers: every large difference has its line."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.method_tables import is_remarkable, published_table
from benchmarks.records import latest_records, read_records
from benchmarks.standings import collect_standings
from benchmarks.suites import SUITES
from graphpac.experiments.explanations import UNEXPLAINED, explain
from graphpac.methods import METHODS
from tests.benchmarks.made_up import failed_record, made_up_record

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


def standings_of(*records):
    return collect_standings(records, SUITES["methods"])


def test_printed_numbers_stand_in_brackets():
    record = made_up_record("pendigits", "methods/gpac")
    other = made_up_record("pendigits", "methods/gpac", seed=1)
    table = published_table(standings_of(record, other))
    row = next(line for line in table.splitlines() if "GPAC" in line)
    assert "0.900 ± 0.000 (0.850)" in row


def test_a_failure_is_shown_with_its_reason():
    table = published_table(standings_of(failed_record("usps", "methods/rcc", "gave up after 9 s")))
    assert "gave up after 9 s" in table


@pytest.mark.parametrize(("nmi", "remarkable"), [(0.86, False), (0.79, True)])
def test_differences_above_the_limit_are_remarkable(nmi, remarkable):
    record = made_up_record("pendigits", "methods/gpac")
    run = replace(record.measurement.runs[0], nmi=nmi, acc=0.881, ari=0.789)
    record = replace(record, measurement=replace(record.measurement, runs=(run,)))
    assert is_remarkable(standings_of(record)[0]) is remarkable


def test_every_remarkable_difference_is_explained():
    records = latest_records(read_records(RESULTS / "methods.jsonl")).values()
    standings = collect_standings(list(records), SUITES["methods"])
    assert {standing.dataset for standing in standings} == {"pendigits", "usps", "mnist"}
    for standing in standings:
        title = METHODS[standing.contender.removeprefix("methods/")].title
        if is_remarkable(standing):
            assert explain(standing.dataset, title) != UNEXPLAINED, f"{title} on {standing.dataset}"
