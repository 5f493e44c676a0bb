"""reports/index.html, from the records of the reports and the failures remembered."""

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from analysis.engine.page import picture
from analysis.engine.page.parameter_words import parameter_help
from analysis.engine.page.templates import fill
from analysis.engine.runs import freshness, runfiles, shelf
from analysis.engine.runs.places import Places

TITLE = re.compile(r"<title>(.*?)</title>")


def write(places: Places) -> None:
    """Write the index where it differs from what is there."""
    shelf.publish_index(render(places), places)


def render(places: Places) -> str:
    """The index as HTML: each report that has a run file, and what failed in the last build."""
    files = runfiles.run_files(places)
    failed = {report: text for report, text in shelf.failed(places).items() if report in files}
    cards = [card for report in files if (card := _card(report, places))]
    cards.sort(key=lambda card: (card["notebook"], card["report"] != card["notebook"], card["report"]))
    shown = {card["report"] for card in cards} | set(failed)
    waiting = _waiting([path for report, path in files.items() if report not in shown], places)
    return fill("list", cards=cards, failed=failed, waiting=waiting, sweeps=_sweeps(places))


def _waiting(paths: Iterable[Path], places: Places) -> list[str]:
    """The titles of reports that are not there because data that they need are not."""
    titles = []
    for path in paths:
        with suppress(runfiles.RunFileError):  # Its own build says what is wrong with it.
            run = runfiles.read_run(path, places)
            titles += [run.title or run.report] if runfiles.missing(run, places) else []
    return titles


def _sweeps(places: Places) -> list[dict[str, Any]]:
    """The sweeps that have a page, each with its title and how many of its reports are there and failed.

    A sweep file from elsewhere is not among those of notebooks/sweeps, so the pages decide.
    """
    sweeps = []
    for page in sorted(places.reports.glob("*/index.html")):
        folder = page.parent
        reports = [path for path in folder.glob("*.json") if path.with_suffix(".html").exists()]
        title = html.unescape(TITLE.search(page.read_text(encoding="utf-8"))[1])
        failed = len(list((folder / ".failed").glob("*.txt")))
        sweeps.append({"name": folder.name, "title": title, "reports": len(reports), "failed": failed})
    return sweeps


def _card(report: str, places: Places) -> dict[str, Any] | None:
    stated = freshness.read_record(report, places)
    if stated is None or not (places.reports / f"{report}.html").exists():
        return None
    drawing = places.pictures / f"{report}.svg"
    shown = stated["picture"] and drawing.exists()
    help_ = _help(places.notebook(stated["notebook"])) if stated["parameters"] else {}
    return stated | {"image": _encoded(drawing) if shown else None, "help": help_}


def _help(notebook: Path) -> dict[str, str]:
    """What the notebook says of its parameters; nothing where it is gone or cannot be read."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        source = next("".join(c["source"]) for c in cells if "parameters" in c["metadata"].get("tags", []))
        return parameter_help(source)
    except (OSError, ValueError, KeyError, StopIteration, SyntaxError):
        return {}


def _encoded(drawing: Path) -> str:
    return b64encode(picture.small(drawing.read_text(encoding="utf-8")).encode()).decode()
