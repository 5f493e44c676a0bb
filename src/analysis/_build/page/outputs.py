"""Outputs as a page shows them: one form each, style sheets and the answer lifted out."""

import csv
import html
import io
import re
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from analysis._core import mime
from analysis._build.page import record
from analysis._build.page.drawing import inline
from analysis._build.page.errors import ReportFailed
from analysis._build.page.markup import frame, without_styles

FRAME = 'class="dataframe"'  # of a table as pandas writes it
# Such a table without another inside, and the line by which pandas says that it shows a part of the frame.
FRAMES = re.compile(
    rf"(?P<table><table[^>]*{FRAME}[^>]*>(?:(?!<table).)*?</table>)"
    r"(?:\s*<p>(?P<rows>\d+) rows × (?P<columns>\d+) columns</p>)?",
    re.DOTALL,
)
PANDAS_SHEET = re.compile(r"<style scoped>\s*\.dataframe.*?</style>\s*", re.DOTALL)
SORTABLE = 'class="sortable"'
CUT = "..."  # in each cell of the row, and of the column, where pandas leaves out others
CSV_LINK = '<p class="behind"><a download="table.csv" href="data:text/csv;charset=utf-8;base64,{}">CSV</a></p>'
FOLD = 8  # rows above which a table is folded
NUMBER = re.compile(r"|-?[\d,]*\.?\d+(?:e[+-]?\d+)?%?|NaN|<NA>", re.IGNORECASE)
SHOWN = (mime.SVG, mime.HTML, mime.PNG, mime.MARKDOWN, mime.PLAIN)


def shown(output: Any, index: int) -> Any | None:
    """The output reduced to the one form that a page shows, or None where it has no such form."""
    if output.output_type == "stream":
        return output if output.text.strip() else None
    if mime.PROVENANCE in output.data or mime.TRUST in output.data:
        return None  # The page's footer and its head say the same.
    kinds = [kind for kind in SHOWN if kind in output.data]
    if mime.FINDING in output.data:
        kinds = [kind for kind in kinds if kind != mime.PLAIN]
    if not kinds:
        return None
    output.output_type, output.data = "display_data", {kinds[0]: output.data[kinds[0]]}
    if kinds[0] == mime.HTML and FRAME in output.data[mime.HTML]:
        output.data[mime.HTML] = frames(output.data[mime.HTML], output.metadata.get(mime.CSV, ""))
    return output


def frames(markup: str, whole: str = "") -> str:
    """HTML with its pandas tables in the look of the project's own: scopes, numbers to the right, sortable, CSV.

    Long tables are folded. One that pandas cut says so; `whole` is the CSV of all its rows, and without it there is no
    CSV of a cut table. What is beside the tables stays.
    """
    return PANDAS_SHEET.sub("", FRAMES.sub(lambda found: _framed(found, whole), markup))


def _framed(found: re.Match[str], whole: str) -> str:
    table = frame(found["table"])
    if table is None:
        return found[0]
    rows = table.rows
    cut = next((place for place, row in enumerate(rows) if set(row) == {CUT}), None)
    if cut is not None:  # Below are the last rows, as if they came next.
        rows = rows[:cut]
    numeric = [all(NUMBER.fullmatch(row[place]) for row in rows) for place in range(len(table.names))]
    head = _line(table.names, numeric, len(table.names), "col")
    lines = "".join(_line(row, numeric, table.levels, "row") for row in rows)
    markup = f'<div {SORTABLE}><table class="cells"><thead>{head}</thead><tbody>{lines}</tbody></table></div>'
    is_cut = found["rows"] is not None
    counted = f"first {len(rows)} of {int(found['rows']):,} rows" if cut is not None else f"{len(rows)} rows"
    if is_cut and CUT in table.names:
        counted += f", {len(table.names) - table.levels - 1} of {found['columns']} columns"
    if len(rows) > FOLD:
        markup = f'<details class="table"><summary>Table ({counted})</summary>{markup}</details>'
    elif is_cut:
        markup += f'<p class="quiet">{counted.capitalize()}.</p>'
    content = whole if is_cut else whole or _csv([table.names, *rows])
    return markup + (CSV_LINK.format(b64encode(content.encode()).decode()) if content else "")


def _csv(rows: list[list[str]]) -> str:
    content = io.StringIO()
    csv.writer(content, lineterminator="\n").writerows(rows)
    return content.getvalue()


def _line(cells: list[str], numeric: list[bool], headings: int, scope: str) -> str:
    """A row of a table; so many of its first cells are headings."""
    texts = []
    for place, (cell, is_number) in enumerate(zip(cells, numeric, strict=True)):
        tag, scoped = ("th", f' scope="{scope}"') if place < headings else ("td", "")
        texts.append(f"<{tag}{scoped}{' class=number' * is_number}>{html.escape(cell)}</{tag}>")
    return f"<tr>{''.join(texts)}</tr>"


def describe_figures(cells: list[Any]) -> None:
    """Give each figure without alt text one from the heading above it."""
    heading = ""
    for cell in cells:
        if cell.cell_type == "markdown":
            titles = [line.lstrip("# ").strip() for line in cell.source.splitlines() if line.startswith("#")]
            heading = titles[-1] if titles else heading
        for output in figures([cell]):
            kind = next(kind for kind in output.data if kind.startswith("image/"))
            about = output.metadata.setdefault(kind, {})
            if not isinstance(about, dict) or not str(about.get("alt", "")).strip():
                output.metadata[kind] = {"alt": f"Figure: {heading or 'no description'}"}


def lift_styles(cells: list[Any]) -> str:
    """Take the style sheets out of the outputs, each once: valid HTML has them in the head."""
    styles: dict[str, None] = {}
    for output in filter(is_html, record.outputs(cells)):
        output.data[mime.HTML], sheets = without_styles(output.data[mime.HTML])
        styles |= dict.fromkeys(sheets)
    return "\n".join(styles)


def lift_answer(cells: list[Any]) -> list[str]:
    """Take the answer's HTML out of its cell: it is at the top of the page; [] for a page without one."""
    pieces = []
    for cell in (cell for cell in cells if cell.cell_type == "code" and "answer" in record.tags(cell)):
        pieces += [output.data[mime.HTML] for output in cell.outputs if is_html(output)]
        cell.outputs = [output for output in cell.outputs if not is_html(output)]
    return pieces


def lift_live(cells: list[Any]) -> dict[str, Any]:
    """What makes the page live, in its output's place the HTML that it begins with; {} for a static one.

    Raises ReportFailed for a second one: the ids of both would be the same.
    """
    found = [output for output in record.outputs(cells) if mime.LIVE in output.get("metadata", {})]
    if len(found) > 1:
        raise ReportFailed(f"The notebook shows {len(found)} live outputs instead of one")
    for output in found:
        output.data = {mime.HTML: output.metadata[mime.LIVE]["html"]}
    return dict(found[0].metadata[mime.LIVE]) if found else {}


def pair_numbers(cells: list[Any]) -> None:
    """Move each table of a figure's numbers into the metadata of the figure before it, as `numbers` and `csv`."""
    for cell in cells:
        kept: list[Any] = []
        for output in cell.get("outputs", []):
            figure = kept and any(kind.startswith("image/") for kind in kept[-1].get("data", {}))
            if figure and output.get("metadata", {}).get(mime.NUMBERS) and is_html(output):
                kept[-1].metadata |= {"numbers": output.data[mime.HTML], "csv": output.metadata.get(mime.CSV, "")}
            else:
                kept.append(output)
        if kept:
            cell.outputs = kept


def draw(cells: list[Any]) -> list[str]:
    """Number the figures and put SVG into the page itself, as `inline`; the style sheets that the drawings need."""
    styles: dict[str, None] = {}
    for number, output in enumerate(figures(cells), start=1):
        output.metadata["number"] = number
        if svg := output.data.get(mime.SVG):
            about = output.metadata[mime.SVG]
            output.metadata["inline"], sheets = inline(svg, f"f{number}-", about["alt"], about.get("header"))
            styles |= dict.fromkeys(sheets)
    return list(styles)


def explain(cells: list[Any], explained: set[str]) -> set[str]:
    """Leave in each figure's metadata, as `key`, the notes that nothing before it explains; the bare words of those.

    A mark that meant something else in the figure before is explained again.
    """
    new: set[str] = set()
    meant: dict[str, str] = {}
    for output in figures(cells):
        stated = output.metadata.get(mime.KEY, [])
        told = explained | new
        key = [e for e in stated if e["bare"] not in told or meant.get(e["mark"], e["bare"]) != e["bare"]]
        output.metadata["key"] = key
        new |= {entry["bare"] for entry in key}
        meant |= {entry["mark"]: entry["bare"] for entry in stated if entry["mark"]}
    return new


def figures(cells: list[Any]) -> Iterator[Any]:
    """Every output that is a picture, in order."""
    return (o for o in record.outputs(cells) if any(kind.startswith("image/") for kind in o.get("data", {})))


def is_html(output: Any) -> bool:
    """Whether an output has an HTML form."""
    return mime.HTML in output.get("data", {})


def is_sortable(output: Any) -> bool:
    """Whether an output has a table whose heads sort it."""
    return is_html(output) and SORTABLE in output.data[mime.HTML]
