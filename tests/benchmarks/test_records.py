"""Records survive the file, and tell what need not be measured again."""

from dataclasses import replace

import pytest

from benchmarks.records import append_record, latest_records, read_records
from graphpac.measuring.own_process import Limits
from tests.benchmarks.made_up import LIMITS, MACHINE, failed_record, made_up_record

VERSION = "graphpac 1"


def test_a_record_comes_back_as_it_was(tmp_path):
    path = tmp_path / "new folder" / "growth.jsonl"
    records = [made_up_record(), failed_record("iris", "KMeans")]
    for record in records:
        append_record(path, record)
    assert read_records(path) == records
    assert read_records(tmp_path / "nothing.jsonl") == []


def test_a_torn_line_costs_only_itself(tmp_path):
    path = tmp_path / "growth.jsonl"
    append_record(path, made_up_record(seed=0))
    append_record(path, made_up_record(seed=1))
    path.write_bytes(path.read_bytes()[:-40])
    append_record(path, made_up_record(seed=2))
    assert [record.seed for record in read_records(path)] == [0, 2]


def test_the_last_record_of_the_last_machine_counts():
    other = replace(MACHINE, cores=64)
    first, second = made_up_record(seconds=2.0), made_up_record(seconds=3.0)
    elsewhere = made_up_record(contender="KMeans", machine=other)
    assert list(latest_records([first, elsewhere, second]).values()) == [second]
    assert latest_records([]) == {}


@pytest.mark.parametrize(
    ("record", "settled"),
    [
        (made_up_record(), True),
        (made_up_record(version="graphpac 2"), False),
        (made_up_record(machine=replace(MACHINE, processor="another")), False),
        (made_up_record(machine=replace(MACHINE, load=9.0, python="3.13")), True),
        (made_up_record(limits=Limits(1, 1)), True),
        (failed_record("iris", "GPAC"), True),
        (failed_record("iris", "GPAC", limits=Limits(LIMITS.seconds / 2, 4)), False),
        (failed_record("iris", "GPAC", limits=Limits(LIMITS.seconds, 2)), False),
        (failed_record("iris", "GPAC", limits=Limits(LIMITS.seconds * 2, 8)), True),
    ],
)
def test_what_settles_a_measurement(record, settled):
    assert record.settles(VERSION, LIMITS, MACHINE) is settled
