"""Greedy merging, again: all pairs of groups are looked at anew in every step."""

from itertools import combinations
from math import log

from graphpac.kernels.merging import ENTROPY, INFORMATION, LIKELIHOOD, UNLINKED


def affinity(link, weight_a, weight_b, cut_a, cut_b, rule):
    """Links for each pair, or beyond chance, or what the description of a walk is shorter by."""
    criterion, price = rule
    if criterion == LIKELIHOOD:
        return link - price * (weight_a * weight_b)
    if criterion == INFORMATION:
        if link == 0:
            return UNLINKED - weight_a * weight_b
        cut, weight = max(cut_a + cut_b - 2 * link, 0.0), weight_a + weight_b
        leaving = x_ln_x(cut) - (x_ln_x(cut_a) + x_ln_x(cut_b))
        ends = x_ln_x(cut + weight) - (x_ln_x(cut_a + weight_a) + x_ln_x(cut_b + weight_b))
        sizes = x_ln_x(weight) - (x_ln_x(weight_a) + x_ln_x(weight_b))
        return 2 * link * price + 2 * leaving - ends + ENTROPY * sizes
    return link / (weight_a * weight_b) if link > 0 else -weight_a * weight_b


def x_ln_x(x):
    """Return x ln x, 0 of nothing."""
    return x * log(x) if x > 0 else 0.0


def merge(links, weights, cuts, sizes, family, rule, least):
    """Return the pairs in the order they merge, and their affinities."""
    links, weights, cuts, sizes = links.copy(), weights.copy(), cuts.copy(), sizes.copy()
    alive = list(range(len(sizes)))
    pairs, affinities = [], []
    while len(alive) > 1:
        open_pairs = [(a, b) for a, b in combinations(alive, 2) if family[a] == family[b]]
        open_pairs = open_pairs or list(combinations(alive, 2))
        small = [k for k in alive if sizes[k] < least and any(k in pair for pair in open_pairs)]
        if small:
            first = min(small, key=lambda k: sizes[k])
            open_pairs = [pair for pair in open_pairs if first in pair]
        values = [
            affinity(links[a, b], weights[a], weights[b], cuts[a], cuts[b], rule)
            for a, b in open_pairs
        ]
        best = values.index(max(values))
        a, b = open_pairs[best]
        pairs.append((a, b))
        affinities.append(values[best])
        alive.remove(b)
        weights[a] += weights[b]
        cuts[a] = max(cuts[a] + cuts[b] - 2 * links[a, b], 0.0)
        sizes[a] += sizes[b]
        links[a] += links[b]
        links[:, a] = links[a]
    return pairs, affinities
