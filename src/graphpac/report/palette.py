"""A color for every cluster: told apart on white and on dark ground, color-blind or not."""

from __future__ import annotations

import math

import numpy as np

from graphpac._typing import AnyArray

# Chosen one after another, each as far as possible from those before it to normal, red-blind,
# green-blind and blue-blind eyes: 25 apart in CIELAB to the first and 15 to the others among the
# first ten, 18 and 12 among all. At least 1.9 to 1 against white, 2.7 to 1 against the dark page.
_HUES = (
    *("#3878c7", "#e78730", "#309f68", "#e79fd7", "#c72830", "#af3880", "#b7bf70", "#af9fff"),
    *("#ff609f", "#6858d7", "#e7af18", "#507838", "#9f70af", "#a75870", "#8fc78f", "#bf5010"),
    *("#af8f48", "#f74868", "#8797d7", "#af80ff"),
)
_LIGHTER, _DARKER = 0.4, 0.3


def cluster_colors(n_clusters: int) -> AnyArray:
    """Return a color for each cluster: float array of shape (n_clusters, 3), 0 to 1.

    Beyond twenty the hues repeat, lighter, then darker, then as they were.
    """
    hues = np.array([[int(hue[i : i + 2], 16) / 255 for i in (1, 3, 5)] for hue in _HUES])
    rounds = (hues, hues + _LIGHTER * (1.0 - hues), hues * (1.0 - _DARKER))
    table: AnyArray = np.concatenate(rounds)
    return table[np.arange(n_clusters) % len(table)]


def colors_on_map(coordinates: AnyArray, labels: AnyArray, n_clusters: int) -> AnyArray:
    """Give the colors out so that clusters with like ones are far apart on the map.

    Up to twenty clusters have their colors in the order of their numbers. More, with or without
    points, are taken strip by strip across the map, so that equal hues are about twenty clusters
    apart.
    """
    colors = cluster_colors(n_clusters)
    if n_clusters <= len(_HUES):
        return colors
    counts = np.maximum(np.bincount(labels, minlength=n_clusters), 1)
    x, y = (
        np.bincount(labels, weights=axis, minlength=n_clusters) / counts for axis in coordinates.T
    )
    n_strips = math.isqrt(n_clusters)
    strips = np.argsort(np.argsort(x, kind="stable")) * n_strips // n_clusters
    out = np.empty_like(colors)
    out[np.lexsort((y, strips))] = colors
    return out


def to_hex(colors: AnyArray) -> list[str]:
    """Write colors as a browser reads them."""
    return ["#" + bytes(row.tolist()).hex() for row in np.rint(colors * 255).astype(np.uint8)]
