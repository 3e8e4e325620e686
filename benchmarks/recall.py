"""How many true nearest neighbors a graph of neighbors holds."""

from __future__ import annotations

from typing import Any

import numpy as np

N_QUERIES = 500
BLOCK_ROWS = 16_384
TIE = 1e-5  # similarities this close are equal: float32 cannot tell them apart


def graph_recall(graph: Any, X: Any, n_neighbors: int = 10, seed: int = 0) -> float:
    """Share of the nearest rows by cosine, found by comparing with all, that the graph lists.

    It is measured on 500 rows drawn at random, of rows that repeat the first. A neighbor counts
    when it is as near as the last true one, so equal distances do no harm.
    """
    from graphpac.graph.copies import merge_copies

    graph, copies = merge_copies(graph)
    X = X[copies.originals]
    n_samples = X.shape[0]
    n_neighbors = min(n_neighbors, n_samples - 1)
    rng = np.random.default_rng(seed)
    queries = np.sort(rng.choice(n_samples, min(N_QUERIES, n_samples), replace=False))
    wanted = _directions(X[queries])
    best = np.full((queries.size, n_neighbors), -np.inf, dtype=np.float32)
    for start in range(0, n_samples, BLOCK_ROWS):
        block = wanted @ _directions(X[start : start + BLOCK_ROWS]).T
        inside = (queries >= start) & (queries < start + BLOCK_ROWS)
        block[inside, queries[inside] - start] = -np.inf  # nobody is a neighbor of itself
        both = np.concatenate((best, block), axis=1)
        best = np.partition(both, -n_neighbors, axis=1)[:, -n_neighbors:]
    n_found = 0
    for place, query in enumerate(queries):
        listed = graph.indices[graph.indptr[query] : graph.indptr[query + 1]]
        near = _directions(X[listed]) @ wanted[place] >= best[place].min() - TIE
        n_found += min(int(near.sum()), n_neighbors)
    return n_found / (queries.size * n_neighbors)


def _directions(rows: Any) -> Any:
    rows = np.asarray(rows, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, np.float32(1))
