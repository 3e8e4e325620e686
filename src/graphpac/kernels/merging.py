"""Clusters merge two by two, always the pair that belongs together most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac.kernels._jit import kernel, step

NO_PARTNER = -1


class Groups(NamedTuple):
    """Links between groups (symmetric, square), and the weight of each as `affinity` counts it."""

    links: AnyArray
    weights: AnyArray


@step
def affinity(link: float, weight_a: float, weight_b: float, price: float) -> float:
    """Return how much two groups belong together.

    Without a price it is the links for each pair: weights multiply. With one it is the gain of the
    likelihood, the links beyond chance. Groups without links go by weight, lightest first.
    """
    if price > 0.0:
        return link - price * weight_a * weight_b
    if link > 0.0:
        return link / (weight_a * weight_b)
    return -weight_a * weight_b


@kernel
def merge_groups(
    groups: Groups,
    sizes: AnyArray,
    family: IntVector,
    price: float,
    least: float,
    pairs: IntVector,
    affinities: AnyArray,
) -> int:
    """Merge groups until one is left; write the pairs, by number of the group each goes by then.

    A merged group goes by the lower number; the arrays of ``groups`` and the sizes are used up.
    First only groups of one ``family`` merge, until each is one group. Groups below ``least``
    samples go before all others, the smallest first. Return how many merges there were.
    """
    links, weights = groups
    n_groups = sizes.size
    alive = np.ones(n_groups, np.bool_)
    partner = np.empty(n_groups, np.int64)
    value = np.empty(n_groups, np.float64)
    n_families = np.unique(family).size
    within = n_groups > n_families
    for a in range(n_groups):
        partner[a], value[a] = find_partner(groups, alive, family, within, price, a)
    n_merged = 0
    while n_merged < n_groups - 1:
        if within and n_groups - n_merged == n_families:
            within = False
            for a in range(n_groups):
                if alive[a]:
                    partner[a], value[a] = find_partner(groups, alive, family, within, price, a)
        first = pick_group(alive, partner, value, sizes, least)
        second = partner[first]
        a, b = min(first, second), max(first, second)
        pairs[n_merged, 0], pairs[n_merged, 1] = a, b
        affinities[n_merged] = value[first]
        n_merged += 1
        alive[b] = False
        weights[a] += weights[b]
        sizes[a] += sizes[b]
        for k in range(n_groups):
            links[a, k] += links[b, k]
            links[k, a] = links[a, k]
        partner[a], value[a] = find_partner(groups, alive, family, within, price, a)
        for k in range(n_groups):
            if not alive[k] or k == a:
                continue
            if partner[k] == a or partner[k] == b:
                partner[k], value[k] = find_partner(groups, alive, family, within, price, k)
            elif not within or family[k] == family[a]:
                new = affinity(links[k, a], weights[k], weights[a], price)
                if new > value[k]:
                    partner[k], value[k] = a, new
    return n_merged


@kernel
def find_partner(
    groups: Groups, alive: AnyArray, family: IntVector, within: bool, price: float, a: int
) -> tuple[int, float]:
    """Find the group another belongs to most, the first of equals, -1 for none."""
    links, weights = groups
    best, most = NO_PARTNER, -np.inf
    for k in range(alive.size):
        if k == a or not alive[k] or (within and family[k] != family[a]):
            continue
        value = affinity(links[a, k], weights[a], weights[k], price)
        if value > most:
            best, most = k, value
    return best, most


@kernel
def pick_group(
    alive: AnyArray, partner: AnyArray, value: AnyArray, sizes: AnyArray, least: float
) -> int:
    """Pick the group that merges next: the smallest of those too small, else of the best pair."""
    best, most = NO_PARTNER, -np.inf
    dust, smallest = NO_PARTNER, least
    for k in range(alive.size):
        if not alive[k] or partner[k] == NO_PARTNER:
            continue
        if sizes[k] < smallest:
            dust, smallest = k, sizes[k]
        if value[k] > most:
            best, most = k, value[k]
    return best if dust == NO_PARTNER else dust
