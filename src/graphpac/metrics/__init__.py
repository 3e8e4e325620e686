"""How good a clustering is: against known labels (hard) and by itself (fuzzy)."""

from graphpac.metrics.fuzzy import fuzzy_partition_coefficient, fuzzy_partition_entropy
from graphpac.metrics.hard import (
    LabelScores,
    adjusted_rand_index,
    clustering_accuracy,
    match_labels,
    normalized_mutual_information,
    purity,
    score_labels,
)

__all__ = [
    "LabelScores",
    "adjusted_rand_index",
    "clustering_accuracy",
    "fuzzy_partition_coefficient",
    "fuzzy_partition_entropy",
    "match_labels",
    "normalized_mutual_information",
    "purity",
    "score_labels",
]
