"""What an executed notebook states (question, answer, findings, provenance) as plain data."""

import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from analysis.engine.page.errors import ReportFailed
from analysis.engine.page.markup import Markup

FINDING = "application/vnd.analysis.finding+json"
PROVENANCE = "application/vnd.analysis.provenance+json"
FINDING_KEYS = ("name", "low", "high", "unit", "sentence", "sources", "caveats")
PROVENANCE_KEYS = ("tables", "rows", "sources", "result_ids", "parameters")
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def state(cells: list[Any]) -> dict[str, Any]:
    """All that the cells of an executed notebook state, as its record holds it. Raises ReportFailed."""
    picture, alt = first_figure(cells)
    return {
        "question": question(cells),
        "answer": answer(cells),
        "findings": findings(cells),
        "provenance": provenance(cells),
        "picture": {"alt": alt, "sha256": sha256(picture.encode()).hexdigest()} if picture else None,
        "python": PYTHON,
    }


def findings(cells: list[Any]) -> list[dict[str, Any]]:
    """Every finding shown, in order. Raises ReportFailed for a missing key or a name shown twice."""
    shown: dict[str, dict[str, Any]] = {}
    for index, output in _outputs(cells, FINDING):
        data = output["data"][FINDING]
        _require(data, FINDING_KEYS, "finding", index)
        if data["name"] in shown and shown[data["name"]] != data:
            raise ReportFailed(f"The finding {data['name']!r} has another value than the one of that name above", index)
        shown[data["name"]] = data
    return list(shown.values())


def values(stated: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings of a record and the further values that they say, each as a finding of its own."""
    return [
        finding | {"about": finding.get("about", "")} | value
        for finding in stated["findings"]
        for value in ({}, *({"about": "", **value} for value in finding.get("values", ())))
    ]


def provenance(cells: list[Any]) -> dict[str, Any]:
    """The one provenance shown, with the files that its metadata names. Raises ReportFailed for none or several."""
    shown = _outputs(cells, PROVENANCE)
    if len(shown) != 1:
        raise ReportFailed(
            f"The notebook shows {len(shown)} provenance records instead of one: its tables cannot be traced. "
            "End the last cell with provenance.show(...)"
        )
    index, output = shown[0]
    data, files = output["data"][PROVENANCE], output["metadata"].get(PROVENANCE, {})
    _require(data, PROVENANCE_KEYS[1:], "provenance", index)
    _require(files, PROVENANCE_KEYS[:1], "provenance's metadata", index)
    return {key: (files | data)[key] for key in PROVENANCE_KEYS}


def answer(cells: list[Any]) -> list[str]:
    """The answer's paragraphs as text: what the cell tagged `answer` shows as HTML."""
    shown = _outputs([cell for cell in cells if "answer" in tags(cell)], "text/html")
    return [block for _, output in shown for block in Markup(output["data"]["text/html"]).blocks]


def question(cells: list[Any]) -> str:
    """The question as text: the `# ` heading of the first Markdown cell, or an empty text."""
    first = next((cell["source"] for cell in cells if cell["cell_type"] == "markdown"), "")
    heading = next((line[2:].strip() for line in first.splitlines() if line.startswith("# ")), "")
    return heading.replace("`", "").replace("*", "")


def first_figure(cells: list[Any]) -> tuple[str | None, str]:
    """The first figure as SVG and its alt text; None and an empty text where there is no figure."""
    kind = "image/svg+xml"
    for output in outputs(cells):
        if kind in output.get("data", {}):
            return output["data"][kind], output["metadata"].get(kind, {}).get("alt", "")
    return None, ""


def outputs(cells: Iterable[Any]) -> Iterator[Any]:
    """Every output of the cells, in order."""
    return (output for cell in cells for output in cell.get("outputs", []))


def tags(cell: Any) -> list[str]:
    """A cell's tags."""
    return list(cell["metadata"].get("tags", []))


def _outputs(cells: list[Any], mime: str) -> list[tuple[int, Any]]:
    """The outputs that have a form of this kind, each with the place of its cell."""
    return [
        (index, output)
        for index, cell in enumerate(cells)
        for output in outputs([cell])
        if mime in output.get("data", {})
    ]


def _require(data: Any, keys: tuple[str, ...], kind: str, index: int) -> None:
    missing = [key for key in keys if not isinstance(data, dict) or key not in data]
    if missing:
        raise ReportFailed(f"A {kind} lacks {', '.join(missing)}: expected {', '.join(keys)}", index)
