"""Tables for reading: a frame becomes an HTML table with units in its headers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis._core import html_table, interval, notes
from analysis._core.choices import not_among
from analysis._core.html_table import FOLD, Key, Table
from analysis._core.notes import Notes
from analysis._core.refusal import unexpected
from analysis._display import provenance
from analysis.comparability.selection import Comparison

__all__ = ["FOLD", "MOST", "Key", "Table", "excluded", "key", "results", "table"]

UNKNOWN = "not known"
MOST = 40  # rows that a page lists of a table that may have any number of them


def table(
    frame: pd.DataFrame,
    title: str,
    columns: Mapping[str, str],
    digits: int | None = 3,
    most: int | None = None,
    blank: str = UNKNOWN,
) -> Table:
    """The columns of `frame` named in `columns` (column -> header with its unit), in that order, as a table.

    A name that is the stem of `<name>_low` and `<name>_high` becomes one column with the range in words; numbers
    are right-aligned, and the notes of a column `notes` are in words behind a sign, those of a column `<name>_notes`
    as marks behind the range, `blank` where there is none. Cells are text: markup in data is shown, not run. An empty
    frame says that it is empty.
    `digits` are those of a range, None for as many as it has (interval.text). Of more than `most` rows
    (None: any number) the first are shown, and the title says of how many. Raises KeyError for a name
    that `frame` does not have, TypeError for what is no frame or no mapping.
    """
    if not isinstance(frame, pd.DataFrame):
        raise unexpected("frame", "a frame", frame)
    if not isinstance(columns, Mapping):
        raise unexpected("columns", "a dict, the header of each column by its name", columns)
    if frame.empty:
        return html_table.empty(title)
    if most is not None and len(frame) > most:
        title, frame = f"{title}, the first {most:,} of {len(frame):,}", frame.head(most)
    texts = pd.DataFrame({header: _cells(frame, name, digits, blank) for name, header in columns.items()})
    noted = {header: frame[f"{name}_notes"] for name, header in columns.items() if f"{name}_notes" in frame}
    marks = _marks(noted, frame["accelerator" if "accelerator" in frame else next(iter(columns))]) if noted else {}
    numeric = [header for name, header in columns.items() if _is_numeric(frame, name)]
    return html_table.render(texts, title, numeric, _values(frame, texts, columns), marks)


def results(chosen: Comparison) -> Table:
    """The rows compared, MOST at most: system, accelerators, rate as published and per accelerator, where it is."""
    unit = chosen.per_second
    columns = {
        "accelerator": "Accelerator",
        "accelerator_count": "Count",
        "per_accelerator": f"Per accelerator ({unit})",
        "rate": f"System ({unit})",
        "submitter": "Submitter",
        "basis": "Basis",
        "result_id": "Result id",
        "notes": "Caveat",
    }
    provenance.remember(chosen.rows)
    rows = chosen.rows.sort_values("per_accelerator_high", ascending=False, kind="stable")
    return table(rows, f"Compared: {chosen.topic}", columns, digits=None, most=MOST)


def excluded(chosen: Comparison) -> Table:
    """What was excluded, and why: one row per reason, that of most results first."""
    columns = {"reason": "Why", "results": "Results", "accelerators": "Accelerators"}
    rows = chosen.excluded.sort_values("results", ascending=False, kind="stable")
    return table(rows, f"Excluded: {chosen.topic}", columns)


def _values(frame: pd.DataFrame, texts: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """The columns as numbers, a range as two columns; what is no number as its words."""
    values = {}
    for name, header in columns.items():
        if name not in frame:
            values |= {f"{header}, {end}": frame[f"{name}_{end}"].to_numpy() for end in ("low", "high")}
        else:
            values[header] = frame[name].to_numpy() if _is_numeric(frame, name) else texts[header].to_numpy()
    return pd.DataFrame(values)


def _marks(noted: Mapping[str, pd.Series], names: pd.Series) -> dict[str, list[str]]:
    """The marks behind the cells of each column, from the notes of its cells; `names` tells the rows apart."""
    rows = pd.DataFrame({"name": names, "notes": [notes.union(cells) for cells in zip(*noted.values(), strict=True)]})
    of_all = notes.of_rows(rows, "name")
    return {header: [notes.marks(own, of_all) for own in cells] for header, cells in noted.items()}


def key(notes_shown: Notes, *more: tuple[str, str]) -> Key:
    """What the marks of these notes mean, notes without a mark, and what `more` signs do: `(sign, words)`."""
    legend = [(entry["mark"], entry["bare"] if entry["mark"] else entry["words"]) for entry in notes.key(notes_shown)]
    return Key([*sorted(legend, key=lambda line: not line[0]), *more])


def _cells(frame: pd.DataFrame, name: str, digits: int | None, blank: str) -> list[str]:
    if name == "notes":
        return [notes.worded(value) for value in frame[name]]
    if name in frame:
        return [_cell(value) for value in frame[name]]
    if f"{name}_low" not in frame or f"{name}_high" not in frame:
        stems = list(dict.fromkeys(column.removesuffix("_low").removesuffix("_high") for column in frame))
        raise KeyError(f"no column {not_among(name, stems)}")
    ends = interval.of(frame, name)
    are_known = ends.low.notna() & ends.high.notna()
    ranges = zip(ends.low, ends.high, are_known, strict=True)
    return [interval.text(low, high, digits) if is_known else blank for low, high, is_known in ranges]


def _cell(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "not known" if pd.isna(value) else interval.number(value)
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    return "" if value is None or value is pd.NA else str(value)


def _is_numeric(frame: pd.DataFrame, name: str) -> bool:
    kinds = pd.api.types
    return name not in frame or (kinds.is_numeric_dtype(frame[name]) and not kinds.is_bool_dtype(frame[name]))
