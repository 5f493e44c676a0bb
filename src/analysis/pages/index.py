"""Write reports/index.html, and the pages that list the reports of one run file, from the records of the reports."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from analysis import paths
from analysis.names import listed
from analysis.pages import records as stored
from analysis.pages import runs
from analysis.pages.records import Record
from analysis.pages.sanitize import POLICY, TEMPLATES, style

GROUPS = {"answers": "Four answers", "decisions": "Decisions", "evidence": "Evidence", "": "More reports"}
OWN = "yours"  # the group of notebooks that wait for a reader's own data
FRONT = "matrix"  # the name of the figure that the front page shows


def write_index(force: bool) -> dict[str, str]:
    """Write the index and a page per run file that makes several reports; print which reports have lost their source.

    Return by name why a page was not written: a user made it, and only `force` replaces it.
    """
    found, wrong = runs.find()
    failed = {path.name.removesuffix(".failed.ipynb") for path in paths.REPORTS.glob("*.failed.ipynb")}
    records = [record for name in found if (record := stored.read(name)) and _page(name).exists()]
    pages: dict[str, list[Record]] = {}
    for record in records:
        pages.setdefault(record["sweep"] or record["name"], []).append(record)
    sweeps = {name: several for name, several in pages.items() if several[0]["sweep"]}
    kept = {} if force else {name: why for name in ["index", *sweeps] if (why := stored.in_the_way(name))}
    for name in sweeps.keys() - kept.keys():
        _write(name, "sweep", records=sweeps[name])
    firsts = {name: several[0] for name, several in pages.items()}
    named = {"titles": GROUPS, "own": OWN, "groups": _groups(firsts), "pages": firsts}
    if "index" not in kept:
        _write("index", "index", **named, figure=_figure(records), failed=sorted(failed & {*found} | {*wrong}))
    made = failed | {path.stem for path in paths.REPORTS.glob("*.json") if stored.read(path.stem)}
    if gone := sorted(name for name in made - {*found} if not name.startswith(tuple(wrong))):
        print(
            f"in reports/ without a notebook or run file: {listed(gone)}; make clean removes these pages",
            flush=True,
        )
    return kept


def _groups(pages: dict[str, Record]) -> dict[str, list[Record]]:
    """Return the records that get a card on the front page, by group and in order; run files share their notebook's."""
    groups: dict[str, list[Record]] = {name: [] for name in GROUPS}
    for record in sorted(pages.values(), key=lambda record: (record["group"].get("order", math.inf), record["name"])):
        group = record["group"].get("group", "")
        answers = not record["no_data"] and (record["headline"] or record["live"])
        if pages.get(record["notebook"], record) is record and (answers or group == OWN):
            groups.setdefault(group, []).append(record)
    return groups


def _figure(records: list[Record]) -> tuple[Record, Markup] | None:
    """Return the record of the page that has the figure of the front page, and the figure, cut out of that page."""
    for record in records:
        if any(each.get("name") == FRONT for each in record["figures"]) and not record["sweep"]:
            text = _page(record["name"]).read_text(encoding="utf-8", errors="replace")
            if found := re.search(rf'<figure id="{FRONT}">(.*?<div class="canvas".*?</div>)', text, re.DOTALL):
                return record, Markup(found[1])
    return None


def _page(name: str) -> Path:
    return paths.REPORTS / f"{name}.html"


def _write(name: str, template: str, **values: Any) -> None:
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    html = environment.get_template(f"{template}.html.j2").render(values, policy=POLICY, style=style())
    stored.write(_page(name), html)
