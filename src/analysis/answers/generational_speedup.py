"""The words of the generational speedup report, from speedup frames."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
import pandas as pd

from analysis.answers.words import finding_name, listed, plural, ranged, span
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval
from analysis.core.notes import Notes, of_rows
from analysis.core.vocabulary import round_age
from analysis.themes.speedup import FACTS, OVER, UNDER

TIMES = "times the baseline's throughput per accelerator"
STEP = "times the throughput per accelerator of the step before"
DRAWN = 12  # accelerators of a figure that is read at a glance
MISS = "mean factor between datasheet ratio and speedup, 1 being exact"
SOFTWARE = "times the throughput per accelerator of the earlier round"
ENOUGH = 3  # accelerators by which datasheet facts are judged
TABLE = {
    "accelerator": "Accelerator",
    "where": "Basis",
    "speedup": "Fastest over fastest (ratio)",
    "spread": "Its like systems (ratio)",
    "scope": "Like systems",
    "paired": "Of one submitter (ratio)",
    "sizes": "Sizes",
    "precisions": "Precisions",
    "notes": "Caveat",
}
VERDICTS = {
    "holds": ("holds", "hold"),
    "not reached": ("is not reached", "are not reached"),
    "exceeded": ("is exceeded", "are exceeded"),
    UNDER: ("is an “up to” claim above what was measured", "are “up to” claims above what was measured"),
    OVER: ("is an “at least” claim below what was measured", "are “at least” claims below what was measured"),
}


def fastest(leading: pd.DataFrame, first: str, baseline: str, topic: str, covered: pd.DataFrame) -> Finding:
    """What the accelerator `first`, the fastest of the newest round (speedup.leader), does in the baseline's terms.

    `leading` has one speedup per accelerator, `covered` the rounds (speedup.rounds_covered), `topic` is benchmark and
    scenario in words. Without an official round (`first` is "") the highest speedup of a document leads.
    """
    others = leading[leading["accelerator"].ne(baseline)]
    row = _lead(others, first, baseline)
    if row is None:
        return _no_lead(others, first, baseline, topic, covered)
    ahead = f"nothing on sale in {covered['round'].iloc[-1]} is faster than {baseline}: " if first == baseline else ""
    work = _in_work(row, baseline, sold=row["origin"] == "official")
    sentence = f"On {topic}, {ahead}{work} ({where(row)}; {precisions(row)})."
    return Finding(
        "fastest", span(row, "speedup"), TIMES, sentence, cited(row), row["notes"], _not_on_sale(others, row)
    )


def without_a_bridge(speedups: pd.DataFrame, leading: pd.DataFrame, first: str, baseline: str) -> list[Finding]:
    """Where the leader stands beside the baseline through a bridge only: the best that a round with both shows."""
    others = leading[leading["accelerator"].ne(baseline)]
    lead = _lead(others, first, baseline)
    if lead is None or not lead["through"]:
        return []
    direct = speedups[
        speedups["accelerator"].ne(baseline) & speedups["rounds"].map(lambda own: own == (lead["through"],))
    ]
    on_sale = direct[direct["origin"].eq("official") & ~direct["notes"].map(_in_preview).astype(bool)]
    if on_sale.empty:
        return []
    row = fastest_first(on_sale).iloc[0]
    sentence = f"In {lead['through']}, the newest round with {baseline}, {_in_work(row, baseline)} ({precisions(row)})."
    return [Finding("without_a_bridge", span(row, "speedup"), TIMES, sentence, cited(row), row["notes"])]


def rounds(covered: pd.DataFrame, asked: Collection[str], baseline: str) -> list[Finding]:
    """What becomes of the rounds that lack the baseline, or have nothing to compare; nothing where all have it.

    `asked` are the rounds asked for by name.
    """
    lacking = covered[~covered["baseline"].astype(bool)].iloc[::-1]
    empty = [name for name in asked if name not in set(covered["round"])]
    parts = [_without_baseline(row, baseline) for row in lacking.head(2).to_dict("records")]
    more = list(lacking["round"].iloc[2:])
    parts += [f"It is lacking in {listed(more)} too."] if more else []
    parts += [f"Of {listed(empty)} no official result is there to compare."] if empty else []
    if not parts:
        return []
    count = exactly(len(lacking) + len(empty))
    return [Finding("rounds_without_baseline", count, "rounds", parts[0], more=" ".join(parts[1:]))]


def fastest_first(speedups: pd.DataFrame) -> pd.DataFrame:
    """The speedups by their middles, the highest first."""
    return speedups.iloc[np.argsort(-interval.of(speedups, "speedup").middle.to_numpy(), kind="stable")]


def in_words(speedups: pd.DataFrame, leading: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """The speedups beside the baseline as figure and table show them, with the columns of TABLE.

    Accelerators are ranked as in `leading`, each with its row there first; `name` is accelerator and basis on two
    lines. `shown` says which a figure draws: the rows of `leading` of the first DRAWN accelerators. What `leading`
    passes over, and documents beside the record, are left to the table.
    """
    answers = list(zip(*(fastest_first(leading)[name] for name in ("accelerator", "basis")), strict=True))
    place = {accelerator: rank for rank, (accelerator, _) in enumerate(answers)}
    others = speedups[speedups["accelerator"].ne(baseline)]
    keys = list(zip(others["accelerator"], others["basis"], strict=True))
    order = sorted(range(len(others)), key=lambda row: (place[keys[row][0]], keys[row] not in answers))
    first = [accelerator for accelerator in place if accelerator != baseline][:DRAWN]
    drawn = [key in answers and key[0] in first for key in keys]
    rows = others.assign(shown=np.array(drawn, dtype="bool")).iloc[order]
    return _told(rows).assign(name=[f"{row['accelerator']}\n{where(row)}" for row in rows.to_dict("records")])


def ladder(speedups: pd.DataFrame, baseline: str, topic: str) -> list[Finding]:
    """One finding per accelerator beside the baseline."""
    return [
        Finding(
            f"speedup_{finding_name(row['accelerator'])}",
            span(row, "speedup"),
            TIMES,
            f"On {topic}, {_in_work(row, baseline)} ({where(row)}; {precisions(row)}).",
            cited(row),
            row["notes"],
            _beside(row),
        )
        for _, row in speedups[speedups["accelerator"].ne(baseline)].iterrows()
    ]


def across(grid: pd.DataFrame, first: str, baseline: str, label: Callable[[str], str]) -> Finding:
    """How much the speedup depends on the benchmark: of `first`, else of the accelerator measured on most of them.

    `label` gives a benchmark's name in words.
    """
    others = grid[grid["accelerator"].ne(baseline)]
    if others.empty:
        why = f"Of these accelerators none stands beside {baseline} on any benchmark."
        return nothing("across_benchmarks", TIMES, why)
    counts = others["accelerator"].value_counts().sort_index()
    name = first if counts.get(first, 0) > 1 else counts.idxmax()
    part = fastest_first(others[others["accelerator"].eq(name)])
    part = part.assign(benchmark=part["benchmark"].map(label))
    most, least = part.iloc[0], part.iloc[-1]
    sentence = f"{name} gives {_prose(most)} times {baseline} on {most['benchmark']}, its only benchmark here."
    if len(part) > 1:
        sentence = (
            f"On {len(part)} of {others['benchmark'].nunique()} benchmarks {name} stands beside {baseline}: it gives "
            f"{_prose(least)} times on {least['benchmark']} and up to {_prose(most)} times on {most['benchmark']}."
        )
    return Finding("across_benchmarks", span(part, "speedup"), TIMES, sentence, cited(part), of_rows(part, "benchmark"))


def explanation(explained: pd.DataFrame, topic: str) -> Finding:
    """Which datasheet ratio comes closest to the speedups."""
    if explained.empty or explained["accelerators"].iloc[0] < ENOUGH:
        why = (
            f"Fewer than {ENOUGH} accelerators have every datasheet fact and say at which precision they ran: nothing "
        )
        why += "is said of what explains the speedups."
        return nothing("explained_by", MISS, why)
    best, worst = explained.iloc[0], explained.iloc[-1]
    number = {name: interval.number(row["miss"], 2) for name, row in (("best", best), ("worst", worst))}
    alike = explained.loc[explained["miss"].map(lambda miss: interval.number(miss, 2)).eq(number["best"]), "spec"]
    sentence = (
        f"On {topic}, {listed(alike)} explain{'s' * (len(alike) == 1)} the speedups best: over {best['accelerators']} "
        f"accelerators the datasheet ratio is off by a factor of {number['best']} on average, that of {worst['spec']} "
        f"by {number['worst']}."
    )
    return Finding("explained_by", exactly(best["miss"]), MISS, sentence, ["datasheets"])


def decomposition(steps: pd.DataFrame, software: pd.DataFrame, earlier: str, later: str) -> list[Finding]:
    """One finding per step of hardware or power limit, and one for what the later round changed by software."""
    hardware = [
        Finding(
            f"step_{finding_name(row['step'])}",
            span(row, "speedup"),
            STEP,
            f"{row['step']} gives {_prose(row)} times ({where(row)}; {precisions(row)}).",
            cited(row),
            row["notes"],
            _beside(row),
        )
        for _, row in steps.iterrows()
    ]
    return [*hardware, _software(software, earlier, later)]


def software_rows(software: pd.DataFrame) -> pd.DataFrame:
    """The same accelerators in two rounds, what changed most on top, with the columns of TABLE."""
    return _told(fastest_first(software))


def software_heading(earlier: str, later: str) -> str:
    """The heading of the table of the same accelerators in two rounds."""
    if not earlier:
        return "The same accelerator in two rounds"
    return f"The same accelerator in {later} over {earlier}"


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
    """The claims with `claim`, the words by which a figure names them, and `paired`, the pairs of one submitter.

    `labels` are those of sources, `label` gives that of a benchmark.
    """
    what = judged["subject"].str.slice(0, 34) + " over " + judged["baseline"]
    where = judged["benchmark"].map(label) + " " + judged["scenario"] + ", " + judged["source_id"].map(labels)
    where += judged["round"].eq("").map({True: ", no round", False: ""})
    return judged.assign(claim=what + "\n" + where, paired=[_paired(row) for row in judged.to_dict("records")])


def spec_rows(beside: pd.DataFrame) -> pd.DataFrame:
    """The speedups with one interval per datasheet ratio: a row per accelerator, the fastest on top."""
    facts = beside.pivot(index="accelerator", columns="spec", values="spec_ratio_low").reindex(columns=list(FACTS))
    wide = pd.concat([facts.add_suffix("_low"), facts.add_suffix("_high")], axis=1)
    first = fastest_first(beside.drop_duplicates("accelerator"))
    return first.merge(wide.reset_index(), on="accelerator")


def leader_under_other_choice(
    here: pd.DataFrame, there: pd.DataFrame, firsts: tuple[str, str], baseline: str, topic: str
) -> Finding:
    """Whether the leader stays the leader under another reasonable choice: that of `topic`, in words.

    `firsts` are the fastest accelerators of both choices (speedup.leader).
    """
    name = "under_another_choice"
    sides = [part[part["accelerator"].ne(baseline)] for part in (here, there)]
    before, now = (_lead(part, first, baseline) for part, first in zip(sides, firsts, strict=True))
    if before is None or now is None:
        return nothing(name, TIMES, f"{topic} has no comparable figure to check the answer with.")
    leads = [first or row["accelerator"] for first, row in zip(firsts, (before, now), strict=True)]
    same = sides[1][sides[1]["accelerator"].eq(before["accelerator"])].head(1)
    both = pd.concat([sides[1].loc[[now.name]], same]).drop_duplicates("accelerator")
    ahead = f"{leads[1]} leads on {topic}{' too' * (leads[0] == leads[1])}"
    if leads[1] == baseline:
        beside = f", ahead of {now['accelerator']} at {_prose(now)} times ({where(now)})"
    else:
        beside = f", at {_prose(now)} times {baseline} ({where(now)})"
    if leads[0] == leads[1]:
        sentence = f"No: {ahead}{beside}, against {_prose(before)} above."
    elif leads[0] == baseline:
        sentence = f"Yes: {ahead}{beside}."
    elif same.empty:
        sentence = f"Yes: {ahead}{beside}; {leads[0]} has no comparable figure there."
    else:
        there = same.iloc[0]
        sentence = f"Yes: {ahead}{beside}; {leads[0]} gives {_prose(there)} ({where(there)})."
    return Finding(name, span(now, "speedup"), TIMES, sentence, cited(both), of_rows(both))


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


def where(row: pd.Series | dict) -> str:
    """The basis of a speedup in words: the round, and through which other; or the document."""
    if row.get("origin", "official") != "official":
        return row["basis"]
    own = [name for name in row["rounds"] if name != row.get("through", "")]
    return " and ".join(own) + (f" through {row['through']}" if row.get("through") else "")


def precisions(row: pd.Series | dict) -> str:
    """The precisions that ran on both sides of a ratio."""
    own, other = (row[name].upper() for name in ("precision", "baseline_precision"))
    if not (own or other):
        return "precisions not stated"
    if own == other:
        return f"both {own}"
    return f"{own or 'a precision not stated'} against {other or 'one not stated'}"


def scope(row: pd.Series | dict) -> str:
    """Of how many systems of its accelerator a speedup tells: "15 of 15 systems"."""
    return f"{row['systems']} of {_many(row['of_systems'], 'system')}"


def _lead(others: pd.DataFrame, first: str, baseline: str) -> pd.Series | None:
    """The row of the leader, None where nothing sets it beside the baseline.

    Where the baseline leads, that of the next to it in the newest round; where no round does, that of a document.
    """
    official = others[others["origin"].eq("official")]
    if first == baseline:
        newest = max((name for rounds in official["rounds"] for name in rounds), key=round_age, default="")
        part = official[[newest in rounds for rounds in official["rounds"]]] if newest else official
    else:
        part = official[official["accelerator"].eq(first)] if first else others
    return None if part.empty else fastest_first(part).iloc[0]


def _no_lead(others: pd.DataFrame, first: str, baseline: str, topic: str, covered: pd.DataFrame) -> Finding:
    if first in ("", baseline):
        why = f"No comparable figure sets another accelerator beside {baseline} on {topic}."
        return nothing("fastest", TIMES, why)
    newest = covered.iloc[-1]
    why = f"On {topic}, {first} leads {newest['round']}, and nothing sets it beside {baseline}."
    baselines = f"Baselines to choose in {newest['round']}: {listed(newest['others'])}."
    return Finding("fastest", None, TIMES, why, more=baselines)


def _without_baseline(row: dict, baseline: str) -> str:
    ways = {"through a bridge": row["bridged"], "by another round": row["elsewhere"], "not at all": len(row["alone"])}
    counts = [(count, how) for how, count in ways.items() if count]
    beside = "none stands beside it"
    if counts[0][1] != "not at all":
        (count, how), *others = counts
        beside = listed([f"{count} stand{'s' * int(count == 1)} beside it {how}", *map("{0[0]} {0[1]}".format, others)])
    return f"{row['round']} has no {baseline}: of its {_many(row['accelerators'], 'accelerator')} {beside}."


def _in_work(row: pd.Series | dict, baseline: str, sold: bool = False) -> str:
    """How much of the other's work the faster of the two does."""
    if _slower(row):
        return f"one {baseline} does the work of {_as_work(row)} {row['accelerator']}"
    own = row["accelerator"] + (" on sale" if sold and not _in_preview(row["notes"]) else "")
    return f"one {own} does the work of {_as_work(row)} {baseline}"


def _many(count: int, thing: str) -> str:
    return f"{count} {thing if count == 1 else plural(thing)}"


def _slower(row: pd.Series | dict) -> bool:
    return _ends(row, "speedup").middle < 1


def _as_work(row: pd.Series | dict, name: str = "speedup") -> str:
    """An interval of the row with two digits, turned round where the row is slower than the baseline."""
    ends = _ends(row, name)
    return (Interval(1 / ends.high, 1 / ends.low) if _slower(row) else ends).text(2)


def _not_on_sale(others: pd.DataFrame, lead: pd.Series) -> str:
    """What was faster than the leader in its round, and in preview."""
    faster = others[others["basis"].eq(lead["basis"]) & others["notes"].map(_in_preview).astype(bool)]
    ahead = fastest_first(faster[interval.of(faster, "speedup").middle.gt(_ends(lead, "speedup").middle)])
    parts = [f"{row['accelerator']} at {_prose(row)} times" for row in ahead.to_dict("records")]
    return f"Not on sale yet: {listed(parts)}." if parts else ""


def _in_preview(notes: Notes) -> bool:
    return any(own.code == "preview" for own in notes)


def _prose(row: pd.Series | dict, name: str = "speedup") -> str:
    """An interval with the two digits that sentences have."""
    return _ends(row, name).text(2)


def _ends(row: pd.Series | dict, name: str) -> Interval:
    return Interval(float(row[f"{name}_low"]), float(row[f"{name}_high"]))


def _beside(row: pd.Series | dict) -> str:
    """The scope of a speedup, the spread of its systems, and the pairs of one submitter, where there are any."""
    count = row["pairs"]
    parts = [f"{scope(row)}: {_as_work(row, 'spread')}."] if row["systems"] > 1 else []
    parts += [f"{scope(row)}."] if row["systems"] < row["of_systems"] and not parts else []
    parts += [f"Of {_many(count, 'submitter')} with both: {_as_work(row, 'pairs')}."] if count else []
    return " ".join(parts)


def _told(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with what tables say of them in words."""
    records = rows.to_dict("records")
    return rows.assign(
        where=[where(row) for row in records],
        scope=[scope(row) for row in records],
        paired=[_paired(row) for row in records],
        sizes=[f"{row['accelerator_count']}x over {row['baseline_count']}x" for row in records],
        precisions=[precisions(row) for row in records],
    )


def _paired(row: dict) -> str:
    return f"{_ends(row, 'pairs').text()} ({row['pairs']})" if row["pairs"] else ""


def _software(software: pd.DataFrame, earlier: str, later: str) -> Finding:
    if software.empty:
        why = f"No accelerator has official rows in both {earlier} and {later}"
        if not earlier:
            why = f"No accelerator of {later} has an earlier official row" if later else "No official row is there"
        return nothing("software", SOFTWARE, f"{why}: of software nothing is said.")
    own = software[software["pairs"].gt(0)]
    if own.empty:
        sentence = (
            f"The best systems of {listed(software['accelerator'])} give {_text(software, 'speedup')} times as much "
        )
        sentence += f"in {later} as in {earlier}; no submitter filed one of them in both."
        return Finding("software", span(software, "speedup"), SOFTWARE, sentence, cited(software), of_rows(software))
    sentence = f"Submitters that filed an accelerator in both rounds got {_text(own, 'pairs')} times as much of it in "
    sentence += f"{later} as in {earlier}: {listed(own['accelerator'])}."
    scope = f"{_many(int(own['pairs'].sum()), 'pair')} on {len(own)} of {_many(len(software), 'accelerator')}."
    return Finding("software", span(own, "pairs"), SOFTWARE, sentence, cited(own), of_rows(own), scope)


def _text(rows: pd.DataFrame, name: str) -> str:
    return span(rows, name).text(2)
