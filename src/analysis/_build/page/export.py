"""An executed notebook to one self-contained HTML page, through nbconvert and our template."""

import io
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

from jinja2 import Environment
from markupsafe import Markup as Safe
from nbconvert.exporters import TemplateExporter
from pygments import highlight as highlighted
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from analysis._core import mime
from analysis._core.result_ids import by_round
from analysis._build.page.errors import ReportFailed
from analysis._build.page.markup import parsed
from analysis._build.page.page import installed, prepare
from analysis._build.page.parameter_words import FILTERS
from analysis._build.page.record import outputs
from analysis._build.page.templates import TEMPLATES, allowing, registered

_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_ID = re.compile(r"<[a-z][^>]*?\sid=[\"']?([^\"'\s>]+)", re.IGNORECASE)
_HEADING = re.compile(r"<h([1-6])\b", re.IGNORECASE)
_BOX = re.compile(r'viewBox="\S+ \S+ (\S+) ([^"\s]+)"')  # of a drawing: its width and height
_one_at_a_time = threading.Lock()


class PageExporter(TemplateExporter):
    """nbconvert with our template, and with everything escaped that isn't marked as HTML."""

    output_mimetype = mime.HTML
    file_extension = ".html"
    default_preprocessors: list[Any] = []  # noqa: RUF012 - a trait's value, as nbconvert declares it
    export_from_notebook = "Report page"

    def __init__(self, **options: Any) -> None:
        folder = TEMPLATES
        super().__init__(
            template_name="report",
            extra_template_basedirs=[str(folder)],
            extra_template_paths=[str(folder / "shared")],
            **options,
        )

    def _create_environment(self) -> Environment:
        environment = super()._create_environment()
        environment.autoescape = True
        environment.filters |= filters()
        return environment


def page(notebook: Any, stated: dict[str, Any], up: str = "") -> str:
    """The page of an executed notebook as HTML text; the same text for the same input.

    `stated` is the report's record, `up` the way from its folder to that of all reports ("" or "../"). Raises
    ReportFailed where something cannot be shown properly: no question, no answer, a figure without alt text, an id that is
    repeated.
    """
    shown, facts = prepare(notebook, stated, up)
    with _one_at_a_time:  # An exporter keeps state, and rendering is all under the interpreter's lock anyway.
        html, _ = _exporter().from_notebook_node(shown, resources={"page": facts})
    _check(html)
    return allowing(registered(html), facts["live"].get("script", ""), facts["sort"])


@cache
def load() -> None:
    """Import and compile what a first page needs, and what only it would wait for."""
    with _one_at_a_time:
        for name in ("report", "shared"):
            for path in (TEMPLATES / name).glob("*.j2"):
                _exporter().environment.get_template(path.name)
        _code("x = 1")
        installed()


def highlight(code: Iterable[str]) -> None:
    """Highlight the code of cells that a page is going to show, so that it finds that done."""
    for source in code:
        _code(source)


def filters() -> dict[str, Any]:
    """The filters that our templates use beside nbconvert's."""
    own = {
        "code": _code,
        "shape": _shape,
        "has_table": lambda html: parsed(html).has("table"),
        "by_round": by_round,
    }
    return FILTERS | own


@lru_cache(maxsize=1024)  # The reports of a sweep have one code; all others of one build fit in too.
def _code(source: str) -> Safe:
    return Safe(highlighted(source, *_highlighting()))


def _shape(svg: str) -> Safe:
    """Width over height of a drawing as a style's value, by which print keeps a tall one on one page."""
    box = _BOX.search(svg)
    return Safe(' style="--shape:{:.3f}"').format(float(box[1]) / float(box[2])) if box and float(box[2]) else Safe("")


def _check(html: str) -> None:
    """Raise ReportFailed for an id that is repeated in a page, and for headings out of order."""
    html = _UNSEEN.sub("", html)
    twice = sorted(name for name, count in Counter(_ID.findall(html)).items() if count > 1)
    if twice:
        raise ReportFailed(f"The id {twice[0]!r} stands in the page more than once: give each table its own title")
    levels = [int(level) for level in _HEADING.findall(html)]
    if levels.count(1) != 1 or any(after > before + 1 for before, after in pairwise(levels)):
        raise ReportFailed(f"The page's headings are out of order: levels {levels}")


@cache
def _exporter() -> PageExporter:
    return PageExporter()


@cache
def _highlighting() -> tuple[PythonLexer, HtmlFormatter]:
    """What nbconvert's filter makes anew for each cell, as it makes it."""
    return PythonLexer(), HtmlFormatter(cssclass=" highlight hl-python3")
