"""Outputs as a page shows them: one form each, style sheets and the answer lifted out."""

from typing import Any

from analysis.engine.page import record
from analysis.engine.page.errors import ReportFailed
from analysis.engine.page.markup import without_styles

NUMBERS = "analysis/numbers"  # marks a table as the numbers of the figure before it (analysis.show.cells.BESIDE)
SHOWN = ("image/svg+xml", "text/html", "image/png", "text/markdown", "text/plain")


def shown(output: Any, index: int) -> Any | None:
    """The output reduced to the one form that a page shows, or None where it has no such form.

    Raises ReportFailed for a figure without alt text.
    """
    if output.output_type == "stream":
        return output
    if record.PROVENANCE in output.data:
        return None  # The page's footer says the same.
    kinds = [kind for kind in SHOWN if kind in output.data]
    if record.FINDING in output.data:
        kinds = [kind for kind in kinds if kind != "text/plain"]
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
        output.data["text/html"], sheets = without_styles(output.data["text/html"])
        styles |= dict.fromkeys(sheets)
    return "\n".join(styles)


def lift_answer(cells: list[Any]) -> list[str]:
    """Take the answer's HTML out of its cell: it stands at the top of the page.

    Raises ReportFailed where there is none.
    """
    html = []
    for cell in (cell for cell in cells if cell.cell_type == "code" and "answer" in record.tags(cell)):
        html += [output.data["text/html"] for output in cell.outputs if is_html(output)]
        cell.outputs = [output for output in cell.outputs if not is_html(output)]
    if not html:
        raise ReportFailed("No cell tagged 'answer' shows an answer as HTML (notebook.show_findings)")
    return html


def pair_numbers(cells: list[Any]) -> None:
    """Move each table of a figure's numbers into the metadata of the figure before it, as `numbers`."""
    for cell in cells:
        kept: list[Any] = []
        for output in cell.get("outputs", []):
            figure = kept and any(kind.startswith("image/") for kind in kept[-1].get("data", {}))
            if figure and output.get("metadata", {}).get(NUMBERS) and is_html(output):
                kept[-1].metadata["numbers"] = output.data["text/html"]
            else:
                kept.append(output)
        if kept:
            cell.outputs = kept


def is_html(output: Any) -> bool:
    """Whether an output has an HTML form."""
    return "text/html" in output.get("data", {})
