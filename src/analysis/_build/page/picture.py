"""A report's first figure as the picture of its card: whole where it is drawn for phones, else its shapes alone."""

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from analysis._build.page.drawing import SVG

ROOM = 6  # points around the axes, so that marks on their edge are whole
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def small(svg: str, whole: bool) -> str:
    """The drawing as it is where it is `whole`: as wide as a card, its words can be read.

    Of one for a wide page no text can be read at that size: texts and legends go, and it is cut to its axes. They are
    what matplotlib names so (groups with ids `text_...`, `legend_...`); a drawing without stays as it is.
    """
    if whole:
        return svg
    root = ElementTree.fromstring(svg)
    for parent in list(root.iter()):
        for child in [element for element in parent if element.get("id", "").startswith(("text_", "legend_"))]:
            parent.remove(child)
    if box := _bounds(root):
        left, top, right, bottom = box
        root.set("viewBox", f"{left:g} {top:g} {right - left:g} {bottom - top:g}")
        for name in ("width", "height"):
            root.attrib.pop(name, None)
    return ElementTree.tostring(root, encoding="unicode")


def _bounds(root: Element) -> tuple[float, float, float, float] | None:
    """Left, top, right and bottom of all axes' own grounds, with a little room; None where there is none."""
    grounds = [group for group in root.iter(f"{{{SVG}}}g") if group.get("id", "").startswith("axes_")]
    paths = [path for group in grounds if (path := group.find(f"{{{SVG}}}g/{{{SVG}}}path")) is not None]
    numbers = [float(number) for path in paths for number in NUMBER.findall(path.get("d", ""))]
    across, down = numbers[::2], numbers[1::2]
    return (min(across) - ROOM, min(down) - ROOM, max(across) + ROOM, max(down) + ROOM) if down else None
