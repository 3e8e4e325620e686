"""Search in lists again, in slow and obvious numpy."""

import numpy as np


def nearest(keys, numbers, n_best):
    """The numbers of the smallest keys, ties by number, as a set."""
    order = np.lexsort((numbers, keys))[:n_best]
    return set(numbers[order].tolist())


def find_in_lists(query, lists, n_lists, n_rows, n_best):
    """The rows nearest to a query in its nearest lists, until these hold n_rows."""
    order = np.argsort(lists.center_halves - lists.centers @ query, kind="stable")[:n_lists]
    places = []
    for number in order:
        if len(places) >= n_rows:
            break
        places += range(lists.begins[number], lists.begins[number + 1])
    keys = lists.halves[places] - lists.places[places] @ query
    return nearest(keys, lists.numbers[places], n_best)
