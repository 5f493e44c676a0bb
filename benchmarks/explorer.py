"""The explorer in Chromium: its size, the time to its first view, and of each filter, typed word and sort."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from analysis._core.paths import REPORTS

PAGE = REPORTS / "explorer.html"
FIRST, REDRAW = "first view (ms)", "redraw (ms), 95th percentile"
# Each choice is made as a click makes it, and counts until the page is laid out again.
CHOICES = """view => {
    const times = [], one = (changes) => {
        const before = performance.now()
        change(changes)
        document.body.offsetHeight
        times.push(performance.now() - before)
    }
    change({ view, chosen: new Map([["division", new Set(["closed"])]]), search: "", sort: "" })
    for (const name of facets)
        for (const value of columns.get(name).values.slice(0, 8))
            one({ chosen: new Map([["division", new Set(["closed"])], [name, new Set([value])]]) })
    one({ chosen: new Map() })
    for (const search of ["g", "gb", "gb300", "nvidia", "tensorrt"]) one({ search })
    const sorts = view === "table" ? ["round", "system", "rate"] : []
    for (const name of sorts) one({ search: "", chosen: new Map(), sort: `${name}:down` })
    return times
}"""


def measured(page_file: Path = PAGE, runs: int = 5) -> dict[str, Any]:
    """Bytes of the page, the median of `runs` first views, and how long redraws of each view take."""
    program = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")))
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        first, page = [], None
        for _ in range(runs):
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            first.append(_first_view(page, page_file))
        names = page.evaluate("Object.keys(about.views)")
        times = {name: sorted(page.evaluate(CHOICES, name)) for name in names}
        browser.close()
    told = {name: round(own[int(0.95 * (len(own) - 1))], 1) for name, own in times.items()}
    every = sorted(time for own in times.values() for time in own)
    return {
        "bytes": page_file.stat().st_size,
        FIRST: round(statistics.median(first)),
        REDRAW: round(every[int(0.95 * (len(every) - 1))], 1),
        "by view": told,
        "redraws": len(every),
    }


def _first_view(page: Page, page_file: Path) -> float:
    page.goto(page_file.as_uri())
    page.locator("body[data-ready=all]").wait_for()
    return page.evaluate("performance.getEntriesByName('first view')[0].startTime")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="times that the page is opened")
    print(json.dumps(measured(runs=parser.parse_args().runs), indent=1))


if __name__ == "__main__":
    main()
