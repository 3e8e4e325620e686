"""Which candidate is suggested, and how the suggestion reads."""

import json
import re

import pytest

from graphpac.selection import ComparedNumber
from graphpac.selection.rule import choose


def candidate(n_clusters, stability, modularity, *, n_occupied=None):
    occupied = n_clusters if n_occupied is None else n_occupied
    return ComparedNumber(n_clusters, occupied, stability, modularity, likelihood=2.0)


ORDINARY = [
    candidate(2, 0.99, 0.45),  # the halves agree, but on too little
    candidate(5, 0.95, 0.80),
    candidate(8, 0.70, 0.84),  # more is parted, but differently by each half
]


def test_agreement_and_separation_count_together():
    found = choose(ORDINARY)

    assert found.n_clusters == 5
    assert found.candidates == tuple(ORDINARY)
    assert found.reason == (
        "5 clusters have the highest product of stability (0.95: how well halves of the graph "
        "agree), modularity (0.80: how few neighbors are in different clusters) and likelihood "
        "(2.00: how much clusters tell about neighbors)."
    )


def test_of_equal_candidates_the_smallest_is_suggested():
    assert choose([candidate(number, 1.0, 0.9) for number in (4, 5, 6)]).n_clusters == 4


def test_empty_clusters_are_passed_over():
    full, too_many = candidate(5, 0.9, 0.8), candidate(9, 1.0, 0.8, n_occupied=5)

    found = choose([candidate(2, 0.5, 0.4), full, too_many])
    assert found.n_clusters == 5
    assert found.reason.endswith("about neighbors) of those that left no cluster empty.")
    assert choose([candidate(8, 0.9, 0.7, n_occupied=5), too_many]).n_clusters == 9


@pytest.mark.parametrize(("place", "advice"), [(0, "fewest.*try fewer"), (2, "most.*try more")])
def test_a_suggestion_at_the_end_says_so(place, advice):
    candidates = [candidate(number, 0.5, 0.5) for number in (3, 4, 5)]
    candidates[place] = candidate(candidates[place].n_clusters, 0.9, 0.9)

    assert re.search(advice, choose(candidates).reason)


def test_nobody_is_told_to_try_fewer_than_two():
    found = choose([candidate(2, 0.9, 0.9), candidate(3, 0.5, 0.5)])

    assert found.n_clusters == 2
    assert found.reason.endswith("tell about neighbors).")


def test_a_suggestion_prints_as_a_table():
    lines = str(choose([*ORDINARY, candidate(11, 0.4, 0.8, n_occupied=9)])).splitlines()

    assert lines[0].split() == [
        *("clusters", "stability", "modularity", "likelihood", "score", "occupied"),
    ]
    assert lines[2].split() == ["5*", "0.950", "0.800", "2.000", "1.520", "5"]
    assert lines[4].split()[-1] == "9"
    assert len({len(line) for line in lines[:5]}) == 1
    assert lines[-1].startswith("5 clusters have")


def test_records_are_plain_values():
    records = choose(ORDINARY).to_records()

    assert [record["suggested"] for record in records] == [False, True, False]
    assert records[1]["score"] == pytest.approx(1.52)
    assert json.loads(json.dumps(records)) == records


def test_nothing_is_suggested_where_nothing_is_better_than_chance():
    found = choose([candidate(2, 0.2, -0.001), candidate(5, -0.01, -0.001)])

    assert found.n_clusters is None
    assert found.reason.startswith("No number of clusters is suggested: ")
    assert "*" not in str(found)
    assert not any(record["suggested"] for record in found.to_records())
