"""A finding: one computed value with its range, the headline that says it, and what must be said with it.

A finding shown in a notebook is also recorded: its output carries the finding as JSON, which the report engine
collects into reports/<report>.json and which nbval compares with the stored notebook.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis._core import mime
from analysis._core import notes as wording
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes

MOST_WORDS = 25  # of an answer, which is read on the first screen, set large
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Finding:
    """A named value in `unit` (in words), said in one `headline`, which is the title of a figure that shows it.

    `value` is None where the chosen rows leave nothing to compute; the headline then says so. `about` names what the
    value is of, where that is part of the finding, as which input is the leading one. `values` are further values that
    the headline says, by name, each with its unit. `more` are further words behind the headline, `notes` what must be
    said with it, `sources` the ids of what it rests on, `systems` the submitted systems, in words. Raises ValueError
    for a name that is not snake_case, an empty unit or headline, and a value that is no range, low to high.
    """

    name: str
    value: Interval | None
    unit: str
    headline: str
    sources: Sequence[str] = ()
    notes: Notes = NONE
    more: str = ""
    about: str = ""
    values: Mapping[str, tuple[Interval, str]] = field(default_factory=dict)
    systems: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"finding name {self.name!r} is not snake_case")
        if not self.unit or not self.headline:
            raise ValueError(f"finding {self.name!r} needs a unit in words and a headline")
        for value in (self.value, *(value for value, _ in self.values.values())):
            if value is not None and not (value.known and value.low <= value.high):
                raise ValueError(f"finding {self.name!r}: {value.low} to {value.high} is no range, low to high")

    @property
    def sentence(self) -> str:
        """The headline and the further words, without the notes."""
        return f"{self.headline} {self.more}".strip()

    @property
    def said(self) -> str:
        """The sentence with its notes behind it, a sentence of their own."""
        end = "." * (bool(self.notes) and not self.sentence.endswith((".", "?", "!")))
        return f"{self.sentence}{end} {self._caveat}".strip()

    def record(self) -> dict[str, Any]:
        """The finding as JSON holds it: values to nine significant digits, sources sorted, each once.

        `sentence` is all of it in words, `caveats` the notes in words; `headline`, `notes`, `about` and `values` are
        the same as data.
        """
        return {
            "name": self.name,
            "low": _nine_digits(self.value.low if self.value else None),
            "high": _nine_digits(self.value.high if self.value else None),
            "unit": self.unit,
            "headline": self.headline,
            "sentence": self.said,
            "sources": sorted(set(self.sources)),
            "caveats": wording.texts(self.notes),
            "notes": [note.record() for note in wording.ordered(self.notes)],
            "about": self.about,
            "systems": list(self.systems),
            "values": [
                {"name": name, "low": _nine_digits(value.low), "high": _nine_digits(value.high), "unit": unit}
                for name, (value, unit) in self.values.items()
            ],
        }

    @property
    def _caveat(self) -> str:
        return f"Caveat: {wording.worded(self.notes)}." if self.notes else ""

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return {
            mime.FINDING: self.record(),
            mime.HTML: f'<p class="finding">{self._markup()}</p>',
            mime.PLAIN: self.said,
        }

    def _markup(self) -> str:
        """The sentence, and behind it short caveats, each with its full words as a tooltip."""
        told: dict[str, list[str]] = {}
        for note in wording.ordered(self.notes):
            if note.label:
                told.setdefault(note.label, []).append(note.text)
        labels = "".join(
            f' <span class="caveat" title="{html.escape("; ".join(texts))}">{html.escape(label)}</span>'
            for label, texts in told.items()
        )
        return html.escape(self.sentence) + labels


def exactly(value: float) -> Interval:
    """The value of a finding that is one number, not a range."""
    return Interval(value, value)


def _nine_digits(value: float | None) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.9g}")
