"""Representatives: the few training rows that place almost all of them as all together do."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from graphpac._typing import AnyArray, BoolVector, IntMatrix, IntVector
from graphpac.estimators._fitting import largest_membership
from graphpac.estimators._loaded import predictor_of
from graphpac.estimators._predictor import TrainingRows
from graphpac.estimators._progress import logger
from graphpac.io.model_file import Model

LEAST_AGREEMENT = 0.99

_FIRST_SHARE = 0.1
_BLOCK_ROWS = 8192


def keep_representatives(model: Model, training: TrainingRows) -> Model:
    """Leave out rows as long as 99 % of all training rows are given the label they are given now.

    A tenth of the rows is drawn. For each row that gets another label from them, the nearest one
    that is still left out is added (most often the row itself), and so on. What is measured in the
    end is the model as it will be stored.

    Parameters
    ----------
    model : Model
        With all training rows.
    training : TrainingRows
        The same rows, as they were given.
    """
    n_rows = model.memberships.shape[0]
    wanted, nearest = _place(model, training)
    rng = np.random.default_rng(training.seed)
    kept = np.zeros(n_rows, dtype=np.bool_)
    more = _drawn(kept, rng)
    while True:
        kept[more] = True
        if kept.all():
            return model
        smaller = _part(model, np.flatnonzero(kept))
        labels, _ = _place(smaller, training)
        missed = labels != wanted
        agreement = 1.0 - float(missed.mean())
        logger.info(
            "%d of %d rows give %.2f %% of them the same label", kept.sum(), n_rows, 100 * agreement
        )
        if agreement >= LEAST_AGREEMENT:
            return replace(smaller, agreement=agreement)
        more = _first_left_out(nearest[missed], kept)
        if not more.size:
            # Only where the search is not exact: the neighbors are there and were not found.
            more = _drawn(kept, rng)


def _drawn(kept: BoolVector, rng: np.random.Generator) -> AnyArray:
    """Draw a tenth of the rows that are left out."""
    rest = np.flatnonzero(~kept)
    return rng.choice(rest, size=math.ceil(_FIRST_SHARE * rest.size), replace=False)


def _first_left_out(nearest: IntMatrix, kept: BoolVector) -> AnyArray:
    """Return the nearest of each row's neighbors that is not kept, for those who have one."""
    left_out = (nearest >= 0) & ~kept[nearest]
    some = left_out.any(axis=1)
    return nearest[some, left_out[some].argmax(axis=1)]


def _part(model: Model, numbers: AnyArray) -> Model:
    """Return a model of some of the rows."""
    return replace(
        model,
        rows=model.rows and replace(model.rows, values=model.rows.values[numbers]),
        memberships=model.memberships[numbers],
        n_neighbors=min(model.n_neighbors, numbers.size),
    )


def _place(model: Model, training: TrainingRows) -> tuple[IntVector, IntMatrix]:
    """Return the label each training row gets as a new row, and its nearest rows in the model."""
    predictor = predictor_of(model, training.n_jobs)
    n_rows = training.X.shape[0]
    labels: IntVector = np.empty(n_rows, dtype=np.int32)
    nearest: IntMatrix = np.empty((n_rows, model.n_neighbors), dtype=np.int32)
    for start in range(0, n_rows, _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        found = predictor.training.neighbors(training.as_given(block))
        labels[block] = largest_membership(predictor.average(found))[0]
        nearest[block] = found.indices
    return labels, nearest
