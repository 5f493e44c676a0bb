"""What each compared row must still say: the rules of core.notes applied to rows of one comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from analysis.core.notes import KINDS, Notes, Row, Setting, note


class _View(Mapping[str, Any]):
    """One row of a frame; of its columns only those that a rule asks for are turned into plain values, once for all."""

    def __init__(self, rows: pd.DataFrame, place: int, columns: dict[str, list]) -> None:
        self._rows, self._place, self._columns = rows, place, columns

    def __getitem__(self, name: str) -> Any:
        if name not in self._columns:
            self._columns[name] = self._rows[name].tolist()
        return self._columns[name][self._place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows.columns)


def of_each(rows: pd.DataFrame, suite: str, division: str) -> pd.Series:
    """The notes of each row, a set of core.notes.Note: of a comparison within a suite ("": all) and a division.

    A rule may ask for any column of `rows`; `doubt` is the code of what the audit doubts, "" for nothing.
    """
    columns: dict[str, list] = {}
    views = [_View(rows, place, columns) for place in range(len(rows))]
    setting = _setting(views, suite, division)
    return pd.Series([_of_row(row, setting) for row in views], index=rows.index, dtype="object")


def of_doubts(rows: pd.DataFrame) -> pd.Series:
    """What the audit doubts about each row (`doubt`, a code or ""), as its only note."""
    return pd.Series([_doubt(code) for code in rows["doubt"]], index=rows.index, dtype="object")


def _of_row(row: Row, setting: Setting) -> Notes:
    rules = ((own, own.holds(row, setting)) for own in KINDS.values() if own.holds)
    return frozenset(note(own.code, **values) for own, values in rules if values is not None) | _doubt(row["doubt"])


def _doubt(code: str) -> Notes:
    return frozenset({note(code)}) if code else frozenset()


def _setting(rows: list[_View], suite: str, division: str) -> Setting:
    """The usual size is the number of accelerators that most systems have, the larger where two are as frequent."""
    counts = Counter(row["accelerator_count"] for row in rows if row["per"] == "system")
    usual = max(counts, key=lambda size: (counts[size], size), default=0)
    sized = frozenset((row["basis"], row["accelerator"]) for row in rows if row["accelerator_count"] == usual)
    return Setting(suite, division, usual, sized)
