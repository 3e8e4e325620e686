"""Greedy merging, again: all pairs of groups are looked at anew in every step."""

from itertools import combinations


def affinity(link, weight_a, weight_b, price):
    """Links for each pair, or beyond chance; without links the lightest belong together."""
    if price > 0:
        return link - price * (weight_a * weight_b)
    return link / (weight_a * weight_b) if link > 0 else -weight_a * weight_b


def merge(links, weights, sizes, family, price, least):
    """Return the pairs in the order they merge, and their affinities."""
    links, weights, sizes = links.copy(), weights.copy(), sizes.copy()
    alive = list(range(len(sizes)))
    pairs, affinities = [], []
    while len(alive) > 1:
        open_pairs = [(a, b) for a, b in combinations(alive, 2) if family[a] == family[b]]
        open_pairs = open_pairs or list(combinations(alive, 2))
        small = [k for k in alive if sizes[k] < least and any(k in pair for pair in open_pairs)]
        if small:
            first = min(small, key=lambda k: sizes[k])
            open_pairs = [pair for pair in open_pairs if first in pair]
        values = [affinity(links[a, b], weights[a], weights[b], price) for a, b in open_pairs]
        best = values.index(max(values))
        a, b = open_pairs[best]
        pairs.append((a, b))
        affinities.append(values[best])
        alive.remove(b)
        weights[a] += weights[b]
        sizes[a] += sizes[b]
        links[a] += links[b]
        links[:, a] = links[a]
    return pairs, affinities
