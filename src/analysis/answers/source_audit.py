"""The words of the source audit, from the audit's frames."""

from __future__ import annotations

import math

import pandas as pd

from analysis.answers.words import listed, span
from analysis.audit import across, against_record, arithmetic, claims, naming, sizes, verdict
from analysis.audit.checks import DEFINITE, NO_FACTOR, WRONG, overall
from analysis.audit.labels import NAMED
from analysis.audit.physics import COMPUTE, DECODE, FIT
from analysis.audit.submissions import COUNT, SIZE
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval
from analysis.core.vocabulary import RATES
from analysis.themes import roofline

GROUPS = {
    "agrees": ("exact", "within_rounding", "within_5_percent"),
    "only under a condition": ("conditional",),
    "contradicts": ("contradicts",),
    "impossible": ("impossible",),
}
# The checks against the official record.
RECORD = (*against_record.CHECKS, sizes.OFFICIAL_SIZING, claims.CHECK, *NO_FACTOR, COUNT, SIZE)
_PER_ACCELERATOR = {f"{rate} per accelerator": rate for rate in RATES}  # the units of rates per accelerator
CACHE_GB = 10.0  # about thirty thousand tokens of a model of 70 billion parameters with grouped-query attention
NOT_DRAWN = (arithmetic.REPEAT, across.SHEET, COMPUTE, FIT, *NO_FACTOR, COUNT, SIZE)


def believable(judged: pd.DataFrame, labels: dict[str, str]) -> Finding:
    """What the figures come to, and which documents have the most and the fewest that are wrong."""
    unit = "published figures that the checks bear out"
    figures = overall(judged)
    if figures.empty:
        return nothing("figures_that_hold", unit, "No published figure of these documents is judged.")
    holds = figures["verdict"].isin([*GROUPS["agrees"]])
    wrong = figures["verdict"].isin(WRONG)
    some = int(figures["verdict"].eq("conditional").sum())
    open_ = int((~figures["verdict"].isin([*DEFINITE, *WRONG])).sum())
    share = wrong.groupby(figures["source_id"]).sum().sort_values(kind="stable")
    worst, least = labels[share.index[-1]], [labels[name] for name in share.index[share.eq(0)]]
    sentence = (
        f"Of {len(figures)} published figures {int(holds.sum())} hold, {int(wrong.sum())} contradict or are impossible"
    )
    sentence += f" ({share.iloc[-1]} of them in {worst})" if share.iloc[-1] else ""
    sentence += f", {some} hold only under a condition, and {open_} cannot be checked"
    sentence += f"; {listed(least)} {'has' if len(least) == 1 else 'have'} none that is wrong." if least else "."
    return Finding("figures_that_hold", exactly(int(holds.sum())), unit, sentence, cited(judged))


def impossible(judged: pd.DataFrame) -> Finding:
    """By how much the impossible figures exceed what the hardware can do."""
    unit = "times the ceiling at batch 1"
    rows = judged[judged["check"].eq(DECODE) & judged["verdict"].eq("impossible")]
    if rows.empty:
        return nothing("above_the_ceiling", unit, "No figure of these documents lies above its ceiling at batch 1.")
    ratios = rows["printed_low"] / rows["expected_high"]
    times = Interval(float(ratios.min()), float(ratios.max()))
    sentence = (
        f"{len(rows)} rates at batch 1 are at least {times.text()} times what memory bandwidth allows: "
        f"without speculative decoding, sparsity or a larger batch no software reaches them."
    )
    return Finding("above_the_ceiling", times, unit, sentence, cited(rows))


def contradicted(worst: pd.DataFrame, labels: dict[str, str], known: pd.DataFrame) -> Finding:
    """The contradiction with the official record that is largest; `known` are the results of naming.described."""
    unit = "factor between the printed and the official range"
    rows = worst[worst["check"].isin(RECORD) & worst["verdict"].eq("contradicts")]
    if rows.empty:
        return nothing("largest_contradiction", unit, "No figure of these documents contradicts the official record.")
    count = len(rows.drop_duplicates(["table", "row_id"]))
    rates = rows[rows["table"].eq("results") & rows["apart"].notna()]
    sentence = f"{count} {'figure contradicts' if count == 1 else 'figures contradict'} the official record"
    if rates.empty:
        return Finding("largest_contradiction", None, unit, f"{sentence}, no rate among them.", cited(rows))
    top = rates.iloc[0]
    what, rate = known.loc[top["row_id"]], _PER_ACCELERATOR.get(top["unit"], top["unit"])
    part = f"one {what['accelerator']}" if rate != top["unit"] else what["part"]
    printed = interval.of(top, "printed").text()
    expected = interval.of(top, "expected").text(4)
    sentence += (
        f"; furthest off of the rates, {labels[top['source_id']]} prints {printed} {rate} for {part} on "
        f"{what['model']} where official results give {expected}."
    )
    return Finding("largest_contradiction", exactly(top["apart"]), unit, sentence, cited(rows))


def unfounded(judged: pd.DataFrame) -> Finding:
    """How many figures nothing official at hand stands behind, which does not make them wrong."""
    unit = "published figures without an official result at hand"
    figures = overall(judged)
    if figures.empty:
        return nothing("without_official_basis", unit, "No published figure of these documents is judged.")
    none = int((~figures["official"]).sum())
    sentence = (
        f"{none} of the {len(figures)} figures, whatever else was found of them, have no official result at hand "
        f"behind them: that makes them unproven, not wrong."
    )
    return Finding("without_official_basis", exactly(none), unit, sentence, cited(judged))


def consequences(rows: pd.DataFrame) -> Finding:
    """How many conclusions of the other reports rest on doubtful figures."""
    unit = "conclusions that rest on doubtful figures"
    if rows.empty:
        return nothing(
            "doubtful_conclusions", unit, "No conclusion of the other reports rests on a doubtful figure here."
        )
    turned = rows[rows["official_low"].notna()]
    crossing = (turned["printed_low"] > 1) & (turned["official_high"] < 1)
    crossing |= (turned["printed_high"] < 1) & (turned["official_low"] > 1)
    ratios = turned[crossing & turned["unit"].eq("ratio")]
    sentence = f"{len(rows)} conclusions of the other reports rest on doubtful figures"
    sentence += f"; {len(turned)} of them have an official figure to put in their place"
    sentence += f", which turns {listed(ratios['conclusion'])} into its opposite." if len(ratios) else "."
    return Finding("doubtful_conclusions", exactly(len(rows)), unit, sentence, cited(rows))


def roof_finding(roofs: pd.DataFrame, label: str) -> Finding:
    """What the roofs themselves are."""
    unit = "tokens per second that one accelerator decodes at most at batch 1"
    if roofs.empty:
        return nothing("roofs_at_batch_1", unit, f"The size of {label} or the facts of its accelerators are not known.")
    ends = Interval(float(roofs["at_batch_1"].min()), float(roofs["at_batch_1"].max()))
    sentence = (
        f"One accelerator decodes {label} at batch 1 with at most {ends.text()} tokens per second over {len(roofs)} "
        f"pairs of accelerator and precision."
    )
    return Finding("roofs_at_batch_1", ends, unit, sentence, ["datasheets"])


def plotted(judged: pd.DataFrame, labels: dict[str, str], known: pd.DataFrame, most: int = 4) -> pd.DataFrame:
    """The rows for the picture of printed against expected, with `group`, `document` and, for the worst, `words`.

    `known` are the results of naming.described; any other figure is named by where it stands. A ceiling stands for
    itself, not for the range from zero; what is no quantity to plot is left out, and so is a claim of at least so much
    where the record has far more.
    """
    rows = judged[~judged["check"].isin(NOT_DRAWN) & judged["expected_high"].gt(0) & judged["printed_low"].gt(0)]
    rows = rows.assign(expected_low=rows["expected_low"].where(rows["expected_low"].gt(0), rows["expected_high"]))
    groups = {name: group for group, names in GROUPS.items() for name in names}
    rows = rows.assign(group=rows["verdict"].map(groups), document=rows["source_id"].map(labels))
    rows = rows[rows["group"].notna()]
    apart = [
        verdict.factor(Interval(row.printed_low, row.printed_high), Interval(row.expected_low, row.expected_high))
        for row in rows.itertuples()
    ]
    rows = rows.assign(apart=pd.Series(apart, index=rows.index, dtype="float64"))
    bound = rows["check"].eq(claims.CHECK) & rows["group"].eq("agrees") & rows["apart"].gt(verdict.CLOSE)
    rows = rows[~bound]
    first = rows.sort_values("apart", ascending=False, kind="stable").drop_duplicates("row_id").head(most).index
    place = rows["locator"].map(lambda where: where.rpartition(", ")[2])
    words = rows["row_id"].map(known["words"]).fillna(place).astype("str")
    return rows.assign(words=words.where(rows.index.isin(first), ""))


def roof_rows(rows: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """The results that are judged at batch 1: accelerator, precision and whether they lie above."""
    known = judged[judged["check"].eq(DECODE)].set_index("row_id")["verdict"]
    at_one = rows[rows["id"].isin(known.index)]
    precision = at_one["precision"].where(at_one["precision"].ne(""), roofline.SMALLEST)
    return at_one.assign(precision=precision, above=at_one["id"].map(known).eq("impossible"))


def roof_points(at_one: pd.DataFrame, roofs: pd.DataFrame, chosen: pd.DataFrame) -> pd.DataFrame:
    """The points of the roofline: batch-1 figures at x = 1, official rates at the least batch that could reach them.

    Columns: accelerator, x_low/high, y_low/high (tokens per second per accelerator), above, what (which figure), label.
    """
    needs = roofs.set_index(["accelerator", "precision"])["needed"]
    made = []
    for row in at_one.to_dict("records"):
        stated = row["accelerator_count"]
        count = float(needs.get((row["accelerator"], row["precision"]), math.nan))
        count = max(count, float(stated)) if not pd.isna(stated) else count
        rates = (row["low"] / count, row["high"] / count)
        made.append((row["accelerator"], 1.0, 1.0, *rates, row["above"], row["precision"]))
    steep = roofs.groupby("accelerator")["at_batch_1"].max()
    official = chosen[chosen["origin"].eq("official") & chosen["accelerator"].isin(steep.index)]
    for name, part in official.groupby("accelerator", sort=False):
        ends = span(part, "per_accelerator")
        batch = roofline.least_batch(ends, float(steep[name]))
        made.append((name, batch.low, batch.high, ends.low, ends.high, False, "official"))
    points = pd.DataFrame(made, columns=["accelerator", "x_low", "x_high", "y_low", "y_high", "above", "what"])
    return points.assign(label=points["accelerator"] + " " + points["what"])


def roof_table(roofs: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """The numbers of the roofline: each roof from one sequence to where it turns flat, and each point beside its roof.

    Columns: accelerator, what, x_low/high (sequences), y_low/high (tokens per second per accelerator), beside.
    """
    names = {"at_batch_1": "y_low", "flat": "y_high", "ridge": "x_high"}
    lines = roofs.rename(columns=names).assign(x_low=1.0, what=roofs["precision"] + " roof", beside="")
    drawn = points.assign(beside=points["above"].map({True: "above its roof", False: "below its roof"}))
    columns = ["accelerator", "what", "x_low", "x_high", "y_low", "y_high", "beside"]
    both = pd.concat([lines[columns], drawn[columns]], ignore_index=True)
    order = {name: place for place, name in enumerate(dict.fromkeys(both["accelerator"]))}
    return both.sort_values("accelerator", key=lambda names: names.map(order), kind="stable", ignore_index=True)


def listed_wrong(worst: pd.DataFrame, judged: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """The contradicting and impossible quantities for their table, documents by name."""
    return _by_name(worst[worst["apart"].notna()], judged, labels)


def listed_named(worst: pd.DataFrame, judged: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """The same for what is no quantity: dates, ranks and names, `printed` and `expected` in words."""
    rows = _by_name(worst[worst["apart"].isna()], judged, labels)
    words = {
        side: [naming.ends(*ends) for ends in rows[[f"{side}_low", f"{side}_high", "unit"]].itertuples(index=False)]
        for side in ("printed", "expected")
    }
    named, there = rows["check"].eq(NAMED), {0.0: "is not", 1.0: "is a benchmark"}
    own = pd.DataFrame(words, index=rows.index, dtype="str")
    return rows.assign(
        printed=own["printed"].mask(named, rows["printed_low"].map(there)),
        expected=own["expected"].mask(named, rows["expected_low"].map(there)),
    )


def listed_as(judged: pd.DataFrame, name: str, labels: dict[str, str]) -> pd.DataFrame:
    """The rows of one verdict, documents by name, in their order, and the verdict in words."""
    return _by_name(judged[judged["verdict"].eq(name)], judged, labels)


def above_ceiling_with_cache(without: pd.DataFrame, with_cache: pd.DataFrame) -> Finding:
    """How the impossible figures change once a token reads a KV cache too."""
    unit = "rates at batch 1 above their ceiling, once a KV cache is read too"
    if with_cache.empty:
        return nothing("above_the_ceiling_with_cache", unit, "No figure is said to be at batch 1.")
    before, after = (set(rows.loc[rows["verdict"].eq("impossible"), "row_id"]) for rows in (without, with_cache))
    same = f"the same {len(after)} rates lie above their ceiling: the weights decide"
    other = f"{len(after)} rates lie above their ceiling instead of {len(before)}"
    outcome = same if before == after else other
    sentence = f"With {interval.number(CACHE_GB)} GB more of KV cache read for each token, {outcome}."
    return Finding("above_the_ceiling_with_cache", exactly(len(after)), unit, sentence, cited(with_cache))


def scorecard_title(card: pd.DataFrame) -> str:
    """The title of the scorecard."""
    return f"Scorecard of {len(card)} documents"


def _by_name(rows: pd.DataFrame, judged: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Rows with `document`, and no id of a document or a figure where a reader would stumble over it."""
    words = {name: naming.readable(rows[name], judged, labels) for name in ("explanation", "reference")}
    return rows.assign(**words, document=rows["source_id"].map(labels), verdict=rows["verdict"].str.replace("_", " "))
