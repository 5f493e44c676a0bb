"""Make pages safe: their policy, HTML by a list of what is allowed, SVG as shapes and words alone.

A page's policy blocks scripts and requests; what is removed here is what no policy stops: redirects, forms, styles that
reach the rest of the page, ids that it has already, and cells that span thousands of columns.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import nh3
from markupsafe import Markup

TEMPLATES = Path(__file__).with_name("templates")
POLICY = Markup(
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'"
)

WIDEST_SPAN = 100  # columns or rows that one cell of a table covers
ATTRIBUTES = nh3.ALLOWED_ATTRIBUTES | {
    "*": {"class", "title", "style", "scope", "role", "aria-label", "lang", "dir", "open"},
    "a": {"href", "download"},
}
STYLES = {
    "background-color", "color", "font-style", "font-weight", "text-align", "text-decoration", "vertical-align",
    "white-space", "width",
}  # fmt: skip
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]")
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
SHAPES = {SVG + name for name in (
    "svg", "g", "path", "use", "defs", "clipPath", "rect", "circle", "ellipse", "line", "polyline", "polygon",
    "text", "tspan", "title", "desc", "image", "linearGradient", "radialGradient", "stop", "pattern",
)}  # fmt: skip
REFERENCE = re.compile(r"url\(\s*['\"]?#([^)'\"]+)['\"]?\s*\)")
ADDRESS = re.compile(r"url\((?!#[^)]*\))|image-set|expression|@import|[<>\\]", re.IGNORECASE)
DARK = re.compile(r"@media screen and \(prefers-color-scheme:dark\)\{svg\{(?:--on-[0-9a-f]{6}:#[0-9a-f]{6};)+\}\}")
ElementTree.register_namespace("", SVG.strip("{}"))
ElementTree.register_namespace("xlink", LINK.strip("{}"))


def script_hash(script: str) -> str:
    """Return what a policy names to allow this script and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@cache
def style() -> Markup:
    """Return the style sheet that all pages share."""
    return Markup((TEMPLATES / "style.css").read_text(encoding="utf-8"))


def text(value: object) -> str:
    """Return text without characters that no page may have: controls, lone surrogates, changes of direction."""
    return CONTROLS.sub("", str(value))


def line(value: object) -> str:
    """Return text on one line, without control characters, as titles and names need it."""
    return " ".join(text(value).split())


def html(markup: str) -> str:
    """Return HTML of which only allowed elements, attributes, and addresses are left."""
    return nh3.clean(
        text(markup), tags=nh3.ALLOWED_TAGS | {"section", "tfoot"}, attributes=ATTRIBUTES, attribute_filter=_attribute,
        clean_content_tags={"script", "style", "title", "noscript", "template", "iframe", "object", "svg", "math"},
        url_schemes={"http", "https", "mailto", "data"}, filter_style_properties=STYLES, link_rel="noopener noreferrer",
    )  # fmt: skip


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name in ("colspan", "rowspan", "span"):
        return str(min(max(int(value), 1), WIDEST_SPAN)) if value.isascii() and value.isdigit() else None
    if tag == "img" and name == "src":  # the page's policy lets nothing else through
        return value if value.startswith("data:image/") else None
    if name == "href" and value.lstrip().lower().startswith("data:"):
        return value if value.startswith(("data:text/csv", "data:image/png;base64,")) else None
    return None if name == "style" and ADDRESS.search(value) else value


def svg(drawing: str, prefix: str, alt: str) -> str | None:
    """Return an SVG as an element of a page, described by `alt`, or None where it is no SVG.

    Shapes and words stay, their ids with `prefix`: no script, link, foreign element, style sheet, or address outside.
    """
    try:
        root = ElementTree.fromstring(drawing)
    except (ElementTree.ParseError, ValueError):
        return None
    if root.tag != f"{SVG}svg":
        return None
    sheets = sorted({(sheet.text or "").strip() for sheet in root.iter(f"{SVG}style")})
    for element in list(root.iter()):
        for child in list(element):
            if child.tag not in SHAPES:
                element.remove(child)
        attributes = {name.removeprefix(LINK): value for name, value in element.attrib.items()}
        element.attrib.clear()
        for name, value in attributes.items():
            if (kept := _drawing(name, value, prefix)) is not None:
                element.set(name, kept)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib |= {"role": "img", "aria-label": text(alt)}
    style = "".join(f"<style>{sheet}</style>" for sheet in sheets if DARK.fullmatch(sheet))
    return style + ElementTree.tostring(root, encoding="unicode")


def _drawing(name: str, value: str, prefix: str) -> str | None:
    """Return the value of an attribute that draws, with `prefix` at ids and references; None for any other."""
    if name == "id":
        return prefix + value
    if name == "href":
        own = re.sub("^#", f"#{prefix}", value)
        return own if re.match("#|data:image/(png|jpeg);base64,", own) else None
    value = REFERENCE.sub(rf"url(#{prefix}\1)", value)
    return None if "{" in name or name.startswith("on") or ADDRESS.search(value) else value
