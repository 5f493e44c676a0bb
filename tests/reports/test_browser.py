"""What a reader meets: each page in a browser, on a desk and on a phone, in light and dark, by axe and on paper."""

import csv
import json
import re
from base64 import b64decode
from urllib.parse import unquote
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest

from tests.reports.plain import shipped

REPORTS = shipped()
MOST_BYTES = {"explorer": 3_000_000}
OVERFLOWING = """() => { const width = document.documentElement.clientWidth
    const clipped = e => { for (let a = e.parentElement; a; a = a.parentElement)
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(a).overflowX)) return true
        return false }
    return [...document.querySelectorAll('body *')]
        .filter(e => e.getBoundingClientRect().width && e.getBoundingClientRect().right > width + 1 && !clipped(e))
        .map(e => e.tagName + '.' + e.className) }"""
WORDS = """() => { const main = document.querySelector('main').cloneNode(true)
    main.querySelectorAll('table, svg, style, script, details.code').forEach(e => e.remove())
    document.body.append(main)
    const words = main.innerText.split(/\\s+/).filter(Boolean).length
    main.remove()
    return words }"""
CONTRAST = """() => { const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => { v /= 255
        return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 }); return .2126 * r + .7152 * g + .0722 * b }
    const ground = light(getComputedStyle(document.documentElement).backgroundColor)
    const words = [...document.querySelectorAll('figure svg g[style*="fill: var("][transform*="scale("]')]
        .filter(word => !/--on-(1f232a|fefefd)/.test(word.getAttribute('style')))  // in a cell of a heat map, turned
    return words.map(word => { const own = light(getComputedStyle(word).fill)
        return (Math.max(own, ground) + .05) / (Math.min(own, ground) + .05) }) }"""


def listed(pages):
    """The pages that there are, by name."""
    return {path.stem: path for path in sorted(pages.glob("*.html"))}


@pytest.fixture
def opened(pages, tab):
    """Open the page of a report, where it makes one."""

    def open_(report, *how):
        return tab(pages / f"{report}.html", *how) if report in listed(pages) else pytest.skip(f"{report}: no page")

    return open_


@pytest.mark.parametrize("report", [*REPORTS, "index"])
def test_a_page_loads_alone_fits_and_keeps_nobody_out(pages, opened, axe, report):
    """One walk, for a page takes long to open: first screen, phone, folds, a dark page, and last axe, which cuts."""
    page = opened(report)
    assert page.locator("h1").count() == 1
    assert page.locator("img").evaluate_all("images => images.every(i => i.complete && i.naturalWidth && i.alt)")
    if report not in ("explorer", "index"):  # whose filters and cards are no text
        assert page.evaluate(WORDS) <= 900
    record = pages / f"{report}.json"
    if record.exists() and (answer := json.loads(record.read_text("utf-8"))["headline"]):
        assert page.locator(".headline").inner_text() == answer["text"]
        assert page.locator(".headline").bounding_box()["y"] < 400
        assert page.locator("pre.source:visible").count() == 0
    figure = page.locator("main figure:has(svg)").first
    has_figure = report != "index" and figure.count() > 0
    if has_figure:
        box = figure.locator(".canvas").first.bounding_box()
        assert box["y"] + box["height"] <= 900
        page.set_viewport_size({"width": 390, "height": 844})
        assert figure.evaluate(
            "figure => [...figure.querySelectorAll('.phone, .canvas')].every(e => e.scrollWidth <= e.clientWidth + 1)"
        )
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    for width in (1440, 400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert page.evaluate(OVERFLOWING) == [], width
    if report != "index":
        page.set_viewport_size({"width": 1440, "height": 900})
        page.emulate_media(color_scheme="dark")
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(13, 17, 23)"
        contrasts = page.evaluate(CONTRAST)  # of words beside marks; those on a mark keep their color, as the mark does
        assert (len(contrasts) > 10 or not has_figure) and min(contrasts, default=21) > 4.5
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 400, "height": 900})
    assert axe(page) == []
    page.emulate_media(color_scheme="dark")
    assert axe(page, "color-contrast") == []


@pytest.mark.parametrize("report", REPORTS)
def test_figures_have_words_and_downloads_hold_rows(opened, report):
    page = opened(report)
    for drawing in page.locator("figure svg[role=img]").all():
        assert re.search(r"\d", drawing.get_attribute("aria-label")), drawing.get_attribute("aria-label")
    for link in page.locator("a[download$='.csv']").all():
        text = b64decode(link.get_attribute("href").partition("base64,")[2]).decode()
        rows = list(csv.reader(text.splitlines()))
        shown = link.locator("xpath=ancestor::section").locator("tbody tr").count()
        assert len(rows) == shown + 1 > 1 and len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_figure_is_saved_as_png_for_a_slide_and_as_svg_in_the_colors_of_print(pages, tab, scheme, tmp_path):
    page = tab(pages / "generational_speedup.html", 1440, scheme)
    actions = page.locator("figure .actions").first
    files = {}
    for kind in ("PNG", "SVG"):
        with page.expect_download() as saved:
            actions.get_by_role("button", name=kind).click()
        assert saved.value.suggested_filename == f"generational_speedup-ladder.{kind.lower()}"
        files[kind] = tmp_path / saved.value.suggested_filename
        saved.value.save_as(files[kind])
    pixels = plt.imread(files["PNG"])
    assert pixels.shape[1] == 1920
    assert (pixels[0, 0] == 1).all()
    dark = (pixels[: pixels.shape[0] // 10, :, :3].max(axis=2) < 0.3).mean()
    assert dark > 0.005, "the title is in it, in ink"
    drawing = ElementTree.parse(files["SVG"]).getroot()
    assert float(drawing.get("width")) == 1920
    assert "fill: #1f2328; fill: var(--ink, #1f2328)" in files["SVG"].read_text("utf-8")


def test_on_a_phone_a_figure_has_its_title_above_and_a_table_keeps_its_first_column(pages, tab):
    page = tab(pages / "generational_speedup.html")
    assert page.locator("figcaption:visible").count() == 0
    page.set_viewport_size({"width": 400, "height": 900})
    assert page.locator("figcaption:visible").count() == page.locator("figure:has(.canvas)").count() > 2
    assert page.locator(".canvas .title:visible").count() == 0
    scroller = page.locator(".table .scroll").first
    scroller.evaluate("box => box.scrollLeft = 200")
    cell = scroller.locator("tbody td").first.bounding_box()
    assert cell["x"] == pytest.approx(scroller.bounding_box()["x"], abs=1)


def test_a_table_fades_where_there_is_more_of_it_and_only_there(pages, tab):
    page = tab(pages / "accelerator_choice.html", 800)
    faded = "(box, side) => +getComputedStyle(box, side).opacity"
    boxes = page.locator(".table .scroll").all()
    for box in boxes:
        across, down = box.evaluate("b => [b.scrollWidth > b.clientWidth, b.scrollHeight > b.clientHeight]")
        assert [box.evaluate(faded, side) for side in ("::before", "::after")] == [across, down]
    assert {box.evaluate(faded, side) for box in boxes for side in ("::before", "::after")} == {0, 1}
    page.evaluate("document.querySelectorAll('.scroll').forEach(box => box.scrollTo(1e5, 1e5))")
    page.wait_for_timeout(100)
    assert [box.evaluate(faded, side) for box in boxes for side in ("::before", "::after")] == [0] * 2 * len(boxes)


@pytest.mark.parametrize("report", ["source_audit", "official_record", "article_claims"])
def test_texts_of_a_table_wrap_before_it_scrolls_on_a_desk(pages, tab, report):
    page = tab(pages / f"{report}.html", 1440)
    page.evaluate("document.querySelectorAll('details.rows').forEach(each => each.open = true)")
    beyond = page.locator(".table .scroll").evaluate_all("boxes => boxes.map(b => b.scrollWidth - b.clientWidth)")
    assert len(beyond) > 1 and max(beyond) <= 0


def test_a_long_table_opens_and_prints_whole(pages, tab):
    page = tab(pages / "source_audit.html")
    table = page.locator(".rows + .scroll > table").last
    folded = table.bounding_box()["height"]
    page.emulate_media(media="print")
    assert table.bounding_box()["height"] > 2 * folded
    page.emulate_media(media="screen")
    page.locator(".rows > summary").last.click()
    assert table.bounding_box()["height"] > 2 * folded


def test_no_page_is_heavy(pages):
    sizes = {name: path.stat().st_size for name, path in listed(pages).items()}
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES.get(name, 1_500_000)} == {}


def test_links_between_pages_lead_somewhere(pages):
    names = {path.name for path in pages.glob("*.html")}
    for path in listed(pages).values():
        text = path.read_text("utf-8")
        links = {unquote(link.partition("#")[0]) for link in re.findall(r'href="([^":]*\.html(?:#[^"]*)?)"', text)}
        assert links <= names, path.name


def test_the_front_page_is_short_on_a_phone_and_has_no_card_without_an_answer(pages, tab):
    page = tab(pages / "index.html", 400)
    assert page.evaluate("document.documentElement.scrollHeight") < 4000
    assert all(text.strip() for text in page.locator(".cards li p").all_inner_texts())


def test_the_keyboard_skips_to_the_report(pages, tab):
    page = tab(pages / "index.html")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("report", REPORTS[:2])
def test_print_leaves_out_what_only_a_screen_can_use(pages, tab, tmp_path, report):
    page = tab(pages / f"{report}.html", 1440, "dark")
    page.emulate_media(media="print")
    assert page.locator("nav:visible, .actions:visible, details.code:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"


def test_tables_print_at_seven_points_within_a_sheet(pages, tab):
    """Wide ones lie across: on letter paper, 279 mm less two margins of 15 mm."""
    wide = "Math.max(0, ...[...document.querySelectorAll('.table table')].map(table => table.scrollWidth))"
    size = "parseFloat(getComputedStyle(cell).fontSize)"
    least = f"Math.min(...[...document.querySelectorAll('.table :is(th, td)')].map(cell => {size}))"
    for report, path in listed(pages).items():
        page = tab(path, round((279.4 - 30) / 25.4 * 96))
        page.emulate_media(media="print")
        if page.locator(".table table").count():
            assert round(page.evaluate(least) * 72 / 96, 3) >= 7, report
            assert page.evaluate(wide) <= (279.4 - 30) / 25.4 * 96 + 1, report
