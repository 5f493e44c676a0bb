"""The templates of pages and lists, and how a list is filled in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis.engine.page.parameter_words import FILTERS

TEMPLATES = Path(__file__).with_name("template")


def fill(kind: str, filters: dict[str, Callable[..., Any]] | None = None, **values: Any) -> str:
    """The index page of a kind (`list` or `sweep`) as HTML; `filters` are its own beside those for parameters."""
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(loader=FileSystemLoader([TEMPLATES / kind, TEMPLATES / "shared"]), autoescape=True)
    environment.filters |= FILTERS | (filters or {})
    return environment.get_template("index.html.j2").render(values)
