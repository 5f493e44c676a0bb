"""A drawing put into the page itself, so that its marks say what they are when pointed at."""

import re
from functools import lru_cache
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
SHAPES = {"svg", "g", "path", "use", "defs", "clipPath", "rect", "circle", "ellipse", "line", "polyline", "polygon",
          "text", "tspan", "title", "desc", "image", "linearGradient", "radialGradient", "stop"}  # fmt: skip
REFERENCE = re.compile(r"url\(#([^)]+)\)")
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", LINK)


@lru_cache(maxsize=32)  # Reports of a sweep share most of their drawings.
def inline(svg: str, prefix: str, alt: str, header: float | None = None) -> tuple[str, tuple[str, ...]]:
    """The drawing as an element of a page, and its style sheets, which belong into the page's head.

    Nothing but shapes and their words stays of it: no script, no link, no address outside. Ids get a prefix, for
    drawings share theirs, and stay only where something refers to them. `header` is the share of its height that is
    cut off at the top. Raises ParseError for a text that is no XML.
    """
    root = ElementTree.fromstring(svg)
    styles = tuple(sheet.text.strip() for sheet in root.iter(f"{{{SVG}}}style") if sheet.text)
    _keep_shapes(root)
    wanted = {name for element in root.iter() for name in _references(element)}
    for element in root.iter():
        _settle(element, prefix, wanted)
    _crop(root, header or 0.0)
    root.attrib |= {"role": "img", "aria-label": alt}
    return ElementTree.tostring(root, encoding="unicode"), styles


def _keep_shapes(root: Element) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            namespace, _, name = str(child.tag).rpartition("}")
            if name not in SHAPES or namespace != f"{{{SVG}":
                parent.remove(child)


def _references(element: Element) -> list[str]:
    """The ids that an element refers to."""
    link = element.get(f"{{{LINK}}}href") or element.get("href", "")
    return [link[1:]] * link.startswith("#") + [
        name for value in element.attrib.values() if "url(" in value for name in REFERENCE.findall(value)
    ]


def _settle(element: Element, prefix: str, wanted: set[str]) -> None:
    kept = {}
    for name, value in element.attrib.items():
        plain = name.removeprefix(f"{{{LINK}}}")
        if plain == "id":
            kept |= {"id": f"{prefix}{value}"} if value in wanted else {}
        elif plain == "href":
            kept |= {"href": f"#{prefix}{value[1:]}"} if value.startswith("#") else {}
            kept |= {"href": value} if value.startswith("data:image/") else {}
        elif not plain.startswith("on") and "{" not in plain:
            kept[plain] = REFERENCE.sub(rf"url(#{prefix}\1)", value) if "url(" in value else value
    element.attrib.clear()
    element.attrib |= kept


def _crop(root: Element, header: float) -> None:
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    box = [float(number) for number in root.get("viewBox", "").split()]
    if len(box) == 4:
        left, top, width, height = box
        root.set("viewBox", f"{left:g} {top + header * height:g} {width:g} {(1 - header) * height:g}")
