"""What doubtful figures mean for the other reports: the conclusions that rest on them, and the official ones."""

from __future__ import annotations

import pandas as pd

from analysis.core import interval
from analysis.core.interval import Interval
from analysis.themes import speedup

COLUMNS = ["report", "conclusion", "printed_low", "printed_high", "official_low", "official_high", "unit"]
COLUMNS += ["doubt", "source_ids"]


def conclusions(rows: pd.DataFrame, baseline: str, gains: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """One row per conclusion that rests on a doubtful figure, in COLUMNS; an official range that is missing is NaN.

    `rows` are comparable rows of published and official results, `gains` those of quantization.gains, `judged` the
    audit's. Power efficiency rests on none where its printed watts hold the measured ones, and has no row then.
    """
    each = [_speedups(rows, baseline), _gains(gains), _sizing(judged), _power(judged)]
    filled = [frame for frame in each if len(frame)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=COLUMNS)


def _speedups(rows: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Speedups within a document one of whose two figures is doubtful, beside the official ones."""
    found = speedup.over_baseline(rows, baseline)
    official = found[found["basis"].str.startswith("official")].set_index("accelerator")
    doubts = rows[rows["doubt"].ne("")].groupby(["basis", "accelerator"])["doubt"].first()
    made = []
    documents = found[found["accelerator"].ne(baseline) & ~found["basis"].str.startswith("official")]
    for each in documents.to_dict("records"):
        sides = [doubts.get((each["basis"], name), "") for name in (each["accelerator"], baseline)]
        if not any(sides):
            continue
        beside = official.loc[official.index == each["accelerator"], ["speedup_low", "speedup_high"]]
        beside = Interval(beside["speedup_low"].min(), beside["speedup_high"].max())
        doubt = "; ".join(dict.fromkeys(side for side in sides if side))
        words = f"{each['accelerator']} over {baseline} by {each['basis']}"
        made.append(
            _row("generational_speedup", words, interval.of(each, "speedup"), beside, doubt, each["source_ids"])
        )
    return pd.DataFrame(made, columns=COLUMNS)


def _gains(gains: pd.DataFrame) -> pd.DataFrame:
    doubtful = gains[gains["caveat"].ne("") & gains["statement"].eq("from the table")]
    none = Interval(float("nan"), float("nan"))
    made = [
        _row(
            "quantization_tradeoffs",
            f"{each['technique']} over the reference precision",
            interval.of(each, "gain"),
            none,
            each["caveat"],
            each["source_id"],
        )
        for each in doubtful.to_dict("records")
    ]
    return pd.DataFrame(made, columns=COLUMNS)


def _sizing(judged: pd.DataFrame) -> pd.DataFrame:
    wrong = judged[judged["check"].eq("official sizing") & judged["verdict"].eq("contradicts")]
    made = [
        _row(
            "real_world_derating",
            f"the document's example, {each['unit']}",
            Interval(each["printed_low"], each["printed_high"]),
            Interval(each["expected_low"], each["expected_high"]),
            "its throughput contradicts the official record",
            each["source_id"],
            each["unit"],
        )
        for each in wrong.to_dict("records")
    ]
    return pd.DataFrame(made, columns=COLUMNS)


def _power(judged: pd.DataFrame) -> pd.DataFrame:
    wrong = judged[judged["check"].isin(["implied watts", "official power"]) & judged["verdict"].eq("contradicts")]
    made = [
        _row(
            "power_efficiency",
            f"{each['locator']}, {each['unit']}",
            Interval(each["printed_low"], each["printed_high"]),
            Interval(each["expected_low"], each["expected_high"]),
            "contradicts the measured watts",
            each["source_id"],
            each["unit"],
        )
        for each in wrong.to_dict("records")
    ]
    return pd.DataFrame(made, columns=COLUMNS)


def _row(
    report: str, words: str, printed: Interval, official: Interval, doubt: str, sources: str, unit: str = "ratio"
) -> tuple:
    ends = (printed.low, printed.high, official.low, official.high)
    return (report, words, *ends, unit, doubt, sources)
