"""A clusterer made of a model file."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from graphpac._typing import AnyArray
from graphpac._wording import short_text
from graphpac.estimators._base import MembershipClusterer
from graphpac.models.model_file import Model, kind_of
from graphpac.prediction.average import NeighborAverage
from graphpac.prediction.training import TrainingData, TrainingDistances, TrainingRows
from graphpac.solvers.memberships import largest_membership

_NO_TREE = (
    "a model file holds no graph, so a loaded model has no tree and cannot be cut: keep what cut "
    "returns of the fitted model, or pickle that model."
)


class LoadedClusterer(MembershipClusterer):
    """A model from a file: it places rows as the one that was saved, and cannot be fitted.

    Made by `load`.

    Parameters
    ----------
    method : str
        Name of the estimator that was fitted.
    parameters : dict
        Its parameters, to look at.

    Attributes
    ----------
    n_clusters : int
        Number of clusters.
    metric : str
        How rows are compared.
    memberships_, labels_, probabilities_
        Of the training rows in the file: all of them in their order, or the representatives.
    cluster_sizes_ : int64 array of shape (n_clusters,)
        Number of training rows of each cluster, in the file or not.
    agreement_ : float or None
        Share of training rows that keep their label, if only representatives are in the file.
    n_features_in_, feature_names_in_
        Number and, if they had any, names of the features.
    """

    _model: Model

    def __init__(self, method: str, parameters: dict[str, Any]) -> None:
        self.method = method
        self.parameters = parameters

    def fit(self, X: Any, y: Any = None) -> NoReturn:  # noqa: ARG002
        """Refuse: the parameters of a loaded model are there to look at."""
        msg = (
            f"a loaded model places rows but cannot be fitted: fit a new {short_text(self.method)}."
        )
        raise TypeError(msg)

    @property
    def tree_(self) -> NoReturn:
        """Refuse: the tree of a fit is made from its graph, which is in no model file."""
        raise AttributeError(_NO_TREE)

    def cut(self, n_clusters: int) -> NoReturn:  # noqa: ARG002
        """Refuse: what would be cut is the tree of a fit, and no model file holds its graph."""
        raise TypeError(_NO_TREE)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self._model.cluster_sizes.size)

    @property
    def metric(self) -> str:
        """How rows are compared."""
        return self._model.metric

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Return the names of the columns of `transform`, those of the estimator that was fitted.

        Parameters
        ----------
        input_features : ignored
            Present by convention.
        """
        prefix = self.method.lower()
        return np.array([f"{prefix}{i}" for i in range(self.n_clusters)], dtype=object)


def clusterer_of(stored: Model, n_jobs: int | None) -> LoadedClusterer:
    """Make a fitted clusterer of what a file holds."""
    labels, probabilities = largest_membership(stored.memberships)
    fitted = {
        "memberships_": stored.memberships,
        "labels_": labels,
        "probabilities_": probabilities,
        "cluster_sizes_": stored.cluster_sizes,
        "agreement_": stored.agreement,
        "n_features_in_": stored.n_features,
        "_model": stored,
        "_predictor": predictor_of(stored, n_jobs),
    }
    if stored.feature_names is not None:
        fitted["feature_names_in_"] = np.array(stored.feature_names, dtype=object)
    model = LoadedClusterer(stored.method, stored.parameters)
    model._store(fitted)
    return model


def predictor_of(model: Model, n_jobs: int | None) -> NeighborAverage:
    """Make of a model what places rows."""
    training: TrainingData
    if model.rows is None or model.metric == "precomputed":
        training = TrainingDistances(model.n_neighbors)
    else:
        training = TrainingRows(
            model.rows.values,
            model.n_neighbors,
            metric=model.metric,
            scale=model.rows.scale,
            searcher=model.rows.searcher,
            seed=model.rows.seed,
            n_jobs=n_jobs,
            unit=model.rows.unit,
        )
    kind = kind_of(model.metric)
    return NeighborAverage(training, model.memberships, kind, model.kernel_scale, model.kernel)
