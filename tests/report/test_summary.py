import numpy as np
import scipy.sparse as sp

from graphpac.report.summary import find_doubtful_samples, summarize_clusters


def test_clusters_are_named_after_their_match_and_ordered_by_it():
    labels = np.array([2, 2, 2, 0, 0, 1])
    y = np.array(["a", "a", "b", "b", "b", "c"])
    probabilities = np.array([1.0, 0.5, 0.6, 1.0, 0.5, 0.25])

    summaries = summarize_clusters(labels, probabilities, y)

    assert [(item.matched_class, item.cluster, item.size) for item in summaries] == [
        ("a", 2, 3),
        ("b", 0, 2),
        ("c", 1, 1),
    ]
    np.testing.assert_allclose([item.share for item in summaries], [2 / 3, 1, 1])
    np.testing.assert_allclose([item.certainty for item in summaries], [0.7, 0.75, 0.25])


def test_the_smallest_lead_comes_first():
    memberships = sp.csr_matrix([[1.0, 0.0, 0.0], [0.25, 0.25, 0.5], [0.0, 0.4375, 0.5625]])

    doubtful = find_doubtful_samples(memberships, 2)

    assert [tuple(sample) for sample in doubtful] == [
        (2, 2, 0.5625, 1, 0.4375),
        (1, 2, 0.5, 0, 0.25),
    ]
