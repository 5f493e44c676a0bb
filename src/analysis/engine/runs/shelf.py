"""The files of finished and failed reports: put there whole, taken away again."""

from collections.abc import Collection
from typing import Any

from analysis.core.contents import sha256, write_whole
from analysis.engine.runs.failures import Failure
from analysis.engine.runs.files import file_sha256, pretty, remove_leftovers
from analysis.engine.runs.freshness import seal
from analysis.engine.runs.places import Places


def publish(stated: dict[str, Any], html: str, picture: str | None, places: Places) -> None:
    """Put a finished report in its place: the record last, because it vouches for the other files."""
    report = stated["report"]
    stated = stated | {"html_sha256": sha256(html)}
    if picture:
        write_whole(places.pictures / f"{report}.svg", picture)
    write_whole(places.reports / f"{report}.html", html)
    write_whole(places.reports / f"{report}.json", pretty(stated | {"seal": seal(stated)}))
    forget(report, places)


def publish_index(html: str, places: Places) -> None:
    """Write the index of a folder of reports where it differs from what is there."""
    if file_sha256(places.reports / "index.html") != sha256(html):
        write_whole(places.reports / "index.html", html)


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
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(places.failed.glob("*.txt"))}


def tidy(places: Places, reports: Collection[str]) -> None:
    """Remove half-written files that a killed build left aside, and failures of what is none of `reports`."""
    for gone in failed(places).keys() - set(reports):
        forget(gone, places)
    for folder in (places.reports, places.pictures, places.failed):
        remove_leftovers(folder)
