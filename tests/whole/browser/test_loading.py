"""The real pages in a real browser: nothing is fetched, nothing complains, nothing overflows."""

from itertools import product

import pytest

from analysis._core.paths import ROOT

REPORTS = [*sorted(run.stem for run in (ROOT / "notebooks" / "runs").glob("*.yml")), "index"]
SCRIPTED = ["explorer", "index"]  # all others are the same page where no script runs
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


@pytest.mark.parametrize("report", REPORTS)
def test_page_loads_alone_and_fits(built, tab, watched, drawn, report):
    """In two widths and both schemes; a page with a script may set itself up by them, and is loaded for each."""
    page, loaded = watched(tab()), False
    for width, scheme in product((1440, 400), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        if not loaded or report in SCRIPTED:
            page.goto((built[0].reports / f"{report}.html").as_uri())
            drawn(page)
            loaded = True
        assert page.evaluate(OVERFLOWING) == [], (width, scheme)
        assert page.locator("img").evaluate_all(WHOLE), (width, scheme)
    assert page.locator("h1").count() == 1
    assert (page.locator("script, noscript").count() > 0) == (report in SCRIPTED)
    lost = page.locator("a[href^='#']").evaluate_all(
        "links => links.map(l => l.hash.slice(1)).filter(id => !document.getElementById(decodeURIComponent(id)))"
    )
    assert lost == []


@pytest.mark.parametrize("report", SCRIPTED)
def test_page_fits_where_no_script_runs(built, tab, report):
    """So does a page whose script has not come yet: what it shows until then fits too."""
    page = tab({"width": 400, "height": 900}, java_script_enabled=False)
    page.goto((built[0].reports / f"{report}.html").as_uri())
    assert page.evaluate(OVERFLOWING) == []
