"""The templates of pages and lists, and how a list is filled in."""

import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis._core.file_contents import sha256
from analysis._build.page.parameter_words import FILTERS

TEMPLATES = Path(__file__).with_name("template")
POLICY = "default-src 'none';"  # how the policy of every page begins
_NAME = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>|MLPerf(?P<mark>\u00ae|<sup>\u00ae</sup>)?", re.DOTALL)


def fill(
    kind: str, filters: dict[str, Callable[..., Any]] | None = None, scripts: tuple[str, ...] = (), **values: Any
) -> str:
    """The index page of a kind (`list` or `sweep`) as HTML; `filters` are its own beside those for parameters.

    `scripts` are files of the kind's folder or of `shared`, run one behind the other: the page's policy allows them by
    the hash of their text, and no other.
    """
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(loader=FileSystemLoader([TEMPLATES / kind, TEMPLATES / "shared"]), autoescape=True)
    environment.filters |= FILTERS | (filters or {})
    script = "\n".join(environment.loader.get_source(environment, name)[0] for name in scripts)
    html = environment.get_template("index.html.j2").render(values, script=script)
    return allowing(registered(html), script)


def registered(html: str) -> str:
    """The page with the sign of a registered trademark at the first use of the name in its text."""
    for found in _NAME.finditer(html, html.find("<body")):
        if found.group().startswith("MLPerf"):
            return html if found["mark"] else f"{html[: found.end()]}\u00ae{html[found.end() :]}"
    return html


def shared(name: str) -> str:
    """The text of a file that all kinds of pages share."""
    return (TEMPLATES / "shared" / name).read_text(encoding="utf-8")


def allowing(html: str, *scripts: str) -> str:
    """The page with a policy that allows these scripts by the hashes of their texts; without any as it is."""
    hashes = " ".join(f"'sha256-{_encoded(script)}'" for script in scripts if script)
    return html.replace(POLICY, f"{POLICY} script-src {hashes};", 1) if hashes else html


def _encoded(script: str) -> str:
    return b64encode(bytes.fromhex(sha256(script))).decode()
