"""Make pages safe: their policy, HTML by a list of what is allowed, SVG as shapes and words alone.

A page's policy blocks scripts and requests; what is removed here is what no policy stops: redirects, forms, styles that
reach the rest of the page, ids that it has already, and cells that span thousands of columns.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
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
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")
TURNS = re.compile(r"[\u061c\u202a-\u202e\u2066-\u2069]")  # change the direction of what follows
TAG = re.compile(r"<(/?)([a-z][^\s/>]*)", re.IGNORECASE)
CLOSED = {"br", "col", "dd", "dt", "hr", "img", "input", "li", "p", "wbr"}  # elements that the next one closes
DEEPEST = 5000  # open elements of one output: the time of parsers grows with their square
MOST_ELEMENTS = 50_000  # of one output: a browser takes a second for them
MOST_SPANNED = 20_000  # rows or columns that the cells of one output cover in addition to their own
MOST_COPIED = 20_000_000  # characters of shapes that the `use` elements of an SVG repeat
LINKS = re.compile(r"(?:https?:|mailto:|data:text/csv|data:image/png;base64,)|(?![a-z][a-z0-9+.-]*:)", re.IGNORECASE)
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
SHAPES = {SVG + name for name in (
    "svg", "g", "path", "use", "defs", "clipPath", "rect", "circle", "ellipse", "line", "polyline", "polygon",
    "text", "tspan", "title", "desc", "image", "linearGradient", "radialGradient", "stop", "pattern",
)}  # fmt: skip
INSIDE = {SVG + name for name in ("pattern", "clipPath", "linearGradient", "radialGradient")}  # which others refer to
GEOMETRY = {
    "class", "cx", "cy", "d", "dx", "dy", "fx", "fy", "gradientTransform", "gradientUnits", "height", "offset",
    "patternContentUnits", "patternTransform", "patternUnits", "points", "preserveAspectRatio", "r", "rotate", "rx",
    "ry", "spreadMethod", "textLength", "transform", "version", "viewBox", "width", "x", "x1", "x2", "y", "y1", "y2",
}  # fmt: skip
LOOKS = re.compile(
    r"(?:fill|stroke|font|text|stop|letter|word)(?:-[a-z]+)*|clip-path|clip-rule|color|opacity|dominant-baseline"
    r"|paint-order|shape-rendering|vector-effect|visibility|white-space|writing-mode|--head"
)  # properties that draw: none that moves an element, or reaches beyond it
REFERENCE = re.compile(r"url\(\s*['\"]?#([^)'\"]+)['\"]?\s*\)")
ADDRESS = re.compile(r"url\((?!#[^)]*\))|image-set|expression|@import|[<>\\]", re.IGNORECASE)
DARK = re.compile(r"@media screen and \(prefers-color-scheme:dark\)\{svg\{(?:--on-[0-9a-f]{6}:#[0-9a-f]{6};)+\}\}")
ElementTree.register_namespace("", SVG.strip("{}"))
ElementTree.register_namespace("xlink", LINK.strip("{}"))


def script_hash(script: str) -> str:
    """Return the source expression of a policy that allows this script alone."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@cache  # a file of the package
def style() -> Markup:
    """Return the style sheet that all pages share."""
    return Markup((TEMPLATES / "style.css").read_text(encoding="utf-8"))


def text(value: object) -> str:
    """Return text without control characters and lone surrogates; those that change its direction are named."""
    return TURNS.sub(lambda found: f"[U+{ord(found[0]):04X}]", CONTROLS.sub("", str(value)))


def line(value: object) -> str:
    """Return text on one line, without control characters, as titles and names need it."""
    return " ".join(text(value).split())


def clean_html(markup: str) -> str:
    """Return HTML with only allowed elements, attributes, and addresses."""
    left = [MOST_SPANNED]

    def kept(tag: str, name: str, value: str) -> str | None:
        return _attribute(tag, name, value, left)

    markup = _bounded(text(markup))
    cleaned = nh3.clean(
        markup, tags=nh3.ALLOWED_TAGS | {"section", "tfoot"}, attributes=ATTRIBUTES, attribute_filter=kept,
        clean_content_tags={"script", "style", "title", "noscript", "template", "iframe", "object", "svg", "math"},
        url_schemes={"http", "https", "mailto", "data"}, filter_style_properties=STYLES, link_rel="noopener noreferrer",
    )  # fmt: skip
    return text(cleaned)  # what was written as an entity


def _bounded(markup: str) -> str:
    """Return HTML, cut with a notice at more than DEEPEST nested or MOST_ELEMENTS elements in all."""
    opened: Counter[str] = Counter()
    depth = begun = 0
    for tag in TAG.finditer(markup):
        name = tag[2].lower()
        begun += not tag[1]
        if begun > MOST_ELEMENTS:
            return f"{markup[: tag.start()]}<p>Cut here: more than {MOST_ELEMENTS:,} elements.</p>"
        step = -1 if tag[1] else 1
        if name in CLOSED or opened[name] + step < 0:
            continue
        opened[name] += step
        depth += step
        if depth > DEEPEST:
            return f"{markup[: tag.start()]}<p>Cut here: more than {DEEPEST:,} nested elements.</p>"
    return markup


def _attribute(tag: str, name: str, value: str, left: list[int]) -> str | None:
    if name in ("colspan", "rowspan", "span"):
        wide = min(max(int(value[:9]), 1), WIDEST_SPAN) if value.isascii() and value.isdigit() else 1
        left[0] -= wide - 1
        return str(wide) if left[0] >= 0 else None
    if name in ("href", "src"):  # a browser reads an address without these
        value = re.sub(r"[\x00-\x20]+", "", value) if ":" in value else value
        if tag == "img":  # the page's policy lets nothing else through
            return value if value.startswith("data:image/") else None
        return value if LINKS.match(value) else None
    return None if name == "style" and ADDRESS.search(value) else value


def clean_svg(drawing: str, prefix: str, alt: str) -> str | None:
    """Return an SVG as an element of a page, described by `alt`, or None if it is not an SVG.

    Shapes and words stay, their ids with `prefix`: no script, link, foreign element, style sheet, or address outside.
    """
    try:
        root = ElementTree.fromstring("" if "<!ENTITY" in drawing else drawing)
    except (ElementTree.ParseError, ValueError):
        return None
    if root.tag != f"{SVG}svg":
        return None
    _unfold(root)
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
    try:
        return style + text(ElementTree.tostring(root, encoding="unicode"))
    except RecursionError:
        return None


def _unfold(root: ElementTree.Element) -> None:
    """Remove what multiplies a drawing: nested `use`, references inside of referenced elements, and too many copies."""
    shapes = {f"#{each.get('id')}": each for each in root.iter() if each.get("id")}
    for each in [part for kind in INSIDE for holder in root.iter(kind) for part in holder.iter()]:
        for name in [name for name, value in each.attrib.items() if "url(" in value or name.endswith("href")]:
            del each.attrib[name]
    copied, sizes = 0, {}
    for each in root.iter(f"{SVG}use"):
        name = each.get("href") or each.get(f"{LINK}href")
        shape = shapes.get(name)
        if name not in sizes:
            parts = [] if shape is None else [*shape.iter()]
            nested = any(part.tag == f"{SVG}use" for part in parts)
            sizes[name] = float("inf") if nested else sum(len(str(part.attrib)) for part in parts)
        if copied + sizes[name] > MOST_COPIED:
            each.attrib.clear()
        else:
            copied += sizes[name]


def _drawing(name: str, value: str, prefix: str) -> str | None:
    """Return the value of an attribute that draws, with `prefix` at ids and references; None for any other."""
    if name == "id":
        return prefix + value
    if name == "href":
        own = re.sub("^#", f"#{prefix}", value)
        return own if re.match("#|data:image/(png|jpeg);base64,", own) else None
    value = REFERENCE.sub(rf"url(#{prefix}\1)", value)
    if name == "style":
        rules = [[part.strip() for part in rule.split(":", 1)] for rule in value.split(";")]
        return "; ".join(": ".join(rule) for rule in rules if LOOKS.fullmatch(rule[0]) and not ADDRESS.search(rule[-1]))
    return value if (name in GEOMETRY or LOOKS.fullmatch(name)) and not ADDRESS.search(value) else None
