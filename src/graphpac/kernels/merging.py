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


class Partners(NamedTuple):
    """Whom each group belongs to most, how much, and how much at most to any other group.

    Not ``sure`` is who lost the partner: the value is then what the next may have at most.
    """

    number: AnyArray
    value: AnyArray
    rival: AnyArray
    sure: AnyArray


@step
def affinity(link: float, weight_a: float, weight_b: float, price: float) -> float:
    """Return how much two groups belong together.

    Without a price it is the links for each pair: weights multiply. With one it is the gain of the
    likelihood, the links beyond chance. Groups without links go by weight, lightest first.
    """
    if price > 0.0:
        return link - price * (weight_a * weight_b)  # the same bits for (a, b) and (b, a)
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
    samples go before all others, the smallest first. Of equals the first pair merges. Return how
    many merges there were.

    A group that lost its partner looks for another only when it is picked: where one group is
    everybody's partner, looking at once takes n^3 steps, not n^2.
    """
    links, weights = groups
    n_groups = sizes.size
    alive = np.ones(n_groups, np.bool_)
    partners = Partners(
        np.empty(n_groups, np.int64),
        np.empty(n_groups, np.float64),
        np.empty(n_groups, np.float64),
        np.zeros(n_groups, np.bool_),
    )
    n_families = np.unique(family).size
    within = n_groups > n_families
    for k in range(n_groups):
        find_partner(groups, alive, family, within, price, partners, k)
    n_merged = 0
    while n_merged < n_groups - 1:
        if within and n_groups - n_merged == n_families:
            within = False
            for k in range(n_groups):
                find_partner(groups, alive, family, within, price, partners, k)
        first = pick_group(alive, partners, sizes, least)
        while not partners.sure[first]:
            find_partner(groups, alive, family, within, price, partners, first)
            first = pick_group(alive, partners, sizes, least)
        second = partners.number[first]
        a, b = min(first, second), max(first, second)
        pairs[n_merged, 0], pairs[n_merged, 1] = a, b
        affinities[n_merged] = partners.value[first]
        n_merged += 1
        alive[b] = False
        weights[a] += weights[b]
        sizes[a] += sizes[b]
        for k in range(n_groups):
            links[a, k] += links[b, k]
            links[k, a] = links[a, k]
        find_partner(groups, alive, family, within, price, partners, a)
        follow_merge(groups, alive, family, within, price, partners, a, b)
    return n_merged


@kernel
def find_partner(
    groups: Groups,
    alive: AnyArray,
    family: IntVector,
    within: bool,
    price: float,
    partners: Partners,
    a: int,
) -> None:
    """Find the group another belongs to most, the first of equals, -1 for none."""
    links, weights = groups
    best, most, next_most = NO_PARTNER, -np.inf, -np.inf
    for k in range(alive.size):
        if k == a or not alive[k] or (within and family[k] != family[a]):
            continue
        value = affinity(links[a, k], weights[a], weights[k], price)
        if value > most:
            best, most, next_most = k, value, most
        elif value > next_most:
            next_most = value
    partners.number[a], partners.value[a], partners.rival[a] = best, most, next_most
    partners.sure[a] = True


@kernel
def follow_merge(
    groups: Groups,
    alive: AnyArray,
    family: IntVector,
    within: bool,
    price: float,
    partners: Partners,
    a: int,
    b: int,
) -> None:
    """Tell all other groups that a and b are one, which goes by a."""
    links, weights = groups
    number, value, rival, sure = partners
    for k in range(alive.size):
        if k == a or not alive[k] or (within and family[k] != family[a]):
            continue
        new = affinity(links[k, a], weights[k], weights[a], price)
        if not sure[k]:
            if new > value[k]:
                number[k], value[k], rival[k], sure[k] = a, new, value[k], True
        elif number[k] == a or number[k] == b:
            # The first of equals before is the first of equals now: a is no higher than b.
            sure[k] = new > rival[k] or new == value[k]
            number[k], value[k] = a, max(new, rival[k])
        elif new > value[k] or (new == value[k] and a < number[k]):
            number[k], value[k], rival[k] = a, new, value[k]
        else:
            rival[k] = max(rival[k], new)


@kernel
def pick_group(alive: AnyArray, partners: Partners, sizes: AnyArray, least: float) -> int:
    """Pick the group that merges next: the smallest of those too small, else of the best pair."""
    number, value, _, _ = partners
    best, most = NO_PARTNER, -np.inf
    dust, smallest = NO_PARTNER, least
    for k in range(alive.size):
        if not alive[k] or number[k] == NO_PARTNER:
            continue
        if sizes[k] < smallest:
            dust, smallest = k, sizes[k]
        if value[k] > most:
            best, most = k, value[k]
    return best if dust == NO_PARTNER else dust
