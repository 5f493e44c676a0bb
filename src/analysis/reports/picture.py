"""A report's first figure as the small picture of the index: its shapes without words; the page shows it whole."""

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", LINK)


def small(svg: str) -> str:
    """The drawing without its texts, cut to where its axes begin: at the index's size no text can be read anyway.

    Texts are what matplotlib names so (groups with ids `text_...`); a drawing without such groups stays as it is.
    """
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in [each for each in parent if each.get("id", "").startswith("text_")]:
            parent.remove(child)
    box, top = [float(number) for number in root.get("viewBox", "").split()], _top(root)
    if len(box) == 4 and top > box[1]:
        root.set("viewBox", f"{box[0]:g} {top:g} {box[2]:g} {box[3] - top:g}")
        for name in ("width", "height"):
            root.attrib.pop(name, None)
    return ElementTree.tostring(root, encoding="unicode")


def _top(root: Element) -> float:
    """The least height at which an axes' own ground begins, less a little room; 0 where there is none."""
    grounds = [group for group in root.iter(f"{{{SVG}}}g") if group.get("id", "").startswith("axes_")]
    paths = [path for group in grounds if (path := group.find(f"{{{SVG}}}g/{{{SVG}}}path")) is not None]
    heights = [float(number) for path in paths for number in NUMBER.findall(path.get("d", ""))[1::2]]
    return max(0.0, min(heights) - 6) if heights else 0.0
