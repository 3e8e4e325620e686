"""Rows that repeat and links of hubs, by looking at every pair."""

import numpy as np


def copy_of(rows):
    """The first row that equals each, by comparing all pairs."""
    return np.array(
        [next(j for j in range(i + 1) if (rows[j] == rows[i]).all()) for i in range(len(rows))]
    )


def spread(lists, copy_of, own_values, n_links, n_neighbors, *, larger_is_nearer):
    """Lists of (value, sample) of every sample from those of originals, which name originals.

    Copy r of a row is linked to copy r of each neighbor, counted round, and to copies after it.
    """
    groups = {a: [i for i, first in enumerate(copy_of) if first == a] for a in set(copy_of)}
    found = []
    for i, a in enumerate(copy_of):
        rank = groups[a].index(i)
        links = [(value, groups[b][rank % len(groups[b])]) for value, b in lists[a]]
        n_own = min(len(groups[a]) - 1, max(n_links, n_neighbors - len(links)))
        following = [groups[a][(rank + step) % len(groups[a])] for step in range(1, n_own + 1)]
        links += [(own_values[a], j) for j in following]
        sign = -1 if larger_is_nearer else 1
        found.append(sorted(links, key=lambda link: (sign * link[0], link[1])))
    return found


def links_of(graph, i):
    """All samples linked to sample i in either direction, nearest first, ties by sample."""
    sign = -1.0 if graph.kind in {"inner_product", "similarity"} else 1.0
    keys = {}
    for source in range(graph.n_samples):
        for edge in range(graph.indptr[source], graph.indptr[source + 1]):
            target = int(graph.indices[edge])
            if i in {source, target}:
                other = target if source == i else source
                key = sign * float(graph.values[edge])
                keys[other] = min(key, keys.get(other, np.inf))
    return sorted(keys, key=lambda other: (keys[other], other))
