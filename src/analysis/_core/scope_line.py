"""The trust line: what an answer rests on, said once."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from analysis._core import mime
from analysis._core import notes as wording
from analysis._core.notes import NONE, Notes


@dataclass(frozen=True)
class Trust:
    """What an answer rests on: its `parts` in words, and the notes that it is to be read with.

    `view` is the address of a page that shows the rows behind the answer ("" for none). `band` is set over the whole
    page where its figures must not be taken for real ones ("" for nothing). Raises ValueError for a line without parts.
    """

    parts: tuple[str, ...]
    notes: Notes = NONE
    band: str = ""
    view: str = ""

    def __post_init__(self) -> None:
        if not all(self.parts) or not self.parts:
            raise ValueError(f"a trust line needs its parts in words, got {self.parts!r}")

    @property
    def text(self) -> str:
        """The parts as one line without a full stop."""
        return ", ".join(self.parts)

    def record(self) -> dict[str, Any]:
        """The line as JSON holds it: parts, notes, band, view."""
        notes = [note.record() for note in wording.ordered(self.notes)]
        return {"parts": list(self.parts), "notes": notes, "band": self.band, "view": self.view}

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """In a notebook the notes are in words below the line; a page lists those of all that it shows once."""
        words = "".join(f"<li>{html.escape(text)}</li>" for text in wording.texts(self.notes))
        below = f'<ul class="notes">{words}</ul>' if words else ""
        band = f'<p class="band">{html.escape(self.band)}</p>' if self.band else ""
        line = f'{band}<p class="trust">{html.escape(self.text)}</p>{below}'
        return {mime.TRUST: self.record(), mime.HTML: line, mime.PLAIN: self.text}
