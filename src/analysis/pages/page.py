"""Render an executed notebook as one self-contained page, by nbconvert and our template."""

from __future__ import annotations

import base64
import csv
import re
from collections import Counter, defaultdict
from functools import cache
from typing import Any
from urllib.parse import quote

import nh3
from markupsafe import Markup
from nbconvert.exporters import TemplateExporter
from nbconvert.filters import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from analysis import paths
from analysis.pages import sanitize
from analysis.pages.execute import Executed
from analysis.pages.runs import Report, declared_parameters, read_notebook
from analysis.pages.sanitize import POLICY, TEMPLATES, line, script_hash, style

REPORT, HTML, SVG = "application/vnd.mlperf.report+json", "text/html", "image/svg+xml"
NARROW = "application/vnd.mlperf.narrow+svg"
LIVE = "explorer"  # the one notebook whose page is the explorer
RASTERS = ("image/png", "image/jpeg")
TITLE = re.compile(r"\s*#[ \t]+\S")
PYTHON = PythonLexer(), HtmlFormatter(nowrap=True)
GROUP = {"group": str, "order": int | float}  # metadata of a notebook for its card on the front page


@cache  # compiling templates takes longer than a page
def exporter() -> TemplateExporter:
    """Return nbconvert with our compiled template, which escapes everything that is not marked as HTML."""
    filters = {
        "said": _said, "clean": _clean, "markdown": _markdown, "plain": _plain, "code": _code, "csv": _csv,
        "picture": _picture,
    }  # fmt: skip
    folders = {"extra_template_basedirs": [str(TEMPLATES)], "template_name": "report", "file_extension": ".html"}
    made = TemplateExporter(default_preprocessors=[], filters=filters, **folders)
    made.environment.autoescape = True
    made.template  # noqa: B018 - compiles it
    return made


def page(report: Report, done: Executed, built: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a report's page as HTML and its record: title, parameters, headline, findings, sources, and `built`.

    Raises ValueError for a name that two findings, figures, or tables share.
    """
    cells = done.notebook.cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    said = [each for output in outputs if (each := _said(output))]
    for (kind, name), count in Counter((each["kind"], str(each.get("name"))) for each in said).items():
        if count > 1:
            raise ValueError(f"{count} outputs are named {kind} {name[:60]!r}: names must be unique on a page")
    kinds: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in said:
        kinds[each.pop("kind")].append(each)
    titled = next((cell for cell in cells if cell.cell_type == "markdown" and TITLE.match(cell.source)), None)
    top = titled.source if titled else report.notebook.stem.replace("_", " ").capitalize()
    heading, _, lead = top.strip().partition("\n")
    pasted = (titled or {}).get("attachments")
    title = Markup(nh3.clean(_markdown(heading.strip("# ")), tags={"em", "strong", "code", "sub", "sup"}).strip())
    declared, group = declared_parameters(read_notebook(report.notebook)), done.notebook.metadata.get("analysis")
    group = group if isinstance(group, dict) else {}
    own = {each.name: each.source if each.value is None else each.value for each in declared}
    explored = (each for each in outputs if _said(each).get("kind") == "explorer")
    live = next(explored, None) if report.notebook.stem == LIVE else None
    facts = {
        "name": report.name,
        "title": title.striptags(),
        "subtitle": line(report.title),
        "question": _markdown(lead.strip().split("\n\n")[0], pasted).striptags(),
        "notebook": report.notebook.stem,
        "sweep": report.sweep,
        "group": {key: group[key] for key, kind in GROUP.items() if isinstance(group.get(key), kind)},
        "parameters": own | report.parameters,
        "headline": next(iter(kinds["headline"]), None),
        **{f"{kind}s": kinds[kind] for kind in ("finding", "figure", "table")},
        "sources": list(dict.fromkeys(source for each in said for source in each.get("sources", []))),
        "no_data": done.no_data,
        "live": live is not None,
        **built,
    }
    parts = {}  # of the explorer: the package's own files
    if live:
        from analysis import explorer

        parts = {name: Markup(text) for name, text in explorer.parts().items()}
    scripts = [parts["script"]] if live else []
    if any(SVG in output.get("data", {}) for output in outputs):
        scripts.append(Markup((TEMPLATES / "figures.js").read_text(encoding="utf-8")))
    with (paths.DATA / "sources.csv").open(encoding="utf-8-sig", newline="") as file:
        sources = [row for row in csv.DictReader(file) if row["id"] in facts["sources"]]
    values = {
        "facts": facts, "title": title, "lead": _markdown(lead, pasted),
        "live": live, "parts": parts, "declared": declared,
        "titled": cells.index(titled) if titled else None,
        "changed": report.parameters, "sources": sources, "style": style(),
        "scripts": scripts,
        "policy": POLICY + Markup("; script-src " + " ".join(map(script_hash, scripts)) if scripts else ""),
    }  # fmt: skip
    return exporter().from_notebook_node(done.notebook, resources={"page": values})[0], facts


def _picture(data: dict[str, Any], prefix: str, alt: str) -> dict[str, Any]:
    """Return the HTML of a picture with the width of a drawing in CSS pixels, or the address of an image; else {}."""
    if drawing := sanitize.clean_svg(str(data.get(SVG, "")), prefix, alt):
        box = re.search(r'<svg[^>]* viewBox="[\d.-]+ [\d.-]+ ([\d.]+)', drawing)
        phone = sanitize.clean_svg(str(data.get(NARROW, "")), f"{prefix}n", alt)
        return {"html": Markup(drawing), "width": float(box[1]) * 4 / 3 if box else 0, "phone": Markup(phone or "")}
    for kind in RASTERS:
        if kind in data:
            image = f"data:{kind};base64,{re.sub('[^A-Za-z0-9+/=]', '', str(data[kind]))}"
            html = Markup('<img alt="{}" src="{}">').format(alt, image)
            return {"html": html, "image": image, "kind": kind.removeprefix("image/")}
    return {}


def _said(output: Any) -> dict[str, Any]:
    """Return what `analysis.report` said of an output, of texts without control characters; {} for other outputs."""
    said = output.get("data", {}).get(REPORT)
    if not isinstance(said, dict) or not isinstance(said.get("kind"), str):
        return {}
    return {key: line(value) if isinstance(value, str) else value for key, value in said.items()}


def _markdown(source: str, pasted: Any = None) -> Markup:
    """Return Markdown as HTML, with the pictures that were pasted into its cell."""
    pictures = {written: kinds for name, kinds in (pasted or {}).items() for written in (name, quote(name))}
    renderer = IPythonRenderer(escape=False, exclude_anchor_links=True, attachments=pictures)  # sanitized below
    return _clean(MarkdownWithMath(renderer=renderer).render(sanitize.text(source)))


def _clean(html: str) -> Markup:
    return Markup(sanitize.clean_html(html))


def _plain(text: str) -> str:
    return sanitize.text(strip_ansi(str(text)))


def _code(source: str) -> Markup:
    return Markup(highlight(sanitize.text(source), *PYTHON))


def _csv(text: str) -> str:
    return f"data:text/csv;charset=utf-8;base64,{base64.b64encode(sanitize.text(text).encode()).decode()}"
