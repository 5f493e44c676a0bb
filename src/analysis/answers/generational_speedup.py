"""The words of the generational speedup report, from speedup frames."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from analysis.answers.words import finding_name, listed, ranged, span
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.notes import of_rows
from analysis.themes.speedup import OVER, SPECS, UNDER

TIMES = "times the baseline's throughput per accelerator"
STEP = "times the throughput per accelerator of the step before"
MISS = "mean factor between datasheet ratio and speedup, 1 being exact"
VERDICTS = {
    "holds": ("holds", "hold"),
    "not reached": ("is not reached", "are not reached"),
    "exceeded": ("is exceeded", "are exceeded"),
    UNDER: ("is an “up to” claim above what was measured", "are “up to” claims above what was measured"),
    OVER: ("is an “at least” claim below what was measured", "are “at least” claims below what was measured"),
}


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
    return Finding("fastest", span(best, "speedup"), TIMES, sentence, cited(best), best["notes"])


def ahead_elsewhere(speedups: pd.DataFrame, leading: pd.DataFrame, baseline: str) -> list[Finding]:
    """What another round's leader had, where it was further ahead than the leader of the answer; else nothing."""
    here = fastest_first(leading[leading["accelerator"].ne(baseline)]).head(1)
    official = speedups["origin"].eq("official") & speedups["accelerator"].ne(baseline)
    rounds = speedups[official & ~speedups["basis"].isin(here["basis"])]
    best = fastest_first(pd.concat([here, rounds])).head(1)
    if best.empty or best["basis"].isin(here["basis"]).all():
        return []
    row, name = best.iloc[0], "ahead_in_another_round"
    sentence = f"In {listed(row['rounds'])}, {row['accelerator']} was further ahead, at {ranged(row, 'speedup')} times."
    return [Finding(name, span(row, "speedup"), TIMES, sentence, cited(row), row["notes"])]


def fastest_first(speedups: pd.DataFrame) -> pd.DataFrame:
    """The speedups by their middles, the highest first: the order in which the answer ranks them."""
    return speedups.iloc[np.argsort(-interval.of(speedups, "speedup").middle.to_numpy(), kind="stable")]


def in_order(speedups: pd.DataFrame, leading: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """The speedups beside the baseline, accelerators ranked as in the answer, each with the row of the answer first."""
    answers = list(zip(*(fastest_first(leading)[name] for name in ("accelerator", "basis")), strict=True))
    place = {accelerator: rank for rank, (accelerator, _) in enumerate(answers)}
    others = speedups[speedups["accelerator"].ne(baseline)]
    keys = zip(others["accelerator"], others["basis"], strict=True)
    rank = [(place[accelerator], (accelerator, basis) not in answers) for accelerator, basis in keys]
    return others.iloc[sorted(range(len(others)), key=rank.__getitem__)]


def ladder(speedups: pd.DataFrame, baseline: str, topic: str) -> list[Finding]:
    """One finding per accelerator beside the baseline."""
    return [
        Finding(
            f"speedup_{finding_name(row['accelerator'])}",
            span(row, "speedup"),
            TIMES,
            f"{row['accelerator']} gives {ranged(row, 'speedup')} times {baseline} on {topic} ({row['basis']}).",
            cited(row),
            row["notes"],
        )
        for _, row in speedups[speedups["accelerator"].ne(baseline)].iterrows()
    ]


def across(grid: pd.DataFrame, baseline: str, label: Callable[[str], str]) -> Finding:
    """How much the speedup depends on the benchmark, for the accelerator measured on most of them.

    `label` gives a benchmark's name in words.
    """
    others = grid[grid["accelerator"].ne(baseline)]
    if others.empty:
        return nothing("across_benchmarks", TIMES, f"No benchmark sets another accelerator beside {baseline}.")
    name = others["accelerator"].value_counts().sort_index().idxmax()
    part = fastest_first(others[others["accelerator"].eq(name)])
    part = part.assign(benchmark=part["benchmark"].map(label))
    most, least = part.iloc[0], part.iloc[-1]
    sentence = (
        f"{name} gives {ranged(most, 'speedup')} times {baseline} on {most['benchmark']}, its only benchmark here."
    )
    if len(part) > 1:
        sentence = (
            f"The benchmark decides: over {len(part)} benchmarks {name} gives from {ranged(least, 'speedup')} times "
            f"{baseline} on {least['benchmark']} up to {ranged(most, 'speedup')} times on {most['benchmark']}."
        )
    return Finding("across_benchmarks", span(part, "speedup"), TIMES, sentence, cited(part), of_rows(part, "benchmark"))


def explanation(explained: pd.DataFrame, topic: str) -> Finding:
    """Which datasheet ratio comes closest to the speedups."""
    if explained.empty:
        return nothing("explained_by", MISS, "Too few accelerators have every datasheet fact to say what explains it.")
    best, worst = explained.iloc[0], explained.iloc[-1]
    alike = explained.loc[explained["miss"].map(interval.number).eq(interval.number(best["miss"])), "spec"]
    sentence = (
        f"On {topic}, {listed(alike)} explain{'s' * (len(alike) == 1)} the speedups best: over {best['accelerators']} "
        f"accelerators the datasheet ratio is off by a factor of {interval.number(best['miss'])} on average, that of "
        f"{worst['spec']} by {interval.number(worst['miss'])}."
    )
    return Finding("explained_by", exactly(best["miss"]), MISS, sentence, ["datasheets"])


def decomposition(steps: pd.DataFrame, software: pd.DataFrame, first_round: str, later_round: str) -> list[Finding]:
    """One finding per step of hardware or power limit, and one for what the later round changed by software."""
    hardware = [
        Finding(
            f"step_{finding_name(row['step'])}",
            span(row, "speedup"),
            STEP,
            f"{row['step']} gives {ranged(row, 'speedup')} times (official {first_round}).",
            cited(row),
            row["notes"],
        )
        for _, row in steps.iterrows()
    ]
    return [*hardware, _software(software, first_round, later_round)]


def _software(software: pd.DataFrame, first_round: str, later_round: str) -> Finding:
    unit = "times the throughput per accelerator of the earlier round"
    if first_round == later_round:
        why = f"Of software nothing is said: {later_round} is the only round here, and a round over itself shows no "
        return nothing("software", unit, f"{why}progress, only how far its submitters lie apart.")
    if software.empty:
        why = f"No accelerator has official rows in both {first_round} and {later_round}: of software nothing is said."
        return nothing("software", unit, why)
    sentence = f"In {later_round} the same accelerators give {ranged(software, 'speedup')} times as much as in "
    sentence += f"{first_round}: {listed(software['accelerator'])}."
    return Finding("software", span(software, "speedup"), unit, sentence, cited(software), of_rows(software))


def software_heading(first_round: str, later_round: str) -> str:
    """The heading of the table of the same accelerators in two rounds."""
    if first_round == later_round:
        return "The same accelerator in two rounds"
    return f"The same accelerator in {later_round} over {first_round}"


def claims(judged: pd.DataFrame, others: pd.DataFrame) -> Finding:
    """How many of the stated speedups the figures of their round bear out; `others` are claims of other rounds."""
    name, unit = "claims_that_hold", "stated speedups that hold"
    rounds = listed(sorted(others["round"])) if len(others) else ""
    unjudged = f"Not judged: {len(others)} more, of {rounds}: not compared here." if len(others) else ""
    if judged.empty:
        why = "No stated speedup can be set beside comparable figures of its own round here."
        return Finding(name, None, unit, why, more=unjudged)
    counts = judged["verdict"].value_counts()
    words = [
        f"{counts.get(verdict, 0)} {words[int(counts.get(verdict, 0) != 1)]}"
        for verdict, words in VERDICTS.items()
        if counts.get(verdict, 0) or verdict == "holds"
    ]
    headline = (
        f"In {len(judged)} comparison{'s' * (len(judged) != 1)} of stated speedups with figures of their own round, "
        f"{listed(words, len(VERDICTS))}."
    )
    holds = exactly(int(counts.get("holds", 0)))
    return Finding(name, holds, unit, headline, cited(judged), of_rows(judged), unjudged)


def claim_rows(judged: pd.DataFrame, labels: dict[str, str], label: Callable[[str], str]) -> pd.DataFrame:
    """The claims with `claim`, the words by which a figure names them: `labels` of sources, `label` of a benchmark."""
    what = judged["subject"].str.slice(0, 34) + " over " + judged["baseline"]
    where = judged["benchmark"].map(label) + " " + judged["scenario"] + ", " + judged["source_id"].map(labels)
    where += judged["round"].eq("").map({True: ", no round", False: ""})
    return judged.assign(claim=what + "\n" + where)


def spec_rows(beside: pd.DataFrame) -> pd.DataFrame:
    """The speedups with one interval per datasheet ratio: a row per accelerator, the fastest on top."""
    facts = beside.pivot(index="accelerator", columns="spec", values="spec_ratio_low").reindex(columns=list(SPECS))
    wide = pd.concat([facts.add_suffix("_low"), facts.add_suffix("_high")], axis=1)
    first = fastest_first(beside.drop_duplicates("accelerator"))
    return first.merge(wide.reset_index(), on="accelerator")


def leader_under_other_choice(here: pd.DataFrame, there: pd.DataFrame, baseline: str, topic: str) -> Finding:
    """Whether the leader stays the leader under another reasonable choice: that of `topic`, in words."""
    name = "under_another_choice"
    mine, other = (fastest_first(part[part["accelerator"].ne(baseline)]) for part in (here, there))
    if mine.empty or other.empty:
        return nothing(name, TIMES, f"{topic} has no comparable figure to check the answer with.")
    before, now = mine.iloc[0], other.iloc[0]
    same = other[other["accelerator"].eq(before["accelerator"])].head(1)
    both = pd.concat([other.head(1), same]).drop_duplicates("accelerator")
    lead = f"{ranged(now, 'speedup')} times {baseline}"
    if now["accelerator"] == before["accelerator"]:
        less = f"against {ranged(before, 'speedup')} above"
        sentence = f"No: {now['accelerator']} leads on {topic} too, at {_within(lead, now, less, before)}."
    elif same.empty:
        sentence = f"Yes: on {topic}, {now['accelerator']} leads at {lead} ({now['basis']}); "
        sentence += f"{before['accelerator']} has no comparable figure there."
    else:
        there = same.iloc[0]
        less = f"and {before['accelerator']} gives {ranged(there, 'speedup')}"
        sentence = f"Yes: on {topic}, {now['accelerator']} leads at {_within(lead, now, less, there)}."
    return Finding(name, span(now, "speedup"), TIMES, sentence, cited(both), of_rows(both))


def _within(first: str, row: pd.Series, second: str, other: pd.Series) -> str:
    """Two figures in words, with the basis of each, said once where it is one."""
    basis = "" if row["basis"] == other["basis"] else f" ({row['basis']})"
    return f"{first}{basis}, {second} ({other['basis']})"


def grid_frames(grid: pd.DataFrame, benchmarks: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The heat map's numbers and words: accelerators (the fastest on top) by benchmark, in the order of the tables.

    Benchmarks go by their names in words; numbers have the digits that sentences have.
    """
    labels = dict(zip(benchmarks["benchmark"], benchmarks["label"], strict=True))
    order = [label for name, label in labels.items() if name in set(grid["benchmark"])]
    grid = grid.assign(benchmark=grid["benchmark"].map(labels))
    middle = grid.assign(middle=interval.of(grid, "speedup").middle)
    values = middle.pivot(index="accelerator", columns="benchmark", values="middle").reindex(columns=order)
    values = values.loc[values.max(axis=1).sort_values(ascending=False, kind="stable").index]
    worded = grid.assign(words=[ranged(row, "speedup").replace(" to ", "–") for _, row in grid.iterrows()])
    words = worded.pivot(index="accelerator", columns="benchmark", values="words").fillna("")
    return values, words.reindex(index=values.index, columns=values.columns)
