"""Parameter names and values as a reader would say them; used by every template."""

from typing import Any

from markupsafe import Markup as Safe


def said(value: Any) -> str:
    """A parameter's value as a reader would say it."""
    if value is None or value == [] or value == "":
        return "none given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(said, value))
    return str(value)


def words(name: str) -> str:
    """A parameter's name as words."""
    return name.replace("_", " ")


FILTERS = {"said": said, "words": words, "html": Safe}
