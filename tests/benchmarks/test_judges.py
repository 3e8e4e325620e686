"""Rules that choose among recorded candidates."""

from dataclasses import replace

import pytest

from benchmarks import judges
from benchmarks.judges import RULES, Judged, judged_of, table_of
from graphpac.io.journal import append_entry, read_entries
from graphpac.solvers.candidates import Candidate, Contender, choose

EVEN, UNEVEN = (50, 50), (80, 20)
RAMP = Candidate("ramp", 1.0, 1.0, 0.5, EVEN, 0.0)
OTHERS = {
    "likely": replace(RAMP, likelihood=2.0, block_information=0.4),
    "walked": replace(RAMP, two_step_likelihood=3.0, block_information=0.4),
    "informed": replace(RAMP, two_step_likelihood=0.5, block_information=0.9),
    "both": replace(RAMP, two_step_likelihood=1.5, block_information=0.6),
    "uneven": replace(RAMP, two_step_likelihood=0.5, block_information=0.6, cluster_sizes=UNEVEN),
}
EXPECTED = {
    "published": "published",
    "moves": "ramp",
    "LL": "likely",
    "LL2": "walked",
    "information": "informed",
    "both": "both",
    "chosen": "uneven",
}


def found():
    facts = [replace(RAMP, origin="published"), RAMP]
    facts += [replace(each, origin=origin) for origin, each in OTHERS.items()]
    return [Judged(each, nmi=0.1 * number, acc=0.0) for number, each in enumerate(facts)]


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_keeps_what_it_says(rule):
    assert RULES[rule](found()).facts.origin == EXPECTED[rule]


def test_the_rule_of_the_last_column_is_that_of_the_method():
    contenders = [Contender(each.facts, None) for each in found()]
    kept = choose(contenders[1:2], contenders[2:])
    assert kept.facts.origin == RULES["chosen"](found()).facts.origin


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    path = tmp_path_factory.mktemp("judges") / judges.FILE
    judges.measure_missing(path, ["digits"], n_seeds=1)
    return path


def test_a_fit_is_a_line_and_is_not_made_again(fitted, monkeypatch):
    (entry,) = read_entries(fitted)
    candidates = judged_of(entry)
    assert [each.facts.origin for each in candidates[:2]] == ["published", "ramp"]
    assert len(candidates) == 8
    assert candidates[1].nmi > candidates[0].nmi > 0.8
    monkeypatch.setattr(judges, "measure", lambda *_: pytest.fail("fitted again"))
    judges.measure_missing(fitted, ["digits"], n_seeds=1)


def test_the_table_has_means_over_seeds_and_data(fitted, tmp_path):
    (entry,) = read_entries(fitted)
    shifted = {**entry, "seed": 1, "candidates": [dict(each) for each in entry["candidates"]]}
    for each in shifted["candidates"]:
        each["nmi"] += 0.02
    append_entry(tmp_path / judges.FILE, entry)
    append_entry(tmp_path / judges.FILE, shifted)
    lines = table_of(read_entries(tmp_path / judges.FILE), ["digits", "usps"]).splitlines()
    assert [line.split("|")[1].strip() for line in lines] == ["data", "-" * 6, "digits", "mean"]
    published = judged_of(entry)[0]
    assert f"{published.nmi + 0.01:.3f} / {published.acc:.3f}" in lines[2].split("|")[2]
    assert lines[2].split("|")[2:] == lines[3].split("|")[2:]
