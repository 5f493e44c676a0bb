"""The files of finished and failed reports: put there whole, taken away again."""

import json
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from analysis._core.file_contents import remove_leftovers, sha256, write_whole
from analysis._build.runs.failures import Failure
from analysis._build.runs.files import file_sha256, pretty
from analysis._build.runs.freshness import seal
from analysis._build.runs.folders import Places

ENDINGS = ("html", "json")  # in the order in which they go: the record vouches for the page


def publish(stated: dict[str, Any], html: str, picture: str | None, places: Places) -> None:
    """Put a finished report in its place: the record last, because it vouches for the other files."""
    report = stated["report"]
    stated = stated | {"html_sha256": sha256(html)}
    if picture:
        write_whole(places.pictures / f"{report}.svg", picture)
    write_whole(places.reports / f"{report}.html", html)
    write_whole(places.reports / f"{report}.json", pretty(stated | {"seal": seal(stated)}))
    forget(report, places)


def remember(failure: Failure, places: Places, notebook: str | None = None) -> None:
    """Keep a failure's words for the index, and the notebook (its text) as far as it ran."""
    forget(failure.report, places)
    write_whole(places.failed / f"{failure.report}.txt", failure.text() + "\n")
    if notebook is not None:
        write_whole(places.failed / f"{failure.report}.ipynb", notebook)


def forget(report: str, places: Places) -> None:
    """Remove what an earlier failure of a report left behind."""
    for ending in ("txt", "ipynb"):
        (places.failed / f"{report}.{ending}").unlink(missing_ok=True)


def failed(places: Places) -> dict[str, str]:
    """The words of each failure that is remembered, by report."""
    words = {}
    for path in sorted(places.failed.glob("*.txt")):
        with suppress(FileNotFoundError):  # Another build has just forgotten it.
            words[path.stem] = path.read_text(encoding="utf-8", errors="replace")
    return words


def is_record(path: Path) -> bool:
    """Whether a file is the record of a report, of whatever version or edited."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and "seal" in content and content.get("report") == path.stem


def tidy(places: Places, reports: Collection[str]) -> None:
    """Remove what is of none of `reports`, pages and failures, and half-written files that killed builds left aside."""
    for gone in failed(places).keys() - set(reports):
        forget(gone, places)
    for gone in {path.stem for path in places.reports.glob("*.json")} - set(reports):
        if is_record(places.reports / f"{gone}.json"):  # Another file that somebody put there is theirs.
            for path in (places.pictures / f"{gone}.svg", *(places.reports / f"{gone}.{each}" for each in ENDINGS)):
                path.unlink(missing_ok=True)
    for folder in (places.reports, places.pictures, places.failed):
        remove_leftovers(folder)
