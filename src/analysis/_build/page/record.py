"""What an executed notebook states (question, answer, findings, provenance) as plain data."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from analysis._core import mime
from analysis._core.file_contents import sha256
from analysis._build.page.errors import ReportFailed
from analysis._build.page.markup import Markup

UNREAD = "unread"  # metadata of the last code cell: why the kernel could not say what was read
READ = "read"  # metadata of the last code cell: the output in which the kernel said what was read (make.execute)
FRONT = "front"  # tag of cells whose HTML the list of reports shows too
FINDING_KEYS = ("name", "low", "high", "unit", "sentence", "sources", "caveats")
PROVENANCE_KEYS = ("tables", "sources", "result_ids")
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def state(cells: list[Any]) -> dict[str, Any]:
    """All that the cells of an executed notebook state, as its record holds it. Raises ReportFailed."""
    drawing = picture(cells)
    return {
        "question": question(cells),
        "answer": answer(cells),
        "caveats": caveats(cells),
        "trust": trust(cells),
        "findings": findings(cells),
        "front": front(cells),
        "hints": hints(cells),
        "live": any(mime.LIVE in output.get("metadata", {}) for output in outputs(cells)),
        "provenance": provenance(cells),
        "picture": drawing and {"alt": drawing.alt, "sha256": sha256(drawing.svg)},
        "python": PYTHON,
    }


def findings(cells: list[Any]) -> list[dict[str, Any]]:
    """Every finding shown, in order. Raises ReportFailed for a missing key or a name shown twice."""
    shown: dict[str, dict[str, Any]] = {}
    for index, output in _outputs(cells, mime.FINDING):
        data = output["data"][mime.FINDING]
        _require(data, FINDING_KEYS, "finding", index)
        if data["name"] in shown and shown[data["name"]] != data:
            raise ReportFailed(f"The finding {data['name']!r} has another value than the one of that name above", index)
        shown[data["name"]] = data
    return list(shown.values())


def hints(cells: list[Any]) -> list[str]:
    """What would make the page better, a line each: nothing of it keeps a report from being built."""
    lines = []
    pictures = [output for output in outputs(cells) if {mime.SVG, mime.PNG} & output.get("data", {}).keys()]
    undescribed = sum(
        not any((output["metadata"].get(kind) or {}).get("alt") for kind in (mime.SVG, mime.PNG)) for output in pictures
    )
    if undescribed:
        lines.append(f"{undescribed} of {len(pictures)} figures have no alt text (report.figure writes one)")
    if unread := [cell["metadata"][UNREAD] for cell in cells if UNREAD in cell["metadata"]]:
        lines.append(f"which tables were read is unknown ({unread[0]}): rebuild it after editing one")
    if any(output.get("name") == "stderr" for output in outputs(cells)):
        lines.append("a cell wrote to stderr: the page shows it")
    return lines


def values(stated: dict[str, Any]) -> list[dict[str, Any]]:
    """The findings of a record and the further values that they say, each as a finding of its own.

    `of` is the finding that says a further value, "" for a finding itself: two may each say a bill.
    """
    return [
        finding | {"about": finding.get("about", ""), "of": ""} | value
        for finding in stated["findings"]
        for value in ({}, *({"about": "", "of": finding["name"], **value} for value in finding.get("values", ())))
    ]


def provenance(cells: list[Any]) -> dict[str, Any]:
    """What was read, as the kernel answered (READ) or as a cell shows it; empty where neither tells."""
    asked = [(index, cell["metadata"][READ]) for index, cell in enumerate(cells) if READ in cell["metadata"]]
    shown = [*asked, *_outputs(cells, mime.PROVENANCE)]
    if not shown:
        return {"tables": {}, "sources": [], "result_ids": []}
    index, output = shown[-1]
    data = output["data"][mime.PROVENANCE]
    _require(data, PROVENANCE_KEYS, "provenance", index)
    return {key: data[key] for key in PROVENANCE_KEYS}


def answer(cells: list[Any]) -> list[str]:
    """The sentences of the cell tagged `answer`, findings by their headline, without the scope line."""
    shown = (output["data"] for _, output in _outputs([cell for cell in cells if "answer" in tags(cell)], mime.HTML))
    lines: list[str] = []
    for data in shown:
        if finding := data.get(mime.FINDING):
            lines.append(finding.get("headline") or finding["sentence"])
        elif mime.TRUST not in data:
            lines += Markup(data[mime.HTML]).blocks
    return lines


def caveats(cells: list[Any]) -> dict[str, str]:
    """The short caveats of the answer's first sentence, each with its full words."""
    said = _outputs([cell for cell in cells if "answer" in tags(cell)], mime.FINDING)
    notes = said[0][1]["data"][mime.FINDING].get("notes", ()) if said else ()
    told: dict[str, str] = {}
    for note in notes:
        if label := note.get("label"):
            told[label] = f"{told[label]}; {note['words']}" if label in told else note["words"]
    return told


def trust(cells: list[Any]) -> dict[str, Any] | None:
    """The trust line shown, as data; None where there is none."""
    return next((output["data"][mime.TRUST] for _, output in _outputs(cells, mime.TRUST)), None)


def notes(cells: list[Any], background: bool) -> list[dict[str, Any]]:
    """The notes of the findings and the trust line that the cells show; `background`: those of nearly all rows too."""
    stated = [
        output["data"].get(mime.FINDING) or output["data"].get(mime.TRUST)
        for output in outputs(cells)
        if "data" in output
    ]
    told = [note for each in stated if each for note in each.get("notes", ())]
    return [note for note in told if background or note.get("scope") != "background"]


def question(cells: list[Any]) -> str:
    """The question as text: the `# ` heading of the first Markdown cell, or an empty text."""
    first = next((cell["source"] for cell in cells if cell["cell_type"] == "markdown"), "")
    heading = next((line[2:].strip() for line in first.splitlines() if line.startswith("# ")), "")
    return heading.replace("`", "").replace("*", "")


def front(cells: list[Any]) -> list[dict[str, str]]:
    """What the cells tagged FRONT show as HTML, each with the heading of its section, "" before the first one."""
    pieces, heading = [], ""
    for cell in cells:
        if cell["cell_type"] == "markdown":
            headings = [line[3:].strip() for line in cell["source"].splitlines() if line.startswith("## ")]
            heading = (headings or [heading])[-1]
        elif FRONT in tags(cell):
            shown = (output["data"][mime.HTML] for _, output in _outputs([cell], mime.HTML))
            pieces += [{"heading": heading, "html": html} for html in shown]
    return pieces


@dataclass(frozen=True)
class Picture:
    """A report's first figure as SVG, and its alt text."""

    svg: str
    alt: str


def picture(cells: list[Any]) -> Picture | None:
    """The first figure, by its drawing for narrow pages where it has one; None where there is no figure."""
    for output in outputs(cells):
        if mime.SVG in output.get("data", {}):
            about = output["metadata"].get(mime.SVG, {})
            return Picture(output["metadata"].get(mime.NARROW) or output["data"][mime.SVG], about.get("alt", ""))
    return None


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
