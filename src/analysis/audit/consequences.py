"""What doubtful figures mean for the other reports: the conclusions that rest on them, and the official ones."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from analysis.audit import against_record, arithmetic, sizes, verdict
from analysis.core.notes import Note, note
from analysis.themes import speedup

COLUMNS = ["report", "conclusion", "printed_low", "printed_high", "official_low", "official_high", "unit"]
COLUMNS += ["notes", "source_ids"]


def conclusions(rows: pd.DataFrame, baseline: str, gains: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """One row per conclusion that rests on a doubtful figure, in COLUMNS; an official range that is missing is NaN.

    `rows` are comparable rows of published and official results, `gains` those of quantization.gains, `judged` the
    audit's. Power efficiency rests on none where its printed watts hold the measured ones, and has no row then.
    """
    wrong = judged[judged["verdict"].eq("contradicts")]
    sizing = wrong[wrong["check"].eq(sizes.OFFICIAL_SIZING)]
    power = wrong[wrong["check"].isin([arithmetic.WATTS, against_record.POWER])]
    made = [
        *_speedups(rows, baseline),
        *_gains(gains),
        *_wrong(sizing.assign(place="the document's example"), "real_world_derating", "rate_contradicts_record"),
        *_wrong(power.assign(place=power["locator"]), "power_efficiency", "contradicts_meter"),
    ]
    return pd.DataFrame(made, columns=COLUMNS)


def _speedups(rows: pd.DataFrame, baseline: str) -> Iterator[tuple]:
    """Speedups within a document one of whose two figures is doubtful, beside the official ones."""
    speedups = speedup.over_baseline(rows, baseline)
    official = speedups[speedups["origin"].eq("official")]
    doubts = rows[rows["doubt"].ne("")].groupby(["basis", "accelerator"])["doubt"].first()
    documents = speedups[speedups["accelerator"].ne(baseline) & speedups["origin"].ne("official")]
    for row in documents.to_dict("records"):
        sides = [doubts.get((row["basis"], name), "") for name in (row["accelerator"], baseline)]
        if any(sides):
            same = official[official["accelerator"].eq(row["accelerator"])]
            beside = (same["speedup_low"].min(), same["speedup_high"].max())
            doubt = frozenset(Note(code) for code in sides if code)
            words = f"{row['accelerator']} over {baseline} by {row['basis']}"
            ends = (row["speedup_low"], row["speedup_high"], *beside)
            yield "generational_speedup", words, *ends, "ratio", doubt, row["source_ids"]


def _gains(gains: pd.DataFrame) -> Iterator[tuple]:
    """Gains from the documents' tables that a note doubts; nothing official stands beside them."""
    doubtful = gains[gains["notes"].map(bool).astype(bool) & gains["statement"].eq("from the table")]
    for row in doubtful.to_dict("records"):
        words = f"{row['technique']} over the reference precision"
        ends = (row["gain_low"], row["gain_high"], float("nan"), float("nan"))
        yield "quantization_tradeoffs", words, *ends, "ratio", row["notes"], (row["source_id"],)


def _wrong(judged: pd.DataFrame, report: str, code: str) -> Iterator[tuple]:
    """What the audit contradicts, each at its `place`."""
    for row in judged.to_dict("records"):
        ends = (row[name] for name in verdict.ENDS)
        words, doubt = f"{row['place']}, {row['unit']}", frozenset({note(code)})
        yield report, words, *ends, row["unit"], doubt, (row["source_id"],)
