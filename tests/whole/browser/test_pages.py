"""What a reader meets: pages that load alone and fit, accessible in light and dark, valid HTML, print, contents."""

import csv
import json
import re
import shutil
import subprocess
from base64 import b64decode
from pathlib import Path

import pytest
from playwright.sync_api import expect

REPORTS = ["accelerator_choice", "generational_speedup", "interactivity", "my_deployment", "official_record",
           "overview", "power_efficiency", "price_performance", "progress", "quantization_tradeoffs",
           "real_world_derating", "scaling", "source_audit", "index"]  # fmt: skip
MOST_BYTES = 1_500_000
LIVE, MOST_LIVE_BYTES = "explorer.html", 3_000_000  # it holds the record itself
SCRIPTED = ["explorer", "index"]  # all others are the same page where no script runs
NARROW, WIDE = 400, 1440
SIZES = [(NARROW, "light"), (WIDE, "light"), (WIDE, "dark")]  # colors are the same in all widths
# A drawing is one image to whoever does not see it, so that no rule looks into it as long as nothing in it can be
# reached; its thousands of paths would take most time.
REACHED = """() => {
    const inner = [...document.querySelectorAll('svg[role=img] *')]
    const reached = inner.filter(e => e.matches('a, foreignObject, text, [tabindex], [role], [aria-label], [onclick]'))
    if (!reached.length) inner.filter(e => e.tagName !== 'title').forEach(e => e.remove())
    return reached.map(e => e.outerHTML.slice(0, 80))
}"""
# Of table rows, list items and words of code that stand side by side and differ in letters and digits alone, one stays:
# whatever a rule says of it, it says of the others. Names that are given beside the words, and ids, are differences,
# and so is how they look in any size and scheme. Lengths are told apart as far as axe does: it does not judge the
# contrast of a single character, nor of mere signs.
LOOK = """() => {
    const looks = ['color', 'backgroundColor', 'backgroundImage', 'opacity', 'fontSize', 'fontWeight', 'textShadow',
                   'textDecorationLine', 'display', 'visibility', 'position']
    const words = text => `${Math.min(text.trim().length, 2)}${/[\\p{L}\\p{N}]/u.test(text)}`
    const look = e => {
        const style = getComputedStyle(e), own = [...e.attributes].map(a => `${a.name}=${a.value}`)
        const inner = [...e.childNodes].filter(c => c.tagName || c.nodeType === Node.TEXT_NODE)
            .map(c => c.tagName ? look(c) : words(c.data))
        return JSON.stringify([e.tagName, own, looks.map(name => style[name]), inner])
    }
    window.seen ??= new Map()
    for (const e of document.querySelectorAll('tbody tr, li, .highlight span'))
        if (!e.matches('[id]') && !e.querySelector('[id]')) seen.set(e, (seen.get(e) ?? '') + look(e))
}"""
KEEP_ONE = """() => {
    const kept = new Map()
    for (const [e, look] of seen) {
        if (!kept.has(e.parentElement)) kept.set(e.parentElement, new Set())
        const looks = kept.get(e.parentElement)
        if (looks.has(look)) e.remove()
        looks.add(look)
    }
}"""
OVERFLOWING = """() => {
    const width = document.documentElement.clientWidth
    const clipped = e => { for (let a = e.parentElement; a; a = a.parentElement)
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(a).overflowX)) return true
        return false }
    return [...document.querySelectorAll('body *')]
        .filter(e => e.getBoundingClientRect().width && e.getBoundingClientRect().right > width + 1 && !clipped(e))
        .map(e => e.tagName + '.' + e.className)
}"""
WHOLE = "images => images.every(i => i.complete && i.naturalWidth > 0 && i.alt)"
LOST = "links => links.map(l => l.hash.slice(1)).filter(id => !document.getElementById(decodeURIComponent(id)))"
SIZED = ["scrollable-region-focusable"]  # the rules that ask how much room something takes: there is least on a phone
NAMED = ["svg-img-alt", "role-img-alt", "image-alt"]  # of the drawings, which a phone is shown as other elements
UNFOLD = "document.querySelectorAll('details').forEach(each => each.open = true)"
BEYOND = """() => { const box = document.querySelector('svg').getBoundingClientRect()
    return [...document.querySelectorAll('[id^=text_]')].filter(t => { const r = t.getBoundingClientRect()
        return r.width && (r.left < box.left - 2 || r.right > box.right + 2 || r.top < box.top - 2
                           || r.bottom > box.bottom + 2) }).map(t => t.outerHTML.slice(0, 80)) }"""
A4 = {"format": "A4", "margin": {side: "15mm" for side in ("top", "bottom", "left", "right")}}
MARK_FIGURES = """() => document.querySelectorAll('.canvas').forEach((canvas, n) => {
    canvas.style.position = 'relative'
    for (const [end, place] of [['first', 'top: 0'], ['last', 'bottom: 0']])
        canvas.insertAdjacentHTML('beforeend', `<b style="position:absolute;${place}">figure${n}${end}</b>`)
})"""


def opened(tab, places, report, width=1440, scheme="light"):
    """A report's page in a tab of this width and scheme."""
    page = tab({"width": width, "height": 900}, scheme)
    page.goto((places.reports / f"{report}.html").as_uri())
    return page


def sized(page, width, scheme):
    """The page in a window of this width and in this scheme."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    return page


@pytest.mark.parametrize("report", [*REPORTS, "endpoints"])
def test_a_page_loads_alone_and_keeps_nobody_out(built, endpoints_pages, tab, watched, faults, report):
    page = watched(tab())
    folder = endpoints_pages if report == "endpoints" else built[0].reports  # the project's own has no data
    page.goto((folder / f"{report}.html").as_uri())
    for width, scheme in SIZES:
        assert sized(page, width, scheme).evaluate(OVERFLOWING) == [], (width, scheme)
        assert page.locator("img").evaluate_all(WHOLE), (width, scheme)
    assert page.locator("h1").count() == 1
    assert (page.locator("script, noscript").count() > 0) == (report in SCRIPTED)
    assert page.locator("a[href^='#']").evaluate_all(LOST) == []
    page.evaluate(UNFOLD)
    assert page.evaluate(REACHED) == []
    for width, scheme in SIZES:
        sized(page, width, scheme).evaluate(LOOK)
    assert faults(sized(page, NARROW, "light"), only=SIZED) == []
    page.evaluate(KEEP_ONE)
    for width, scheme in SIZES:
        sized(page, width, scheme)
        assert faults(page, scheme, only=NAMED if (width, scheme) == (WIDE, "light") else ()) == [], (width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, scheme)


@pytest.mark.parametrize("report", SCRIPTED)
def test_a_page_with_a_script_fits_in_whatever_size_it_is_loaded_and_without_it(built, tab, watched, drawn, report):
    """A script may set its page up by the size; what is shown until it has come fits too."""
    address, page = (built[0].reports / f"{report}.html").as_uri(), watched(tab())
    for width in (WIDE, NARROW):
        sized(page, width, "dark").goto(address)
        drawn(page)
        assert page.evaluate(OVERFLOWING) == [], width
    still = tab({"width": NARROW, "height": 900}, java_script_enabled=False)
    still.goto(address)
    assert still.evaluate(OVERFLOWING) == []


def test_html_is_valid(built, npm_packages, tmp_path):
    """Of each notebook the page of its own parameters, and each page of a choice that leaves nothing."""
    rules = Path(__file__).with_name(".htmlvalidate.json")
    own = {path.stem for path in built[0].notebooks.glob("*.ipynb")} | {"index"}
    pages = [path for path in sorted(built[0].reports.glob("*.html")) if path.stem in own or "_nothing" in path.stem]
    assert {path.stem for path in pages} > {*REPORTS, "power_nothing"}
    out = tmp_path / "faults.json"  # a pipe is cut off where node ends before it is read
    with out.open("wb") as file:
        program = str(npm_packages / ".bin" / "html-validate")
        command = ["node", program, "--config", str(rules), "-f", "json", *pages]
        status = subprocess.run(command, stdout=file, timeout=300, check=False).returncode
    found = json.loads(out.read_text("utf-8"))
    faults = [
        f"{Path(each['filePath']).name}, line {m['line']}: {m['message']}" for each in found for m in each["messages"]
    ]
    assert faults == [] and status == 0


def test_no_page_is_heavy(built):
    """The index has a picture of each report, so its weight is counted by them."""
    sizes = {path.name: path.stat().st_size for path in built[0].reports.glob("*.html")}
    sizes["index.html"] = sizes["index.html"] * 15 // len(sizes)
    assert sizes.pop(LIVE) < MOST_LIVE_BYTES
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES} == {}


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_pictures_are_taken_to_be_looked_at(built, tab, screenshots, width, scheme):
    page = tab()
    for report in REPORTS:
        sized(page, width, scheme).goto((built[0].reports / f"{report}.html").as_uri())
        page.screenshot(path=screenshots / f"{report}-{scheme}-{width}.png", full_page=True)
        if (width, scheme) == SIZES[-1]:
            page.emulate_media(color_scheme="light")
            page.pdf(path=screenshots / f"{report}.pdf", **A4)


@pytest.mark.parametrize("report", REPORTS[:-1])
def test_tables_fit_and_each_figure_has_alt_text_a_source_line_and_its_numbers(built, tab, report):
    page = opened(tab, built[0], report)
    wide = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.trim().slice(0, 60))"
    assert page.locator(".scroll").evaluate_all(wide) == []
    heads = page.locator(".scroll th").evaluate_all("all => all.filter(h => !h.scope).map(h => h.textContent)")
    assert heads == []
    page.evaluate("document.querySelectorAll('details.section').forEach(each => each.open = true)")
    for figure in page.locator("figure").all():
        drawn, small = figure.locator("svg[role=img]"), figure.locator(".narrow img")
        assert drawn.get_attribute("aria-label") == small.get_attribute("alt")
        assert any(character.isdigit() for character in small.get_attribute("alt"))
        assert figure.locator("details:has-text('Sources') p").text_content().startswith("Sources: ")
        rows = figure.locator("details.table tbody tr").count()
        taken = b64decode(figure.locator("a[download]").get_attribute("href").partition(",")[2])
        lines = list(csv.reader(taken.decode().splitlines()))
        assert len(lines) == rows + 1 > 1 and len({len(line) for line in lines}) == 1
        figure.locator("a", has_text="Link").click()
        assert page.url.endswith(f"#{figure.get_attribute('id')}")
    assert page.locator("figure").count() > 0


@pytest.mark.parametrize("report", REPORTS[:-1])
def test_figures_are_legible_and_whole_on_a_phone(built, tab, report):
    """Drawn for it: no text smaller than 9 CSS pixels, none beyond the drawing's edge, nothing to scroll sideways."""
    page = opened(tab, built[0], report, 400)
    assert page.locator(".drawing.wide:visible").count() == 0
    page.evaluate(UNFOLD)
    drawings = page.locator(".drawing.narrow img").evaluate_all("all => all.map(i => [i.width, i.src])")
    assert drawings and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    drawn = tab(page.viewport_size)
    for width, source in drawings:
        svg = b64decode(source.partition(",")[2]).decode()
        drawn.set_content(svg[svg.index("<svg") :])
        across = float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])
        sizes = [100 * float(scale) for scale in re.findall(r"scale\(([\d.]+) -", svg)]
        assert min(sizes) * width / across > 9
        assert drawn.evaluate(BEYOND) == []


def test_contents_lead_to_their_headings(built, tab):
    page = opened(tab, built[0], REPORTS[1])
    links = page.locator("nav a")
    assert links.count() > 3
    for link in links.all():
        link.click()
        heading = page.locator(f"[id='{link.get_attribute('href')[1:]}']")
        assert heading.evaluate(
            "e => { const top = e.getBoundingClientRect().top; return top > -1 && top < innerHeight }"
        )
        assert heading.inner_text() == link.inner_text()


def test_the_keyboard_skips_to_the_report_and_sees_where_it_is(built, tab):
    for report in (REPORTS[0], "index"):
        page = opened(tab, built[0], report)
        page.keyboard.press("Tab")
        skip = page.locator("a.skip")
        expect(skip).to_be_focused()
        assert skip.bounding_box()["x"] >= 0
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()
        page.keyboard.press("Tab")
        assert page.evaluate("() => getComputedStyle(document.activeElement).outlineWidth") == "3px"


def test_code_is_folded_away_at_the_page_s_end(built, tab):
    page = opened(tab, built[0], REPORTS[0])
    assert page.locator(".highlight:visible").count() == 0
    page.locator("summary:has(#code)").click()
    assert page.locator(".highlight:visible").count() == page.locator(".highlight").count() > 10


def test_a_mark_says_what_it_is_when_it_is_pointed_at(built, tab):
    page = opened(tab, built[0], REPORTS[0])
    figure = page.locator("figure").first
    told = figure.locator("svg g > title").evaluate_all("all => all.map(e => e.textContent)")
    marks = figure.locator("details.table tbody tr").count()
    assert len(told) >= marks > 1 and all(" \u00b7 " in text and "MLPerf" not in text for text in told)


def test_dark_figures_stand_on_dark_ground(built, tab):
    """The drawing's own ground is that of the box around it."""
    grounds = {}
    for scheme in ("light", "dark"):
        page = opened(tab, built[0], REPORTS[0], 1440, scheme)
        box = page.locator(".canvas").first.evaluate("e => getComputedStyle(e).backgroundColor")
        assert page.locator(".canvas svg path").first.evaluate("e => getComputedStyle(e).fill") == box
        grounds[scheme] = box
    assert grounds["light"] != grounds["dark"]


@pytest.mark.parametrize("report", ["accelerator_choice", "interactivity", "power_efficiency", "scaling"])
def test_no_figure_is_cut_by_a_page_s_end(built, tab, tmp_path, report):
    """Nor is one of a closed fold printed; in the dark scheme, which one style sheet has for all, neither."""
    if not shutil.which("pdftotext"):
        pytest.skip("no pdftotext (poppler-utils) on this machine: print is not tested")
    page = opened(tab, built[0], report)
    page.evaluate(MARK_FIGURES)
    is_open = page.locator(".canvas").evaluate_all("all => all.map(e => !e.closest('details:not([open])'))")
    for scheme in ("light", "dark") if report == REPORTS[0] else ("light",):
        page.emulate_media(color_scheme=scheme)
        page.pdf(path=tmp_path / "marked.pdf", **A4)
        command = ["pdftotext", tmp_path / "marked.pdf", "-"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        places = [
            [number for number, sheet in enumerate(text.split("\f")) if f"figure{n}{end}" in sheet]
            for n in range(len(is_open))
            for end in ("first", "last")
        ]
        assert any(is_open) and places[::2] == places[1::2], scheme
        assert [len(each) for each in places[::2]] == list(map(int, is_open)), scheme
