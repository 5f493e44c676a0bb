"""Markdown cells to HTML: headings with ids and in order, tables with scopes, raw HTML shown as text."""

from dataclasses import dataclass
from typing import Any

import latex2mathml.converter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from analysis._build.page.errors import ReportFailed
from analysis._build.page.markup import Markup, anchor


@dataclass(frozen=True)
class Heading:
    """A heading of the page: its level (2 to 6), its id and its text."""

    level: int
    id: str
    text: str


class Headings:
    """All headings of one page in order, each with a unique id, no level skipped."""

    def __init__(self, reserved: set[str]) -> None:
        self.all: list[Heading] = []
        self._taken = set(reserved)

    def add(self, level: int, text: str) -> Heading:
        """Enter a heading; one that skips levels, as `####` below `##`, is raised to the next one."""
        before = self.all[-1].level if self.all else 1
        heading = Heading(min(max(level, 2), before + 1), self._unique(text), text)
        self.all.append(heading)
        return heading

    def _unique(self, text: str) -> str:
        slug = anchor(text) or "section"
        number, name = 1, slug
        while name in self._taken:
            number += 1
            name = f"{slug}-{number}"
        self._taken.add(name)
        return name


class _Renderer(IPythonRenderer):
    """nbconvert's renderer with our headings; the question (`# h1`) and scope are kept aside, not rendered."""

    def __init__(self, headings: Headings, first: bool, **options: Any) -> None:
        super().__init__(escape=True, allow_harmful_protocols=False, **options)
        self._headings, self._first = headings, first
        self.question = self.scope = ""

    def heading(self, text: str, level: int, **_: Any) -> str:
        if level == 1 and self._first and not self.question:
            self.question = text
            return ""
        heading = self._headings.add(level, Markup(text).text)
        return f'<h{heading.level} id="{heading.id}">{text}</h{heading.level}>\n'

    def inline_math(self, body: str) -> str:
        return _math(body, "inline") or super().inline_math(body)

    def block_math(self, body: str) -> str:
        return _math(body, "block") or super().block_math(body)

    def paragraph(self, text: str) -> str:
        if self.question and not self.scope:
            self.scope = text
            return ""
        return super().paragraph(text)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        if not url.startswith(("attachment:", "data:")):
            raise ReportFailed(f"The image {url!r} lies outside the notebook: attach it, or draw it in a code cell")
        return super().image(text, url, title)

    def table(self, text: str) -> str:
        return f'<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>\n{text}</table></div>\n'

    def table_cell(self, text: str, align: str | None = None, head: bool = False) -> str:
        tag, scope = ("th", ' scope="col"') if head else ("td", "")
        style = f' style="text-align:{align}"' if align else ""
        return f"<{tag}{scope}{style}>{text}</{tag}>\n"


def _math(body: str, display: str) -> str:
    """LaTeX as MathML; "" for what is none."""
    try:
        return latex2mathml.converter.convert(body, display=display)
    except Exception:  # It raises whatever its parser meets; the formula is then shown as it is written.
        return ""


def render(cell: Any, headings: Headings, first: bool = False) -> tuple[str, str, str]:
    """A Markdown cell as HTML, with the question and the scope (HTML too) where it is the first one.

    LaTeX becomes MathML, which needs no script. Raises ReportFailed for an image outside the notebook.
    """
    renderer = _Renderer(headings, first, attachments=cell.get("attachments", {}))
    html = MarkdownWithMath(renderer=renderer).render(cell["source"])
    return html, renderer.question, renderer.scope
