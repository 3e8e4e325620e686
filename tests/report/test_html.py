"""The page as a file: whole, small, of its own, and deaf to what rows say."""

import base64
import dataclasses
import json
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from graphpac.findings import Finding
from graphpac.report.html import write_report
from graphpac.report.map_data import as_script_json, map_data
from graphpac.report.wording import count, percent, seconds, shorten

EVIL = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "\"'><img src=x onerror=alert(3)>",
    "line\u2028and\u2029paragraph",
    "😀" * 200,
    "{{ 7 * 7 }} {% raw %}",
    "<!-- &lt;b&gt;",
    "\ud800 half a pair",
    "\u202eright to left",
    "long " * 1000,
)


def page_data(text):
    return json.loads(re.search(r'id="map-data">(.*?)</script>', text, re.DOTALL)[1])


def unpack(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype=dtype)


@pytest.fixture(scope="module")
def evil_page(facts, tmp_path_factory):
    path = tmp_path_factory.mktemp("evil") / "report.html"
    write_report(
        path,
        facts,
        title=EVIL[0],
        about={text: text for text in EVIL},
        ids=[f"{EVIL[row % len(EVIL)]}{row}" for row in range(facts.n_rows)],
        texts=[EVIL[place % len(EVIL)] for place in range(facts.shown_rows.size)],
    )
    return path.read_text(encoding="utf-8")


def test_nothing_given_can_become_markup(evil_page):
    without_data = re.sub(r'id="map-data">.*?</script>', "", evil_page, flags=re.DOTALL)
    assert evil_page.count("<script") == 2
    assert evil_page.count("</script") == 2
    assert "<img" not in without_data
    assert "onerror=alert(3)>" not in evil_page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in without_data
    assert "{{ 7 * 7 }}" in without_data
    assert "\u2028" not in evil_page.partition('id="map-data">')[2]


def test_only_our_own_script_may_run(evil_page):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', evil_page)[1]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy.replace("style-src 'unsafe-inline'", "")
    assert "http" not in policy


def test_the_data_say_what_was_given(evil_page, facts):
    data = page_data(evil_page)
    for row, name in zip(facts.map_rows.tolist(), data["ids"], strict=True):
        given = f"{EVIL[row % len(EVIL)]}{row}".encode(errors="replace").decode()
        given = " ".join(given.split())  # on one line
        assert name == given or (len(name) == 48 and name.endswith("…"))
    assert data["ids"][facts.map_rows.tolist().index(0)] == "<script>alert(1)</script>0"


def test_long_texts_are_cut(evil_page):
    assert "long " * 100 not in evil_page
    assert "😀" * 100 not in page_data(evil_page)["ids"]


def test_the_page_needs_no_network(facts, thumbnails, tmp_path):
    write_report(tmp_path / "report.html", facts, title="t", images=thumbnails)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    loaded = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert all(address.startswith(("data:", "#")) for address in loaded)
    assert "url(" not in text
    assert "@import" not in text
    assert "http" not in text.replace("http-equiv", "")


def test_points_come_back_as_they_were(facts):
    data = map_data(facts, None, [])
    assert data["ids"] is None
    assert_array_equal(unpack(data["rows"], "<u4"), facts.map_rows)
    shape = facts.map_clusters.shape
    assert_array_equal(unpack(data["clusters"], "u1").reshape(shape), facts.map_clusters)
    memberships = unpack(data["memberships"], "u1").reshape(shape) / 255
    assert_allclose(memberships, facts.map_memberships, atol=1 / 510 + 1e-6)
    coordinates = unpack(data["coordinates"], "<u2").reshape(-1, 2).astype(float)
    assert coordinates.min() == 0
    assert coordinates.max() == 65535
    scale = np.ptp(facts.map_coordinates, axis=0).max() / 65535
    moved = coordinates * scale - facts.map_coordinates
    assert np.ptp(moved, axis=0).max() < 2 * scale


def test_more_than_256_clusters_take_two_bytes(facts):
    many = dataclasses.replace(
        facts,
        n_clusters=1000,
        cluster_sizes=np.ones(1000, dtype=np.int64),
        cluster_certainties=np.ones(1000),
        map_clusters=facts.map_clusters + 900,
    )
    data = map_data(many, None, [])
    assert data["wide"]
    assert_array_equal(unpack(data["clusters"], "<u2"), (facts.map_clusters + 900).ravel())


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_rows_at_one_place_are_drawn_in_the_middle(facts, shift):
    flat = dataclasses.replace(facts, map_coordinates=np.full_like(facts.map_coordinates, shift))
    assert set(unpack(map_data(flat, None, [])["coordinates"], "<u2")) == {32768}


def test_seventy_thousand_points_stay_small(facts, tmp_path, seed):
    rng = np.random.default_rng(seed)
    n_rows = 70_000
    clusters = np.argsort(rng.random((n_rows, 10)), axis=1)[:, :3].astype(np.int32)
    large = dataclasses.replace(
        facts,
        n_rows=n_rows,
        map_rows=rng.permutation(n_rows),
        map_coordinates=rng.normal(size=(n_rows, 2)).astype(np.float32),
        map_clusters=clusters,
        map_memberships=rng.random((n_rows, 3), dtype=np.float32),
    )
    ids = [f"{row:036x}" for row in range(n_rows)]
    assert write_report(tmp_path / "with.html", large, title="t", ids=ids) < 5e6
    assert write_report(tmp_path / "without.html", large, title="t") < 1.6e6


def test_ids_that_only_count_are_left_out(facts, tmp_path):
    plain = write_report(tmp_path / "a.html", facts, title="t")
    assert write_report(tmp_path / "b.html", facts, title="t", ids=range(facts.n_rows)) == plain
    named = [str(row) for row in range(facts.n_rows)]
    assert write_report(tmp_path / "c.html", facts, title="t", ids=named) == plain
    assert write_report(tmp_path / "d.html", facts, title="t", ids=named[::-1]) > plain


def test_the_size_is_told_and_nothing_else_is_left(facts, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    assert write_report(path, facts, title="t") == path.stat().st_size
    assert [left.name for left in tmp_path.iterdir()] == ["report.html"]


def test_color_pictures_are_shown_and_large_ones_made_small(facts, tmp_path, seed):
    rng = np.random.default_rng(seed)
    images = rng.integers(256, size=(facts.shown_rows.size, 90, 120, 3), dtype=np.uint8)
    size = write_report(tmp_path / "report.html", facts, title="t", images=images)
    assert size < images.nbytes / 2
    assert (tmp_path / "report.html").read_text("utf-8").count("data:image/png;base64,") >= 100


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ids": ["a"]}, "ids has 1 entries for 1797 rows: pass one for each row."),
        ({"texts": ["a"]}, "texts has 1 entries, but the report shows .* rows: pass one for each"),
        ({"images": np.zeros((1, 8, 8), np.uint8)}, "images has 1 entries, but the report shows"),
        ({"images": "floats"}, "images has dtype float64 and shape .*: pass a uint8 array"),
        ({"images": "flat"}, "images has dtype uint8 and shape .*: pass a uint8 array"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_written(facts, tmp_path, given, message):
    n_shown = facts.shown_rows.size
    odd = {"floats": np.zeros((n_shown, 8, 8)), "flat": np.zeros((n_shown, 64), np.uint8)}
    if isinstance(given.get("images"), str):
        given = {"images": odd[given["images"]]}
    with pytest.raises(ValueError, match=message):
        write_report(tmp_path / "report.html", facts, title="t", **given)
    assert list(tmp_path.iterdir()) == []


def test_warnings_are_on_the_page_when_there_is_cause(facts, tmp_path):
    finding = Finding("offset", "rows hardly differ", 'pass metric="euclidean"')
    write_report(tmp_path / "calm.html", facts, title="t")
    worried = dataclasses.replace(facts, findings=(finding,))
    write_report(tmp_path / "worried.html", worried, title="t")
    words = "<b>Rows hardly differ.</b> Pass metric=&#34;euclidean&#34;."
    assert words in (tmp_path / "worried.html").read_text("utf-8")
    assert 'class="notices"' not in (tmp_path / "calm.html").read_text("utf-8")


@pytest.mark.parametrize("changes", [[0.0], [1.0, 0.0, 0.0], [3.0, 1e-9], [2e-5, 1e-4]])
@pytest.mark.parametrize("tol", [0.0, 1e-3])
def test_any_history_makes_a_curve_inside_its_frame(facts, tmp_path, changes, tol):
    short = dataclasses.replace(
        facts,
        changes=np.array(changes),
        local_weights=np.linspace(0, 1, len(changes)),
        dropped_masses=np.zeros(len(changes)),
        tol=tol,
    )
    write_report(tmp_path / "report.html", short, title="t")
    text = (tmp_path / "report.html").read_text("utf-8")
    for points in re.findall(r'<polyline class="\w+" points="([^"]*)"', text):
        coordinates = np.array([list(map(float, pair.split(","))) for pair in points.split()])
        assert coordinates.shape == (len(changes), 2)
        assert (coordinates >= 0).all()
        assert (coordinates <= [640, 296]).all()


def test_the_callers_lines_come_first_and_win(facts, tmp_path):
    write_report(tmp_path / "r.html", facts, title="t", about={"data": "d.npy", "tol": "none"})
    text = (tmp_path / "r.html").read_text("utf-8")
    lines = re.findall(r"<dt><bdi>(.*?)</bdi></dt><dd><bdi>(.*?)</bdi></dd>", text)
    assert lines[:2] == [("data", "d.npy"), ("tol", "none")]
    assert ("fuzziness", "1.05") in lines
    assert [name for name, _ in lines].count("tol") == 1


def test_script_json_is_json():
    value = {"a": ["</script>", "\u2028", "&<>", "ü"]}
    text = as_script_json(value)
    assert json.loads(text) == value
    assert not set("<>&\u2028") & set(text)


@pytest.mark.parametrize(
    ("value", "longest", "expected"),
    [
        ("short", 10, "short"),
        ("two\n lines", 10, "two lines"),
        ("0123456789", 10, "0123456789"),
        ("0123456789a", 10, "012345678…"),
        ("a" + " " * 100 + "b", 10, "a…"),
        (17, 10, "17"),
        ("", 10, ""),
        (None, 10, ""),
    ],
)
def test_shorten(value, longest, expected):
    assert shorten(value, longest) == expected


def test_numbers_read_well():
    shares = (1.0, 0.9996, 0.9972, 0.52, 0.094, 0.004, 0.0)
    written = " ".join(percent(share).replace("\u00a0", "") for share in shares)
    assert written == "100% 100% 99.7% 52% 9.4% 0.4% 0.0%"
    times = [seconds(value).replace("\u00a0", " ") for value in (0.031, 8.26, 119.0, 185.4, 3601.0)]
    assert times == ["0.03 s", "8.3 s", "119.0 s", "3 min 5 s", "1 h 0 min"]
    assert [count(number, "row") for number in (0, 1, 1000)] == ["0 rows", "1 row", "1,000 rows"]
