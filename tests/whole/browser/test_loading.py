"""The real pages in a real browser: nothing is fetched, nothing complains, nothing overflows."""

import pytest
from playwright.sync_api import Browser

from analysis.engine.reports import Outcome
from analysis.engine.runs.places import Places

Built = tuple[Places, Outcome, list[str]]
REPORTS = ["explorer", "generational_speedup", "my_deployment", "official_record", "power_efficiency",
           "price_performance", "quantization_tradeoffs", "real_world_derating", "source_audit", "index"]  # fmt: skip
OVERFLOWING = """() => {
    const width = document.documentElement.clientWidth
    const clipped = e => { for (let a = e.parentElement; a; a = a.parentElement)
        if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(a).overflowX)) return true
        return false }
    return [...document.querySelectorAll('body *')]
        .filter(e => e.getBoundingClientRect().width && e.getBoundingClientRect().right > width + 1 && !clipped(e))
        .map(e => e.tagName + '.' + e.className)
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1440])
@pytest.mark.parametrize("report", REPORTS)
def test_page_loads_alone_and_fits(built: Built, chromium: Browser, report: str, width: int, scheme: str) -> None:
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, requested, complaints = context.new_page(), [], []
    page.on("request", lambda request: requested.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    address = (built[0].reports / f"{report}.html").as_uri()
    page.goto(address)
    assert [url for url in requested if not url.startswith("data:")] == [address]
    assert complaints == []
    assert page.evaluate(OVERFLOWING) == []
    assert page.locator("h1").count() == 1
    assert page.locator("img").evaluate_all("images => images.every(i => i.complete && i.naturalWidth > 0 && i.alt)")
    context.close()


@pytest.mark.parametrize("report", REPORTS)
def test_links_within_the_page_land(built: Built, chromium: Browser, report: str) -> None:
    page = chromium.new_page()
    page.goto((built[0].reports / f"{report}.html").as_uri())
    lost = page.locator("a[href^='#']").evaluate_all(
        "links => links.map(l => l.hash.slice(1)).filter(id => !document.getElementById(decodeURIComponent(id)))"
    )
    assert lost == []
    page.close()
