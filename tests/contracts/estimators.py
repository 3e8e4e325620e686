"""Every estimator, in the forms whose contracts are tested, and what fails on purpose and why."""

from graphpac import (
    FINCH,
    GPAC,
    PAC,
    RCC,
    BalancedFuzzyGraph,
    FuzzyCMeans,
    KSums,
    NeighborSpectralClustering,
    SCANHead,
    SelfCSC,
    SphericalKMeans,
)

_SPARSE = "the check reads the classifier tags of everything that has predict_proba"
_NOT_PAIRWISE = "the check passes features, not distances, to a pairwise estimator"

SOFT = {"check_estimator_sparse_array": _SPARSE, "check_estimator_sparse_matrix": _SPARSE}

# RCC weighs its edges by the norm of the data, which grows with the number of rows: twenty rows of
# a group are too few to draw it together. It splits groups, but does not mix them.
SPLITS_SMALL_GROUPS = {"RCC"}

# Estimators, each with the checks that fail.
ESTIMATORS = [
    (BalancedFuzzyGraph(), SOFT),
    (BalancedFuzzyGraph(n_anchors=20, metric="cosine"), SOFT),
    (FINCH(), {}),
    (FINCH(metric="euclidean", early_exit=True), {}),
    (FuzzyCMeans(), SOFT),
    (FuzzyCMeans(local_weight="ramp"), SOFT),
    (GPAC(), SOFT),
    (GPAC(metric="euclidean"), SOFT),
    (GPAC(metric="inner_product"), SOFT),
    (GPAC("auto"), SOFT),
    (
        GPAC(metric="precomputed"),
        {
            **SOFT,
            "check_clustering": _NOT_PAIRWISE,
            "check_estimators_nan_inf": _NOT_PAIRWISE,
        },
    ),
    (KSums(), {}),
    (KSums(metric="cosine", init="random"), {}),
    (PAC(), {}),
    (PAC(metric="euclidean", init="k-means++"), {}),
    (RCC(), {}),
    (
        RCC(metric="euclidean", scaling="standardize"),
        {"check_clustering": "fifty rows are too few to draw a group together: it is split"},
    ),
    (NeighborSpectralClustering(), {}),
    (NeighborSpectralClustering(metric="cosine", affinity="binary"), {}),
    (SCANHead(max_iter=60), SOFT),
    (SCANHead(max_iter=60, metric="euclidean", self_label=0.9), SOFT),
    (SelfCSC(), {}),
    (SphericalKMeans(), {}),
]


def first_of_each(forms):
    """Tell for each form whether it is the first of its class, which is tested on every change."""
    classes = [type(form) for form in forms]
    return [kind not in classes[:number] for number, kind in enumerate(classes)]
