"""Scores against known labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from graphpac.metrics import (
    adjusted_rand_index,
    clustering_accuracy,
    match_labels,
    normalized_mutual_information,
    purity,
    score_labels,
)

label_pairs = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=40
).map(lambda pairs: tuple(np.array(pairs).T))


def test_accuracy_by_hand():
    # Cluster 7 matches class a (2 of 3), cluster 5 matches class b (2 of 2).
    assert clustering_accuracy(list("aaabb"), [7, 7, 5, 5, 5]) == pytest.approx(4 / 5)


def test_best_matching_beats_the_greedy_one():
    # Greedy gives cluster 0 to class 0 (3 right), leaving cluster 1 nothing: 3 of 8.
    # The best gives cluster 0 to class 1 and cluster 1 to class 0: 2 + 3 = 5 of 8.
    y_true = [0, 0, 0, 1, 1, 0, 0, 0]
    y_pred = [0, 0, 0, 0, 0, 1, 1, 1]
    assert clustering_accuracy(y_true, y_pred) == pytest.approx(5 / 8)


def test_samples_of_unmatched_clusters_are_errors():
    assert clustering_accuracy([0, 0, 0, 0], [0, 0, 1, 2]) == pytest.approx(0.5)
    assert clustering_accuracy([0, 1, 2, 2], [5, 5, 5, 5]) == pytest.approx(0.5)


def test_purity_by_hand():
    assert purity(list("aabbc"), [0, 0, 0, 1, 1]) == pytest.approx(3 / 5)
    assert purity([0, 1, 2], [0, 1, 2]) == 1.0


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, str, object])
def test_labels_of_any_type(dtype):
    y_true, y_pred = np.array([0, 0, 1, 1, 2, 2]), np.array([9, 9, 4, 4, 4, 7])
    scores = score_labels(y_true.astype(dtype), y_pred.astype(dtype))
    assert scores == pytest.approx(score_labels(y_true, y_pred))
    assert scores.acc == pytest.approx(5 / 6)


def test_classes_and_clusters_need_not_share_a_type():
    assert score_labels(["x", "x", "y"], [True, True, False]) == (1.0, 1.0, 1.0, 1.0)


@given(pair=label_pairs)
def test_renaming_clusters_changes_nothing(pair):
    y_true, y_pred = pair
    renamed = np.array([30, 10, 50, 20, 40, 0])[y_pred]
    assert score_labels(y_true, renamed) == pytest.approx(score_labels(y_true, y_pred))


@given(pair=label_pairs)
def test_accuracy_is_symmetric_and_at_most_purity(pair):
    accuracy = clustering_accuracy(*pair)
    assert accuracy == pytest.approx(clustering_accuracy(*pair[::-1]))
    assert 0.0 <= accuracy <= purity(*pair) <= 1.0


@given(pair=label_pairs)
def test_nmi_and_ari_are_those_of_scikit_learn(pair):
    assert normalized_mutual_information(*pair) == normalized_mutual_info_score(*pair)
    assert adjusted_rand_index(*pair) == adjusted_rand_score(*pair)


@given(labels=st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_a_perfect_clustering_scores_one(labels):
    assert score_labels(labels, labels) == pytest.approx((1.0, 1.0, 1.0, 1.0))


def test_matched_labels_use_the_names_of_the_classes():
    matched = match_labels(list("aaabb"), [7, 7, 5, 5, 5])
    assert matched.tolist() == list("aabbb")


@given(pair=label_pairs)
def test_matched_labels_agree_with_the_accuracy(pair):
    y_true, y_pred = pair
    agreement = np.mean(match_labels(y_true, y_pred) == y_true)
    if len(np.unique(y_pred)) <= len(np.unique(y_true)):
        assert agreement == pytest.approx(clustering_accuracy(y_true, y_pred))
    else:  # left-over clusters take their majority class, which can only add agreement
        assert agreement >= clustering_accuracy(y_true, y_pred) - 1e-12


def test_inputs_are_not_changed():
    y_true, y_pred = np.array([0, 1, 1]), np.array([5, 5, 6])
    copies = y_true.copy(), y_pred.copy()
    score_labels(y_true, y_pred)
    match_labels(y_true, y_pred)
    np.testing.assert_array_equal((y_true, y_pred), copies)


@pytest.mark.parametrize("score", [score_labels, clustering_accuracy, match_labels, purity])
@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([0, 1], [0, 1, 1], "y_true has 2 labels and y_pred 3"),
        ([], [], "y_true has shape \\(0,\\) but must be a non-empty vector"),
        ([0, 1], [[0, 1]], "y_pred has shape \\(1, 2\\)"),
    ],
)
def test_bad_labels_get_a_sentence(score, y_true, y_pred, message):
    with pytest.raises(ValueError, match=message):
        score(y_true, y_pred)
