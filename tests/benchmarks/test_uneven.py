"""Long tails, and the records and tables of clusterings of them."""

from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import uneven
from graphpac.io.journal import append_entry
from graphpac.metrics import score_labels

ROOT = Path(__file__).parents[2]
PAGE = "".join(f"<!-- {marks}:start -->\n<!-- {marks}:end -->\n" for marks in uneven.TABLES)


def made_up(dataset="usps", method="uneven", seed=0, nmi=0.9, acc=0.95):
    return uneven.Record(dataset, method, seed, 9298, 10, nmi, acc, 1.0, "graphpac 1", "abc")


def cells_of(table, name):
    line = next(line for line in table.splitlines() if line.startswith(f"| {name} "))
    return [cell.strip() for cell in line.split("|")[1:-1]]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / uneven.PAGE).write_text(PAGE, encoding="utf-8")
    return tmp_path


def run(folder, *options):
    return uneven.main([*options, "--output", str(folder), "--docs", str(folder)])


def test_a_tail_has_the_sizes_asked_for():
    X, y = uneven.load_tail("digits:10")
    sizes = sorted(Counter(y.tolist()).values())
    assert X.shape == (sum(sizes), 64)
    assert sizes[-1] / sizes[0] == pytest.approx(10, rel=0.05)
    ratios = np.array(sizes[1:]) / sizes[:-1]
    assert ratios.max() / ratios.min() < 1.15  # even steps on a log scale, but for rounding
    again, _ = uneven.load_tail("digits:10")
    np.testing.assert_array_equal(X, again)


def test_without_a_tail_all_rows_are_there(digits):
    X, y = uneven.load_tail("digits")
    np.testing.assert_array_equal(y, digits.y)
    assert X.dtype == np.float32


def test_another_order_of_the_samples_finds_much_the_same_clusters(digits):
    X = digits.X[:600]
    first, second = (uneven.uneven_labels(X, 10, seed) for seed in (0, 1))
    assert score_labels(digits.y[:600], first).nmi > 0.75
    assert score_labels(first, second).nmi > 0.75


def test_what_is_recorded_is_not_clustered_again(folder, monkeypatch):
    asked = []

    def stand_in(X, n_clusters, seed):
        asked.append(seed)
        return np.arange(len(X)) % n_clusters

    monkeypatch.setattr(uneven, "METHODS", {"GPAC": uneven.Method(stand_in, 2)})
    path = folder / uneven.FILE
    append_entry(path, asdict(made_up("digits:10", "GPAC", 1)))
    uneven.measure_missing(path, ["digits:10"])
    uneven.measure_missing(path, ["digits:10"])
    assert asked == [0]
    uneven.measure_missing(path, ["digits:10"], again=True)
    assert asked == [0, 0, 1]
    found = {record.seed: record for record in uneven.read_records(path)}
    assert len(found) == 2
    assert found[1].n_classes == 10  # the last record counts
    assert found[1].n_samples < 1797


def test_means_are_shown_beside_the_bar():
    records = [made_up(nmi=0.8, acc=0.9), made_up(seed=1, nmi=0.9, acc=0.7)]
    records.append(made_up(method="Leiden"))
    table = uneven.table_of(records, ["usps", "olivetti"])
    means = ["0.850 / 0.800", "-", "0.900 / 0.950", "-"]
    assert cells_of(table, "usps") == ["usps", "9298", "10", *means, "0.880 / 0.940"]
    assert "olivetti" not in table
    assert "bar" not in uneven.table_of([made_up("olivetti")], ["olivetti"])


def test_a_line_that_a_killed_run_left_half_written_is_passed_over(folder):
    path = folder / uneven.FILE
    append_entry(path, asdict(made_up()))
    with path.open("a") as file:
        file.write('{"dataset": "us')
    assert uneven.read_records(path) == [made_up()]


def test_tables_go_to_their_places(folder, capsys):
    assert run(folder, "--tables-only") == 0
    assert (folder / uneven.PAGE).read_text() == PAGE
    for record in (made_up(), made_up("olivetti", nmi=0.5)):
        append_entry(folder / uneven.FILE, asdict(record))
    run(folder, "--tables-only")
    first, second = (folder / uneven.PAGE).read_text().split("<!-- uneven-others:start -->")
    assert "| usps " in first
    assert "| olivetti " in second
    assert "olivetti" in capsys.readouterr().out


def test_every_data_set_is_in_one_table():
    names = [name for datasets in uneven.TABLES.values() for name in datasets]
    assert len(names) == len(set(names))
    assert set(uneven.BARS) <= set(names)


def test_the_page_has_the_marks(tmp_path):
    page = (ROOT / "docs" / uneven.PAGE).read_text(encoding="utf-8")
    (tmp_path / uneven.PAGE).write_text(page, encoding="utf-8")
    for dataset in ("usps", "olivetti"):
        append_entry(tmp_path / uneven.FILE, asdict(replace(made_up(), dataset=dataset)))
    run(tmp_path, "--tables-only")
    assert (tmp_path / uneven.PAGE).read_text(encoding="utf-8") != page
