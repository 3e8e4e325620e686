"""Representatives: the few training rows that place almost all of them as all together do."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac.estimators._fitting import largest_membership
from graphpac.estimators._predictor import Predictor, TrainingRows
from graphpac.estimators._progress import logger
from graphpac.io.model_file import Model

LEAST_AGREEMENT = 0.99

_FIRST_SHARE = 0.1
_BLOCK_ROWS = 8192


def keep_representatives(
    model: Model, training: TrainingRows, predictor_of: Callable[[Model], Predictor]
) -> Model:
    """Leave out rows as long as 99 % of all training rows are given the label they are given now.

    A tenth of the rows is drawn; those that get another label from them are added, and so on. What
    is measured in the end is the model as it will be stored.

    Parameters
    ----------
    model : Model
        With all training rows.
    training : TrainingRows
        The same rows, as they were given.
    predictor_of : callable
        Makes of a model what places rows.
    """
    n_rows = model.memberships.shape[0]
    wanted = _labels(predictor_of(model), training, n_rows)
    rng = np.random.default_rng(training.seed)
    kept = np.zeros(n_rows, dtype=np.bool_)
    missed = kept
    while not kept.all():
        more = missed & ~kept
        if not more.any():
            # At first, and where rows that are kept get another label all the same: under
            # "inner_product", or as one of several equal rows.
            rest = np.flatnonzero(~kept)
            count = math.ceil(_FIRST_SHARE * rest.size)
            more[rng.choice(rest, size=count, replace=False)] = True
        kept |= more
        smaller = _part(model, np.flatnonzero(kept))
        missed = _labels(predictor_of(smaller), training, n_rows) != wanted
        agreement = 1.0 - float(missed.mean())
        logger.info(
            "%d of %d rows give %.2f %% of them the same label", kept.sum(), n_rows, 100 * agreement
        )
        if agreement >= LEAST_AGREEMENT:
            return replace(smaller, agreement=agreement)
    return model


def _part(model: Model, numbers: AnyArray) -> Model:
    """Return a model of some of the rows."""
    rows = model.rows and replace(model.rows, values=model.rows.values[numbers])
    return replace(
        model,
        rows=rows,
        memberships=model.memberships[numbers],
        n_neighbors=min(model.n_neighbors, numbers.size),
    )


def _labels(predictor: Predictor, training: TrainingRows, n_rows: int) -> IntVector:
    blocks = [
        largest_membership(predictor.predict(training.as_given(slice(start, start + _BLOCK_ROWS))))
        for start in range(0, n_rows, _BLOCK_ROWS)
    ]
    return np.concatenate([labels for labels, _ in blocks])
