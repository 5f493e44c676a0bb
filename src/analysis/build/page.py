"""Make the page of an executed notebook: one file that needs nothing else, through nbconvert and our template."""

from __future__ import annotations

import base64
import csv
import re
from functools import cache
from typing import Any

import nh3
from markupsafe import Markup
from nbconvert.exporters import TemplateExporter
from nbconvert.filters import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from analysis import paths
from analysis.build import sanitize
from analysis.build.execute import Executed
from analysis.build.runs import Report, declared_parameters, read_notebook
from analysis.build.sanitize import POLICY, TEMPLATES, line, script_hash, style

REPORT, HTML, SVG = "application/vnd.mlperf.report+json", "text/html", "image/svg+xml"
LIVE = "explorer"  # the one notebook whose page runs a script
RASTERS = ("image/png", "image/jpeg")
NOT_BASE64 = re.compile("[^A-Za-z0-9+/=]")
TITLE = re.compile(r"\s*#[ \t]+\S")
PYTHON = PythonLexer(), HtmlFormatter(nowrap=True)
MARKDOWN = MarkdownWithMath(renderer=IPythonRenderer(escape=False, exclude_anchor_links=True))  # its HTML is sanitized
GROUP = {"group": str, "order": int | float}  # what a notebook says of its card on the front page
Block = dict[str, Any]  # a part of the page by its `kind`, as the template reads it


class PageError(Exception):
    """A notebook ran, but no page can be made from it; the text says what to change."""


@cache
def exporter() -> TemplateExporter:
    """Return nbconvert with our template, compiled, in which everything is escaped that is not marked as HTML."""
    folders = {"extra_template_basedirs": [str(TEMPLATES)], "template_name": "report", "file_extension": ".html"}
    made = TemplateExporter(default_preprocessors=[], **folders)
    made.environment.autoescape = True
    made.template  # noqa: B018 - compiles it
    return made


def page(report: Report, done: Executed, built: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a report's page as HTML and its record: title, parameters, headline, findings, sources, and `built`.

    Raises PageError for a name that two findings, figures, or tables share, and for a second headline.
    """
    cells = done.notebook.cells
    said = [each for cell in cells for output in cell.get("outputs", []) if (each := _said(output))]
    kinds: dict[str, list[Block]] = {kind: [] for kind in ("headline", "finding", "figure", "table")}
    for each in said:
        kinds.setdefault(each.pop("kind"), []).append(each)
    for kind, several in kinds.items():
        names = [each.get("name") for each in several]
        for name in names:
            if names.count(name) > 1 or (kind == "headline" and len(names) > 1):
                raise PageError(
                    f"{names.count(name)} outputs are the {kind} {str(name)[:60]!r}: a page has one of each name"
                )
    titled = next((cell for cell in cells if cell.cell_type == "markdown" and TITLE.match(cell.source)), None)
    heading, _, lead = (
        (titled.source if titled else report.notebook.stem.replace("_", " ").capitalize()).strip().partition("\n")
    )
    title = Markup(nh3.clean(_markdown(heading.strip("# ")), tags={"em", "strong", "code", "sub", "sup"}).strip())
    declared, group = declared_parameters(read_notebook(report.notebook)), done.notebook.metadata.get("analysis")
    group = group if isinstance(group, dict) else {}
    own = {each.name: each.source if each.value is None else each.value for each in declared}
    facts = {
        "name": report.name,
        "title": title.striptags(),
        "subtitle": line(report.title),
        "question": _markdown(lead.strip().split("\n\n")[0]).striptags(),
        "notebook": report.notebook.stem,
        "sweep": report.sweep,
        "group": {key: group[key] for key, kind in GROUP.items() if isinstance(group.get(key), kind)},
        "parameters": own | report.parameters,
        "headline": next(iter(kinds["headline"]), None),
        "findings": kinds["finding"],
        "figures": kinds["figure"],
        "tables": kinds["table"],
        "sources": list(dict.fromkeys(source for each in said for source in each.get("sources", []))),
        "no_data": done.no_data,
        "live": "explorer" in kinds and report.notebook.stem == LIVE,
        **built,
    }
    blocks = _blocks([cell for cell in cells if cell is not titled], facts)
    live = next((block for block in blocks if block["kind"] == "explorer"), None)
    with (paths.DATA / "sources.csv").open(encoding="utf-8-sig", newline="") as file:
        sources = [row for row in csv.DictReader(file) if row["id"] in facts["sources"]]
    values = {
        "facts": facts, "title": title, "lead": _markdown(lead), "blocks": blocks, "live": live, "declared": declared,
        "changed": report.parameters, "sources": sources, "style": style(),
        "policy": POLICY + (Markup(f"; script-src {script_hash(live['parts']['script'])}") if live else ""),
    }  # fmt: skip
    return exporter().from_notebook_node(done.notebook, resources={"page": values})[0], facts


def _blocks(cells: list[Any], facts: Block) -> list[Block]:
    """Return what a page shows in order: text, outputs, and folds of code with its plain outputs.

    The code behind a figure or table is below it, that of sentences before the next heading.
    """
    blocks: list[Block] = []
    fold: list[Block] = []
    for cell in cells:
        shown: list[Block] = []
        if cell.cell_type == "code" and cell.source.strip():
            fold.append({"code": Markup(highlight(sanitize.text(cell.source), *PYTHON))})
            shown = [_block(output, f"f{len(blocks)}-{place}-", facts) for place, output in enumerate(cell.outputs)]
            fold += [block for block in shown if not block["kind"]]
            blocks += [block for block in shown if block["kind"] not in ("", "headline")]  # this is under the title
        heads = cell.cell_type == "markdown" and cell.source.lstrip().startswith("#")
        if fold and (heads or {block["kind"] for block in shown} & {"figure", "table", "html", "explorer"}):
            blocks.append({"kind": "fold", "parts": fold})
            fold = []
        if cell.cell_type == "markdown":
            blocks.append({"kind": "html", "html": _markdown(cell.source)})
    return [*blocks, {"kind": "fold", "parts": fold}] if fold else blocks


def _block(output: Any, prefix: str, facts: Block) -> Block:
    """Return one output as a block; its `kind` is "" for plain text and frames, which go into the fold."""
    if output.output_type in ("stream", "error"):
        return {"kind": "", "text": sanitize.text(strip_ansi(output.get("text") or "\n".join(output.traceback)))}
    data, said = {kind: str(each) for kind, each in output.data.items()}, _said(output)
    html = Markup(sanitize.html(data.get(HTML, "")).replace("<th></th>", "<td></td>"))  # pandas heads no index
    kind = said.get("kind")
    block = {"kind": kind, "said": said, "html": html}
    if kind in ("headline", "finding"):
        return block
    if kind == "explorer" and facts["live"]:
        return block | _explorer(output)
    alt = said.get("alt") or said.get("title") or f"{facts['title']}, figure"
    raster = next((each for each in RASTERS if each in data), "")
    png = raster and f"data:{raster};base64,{NOT_BASE64.sub('', data[raster])}"
    image = Markup('<img alt="{}" src="{}">').format(alt, png) if png else ""
    drawing = sanitize.svg(data.get(SVG, ""), prefix, alt) or image
    if drawing:
        box = re.search(r'<svg[^>]* viewBox="[\d.-]+ [\d.-]+ ([\d.]+)', drawing)
        width = float(box[1]) * 4 / 3 if box else 0  # in CSS pixels
        return block | {"kind": "figure", "html": Markup(drawing), "width": width, "png": png}
    if "text/markdown" in data:
        return {"kind": "html", "html": _markdown(data["text/markdown"])}
    if kind == "table" and "text/csv" in data:
        csv = base64.b64encode(sanitize.text(data["text/csv"]).encode()).decode()
        return block | {"csv": f"data:text/csv;charset=utf-8;base64,{csv}"}
    if not html.strip() or 'class="dataframe"' in html:
        return {"kind": "", "html": html, "text": sanitize.text(data.get("text/plain", ""))}
    return block | {"kind": "table" if "<table" in html else "html"}


def _explorer(output: Any) -> Block:
    """Return the explorer's parts, which are the package's own files, with the data that an output gives it."""
    from analysis import explorer

    data = output.metadata.get("analysis", {}).get("data", {})
    held = {line(name): Markup(str(text).replace("<", "\\u003c")) for name, text in data.items()}
    said = line(output.data.get("text/plain", "")).replace("Explorer of", "Loading")
    return {"data": held, "text": said, "parts": {name: Markup(text) for name, text in explorer.parts().items()}}


def _said(output: Any) -> Block:
    """Return what `analysis.report` said of an output, of texts without control characters; {} for other outputs."""
    said = output.get("data", {}).get(REPORT)
    if not isinstance(said, dict) or not isinstance(said.get("kind"), str):
        return {}
    return {key: line(value) if isinstance(value, str) else value for key, value in said.items()}


def _markdown(source: str) -> Markup:
    return Markup(sanitize.html(MARKDOWN.render(sanitize.text(source))))
