"""What all pages share: the policy by which a browser loads nothing from elsewhere, and the style sheet."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

from markupsafe import Markup

TEMPLATES = Path(__file__).with_name("templates")
POLICY = Markup(
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'"
)


def script_hash(script: str) -> str:
    """Return what a policy names to allow this script and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@cache
def style() -> Markup:
    """Return the style sheet."""
    return Markup((TEMPLATES / "style.css").read_text(encoding="utf-8"))
