"""Agreement of a hard clustering with known labels.

Labels may be of any type NumPy can sort: integers, strings, booleans. Cluster
names carry no meaning, so every score is unchanged when clusters are renamed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from graphpac._typing import AnyArray


class LabelScores(NamedTuple):
    """The four usual scores of a clustering against known labels; 1 is best for each.

    Attributes
    ----------
    nmi : float
        Normalized mutual information (arithmetic mean), in [0, 1].
    acc : float
        Accuracy under the best one-to-one matching of clusters to classes, in [0, 1].
    ari : float
        Adjusted Rand index, at most 1, near 0 for random labels.
    purity : float
        Share of samples in the majority class of their cluster, in [0, 1].
    """

    nmi: float
    acc: float
    ari: float
    purity: float


class _Contingency(NamedTuple):
    """How often class i and cluster j meet, with the names of the classes."""

    counts: NDArray[np.intp]  # (n_classes, n_clusters)
    classes: AnyArray
    cluster_of_sample: NDArray[np.intp]


def clustering_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return the accuracy under the best one-to-one matching of clusters to classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Known labels and found clusters, of any sortable type.

    Returns
    -------
    float
        Share of samples whose cluster is matched to their class, in [0, 1]. With
        more clusters than classes some clusters stay unmatched and all their
        samples count as errors; with fewer, the same holds for classes.

    Examples
    --------
    >>> clustering_accuracy(["cat", "cat", "dog", "dog"], [1, 1, 0, 1])
    0.75
    """
    counts = _contingency(y_true, y_pred).counts
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum())


def match_labels(y_true: ArrayLike, y_pred: ArrayLike) -> AnyArray:
    """Rename clusters after the classes they match best, e.g. for a confusion matrix.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Known labels and found clusters, of any sortable type.

    Returns
    -------
    ndarray of shape (n_samples,)
        The prediction in the names and the type of `y_true`. The matching is the
        one-to-one matching of `clustering_accuracy`; clusters left over when there
        are more clusters than classes take the name of their majority class.

    Examples
    --------
    >>> match_labels(["cat", "cat", "dog", "dog"], [1, 1, 0, 1]).tolist()
    ['cat', 'cat', 'dog', 'cat']
    """
    counts, classes, cluster_of_sample = _contingency(y_true, y_pred)
    class_of_cluster = counts.argmax(axis=0)
    matched_classes, matched_clusters = linear_sum_assignment(counts, maximize=True)
    class_of_cluster[matched_clusters] = matched_classes
    names: AnyArray = classes[class_of_cluster[cluster_of_sample]]
    return names


def purity(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return the share of samples that belong to the majority class of their cluster.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Known labels and found clusters, of any sortable type.

    Returns
    -------
    float
        In (0, 1]; never below `clustering_accuracy`. It grows with the number of
        clusters and is 1 when each sample is a cluster, so compare it only at
        equal numbers of clusters.
    """
    counts = _contingency(y_true, y_pred).counts
    return float(counts.max(axis=0).sum() / counts.sum())


def normalized_mutual_information(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return the mutual information over the mean of both entropies.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Known labels and found clusters, of any sortable type.

    Returns
    -------
    float
        In [0, 1], scikit-learn's value with arithmetic averaging.
    """
    return float(normalized_mutual_info_score(*_label_pair(y_true, y_pred)))


def adjusted_rand_index(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return the Rand index corrected for chance.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Known labels and found clusters, of any sortable type.

    Returns
    -------
    float
        At most 1, near 0 for random labels, negative when worse: scikit-learn's value.
    """
    return float(adjusted_rand_score(*_label_pair(y_true, y_pred)))


def score_labels(y_true: ArrayLike, y_pred: ArrayLike) -> LabelScores:
    """Return NMI, accuracy, ARI and purity together.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Known labels and found clusters, of any sortable type.

    Returns
    -------
    LabelScores
        A named tuple with the fields `nmi`, `acc`, `ari`, `purity`.
    """
    return LabelScores(
        nmi=normalized_mutual_information(y_true, y_pred),
        acc=clustering_accuracy(y_true, y_pred),
        ari=adjusted_rand_index(y_true, y_pred),
        purity=purity(y_true, y_pred),
    )


def _contingency(y_true: ArrayLike, y_pred: ArrayLike) -> _Contingency:
    true_labels, found_labels = _label_pair(y_true, y_pred)
    classes, class_of_sample = np.unique(true_labels, return_inverse=True)
    clusters, cluster_of_sample = np.unique(found_labels, return_inverse=True)
    n_cells = len(classes) * len(clusters)
    cells = np.bincount(class_of_sample * len(clusters) + cluster_of_sample, minlength=n_cells)
    counts = cells.reshape(len(classes), len(clusters))
    return _Contingency(counts, classes, cluster_of_sample)


def _label_pair(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[AnyArray, AnyArray]:
    true_labels, found_labels = np.asarray(y_true), np.asarray(y_pred)
    for name, labels in (("y_true", true_labels), ("y_pred", found_labels)):
        if labels.ndim != 1 or labels.size == 0:
            msg = (
                f"{name} has shape {labels.shape} but must be a non-empty vector: "
                "pass one label per sample."
            )
            raise ValueError(msg)
    if len(true_labels) != len(found_labels):
        msg = (
            f"y_true has {len(true_labels)} labels and y_pred {len(found_labels)}: "
            "pass labels of the same samples in the same order."
        )
        raise ValueError(msg)
    return true_labels, found_labels
