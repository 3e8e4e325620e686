"""scikit-learn's own contract tests; what fails on purpose is listed with its reason."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphpac import GPAC

METRICS = ("cosine", "euclidean", "inner_product", "precomputed")

_SPARSE = "the check reads the classifier tags of everything that has predict_proba"
_NOT_OWN_NEIGHBOR = (
    "a row need not be its own nearest neighbor under the inner product, so the memberships "
    "predicted for training rows are averages that do not contain the row itself"
)
_NOT_PAIRWISE = "the check passes features, not distances, to a pairwise estimator"

FOR_ALL = {"check_estimator_sparse_array": _SPARSE, "check_estimator_sparse_matrix": _SPARSE}
FOR_METRIC = {
    "inner_product": {
        "check_transformer_data_not_an_array": _NOT_OWN_NEIGHBOR,
        "check_transformer_general": _NOT_OWN_NEIGHBOR,
    },
    "precomputed": {
        "check_clustering": _NOT_PAIRWISE,
        "check_estimators_nan_inf": _NOT_PAIRWISE,
    },
}


def known_failures(estimator: GPAC) -> dict[str, str]:
    return {**FOR_ALL, **FOR_METRIC.get(estimator.metric, {})}


# Many checks fit twenty random rows, where ten neighbors connect everything to everything.
@pytest.mark.filterwarnings("ignore:only . of n_clusters=:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [GPAC(metric=metric) for metric in METRICS],
    expected_failed_checks=known_failures,
)
def test_estimator_contract(estimator, check):
    check(estimator)
