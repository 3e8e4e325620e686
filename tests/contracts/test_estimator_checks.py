"""scikit-learn's own contract tests; what fails on purpose is listed with its reason."""

from itertools import compress

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.contracts.estimators import ESTIMATORS, first_of_each

FORMS = [form for form, _ in ESTIMATORS]
FIRST = first_of_each(FORMS)
KNOWN_FAILURES = {repr(form): failures for form, failures in ESTIMATORS}

# Many checks fit twenty random rows, where ten neighbors connect everything to everything.
pytestmark = pytest.mark.filterwarnings(
    "ignore:only . of n_clusters=:sklearn.exceptions.ConvergenceWarning",
    "ignore::graphpac.exceptions.DataWarning",  # noise, and two columns
)


def known_failures(estimator):
    return KNOWN_FAILURES[repr(estimator)]


@parametrize_with_checks([*compress(FORMS, FIRST)], expected_failed_checks=known_failures)
def test_estimator_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [form for form, first in zip(FORMS, FIRST, strict=True) if not first],
    expected_failed_checks=known_failures,
)
def test_estimator_contract_of_other_forms(estimator, check):
    check(estimator)
