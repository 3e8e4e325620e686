"""All that the report needs to know about a fitted model, in plain arrays and numbers."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, fields
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, Progress
from graphpac.estimators import GPAC
from graphpac.exceptions import FileFormatError
from graphpac.findings import Finding
from graphpac.io.container import Contents
from graphpac.report.examples import choose_examples
from graphpac.report.map_coordinates import MapMethod, place_rows
from graphpac.solvers.memberships import shared_membership, top_memberships

N_TOP = 3
CERTAIN = 0.9  # a row with a membership from here on counts as certain
MOST_OF_MATRIX = 40  # with more clusters only the largest overlaps are kept
_N_LARGEST_OVERLAPS = 50
# Files keep the names they have had from the first.
_STORED_AS = {"map_coordinates": "map_places"}
_PARAMETERS = (
    *("n_clusters", "n_neighbors", "metric", "searcher", "fuzziness", "alpha", "local_weight"),
    *("init", "max_iter", "tol", "random_state"),
)


@dataclass(frozen=True)
class ReportFacts:
    """What the report shows of a fit, except ids, texts and images of rows.

    Memberships of single rows are kept for those on the map and those shown as examples only, so
    that the facts of a million rows are as small as those of a hundred thousand.

    Attributes
    ----------
    n_rows, n_clusters : int
        Of the fit, empty clusters included.
    cluster_sizes, certain_sizes : int64 arrays of shape (n_clusters,)
        Rows of each cluster, and those of them with a membership of at least `CERTAIN`.
    cluster_certainties : float64 array of shape (n_clusters,)
        Mean of the largest memberships of the rows of each cluster, 0 where it has none.
    map_rows : int64 array of shape (n_map,)
        Rows on the map, in the order in which they are drawn.
    map_coordinates : float32 array of shape (n_map, 2)
        Where they are.
    map_clusters, map_memberships : int32 and float32 arrays of shape (n_map, n_top)
        Their best clusters, best first.
    shown_rows : int64 array of shape (n_shown,)
        Rows shown as examples, ascending.
    shown_clusters, shown_memberships : int32 and float32 arrays of shape (n_shown, n_top)
        Their best clusters, best first.
    typical, doubtful : int64 arrays of shape (n_clusters, n_examples)
        Examples of each cluster as coordinates in `shown_rows`; -1 where there are no more.
    overlap_pairs : int32 array of shape (n_pairs, 2)
        Pairs (a, b) of different clusters that share membership, the largest share first.
    overlap_shares : float64 array of shape (n_pairs,)
        How far an average member of a belongs to b.
    changes, local_weights, dropped_masses : float64 arrays of shape (n_iterations,)
        From the history of the fit.
    timings : dict
        Seconds of each stage; "map" is that of the report.
    parameters : dict
        Parameters of the model, as text.
    graph_kind : str
        What the values of the graph are.
    n_edges, n_components : int
        Edges of the graph, and its parts that no edge connects.
    n_hops, batch_size : int
        As the fit chose them.
    objective, tol : float
        Reached, and asked for.
    converged : bool
        Whether the last change was below `tol`.
    map_method : str
        How the map was made: "umap" or "graph".
    findings : tuple of Finding
        What the fit warned of.
    """

    n_rows: int
    n_clusters: int
    cluster_sizes: AnyArray
    certain_sizes: AnyArray
    cluster_certainties: AnyArray
    map_rows: AnyArray
    map_coordinates: AnyArray
    map_clusters: AnyArray
    map_memberships: AnyArray
    shown_rows: AnyArray
    shown_clusters: AnyArray
    shown_memberships: AnyArray
    typical: AnyArray
    doubtful: AnyArray
    overlap_pairs: AnyArray
    overlap_shares: AnyArray
    changes: AnyArray
    local_weights: AnyArray
    dropped_masses: AnyArray
    timings: dict[str, float]
    parameters: dict[str, str]
    graph_kind: str
    n_edges: int
    n_components: int
    n_hops: int
    batch_size: int
    objective: float
    tol: float
    converged: bool
    map_method: str
    findings: tuple[Finding, ...]


def collect_facts(
    model: GPAC,
    *,
    map_method: MapMethod = "auto",
    seed: int = 0,
    progress: Progress | None = None,
) -> ReportFacts:
    """Collect what the report shows of a fitted model, and lay its rows out in the plane.

    Parameters
    ----------
    model : GPAC
        Fitted, on rows or on a graph.
    map_method : {"auto", "umap", "graph"}
        How the map is made; see `place_rows`.
    seed : int
        Seed of the map.
    progress : callable, optional
        Told how far the map is.
    """
    if not hasattr(model, "history_") or not hasattr(model, "graph_"):
        msg = (
            f"this {type(model).__name__} has no graph and no history to report on: pass a GPAC "
            "after fit or fit_graph, not one that was read from a model file."
        )
        raise ValueError(msg)
    memberships, graph = model.memberships_, model.graph_
    n_rows, n_clusters = memberships.shape
    top = top_memberships(memberships, min(N_TOP, n_clusters))
    labels, certainties = top.clusters[:, 0], top.values[:, 0]
    sizes = np.bincount(labels, minlength=n_clusters)
    sums = np.bincount(labels, weights=certainties, minlength=n_clusters)
    examples = choose_examples(graph, top, n_clusters)
    pairs, shares = _largest_overlaps(shared_membership(memberships))
    began = perf_counter()
    drawn = place_rows(graph, method=map_method, seed=seed, n_jobs=model.n_jobs, progress=progress)
    return ReportFacts(
        n_rows=n_rows,
        n_clusters=n_clusters,
        cluster_sizes=sizes,
        certain_sizes=np.bincount(labels[certainties >= CERTAIN], minlength=n_clusters),
        cluster_certainties=sums / np.maximum(sizes, 1),
        map_rows=drawn.rows,
        map_coordinates=drawn.coordinates,
        map_clusters=top.clusters[drawn.rows],
        map_memberships=top.values[drawn.rows],
        map_method=drawn.method,
        shown_rows=examples.shown_rows,
        shown_clusters=top.clusters[examples.shown_rows],
        shown_memberships=top.values[examples.shown_rows],
        typical=examples.typical,
        doubtful=examples.doubtful,
        overlap_pairs=pairs,
        overlap_shares=shares,
        changes=np.array([record.change for record in model.history_]),
        local_weights=np.array([record.local_weight for record in model.history_]),
        dropped_masses=np.array([record.dropped_mass for record in model.history_]),
        timings={**model.timings_, "map": perf_counter() - began},
        parameters={**_shown_parameters(model), **_shown_choice(model)},
        graph_kind=graph.kind,
        n_edges=graph.n_edges,
        n_components=graph.n_components,
        n_hops=model.n_hops_,
        batch_size=model.batch_size_,
        objective=model.objective_,
        tol=float(model.tol),
        converged=model.converged_,
        findings=model.findings_,
    )


def _shown_choice(model: GPAC) -> dict[str, str]:
    """Tell which candidate became the partition."""
    n_candidates = len(model.candidates_)
    if not n_candidates:
        return {}
    origin = next(candidate.origin for candidate in model.candidates_ if candidate.chosen)
    return {"Partition": origin + (f", the best of {n_candidates}" if n_candidates > 1 else "")}


def facts_to_contents(facts: ReportFacts) -> Contents:
    """Split facts into arrays and metadata, to be stored in a file."""
    arrays: dict[str, AnyArray] = {}
    metadata: dict[str, Any] = {}
    for field in fields(facts):
        value = getattr(facts, field.name)
        name = _STORED_AS.get(field.name, field.name)
        (arrays if isinstance(value, np.ndarray) else metadata)[name] = value
    return Contents(arrays, metadata)


def facts_from_contents(contents: Contents) -> ReportFacts:
    """Put facts together again; FileFormatError tells of contents that are of something else."""
    stored: dict[str, Any] = {**contents.arrays, **contents.metadata}
    names = {_STORED_AS.get(field.name, field.name): field.name for field in fields(ReportFacts)}
    if stored.keys() != names.keys():
        msg = (
            "these are not the facts this version of graphpac makes reports from: "
            "fit the model again, or read them with the version that wrote them."
        )
        raise FileFormatError(msg)
    values = {names[name]: value for name, value in stored.items()}
    values["findings"] = tuple(Finding(*parts) for parts in values["findings"])
    return ReportFacts(**values)


def _largest_overlaps(shares: sp.csr_array) -> tuple[AnyArray, AnyArray]:
    entries = shares.tocoo()
    off_diagonal = (entries.row != entries.col) & (entries.data > 0.0)
    pairs = np.stack((entries.row, entries.col), axis=1)[off_diagonal].astype(np.int32)
    values = entries.data[off_diagonal]
    order = np.argsort(-values, kind="stable")
    if shares.shape[0] > MOST_OF_MATRIX:
        order = order[:_N_LARGEST_OVERLAPS]
    return pairs[order], values[order]


def _shown_parameters(model: GPAC) -> dict[str, str]:
    shown = {name: _shown(getattr(model, name)) for name in _PARAMETERS}
    if model.n_neighbors == "auto" and hasattr(model, "n_neighbors_"):
        shown["n_neighbors"] = f"auto, {model.n_neighbors_}"
    return shown


def _shown(value: Any) -> str:
    """Write a parameter down; arrays and objects by their type only."""
    if value is None or isinstance(value, str | numbers.Number):
        return str(value)
    return type(value).__name__
