"""Tables for reading: a frame becomes an HTML table with units in its headers; choosing rows does not belong here."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Mapping

import numpy as np
import pandas as pd
from great_tables import GT, loc, style

from analysis import interval
from analysis.comparable import Comparison

FOLD = 8  # rows above which a table is folded away behind its title


class Table:
    """A finished table: HTML for the report, plain text for a reader without it."""

    def __init__(self, title: str, cells: pd.DataFrame, markup: str) -> None:
        fold = f'<details class="table"><summary>{html.escape(title)} ({len(cells)} rows)</summary>{markup}</details>'
        self.title, self.cells, self.markup = title, cells, fold if len(cells) > FOLD else markup

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        rows = [" | ".join(row) for row in [self.cells.columns, *self.cells.itertuples(index=False)] if len(row)]
        return {"text/html": self.markup, "text/plain": "\n".join([self.title, *rows])}


def show(frame: pd.DataFrame, title: str, columns: Mapping[str, str], digits: int | None = 3) -> Table:
    """The columns of `frame` named in `columns` (column -> header with its unit), in that order, as a table.

    A name that is the stem of `<name>_low` and `<name>_high` becomes one column with the range in words; numbers
    are right-aligned. Cells are text: markup in data is shown, not run. An empty frame says that it is empty.
    `digits` are those of a range, None for as many as it has (interval.text). Raises KeyError for a
    name that `frame` does not have.
    """
    if frame.empty:
        said = f"{title}: nothing to show for these parameters."
        return Table(said, pd.DataFrame(), f'<p class="nothing">{html.escape(said)}</p>')
    cells = pd.DataFrame({header: _cells(frame, name, digits) for name, header in columns.items()})
    numeric = [header for name, header in columns.items() if _is_numeric(frame, name)]
    identity = "t" + hashlib.sha256("|".join([title, *columns.values()]).encode()).hexdigest()[:8]
    table = GT(cells, id=identity).tab_header(title=title).cols_align("left")
    table = table.cols_align("right", columns=numeric) if numeric else table
    table = table.tab_options(table_font_size="0.875rem", table_width="100%", heading_align="left")
    table = table.tab_style(style.text(weight="bold"), loc.column_labels())
    return Table(title, cells, table.as_raw_html())


def results(chosen: Comparison) -> Table:
    """The rows compared: system, accelerators, rate as published and per accelerator, where each stands."""
    unit = chosen.unit.replace("/s", " per second")
    columns = {
        "accelerator": "Accelerator",
        "accelerator_count": "Count",
        "per_accelerator": f"Per accelerator ({unit})",
        "rate": f"System ({unit})",
        "submitter": "Submitter",
        "basis": "Basis",
        "result_id": "Result id",
        "caveat": "Caveat",
    }
    rows = chosen.rows.sort_values("per_accelerator_high", ascending=False, kind="stable")
    return show(rows, f"Compared: {chosen.topic}", columns, digits=None)


def left_out(chosen: Comparison) -> Table:
    """What was left out, and why: one row per reason."""
    columns = {"reason": "Why", "results": "Results", "accelerators": "Accelerators"}
    return show(chosen.left_out, f"Left out: {chosen.topic}", columns)


def _cells(frame: pd.DataFrame, name: str, digits: int | None) -> list[str]:
    if name in frame:
        return [_cell(value) for value in frame[name]]
    ends = interval.of(frame, name)
    return [interval.text(low, high, digits) for low, high in zip(ends.low, ends.high, strict=True)]


def _cell(value: object) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "not known" if pd.isna(value) else interval.number(value)
    return "" if value is None or value is pd.NA else str(value)


def _is_numeric(frame: pd.DataFrame, name: str) -> bool:
    kinds = pd.api.types
    return name not in frame or (kinds.is_numeric_dtype(frame[name]) and not kinds.is_bool_dtype(frame[name]))
