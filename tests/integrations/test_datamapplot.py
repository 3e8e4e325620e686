"""The example that draws a map with the real datamapplot."""

import runpy
import sys
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.image import imread

EXAMPLE = Path(__file__).parents[2] / "examples" / "datamapplot_map.py"


def test_the_example_draws_a_map(tmp_path, monkeypatch):
    pytest.importorskip("datamapplot")
    mpl.use("Agg")
    picture = tmp_path / "map.png"
    monkeypatch.setattr(sys, "argv", [EXAMPLE.name, str(picture)])

    runpy.run_path(str(EXAMPLE), run_name="__main__")

    height, width, _ = imread(picture).shape
    assert min(height, width) > 500
