"""What estimators share: the storing of a finished fit, and clusters of new rows."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from graphpac._threads import single_threaded_blas
from graphpac._typing import FloatMatrix, IntVector
from graphpac.fitting.fits_memory import check_dense_fits
from graphpac.fitting.input import check_input
from graphpac.prediction.predictors import LabelPredictor, MembershipPredictor
from graphpac.solvers.memberships import largest_membership


class StoresFit:
    """Mixin of estimators that are fitted as a whole or not at all."""

    def _store(self, fitted: dict[str, Any]) -> None:
        """Take over the results of a fit, all at once and at its very end.

        Whatever ends a fit before, an error or Ctrl-C, leaves the estimator as it was.
        """
        self.__dict__.update(fitted)
        for name in [name for name in vars(self) if name.endswith("_") and name not in fitted]:
            del self.__dict__[name]  # of an earlier fit


class Clusterer(
    StoresFit,
    ClusterMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Base of estimators whose fit ends in labels of the training rows.

    A subclass calls `_store` at the end of its fit, with at least ``labels_`` and ``_predictor``.
    """

    labels_: IntVector
    _predictor: Any  # a LabelPredictor, in MembershipClusterer a MembershipPredictor
    _takes_sparse = True

    def predict(self, X: Any) -> IntVector:
        """Assign rows to clusters.

        The result for a row does not depend on the other rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Rows with the features of the fit.

        Returns
        -------
        labels : int32 array of shape (n_samples,)
            Numbers of clusters, as in ``labels_``.
        """
        check_is_fitted(self, "labels_")
        X = check_input(self, X, reset=False)
        predictor: LabelPredictor = self._predictor
        with single_threaded_blas():
            return predictor.labels(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags


class MembershipClusterer(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    Clusterer,
):
    """Base of estimators whose fit ends in memberships of the training rows.

    A subclass calls `_store` at the end of its fit, with at least ``memberships_``, ``labels_`` and
    ``_predictor``, which is None after a fit of a graph.
    """

    memberships_: sp.csr_matrix

    def predict(self, X: Any) -> IntVector:
        """Assign rows to clusters.

        Training rows get the label they have in ``labels_``; of equal rows that a method other than
        GPAC gave different labels, all get that of the first. The result for a row does not depend
        on the other rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Rows with the features of the fit; under ``metric="precomputed"`` their distances
            to all training samples.

        Returns
        -------
        labels : int32 array of shape (n_samples,)
            The cluster of the largest membership, the first of equals.
        """
        return largest_membership(self.predict_memberships(X))[0]

    def predict_proba(self, X: Any) -> FloatMatrix:
        """Memberships of rows as a dense array.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            As in `predict`.

        Returns
        -------
        memberships : float32 array of shape (n_samples, n_clusters)
            Rows sum to one. An array that exceeds the available memory is refused with a
            MemoryError; `predict_memberships` has no such limit.
        """
        check_is_fitted(self, "memberships_")
        if hasattr(X, "shape") and len(X.shape) == 2:
            check_dense_fits(X.shape[0], self._n_features_out)
        dense: FloatMatrix = self.predict_memberships(X).toarray()
        return dense

    def transform(self, X: Any) -> FloatMatrix:
        """Memberships of rows as a dense array, the same as `predict_proba`.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            As in `predict`.

        Returns
        -------
        memberships : float32 array of shape (n_samples, n_clusters)
            Rows sum to one.
        """
        return self.predict_proba(X)

    def predict_memberships(self, X: Any) -> sp.csr_matrix:
        """Memberships of rows as a sparse matrix.

        Methods with centers or a classifier apply their formula to the row. All others average over
        its nearest training rows, weighted by the kernel of the fit: a row that equals a training
        row (under "cosine": up to its length) gets the memberships of that row, and the first call
        builds a search index over the training rows, with the searcher of the fit.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            As in `predict`.

        Returns
        -------
        memberships : CSR float32 matrix of shape (n_samples, n_clusters)
            Rows sum to one.
        """
        check_is_fitted(self, "memberships_")
        predictor: MembershipPredictor | None = self._predictor
        if predictor is None:
            msg = (
                f"this {type(self).__name__} was fitted on a graph, so it has no rows to compare "
                "new ones with: fit it on rows with fit(X), or read labels_ and memberships_."
            )
            raise ValueError(msg)
        X = check_input(self, X, reset=False)
        with single_threaded_blas():
            return predictor.predict(X)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> FloatMatrix:
        """Fit, and return the memberships of the training rows as a dense array.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            As in `fit`.
        y : ignored
            Present by convention.
        **fit_params
            Passed to `fit`.

        Returns
        -------
        memberships : float32 array of shape (n_samples, n_clusters)
            ``memberships_`` as a dense array.
        """
        memberships: sp.csr_matrix = self.fit(X, y, **fit_params).memberships_
        check_dense_fits(*memberships.shape)
        dense: FloatMatrix = memberships.toarray()
        return dense

    @property
    def _n_features_out(self) -> int:
        # Read by ClassNamePrefixFeaturesOutMixin.
        return int(self.memberships_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        distances = getattr(self, "metric", None) == "precomputed"
        tags.input_tags.pairwise = distances
        tags.input_tags.positive_only = distances
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags
