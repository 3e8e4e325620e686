"""A color for every cluster, told apart on white and on black paper, with any eyes we can serve."""

from __future__ import annotations

import numpy as np

from graphpac._typing import AnyArray

# Hues alternate between light and dark, so that those which look alike to color-blind eyes differ
# in lightness; neighbors in the list are far apart in hue.
_HUES = (
    *("#3b78c9", "#e5862c", "#2f9e66", "#d4516b", "#8b6bd1", "#a6761d", "#1fa5b5", "#e377c2"),
    *("#7a9a01", "#b0413e", "#5ab4e6", "#c9a400", "#5b57a6", "#66c2a0", "#ad5fa0", "#8d6e5a"),
    *("#f0837c", "#3d8b8b", "#9aa7e0", "#b8860b"),
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


def to_hex(colors: AnyArray) -> list[str]:
    """Write colors as a browser reads them."""
    return ["#" + bytes(row.tolist()).hex() for row in np.rint(colors * 255).astype(np.uint8)]
