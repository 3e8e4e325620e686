"""scikit-learn's own contract tests; what fails on purpose is listed with its reason."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.contracts.estimators import ESTIMATORS

KNOWN_FAILURES = {repr(estimator): failures for estimator, failures in ESTIMATORS}


# Many checks fit twenty random rows, where ten neighbors connect everything to everything.
@pytest.mark.filterwarnings("ignore:only . of n_clusters=:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::graphpac.exceptions.DataWarning")  # noise, and two columns
@parametrize_with_checks(
    [estimator for estimator, _ in ESTIMATORS],
    expected_failed_checks=lambda estimator: KNOWN_FAILURES[repr(estimator)],
)
def test_estimator_contract(estimator, check):
    check(estimator)
