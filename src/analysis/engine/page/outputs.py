"""Outputs as a page shows them: one form each, style sheets and the answer lifted out."""

from collections.abc import Iterator
from typing import Any

from analysis.core import mime
from analysis.engine.page import record
from analysis.engine.page.drawing import inline
from analysis.engine.page.errors import ReportFailed
from analysis.engine.page.markup import without_styles

SHOWN = (mime.SVG, mime.HTML, mime.PNG, mime.MARKDOWN, mime.PLAIN)


def shown(output: Any, index: int) -> Any | None:
    """The output reduced to the one form that a page shows, or None where it has no such form.

    Raises ReportFailed for a figure without alt text.
    """
    if output.output_type == "stream":
        return output
    if mime.PROVENANCE in output.data or mime.TRUST in output.data:
        return None  # The page's footer and its head say the same.
    kinds = [kind for kind in SHOWN if kind in output.data]
    if mime.FINDING in output.data:
        kinds = [kind for kind in kinds if kind != mime.PLAIN]
    if not kinds:
        return None
    if kinds[0].startswith("image/"):
        _require_alt(output, kinds[0], index)
    output.output_type, output.data = "display_data", {kinds[0]: output.data[kinds[0]]}
    return output


def _require_alt(output: Any, kind: str, index: int) -> None:
    if not str(output.metadata.get(kind, {}).get("alt", "")).strip():
        raise ReportFailed("The figure has no alt text: show it with figures.style.show", index)


def lift_styles(cells: list[Any]) -> str:
    """Take the style sheets out of the outputs, each once: valid HTML has them in the head."""
    styles: dict[str, None] = {}
    for output in filter(is_html, record.outputs(cells)):
        output.data[mime.HTML], sheets = without_styles(output.data[mime.HTML])
        styles |= dict.fromkeys(sheets)
    return "\n".join(styles)


def lift_answer(cells: list[Any]) -> list[str]:
    """Take the answer's HTML out of its cell: it stands at the top of the page.

    Raises ReportFailed where there is none.
    """
    html = []
    for cell in (cell for cell in cells if cell.cell_type == "code" and "answer" in record.tags(cell)):
        html += [output.data[mime.HTML] for output in cell.outputs if is_html(output)]
        cell.outputs = [output for output in cell.outputs if not is_html(output)]
    if not html:
        raise ReportFailed("No cell tagged 'answer' shows an answer as HTML (notebook.show_findings)")
    return html


def lift_live(cells: list[Any]) -> dict[str, Any]:
    """What makes the page live, in its output's place the HTML that it begins with; {} for one that stands still.

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
    """Leave in each figure's metadata, as `key`, the notes that nothing before it explains; the bare words of those."""
    new: set[str] = set()
    for output in figures(cells):
        key = [entry for entry in output.metadata.get(mime.KEY, []) if entry["bare"] not in explained | new]
        output.metadata["key"] = key
        new |= {entry["bare"] for entry in key}
    return new


def figures(cells: list[Any]) -> Iterator[Any]:
    """Every output that is a picture, in order."""
    return (o for o in record.outputs(cells) if any(kind.startswith("image/") for kind in o.get("data", {})))


def is_html(output: Any) -> bool:
    """Whether an output has an HTML form."""
    return mime.HTML in output.get("data", {})
