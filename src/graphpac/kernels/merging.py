"""Clusters merge two by two, always the pair that belongs together most."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np

from graphpac._typing import AnyArray, IntVector
from graphpac.kernels._jit import kernel

NO_PARTNER = -1
AVERAGE, LIKELIHOOD, INFORMATION = range(3)
ENTROPY = 0.5  # what a nat of the entropy of sizes counts beside one of the walk's description
UNLINKED = -1e6  # below any affinity of groups that are linked


class Rule(NamedTuple):
    """By what `affinity` goes, and the price that a criterion has."""

    criterion: int
    price: float


class Groups(NamedTuple):
    """Links between groups (symmetric, square), and the weight of each as `affinity` counts it.

    ``cuts`` are the links that leave each group; only "information" looks at them.
    """

    links: AnyArray
    weights: AnyArray
    cuts: AnyArray


class Partners(NamedTuple):
    """Whom each group belongs to most, how much, and how much at most to any other group.

    Not ``sure`` is who lost the partner: the value is then what the next may have at most.
    """

    number: AnyArray
    value: AnyArray
    rival: AnyArray
    sure: AnyArray


@kernel
def x_ln_x(x: float) -> float:
    """Return x ln x, 0 of nothing."""
    return x * log(x) if x > 0.0 else 0.0


@kernel
def affinity(
    link: float, weight_a: float, weight_b: float, cut_a: float, cut_b: float, rule: Rule
) -> float:
    """Return how much two groups belong together; the same bits for (a, b) and (b, a).

    "average" is the links for each pair: weights multiply. "likelihood" is the gain of the
    likelihood, the links beyond chance. Groups without links go by weight, lightest first.
    "information" is by how much the merge shortens the description of a walk, see `shortening`.
    """
    if rule.criterion == LIKELIHOOD:
        return link - rule.price * (weight_a * weight_b)
    if rule.criterion == INFORMATION:
        if link > 0.0:
            return shortening(link, weight_a, weight_b, cut_a, cut_b, rule.price)
        return UNLINKED - weight_a * weight_b
    if link > 0.0:
        return link / (weight_a * weight_b)
    return -weight_a * weight_b


@kernel
def shortening(
    link: float, weight_a: float, weight_b: float, cut_a: float, cut_b: float, price: float
) -> float:
    """Return how much shorter walk and sizes are described when two groups are one.

    All are shares of link ends: k_a of a group, q_a of those that leave it. The map equation has

        - Q ln Q + 2 sum q ln q - sum (q + k) ln (q + k),    Q = sum q

    less of the description's length; the sizes add h sum k ln k, h = `ENTROPY`. Q falls by 2 m_ab,
    which is priced as at the start, ln Q + 1: then a merge does not change the worth of others.
    """
    both = 2.0 * link
    cut = max(cut_a + cut_b - both, 0.0)
    weight = weight_a + weight_b
    leaving = x_ln_x(cut) - (x_ln_x(cut_a) + x_ln_x(cut_b))
    ends = x_ln_x(cut + weight) - (x_ln_x(cut_a + weight_a) + x_ln_x(cut_b + weight_b))
    sizes = x_ln_x(weight) - (x_ln_x(weight_a) + x_ln_x(weight_b))
    return both * price + 2.0 * leaving - ends + ENTROPY * sizes


@kernel
def merge_groups(
    groups: Groups,
    sizes: AnyArray,
    family: IntVector,
    n_families: int,
    rule: Rule,
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
    links, weights, cuts = groups
    n_groups = sizes.size
    alive = np.ones(n_groups, np.bool_)
    partners = Partners(
        np.empty(n_groups, np.int64),
        np.empty(n_groups, np.float64),
        np.empty(n_groups, np.float64),
        np.zeros(n_groups, np.bool_),
    )
    within = n_groups > n_families
    for k in range(n_groups):
        find_partner(groups, alive, family, within, rule, partners, k)
    n_merged = 0
    while n_merged < n_groups - 1:
        if within and n_groups - n_merged == n_families:
            within = n_merged < 0  # for False as it is written the compiler makes another copy
            for k in range(n_groups):
                find_partner(groups, alive, family, within, rule, partners, k)
        first = pick_group(alive, partners, sizes, least)
        while not partners.sure[first]:
            find_partner(groups, alive, family, within, rule, partners, first)
            first = pick_group(alive, partners, sizes, least)
        second = partners.number[first]
        a, b = min(first, second), max(first, second)
        pairs[n_merged, 0], pairs[n_merged, 1] = a, b
        affinities[n_merged] = partners.value[first]
        n_merged += 1
        alive[b] = False
        weights[a] += weights[b]
        cuts[a] = max(cuts[a] + cuts[b] - 2.0 * links[a, b], 0.0)
        sizes[a] += sizes[b]
        for k in range(n_groups):
            links[a, k] += links[b, k]
            links[k, a] = links[a, k]
        find_partner(groups, alive, family, within, rule, partners, a)
        follow_merge(groups, alive, family, within, rule, partners, a, b)
    return n_merged


@kernel
def find_partner(
    groups: Groups,
    alive: AnyArray,
    family: IntVector,
    within: bool,
    rule: Rule,
    partners: Partners,
    a: int,
) -> None:
    """Find the group another belongs to most, the first of equals, -1 for none."""
    links, weights, cuts = groups
    best, most, next_most = NO_PARTNER, -np.inf, -np.inf
    for k in range(alive.size):
        if k == a or not alive[k] or (within and family[k] != family[a]):
            continue
        value = affinity(links[a, k], weights[a], weights[k], cuts[a], cuts[k], rule)
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
    rule: Rule,
    partners: Partners,
    a: int,
    b: int,
) -> None:
    """Tell all other groups that a and b are one, which goes by a."""
    links, weights, cuts = groups
    number, value, rival, sure = partners
    for k in range(alive.size):
        if k == a or not alive[k] or (within and family[k] != family[a]):
            continue
        new = affinity(links[k, a], weights[k], weights[a], cuts[k], cuts[a], rule)
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
