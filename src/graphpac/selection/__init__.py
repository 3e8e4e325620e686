"""Choosing the number of clusters: many of them on one graph, and a suggestion with its reason."""

from graphpac.selection.suggest import compare_n_clusters, suggest_n_clusters
from graphpac.selection.suggestion import ComparedNumber, Suggestion

__all__ = ["ComparedNumber", "Suggestion", "compare_n_clusters", "suggest_n_clusters"]
