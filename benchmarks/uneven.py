"""Clusters of very different sizes: how `solvers.uneven` does beside what else there is.

``python -m benchmarks.uneven`` prints NMI and ACC on data with uneven classes and on long tails
made of even ones (``pendigits:20``: of the largest class 20 times as many rows as of the smallest,
the others evenly between on a log scale). Leiden is compared if igraph is installed, with the
resolution that gives as many communities as there are classes.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from statistics import fmean
from typing import Any

import numpy as np

from benchmarks import parser_of
from benchmarks.tables import markdown_table
from graphpac._threads import Workers
from graphpac._typing import AnyArray
from graphpac.graph import NeighborGraph
from graphpac.graph.copies import merge_copies
from graphpac.graph.links import links_of
from graphpac.kernels.moves import Links
from graphpac.solvers.likelihood import LinkGraph
from graphpac.solvers.uneven import choose_uneven, uneven_candidates

BARS = {
    "usps": (0.88, 0.94),
    "sc_worm_neuron_pca50": (0.715, 0.69),
    "sc_mouse_bladder_pca50": (0.77, 0.73),
    "pendigits:20": (0.79, 0.80),
}
TAILS = tuple(
    f"{name}:{tail}"
    for name in ("mnist", "pendigits", "cifar10_effnetlite2_20k", "clinc150_minilm")
    for tail in (10, 50)
)
SEARCHES = 14  # of Leiden's resolution
Scores = tuple[float, float]


def load_tail(name: str) -> tuple[AnyArray, AnyArray]:
    """Load rows and classes; ``name:20`` keeps ever fewer rows of the classes, down to 1:20."""
    from graphpac.datasets import load

    name, _, tail = name.partition(":")
    data = load(name)
    X, y = np.asarray(data.X, dtype=np.float32), np.asarray(data.y)
    if not tail:
        return X, y
    rng = np.random.default_rng(0)
    classes, counts = np.unique(y, return_counts=True)
    shares = float(tail) ** (-np.arange(classes.size) / (classes.size - 1))
    sizes = (counts.min() * shares).round().astype(int).clip(2)
    kept = [
        rng.permutation(np.flatnonzero(y == classes[number]))[:size]
        for size, number in zip(sizes, rng.permutation(classes.size), strict=True)
    ]
    rows = np.sort(np.concatenate(kept))
    return X[rows], y[rows]


def uneven_labels(graph: NeighborGraph, n_clusters: int, seed: int) -> AnyArray:
    """Cluster a graph into uneven clusters; all but seed 0 number the samples at random first."""
    merged, copies = merge_copies(graph)
    links = links_of(merged)
    n = merged.n_samples
    order = np.random.default_rng(seed).permutation(n) if seed else np.arange(n)
    with Workers(2) as workers:
        numbered = LinkGraph(reordered(links, order), workers)
        best = choose_uneven(numbered, list(uneven_candidates(numbered, n_clusters)))
    labels = np.empty(n, dtype=np.int32)
    labels[order] = best.labels
    return labels[copies.numbers]


def reordered(links: Links, order: AnyArray) -> Links:
    """Give samples new numbers: communities depend on the order in which samples move."""
    import scipy.sparse as sp

    from graphpac.graph.links import as_links

    n = order.size
    matrix = sp.csr_array((links.weights, links.indices, links.indptr), shape=(n, n))
    return as_links(sp.csr_array(matrix[order][:, order]))


def kmeans_labels(X: AnyArray, n_clusters: int, seed: int) -> AnyArray:
    """Cluster rows by k-means, the best of three starts."""
    from sklearn.cluster import KMeans

    labels: AnyArray = KMeans(n_clusters, n_init=3, max_iter=100, random_state=seed).fit_predict(X)
    return labels


def leiden_labels(graph: NeighborGraph, n_clusters: int, seed: int) -> AnyArray | None:
    """Find communities by igraph at the resolution that gives the wanted number, or nearly so."""
    try:
        import igraph
    except ImportError:
        return None
    links = links_of(graph)
    first = np.repeat(np.arange(graph.n_samples), np.diff(links.indptr))
    once = first < links.indices
    edges = np.column_stack((first[once], links.indices[once]))
    network = igraph.Graph(n=graph.n_samples, edges=edges.tolist())
    random.seed(seed)  # igraph draws from Python's generator
    low, high = np.log(0.01), np.log(8.0 * n_clusters)
    best: AnyArray | None = None
    for _ in range(SEARCHES):
        middle = (low + high) / 2.0
        found = np.array(
            network.community_leiden(
                objective_function="modularity", resolution=float(np.exp(middle)), n_iterations=2
            ).membership
        )
        n_found = int(found.max()) + 1
        if best is None or abs(n_found - n_clusters) < abs(int(best.max()) + 1 - n_clusters):
            best = found
        if n_found == n_clusters:
            break
        low, high = (middle, high) if n_found < n_clusters else (low, middle)
    return best


def scores(y: AnyArray, cluster: Callable[[int], AnyArray | None], seeds: range) -> Scores | None:
    """Average NMI and ACC over seeds."""
    from sklearn.metrics import normalized_mutual_info_score

    from graphpac.metrics import clustering_accuracy

    found = [labels for seed in seeds if (labels := cluster(seed)) is not None]
    if not found:
        return None
    nmi = fmean(float(normalized_mutual_info_score(y, labels)) for labels in found)
    return nmi, fmean(float(clustering_accuracy(y, labels)) for labels in found)


def compare(name: str, n_seeds: int) -> list[str]:
    """Cluster one data set every way; return the row of the table."""
    from graphpac import GPAC

    X, y = load_tail(name)
    n_clusters = int(np.unique(y).size)
    fitted: dict[int, Any] = {}

    def gpac(seed: int) -> AnyArray:
        fitted[seed] = GPAC(n_clusters, random_state=seed, n_jobs=2).fit(X)
        labels: AnyArray = fitted[seed].labels_
        return labels

    seeds, few = range(n_seeds), range(min(n_seeds, 2))
    by_gpac = scores(y, gpac, few)
    graph = fitted[0].graph_
    found = [
        scores(y, lambda seed: uneven_labels(graph, n_clusters, seed), seeds),
        by_gpac,
        scores(y, lambda seed: leiden_labels(graph, n_clusters, seed), few),
        scores(y, lambda seed: kmeans_labels(X, n_clusters, seed), few),
        BARS.get(name),
    ]
    shown = ["" if each is None else f"{each[0]:.3f}/{each[1]:.3f}" for each in found]
    return [name, str(len(y)), str(n_clusters), *shown]


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = parser_of("uneven", __doc__)
    parser.add_argument("names", nargs="*", default=[*BARS, *TAILS], help="data sets")
    parser.add_argument("--seeds", type=int, default=3, help="orders of the samples")
    options = parser.parse_args(arguments)
    rows = []
    for name in options.names:
        rows.append(compare(name, options.seeds))
        print(*rows[-1], file=sys.stderr, flush=True)
    header = ["data", "rows", "classes", "uneven", "GPAC", "Leiden", "k-means", "bar"]
    print(markdown_table(header, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
