"""Which candidate to suggest, in words; `docs/choosing-c.md` tells how the rule was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphpac.selection.suggestion import ComparedNumber, Suggestion
from graphpac.solvers.counting import best_number

_NOTHING = (
    "No number of clusters is suggested: halves of the graph agree on none, or clusters part as "
    "many neighbors as chance would, so the rows may be all alike, or the metric does not tell "
    "them apart."
)
FEWEST_CLUSTERS = 2  # one cluster has no modularity, and all agree on it


def choose(candidates: Iterable[ComparedNumber]) -> Suggestion:
    """Suggest the candidate that `best_number` finds, and say why."""
    candidates = sorted(candidates, key=lambda candidate: candidate.n_clusters)
    best = best_number(candidates)
    if best is None:
        return Suggestion(None, _NOTHING, tuple(candidates))
    return Suggestion(best.n_clusters, _reason(best, candidates), tuple(candidates))


def _reason(best: ComparedNumber, candidates: Sequence[ComparedNumber]) -> str:
    words = (
        f"{best.n_clusters} clusters have the highest product of stability "
        f"({best.stability:.2f}: how well halves of the graph agree), modularity "
        f"({best.modularity:.2f}: how few neighbors are in different clusters) and likelihood "
        f"({best.likelihood:.2f}: how much clusters tell about neighbors)"
    )
    if any(candidate.score > best.score for candidate in candidates):
        words = f"{words} of those that left no cluster empty"
    if best.n_clusters == candidates[-1].n_clusters:
        return f"{words}, but they are the most that were tried: try more."
    if best.n_clusters == candidates[0].n_clusters > FEWEST_CLUSTERS:
        return f"{words}, but they are the fewest that were tried: try fewer if that makes sense."
    return f"{words}."
