"""Which candidate to suggest; `docs/choosing-c.md` tells how the rule was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphpac.selection.suggestion import Candidate, Suggestion

_NOTHING = (
    "No number of clusters is suggested: whichever is asked for, the fits disagree, or clusters "
    "part as many neighbors as chance would, so the rows may be all alike, or the metric does not "
    "tell them apart."
)
FEWEST_CLUSTERS = 2  # one cluster has no modularity, and all fits agree on it
LEAST_SCORE = 0.01  # equal rows reach 0.0005 by chance, normal noise of eight features 0.1


def choose(candidates: Iterable[Candidate]) -> Suggestion:
    """Suggest the candidate with the highest score, of equal ones that with the fewest clusters.

    Candidates that left clusters empty are passed over unless all did: they ask for more than there
    are. Nothing is suggested where no score is better than chance.
    """
    candidates = sorted(candidates, key=lambda candidate: candidate.n_clusters)
    full = [candidate for candidate in candidates if not candidate.has_empty_clusters]
    best = max(full or candidates, key=lambda candidate: candidate.score)
    if best.score < LEAST_SCORE:
        return Suggestion(None, _NOTHING, tuple(candidates))
    return Suggestion(best.n_clusters, _reason(best, candidates), tuple(candidates))


def _reason(best: Candidate, candidates: Sequence[Candidate]) -> str:
    words = (
        f"{best.n_clusters} clusters have the highest product of stability "
        f"({best.stability:.2f}: how well the fits agree) and modularity "
        f"({best.modularity:.2f}: how few neighbors are in different clusters)"
    )
    if any(candidate.score > best.score for candidate in candidates):
        words = f"{words} of those that left no cluster empty"
    if best.n_clusters == candidates[-1].n_clusters:
        return f"{words}, but they are the most that were tried: try more."
    if best.n_clusters == candidates[0].n_clusters > FEWEST_CLUSTERS:
        return f"{words}, but they are the fewest that were tried: try fewer if that makes sense."
    return f"{words}."
