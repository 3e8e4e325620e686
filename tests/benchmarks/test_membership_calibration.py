"""Shares of right rows beside memberships."""

import numpy as np
import pytest

from benchmarks import membership_calibration as calibration


def test_bins_and_their_error():
    labels, classes = np.repeat([0, 1], 100), np.repeat([3, 3, 5, 3], 50)
    right = calibration.are_right(labels, classes)
    assert right.sum() == 150
    probabilities = np.where(labels == 0, 0.97, 0.55)
    bins = calibration.bins_of(probabilities, right)
    assert [count for *_, count in bins] == [100, 100]
    assert calibration.calibration_error(bins) == pytest.approx((0.05 + 0.03) / 2)


def test_a_table_and_a_plot_are_written(tmp_path, capsys):
    table, plot = tmp_path / "table.md", tmp_path / "images" / "plot.svg"
    calibration.main(["--data", "digits", "--output", str(table), "--plot", str(plot)])
    assert "| digits" in capsys.readouterr().out
    assert plot.read_text().lstrip().startswith("<?xml")
