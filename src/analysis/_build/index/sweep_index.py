"""reports/<sweep>/index.html: a row per point, to be filtered and sorted by parameters and findings."""

from collections import Counter
from decimal import Decimal
from typing import Any

from analysis._core.file_contents import write_changed
from analysis._build.page import record
from analysis._build.page.templates import fill
from analysis._build.runs import freshness, output_files
from analysis._build.runs.folders import Places
from analysis._build.runs.sweepfiles import Point, Sweep, value_name

DIGITS = 4  # significant digits of a finding in the index; its report and the table have all


def write(sweep: Sweep, places: Places) -> None:
    """Write the index where it differs from what is there."""
    write_changed(places.reports / "index.html", render(sweep, places))


def render(sweep: Sweep, places: Places) -> str:
    """The index as HTML: what varies, what each point found, what failed; the same text for the same reports."""
    rows = [_row(point, places) for point in sweep.points]
    return fill(
        "sweep", {"name": value_name, "amount": amount}, ("sort.js", "filter.js"), sweep=sweep, rows=rows,
        failed=output_files.failed(places), findings=_columns(rows),
        choices={name: _values(sweep, name) for name in sweep.points[0].varied},
    )  # fmt: skip


def _row(point: Point, places: Places) -> dict[str, Any]:
    stated = freshness.read_record(point.run.report, places, point.parameters)
    said = record.values(stated) if stated else []
    findings = {(finding["of"], finding["name"], finding["unit"]): finding for finding in said}
    return {"point": point, "built": stated is not None, "findings": findings}


def _columns(rows: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """The findings that at least half of the points have, as the finding that says it, name and unit.

    Two units never share a column, nor do two findings' bills.
    A finding that few have, such as one accelerator's, is in the table of all findings, and would be an empty column.
    """
    counts = Counter(column for row in rows for column in row["findings"])
    built = sum(row["built"] for row in rows)
    common = [column for column, count in counts.items() if 2 * count >= built]
    first = {column[:2]: place for place, column in reversed(list(enumerate(common)))}
    return sorted(common, key=lambda column: first[column[:2]])


def _values(sweep: Sweep, name: str) -> list[str]:
    return list(dict.fromkeys(value_name(point.varied[name]) for point in sweep.points))


def amount(finding: dict[str, Any] | None) -> str:
    """A finding's range in a few digits and never in exponent form, behind what it is of; a dash where it has none."""
    if finding is None or finding["low"] is None:
        return "–"
    low, high = (f"{Decimal(f'{finding[end]:.{DIGITS}g}'):,f}" for end in ("low", "high"))
    about = f"{finding['about']}: " if finding.get("about") else ""
    return about + (low if low == high else f"{low}–{high}")
