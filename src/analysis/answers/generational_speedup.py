"""The words of the generational speedup report, from speedup frames; making numbers does not belong here."""

from __future__ import annotations

import pandas as pd

from analysis import interval
from analysis.answers.words import caveats, listed, ranged, slug, span
from analysis.caveats import told
from analysis.findings import Finding, nothing
from analysis.sources import cited
from analysis.speedup import SPECS

TIMES = "times the baseline's throughput per accelerator"
STEP = "times the throughput per accelerator of the step before"
MISS = "mean factor between datasheet ratio and speedup, 1 being exact"


def fastest(speedups: pd.DataFrame, baseline: str, topic: str) -> Finding:
    """Which accelerator leads the baseline most. `topic`: benchmark and scenario in words."""
    others = speedups[speedups["accelerator"].ne(baseline)]
    if others.empty:
        return nothing("fastest", TIMES, f"No comparable figure sets another accelerator beside {baseline} on {topic}.")
    best = others.loc[interval.of(others, "speedup").middle.idxmax()]
    sentence = (
        f"On {topic}, {best['accelerator']} leads at {ranged(best, 'speedup')} times {baseline} per accelerator "
        f"({best['basis']})."
    )
    return Finding("fastest", *span(best, "speedup"), TIMES, sentence, cited(best), caveats(best["caveat"]))


def ladder(speedups: pd.DataFrame, baseline: str, topic: str) -> list[Finding]:
    """One finding per accelerator beside the baseline."""
    return [
        Finding(
            f"speedup_{slug(row['accelerator'])}",
            *span(row, "speedup"),
            TIMES,
            f"{row['accelerator']} gives {ranged(row, 'speedup')} times {baseline} on {topic} ({row['basis']}).",
            cited(row),
            caveats(row["caveat"]),
        )
        for _, row in speedups[speedups["accelerator"].ne(baseline)].iterrows()
    ]


def across(grid: pd.DataFrame, baseline: str) -> Finding:
    """How much the speedup depends on the benchmark, for the accelerator measured on most of them."""
    others = grid[grid["accelerator"].ne(baseline)]
    if others.empty:
        return nothing("across_benchmarks", TIMES, f"No benchmark sets another accelerator beside {baseline}.")
    name = others["accelerator"].value_counts().sort_index().idxmax()
    part = others[others["accelerator"].eq(name)]
    least, most = part.loc[part["speedup_low"].idxmin()], part.loc[part["speedup_high"].idxmax()]
    sentence = (
        f"The benchmark decides: over {part['benchmark'].nunique()} benchmarks {name} gives "
        f"{interval.number(least['speedup_low'])} times {baseline} on {least['benchmark']} and up to "
        f"{interval.number(most['speedup_high'])} times on {most['benchmark']}."
    )
    return Finding("across_benchmarks", *span(part, "speedup"), TIMES, sentence, cited(part), told(part, "benchmark"))


def explanation(explained: pd.DataFrame, topic: str) -> Finding:
    """Which datasheet ratio comes closest to the speedups."""
    if explained.empty:
        return nothing("explained_by", MISS, "Too few accelerators have every datasheet fact to say what explains it.")
    best, worst = explained.iloc[0], explained.iloc[-1]
    sentence = (
        f"On {topic}, {best['spec']} explains the speedups best: over {best['accelerators']} accelerators its "
        f"datasheet ratio is off by a factor of {interval.number(best['miss'])} on average, that of {worst['spec']} by "
        f"{interval.number(worst['miss'])}."
    )
    return Finding("explained_by", best["miss"], best["miss"], MISS, sentence, ["datasheets"])


def decomposition(steps: pd.DataFrame, software: pd.DataFrame, later_round: str) -> list[Finding]:
    """One finding per step of hardware or power limit, and one for what the later round changed by software."""
    found = [
        Finding(
            f"step_{slug(row['step'])}",
            *span(row, "speedup"),
            STEP,
            f"{row['step']} gives {ranged(row, 'speedup')} times.",
            cited(row),
            caveats(row["caveat"]),
        )
        for _, row in steps.iterrows()
    ]
    if software.empty:
        return [*found, nothing("software", STEP, f"No accelerator has official rows in {later_round} to set beside.")]
    sentence = f"In {later_round} the same accelerators give {ranged(software, 'speedup')} times as much: "
    sentence += f"{listed(software['accelerator'])}."
    warned = [*told(software), "another round: software, rules and submitters differ"]
    return [*found, Finding("software", *span(software, "speedup"), STEP, sentence, cited(software), warned)]


def claims(judged: pd.DataFrame) -> Finding:
    """How many of the stated speedups the comparable figures bear out."""
    unit = "stated speedups that hold"
    if judged.empty:
        return nothing("claims_that_hold", unit, "No stated speedup can be set beside comparable figures here.")
    holds = int(judged["verdict"].eq("holds").sum())
    bounded = int(judged["verdict"].isin(["below its bound", "above its bound"]).sum())
    sentence = f"Of {len(judged)} stated speedups set beside comparable figures, {holds} hold"
    sentence += f" and {bounded} are bounds that the figures stay away from." if bounded else "."
    return Finding("claims_that_hold", holds, holds, unit, sentence, cited(judged), told(judged))


def speedup_title(speedups: pd.DataFrame, baseline: str, topic: str) -> str:
    """The claim of the speedup figure."""
    return fastest(speedups, baseline, topic).sentence


def grid_title(grid: pd.DataFrame, baseline: str) -> str:
    """The claim of the heat map."""
    return across(grid, baseline).sentence


def claims_title(judged: pd.DataFrame) -> str:
    """The claim of the figure of stated against computed speedups."""
    return claims(judged).sentence


def explanation_title(explained: pd.DataFrame, topic: str) -> str:
    """The claim of the figure of speedups against datasheet ratios."""
    return explanation(explained, topic).sentence


def claim_rows(judged: pd.DataFrame, labels: dict[str, str]) -> pd.DataFrame:
    """The claims with `claim`, the words by which a figure names them."""
    what = judged["subject"].str.slice(0, 34) + " over " + judged["baseline"]
    where = judged["benchmark"] + " " + judged["scenario"] + ", " + judged["source_id"].map(labels)
    return judged.assign(claim=what + "\n" + where)


def spec_rows(beside: pd.DataFrame) -> pd.DataFrame:
    """The speedups with one interval per datasheet ratio: a row per accelerator, the fastest on top."""
    facts = beside.pivot(index="accelerator", columns="spec", values="spec_ratio_low").reindex(columns=list(SPECS))
    wide = pd.concat([facts.add_suffix("_low"), facts.add_suffix("_high")], axis=1)
    first = beside.drop_duplicates("accelerator").sort_values("speedup_high", ascending=False, kind="stable")
    return first.merge(wide.reset_index(), on="accelerator")


def other_choice(here: pd.DataFrame, there: pd.DataFrame, baseline: str, topic: str) -> Finding:
    """Whether the leader stays the leader, and its speedup, under another reasonable choice."""
    mine, other = fastest(here, baseline, ""), fastest(there, baseline, topic)
    if other.low is None or mine.low is None:
        return nothing("under_another_choice", TIMES, f"{topic} has no comparable figure to check the answer with.")
    change = interval.text(other.low / mine.high, other.high / mine.low)
    sentence = f"{other.sentence} That is {change} times the lead above."
    return Finding("under_another_choice", other.low, other.high, TIMES, sentence, other.sources, other.caveats)


def grid_frames(grid: pd.DataFrame, benchmarks: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The heat map's numbers and words: accelerators (the fastest on top) by benchmark, in the order of the tables."""
    order = [name for name in benchmarks["benchmark"] if name in set(grid["benchmark"])]
    middle = grid.assign(middle=interval.of(grid, "speedup").middle)
    values = middle.pivot(index="accelerator", columns="benchmark", values="middle").reindex(columns=order)
    values = values.loc[values.max(axis=1).sort_values(ascending=False, kind="stable").index]
    said = grid.assign(words=[_short(*span(row, "speedup")) for _, row in grid.iterrows()])
    words = said.pivot(index="accelerator", columns="benchmark", values="words").fillna("")
    return values, words.reindex(index=values.index, columns=values.columns)


def _short(low: float, high: float) -> str:
    first, last = f"{low:.2f}", f"{high:.2f}"
    return first if first == last else f"{first}–{last}"
