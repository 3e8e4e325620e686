"""Which candidate to suggest; `docs/choosing-c.md` tells how the rule was measured."""

from __future__ import annotations

from collections.abc import Sequence

from graphpac.selection.suggestion import Candidate, Suggestion


def choose(candidates: Sequence[Candidate]) -> Suggestion:
    """Suggest the candidate with the highest score, of equal ones that with the fewest clusters.

    Candidates that left clusters empty are passed over unless all did: they ask for more than there
    are.

    Parameters
    ----------
    candidates : sequence of Candidate
        At least two, fewest clusters first.
    """
    full = [candidate for candidate in candidates if not candidate.has_empty_clusters]
    best = max(full or candidates, key=lambda candidate: candidate.score)
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
    if best.n_clusters == candidates[0].n_clusters:
        return f"{words}, but they are the fewest that were tried: try fewer if that makes sense."
    return f"{words}."
