"""Make the page of an executed notebook: one file that needs nothing else, through nbconvert and our template."""

from __future__ import annotations

import base64
import csv
import re
from functools import cache
from html import unescape
from typing import Any

import nh3
from jinja2 import Environment
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
from analysis.build.look import POLICY, TEMPLATES, script_hash, style
from analysis.build.runs import Report, declared_parameters, read_notebook

REPORT = "application/vnd.mlperf.report+json"
SVG, IMAGES = "image/svg+xml", ("image/png", "image/jpeg")
TITLE = re.compile(r"\A\s*#[ \t]+(?P<title>[^\n]+)\n?")


class PageError(Exception):
    """A notebook that ran but of which no page can be made; the text says what to change."""


class PageExporter(TemplateExporter):
    """nbconvert with our template, in which everything is escaped that is not marked as HTML."""

    output_mimetype = "text/html"
    file_extension = ".html"
    default_preprocessors: list[Any] = []  # noqa: RUF012 - a trait's value, as nbconvert declares it

    def __init__(self, **options: Any) -> None:
        super().__init__(template_name="report", extra_template_basedirs=[str(TEMPLATES)], **options)

    def _create_environment(self) -> Environment:
        environment = super()._create_environment()
        environment.autoescape = True
        return environment


@cache
def exporter() -> PageExporter:
    """Return the exporter, its template compiled."""
    made = PageExporter()
    made.template  # noqa: B018 - compiles it
    return made


def record(report: Report, done: Executed) -> dict[str, Any]:
    """Return what reports/NAME.json says of a report: title, question, parameters, headline, findings, sources.

    Raises PageError for a name that two findings, figures, or tables share, and for a second headline.
    """
    said = [each for cell in done.notebook.cells for output in cell.get("outputs", []) if (each := _record(output))]
    by_kind: dict[str, list[dict[str, Any]]] = {"headline": [], "finding": [], "figure": [], "table": []}
    for each in said:
        by_kind.setdefault(each["kind"], []).append({key: value for key, value in each.items() if key != "kind"})
    if len(by_kind["headline"]) > 1:
        raise PageError(f"{len(by_kind['headline'])} headlines; a page has one: make the others findings")
    for kind, several in by_kind.items():
        names = [each.get("name") for each in several]
        for name in {name for name in names if names.count(name) > 1}:
            raise PageError(f"two {kind}s are named {name!r}: give each a name of its own (name=...)")
    title, _, rest = _title(done.notebook.cells, report)
    own = {each.name: each.value if each.value is not None else each.source for each in _declared(report)}
    group = done.notebook.metadata.get("analysis") or {}
    sources = dict.fromkeys(each for one in said for each in one.get("sources", []))
    return {
        "name": report.name,
        "title": sanitize.line(title),
        "subtitle": sanitize.line(report.title),
        "question": _words(_markdown(rest.strip().split("\n\n")[0])) if rest.strip() else "",
        "notebook": report.notebook.stem,
        "sweep": report.sweep,
        "group": group if isinstance(group, dict) else {},
        "parameters": own | report.parameters,
        "headline": by_kind["headline"][0] if by_kind["headline"] else None,
        "findings": by_kind["finding"],
        "figures": by_kind["figure"],
        "tables": by_kind["table"],
        "sources": list(sources),
        "no_data": done.no_data,
    }


def page(report: Report, done: Executed, facts: dict[str, Any], built: dict[str, str]) -> str:
    """Return the page as HTML. `facts` is its record, `built` the date and commit for its foot."""
    _, title_html, rest = _title(done.notebook.cells, report)
    blocks, live = _blocks(done.notebook.cells, facts["title"])
    changed = report.parameters
    parameters = [
        (each.name, changed.get(each.name, each.source), each.comment, each.name in changed)
        for each in _declared(report)
    ]
    values = {
        "facts": facts, "title_html": title_html, "lead": _markdown(rest), "blocks": blocks, "live": live,
        "built": built,
        "parameters": parameters, "sources": _sources(facts["sources"]), "style": style(),
        "policy": POLICY + (Markup("; script-src " + script_hash(live["script"])) if live else ""),
    }  # fmt: skip
    html, _ = exporter().from_notebook_node(done.notebook, resources={"page": values})
    return html


def _blocks(cells: list[Any], title: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return what a page shows in order: text, outputs, and folds of code with its plain outputs; and a live part."""
    blocks, fold, live, figures = [], [], {}, 0
    first = True
    for cell in cells:
        if cell.cell_type == "markdown":
            source, first = (
                (TITLE.sub("", cell.source), False) if first and TITLE.match(cell.source) else (cell.source, first)
            )
            is_lead = source is not cell.source
            if not is_lead and source.strip():
                blocks += [*_folded(fold), {"kind": "html", "html": _markdown(source)}]
                fold = []
        if cell.cell_type != "code" or not (cell.source.strip() or cell.outputs):
            continue
        shown = []
        fold.append({"code": _code(cell.source)})
        for output in cell.outputs:
            figures += 1
            block = _output(output, f"f{figures}-", f"{title}, figure")
            if block["kind"] == "explorer":
                live, block = _live(output, live), {"kind": "explorer", "html": block["html"]}
            (shown if block["kind"] != "plain" else fold).append(block)
        if shown:
            blocks += _folded(fold) + [each for each in shown if each["kind"] != "headline"]
            fold = []
    return blocks + _folded(fold), live


def _folded(fold: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"kind": "fold", "parts": fold}] if fold else []


def _output(output: Any, prefix: str, fallback_alt: str) -> dict[str, Any]:
    """Return one output as a block: what `analysis.report` made, images, and HTML are shown, all else is plain."""
    if output.output_type == "stream":
        return {"kind": "plain", "text": sanitize.text(strip_ansi(output.text))}
    if output.output_type == "error":
        return {"kind": "plain", "text": sanitize.text(strip_ansi("\n".join(output.traceback)))}
    data, said = output.data, _record(output) or {}
    kind, name = said.get("kind", ""), sanitize.line(said.get("name", "")).replace(" ", "_")
    html = Markup(sanitize.html(_joined(data.get("text/html", ""))).replace("<th></th>", "<td></td>"))  # of pandas
    if kind in ("headline", "explorer"):
        return {"kind": kind, "html": html}
    if kind == "finding":
        return {"kind": kind, "name": name, "text": sanitize.line(said.get("text", ""))}
    if SVG in data or any(each in data for each in IMAGES):
        alt = sanitize.line(said.get("alt") or said.get("title") or fallback_alt)
        return {"kind": "figure", "name": name, "alt": alt, **_picture(data, prefix, alt)}
    if kind == "table":
        title = sanitize.line(said.get("title") or "Table")
        link = "data:text/csv;charset=utf-8;base64," + _base64(sanitize.text(_joined(data.get("text/csv", ""))))
        return {
            "kind": "table",
            "name": name,
            "title": title,
            "html": html,
            "csv": link if data.get("text/csv") else "",
        }
    if "text/markdown" in data:
        return {"kind": "html", "html": _markdown(_joined(data["text/markdown"]))}
    if html.strip() and 'class="dataframe"' not in html:
        return (
            {"kind": "table", "name": "", "title": "Table", "html": html, "csv": ""}
            if "<table" in html
            else {"kind": "html", "html": html}
        )
    return (
        {"kind": "plain", "html": html}
        if html.strip()
        else {"kind": "plain", "text": sanitize.text(_joined(data.get("text/plain", "")))}
    )


def _picture(data: dict[str, Any], prefix: str, alt: str) -> dict[str, Any]:
    """Return a figure's drawing as HTML, its width in CSS pixels, and the address of its PNG."""
    raster = next(
        (
            f"data:{kind};base64,{re.sub(r'[^A-Za-z0-9+/=]', '', _joined(data[kind]))}"
            for kind in IMAGES
            if kind in data
        ),
        "",
    )
    drawing = sanitize.svg(_joined(data[SVG]), prefix, alt) if SVG in data else None
    if drawing is None:
        source = raster or f"data:{SVG};base64,{_base64(_joined(data[SVG]))}"
        return {"html": Markup('<img alt="{}" src="{}">').format(alt, source), "width": "", "png": raster}
    box = re.search(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+)', drawing)
    return {"html": Markup(drawing), "width": f"{float(box[1]) * 4 / 3:.0f}px" if box else "", "png": raster}


def _live(output: Any, earlier: dict[str, Any]) -> dict[str, Any]:
    """Return the explorer's parts, which are the package's own files, with the data that an output gives it."""
    if earlier:
        raise PageError("two outputs show the explorer; a page has one")
    from analysis import explorer

    parts = explorer.parts()
    data = (output.metadata.get("analysis") or {}).get("data") or {}
    held = {sanitize.line(name): Markup(str(text).replace("<", "\\u003c")) for name, text in data.items()}
    return {name: Markup(parts[name]) for name in ("html", "style", "script")} | {"data": held}


def _record(output: Any) -> dict[str, Any] | None:
    """Return what `analysis.report` said of an output, of texts without control characters; None for other outputs."""
    said = output.get("data", {}).get(REPORT)
    if not isinstance(said, dict) or not isinstance(said.get("kind"), str):
        return None
    return {key: sanitize.line(value) if isinstance(value, str) else value for key, value in said.items()}


def _title(cells: list[Any], report: Report) -> tuple[str, Markup, str]:
    """Return the title in words and as HTML, and what follows it in its cell; without one, the name of the notebook."""
    for cell in cells:
        if cell.cell_type == "markdown" and (found := TITLE.match(cell.source)):
            html = re.sub(r"</?(h\d|p|div|a)\b[^>]*>", "", _markdown(found["title"].strip().rstrip("# "))).strip()
            return _words(html), Markup(html), cell.source[found.end() :]
    name = report.notebook.stem.replace("_", " ").capitalize()
    return name, Markup.escape(name), ""


def _declared(report: Report) -> list[Any]:
    return declared_parameters(read_notebook(report.notebook))


def _sources(ids: list[str]) -> list[dict[str, str]]:
    """Return the rows of data/sources.csv with these ids, in its order."""
    with (paths.DATA / "sources.csv").open(encoding="utf-8-sig", newline="") as file:
        return [row for row in csv.DictReader(file) if row["id"] in ids]


def _markdown(source: str) -> Markup:
    renderer = IPythonRenderer(escape=False, exclude_anchor_links=True)  # what HTML it has is sanitized
    return Markup(sanitize.html(MarkdownWithMath(renderer=renderer).render(sanitize.text(source))))


def _words(html: str) -> str:
    """Return the words of HTML on one line."""
    return sanitize.line(unescape(nh3.clean(html, tags=set())))


@cache
def _highlighting() -> tuple[PythonLexer, HtmlFormatter]:
    return PythonLexer(), HtmlFormatter(nowrap=True)


def _code(source: str) -> Markup:
    return Markup(highlight(sanitize.text(source), *_highlighting()))


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "".join(map(str, text))


def _base64(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "replace")).decode()
