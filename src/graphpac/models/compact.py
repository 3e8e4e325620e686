"""Representatives: the few training rows that place almost all of them as all together do."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from graphpac._typing import AnyArray, BoolVector, IntVector
from graphpac.fitting.progress import logger
from graphpac.models.loaded import predictor_of
from graphpac.models.model_file import Model
from graphpac.prediction.training import TrainingRows
from graphpac.solvers.memberships import largest_membership

LEAST_AGREEMENT = 0.99

_FIRST_SHARE = 0.1
_BLOCK_ROWS = 8192


def keep_representatives(model: Model, training: TrainingRows) -> Model:
    """Leave out rows as long as 99 % of all training rows are given the label they are given now.

    A tenth of the rows is drawn. Those that get another label from them are added, and so on. What
    is measured in the end is the model as it will be stored.
    """
    n_rows = model.memberships.shape[0]
    wanted = _place(model, training)
    rng = np.random.default_rng(training.seed)
    kept = np.zeros(n_rows, dtype=np.bool_)
    more = _drawn(kept, rng)
    while True:
        kept[more] = True
        if kept.all():
            return model
        smaller = _part(model, np.flatnonzero(kept))
        missed = _place(smaller, training) != wanted
        agreement = 1.0 - float(missed.mean())
        logger.info(
            "%d of %d rows give %.2f %% of them the same label", kept.sum(), n_rows, 100 * agreement
        )
        if agreement >= LEAST_AGREEMENT:
            return replace(smaller, agreement=agreement)
        more = np.flatnonzero(missed & ~kept)
        if not more.size:
            more = _drawn(kept, rng)  # rows that are equal have different labels


def _drawn(kept: BoolVector, rng: np.random.Generator) -> AnyArray:
    """Draw a tenth of the rows that are left out."""
    rest = np.flatnonzero(~kept)
    return rng.choice(rest, size=math.ceil(_FIRST_SHARE * rest.size), replace=False)


def _part(model: Model, numbers: AnyArray) -> Model:
    """Return a model of some of the rows."""
    return replace(
        model,
        rows=model.rows and replace(model.rows, values=model.rows.values[numbers]),
        memberships=model.memberships[numbers],
        n_neighbors=min(model.n_neighbors, numbers.size),
    )


def _place(model: Model, training: TrainingRows) -> IntVector:
    """Return the label each training row gets as a new row."""
    predictor = predictor_of(model, training.n_jobs)
    n_rows = training.X.shape[0]
    labels: IntVector = np.empty(n_rows, dtype=np.int32)
    for start in range(0, n_rows, _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        labels[block] = largest_membership(predictor.predict(training.as_given(block)))[0]
    return labels
