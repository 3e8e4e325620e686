"""The table of labels: what it says of each row, and how it is written."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from graphpac.exceptions import ParameterError
from graphpac.runs.kept import carried_columns
from graphpac.runs.labels import COLUMNS as LABEL_COLUMNS
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


# ---- columns of the input that are kept


def test_kept_columns_follow_ours_in_their_types(tmp_path):
    path = tmp_path / "labels.parquet"
    kept = {
        "when": pa.chunked_array([pa.array([1, 2, None], pa.timestamp("s"))]),
        "tags": pa.chunked_array([[["a"], [], None]]),
        "kind": pa.chunked_array([pa.array(["x", "y", "x"]).dictionary_encode()]),
        "size": np.array([1, 2, 3], dtype=np.uint8),
    }
    columns = carried_columns(kept, LABEL_COLUMNS)
    blocks = [facts_of([1.0, 0.0], [0.25, 0.75]), facts_of([0.5, 0.5])]
    write_labels(path, None, blocks, columns)
    table = pq.read_table(path)
    assert table.column_names == [*COLUMNS, *kept]
    assert table["when"].type == pa.timestamp("ms")  # Parquet knows no seconds
    assert table["tags"].to_pylist() == [["a"], [], None]
    assert table["kind"].to_pylist() == ["x", "y", "x"]
    assert table["size"].type == pa.uint8()


def test_kept_columns_with_our_names_get_a_suffix(tmp_path):
    columns = carried_columns({"label": ["cat", "dog"], "name": [1, 2]}, LABEL_COLUMNS)
    assert list(columns) == ["label_input", "name"]
    with pytest.raises(ParameterError, match="has 'label', which the table has itself, and also"):
        carried_columns({"label": ["cat"], "label_input": ["dog"]}, LABEL_COLUMNS)
    with pytest.raises(ParameterError, match="has 'label', which the table has itself, and also"):
        carried_columns({"label_input": ["cat"], "label": ["dog"]}, LABEL_COLUMNS)


def test_what_csv_cannot_hold_is_refused_before_anything_is_written():
    category = pa.chunked_array([pa.array(["x", "y"]).dictionary_encode()])
    columns = carried_columns({"kind": category}, LABEL_COLUMNS, to_csv=True)
    assert columns["kind"].type == pa.string()
    with pytest.raises(ParameterError, match="'tags' has the type list<.*which CSV cannot hold"):
        carried_columns({"tags": [["a"], ["b"]]}, LABEL_COLUMNS, to_csv=True)


def test_values_of_different_types_cannot_be_kept():
    with pytest.raises(ParameterError, match="the column 'mixed' holds values of different or unk"):
        carried_columns({"mixed": ["a", 1]}, LABEL_COLUMNS)
