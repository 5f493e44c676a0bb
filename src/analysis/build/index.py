"""Write reports/index.html, and the pages that list the reports of one run file, from the records of the reports."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from analysis import paths
from analysis.build import records as stored
from analysis.build import runs
from analysis.build.sanitize import POLICY, TEMPLATES, style

GROUPS = {"answers": "Four answers", "decisions": "Decisions", "evidence": "Evidence", "": "More reports"}
OWN = "yours"  # the group of notebooks that wait for a reader's own data
FRONT = "matrix"  # the name of the figure that the front page shows


def write() -> None:
    """Write the index and a page per run file that makes several reports, where they changed."""
    found, _ = runs.find()
    records = [record for name in found if (record := stored.read(name)) and _page(name).exists()]
    failed = {path.name.removesuffix(".failed.ipynb") for path in paths.REPORTS.glob("*.failed.ipynb")}
    for record in records:
        record |= {"failed": record["name"] in failed, "href": quote(f"{record['name']}.html")}
    sweeps: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        if record["sweep"]:
            sweeps.setdefault(record["sweep"], []).append(record)
    for name, several in sweeps.items():
        _write(name, "sweep", records=several, title=several[0]["title"], varied=_varied(several))
    _write("index", "index", **front(records, sweeps), failed=sorted(failed & {*found}))


def front(records: list[dict[str, Any]], sweeps: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return what the front page shows: groups of cards, links to pages that wait for data, and the first figure."""
    own = {record["name"]: record for record in records if record["name"] == record["notebook"]}
    for record in records:
        home = own.get(record["notebook"])
        if home and record is not home:
            page, label = record["sweep"] or record["name"], record["sweep"] or record["subtitle"] or record["name"]
            home.setdefault("runs", {})[quote(f"{page}.html")] = label
        elif not home:
            own.setdefault(record["sweep"] or record["name"], record)
    cards = [each for each in own.values() if not each["no_data"] and (each["headline"] or each["live"])]
    cards.sort(key=lambda each: (each["group"].get("order", 99), each["name"]))
    names = {each["group"].get("group", "") for each in cards}
    groups = {
        group: [each for each in cards if each["group"].get("group", "") == group]
        for group in [*GROUPS, *sorted(names - {*GROUPS, OWN})]
    }
    links = [each for each in own.values() if each["group"].get("group") == OWN]
    return {
        "groups": {GROUPS.get(name, name): several for name, several in groups.items() if several},
        "links": links,
        "figure": _figure(records),
    }


def _figure(records: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the figure of the front page, cut out of the page that has it, and a link to that page."""
    for record in records:
        if any(each.get("name") == FRONT for each in record["figures"]) and not record["sweep"]:
            text = _page(record["name"]).read_text(encoding="utf-8", errors="replace")
            found = re.search(rf'<figure id="{FRONT}">(.*?</div>)', text, re.DOTALL)
            if found:
                return {"html": Markup(found[1]), "href": f"{record['href']}#{FRONT}", "record": record}
    return None


def _varied(records: list[dict[str, Any]]) -> list[str]:
    """Return the parameters in which the reports of a run file differ."""
    return [
        name for name in records[0]["parameters"] if len({repr(each["parameters"].get(name)) for each in records}) > 1
    ]


def _page(name: str) -> Any:
    return paths.REPORTS / f"{name}.html"


def _write(name: str, template: str, **values: Any) -> None:
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    html = environment.get_template(f"{template}.html.j2").render(values, policy=POLICY, style=style())
    target = _page(name)
    if not target.exists() or target.read_text(encoding="utf-8", errors="replace") != html:
        stored.write(target, html)
