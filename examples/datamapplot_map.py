"""Draw the handwritten digits as a labeled map with datamapplot.

``python examples/datamapplot_map.py [digits.png]``, after ``pip install 'graphpac[map]'``.
"""

import sys

import datamapplot
import numpy as np

from graphpac import GPAC
from graphpac.datasets import load
from graphpac.metrics import match_labels
from graphpac.report.map_coordinates import place_rows

UNLABELED = "Unlabelled"  # what datamapplot leaves gray


def main(path: str = "digits.png") -> None:
    """Cluster, lay out the graph of the fit, and draw it."""
    digits = load("digits")
    model = GPAC(n_clusters=10, random_state=0).fit(digits.X)
    rows, coordinates, _ = place_rows(model.graph_, method="graph", seed=0)

    # A cluster is named after the class it holds most of; without known classes name it yourself.
    names = np.array([f"digit {name}" for name in match_labels(digits.y, model.labels_)])
    # What is not quite sure stays gray instead of taking a side.
    names = np.where(model.probabilities_ < 0.6, UNLABELED, names)

    figure, _ = datamapplot.create_plot(
        coordinates,
        names[rows],
        noise_label=UNLABELED,
        label_font_size=16,
        font_family="DejaVu Sans",  # comes with matplotlib
        use_system_fonts=True,  # instead of downloading
        title="Handwritten digits",
        sub_title="ten clusters on the graph of nearest neighbors; gray: less than 60 % sure",
    )
    figure.savefig(path, dpi=100, bbox_inches="tight")


if __name__ == "__main__":
    main(*sys.argv[1:])
