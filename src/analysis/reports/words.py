"""Parameter names and values as a reader would say them; used by every template."""

import re
from typing import Any

from markupsafe import Markup, escape

EMPTY = re.compile(r"\bempty(?: for|:) (.+)")
ZERO = re.compile(r"\b(?:zero|0): (.+)")


def said(value: Any, about: str = "") -> str:
    """A parameter's value as a reader would say it; `about`, its help, may say what an empty one or zero stands for."""
    if value is None or value == [] or value == "":
        meant = EMPTY.search(about)
        return meant[1] if meant else "none given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value == 0 and (meant := ZERO.search(about)):
        return meant[1]
    if isinstance(value, list):
        return ", ".join(map(said, value))
    return str(value)


def words(name: str) -> str:
    """A parameter's name as words."""
    return name.replace("_", " ")


def breakable(name: str) -> Markup:
    """A parameter's name that a narrow column may break behind an underscore."""
    return Markup("_<wbr>").join(escape(part) for part in name.split("_"))


FILTERS = {"said": said, "words": words, "breakable": breakable, "html": Markup}
