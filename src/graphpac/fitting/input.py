"""Checking the rows a caller passes, without casting or copying what can be used as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from graphpac._typing import AnyArray
from graphpac._wording import short_text
from graphpac.fitting.frames import check_frame, columns_without_numbers, refuse_columns
from graphpac.graph.rows import is_hardly_sparse
from graphpac.graph.values import check_finite, check_not_missing, unmasked
from graphpac.planning import available_memory

_COLUMN_ATTRIBUTES = ("n_features_in_", "feature_names_in_")


@dataclass(frozen=True)
class TrainingInput:
    """Checked rows, and what scikit-learn wants remembered of them."""

    X: Any
    attributes: dict[str, Any]


_names: ContextVar[Sequence[str] | None] = ContextVar("names", default=None)


@contextmanager
def columns_named(names: Sequence[str] | None) -> Iterator[None]:
    """Name the columns of rows that are fitted meanwhile, as a data frame would."""
    token = _names.set(names)
    try:
        yield
    finally:
        _names.reset(token)


def check_training_input(estimator: Any, X: Any) -> TrainingInput:
    """Check the rows of a fit, leaving the estimator as it is until the fit is done.

    A matrix that is sparse in form only becomes the array it stands for.
    """
    # validate_data writes what it learns of the columns into the estimator it is given.
    stand_in = copy(estimator)
    X = check_input(stand_in, X, reset=True)
    # What a matrix of distances does not store is not zero.
    if sp.issparse(X) and getattr(estimator, "metric", None) != "precomputed":
        X = _dense_if_better(X)
    seen = {n: getattr(stand_in, n) for n in _COLUMN_ATTRIBUTES if hasattr(stand_in, n)}
    if (names := _names.get()) is not None:
        seen.setdefault("feature_names_in_", np.array(names, dtype=object))
    return TrainingInput(X, seen)


def check_input(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return X as a two-dimensional array or CSR matrix of finite real numbers.

    The dtype stays: a memory map, float16 or uint8 data are not cast to something larger. The
    estimator holds the number and names of the columns seen in fit, or takes them if reset.
    """
    if not hasattr(X, "shape"):
        X = _array_of_list(X)
    check_frame(X)
    X = unmasked(X)
    _check_two_dimensions(X.shape)
    _check_kind(getattr(X, "dtype", None))
    takes_sparse = get_tags(estimator).input_tags.sparse
    if sp.issparse(X) and not takes_sparse:
        msg = (
            f"X is sparse, but {type(estimator).__name__} needs dense rows: pass X.toarray() if "
            "it fits into memory, or reduce its features, for example by TruncatedSVD."
        )
        raise TypeError(msg)
    try:
        rows = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype="numeric",
            ensure_all_finite=False,
        )
        if rows.dtype.kind == "O":  # scikit-learn does not convert frames whose types differ
            rows = rows.astype(np.float64)
    except OverflowError as error:
        msg = "X holds a whole number beyond 1.8e308, the largest of float64: divide such columns."
        raise ValueError(msg) from error
    except (TypeError, ValueError) as error:
        if "NAType" in str(error):
            check_not_missing(X)
        if wrong := columns_without_numbers(X):
            refuse_columns(wrong)
        if "could not convert" in str(error) or "argument must be" in str(error):
            msg = f"X holds values that are not numbers: {short_text(str(error))}."
            raise type(error)(msg) from error
        raise
    _check_kind(rows.dtype)
    rows = _in_own_form(rows)
    check_finite(rows, getattr(estimator, "feature_names_in_", None))
    return rows


def _in_own_form(X: Any) -> Any:
    """Make values what they will be read as, where that can turn finite numbers into infinity."""
    if X.dtype.kind == "f" and X.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            return X.astype(np.float64)
    if sp.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _dense_if_better(X: Any) -> Any:
    n_samples, n_features = X.shape
    if not is_hardly_sparse(n_samples, n_features, X.nnz):
        return X
    available = available_memory()
    working_copy = 4
    needed = (X.dtype.itemsize + working_copy) * n_samples * n_features
    return X.toarray() if available is None or needed <= available else X


def _array_of_list(X: Any) -> AnyArray:
    try:
        if isinstance(X, list | tuple) and any(np.ma.isMaskedArray(row) for row in X):
            return np.ma.array(X)
        return np.asarray(X)
    except ValueError as error:
        msg = "X has rows of different lengths: pass as many features for every sample."
        raise ValueError(msg) from error


def _check_two_dimensions(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        msg = (
            f"X has the shape {shape} instead of (n_samples, n_features): Reshape your data with "
            "X.reshape(-1, 1) if it is one feature, or X.reshape(1, -1) if it is one sample."
        )
        raise ValueError(msg)


def _check_kind(dtype: Any) -> None:
    # Objects are left to scikit-learn, which takes those that turn out to be numbers.
    kind = getattr(dtype, "kind", "O")
    if kind == "c":
        msg = f"Complex data not supported: X has dtype {dtype}, pass its real part or its modulus."
        raise ValueError(msg)
    if kind not in "buifO":
        msg = (
            f"X has dtype {short_text(str(dtype))}, but numbers are needed: encode it, e.g. texts "
            "by an embedding."
        )
        raise ValueError(msg)
