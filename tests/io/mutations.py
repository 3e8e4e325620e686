"""Files changed at random: their bytes, or their meaning with all checksums made anew."""

import json
from copy import deepcopy

import numpy as np

from tests.io.files import assemble, join, split

# What a header may not expect in place of what it holds.
VALUES = (
    None,
    True,
    False,
    *(-(2**63), -1, 0, 1, 2, 3, 7, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 10**40),
    *(-0.0, 0.5, 1.0, 1e-320, 1e-30, 1e30, 1e308, float("nan"), float("inf"), float("-inf")),
    *("", "x", "auto", "exact", "cosine", "euclidean", "inner_product", "precomputed", "uniform"),
    *("\ud800", "\x00", "9" * 300),
    *([], {}, [0], [[]], {"name": "exact"}, {"is": 3}),
)
NUMBERS = (0, 1, -1, 2, 127, 255, -(2**31), 2**31 - 1, np.nan, np.inf, -np.inf, 1e-45, 3e38, 0.5)
TYPES = ("bool", "int8", "uint8", "uint16", "int32", "uint32", "int64", "float16", "float32")


def mutate_bytes(raw, rng):
    """Flip, cut, insert, remove or repeat bytes; at times with the checksum of the header."""
    damaged = bytearray(raw)
    kind = rng.integers(6)
    place = int(rng.integers(len(raw)))
    if kind == 0:
        del damaged[place:]
    elif kind == 1:
        damaged[place:place] = rng.bytes(int(rng.integers(1, 70)))
    elif kind == 2:
        del damaged[place : place + int(rng.integers(1, 70))]
    elif kind == 3:
        damaged[int(rng.integers(24))] = rng.integers(256)
    elif kind == 4:
        for position in rng.integers(len(raw), size=rng.integers(1, 4)):
            damaged[position] = rng.integers(256)
    else:
        header, data = split(raw)
        text = bytearray(json.dumps(header).encode())
        for position in rng.integers(len(text), size=rng.integers(1, 3)):
            text[position] = rng.choice(list(b'0123456789-.eE"{}[],:anutrf'))
        return join(bytes(text), data)
    return bytes(damaged)


def mutate_meaning(kind, contents, rng):
    """Change metadata or arrays in one to three places, and write a file that is in order."""
    arrays, metadata = dict(contents.arrays), deepcopy(contents.metadata)
    for _ in range(rng.integers(1, 4)):
        if arrays and rng.random() < 0.5:
            _mutate_arrays(arrays, rng)
        else:
            mutate_tree(metadata, rng)
    return assemble(kind, arrays, metadata)


def mutate_tree(tree, rng):
    """Change one place of nested dicts and lists."""
    places = list(_places(tree))
    if not places:
        return
    parent, key = places[rng.integers(len(places))]
    kind = rng.integers(6)
    if kind == 0:
        del parent[key]
    elif kind == 1 and type(parent[key]) in {int, float}:
        parent[key] = parent[key] + int(rng.choice([-1, 1]))
    elif kind == 2:
        other, name = places[rng.integers(len(places))]
        parent[key] = deepcopy(other[name])
    elif kind == 3 and isinstance(parent, dict):
        parent[str(rng.integers(100))] = VALUES[rng.integers(len(VALUES))]
    else:
        parent[key] = deepcopy(VALUES[rng.integers(len(VALUES))])


def _places(tree):
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        yield tree, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _mutate_arrays(arrays, rng):
    """Change the values, the type, the shape or the name of one array, or remove it."""
    name = list(arrays)[rng.integers(len(arrays))]
    array = arrays[name].copy()
    kind = rng.integers(9)
    with np.errstate(all="ignore"):
        if kind == 0:
            del arrays[name]
            return
        if kind == 1:
            arrays[f"{name}{rng.integers(3)}"] = array
            return
        if kind == 2:
            array = array.astype(TYPES[rng.integers(len(TYPES))])
        elif kind == 3:
            array = array[: rng.integers(array.shape[0] + 1)]
        elif kind == 4:
            array = np.concatenate((array, array[: rng.integers(1, 3)]))
        elif kind == 5:
            shapes = [(-1,), (-1, 1), (1, -1), array.shape[::-1]]
            array = array.reshape(shapes[rng.integers(4)])
        elif array.size:
            flat = array.reshape(-1)
            place = rng.integers(flat.size)
            if kind == 6:
                flat.view(np.uint8)[rng.integers(flat.nbytes)] ^= 1 << rng.integers(8)
            elif kind == 7:
                number = NUMBERS[rng.integers(len(NUMBERS))]
                flat[place] = np.float64(number).astype(flat.dtype)
            else:
                flat[place] = flat[rng.integers(flat.size)]
    arrays[name] = array
