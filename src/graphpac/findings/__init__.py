"""What is odd about rows or a result, and what to do about it: the same words wherever it is told.

Pure functions from facts to findings. Estimators warn of them, runs record them, reports show them.
"""

from graphpac.findings.finding import Finding
from graphpac.findings.result import ResultFacts, are_flat, empty_clusters, findings_of_result
from graphpac.findings.rows import OF_ROWS, RowFacts, findings_of_rows, look_at_rows

__all__ = [
    "OF_ROWS",
    "Finding",
    "ResultFacts",
    "RowFacts",
    "are_flat",
    "empty_clusters",
    "findings_of_result",
    "findings_of_rows",
    "look_at_rows",
]
