"""An executed notebook made ready for the template: what is shown, in which order, under which ids."""

import copy
from functools import cache
from importlib import metadata
from typing import Any
from urllib.parse import parse_qs, urlsplit

from analysis._core import mime
from analysis._core.vocabulary import round_age
from analysis._build.page import markdown, outputs, record
from analysis._build.page.errors import ReportFailed
from analysis._build.page.markdown import Heading, Headings
from analysis._build.page.markup import parsed
from analysis._build.page.parameter_words import parameter_help
from analysis._build.page.templates import shared

PACKAGES = ("numpy", "pandas", "matplotlib", "seaborn", "papermill", "nbconvert")
RESERVED = {"main", "answer", "contents", "about", "notes", "code"}
HIDDEN = {"hide-input", "parameters", "injected-parameters"}  # tags of cells whose code is folded away
NOTEBOOK_ONLY = "notebook-only"  # tag of a cell whose outputs are for the reader of the notebook, not of the page
FOLDED = "folded"  # tag of a heading of the second level: its section is folded away


def prepare(notebook: Any, stated: dict[str, Any], up: str = "") -> tuple[Any, dict[str, Any]]:
    """The notebook as its page shows it, and the page's own facts for the template.

    `stated` is the report's record, `up` the way from its folder to that of all reports. Raises ReportFailed for a
    missing title and for an image outside the notebook.
    """
    notebook = copy.deepcopy(notebook)
    notes, in_folds = _notes(notebook.cells), _notes_in_folds(notebook.cells)
    for index, cell in enumerate(notebook.cells):
        cell.metadata["page"] = {"caveats": in_folds[index]}
        if cell.cell_type == "code":
            outputs_of_page = [] if NOTEBOOK_ONLY in record.tags(cell) else cell.outputs
            cell.outputs = [shown for output in outputs_of_page if (shown := outputs.shown(output, index))]
    outputs.describe_figures(notebook.cells)
    live = outputs.lift_live(notebook.cells)
    styles = outputs.lift_styles(notebook.cells)
    answer = outputs.lift_answer(notebook.cells)
    notebook.cells = _without_empty_headings(notebook.cells)
    facts = _render_text(notebook.cells)
    outputs.pair_numbers(notebook.cells)
    drawn = outputs.draw(notebook.cells)
    facts |= {
        "sort": shared("sort.js") if any(map(outputs.is_sortable, record.outputs(notebook.cells))) else "",
        "answer": answer,
        "said": (stated["answer"] or [""])[0].removesuffix("."),
        "styles": "\n".join([styles, *drawn, live.get("style", "")]),
        "live": live,
        "stated": stated,
        "up": up,
    }
    facts |= {"notes": _left_to_explain(notes, notebook.cells), "code": _code(notebook.cells)}
    return notebook, facts | _fold(notebook.cells) | _footer(notebook.cells, stated)


def _notes(cells: list[Any]) -> list[dict[str, Any]]:
    """The notes of what a page shows unfolded, each kind once: of the answer all, of the rest those of single rows."""
    told: dict[str, dict[str, Any]] = {}
    for cell, folded in zip(cells, _in_folds(cells), strict=True):
        if not folded:
            for note in record.notes([cell], background="answer" in record.tags(cell)):
                told.setdefault(note["bare"], note)
    return list(told.values())


def _notes_in_folds(cells: list[Any]) -> list[list[dict[str, Any]]]:
    """Of each cell that is folded away the notes of its findings, said below them: who unfolds or prints it sees no
    other explanation near. What the same fold said before is not said again."""
    found, told = [], set[tuple[str, str]]()
    for cell, folded in zip(cells, _in_folds(cells), strict=True):
        if not folded or _rank(cell) <= 2:
            told = set()
        own = _once(record.notes([cell], background=False)) if folded else []
        found.append([note for note in own if (note["code"], note["words"]) not in told])
        told |= {(note["code"], note["words"]) for note in own}
    return found


def _once(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each kind of note once: in its words, or without its detail where its notes differ in that."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for note in notes:
        kinds.setdefault(note["bare"], []).append(note)
    alike = {bare: len({note["words"] for note in own}) == 1 for bare, own in kinds.items()}
    return [own[0] if alike[bare] else own[0] | {"words": bare} for bare, own in kinds.items()]


def _in_folds(cells: list[Any]) -> list[bool]:
    """Of each cell whether it is folded away: from a heading tagged so to the next heading of its level."""
    folded, inside = [], False
    for cell in cells:
        if _rank(cell) <= 2:
            inside = FOLDED in record.tags(cell)
        folded.append(inside)
    return folded


def _left_to_explain(notes: list[dict[str, Any]], cells: list[Any]) -> list[dict[str, Any]]:
    """The notes that no figure in sight explains below it; what figures in folds explain is neither."""
    folds = _in_folds(cells)
    seen = outputs.explain([cell for cell, folded in zip(cells, folds, strict=True) if not folded], set())
    left = [note for note in notes if note["bare"] not in seen]
    told = seen | {note["bare"] for note in left}
    outputs.explain([cell for cell, folded in zip(cells, folds, strict=True) if folded], told)
    return left


def _fold(cells: list[Any]) -> dict[str, bool]:
    """Mark where folds begin and end, and where the notes are: behind the last section that is not folded.

    The facts say what remains for the page's end: a fold to close, the notes.
    """
    folds = _in_folds(cells)
    for before, cell, folded in zip([False, *folds], cells, folds, strict=False):
        begins = folded and "summary" in cell.metadata["page"]
        cell.metadata["page"] |= {"begins": begins, "ends": before and (begins or not folded)}
    first = next((cell for cell in cells if cell.metadata["page"]["begins"]), None)
    if first is not None:
        first.metadata["page"]["notes"] = True
    return {"left_open": bool(folds and folds[-1]), "notes_last": first is None}


def _without_empty_headings(cells: list[Any]) -> list[Any]:
    """Drop a cell that is only a heading, but no title, where a heading of its rank or nothing is shown next."""
    kept: list[Any] = []
    for cell in reversed(cells):
        following = next((_rank(c) for c in reversed(kept) if _shows(c)), 0)
        only_heading = 1 < _rank(cell) < 7 and "\n" not in cell.source.strip()
        if not (only_heading and following <= _rank(cell)):
            kept.append(cell)
    return kept[::-1]


def _rank(cell: Any) -> int:
    """The level of the heading that a cell starts with (1 to 6), or 7 where it starts with anything else."""
    source = cell.source.lstrip()
    marks = len(source) - len(source.lstrip("#"))
    return marks if cell.cell_type == "markdown" and 0 < marks < 7 else 7


def _shows(cell: Any) -> bool:
    return bool(cell.outputs if cell.cell_type == "code" else cell.source.strip())


def _render_text(cells: list[Any]) -> dict[str, Any]:
    """Render all Markdown in place; the question, the scope and the contents of the page."""
    headings, question, scope = Headings(RESERVED | _used_ids(cells)), "", ""
    first = next((cell for cell in cells if cell.cell_type == "markdown"), None)
    for index, cell in enumerate(cells):
        try:
            if cell.cell_type == "markdown":
                cell.metadata["page"]["place"] = len(headings.all)
                html, asked, about = markdown.render(cell, headings, first=cell is first)
                cell.metadata["page"]["html"] = html
                question, scope = question or asked, scope or about
            for output in (o for o in cell.get("outputs", []) if mime.MARKDOWN in o.get("data", {})):
                html, *_ = markdown.render({"source": output.data[mime.MARKDOWN]}, headings)
                output.data = {mime.HTML: html}
        except ReportFailed as error:
            raise ReportFailed(error.what, index) from error
    if not question:
        raise ReportFailed("The notebook has no title: expected a Markdown cell that begins with '# '")
    folded = {h.id for h in _folded_headings(cells, headings.all)}
    shown = [(heading, below) for heading, below in _contents(headings.all) if heading.id not in folded]
    return {"question": question, "scope": scope, "contents": shown}


def _folded_headings(cells: list[Any], headings: list[Heading]) -> list[Heading]:
    """The headings whose sections are folded; the cell of each keeps its HTML apart as `summary`."""
    found = []
    for cell in cells:
        if cell.cell_type == "markdown" and FOLDED in record.tags(cell) and _rank(cell) == 2:
            heading, page = headings[cell.metadata["page"]["place"]], cell.metadata["page"]
            page["summary"], end, rest = page["html"].partition("</h2>")
            page["summary"], page["html"] = page["summary"] + end, rest
            found.append(heading)
    return found


def _used_ids(cells: list[Any]) -> set[str]:
    shown = filter(outputs.is_html, record.outputs(cells))
    return {name for output in shown for name in parsed(output.data[mime.HTML]).ids}


def _contents(headings: list[Heading]) -> list[tuple[Heading, list[Heading]]]:
    """Each second-level heading with the third-level ones below it."""
    tree: list[tuple[Heading, list[Heading]]] = []
    for heading in headings:
        if heading.level == 2:
            tree.append((heading, []))
        elif heading.level == 3:
            tree[-1][1].append(heading)
    return tree


def _code(cells: list[Any]) -> list[tuple[str, str]]:
    """The code that is folded away at the page's end, each cell with its number; other code is shown in its place."""
    folded = []
    for cell in cells:
        if cell.cell_type == "code" and cell.source.strip():
            hidden = bool(HIDDEN & set(record.tags(cell)))
            cell.metadata["page"]["code"] = "" if hidden else cell.source
            folded += [(f"Cell {cell.execution_count}", cell.source)] * hidden
    return folded


def _footer(cells: list[Any], stated: dict[str, Any]) -> dict[str, Any]:
    source = next((cell.source for cell in cells if "parameters" in record.tags(cell)), "")
    versions = {"Python": stated["python"]} | installed()
    return {"help": parameter_help(source), "versions": versions, "behind": _behind(stated)}


def _behind(stated: dict[str, Any]) -> dict[str, Any]:
    """What a published result needs beside it: the systems of the answer, its scope, and where it was retrieved."""
    answer = [each for each in stated["findings"] if each.get("headline", "") in stated["answer"]][:2]
    cited = {name for each in answer for name in each["sources"]}
    sources = (stated["provenance"] or {}).get("sources", ())
    official = [each for each in sources if each.get("kind") == "official"]
    parts = (stated["trust"] or {"parts": []})["parts"][:2] if official else []
    rounds = sorted((_round(each) for each in official if each["id"] in cited), key=round_age)
    if parts and rounds:
        ends = " and ".join(rounds) if len(rounds) < 3 else f"{rounds[0]} to {rounds[-1]}"
        parts = [f"MLPerf\u00ae Inference {ends}", *parts[1:]]
    retrieved: dict[str, list[str]] = {}  # addresses by the day of their retrieval
    for each in official:
        if each["id"] in cited and each["accessed"]:
            retrieved.setdefault(each["accessed"], []).append(each["url"].removeprefix("https://"))
    asked, shown = stated["parameters"], parse_qs(urlsplit((stated["trust"] or {}).get("view") or "").fragment)
    chosen = {name: asked.get(name) or ", ".join(shown.get(name, ())) for name in ("benchmark", "scenario")}
    topic = [f"{name} {value}" for name, value in chosen.items() if value]
    return {
        "systems": list(dict.fromkeys(each for found in answer for each in found.get("systems", ()))),
        "results": ", ".join([*parts, *topic]) if parts else "",
        "retrieved": retrieved,
    }


def _round(source: dict[str, Any]) -> str:
    """The round of an official source, whose id ends in it: mlcommons-v5.1."""
    return source["id"].rsplit("-", 1)[-1]


@cache
def installed() -> dict[str, str]:
    """The version of each of PACKAGES that is installed, which takes reading its metadata."""
    return {d.name: d.version for d in map(_distribution, PACKAGES) if d}


def _distribution(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
