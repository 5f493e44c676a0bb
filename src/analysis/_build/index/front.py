"""reports/index.html, from the records of the reports and the failures remembered."""

import html
import re
from base64 import b64encode
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from analysis._core.file_contents import write_changed
from analysis._build.page.markup import parsed, without_styles
from analysis._build.page.templates import fill
from analysis._build.runs import freshness, runfiles, output_files
from analysis._build.runs.folders import Places

TITLE = re.compile(r"<title>(.*?)</title>")
SECTIONS = ("Choose", "Serve", "Evidence")  # of run files, in the order of the page; others follow


def write(places: Places) -> None:
    """Write the index where it differs from what is there."""
    write_changed(places.reports / "index.html", render(places))


def render(places: Places) -> str:
    """The index as HTML: what reports put on the front, cards of the others by section, and what failed last.

    A live page is linked from the head. A report with something on the front gives its answer there instead of a card;
    of several reports of one notebook only the one of its name.
    """
    files = runfiles.run_files(places)
    failed = {report: text for report, text in output_files.failed(places).items() if report in files}
    stated = [own for report in files if (own := _stated(report, places))]
    stated.sort(key=lambda own: (own["notebook"], own["report"] != own["notebook"], own["report"]))
    ahead = [own for own in stated if own["front"] and own["report"] == own["notebook"]]
    leads = [_lead(own) | {"image": _image(own, places)} for own in ahead]
    live = [own for own in stated if own["live"]]
    cards = [own | {"image": _image(own, places)} for own in stated if own not in [*ahead, *live]]
    sortable = any(piece["table"] for lead in leads for piece in lead["pieces"])
    styles = "\n".join(dict.fromkeys(sheet for lead in leads for sheet in lead["styles"]))
    return fill(
        "list", scripts=("sort.js",) if sortable else (), leads=leads, live=live, styles=styles,
        sections=_sections(cards), failed=failed, sweeps=_sweeps(places),
    )  # fmt: skip


def _lead(stated: dict[str, Any]) -> dict[str, Any]:
    """A record with its `pieces` for the front, the headings of those with `tables`, and the `styles` they need."""
    styles: dict[str, None] = {}
    pieces = []
    for piece in stated["front"]:
        markup, sheets = without_styles(piece["html"])
        styles |= dict.fromkeys(sheets)
        pieces.append(piece | {"html": markup, "table": parsed(markup).has("table")})
    with_table = {piece["heading"] for piece in pieces if piece["table"]}
    return stated | {"pieces": pieces, "tables": with_table, "styles": list(styles)}


def _sections(cards: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The cards by section: those of SECTIONS first, reports without one last, and in each those without a value."""
    by_section: dict[str, list[dict[str, Any]]] = {name: [] for name in SECTIONS}
    for card in sorted(cards, key=lambda own: (not own["section"], _without_value(own))):
        by_section.setdefault(card["section"], []).append(card)
    return {name: own for name, own in by_section.items() if own}


def _without_value(stated: dict[str, Any]) -> bool:
    """Whether all findings of a report say that there are no data."""
    return bool(stated["findings"]) and all(each["low"] is None for each in stated["findings"])


def _sweeps(places: Places) -> list[dict[str, Any]]:
    """The sweeps that have a page, each with its title and how many of its reports are there and failed.

    A sweep file from elsewhere is not among those of notebooks/sweeps, so the pages decide: those with a title, beside
    a report or a failure of a build. Other folders that somebody put there are theirs.
    """
    sweeps = []
    for page in sorted(places.reports.glob("*/index.html")):
        folder = page.parent
        with_pages = (path for path in folder.glob("*.json") if path.with_suffix(".html").exists())
        reports = [path for path in with_pages if output_files.is_record(path)]
        title = TITLE.search(page.read_text(encoding="utf-8", errors="replace"))
        failed = len(list((folder / ".failed").glob("*.txt")))
        if title and (reports or failed):
            own = {"name": folder.name, "title": html.unescape(title[1])}
            sweeps.append(own | {"reports": len(reports), "failed": failed})
    return sweeps


def _stated(report: str, places: Places) -> dict[str, Any] | None:
    """The record of a report that has a page."""
    stated = freshness.read_record(report, places)
    return stated if stated and (places.reports / f"{report}.html").exists() else None


def _image(stated: dict[str, Any], places: Places) -> str | None:
    """The picture of a report's card as base64, None where it has none."""
    drawing = places.pictures / f"{stated['report']}.svg"
    if not stated["picture"] or not drawing.exists():
        return None
    return b64encode(drawing.read_bytes()).decode()
