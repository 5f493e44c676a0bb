"""A finding: one computed value with its range and the sentence that says it; computing values does not belong here.

A finding shown in a notebook is also recorded: its output carries the finding as JSON, which the report engine
collects into reports/<report>.json and which nbval compares with the stored notebook.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from IPython.display import display

MIME = "application/vnd.analysis.finding+json"
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Finding:
    """A named value, `low` to `high` in `unit` (in words), said in one sentence.

    `low` and `high` are None where the chosen rows leave nothing to compute; the sentence then says so.
    Raises ValueError for a name that is not snake_case, an empty unit or sentence, or low above high.
    """

    name: str
    low: float | None
    high: float | None
    unit: str
    sentence: str
    sources: Sequence[str] = ()
    caveats: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"finding name {self.name!r} is not snake_case")
        if not self.unit or not self.sentence:
            raise ValueError(f"finding {self.name!r} needs a unit in words and a sentence")
        if (self.low is None) != (self.high is None) or (self.low is not None and not self.low <= self.high):
            raise ValueError(f"finding {self.name!r}: {self.low} to {self.high} is no range, low to high")

    def record(self) -> dict[str, Any]:
        """The finding as JSON holds it: values to nine significant digits, sources sorted, each once."""
        return {
            "name": self.name,
            "low": _nine_digits(self.low),
            "high": _nine_digits(self.high),
            "unit": self.unit,
            "sentence": self.said,
            "sources": sorted(set(self.sources)),
            "caveats": list(dict.fromkeys(self.caveats)),
        }

    @property
    def said(self) -> str:
        """The sentence with its caveats behind it."""
        caveats = list(dict.fromkeys(self.caveats))
        return f"{self.sentence} Caveat: {'; '.join(caveats)}." if caveats else self.sentence

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {
            MIME: self.record(),
            "text/html": f'<p class="finding">{self._markup()}</p>',
            "text/plain": self.said,
        }

    def _markup(self) -> str:
        """The sentence, and behind it the caveats with a sign that a screen reader leaves out."""
        caveats = self.said.removeprefix(self.sentence).strip()
        sign = '<span aria-hidden="true">&#9888;&#65038;</span>'
        words = f' <span class="caveat">{sign} {html.escape(caveats)}</span>' if caveats else ""
        return html.escape(self.sentence) + words


def nothing(name: str, unit: str, why: str) -> Finding:
    """The finding of a choice that leaves no comparable row: no value, and the reason as its sentence."""
    return Finding(name, None, None, unit, why)


def show(*findings: Finding) -> None:
    """Display the findings in order and record them. Raises ValueError when two share a name."""
    names = [finding.name for finding in findings]
    if len(set(names)) != len(names):
        raise ValueError(f"findings share a name: {', '.join(names)}")
    for finding in findings:
        display(finding)


def _nine_digits(value: float | None) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.9g}")
