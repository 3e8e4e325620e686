"""A tree of leaves as it is described: all densities anew for every merge, all cuts from labels."""

import numpy as np


def merges(matrix, leaves, families):
    """List the pairs of sets of leaves in the order they merge, with links for each pair."""
    matrix = np.asarray(matrix, dtype=np.float64)
    groups = [frozenset([leaf]) for leaf in range(leaves.max() + 1)]
    found = []
    while len(groups) > 1:
        pairs = [(a, b) for x, a in enumerate(groups) for b in groups[:x]]
        inside = [(a, b) for a, b in pairs if len({families[leaf] for leaf in a | b}) == 1]
        values = [density(matrix, leaves, a, b) for a, b in inside or pairs]
        best = int(np.argmax(values))
        a, b = (inside or pairs)[best]
        found.append((frozenset([a, b]), values[best], not inside))
        groups = [group for group in groups if group not in (a, b)] + [a | b]
    return found


def density(matrix, leaves, a, b):
    """Links for each pair of samples, of groups without links the lightest first."""
    in_a, in_b = np.isin(leaves, list(a)), np.isin(leaves, list(b))
    links, n_pairs = matrix[np.ix_(in_a, in_b)].sum(), in_a.sum() * in_b.sum()
    return links / n_pairs if links > 0 else -n_pairs


def likelihood(matrix, labels):
    """LL of the planted partition, from its formula."""
    matrix = np.asarray(matrix, dtype=np.float64)
    ends, degrees = matrix.sum(), matrix.sum(axis=1)
    f = matrix[labels[:, np.newaxis] == labels].sum() / ends
    s = sum((degrees[labels == label].sum() / ends) ** 2 for label in np.unique(labels))
    inside = f * np.log(f / s) if f > 0 else 0.0
    return inside + ((1 - f) * np.log((1 - f) / (1 - s)) if f < 1 - 1e-12 and s < 1 - 1e-12 else 0)


def divided(matrix, parts, labels, memberships):
    """Memberships of the parts of clusters, entry by entry."""
    n_parts = parts.max() + 1
    found = np.zeros((len(parts), n_parts))
    for i in range(len(parts)):
        for part in range(n_parts):
            cluster = labels[parts == part][0]
            links = matrix[i, parts == part].sum(), matrix[i, labels == cluster].sum()
            sizes = np.sum(parts == part), np.sum(labels == cluster)
            share = links[0] / links[1] if links[1] > 0 else sizes[0] / sizes[1]
            found[i, part] = memberships[i, cluster] * share
    return found / found.sum(axis=1, keepdims=True)
