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
from analysis._build.page.markdown import Headings
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
    _find_folds(notebook.cells)
    notes = _notes(notebook.cells)
    _say_notes_in_folds(notebook.cells)
    for index, cell in enumerate(notebook.cells):
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


def _find_folds(cells: list[Any]) -> None:
    """Note of each cell whether it is folded away: from a heading tagged so to the next heading of its level."""
    folded = False
    for cell in cells:
        if _rank(cell) <= 2:
            folded = FOLDED in record.tags(cell)
        cell.metadata["page"] = {"folded": folded}


def _parted(cells: list[Any]) -> tuple[list[Any], list[Any]]:
    """The cells in sight, and those that are folded away."""
    return tuple([cell for cell in cells if cell.metadata["page"]["folded"] is folded] for folded in (False, True))


def _notes(cells: list[Any]) -> list[dict[str, Any]]:
    """The notes of what a page shows unfolded, each kind once: of the answer all, of the rest those of single rows."""
    told: dict[str, dict[str, Any]] = {}
    for cell in _parted(cells)[0]:
        for note in record.notes([cell], background="answer" in record.tags(cell)):
            told.setdefault(note["bare"], note)
    return list(told.values())


def _say_notes_in_folds(cells: list[Any]) -> None:
    """Leave in each folded cell the notes of its findings: who unfolds or prints it sees no other explanation near.
    What the same fold said before is not said again."""
    told = set[tuple[str, str]]()
    for cell in _parted(cells)[1]:
        if _rank(cell) <= 2:
            told = set()
        own = _once(record.notes([cell], background=False))
        cell.metadata["page"]["caveats"] = [note for note in own if (note["code"], note["words"]) not in told]
        told |= {(note["code"], note["words"]) for note in own}


def _once(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each kind of note once: in its words, or without its detail where its notes differ in that."""
    kinds: dict[str, dict[str, Any]] = {}
    for note in notes:
        first = kinds.setdefault(note["bare"], note)
        if first["words"] != note["words"]:
            kinds[note["bare"]] = first | {"words": note["bare"]}
    return list(kinds.values())


def _left_to_explain(notes: list[dict[str, Any]], cells: list[Any]) -> list[dict[str, Any]]:
    """The notes that no figure in sight explains below it; what figures in folds explain is neither."""
    in_sight, folded = _parted(cells)
    seen = outputs.explain(in_sight, set())
    left = [note for note in notes if note["bare"] not in seen]
    outputs.explain(folded, seen | {note["bare"] for note in left})
    return left


def _fold(cells: list[Any]) -> dict[str, bool]:
    """Mark where folds begin and end, and where the notes are: behind the last section that is not folded.

    The facts say what remains for the page's end: a fold to close, the notes.
    """
    open_fold, has_fold = False, False
    for own in (cell.metadata["page"] for cell in cells):
        begins = own["folded"] and "summary" in own
        own |= {"begins": begins, "ends": open_fold and (begins or not own["folded"]), "notes": begins and not has_fold}
        open_fold, has_fold = own["folded"], has_fold or begins
    return {"left_open": open_fold, "notes_last": not has_fold}


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
    """Render all Markdown in place; the question, the scope and the contents of the page.

    Of a folded section, the HTML of the heading is kept apart as `summary`, and it is not among the contents.
    """
    headings, question, scope, folded = Headings(RESERVED | _used_ids(cells)), "", "", set()
    first = next((cell for cell in cells if cell.cell_type == "markdown"), None)
    for index, cell in enumerate(cells):
        try:
            if cell.cell_type == "markdown":
                own, place = cell.metadata["page"], len(headings.all)
                own["html"], asked, about = markdown.render(cell, headings, first=cell is first)
                question, scope = question or asked, scope or about
                if own["folded"] and _rank(cell) == 2:
                    folded.add(headings.all[place])
                    heading, end, own["html"] = own["html"].partition("</h2>")
                    own["summary"] = heading + end
            for output in (o for o in cell.get("outputs", []) if mime.MARKDOWN in o.get("data", {})):
                html, *_ = markdown.render({"source": output.data[mime.MARKDOWN]}, headings)
                output.data = {mime.HTML: html}
        except ReportFailed as error:
            raise ReportFailed(error.what, index) from error
    if not question:
        raise ReportFailed("The notebook has no title: expected a Markdown cell that begins with '# '")
    contents = [heading for heading in headings.all if heading.level == 2 and heading not in folded]
    return {"question": question, "scope": scope, "contents": contents}


def _used_ids(cells: list[Any]) -> set[str]:
    shown = filter(outputs.is_html, record.outputs(cells))
    return {name for output in shown for name in parsed(output.data[mime.HTML]).ids}


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
