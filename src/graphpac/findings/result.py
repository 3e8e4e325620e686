"""Results that say little, seen after a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphpac.findings.finding import Finding, percent

_FLAT = 0.1  # of the way from equal memberships to certain ones; digits go .8 of it, noise .02
_SOFT = 1.5  # from this fuzziness on even memberships are what was asked for
_SMALL_ALPHA = 0.01  # digits have ten clusters down to .001, and a single one at 0
_FEW_SAMPLES = 8  # in a cluster: some clusters stay empty whatever the graph
_MUCH_DROPPED = 0.05  # of all memberships; what is dropped is many very small ones


@dataclass(frozen=True, kw_only=True)
class ResultFacts:
    """What a fit ended with, and what it was asked for; copies of a sample do not count."""

    n_samples: int
    n_clusters: int
    n_occupied: int  # clusters that have samples
    certainty: float  # mean of the largest memberships
    n_components: int  # parts of the graph that no edge connects
    n_neighbors: float  # of a sample in the graph
    usual_neighbors: int  # what n_neighbors="auto" is here,
    most_neighbors: int  # and where clusters are large
    dropped: float  # share of an average sample's memberships that was not kept
    fuzziness: float
    alpha: float
    metric: str | None  # None of a graph, which has neither columns nor a metric


def findings_of_result(facts: ResultFacts, of_rows: Sequence[Finding] = ()) -> tuple[Finding, ...]:
    """Tell what is odd about a result, the gravest first.

    What was found about the rows before explains what would be a finding otherwise.
    """
    flat = () if of_rows else _flat_memberships(facts)
    return (
        *flat,
        *_empty(facts, (*of_rows, *flat)),
        *_parts(facts),
        *_dropped_memberships(facts),
    )


def are_flat(certainty: float, n_clusters: int, fuzziness: float) -> bool:
    """Tell whether memberships say little, their largest being so much on average."""
    if n_clusters == 1 or fuzziness >= _SOFT:
        return False
    even = 1.0 / n_clusters
    return (certainty - even) / (1.0 - even) < _FLAT


def empty_clusters(n_occupied: int, n_clusters: int, cure: str) -> tuple[Finding, ...]:
    """Tell of clusters without samples, and what may help."""
    if n_occupied == n_clusters:
        return ()
    problem = f"only {n_occupied} of n_clusters={n_clusters} clusters have samples"
    return (Finding("empty_clusters", problem, cure),)


def _flat_memberships(facts: ResultFacts) -> tuple[Finding, ...]:
    if facts.n_samples < _FEW_SAMPLES * facts.n_clusters:
        return ()  # so few are no group, whatever they are like
    if not are_flat(facts.certainty, facts.n_clusters, facts.fuzziness):
        return ()
    even = 1.0 / facts.n_clusters
    reason, cure = _why_flat(facts)
    problem = (
        f"memberships are nearly even (the largest of a sample is {facts.certainty:.2g} on "
        f"average, and {even:.2g} if all are equal), because {reason}"
    )
    return (Finding("flat_memberships", problem, cure),)


def _why_flat(facts: ResultFacts) -> tuple[str, str]:
    if facts.alpha < _SMALL_ALPHA:
        reason = f"alpha={facts.alpha:g} hardly keeps clusters from sharing all samples"
        return reason, "raise alpha; 1 is the default"
    no_groups = "neighbors show no groups"
    if facts.metric is None:
        return no_groups, "look at how the graph was made"
    n_in_cluster = facts.n_samples / facts.n_clusters
    if facts.n_neighbors > n_in_cluster:
        reason = (
            f"n_neighbors={facts.n_neighbors:.0f} reaches beyond clusters of "
            f"{n_in_cluster:.0f} samples"
        )
        return reason, f"lower n_neighbors, for example to {facts.usual_neighbors}"
    if facts.metric == "precomputed":
        return no_groups, "look at how the distances were made"
    other = "cosine" if facts.metric == "euclidean" else "euclidean"
    return no_groups, f'scale the columns if their units differ, or try metric="{other}"'


def _empty(facts: ResultFacts, reasons: Sequence[Finding]) -> tuple[Finding, ...]:
    few = f"as {facts.n_samples:,} different samples are few for {facts.n_clusters:,} clusters"
    if reasons:
        cure = reasons[0].cure
    elif facts.metric is not None and facts.n_neighbors > facts.usual_neighbors:
        cure = f"lower n_neighbors, for example to {facts.usual_neighbors}, {few}"
    elif facts.n_samples < facts.n_clusters and facts.metric in {"euclidean", "inner_product"}:
        cure = (
            f"lower n_clusters, {few}, or remove the largest rows if the others do differ: beside "
            "huge ones float32 makes them equal"
        )
    elif facts.n_samples < _FEW_SAMPLES * facts.n_clusters:
        cure = (
            f"lower n_clusters, {few}: each shares the memberships of its neighbors, and is rarely "
            "a cluster by itself"
        )
    elif facts.alpha > 1.0:
        cure = f"lower alpha={facts.alpha:g}, or n_clusters if the data hold fewer groups"
    else:
        cure = (
            "lower n_clusters if the data hold fewer groups, or n_neighbors if groups have hardly "
            "more samples than that"
        )
    return empty_clusters(facts.n_occupied, facts.n_clusters, cure)


def _parts(facts: ResultFacts) -> tuple[Finding, ...]:
    if not 1 < facts.n_clusters < facts.n_components:
        return ()
    problem = (
        f"the graph falls into {facts.n_components:,} parts that no edge connects, more than "
        f"n_clusters={facts.n_clusters}, so that sizes alone decide which parts share a cluster"
    )
    few_neighbors = facts.n_neighbors < facts.usual_neighbors
    if facts.usual_neighbors < facts.most_neighbors and not few_neighbors:
        return ()  # small clusters want few neighbors, and parts come with them
    more = "n_neighbors" if facts.metric is not None else "the number of neighbors in the graph"
    cure = f"raise n_clusters if these parts are groups, or {more} if they are not"
    return (Finding("parts", problem, cure),)


def _dropped_memberships(facts: ResultFacts) -> tuple[Finding, ...]:
    if facts.dropped <= _MUCH_DROPPED:
        return ()
    problem = f"{percent(facts.dropped)} of the memberships of an average sample were dropped"
    cure = "SolverOptions(max_entries=...) keeps more of them"
    return (Finding("dropped_memberships", problem, cure),)
