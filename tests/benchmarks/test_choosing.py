"""How often clusters are counted right: the pieces of the measurement."""

import pytest

from benchmarks import choosing
from benchmarks.choosing import (
    COUNTED,
    REAL,
    Case,
    best_by,
    is_near,
    is_within_two,
    load_case,
    made_cases,
    made_table,
    measure,
    real_table,
    rule_table,
    summary,
)


def made_up(name="digits", n_classes=5, counted=(5, 6, 5)):
    return {
        "name": name,
        "n_samples": 1797,
        "n_classes": n_classes,
        "seconds": 1.25,
        "counted": list(counted),
        "n_clusters": [2, 5, 9, 30],
        "n_occupied": [2, 5, 9, 28],
        "stability": [0.99, 0.9, 0.6, 1.0],
        "modularity": [0.5, 0.8, 0.85, 0.9],
        "likelihood": [0.6, 1.5, 1.9, 3.0],
    }


@pytest.mark.parametrize(
    ("rule", "number"),
    [
        (COUNTED, 5),
        ("stability", 2),
        ("modularity", 9),
        ("likelihood", 9),
        ("stability x modularity", 5),
    ],
)
def test_a_rule_takes_the_highest_of_those_without_empty_clusters(rule, number):
    assert best_by(made_up(), rule) == number


def test_what_counts_as_right():
    assert [is_near(number, 10) for number in (7, 8, 12, 13)] == [False, True, True, False]
    assert [is_within_two(number, 10) for number in (4, 5, 20, 21)] == [False, True, True, False]


def test_tables_and_words():
    found = [made_up(), made_up("banking77", 40)]
    assert "**5**" in real_table(found)
    assert "6, 5" in real_table(found)
    lines = rule_table(found).splitlines()
    assert [cell.strip() for cell in lines[2].split("|")[1:4]] == ["counted", "1 of 2", "1 of 2"]
    groups = [made_up("5 groups, apart"), made_up("6 groups, apart", 6)]
    assert "| 1 of 2 |   2 of 2 |" in made_table(groups)
    told = summary(found)
    assert "halves included, 50% are within a fifth of the number of classes and 50% from" in told
    assert "on the 1 sets that the rule was not chosen on, 100% are within a fifth" in told


def test_made_groups_are_counted():
    found = measure(Case("5 groups, apart", "blobs-5-apart", "euclidean"))
    assert (found["n_classes"], found["counted"]) == (5, [5, 5, 5])
    assert best_by(found, "stability x modularity") == 5
    assert len(list(made_cases())) == 36
    assert load_case("blobs-7-overlapping")[0].shape == (1000, 16)


def test_a_run_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    measured = []

    def remember(case):
        measured.append(case.name)
        return made_up(case.name)

    monkeypatch.setattr(choosing, "measure", remember)
    page = tmp_path / "page.md"
    page.write_text("<!-- choosing:start -->\n<!-- choosing:end -->\n", encoding="utf-8")
    arguments = ["--output", str(tmp_path), "--page", str(page), "--only"]
    choosing.main([*arguments, "digits"])
    choosing.main([*arguments, "digits", "iris", "5 groups, apart"])
    assert measured == ["digits", "iris", "5 groups, apart"]
    assert "| digits " in page.read_text(encoding="utf-8")
    assert "| apart " in capsys.readouterr().out
    assert len({case.name for case in REAL}) == len(REAL)
