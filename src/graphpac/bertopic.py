"""GPAC as the clustering step of BERTopic, with the topic distribution of every document."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from graphpac._typing import FloatMatrix, IntVector
from graphpac._wording import short_repr
from graphpac.estimators import GPAC


class TopicClusterer(BaseEstimator):  # type: ignore[misc]
    """What BERTopic takes as ``hdbscan_model=``: no outliers, and all memberships as probabilities.

    BERTopic keeps the probabilities of its clusterer. Those of `GPAC` tell of each document how
    sure its cluster is; these tell how much of it belongs to each, so that
    ``topic_model.probabilities_`` is the topic distribution of every document.

    Parameters
    ----------
    clusterer : GPAC, optional
        What makes the clusters, by default ``GPAC()``; any estimator of this package with
        memberships will do. It is copied, not fitted itself.

    Attributes
    ----------
    clusterer_ : GPAC
        The fitted copy.
    labels_ : int32 array of shape (n_documents,)
        Cluster of each document, never -1. BERTopic renumbers them by their sizes.
    probabilities_ : float32 array of shape (n_documents, n_clusters)
        Memberships; rows sum to one.

    Examples
    --------
    >>> from graphpac import GPAC
    >>> from graphpac.bertopic import TopicClusterer
    >>> clusterer = TopicClusterer(GPAC(n_clusters=77, random_state=0))
    >>> BERTopic(hdbscan_model=clusterer)  # doctest: +SKIP
    """

    def __init__(self, clusterer: GPAC | None = None) -> None:
        self.clusterer = clusterer

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Cluster embeddings, reduced or not.

        Parameters
        ----------
        X : array of shape (n_documents, n_features)
            Embeddings.
        y : ignored
            Present because BERTopic passes it.
        """
        clusterer = GPAC() if self.clusterer is None else clone(_checked(self.clusterer))
        self.probabilities_: FloatMatrix = clusterer.fit_transform(X)
        self.labels_: IntVector = clusterer.labels_
        self.clusterer_ = clusterer
        return self

    def predict(self, X: Any) -> IntVector:
        """Assign embeddings of other documents to clusters."""
        check_is_fitted(self, "clusterer_")
        return self.clusterer_.predict(X)

    def predict_proba(self, X: Any) -> FloatMatrix:
        """Return memberships of other documents, shape (n_documents, n_clusters)."""
        check_is_fitted(self, "clusterer_")
        return self.clusterer_.predict_proba(X)


def _checked(clusterer: Any) -> Any:
    """Return an estimator with memberships; TypeError for all else."""
    if isinstance(clusterer, type) or not hasattr(clusterer, "fit_transform"):
        n_clusters = clusterer if isinstance(clusterer, int) else "..."
        msg = (
            f"clusterer={short_repr(clusterer)} must be an estimator with memberships: pass "
            f"TopicClusterer(GPAC(n_clusters={n_clusters}))."
        )
        raise TypeError(msg)
    return clusterer


def topic_distribution(topic_model: Any, embeddings: Any) -> FloatMatrix:
    """Tell how much of each document belongs to each topic, for documents old or new.

    ``BERTopic.transform`` gives new documents a topic, but probabilities only with HDBSCAN.

    Parameters
    ----------
    topic_model : BERTopic
        Fitted, with a `TopicClusterer` as its hdbscan_model.
    embeddings : array of shape (n_documents, n_features)
        Embeddings of the documents, by the model of the fit, not reduced.

    Returns
    -------
    distribution : float32 array of shape (n_documents, n_topics)
        Column t is topic t, merged topics added up. Rows sum to one but for what belongs to
        clusters without documents and to topics that were deleted.
    """
    if not isinstance(topic_model.hdbscan_model, TopicClusterer):
        msg = (
            "topic_distribution needs a BERTopic model with a TopicClusterer, but its "
            f"hdbscan_model is of type {type(topic_model.hdbscan_model).__name__}: pass "
            "hdbscan_model=TopicClusterer(GPAC(...)) to BERTopic and fit it again."
        )
        raise TypeError(msg)
    reduced = topic_model.umap_model.transform(embeddings)
    memberships = topic_model.hdbscan_model.predict_proba(reduced)
    topic_of = topic_model.topic_mapper_.get_mappings(original_topics=True)
    shape = (memberships.shape[0], max(topic_of.values()) + 1)
    distribution = np.zeros(shape, dtype=np.float32)
    for cluster, topic in topic_of.items():
        if topic >= 0:  # a deleted topic is -1
            distribution[:, topic] += memberships[:, cluster]
    return distribution
