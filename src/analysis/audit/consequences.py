"""Conclusions that rest on doubtful figures, beside those from official results."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from analysis._core.notes import Note, note
from analysis._core.plain_values import as_dicts
from analysis.audit import against_record, arithmetic, sizes, verdict
from analysis.methods import speedup

COLUMNS = ["about", "basis", "accelerator", "conclusion", "printed_low", "printed_high", "official_low"]
COLUMNS += ["official_high", "unit", "notes", "source_ids"]


def conclusions(rows: pd.DataFrame, baseline: str, judged: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Return one row per conclusion that rests on a doubtful figure, with COLUMNS; a missing official range is NaN.

    `rows` are comparable rows of published and official results, `judged` the audit's, `labels` those of the documents.
    Watts have a row only where the printed range excludes the measured ones.
    """
    wrong = judged[judged["verdict"].eq("contradicted")]
    sizing = wrong[wrong["check"].eq(sizes.OFFICIAL_SIZING)]
    power = wrong[wrong["check"].isin([arithmetic.WATTS, against_record.POWER])]
    records = [
        *_speedups(rows, baseline),
        *_wrong(sizing, "sizing", "rate_contradicts_record", labels),
        *_wrong(power, "power", "contradicts_meter", labels),
    ]
    return pd.DataFrame(records, columns=COLUMNS)


def _speedups(rows: pd.DataFrame, baseline: str) -> Iterator[tuple]:
    """Yield speedups within a document one of whose two figures is doubtful, beside the official ones."""
    speedups = speedup.over_baseline(rows, baseline)
    official = speedups[speedups["origin"].eq("official")]
    doubts = rows[rows["doubt"].ne("")].groupby(["basis", "accelerator"])["doubt"].first()
    documents = speedups[speedups["accelerator"].ne(baseline) & speedups["origin"].ne("official")]
    for row in as_dicts(documents):
        sides = [doubts.get((row["basis"], name), "") for name in (row["accelerator"], baseline)]
        if any(sides):
            official_rows = official[official["accelerator"].eq(row["accelerator"])]
            official_ends = (official_rows["speedup_low"].min(), official_rows["speedup_high"].max())
            doubt = frozenset(Note(code) for code in sides if code)
            words = f"{row['accelerator']} over {baseline}"
            ends = (row["speedup_low"], row["speedup_high"], *official_ends)
            yield "speedup", row["basis"], row["accelerator"], words, *ends, "ratio", doubt, row["source_ids"]


def _wrong(judged: pd.DataFrame, about: str, code: str, labels: dict[str, str]) -> Iterator[tuple]:
    """Yield what the audit contradicts, each at its place."""
    for row in as_dicts(judged):
        ends = (row[name] for name in verdict.ENDS)
        basis, doubt = labels[row["source_id"]], frozenset({note(code)})
        yield about, basis, "", row["locator"], *ends, row["unit"], doubt, (row["source_id"],)
