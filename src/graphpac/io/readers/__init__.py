"""Tables of vectors in the files people have: .npy, .npz, .parquet, .csv and .h5ad."""

from graphpac.io.readers.entrance import describe_table, read_table
from graphpac.io.readers.table import Table, TableShape

__all__ = ["Table", "TableShape", "describe_table", "read_table"]
