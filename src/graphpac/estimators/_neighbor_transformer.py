"""The neighbor search behind the face of scikit-learn's KNeighborsTransformer."""

from __future__ import annotations

import sys
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from graphpac._constraints import one_of
from graphpac._threads import single_threaded_blas
from graphpac._typing import AnyArray, RandomState
from graphpac.estimators._base import StoresFit
from graphpac.fitting.input import check_input
from graphpac.fitting.parameters import constraints_of
from graphpac.fitting.run import FitRun, begin_fit
from graphpac.graph.rows import row_scale
from graphpac.graph.searchers import NeighborSearcher
from graphpac.graph.searchers.base import stack
from graphpac.prediction.training import TrainingRows, neighbors_in_blocks

_PARAMETERS = constraints_of(metric=one_of("cosine", "euclidean"))


class NeighborTransformer(
    StoresFit,
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Turn rows into the sparse distances to their nearest training rows.

    The result is that of scikit-learn's ``KNeighborsTransformer(mode="distance")``, found by the
    searchers of this library, exact or approximate: put it into a pipeline before anything that
    takes ``metric="precomputed"``, or give it to ``scanpy.pp.neighbors`` as ``transformer=``.

    Parameters
    ----------
    n_neighbors : int
        Neighbors of each row, itself not counted: as in scikit-learn there is one entry more,
        because a training row is its own nearest neighbor. Where there are fewer training rows,
        all of them.
    metric : {"euclidean", "cosine"}
        What the distances are; "cosine" is 1 - cos, from 0 to 2.
    searcher : str or NeighborSearcher
        How neighbors are found: "auto" by size and dimension, or "exact", "lists", "faiss",
        "nndescent", or an object such as ``ListsSearcher(n_looked_at=10_000)``.
    n_jobs : int, optional
        Number of threads; None means all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed of the approximate searchers.

    Attributes
    ----------
    n_samples_fit_ : int
        Number of training rows, the columns of the result.
    n_features_in_, feature_names_in_
        Number and, for data frames, names of the features.

    Notes
    -----
    The transformer keeps a reference to the training rows: they must not be changed afterwards.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from graphpac import GPAC, NeighborTransformer
    >>> from graphpac.datasets import load
    >>> X = load("digits").X
    >>> clusters = GPAC(n_clusters=10, metric="precomputed", random_state=0)
    >>> pipeline = make_pipeline(NeighborTransformer(n_neighbors=10), clusters)
    >>> pipeline.fit_predict(X).shape
    (1797,)
    """

    n_samples_fit_: int
    _n_entries: int
    _scale: float
    _training: TrainingRows

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        metric: Literal["euclidean", "cosine"] = "euclidean",
        searcher: str | NeighborSearcher = "auto",
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.searcher = searcher
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Keep the rows to search among.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            Real, finite numbers of any dtype.
        y : ignored
            Present by convention.

        Returns
        -------
        self
            Fitted. The index over the rows is built when it is first needed.
        """
        with begin_fit(self, _PARAMETERS, X) as run:
            self._keep(run)
        return self

    def transform(self, X: Any) -> sp.csr_matrix:
        """Find the training rows nearest to each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_queries, n_features)
            Any rows with the features of the fit.

        Returns
        -------
        distances : CSR matrix of shape (n_queries, n_samples_fit)
            n_neighbors + 1 entries in each row, nearest first, zeros stored.
        """
        check_is_fitted(self, "n_samples_fit_")
        X = check_input(self, X, reset=False)
        with single_threaded_blas():
            found = stack(list(neighbors_in_blocks(self._training, X)), self._n_entries)
        return self._matrix(*found.lists())

    def fit_transform(self, X: Any, y: Any = None) -> sp.csr_matrix:  # noqa: ARG002
        """Keep the rows, and find the neighbors of each among the others.

        The same as `fit` and `transform`, but each row is its own first neighbor whatever the
        searcher, and approximate searchers have less to do.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            As in `fit`.
        y : ignored
            Present by convention.

        Returns
        -------
        distances : CSR matrix of shape (n_samples, n_samples)
            n_neighbors + 1 entries in each row, itself first.
        """
        with begin_fit(self, _PARAMETERS, X) as run:
            n_others = min(self.n_neighbors, run.n_samples - 1)
            graph = run.connect(n_others, n_copy_links=n_others).graph.truncated(n_others)
        self._keep(run)
        own = np.arange(graph.n_samples, dtype=np.int32)
        starts = graph.indptr[:-1]
        return self._matrix(
            graph.indptr + np.arange(graph.n_samples + 1),
            np.insert(graph.indices, starts, own),
            np.insert(graph.values, starts, np.float32(0.0)),
        )

    @property
    def _n_features_out(self) -> int:
        # Read by ClassNamePrefixFeaturesOutMixin.
        return self.n_samples_fit_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def _keep(self, run: FitRun) -> None:
        n_entries = min(self.n_neighbors + 1, run.n_samples)  # the row itself is one
        scale = row_scale(run.X, self.metric)
        self._store(
            {
                **run.attributes,
                "n_samples_fit_": run.n_samples,
                "_n_entries": n_entries,
                "_scale": scale,
                "_training": run.remember(run.X, n_entries, scale=scale, merge_copies=False),
            }
        )

    def _matrix(self, indptr: AnyArray, columns: AnyArray, values: AnyArray) -> sp.csr_matrix:
        if self._scale != 1.0:
            # Only of values so huge or tiny that float32 may not hold their distances.
            limit = sys.float_info.max / self._scale
            values = np.minimum(values.astype(np.float64), limit) * self._scale
        shape = (indptr.size - 1, self.n_samples_fit_)
        return sp.csr_matrix((values, columns, indptr), shape=shape)
