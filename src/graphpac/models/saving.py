"""Models in files: saving what `predict` needs of a fit, and loading it again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphpac._threads import single_threaded_blas
from graphpac._wording import short_path, short_repr, show_bytes
from graphpac.estimators._base import Clusterer
from graphpac.fitting.identity import plain_value
from graphpac.fitting.progress import logger
from graphpac.models.compact import keep_representatives
from graphpac.models.loaded import LoadedClusterer, clusterer_of
from graphpac.models.model_file import Model, ModelRows, describe_searcher, read_model, write_model
from graphpac.models.stored_rows import pack_rows
from graphpac.prediction.average import NeighborAverage
from graphpac.prediction.training import TrainingData, TrainingRows
from graphpac.prediction.vote import NeighborVote
from graphpac.solvers.memberships import largest_membership

FilePath: TypeAlias = str | os.PathLike[str]

_LONGEST_PARAMETER = 200
_CAN_BE_SAVED = (
    "GPAC, FINCH, NeighborSpectralClustering, SelfCSC, BalancedFuzzyGraph without anchors and "
    "FuzzyCMeans with a local_weight"
)


@dataclass(frozen=True)
class SavedModel:
    """What `save` wrote.

    ``n_bytes`` is the size of the file, ``n_rows`` the number of rows in it, ``n_training_rows``
    that of the fit. ``agreement`` is the share of training rows that get the same label from the
    file as from the model, measured on all of them; None if all rows are in the file.
    """

    n_bytes: int
    n_rows: int
    n_training_rows: int
    agreement: float | None

    def __str__(self) -> str:
        size = show_bytes(self.n_bytes)
        if self.agreement is None:
            return f"{size}, all {self.n_rows:,} rows"
        return (
            f"{size}, {self.n_rows:,} of {self.n_training_rows:,} rows, which give "
            f"{self.agreement:.2%} of the training rows the same label"
        )


def save(model: Any, path: FilePath, *, compact: bool = False) -> SavedModel:
    """Write a fitted model to a file that `load` reads: what `predict` needs and nothing else.

    The file holds numbers and a JSON header with checksums, no pickle; reading it executes nothing.
    It appears whole or not at all.

    Parameters
    ----------
    model : fitted estimator
        One that places new rows by their nearest training rows, as GPAC does, or a loaded model.
    path : str or path
        The file. One that exists is replaced.
    compact : bool
        Keep only representatives of the rows, enough to give at least 99 % of all training rows
        the same label; other rows agree less often.

    Returns
    -------
    facts : SavedModel
        Size of the file, number of rows in it and, if compact, the agreement that was measured.

    Examples
    --------
    >>> import graphpac, tempfile
    >>> from graphpac.datasets import load
    >>> X = load("digits").X
    >>> model = graphpac.GPAC(n_clusters=10, random_state=0).fit(X)
    >>> file = tempfile.mkdtemp() + "/digits.graphpac"
    >>> graphpac.save(model, file).n_rows
    1797
    >>> bool((graphpac.load(file).predict(X) == model.labels_).all())
    True
    """
    path = _checked_path(path)
    stored, training = _stored_form(model)
    if compact and stored.agreement is None:
        if not isinstance(training, TrainingRows):
            msg = (
                "compact=True leaves out rows, but under metric='precomputed' new rows come with "
                "their distances to all of them: save it without compact."
            )
            raise ValueError(msg)
        with single_threaded_blas():
            stored = keep_representatives(stored, training)
    try:
        write_model(path, stored)
    except OSError as error:
        msg = (
            f"the model could not be written to {short_path(path)} ({error.strerror or error}): a "
            "file that was there before is unchanged."
        )
        raise type(error)(msg) from error
    return SavedModel(
        n_bytes=path.stat().st_size,
        n_rows=stored.memberships.shape[0],
        n_training_rows=stored.n_training_rows,
        agreement=stored.agreement,
    )


def load(path: FilePath, *, n_jobs: int | None = None) -> LoadedClusterer:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : str or path
        The file. One that is damaged, not a model, or of a later version is refused with a
        FileFormatError.
    n_jobs : int, optional
        Number of threads for predictions; None means all usable cores.

    Returns
    -------
    model : LoadedClusterer
        With `predict`, `predict_proba`, `predict_memberships` and `transform`.
    """
    path = _checked_path(path)
    try:
        stored = read_model(path)
    except OSError as error:
        msg = f"{short_path(path)} cannot be read ({error.strerror or error})."
        raise type(error)(msg) from error
    return clusterer_of(stored, n_jobs)


def _stored_form(model: Any) -> tuple[Model, TrainingData]:
    """Turn a fitted estimator into what its file holds, with the rows as they were given."""
    if not isinstance(model, Clusterer):
        msg = f"save needs a fitted estimator of graphpac, got {short_repr(model)}."
        raise TypeError(msg)
    check_is_fitted(model, "labels_")
    predictor = _neighbor_average(model)
    training = predictor.training
    if isinstance(model, LoadedClusterer):
        return model._model, training
    names = getattr(model, "feature_names_in_", None)
    memberships = predictor.memberships
    labels = largest_membership(memberships)[0]
    rows = training if isinstance(training, TrainingRows) else None
    stored = Model(
        method=type(model).__name__,
        parameters=_parameters_of(model),
        metric="precomputed" if rows is None else rows.metric,
        n_neighbors=int(training.n_neighbors),
        kernel=predictor.kernel,
        kernel_scale=float(predictor.scale),
        n_features=int(model.n_features_in_),
        feature_names=None if names is None else tuple(map(str, names)),
        memberships=memberships,
        cluster_sizes=np.bincount(labels, minlength=memberships.shape[1]),
        agreement=None,
        rows=None if rows is None else _pack(rows, predictor.scale),
    )
    return stored, training


def _neighbor_average(model: Clusterer) -> NeighborAverage:
    predictor = model._predictor
    if isinstance(predictor, NeighborVote):
        predictor = predictor.averages
    if isinstance(predictor, NeighborAverage):
        return predictor
    name = type(model).__name__
    if predictor is None:
        msg = (
            f"this {name} was fitted on a graph, so it has no rows to compare new ones with: fit "
            "it on rows with fit(X) and save that."
        )
    else:
        msg = f"this {name} cannot be saved, only {_CAN_BE_SAVED} can: pickle it."
    raise ValueError(msg)


def _pack(training: TrainingRows, kernel_scale: float) -> ModelRows:
    values, unit = pack_rows(
        training.X, training.metric, scale=training.scale, kernel_scale=kernel_scale
    )
    searcher = training.searcher
    if describe_searcher(searcher) is None:
        logger.warning(
            "searcher=%s is not one of graphpac's, so the saved model will search by 'auto'.",
            short_repr(searcher),
        )
        searcher = "auto"
    return ModelRows(values, unit, training.scale, searcher, training.seed)


def _parameters_of(estimator: Any) -> dict[str, Any]:
    return {
        name: _shortened(plain_value(value))
        for name, value in estimator.get_params(deep=False).items()
    }


def _shortened(value: Any) -> Any:
    too_long = isinstance(value, str) and len(value) > _LONGEST_PARAMETER
    return f"{value[:_LONGEST_PARAMETER]}..." if too_long else value


def _checked_path(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        msg = f"path={short_repr(path)} must be the path of a file."
        raise TypeError(msg)
    return Path(path)
