"""Colors that can be told apart: measured, for four kinds of eyes and two kinds of ground."""

import itertools
import re
from importlib.resources import files

import numpy as np
import pytest

from graphpac.report.palette import cluster_colors, colors_on_map, to_hex

# Machado, Oliveira and Fernandes 2009, full severity, on linear red, green and blue.
EYES = {
    "normal": np.eye(3),
    "red-blind": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "green-blind": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "blue-blind": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colors):
    return np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)


def lab(linear_colors):
    shares = np.clip(linear_colors, 0, 1) @ TO_XYZ.T / [0.9505, 1.0, 1.089]
    roots = np.where(shares > 0.008856, np.cbrt(shares), 7.787 * shares + 16 / 116)
    x, y, z = roots.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def contrast(first, second):
    light, dark = sorted((linear(color) @ TO_XYZ[1] for color in (first, second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def from_hex(text):
    return np.array([int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def page_colors(scheme):
    """Read the colors of the page from its style: the first block is light, the second dark."""
    style = files("graphpac.report").joinpath("templates/report.css").read_text(encoding="utf-8")
    block = re.findall(r":root[^{]*\{([^}]*--ink[^}]*)\}", style)[scheme]
    return {name: from_hex(color) for name, color in re.findall(r"--([\w-]+): (#\w{6})", block)}


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize(("n_clusters", "normal", "blind"), [(10, 25, 15), (20, 18, 12)])
def test_clusters_can_be_told_apart(eyes, n_clusters, normal, blind):
    seen = lab(linear(cluster_colors(n_clusters)) @ np.transpose(EYES[eyes]))
    gaps = [np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)]
    assert min(gaps) > (normal if eyes == "normal" else blind)


@pytest.mark.parametrize("scheme", [0, 1])
def test_clusters_stand_out_from_the_page(scheme):
    paper = page_colors(scheme)["paper"]
    assert min(contrast(color, paper) for color in cluster_colors(20)) > 1.9


@pytest.mark.parametrize("scheme", [0, 1])
@pytest.mark.parametrize(
    ("ink", "ground"),
    [("ink", "paper"), ("quiet", "paper"), ("quiet", "ground"), ("accent", "ground")],
)
def test_text_can_be_read(scheme, ink, ground):
    colors = page_colors(scheme)
    assert contrast(colors[ink], colors[ground]) >= 4.5
    assert contrast(colors["warn-ink"], colors["warn"]) >= 4.5


def test_colors_go_on_beyond_twenty_and_repeat_late():
    colors = cluster_colors(1000)
    assert colors.shape == (1000, 3)
    assert len(np.unique(colors[:60].round(6), axis=0)) == 60
    assert colors.min() >= 0.0
    assert colors.max() <= 1.0


def test_few_clusters_have_their_colors_by_number(seed):
    coordinates = np.random.default_rng(seed).normal(size=(20, 2))
    given = colors_on_map(coordinates, np.arange(20), 20)
    np.testing.assert_array_equal(given, cluster_colors(20))


@pytest.mark.parametrize("n_clusters", [77, 300])
def test_clusters_of_one_color_are_far_apart_on_the_map(n_clusters, seed):
    coordinates = np.random.default_rng(seed).random((n_clusters, 2))
    labels = np.arange(n_clusters)

    colors = colors_on_map(coordinates, labels, n_clusters + 1)[:-1]  # the last has no points

    same = [
        np.linalg.norm(coordinates[a] - coordinates[b])
        for a, b in itertools.combinations(labels, 2)
        if np.array_equal(colors[a], colors[b])
    ]
    assert same
    assert min(same) > 2.0 / np.sqrt(n_clusters)


def test_colors_are_written_for_a_browser():
    assert to_hex(np.array([[0.0, 0.5, 1.0], [1.0, 1.0, 1.0]])) == ["#0080ff", "#ffffff"]
