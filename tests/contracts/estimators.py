"""Every estimator, in the forms whose contracts are tested, and what fails on purpose and why."""

from graphpac import GPAC, SphericalKMeans

_SPARSE = "the check reads the classifier tags of everything that has predict_proba"
_NOT_OWN_NEIGHBOR = (
    "a row need not be its own nearest neighbor under the inner product, so the memberships "
    "predicted for training rows are averages that do not contain the row itself"
)
_NOT_PAIRWISE = "the check passes features, not distances, to a pairwise estimator"

SOFT = {"check_estimator_sparse_array": _SPARSE, "check_estimator_sparse_matrix": _SPARSE}

# Estimators, each with the checks that fail.
ESTIMATORS = [
    (GPAC(), SOFT),
    (GPAC(metric="euclidean"), SOFT),
    (
        GPAC(metric="inner_product"),
        {
            **SOFT,
            "check_transformer_data_not_an_array": _NOT_OWN_NEIGHBOR,
            "check_transformer_general": _NOT_OWN_NEIGHBOR,
        },
    ),
    (
        GPAC(metric="precomputed"),
        {
            **SOFT,
            "check_clustering": _NOT_PAIRWISE,
            "check_estimators_nan_inf": _NOT_PAIRWISE,
        },
    ),
    (SphericalKMeans(), {}),
]
