"""Rows whose distances say little, seen before a fit on a sample of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray
from graphpac._wording import columns_called
from graphpac.findings.finding import Finding, percent

OF_ROWS = frozenset(
    {
        "equal_rows",
        "one_column",
        "two_columns",
        "offset",
        "heavy_columns",
        "row_numbers",
        "rounded_rows",
    }
)
"""Kinds of findings that any fit of the same rows would have."""

_SAMPLED_ROWS = 1000
_SAMPLED_ENTRIES = 1_000_000
_FEWEST_NUMBERED = 20  # fewer rows may count from 0 to n - 1 by chance
_MOST_HEAVY = 3  # columns, and at most a tenth of all: each with
_HEAVY = 50.0  # times the variance of every other column,
_HEAVY_SHARE = 0.8  # and so much of all variance: then the others hardly count
_CENTERED = 0.15  # means in standard deviations: columns that PCA made have none
_TRIMMED = 0.01  # without so many rows at either end, which may be outliers,
_LEFT = 0.25  # a column must still have so much of the variance it was found by
_SAME_DIRECTION = 1e-6  # 1 - cos that float32 cannot split into near and far
_LOST_BY_ROUNDING = 0.1  # of the variance: digits + 1e8 lose .17 of it, + 3e7 .007
_LOST_BY_ANGLE = 0.2  # of the distance between any two rows lies between rows of nearest angles


@dataclass(frozen=True)
class RowFacts:
    """What a sample of the rows shows."""

    n_samples: int
    n_features: int
    are_equal: bool = False  # all rows, not those of the sample only
    heavy_columns: tuple[int, ...] = ()  # the few beside which the variance of all others is small
    heavy_share: float = 0.0  # of the variance
    direction_spread: float = 1.0  # 1 - the mean cosine of two rows
    # Of two columns: root mean square of the distance between rows next to each other by angle, in
    # that of any two rows.
    lost_by_angle: float = 0.0
    lost_by_rounding: float = 0.0  # mean square of changes of rows as float32, in their variance
    row_numbers: int | None = None  # a column that only counts the rows, in any order


def look_at_rows(X: Any) -> RowFacts:
    """Collect facts of rows from evenly spaced ones; the same X gives the same facts."""
    n_samples, n_features = X.shape
    sample = _sample(X)
    largest = float(abs(sample).max()) if min(sample.shape) else 0.0
    if largest > 0.0:
        sample = sample / largest  # squares of 1e200 would be infinite
    means, variances = _moments(sample)
    if not variances.any():
        return RowFacts(n_samples, n_features, are_equal=_all_equal(X))
    heavy, share = _heavy_columns(sample, means, variances)
    return RowFacts(
        n_samples,
        n_features,
        heavy_columns=heavy,
        heavy_share=share,
        direction_spread=_direction_spread(sample),
        lost_by_angle=_lost_by_angle(sample, variances) if n_features == 2 else 0.0,
        lost_by_rounding=_lost_by_rounding(sample, variances),
        row_numbers=_row_numbers(X, sample * largest),
    )


def findings_of_rows(
    facts: RowFacts, metric: str, names: Sequence[str] | None = None
) -> tuple[Finding, ...]:
    """Tell what will keep a metric from seeing groups in rows; columns have names or numbers."""
    if facts.are_equal:
        problem = f"all {facts.n_samples:,} rows are equal"
        return (Finding("equal_rows", problem, "there is nothing to tell them apart by"),)
    of_columns = _findings_of_columns(facts, names)
    if metric != "cosine":
        return of_columns
    euclidean = 'metric="euclidean"'
    if facts.n_features == 1:
        problem = 'of a single column metric="cosine" sees nothing but the sign'
        return (Finding("one_column", problem, f"pass {euclidean}"),)
    if facts.direction_spread < _SAME_DIRECTION and not of_columns:
        problem = (
            'the rows hardly differ in direction, and metric="cosine" sees nothing else (the '
            f"cosine of two rows is {1.0 - facts.direction_spread:.12g} on average)"
        )
        cure = f"pass {euclidean}, or subtract its mean from each column"
        return (Finding("offset", problem, cure),)
    if facts.lost_by_angle > _LOST_BY_ANGLE:
        problem = (
            'of two columns metric="cosine" sees the angle only, and rows of the same angle are '
            "far apart here"
        )
        return (*of_columns, Finding("two_columns", problem, f"pass {euclidean}"))
    return of_columns


def _findings_of_columns(facts: RowFacts, names: Sequence[str] | None) -> tuple[Finding, ...]:
    if facts.row_numbers is not None:
        shown = _shown_columns((facts.row_numbers,), names)
        problem = f"{shown} only numbers the rows, and counts as a feature"
        return (Finding("row_numbers", problem, "leave it out"),)
    if facts.heavy_columns:
        shown = _shown_columns(facts.heavy_columns, names)
        several = len(facts.heavy_columns) > 1
        problem = (
            f"{shown} {'have' if several else 'has'} {percent(facts.heavy_share)} of the variance "
            f"of all {facts.n_features:,} columns, so the others hardly count"
        )
        cure = (
            "scale the columns, for example with scikit-learn's StandardScaler, or leave "
            f"{'those' if several else 'that one'} out"
        )
        return (Finding("heavy_columns", problem, cure),)
    if facts.lost_by_rounding > _LOST_BY_ROUNDING:
        problem = (
            "the rows lie so far from zero, and so near to each other, that float32, in which they "
            "are compared, hardly tells them apart"
        )
        return (Finding("rounded_rows", problem, "subtract its mean from each column"),)
    return ()


def _shown_columns(columns: Sequence[int], names: Sequence[str] | None) -> str:
    if names is not None:
        return columns_called([str(names[column]) for column in columns])
    word = "column" if len(columns) == 1 else "columns"
    return f"{word} {', '.join(map(str, columns))} (counted from 0)"


def _sample(X: Any) -> Any:
    """Take evenly spaced rows as float64."""
    n_samples, n_features = X.shape
    most = min(_SAMPLED_ROWS, max(50, _SAMPLED_ENTRIES // max(1, n_features)))
    rows = np.linspace(0, n_samples - 1, min(n_samples, most)).astype(np.int64)
    return X[rows].astype(np.float64)


def _moments(sample: Any) -> tuple[AnyArray, AnyArray]:
    if not sp.issparse(sample):
        return sample.mean(axis=0), sample.var(axis=0)
    means = np.asarray(sample.mean(axis=0)).ravel()
    squares = np.asarray(sample.multiply(sample).mean(axis=0)).ravel()
    return means, np.maximum(squares - means * means, 0.0)


def _column(X: Any, number: int) -> AnyArray:
    column: AnyArray = X[:, [number]].toarray().ravel() if sp.issparse(X) else X[:, number]
    return column


def _all_equal(X: Any) -> bool:
    if sp.issparse(X):
        return bool((X.max(axis=0) != X.min(axis=0)).nnz == 0)
    step = max(1, _SAMPLED_ENTRIES // max(1, X.shape[1]))
    return all(bool((X[i : i + step] == X[:1]).all()) for i in range(0, X.shape[0], step))


def _heavy_columns(
    sample: Any, means: AnyArray, variances: AnyArray
) -> tuple[tuple[int, ...], float]:
    """Find the gap below the few largest variances, and see that no outliers make it."""
    n_varying = int(np.count_nonzero(variances))
    if n_varying < 2 or (np.abs(means) <= _CENTERED * np.sqrt(variances)).all():
        return (), 0.0
    order = np.argsort(-variances, kind="stable")
    ordered = variances[order]
    shares = np.cumsum(ordered) / ordered.sum()
    for n_heavy in range(1, max(1, min(_MOST_HEAVY, n_varying // 10)) + 1):
        enough = _HEAVY * ordered[n_heavy]
        if shares[n_heavy - 1] < _HEAVY_SHARE or ordered[n_heavy - 1] < enough:
            continue
        heavy = tuple(order[:n_heavy].tolist())
        left = [_trimmed_variance(_column(sample, column)) for column in heavy]
        if min(left) >= _LEFT * enough:
            return heavy, float(shares[n_heavy - 1])
        return (), 0.0
    return (), 0.0


def _trimmed_variance(values: AnyArray) -> float:
    n_cut = int(np.ceil(_TRIMMED * values.size))
    return float(np.sort(values)[n_cut:-n_cut].var()) if values.size > 2 * n_cut else 0.0


def _direction_spread(sample: Any) -> float:
    squares = sample.multiply(sample) if sp.issparse(sample) else sample * sample
    lengths = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    scales = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
    mean = np.asarray(sample.T @ scales).ravel() / scales.size
    # Of rows that all point one way the square of the mean is 1 but for rounding.
    return max(0.0, 1.0 - float(mean @ mean))


def _lost_by_angle(sample: Any, variances: AnyArray) -> float:
    points = sample.toarray() if sp.issparse(sample) else sample
    around = points[np.argsort(np.arctan2(points[:, 1], points[:, 0]), kind="stable")]
    steps = around - np.roll(around, 1, axis=0)
    return float(np.sqrt((steps * steps).sum(axis=1).mean() / (2.0 * variances.sum())))


def _lost_by_rounding(sample: Any, variances: AnyArray) -> float:
    change = sample - sample.astype(np.float32).astype(np.float64)
    values = change.data if sp.issparse(change) else change
    return float((values * values).sum() / sample.shape[0] / variances.sum())


def _row_numbers(X: Any, sample: Any) -> int | None:
    """Find a column that holds each of n whole numbers in a row once."""
    n_samples, n_features = X.shape
    if n_samples < _FEWEST_NUMBERED or n_features < 2 or sp.issparse(X):
        return None
    with np.errstate(over="ignore"):  # no numbers of rows are at both ends of float64
        spans = sample.max(axis=0) - sample.min(axis=0)
    possible = (spans < n_samples) & (spans >= sample.shape[0] - 1)
    for number in np.flatnonzero(possible).tolist():
        values = _column(X, number).astype(np.float64)
        if np.ptp(values) == n_samples - 1 and (np.diff(np.sort(values)) == 1.0).all():
            return int(number)
    return None
