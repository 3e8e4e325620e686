"""Warnings of what is odd about the rows or the result of a fit."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from sklearn.exceptions import ConvergenceWarning

from graphpac.exceptions import DataWarning
from graphpac.findings import Finding, findings_of_rows, look_at_rows
from graphpac.fitting.run import FitRun


def warn_of(findings: Sequence[Finding], *, stacklevel: int = 3) -> None:
    """Warn of findings; by default the line named is that of who called the caller of this."""
    for finding in findings:
        empty = finding.kind == "empty_clusters"
        category = ConvergenceWarning if empty else DataWarning
        warnings.warn(str(finding), category, stacklevel=stacklevel)


def look_at_input(run: FitRun) -> tuple[Finding, ...]:
    """Warn of rows that the metric sees no groups in, before the work; return what was found."""
    metric = run.estimator.metric
    if metric == "precomputed":
        return ()
    findings = findings_of_rows(
        look_at_rows(run.X), metric, run.attributes.get("feature_names_in_")
    )
    warn_of(findings, stacklevel=4)
    return findings
