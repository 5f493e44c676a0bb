"""Write a report from a notebook: its headline, findings, scope line and figures, and numbers in words.

The text of a report is in its notebook, as f-strings over computed values. What is said through `headline`,
`so_what` and `finding` is shown on the page and recorded in reports/<report>.json with value, range, unit and sources.
Values may be a number, a pair (low, high), or an `Interval`; `span(frame_or_row, "speedup")` reads the columns
`speedup_low` and `speedup_high`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from IPython.display import display

from analysis._core import explorer_links, shared_memory
from analysis._core.citation import cited
from analysis._core.findings import MOST_WORDS, Finding, exactly
from analysis._core.interval import UNKNOWN, Interval, number, span
from analysis._core.named_accelerators import accelerator_named
from analysis._core.notes import NONE, Notes, of_rows, union
from analysis._core.number_words import (
    Value,
    as_interval,
    change,
    count,
    names,
    percent,
    range_text,
    slug,
    usd,
    x_times,
)
from analysis._core.refusal import unexpected
from analysis._core.scope_line import Trust
from analysis._core.vocabulary import round_age
from analysis._display import provenance
from analysis._display.notebook import catalog, parameters_of, read_csv
from analysis._display.provenance import source_line
from analysis._display.tables import MOST, excluded, key, results, table
from analysis.charts.style import figure

__all__ = [
    "MOST", "UNKNOWN", "Interval", "accelerator_named", "catalog", "change", "cited", "count", "exactly", "excluded",
    "figure", "finding", "headline", "key", "names", "number", "of_rows", "parameters_of", "percent", "range_text",
    "read_csv", "results", "scope", "slug", "so_what", "source_line", "span", "table", "usd", "x_times",
]  # fmt: skip


SYSTEMS = 4  # that a finding names


def headline(text: str, *, name: str, unit: str, value: Value | None = None, **more: Any) -> None:
    """Show and record the answer of the report, at most 25 words; arguments as of `finding`.

    Raises ValueError for a longer text: it is set large, on the first screen.
    """
    if (words := len(text.split())) > MOST_WORDS:
        raise ValueError(f"the headline {name!r} has {words} words, at most {MOST_WORDS} fit: {text}")
    finding(text, name=name, unit=unit, value=value, **more)


def so_what(text: str, *, name: str, unit: str, value: Value | None = None, **more: Any) -> None:
    """Show and record the sentence under the headline: what it means in dollars, nodes, watts or time."""
    finding(text, name=name, unit=unit, value=value, **more)


def finding(
    text: str, *, name: str, unit: str, value: Value | None = None, rows: pd.DataFrame | pd.Series | None = None,
    notes: Notes | None = None, sources: Iterable[str] = (), about: str = "", more: str = "",
    values: Mapping[str, tuple[Value, str]] | None = None,
) -> None:  # fmt: skip
    """Show one sentence and record it with its value and unit (in words).

    `name` is snake_case and unique in the report. `rows` are the results behind it: their sources are cited and
    their notes become its caveats, unless `notes` or `sources` say otherwise. `about` names what the value belongs
    to, `values` holds further values with their units (unknown ones are left out), `more` further sentences. Rows with
    submitter, system, and accelerator_count name the systems behind it, SYSTEMS of them. Without a value (None, or a
    span of no rows) the sentence says why there is none. Raises ValueError for a name that is not snake_case or an
    empty text or unit, TypeError for a value or rows of another kind.
    """
    if not isinstance(rows, pd.DataFrame | pd.Series | None):
        raise unexpected("rows", "a frame of results or one row of it", rows)
    shown = pd.DataFrame([rows]) if isinstance(rows, pd.Series) else rows
    if notes is None:
        notes = _notes(shown)
    cites = [*sources] or ([] if shown is None else cited(shown))
    further = {key: (as_interval(amount), unit) for key, (amount, unit) in (values or {}).items()}
    further = {key: (amount, unit) for key, (amount, unit) in further.items() if amount.known}
    provenance.remember(pd.DataFrame({"source_id": cites}, dtype=str))
    if shown is not None:
        provenance.remember(shown)
    known = UNKNOWN if value is None else as_interval(value)
    details = {"more": more, "about": about, "values": further, "systems": _systems(shown)}
    display(Finding(name, known if known.known else None, unit, text, cites, notes, **details))


def scope(rows: pd.DataFrame, *more: str, notes: Notes = NONE, band: str = "") -> None:
    """Show one line that says what the headline rests on: rounds, division, availability and how many systems.

    `rows` are results with the columns `origin`, `round`, `division`, `availability`, `submitter` and `system`;
    figures from documents are counted as such. Rows of one benchmark with accuracy targets have these in the line.
    With `id` and `evidence` the line says what share of the results was recomputed from their logs. `more` are further
    parts in words. The explorer shows the official rows. `band` marks the whole page, such as one made from sample
    data.
    """
    provenance.remember(rows)
    official = shared_memory.where(rows, rows["origin"].eq("official"))
    parts = []
    if len(official):
        rounds = sorted(official["round"].unique(), key=round_age)
        system = official[["system_key"] if "system_key" in official else ["round", "submitter", "system"]]
        of_available = system[official["availability"].eq("available")]
        systems, available = (len(part.drop_duplicates()) for part in (system, of_available))
        parts.append("MLPerf\u00ae Inference " + (rounds[0] if len(rounds) == 1 else f"{rounds[0]} to {rounds[-1]}"))
        parts.append(f"{names(sorted(official['division'].unique()))} division")
        parts += _accuracy_targets(official)
        some = "" if available == systems else f"{available:,} "
        parts.append(f"{count(systems, 'system')}, {some}available")
        if {"id", "evidence"} <= set(official):
            parts.append(_recomputed(official[["id", "evidence"]].drop_duplicates("id")["evidence"].eq("log").mean()))
    if others := len(rows) - len(official):
        parts.append(count(others, "figure") + " from documents")
    display(Trust((*parts, *more) if parts or more else ("no results",), notes, band, explorer_links.around(rows)))


def _systems(rows: pd.DataFrame | None) -> list[str]:
    """The submitted systems of rows in words, each once, SYSTEMS at most and how many more; baselines after them."""
    if rows is None:
        return []
    texts, found = [], 0
    for prefix, lead, size in (("", "", "accelerator_count"), ("baseline_", "baseline ", "baseline_count")):
        columns = [f"{prefix}{each}" for each in ("submitter", "system", "round")]
        if {*columns, size} <= set(rows):
            ids = rows.get(f"{prefix}result_id", pd.Series("", rows.index))
            cells = (each.tolist() for each in (*(rows[name] for name in columns), rows[size].fillna(0), ids))
            named = list(dict.fromkeys(each for each in zip(*cells, strict=True) if "" not in each[:2]))
            found += len(named)
            for submitter, system, round, number, result_id in named[:SYSTEMS]:
                about = ", ".join(filter(None, [f"{number:.0f}x" if number else "", round, result_id]))
                texts.append(f"{lead}{submitter}: {system} ({about})")
    return [*texts[:SYSTEMS], *[f"and {found - SYSTEMS} more"] * (found > SYSTEMS)]


def _accuracy_targets(rows: pd.DataFrame) -> list[str]:
    """The accuracy targets of one benchmark in words, the strictest first: it counts where a system has several."""
    if not {"benchmark", "accuracy_target"} <= set(rows) or rows["benchmark"].nunique() > 1:
        return []
    targets = sorted(set(rows["accuracy_target"]) - {""}, key=float, reverse=True)
    return [f"accuracy target {'%, else '.join(targets)}%"] * bool(targets)


def _recomputed(share: float) -> str:
    """How many results were recomputed from their logs, in words; a share that is not all or none never reads so."""
    words = {0: "none", 1: "all"}.get(share) or percent(min(max(share, 0.01), 0.99))
    return f"recomputed from logs: {words}"


def _notes(rows: pd.DataFrame | None) -> Notes:
    if rows is None or "notes" not in rows:
        return NONE
    return of_rows(rows) if "accelerator" in rows else union(rows["notes"])


def __dir__() -> list[str]:
    return sorted(__all__)
