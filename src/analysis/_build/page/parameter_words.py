"""Parameter names, values and help as a reader would say them."""

import io
import re
import tokenize
from typing import Any

from markupsafe import Markup, escape

from analysis._core.cell_lists import first_of
from analysis._core.notebook_cells import assigned

EMPTY = re.compile(r"\bempty(?: for|:) (.+)")
ZERO = re.compile(r"\b(?:zero|0): (.+)")
RANGE = re.compile(r"\blow and high\b|\brange\b")
NAMED = 12  # values of a list that a page names; its JSON file has all
UNITS = {
    "usd": "US dollars",
    "ms": "(ms)",
    "gb": "(GB)",
    "ttft": "time to first token",
    "tpot": "time per output token",
}


def value_words(value: Any, about: str = "") -> str:
    """A parameter's value as a reader would say it.

    `about`, its help, may say what an empty one or zero represents, and that two numbers are a range.
    """
    if value is None or value == [] or value == "":
        meant = EMPTY.search(about)
        return meant[1] if meant else "none given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        meant = None if value else ZERO.search(about)
        return meant[1] if meant else _number(value)
    if isinstance(value, list):
        texts = [value_words(each) for each in value]
        return " to ".join(texts) if len(texts) == 2 and RANGE.search(about) else first_of(texts, NAMED)
    return str(value)


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:,}"


def words(name: str) -> str:
    """A parameter's name as words, its unit written out."""
    return " ".join(UNITS.get(part, part) for part in name.split("_"))


def breakable(name: str) -> Markup:
    """A parameter's name that a narrow column may break behind an underscore."""
    return Markup("_<wbr>").join(escape(part) for part in name.split("_"))


def parameter_help(source: str) -> dict[str, str]:
    """The comment behind each parameter of a parameters cell, by name."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = {t.start[0]: t.string.lstrip("# ").strip() for t in tokens if t.type == tokenize.COMMENT}
    return {name: comments[node.end_lineno] for name, node in assigned(source) if node.end_lineno in comments}


FILTERS = {"value_words": value_words, "words": words, "breakable": breakable, "html": Markup}
