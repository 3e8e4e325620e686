"""The demo: tables on the terminal, a picture and a report in a folder, nothing else."""

import io
from contextlib import redirect_stdout

import pytest
from matplotlib.image import imread

from graphpac import demo


@pytest.fixture(scope="module")
def findings():
    return demo.investigate()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run the command in 80 columns; return its folder and what it wrote to the terminal."""
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    text = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(text):
        patch.setenv("COLUMNS", "80")
        demo.run(folder)
    return folder, text.getvalue()


def test_the_picture_is_a_readable_png_of_sane_size(run):
    folder, _ = run
    height, width, _ = imread(folder / demo.PICTURE).shape
    assert 800 < width < 4000
    assert 800 < height < 4000


def test_nothing_but_picture_and_report_is_left(run):
    folder, _ = run
    assert {path.name for path in folder.iterdir()} == {demo.PICTURE, demo.REPORT}


def test_the_last_lines_say_where_picture_and_report_are(run):
    folder, text = run
    assert text.splitlines()[-3] == str(folder / demo.PICTURE)
    assert text.splitlines()[-1] == str(folder / demo.REPORT)


def test_the_report_shows_the_digits(run):
    folder, _ = run
    page = (folder / demo.REPORT).read_text(encoding="utf-8")
    assert "<bdi>Handwritten digits</bdi>" in page
    # Eight typical and eight doubtful ones of every cluster.
    assert page.count('<img src="data:image/png;base64,') == 160


def test_the_tables_fit_80_columns_and_hold_what_was_found(run, findings):
    folder, text = run
    lines = text.splitlines()
    assert max(len(line) for line in lines if str(folder) not in line) <= 80
    rows = [
        [cell.strip() for cell in line.strip("│").split("│")]
        for line in lines
        if line.startswith("│")
    ]
    assert ["GPAC", *(f"{score:.3f}" for score in findings.scores)] in rows
    for item in findings.clusters:
        assert [str(item.matched_class), str(item.cluster), str(item.size)] in [
            row[:3] for row in rows
        ]
    for sample in findings.doubtful:
        truth = findings.data.y[sample.row]
        assert [str(sample.row), str(truth)] in [row[:2] for row in rows]


def test_both_fits_have_the_same_bits(run, findings):
    assert findings.identical
    assert "identical bits" in run[1]


def test_it_finds_more_than_kmeans(findings):
    assert findings.scores.nmi > findings.peer_scores.nmi


def test_a_failed_picture_leaves_the_old_one_and_no_other_file(findings, tmp_path, monkeypatch):
    picture = tmp_path / demo.PICTURE
    picture.write_bytes(b"old")

    def write_half(self, file, **options):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", write_half)
    with pytest.raises(OSError, match="disk full"):
        demo.draw_picture(picture, findings)
    assert [path.name for path in tmp_path.iterdir()] == [demo.PICTURE]
    assert picture.read_bytes() == b"old"
