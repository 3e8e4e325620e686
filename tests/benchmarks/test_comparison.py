"""The comparison: who is best is bold, runs go on where they stopped, the page is up to date."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import comparison, peers
from benchmarks.comparison_tables import comparison_text
from benchmarks.contenders import CONTENDERS
from benchmarks.contenders.told import search_resolution
from benchmarks.records import read_records
from benchmarks.standings import collect_standings
from graphpac.measuring.own_process import KilledError
from tests.benchmarks.made_up import failed_record, made_up_record

ROOT = Path(__file__).parents[2]
PAGE = "<!-- comparison:start -->\n<!-- comparison:end -->\n"
KMEANS, EVOC = "KMeans, 10 starts", "EVoC"


def scored(dataset, contender, nmi, *, seed=0, noise=0.0, n_clusters=3):
    record = made_up_record(dataset, contender, seed=seed)
    run = replace(record.measurement.runs[0], nmi=nmi, noise=noise, n_clusters=n_clusters)
    return replace(record, measurement=replace(record.measurement, runs=(run,)))


def text_of(*records):
    standings = collect_standings(records, comparison.SUITE, any_machine=True)
    return comparison_text(standings, comparison.TITLES)


def line_of(text, name):
    found = next(line for line in text.splitlines() if line.startswith(f"| {name} "))
    return [cell.strip() for cell in found.split("|")[1:-1]]


def test_the_best_and_what_is_within_its_deviation_is_bold():
    best = [scored("digits", "GPAC", nmi, seed=seed) for seed, nmi in enumerate((0.88, 0.92))]
    text = text_of(scored("digits", KMEANS, 0.86), scored("digits", EVOC, 0.875), *best)
    # The deviation of 0.88 and 0.92 is 0.028.
    expected = ["digits", "0.860", "**0.875**", "**0.900 ± 0.028**"]
    assert line_of(text, "digits") == expected


def test_means_are_those_of_data_everybody_finished():
    text = text_of(
        *(scored("digits", name, nmi) for name, nmi in ((KMEANS, 0.6), ("GPAC", 0.8))),
        scored("usps", "GPAC", 0.2),
        failed_record("usps", KMEANS, "gave up after 600 s"),
    )
    assert line_of(text, "usps") == ["usps", "gave up after 600 s", "**0.200**"]
    assert line_of(text, "mean") == ["mean of the 1 that all finished", "0.600", "**0.800**"]


def test_who_finished_nothing_is_shown_with_the_reason():
    text = text_of(scored("digits", "GPAC", 0.9), failed_record("digits", "spectral"))
    assert line_of(text, "digits") == ["digits", "gave up after 60 s", "**0.900**"]
    assert line_of(text, "spectral")[1] == "0"


def test_rows_left_out_and_other_numbers_of_clusters_are_told():
    text = text_of(
        scored("digits", "GPAC", 0.9),
        scored("digits", EVOC, 0.9, noise=0.25, n_clusters=4),
        scored("digits", EVOC, 0.9, seed=1, noise=0.15, n_clusters=3),
    )
    told = text[text.index("### Clusters") :]
    assert line_of(told, "data") == ["data", "asked for", "EVoC"]
    assert line_of(told, "digits") == ["digits", "3", "3.5, 20.0% left out"]
    assert line_of(told, "EVoC")[1:] == ["2", CONTENDERS[EVOC].setting]


def test_only_missing_seeds_are_fitted(tmp_path, monkeypatch):
    asked = []

    def stand_in(contender, dataset, seeds, *, warm_up, limits):
        asked.append(list(seeds))
        found = made_up_record(dataset, contender).measurement
        return replace(found, runs=tuple(replace(found.runs[0], seed=seed) for seed in seeds))

    monkeypatch.setattr(peers, "measure", stand_in)
    path = tmp_path / "comparison.jsonl"
    comparison.fit_missing(path, "digits", KMEANS, 2)
    comparison.fit_missing(path, "digits", KMEANS, 8)
    comparison.fit_missing(path, "digits", KMEANS, 8)
    assert asked == [[0, 1], [2, 3, 4, 5, 6], [7]]
    assert [record.seed for record in read_records(path)] == list(range(8))


def test_a_failure_is_recorded_once(tmp_path, monkeypatch):
    def stand_in(*_, **__):
        raise KilledError("gave up after 600 s")

    monkeypatch.setattr(peers, "measure", stand_in)
    path = tmp_path / "comparison.jsonl"
    for _ in range(2):
        comparison.fit_missing(path, "mnist", "spectral", 3)
    assert [record.status for record in read_records(path)] == ["killed"]


@pytest.mark.parametrize("wanted", [1, 3, 17, 100])
def test_the_resolution_that_gives_the_number_is_found(wanted):
    def cluster(resolution):
        return np.arange(max(1, int(10 * resolution)))

    assert search_resolution(cluster, wanted).size == wanted


def test_a_number_that_no_resolution_gives_is_missed_by_the_least():
    assert search_resolution(lambda r: np.arange(2 if r < 3 else 7), 4).size == 2


@pytest.mark.slow
def test_the_command_runs(tmp_path, capsys):
    (tmp_path / comparison.PAGE).write_text(PAGE, encoding="utf-8")
    options = ["--datasets", "digits", "--methods", KMEANS, "GPAC", "--seeds", "1"]
    options += ["--output", str(tmp_path), "--docs", str(tmp_path)]
    assert comparison.main(options) == 0
    shown = (tmp_path / comparison.PAGE).read_text(encoding="utf-8")
    name, kmeans, gpac = line_of(shown, "digits")
    assert (name, gpac[:2]) == ("digits", "**")
    assert 0.7 < float(kmeans) < float(gpac.strip("*")) < 1
    assert capsys.readouterr().out.strip() in shown


def test_the_page_shows_what_the_records_tell():
    records = read_records(ROOT / "benchmarks" / "results" / "comparison.jsonl")
    shown = (ROOT / "docs" / comparison.PAGE).read_text(encoding="utf-8")
    standings = collect_standings(records, comparison.SUITE, any_machine=True)
    text = comparison_text(standings, comparison.TITLES)
    assert text.strip() in shown, "python -m benchmarks.comparison --tables-only"
