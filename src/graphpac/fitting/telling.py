"""Warnings of what is odd about the rows or the result of a fit."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

from sklearn.exceptions import ConvergenceWarning

from graphpac.exceptions import DataWarning
from graphpac.findings import Finding, findings_of_rows, look_at_rows
from graphpac.fitting.run import FitRun


def warn_caller(message: str, category: type[Warning] = ConvergenceWarning) -> None:
    """Warn, and name the line outside of the package that led here."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("graphpac."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_of(findings: Sequence[Finding]) -> None:
    """Warn the caller of findings."""
    for finding in findings:
        empty = finding.kind == "empty_clusters"
        warn_caller(str(finding), ConvergenceWarning if empty else DataWarning)


def look_at_input(run: FitRun) -> tuple[Finding, ...]:
    """Warn of rows that the metric sees no groups in, before the work; return what was found."""
    metric = run.estimator.metric
    if metric == "precomputed":
        return ()
    findings = findings_of_rows(
        look_at_rows(run.X), metric, run.attributes.get("feature_names_in_")
    )
    warn_of(findings)
    return findings
