"""The page in a real browser: drawn, hovered over, clicked, typed at, on a phone, on paper."""

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from graphpac.report.html import write_report
from tests.report.test_html import EVIL

DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}


@pytest.fixture(scope="module")
def report(facts, thumbnails, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    ids = [f"digit <{row}>" for row in range(facts.n_rows)]
    write_report(path, facts, title="Digits", ids=ids, images=thumbnails)
    return path


@pytest.fixture(scope="module")
def evil_report(facts, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "evil.html"
    write_report(
        path,
        facts,
        title=" ".join(EVIL),
        about={"x" * 500: "y" * 500, **{text: text for text in EVIL}},
        ids=[f"{EVIL[row % len(EVIL)]}{row}" for row in range(facts.n_rows)],
        texts=["z" * 1000 if place % 2 else EVIL[0] for place in range(facts.shown_rows.size)],
    )
    return path


@pytest.fixture
def open_page(browser):
    """Open a page; at the end of the test nothing may have gone wrong in it."""
    contexts, faults = [], []

    def open_it(path: Path, **options):
        context = browser.new_context(reduced_motion="reduce", **{**DESKTOP, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith(("data:", path.as_uri()))
                else faults.append(f"loaded {request.url}")
            ),
        )
        page.goto(path.as_uri())
        wait_until(page, "graphpacReport.zoom() === 1")
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert faults == []


def lonely_row(facts):
    """Return the row of the map that is farthest from its nearest neighbor on it."""
    coordinates = facts.map_coordinates
    gaps = np.linalg.norm(coordinates[:, np.newaxis] - coordinates, axis=2)
    np.fill_diagonal(gaps, np.inf)
    return int(facts.map_rows[gaps.min(axis=1).argmax()])


def place_of(page, row):
    """Return where a row is in the window, after scrolling the map into it."""
    page.locator("#points").scroll_into_view_if_needed()
    box = page.locator("#points").bounding_box()
    x, y = page.evaluate("row => graphpacReport.screenPlaceOf(row)", row)
    return box["x"] + x, box["y"] + y


def isolated(page):
    return page.evaluate("graphpacReport.isolated()")


def zoom(page):
    return page.evaluate("graphpacReport.zoom()")


def picture(page):
    """Return the pixels of the map, shape (height, width, 3)."""
    page.evaluate("graphpacReport.draw()")
    address = page.evaluate("document.getElementById('points').toDataURL('image/png')")
    raw = base64.b64decode(address.partition(",")[2])
    return np.asarray(Image.open(io.BytesIO(raw)).convert("RGB"))


def wait_until(page, condition):
    """Wait for the page; its policy forbids the way the driver has for this."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(25)
    pytest.fail(f"never came true: {condition}")


def test_the_map_shows_every_cluster_in_its_color(open_page, report):
    page = open_page(report)
    seen = np.unique(picture(page).reshape(-1, 3), axis=0).astype(int)
    colors = page.evaluate("JSON.parse(document.getElementById('map-data').textContent).colors")
    for color in colors:
        wanted = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)])
        assert np.abs(seen - wanted).max(axis=1).min() <= 8


def test_hovering_shows_id_and_memberships(open_page, report, facts):
    page = open_page(report)
    row = lonely_row(facts)
    assert page.locator(".tip").is_hidden()
    page.mouse.move(*place_of(page, row))
    tip = page.locator(".tip")
    assert tip.is_visible()
    assert tip.locator(".id").text_content() == f"digit <{row}>"
    place = facts.map_rows.tolist().index(row)
    cluster, share = facts.map_clusters[place, 0], facts.map_memberships[place, 0]
    first = tip.locator("span").first.text_content()
    assert first.startswith(f"cluster {cluster} ")
    assert abs(float(first.split()[2]) - 100 * share) <= 0.7
    inside, frame = tip.bounding_box(), page.locator(".stage").bounding_box()
    assert inside["x"] >= frame["x"]
    assert inside["x"] + inside["width"] <= frame["x"] + frame["width"]
    page.mouse.move(5, 5)
    assert tip.is_hidden()


def test_a_click_on_the_map_isolates_and_escape_releases(open_page, report, facts):
    page = open_page(report)
    row = lonely_row(facts)
    cluster = int(facts.map_clusters[facts.map_rows.tolist().index(row), 0])
    before = picture(page)
    page.mouse.click(*place_of(page, row))
    assert isolated(page) == cluster
    assert (picture(page) != before).any()
    assert page.locator(".status").text_content().startswith(f"Cluster {cluster}: ")
    assert page.locator("[data-cluster-rows]:visible").count() == 1
    assert page.locator(f'[data-cluster="{cluster}"]').get_attribute("aria-pressed") == "true"
    page.keyboard.press("Escape")
    assert isolated(page) is None
    page.mouse.move(5, 5)
    np.testing.assert_array_equal(picture(page), before)
    assert page.locator("[data-cluster-rows]:visible").count() == 10


def test_bars_chooser_and_button_isolate_too(open_page, report):
    page = open_page(report)
    page.locator('[data-cluster="4"]').click()
    assert isolated(page) == 4
    assert page.locator("#chooser").input_value() == "4"
    page.locator('[data-cluster="4"]').click()
    assert isolated(page) is None
    page.locator("#chooser").select_option("7")
    assert isolated(page) == 7
    page.locator(".release").click()
    assert isolated(page) is None
    assert page.locator(".release").is_hidden()


def test_everything_works_from_the_keyboard(open_page, report, facts):
    page = open_page(report)
    row = lonely_row(facts)
    page.locator("#points").focus()
    x, y = place_of(page, row)
    page.keyboard.press("ArrowRight")
    assert place_of(page, row)[0] < x
    page.keyboard.press("ArrowDown")
    assert place_of(page, row)[1] < y
    page.keyboard.press("+")
    assert zoom(page) > 1
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert zoom(page) == 1
    page.keyboard.press("+")
    page.keyboard.press("0")
    assert place_of(page, row) == (x, y)
    bar = page.locator("[data-cluster]").first
    bar.focus()
    page.keyboard.press("Enter")
    assert isolated(page) == int(bar.get_attribute("data-cluster"))
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert isolated(page) == int(
        page.locator("[data-cluster]").nth(1).get_attribute("data-cluster")
    )
    page.keyboard.press("Escape")
    assert isolated(page) is None


def test_wheel_drag_and_buttons_move_the_map(open_page, report, facts):
    page = open_page(report)
    row = lonely_row(facts)
    x, y = place_of(page, row)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -200)
    wait_until(page, "graphpacReport.zoom() > 1.3")
    assert np.allclose(place_of(page, row), (x, y), atol=1)  # what is under the pointer stays
    page.mouse.down()
    page.mouse.move(x + 30, y + 20, steps=4)
    page.mouse.up()
    assert np.allclose(place_of(page, row), (x + 30, y + 20), atol=5)
    assert isolated(page) is None  # a drag is no click
    page.locator('[data-zoom="in"]').click()
    assert zoom(page) > 1.5
    page.locator('[data-zoom="all"]').click()
    assert zoom(page) == 1
    assert np.allclose(place_of(page, row), (x, y), atol=1)


def test_the_page_scrolls_past_a_map_that_cannot_be_made_smaller(open_page, report):
    page = open_page(report)
    box = page.locator("#points").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.wheel(0, 300)
    wait_until(page, "scrollY > 0")


def test_fingers_tap_and_pinch(open_page, report, facts):
    page = open_page(report, **PHONE)
    row = lonely_row(facts)
    x, y = place_of(page, row)
    page.touchscreen.tap(x, y)
    assert page.locator(".tip").is_visible()
    assert isolated(page) is not None
    touch = page.context.new_cdp_session(page)
    for kind, gap in (("touchStart", 40), ("touchMove", 60), ("touchMove", 120), ("touchEnd", 0)):
        points = [] if gap == 0 else [{"x": 190 - gap, "y": y}, {"x": 190 + gap, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert zoom(page) > 2


@pytest.mark.parametrize("options", [PHONE, {"viewport": {"width": 320, "height": 600}}])
def test_a_phone_needs_no_sideways_scrolling(open_page, report, evil_report, options):
    for path in (report, evil_report):
        page = open_page(path, **options)
        page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]


def test_the_dark_page_is_dark(open_page, report):
    page = open_page(report)
    light = picture(page)
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(244, 246, 249)"
    page.emulate_media(color_scheme="dark")
    wait_until(page, f"{ground} === 'rgb(13, 17, 23)'")
    dark = picture(page)
    assert np.median(light) > 250
    assert np.median(dark) < 40


def test_paper_shows_everything_on_white(open_page, report):
    page = open_page(report, color_scheme="dark")
    page.emulate_media(media="print")
    wait_until(page, "'paper' in document.documentElement.dataset")
    assert np.median(picture(page)) > 250
    assert page.locator("details:not([open])").count() == 0
    for hidden in (".buttons", "nav", ".chooser"):
        assert page.locator(hidden).is_hidden()
    page.emulate_media(media="screen")
    wait_until(page, "!('paper' in document.documentElement.dataset)")
    assert page.locator("details:not([open])").count() == 9


def test_it_prints(open_page, report):
    page = open_page(report)
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert page.locator("details:not([open])").count() == 9


def test_what_rows_say_stays_text(open_page, evil_report, facts):
    page = open_page(evil_report)
    assert page.evaluate("document.scripts.length") == 2
    assert page.locator("img").count() == 0
    # Ids that begin with a whole script stand on the page and in the tip as they are.
    rows = [row for row in facts.map_rows.tolist() if row % len(EVIL) == 0]
    for row in rows:
        page.mouse.move(*place_of(page, row))
        shown = page.locator(".tip .id").text_content()
        if shown == f"{EVIL[0]}{row}":
            break
    else:
        pytest.fail("no row shows its own id")
    assert page.locator("details .text").first.text_content()


def test_everything_to_press_has_a_name(open_page, report):
    page = open_page(report)
    names = page.evaluate(
        "[...document.querySelectorAll('button, select, canvas, svg, img')].map(element =>"
        " element.ariaLabel || element.alt || element.labels?.[0]?.textContent ||"
        " element.textContent.trim())"
    )
    assert all(names)
