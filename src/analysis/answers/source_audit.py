"""The words of the source audit, from the audit's frames."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Sequence

import pandas as pd

from analysis.answers.words import counted, listed, prose
from analysis.audit import against_record, arithmetic, claims, naming, sizes, verdict
from analysis.audit.checks import KEYS, NO_FACTOR, WRONG, overall, quantities
from analysis.audit.labels import NAMED
from analysis.audit.physics import COMPUTE, DECODE, FIT
from analysis.audit.submissions import COUNT, SIZE
from analysis.core import interval, views
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval, span
from analysis.core.plain import as_dicts
from analysis.core.trust import Trust
from analysis.core.vocabulary import RATES, round_age
from analysis.themes.hardware import roofline

GROUPS = {
    "agrees": ("exact", "within_rounding", "within_5_percent"),
    "only under a condition": ("conditional",),
    "contradicts": ("contradicts",),
    "impossible": ("impossible",),
}
# The checks against the official record.
RECORD = (*against_record.CHECKS, sizes.OFFICIAL_SIZING, claims.CHECK, *NO_FACTOR, COUNT, SIZE)
# Checks of one figure that are set side by side, each with the name of its column.
PER_DOLLAR = {arithmetic.PER_DOLLAR: "own", arithmetic.DEPLOYED: "paid", arithmetic.AT_CEILING: "ceiling"}
SIZING = {sizes.OWN_SIZING: "own", sizes.AT_OFFICIAL_RATE: "rate", sizes.OFFICIAL_SIZING: "official"}
_PER_ACCELERATOR = {f"{rate} per accelerator": rate for rate in RATES}  # the units of rates per accelerator
CACHE_GB = 10.0  # about thirty thousand tokens of a model of 70 billion parameters with grouped-query attention


def believable(judged: pd.DataFrame, labels: dict[str, str], repeats: Collection[str] = ()) -> Finding:
    """Which documents have no figure that is wrong, and which one has the most.

    `repeats` are the ids of figures that say again what another one of their document says (see `repeated`): those are
    counted, and told apart.
    """
    unit = "published figures that the checks bear out"
    figures = overall(judged)
    if figures.empty:
        return nothing("figures_that_hold", unit, "No published figure of these documents is judged.")
    counts = _counts(figures)
    worst, sound = counts.iloc[-1], counts.index[counts["wrong"].eq(0) & counts["hold"].gt(0)]
    trusted = f"Believe {listed((_called(labels[name]) for name in sound), 3)}" if len(sound) else ""
    if worst["wrong"]:
        wrong_of_worst = figures[figures["source_id"].eq(worst.name) & figures["verdict"].isin(WRONG)]
        distinct = int((~wrong_of_worst["row_id"].isin(repeats)).sum())
        of_all = f"{worst['wrong']} of its {worst['figures']} figures {'is' if worst['wrong'] == 1 else 'are'} wrong"
        of_all += f" ({distinct} without repeats)." if distinct < worst["wrong"] else "."
        headline = f"{trusted}; check" if trusted else "Check"
        headline += f" {_called(labels[worst.name])}: {of_all}"
    elif trusted:
        headline = f"{trusted}: none of {counted(int(counts.loc[sound, 'figures'].sum()), 'figure')} is wrong."
    else:
        headline = f"None of {counted(len(figures), 'figure')} can be checked."
    totals = {"figures": len(figures), "wrong": int(counts["wrong"].sum())}
    totals |= {"wrong_and_distinct": int((figures["verdict"].isin(WRONG) & ~figures["row_id"].isin(repeats)).sum())}
    totals |= {"conditional": int(figures["verdict"].eq("conditional").sum())}
    values = {key: (exactly(number), "published figures") for key, number in totals.items()}
    hold = exactly(int(counts["hold"].sum()))
    return Finding("figures_that_hold", hold, unit, headline, cited(judged), values=values)


def repeated(*tables: pd.DataFrame) -> set[str]:
    """The ids of figures that say again what another one says, from the `duplicate_of` of the tables of figures."""
    return {name for table in tables for name in table.loc[table["duplicate_of"].ne(""), "id"]}


def to_do(judged: pd.DataFrame, labels: dict[str, str]) -> Finding:
    """What follows for someone who reads the document of most wrong figures."""
    name, unit = "figures_that_no_hardware_reaches", "wrong figures of one document that no hardware reaches"
    figures = overall(judged)
    counts = _counts(figures)
    if counts.empty or not counts["wrong"].iloc[-1]:
        why = "Nothing here contradicts the record or the hardware: plan with the figures that could be checked."
        return nothing(name, unit, why)
    worst = counts.iloc[-1]
    beyond = int((figures["source_id"].eq(worst.name) & figures["verdict"].eq("impossible")).sum())
    if not beyond:
        return nothing(name, unit, f"Of results, quote the official record and not {_called(labels[worst.name])}.")
    subject, advice = f"{beyond} of the {worst['wrong']} {'is' if beyond == 1 else 'are'}", "plan with none of them"
    subject, advice = ("It is", "do not plan with it") if worst["wrong"] == 1 else (subject, advice)
    rows_of_worst = judged[judged["source_id"].eq(worst.name)]
    at_one = rows_of_worst.loc[rows_of_worst["verdict"].eq("impossible"), "check"].eq(DECODE).any()
    unless = " at batch 1 with plain decoding" * bool(at_one)
    headline = f"{subject} above what the hardware allows{unless}, or computed from such a rate: {advice}."
    return Finding(name, exactly(beyond), unit, headline, cited(rows_of_worst))


def rests_on(judged: pd.DataFrame, results: pd.DataFrame, stated: pd.DataFrame) -> Trust:
    """What the answer rests on: documents, figures, and the official rounds that the figures and claims are of."""
    ids = set(judged["row_id"])
    claims_judged = stated[stated["id"].isin(ids)]
    named = {*results.loc[results["id"].isin(ids), "round"], *claims_judged["round"], *claims_judged["baseline_round"]}
    official_rounds = named & {*results.loc[results["origin"].eq("official"), "round"].unique()}
    round_names = sorted(official_rounds, key=round_age)
    rounds, view = listed(round_names), views.link({"round": round_names}) if round_names else ""
    documents, figures = judged["source_id"].nunique(), len(overall(judged))
    against = f"held against MLPerf {rounds}" if rounds else "no official round to hold them against"
    return Trust((counted(documents, "document"), counted(figures, "figure"), against), view=view)


def impossible(judged: pd.DataFrame) -> Finding:
    """By how much the impossible figures exceed what the hardware can do."""
    unit = "times the ceiling at batch 1"
    rows = judged[judged["check"].eq(DECODE) & judged["verdict"].eq("impossible")]
    if rows.empty:
        return nothing("above_the_ceiling", unit, "No figure of these documents lies above its ceiling at batch 1.")
    ratios = rows["printed_low"] / rows["expected_high"]
    times = Interval(float(ratios.min()), float(ratios.max()))
    subject = "rate at batch 1 is" if len(rows) == 1 else "rates at batch 1 are"
    headline = f"{len(rows)} {subject} {prose(times)} times what memory bandwidth allows."
    return Finding("above_the_ceiling", times, unit, headline, cited(rows))


def contradicted(worst: pd.DataFrame, labels: dict[str, str], described: pd.DataFrame) -> Finding:
    """The contradiction with the official record that is largest; `described` are the rows of naming.described."""
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
    figure, rate = described.loc[top["row_id"]], _PER_ACCELERATOR.get(top["unit"], top["unit"])
    hardware = f"one {figure['accelerator']}" if rate != top["unit"] else figure["part"]
    printed, expected = (prose(interval.of(top, name)) for name in ("printed", "expected"))
    furthest = (
        f"Furthest off of the rates, {_called(labels[top['source_id']])} prints {printed} {rate} for {hardware} on "
        f"{figure['model']}; official results give {expected}."
    )
    return Finding("largest_contradiction", exactly(top["apart"]), unit, f"{sentence}.", cited(rows), more=furthest)


def unfounded(judged: pd.DataFrame) -> Finding:
    """How many figures nothing official stands behind, which does not make them wrong."""
    unit = "published figures without an official result"
    figures = overall(judged)
    if figures.empty:
        return nothing("without_official_basis", unit, "No published figure of these documents is judged.")
    unproven = int((~figures["official"]).sum())
    has, it = ("has", "it") if unproven == 1 else ("have", "them")
    count = counted(len(figures), "figure")
    headline = f"{unproven} of {count} {has} no official result behind {it}: unproven, not wrong."
    headline = headline if unproven else f"None of {count} lacks its official result."
    return Finding("without_official_basis", exactly(unproven), unit, headline, cited(judged))


def consequences(rows: pd.DataFrame, baseline: str, rounds: Sequence[str]) -> Finding:
    """How many conclusions do not stand, and the one that official results of these rounds turn furthest away."""
    name, unit = "doubtful_conclusions", "conclusions that rest on doubtful figures"
    if rows.empty:
        return nothing(name, unit, "No speedup, bill or watt read off these documents rests on a doubtful figure.")
    ratios = rows[rows["unit"].eq("ratio") & rows["official_low"].notna()]
    ends = [(interval.of(row, "printed"), interval.of(row, "official")) for row in as_dicts(ratios)]
    factors = pd.Series([verdict.factor(*pair) for pair in ends], index=ratios.index, dtype="float64")
    if ratios.empty or not factors.max() > 1:
        subject = "conclusion read off these documents rests" if len(rows) == 1 else "conclusions read off them rest"
        return Finding(name, exactly(len(rows)), unit, f"{len(rows)} {subject} on doubtful figures.", cited(rows))
    top = ratios.loc[factors.idxmax()]
    over, under, (printed, official) = top["accelerator"], baseline, ends[ratios.index.get_loc(top.name)]
    if official.high < 1:  # how many of the slower one the faster replaces
        over, under, unity = under, over, Interval(1.0, 1.0)
        printed, official = unity / printed, unity / official
    headline = f"Read off {_called(top['basis'])}, one {over} would do the work of {prose(printed)} {under}; "
    headline += f"official results of {listed(rounds)} say {prose(official)}."
    return Finding(name, exactly(len(rows)), unit, headline, cited(rows))


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


def dots(judged: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """The rows of the picture: each figure once, under the check that decides its verdict, worst documents first.

    Added columns: group (of GROUPS), document, strip (the document and how many of its figures are wrong), told (which
    figure, what is printed and expected, the verdict), off: the printed range over the expected one, at their nearest
    ends; 1 where they share a value, or where a claim of at least so much holds. What no check can say and what is no
    quantity is left out.
    """
    figures = overall(judged)
    rows = judged.merge(figures[[*KEYS, "verdict"]], on=[*KEYS, "verdict"])
    passed = rows["check"].isin([COMPUTE, FIT]) & ~rows["verdict"].isin(WRONG)  # below a ceiling, however far
    rows = rows[quantities(rows) & ~passed & rows["expected_high"].gt(0) & rows["printed_low"].gt(0)]
    groups = {name: group for group, names in GROUPS.items() for name in names}
    rows = rows.assign(group=rows["verdict"].map(groups), off=_off(rows)).dropna(subset="group")
    factors = rows["off"].where(rows["off"].ge(1), 1 / rows["off"])
    rows = rows.loc[factors.sort_values(ascending=False, kind="stable").index].drop_duplicates(["table", "row_id"])
    counts = _counts(figures).iloc[::-1]
    strips = {
        name: f"{_wrapped(labels[name])}\n{row['wrong']} of {row['figures']} wrong" for name, row in counts.iterrows()
    }
    order = {name: place for place, name in enumerate(counts.index)}
    rows = rows.assign(document=rows["source_id"].map(labels), strip=rows["source_id"].map(strips))
    rows = rows.assign(told=[_told(row) for row in as_dicts(rows)])
    return rows.sort_values("source_id", key=lambda ids: ids.map(order), kind="stable", ignore_index=True)


def dots_title(drawn: pd.DataFrame) -> str:
    """What the picture shows: how far wrong figures are off, and to which side."""
    wrong = drawn[drawn["verdict"].isin(WRONG)]
    if wrong.empty:
        return "No figure drawn here is wrong."
    factors = wrong["off"].where(wrong["off"].ge(1), 1 / wrong["off"])
    ends = prose(Interval(float(factors.min()), float(factors.max())))
    high, count = int(wrong["off"].gt(1).sum()), len(wrong)
    if count == 1:
        return f"The wrong figure is off by {ends} times, too {'high' if high else 'low'}."
    side = f"{high} too high" if high >= count / 2 else f"{count - high} too low"
    return f"Of the wrong figures {count} are quantities: off by {ends} times, {side}."


def by_check(judged: pd.DataFrame, checks: Collection[str], labels: dict[str, str], table: str = "") -> pd.DataFrame:
    """The rows of some checks, of one table of figures where asked, for a table in words."""
    rows = judged[judged["check"].isin(checks)]
    return _by_name(rows[rows["table"].eq(table)] if table else rows, judged, labels)


def step_by_step(judged: pd.DataFrame, steps: dict[str, str], labels: dict[str, str]) -> pd.DataFrame:
    """One row per figure that the checks `steps` judge: as printed, and what each of them expects, in one unit.

    Columns: document, locator, printed_low/high, unit, verdict, and <name>_low/high for each name of `steps`; NaN where
    a check says nothing of a figure.
    """
    rows = judged[judged["check"].isin(steps)]
    figures = rows.drop_duplicates(["table", "row_id"]).set_index(["table", "row_id"])
    expected = figures[["source_id", "locator", "printed_low", "printed_high", "unit"]]
    for check, name in steps.items():
        rows_of_check = rows[rows["check"].eq(check)].set_index(["table", "row_id"])
        expected = interval.put(expected, name, interval.of(rows_of_check, "expected"))
    verdicts = overall(judged).set_index(["table", "row_id"])["verdict"]
    return expected.assign(
        document=expected["source_id"].map(labels),
        verdict=verdicts.reindex(expected.index).str.replace("_", " "),
    )


def roof_rows(rows: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """The results that are judged at batch 1: accelerator, precision and whether they lie above."""
    verdicts = judged[judged["check"].eq(DECODE)].set_index("row_id")["verdict"]
    at_one = rows[rows["id"].isin(verdicts.index)]
    precision = at_one["precision"].where(at_one["precision"].ne(""), roofline.SMALLEST)
    return at_one.assign(precision=precision, above=at_one["id"].map(verdicts).eq("impossible"))


def roof_points(at_one: pd.DataFrame, roofs: pd.DataFrame, chosen: pd.DataFrame) -> pd.DataFrame:
    """The points of the roofline: batch-1 figures at x = 1, official rates at the least batch that could reach them.

    Columns: accelerator, x_low/high, y_low/high (tokens per second per accelerator), above, what (which figure), label.
    """
    needs = roofs.set_index(["accelerator", "precision"])["needed"]
    records = []
    for row in as_dicts(at_one):
        stated = row["accelerator_count"]
        count = float(needs.get((row["accelerator"], row["precision"]), math.nan))
        count = max(count, float(stated)) if not pd.isna(stated) else count
        rates = (row["low"] / count, row["high"] / count)
        records.append((row["accelerator"], 1.0, 1.0, *rates, row["above"], row["precision"].upper()))
    steep = roofs.groupby("accelerator")["at_batch_1"].max()
    official = chosen[chosen["origin"].eq("official") & chosen["accelerator"].isin(steep.index)]
    for name, rows_of_accelerator in official.groupby("accelerator", sort=False):
        ends = span(rows_of_accelerator, "per_accelerator")
        batch = roofline.least_batch(ends, float(steep[name]))
        records.append((name, batch.low, batch.high, ends.low, ends.high, False, "official"))
    points = pd.DataFrame(records, columns=["accelerator", "x_low", "x_high", "y_low", "y_high", "above", "what"])
    return points.assign(label=points["accelerator"] + " " + points["what"])


def roof_table(roofs: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """The numbers of the roofline: each roof from one sequence to where it turns flat, and each point beside its roof.

    Columns: accelerator, what, x_low/high (sequences), y_low/high (tokens per second per accelerator), beside.
    """
    names = {"at_batch_1": "y_low", "flat": "y_high", "ridge": "x_high"}
    lines = roofs.rename(columns=names).assign(x_low=1.0, what=roofs["precision"].str.upper() + " roof", beside="")
    points_told = points.assign(beside=points["above"].map({True: "above its roof", False: "below its roof"}))
    columns = ["accelerator", "what", "x_low", "x_high", "y_low", "y_high", "beside"]
    numbers = pd.concat([lines[columns], points_told[columns]], ignore_index=True)
    order = {name: place for place, name in enumerate(dict.fromkeys(numbers["accelerator"]))}
    return numbers.sort_values("accelerator", key=lambda names: names.map(order), kind="stable", ignore_index=True)


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
    named, words_of_flag = rows["check"].eq(NAMED), {0.0: "is not", 1.0: "is a benchmark"}
    columns = pd.DataFrame(words, index=rows.index, dtype="str")
    return rows.assign(
        printed=columns["printed"].mask(named, rows["printed_low"].map(words_of_flag)),
        expected=columns["expected"].mask(named, rows["expected_low"].map(words_of_flag)),
    )


def listed_as(judged: pd.DataFrame, name: str, labels: dict[str, str]) -> pd.DataFrame:
    """The rows of one verdict, documents by name, in their order, and the verdict in words."""
    return _by_name(judged[judged["verdict"].eq(name)], judged, labels)


def above_ceiling_with_cache(without: pd.DataFrame, with_cache: pd.DataFrame) -> Finding:
    """How the impossible figures change once a token reads a KV cache too."""
    name, unit = "above_the_ceiling_with_cache", "rates at batch 1 above their ceiling, once a KV cache is read too"
    if with_cache.empty:
        return nothing(name, unit, "No figure is said to be at batch 1: no other ceiling changes the answer.")
    before, after = (set(rows.loc[rows["verdict"].eq("impossible"), "row_id"]) for rows in (without, with_cache))
    condition = f"with {interval.number(CACHE_GB)} GB more of cache read for each token"
    headline = f"Yes: {condition}, {counted(len(after), 'rate')} instead of {len(before)} would be impossible."
    if before == after:
        rates = "the rate" if len(after) == 1 else f"the same {len(after)} rates"
        headline = f"No: {condition}, {rates} would be impossible: the weights decide."
        headline = headline if after else f"No: {condition}, no rate would be impossible either."
    return Finding(name, exactly(len(after)), unit, headline, cited(with_cache))


def scorecard_title(card: pd.DataFrame) -> str:
    """The title of the scorecard."""
    return f"Scorecard of {counted(len(card), 'document')}"


def card_rows(card: pd.DataFrame) -> pd.DataFrame:
    """The scorecard in four verdicts: source, figures, agree, conditional, wrong, unchecked."""
    agree, wrong = (card[[*names]].sum(axis=1) for names in (GROUPS["agrees"], WRONG))
    short = card[["source", "figures", "conditional", "unchecked"]].assign(agree=agree, wrong=wrong)
    return short.sort_values("wrong", ascending=False, kind="stable")


def _counts(figures: pd.DataFrame) -> pd.DataFrame:
    """How many figures each document has, that hold and that are wrong; the document of most wrong ones last."""
    flags = {"hold": figures["verdict"].isin(GROUPS["agrees"]), "wrong": figures["verdict"].isin(WRONG)}
    counts = figures.assign(figures=1, **flags).groupby("source_id", sort=False)[["figures", *flags]].sum()
    return counts.sort_values("wrong", kind="stable")


def _off(rows: pd.DataFrame) -> list[float]:
    """The printed range over the expected one at their nearest ends, as in `dots`; a ceiling expects no lower end."""
    ratios = []
    for row in as_dicts(rows):
        printed, expected = (interval.of(row, name) for name in ("printed", "expected"))
        apart = 1.0 if row["verdict"] in verdict.AGREES else verdict.factor(printed, expected)
        ratios.append(1 / apart if printed.high < expected.low else apart)
    return ratios


def _told(row: dict) -> str:
    """A figure of `dots` in one line: where it stands, what is printed and expected, and the verdict."""
    printed, expected = (interval.of(row, name).text() for name in ("printed", "expected"))
    if row["expected_low"] == 0:
        expected = f"at most {interval.number(row['expected_high'])}"
    words = [row["locator"], f"printed {printed} {row['unit']}", f"expected {expected}", row["group"]]
    return " \u00b7 ".join(words)


def _called(label: str) -> str:
    return f"the {label}"


def _wrapped(label: str) -> str:
    return "\n".join(textwrap.wrap(label, 20))


def _by_name(rows: pd.DataFrame, judged: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """Rows with `document`, and no id of a document or a figure where a reader would stumble over it."""
    words = {name: naming.readable(rows[name], judged, labels) for name in ("explanation", "reference")}
    return rows.assign(**words, document=rows["source_id"].map(labels), verdict=rows["verdict"].str.replace("_", " "))
