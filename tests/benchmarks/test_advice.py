"""The tables behind the advice on parameters."""

import numpy as np
import pytest

from benchmarks import advice


def test_classes_are_thinned_out_by_factors():
    X, y = advice.thinned("digits", 160, 10)
    sizes = np.bincount(y)
    assert (sizes[0], sizes[-1]) == (160, 10)
    assert (np.diff(sizes) < 0).all()
    assert X.shape == (sizes.sum(), 64)


def test_clusters_without_rows_stand_beside_the_scores(digits, monkeypatch):
    monkeypatch.setattr(advice, "SEEDS", range(2))
    X, y = digits.X[:300], digits.y[:300]
    full = advice.mean_score(X, y, max_iter=5)
    assert full.count("/") == 1
    assert 0.5 < float(full.split(" / ")[0]) <= 1.0
    assert advice.mean_score(X, y, max_iter=5, alpha=1e5).endswith("of 10")


def test_a_table_goes_to_its_file_and_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(advice, "alpha_table", lambda: "| a |")
    (tmp_path / "parameters.md").write_text("<!-- alpha:start --><!-- alpha:end -->")
    advice.main(["--tables", "alpha", "--output", str(tmp_path), "--docs", str(tmp_path)])
    for name in ("advice-alpha.md", "parameters.md"):
        assert "| a |" in (tmp_path / name).read_text()
    with pytest.raises(SystemExit):
        advice.main(["--tables", "beta"])
    capsys.readouterr()
