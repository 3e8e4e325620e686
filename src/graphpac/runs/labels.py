"""What each row got, as a table: ``labels.parquet``, and what ``predict`` writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from graphpac._files import replacing
from graphpac._typing import FloatVector, IntVector
from graphpac.solvers.memberships import top_memberships

ENDINGS = (".parquet", ".csv")  # of the formats a table can have
ID = "id"
Ids: TypeAlias = list[str] | list[int] | None

_LARGEST_INT64 = 2**63 - 1


class RowLabels(NamedTuple):
    """The two clusters each row belongs to most, and how undecided it is between all.

    ``second_label`` is -1 where a row belongs to one cluster only. ``entropy`` is in nats: 0 for
    one cluster, ln(c) for all c alike.
    """

    label: IntVector
    probability: FloatVector
    second_label: IntVector
    second_probability: FloatVector
    entropy: FloatVector


COLUMNS = (ID, *RowLabels._fields)


def describe_rows(memberships: sp.csr_matrix) -> RowLabels:
    """Take from memberships what the table tells of each row.

    Rows sum to one, and clusters ascend in a row: of equals the first counts.
    """
    n_rows, n_clusters = memberships.shape
    top = top_memberships(memberships, min(2, n_clusters))
    second_label = np.full(n_rows, -1, dtype=np.int32)
    second_probability = np.zeros(n_rows, dtype=np.float32)
    if n_clusters > 1:
        second_probability = top.values[:, 1]
        second_label = np.where(second_probability > 0.0, top.clusters[:, 1], -1)
    values = memberships.data
    terms = values * np.log(np.maximum(values, np.finfo(np.float32).tiny))
    entropy = -np.add.reduceat(terms, memberships.indptr[:-1])
    return RowLabels(
        label=top.clusters[:, 0],
        probability=top.values[:, 0],
        second_label=second_label,
        second_probability=second_probability,
        # Rounding can leave a single membership at 1 + 1e-7, whose logarithm is above 0.
        entropy=np.maximum(entropy, 0.0),
    )


def write_labels(
    path: Path, ids: Ids, blocks: Iterable[RowLabels], kept: Mapping[str, Any] | None = None
) -> None:
    """Write a table with a line for each row, whole or not at all.

    It is .parquet or .csv, by the path. Rows without ids are numbered from 0. Blocks are all rows,
    some at a time; ``kept`` are further columns, made by `carried_columns`.
    """
    import pyarrow as pa

    kept = kept or {}
    schema = pa.schema(
        [
            (ID, _id_type(ids)),
            ("label", pa.int32()),
            ("probability", pa.float32()),
            ("second_label", pa.int32()),
            ("second_probability", pa.float32()),
            ("entropy", pa.float32()),
            *((name, column.type) for name, column in kept.items()),
        ]
    )
    n_done = 0
    with replacing(path) as file, _table_writer(path, file, schema) as writer:
        for facts in blocks:
            rows = slice(n_done, n_done + facts.label.size)
            names = range(rows.start, rows.stop) if ids is None else ids[rows]
            second = pa.array(facts.second_label, mask=facts.second_label < 0)
            others = {name: column.slice(n_done, len(names)) for name, column in kept.items()}
            columns = {ID: names, **facts._asdict(), "second_label": second, **others}
            writer.write_table(pa.table(columns, schema=schema))
            n_done = rows.stop


def read_ids(path: Path) -> list[Any]:
    """Read what the rows of a table that `write_labels` wrote are called."""
    import pyarrow.parquet as pq

    ids: list[Any] = pq.read_table(path, columns=[ID])[ID].to_pylist()
    return ids


def _table_writer(path: Path, file: BinaryIO, schema: Any) -> Any:
    if path.suffix == ".csv":
        from pyarrow.csv import CSVWriter

        return CSVWriter(file, schema)
    from pyarrow.parquet import ParquetWriter

    return ParquetWriter(file, schema)


def _id_type(ids: Ids) -> Any:
    import pyarrow as pa

    if ids is not None and isinstance(ids[0], str):
        return pa.string()
    return pa.uint64() if ids is not None and max(ids) > _LARGEST_INT64 else pa.int64()
