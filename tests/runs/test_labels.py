"""The table of labels: what it says of each row, and how it is written."""

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from graphpac.runs.labels import describe_rows, read_ids, write_labels

COLUMNS = ["id", "label", "probability", "second_label", "second_probability", "entropy"]


@st.composite
def membership_matrices(draw):
    """Rows that sum to one, some entries zero, some equal, some a single one."""
    shape = draw(st.tuples(st.integers(1, 12), st.integers(1, 6)))
    weights = draw(arrays(np.int8, shape, elements=st.integers(0, 3))).astype(np.float32)
    weights[weights.sum(axis=1) == 0, 0] = 1.0
    return sp.csr_matrix(weights / weights.sum(axis=1, keepdims=True))


@given(membership_matrices())
def test_each_row_is_described_as_by_hand(memberships):
    facts = describe_rows(memberships)
    for row, dense in enumerate(memberships.toarray()):
        order = np.argsort(-dense, kind="stable")
        assert facts.label[row] == order[0]
        assert facts.probability[row] == dense[order[0]]
        has_second = dense.size > 1 and dense[order[1]] > 0
        assert facts.second_label[row] == (order[1] if has_second else -1)
        assert facts.second_probability[row] == (dense[order[1]] if has_second else 0.0)
        positive = dense[dense > 0]
        expected = -(positive * np.log(positive)).sum()
        assert facts.entropy[row] == pytest.approx(expected, abs=1e-5)
        assert facts.entropy[row] >= 0


def test_stored_zeros_count_as_nothing():
    memberships = sp.csr_matrix(
        (np.array([1.0, 0.0], dtype=np.float32), np.array([2, 3]), np.array([0, 2])), shape=(1, 4)
    )
    facts = describe_rows(memberships)
    assert (facts.label[0], facts.second_label[0], facts.entropy[0]) == (2, -1, 0.0)


def facts_of(*rows):
    return describe_rows(sp.csr_matrix(np.array(rows, dtype=np.float32)))


def test_parquet_has_the_promised_columns_and_types(tmp_path):
    path = tmp_path / "labels.parquet"
    write_labels(path, None, [facts_of([1.0, 0.0], [0.25, 0.75]), facts_of([0.5, 0.5])])
    table = pq.read_table(path)
    assert table.column_names == COLUMNS
    types = ["int64", "int32", "float", "int32", "float", "float"]
    assert [str(field.type) for field in table.schema] == types
    assert table["id"].to_pylist() == [0, 1, 2]
    assert table["label"].to_pylist() == [0, 1, 0]
    assert table["second_label"].to_pylist() == [None, 0, 1]
    assert table["second_probability"].to_pylist() == [0.0, 0.25, 0.5]


def test_csv_has_the_same_columns(tmp_path):
    path = tmp_path / "labels.csv"
    write_labels(path, ["a,b", 'say "c"'], [facts_of([1.0, 0.0]), facts_of([0.25, 0.75])])
    table = pyarrow.csv.read_csv(path)
    assert table.column_names == COLUMNS
    assert table["id"].to_pylist() == ["a,b", 'say "c"']
    assert table["second_label"].to_pylist() == [None, 0]


@pytest.mark.parametrize("ids", [["x", "y"], [7, -7], [2**64 - 1, 0]])
def test_ids_are_those_of_the_input(tmp_path, ids):
    path = tmp_path / "labels.parquet"
    write_labels(path, ids, [facts_of([1.0, 0.0]), facts_of([0.0, 1.0])])
    assert read_ids(path) == ids


def test_a_failure_leaves_the_old_table(tmp_path):
    path = tmp_path / "labels.parquet"
    path.write_bytes(b"old")

    def blocks():
        yield facts_of([1.0, 0.0])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_labels(path, None, blocks())
    assert [item.name for item in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == b"old"
