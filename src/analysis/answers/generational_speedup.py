"""The words of the generational speedup report, from speedup frames."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.answers.words import (
    PROSE,
    bridged,
    counted,
    finding_name,
    fitting,
    listed,
    many_of,
    opening,
    prose,
    with_article,
)
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval, span
from analysis.core.notes import NONE, marks, note, of_rows
from analysis.core.plain import as_dicts
from analysis.themes import speedup
from analysis.themes.speedup import FACTS, RAN

TIMES = "times the baseline's throughput per accelerator"
STEP = "times the throughput per accelerator of the step before"
MISS = "mean factor between datasheet ratio and speedup, 1 being exact"
SOFTWARE = "times the throughput per accelerator of the earlier round"
DRAWN, CELLS = 10, 8  # accelerators of a figure that is read at a glance, and rows and columns of a heat map
ENOUGH = 3  # accelerators by which datasheet facts are judged
TABLE = {
    "name": "Accelerator",
    "where": "Basis",
    "speedup": "Fastest over fastest (ratio)",
    "spread": "Its like systems (ratio)",
    "scope": "Like systems",
    "paired": "Of one submitter (ratio)",
    "sizes": "Sizes",
    "precisions": "Precisions",
    "notes": "Caveat",
}
SOFTWARE_TABLE = {key: TABLE[key] for key in ("name", "paired", "speedup", "scope", "sizes", "precisions", "notes")}
FACTS_TABLE = {"pairs": "Pairs", "spec": "Datasheet fact", "miss": "Mean factor off", "accelerators": "Accelerators"}
FACTS_TABLE |= {"close": "Too close to the best to call"}
GRID = ["name", "label", "accelerator", "system", "submitter", "basis", "software"]  # what a cell of a heat map is of
SINGLE = frozenset({note("single", of="system")})
SHOWN = (RAN, "memory bandwidth")  # what a figure sets beside a speedup
Names = Callable[[str], str]  # of an accelerator or a benchmark: what people call it
Row = pd.Series | Mapping[str, Any]
ALIKE = 1.1  # ranges of a lead at most so many times apart give the same answer


def fastest(lead: Row | None, baseline: str, topic: str, name: Names) -> Finding:
    """What the accelerator of `lead` (speedup.leader) does in the baseline's terms.

    `topic` is benchmark and scenario in words, `name` calls accelerators.
    """
    if lead is None:
        why = f"No comparable figure sets another accelerator beside {with_article(name(baseline))} on {topic}."
        return nothing("fastest", TIMES, why)
    own, base = name(lead["accelerator"]), name(baseline)
    sold = " on sale" * (lead["origin"] == "official" and speedup.on_sale(lead))
    work = f"does the work of {_as_work(lead)}"
    if _slower(lead):
        words = f"No accelerator{sold} beats {with_article(base)} on {topic}: it {work} {many_of(own)}"
    else:
        words = f"{opening(with_article(own))}{sold} {work} {many_of(base)} on {topic}"
    ran = precisions(lead)
    sentence = fitting(f"{words} ({'; '.join(filter(None, [where(lead), ran]))}).", f"{words} ({where(lead)}).")
    return Finding("fastest", span(lead, "speedup"), TIMES, sentence, cited(_one(lead)), lead["notes"])


def follows(
    lead: Row | None, newer: pd.DataFrame, others: pd.DataFrame, baseline: str, covered: pd.DataFrame, name: Names
) -> Finding:
    """What follows: what newer rounds reach over a bridge (speedup.later), else who else stands there.

    `others` are all speedups. Without a lead it names the accelerators that could be the baseline.
    """
    base = name(baseline)
    if lead is None:
        if covered.empty:
            return nothing("next", TIMES, "No official result of it is there to compare.")
        last = covered.iloc[-1]
        choices = listed(map(name, last["others"]))
        return nothing("next", TIMES, f"Baselines to choose in {last['round']}: {choices}.")
    if len(newer):
        row = newer.iloc[0]
        work = f"{with_article(name(row['accelerator']))} does the work of {_as_work(row)}"
        if _slower(row):
            work = f"{with_article(base)} does the work of {_as_work(row)} {many_of(name(row['accelerator']))}"
        sentence = f"{_own_round(row)} has no {base}; by accelerators that ran in both rounds, {work}."
        return Finding("through_a_bridge", span(row, "speedup"), TIMES, sentence, cited(_one(row)), row["notes"])
    same = others[others["basis"].eq(lead["basis"]) & ~others["accelerator"].isin([baseline, lead["accelerator"]])]
    sold = np.array([speedup.on_sale(row) for row in as_dicts(same)], dtype="bool")
    same = fastest_first(same[sold]).head(2)
    if same.empty:
        return nothing(
            "next", TIMES, f"No other accelerator on sale stands beside {with_article(base)} in {where(lead)}."
        )
    words = [f"{with_article(name(row['accelerator']))} at {_prose(row)} times" for row in as_dicts(same)]
    sentence = f"Beside it {'stands' if len(words) == 1 else 'stand'} {listed(words)}."
    return Finding("next", span(same, "speedup"), TIMES, sentence, cited(same), of_rows(same))


def rests_on(lead: Row | None, baseline: str, name: Names) -> list[str]:
    """What the trust line says beside its rows: precisions and sizes of both sides, the round of a bridge."""
    if lead is None:
        return []
    sides = zip((lead["accelerator"], baseline), (lead["precision"], lead["baseline_precision"]), strict=True)
    ran = " against ".join(f"{name(part)} {precision.upper()}" for part, precision in sides) if precisions(lead) else ""
    sizes = lead["accelerator_count"], lead["baseline_count"]
    known = all(size == size and size is not pd.NA for size in sizes)
    alike = f"{sizes[0]} accelerators each" if sizes[0] == sizes[1] else f"{sizes[0]} accelerators against {sizes[1]}"
    return [*([ran] if ran else []), *([alike] if known else []), *bridged([lead["through"]])]


def rounds(covered: pd.DataFrame, asked: Collection[str], baseline: str, name: Names) -> list[Finding]:
    """What becomes of the rounds that lack the baseline, or have nothing to compare; nothing where all have it.

    `asked` are the rounds asked for by name.
    """
    lacking = covered[~covered["baseline"].astype(bool)].iloc[::-1]
    empty = [round for round in asked if round not in set(covered["round"])]
    parts = [_without_baseline(row, name(baseline)) for row in as_dicts(lacking.head(2))]
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


def drawn(leading: pd.DataFrame, lead: Row | None, baseline: str) -> list[str]:
    """The accelerators of a figure, DRAWN at most, the fastest on top; `leading` has one speedup per accelerator.

    Official before documents, on sale before preview, of the lead's round or a newer one before older ones.
    """
    if lead is None:
        return []
    others = fastest_first(leading[leading["accelerator"].ne(baseline)]).reset_index(drop=True)
    ranks = [
        (row["origin"] != "official", not speedup.on_sale(row), speedup.newest(row) < speedup.newest(lead), place)
        for place, row in enumerate(as_dicts(others))
    ]
    kept = sorted(place for *_, place in sorted(ranks)[:DRAWN])
    return list(others["accelerator"].iloc[kept])


def in_words(speedups: pd.DataFrame, leading: pd.DataFrame, baseline: str, name: Names) -> pd.DataFrame:
    """The speedups beside the baseline as figures and tables show them, with the columns of TABLE.

    Accelerators are ranked as in `leading`, each with its row there first.
    """
    answers = list(zip(*(fastest_first(leading)[column] for column in ("accelerator", "basis")), strict=True))
    place = {accelerator: rank for rank, (accelerator, _) in enumerate(answers)}
    others = speedups[speedups["accelerator"].ne(baseline)]
    keys = list(zip(others["accelerator"], others["basis"], strict=True))
    order = sorted(range(len(others)), key=lambda row: (place[keys[row][0]], keys[row] not in answers))
    first = [key in answers for key in keys]
    return _told(others.assign(leads=np.array(first, dtype="bool")).iloc[order], name)


def figure_rows(rows: pd.DataFrame, accelerators: Collection[str]) -> pd.DataFrame:
    """The rows of `in_words` that a figure draws: of each of `accelerators` the one that leads."""
    return rows[rows["leads"].astype(bool) & rows["accelerator"].isin(accelerators)]


def beside(rows: pd.DataFrame, baseline: str, name: Names) -> str:
    """What the figure by accelerator shows: how many do the work of two of the baseline, else of more than one."""
    base = name(baseline)
    if rows.empty:
        return f"Nothing stands beside {with_article(base)}."
    middles = interval.of(rows, "speedup").middle
    twice, faster = int(middles.ge(2).sum()), int(middles.gt(1).sum())
    if twice:
        return f"{twice} of {len(rows)} {'does' if twice == 1 else 'do'} the work of two {many_of(base)} or more."
    verb = "is" if faster == 1 else "are"
    return f"{faster} of {counted(len(rows), 'accelerator')} {verb} faster than {with_article(base)}."


def ladder(speedups: pd.DataFrame, baseline: str, topic: str, name: Names) -> list[Finding]:
    """One finding per accelerator beside the baseline."""
    return [
        Finding(
            f"speedup_{finding_name(row['accelerator'])}",
            span(row, "speedup"),
            TIMES,
            f"On {topic}, {_in_work(row, baseline, name)} ({_bracket(row)}).",
            cited(_one(row)),
            row["notes"],
            _beside(row),
        )
        for row in as_dicts(speedups[speedups["accelerator"].ne(baseline)])
    ]


def over_rounds(grown: pd.DataFrame, name: Names) -> Finding:
    """What newer rounds gave of the same accelerator at most; of speedup.grown."""
    unit = "times the throughput per accelerator of the accelerator's first round here"
    if grown.empty:
        return nothing("over_rounds", unit, "No accelerator has official results on sale in two rounds here.")
    row = grown.loc[interval.of(grown, "grown").middle.idxmax()]
    sentence = f"Over its rounds the same accelerator gained at most {_prose(row, 'grown')} times: "
    sentence += f"{name(row['accelerator'])}, {row['first']} to {row['last']}."
    return Finding("over_rounds", span(row, "grown"), unit, sentence, cited(_one(row)), row["notes"])


def across(grid: pd.DataFrame, lead: Row | None, baseline: str, label: Names, name: Names) -> Finding:
    """How much the speedup depends on the benchmark: of the lead's accelerator, else of that measured on most of them.

    `label` calls benchmarks, `name` accelerators.
    """
    others, base = grid[grid["accelerator"].ne(baseline)], name(baseline)
    if others.empty:
        return nothing("across_benchmarks", TIMES, f"Nothing stands beside {with_article(base)} on any benchmark.")
    counts = others["accelerator"].value_counts().sort_index()
    first = "" if lead is None else lead["accelerator"]
    which = first if counts.get(first, 0) > 1 else counts.idxmax()
    part = fastest_first(others[others["accelerator"].eq(which)])
    part = part.assign(benchmark=part["benchmark"].map(label))
    most, least = part.iloc[0], part.iloc[-1]
    own = opening(with_article(name(which)))
    sentence = f"{own} gives {_prose(most)} times {with_article(base)} on {most['benchmark']}, its only benchmark here."
    if len(part) > 1:
        sentence = (
            f"{own} gives {_prose(least)} times {with_article(base)} on {least['benchmark']} and {_prose(most)} on "
            f"{most['benchmark']} ({len(part)} of {counted(others['benchmark'].nunique(), 'benchmark')})."
        )
    return Finding("across_benchmarks", span(part, "speedup"), TIMES, sentence, cited(part), of_rows(part, "benchmark"))


def offered(spec: pd.DataFrame, lead: Row | None, baseline: str, name: Names) -> Finding:
    """What the datasheets of the lead and the baseline offer beside what it delivers; `spec` is of `spec_rows`."""
    unit = "times the baseline's throughput per accelerator, beside what datasheets offer"
    rows = spec.head(0) if lead is None else spec[spec["accelerator"].eq(lead["accelerator"])]
    facts = [] if rows.empty else [fact for fact in SHOWN if interval.of(rows, fact).low.notna().all()]
    if lead is None or not facts:
        return nothing("offered", unit, "No datasheet and precision of both is there to set beside the speedup.")
    row, own, base = rows.iloc[0], with_article(name(lead["accelerator"])), with_article(name(baseline))
    words = {RAN: f"compute ({precisions(row)})", "memory bandwidth": "memory bandwidth"}
    offers = {fact: _prose(row, fact) for fact in facts}
    told = listed(
        f"the same {words[fact]}" if float(times) == 1 else f"{times} times the {words[fact]}"
        for fact, times in offers.items()
    )
    sentence = f"Against {base}, {own} offers {told}, and delivers {_prose(row)} times."
    values = {finding_name(fact): (span(row, fact), "ratio of datasheet figures") for fact in facts}
    ids = [*cited(_one(lead)), "datasheets"]
    return Finding("offered", span(row, "speedup"), unit, sentence, ids, lead["notes"], values=values)


def explanation(explained: pd.DataFrame) -> Finding:
    """Which datasheet ratio comes closest to the speedups, or that it is too close to call; of speedup.explained_by."""
    judged = explained[explained["accelerators"].ge(ENOUGH).to_numpy(dtype="bool")]
    if judged.empty:
        why = f"Fewer than {ENOUGH} accelerators have a datasheet and a stated precision: no cause can be told."
        return nothing("explained_by", MISS, why)
    same, part = next(iter(judged.groupby("same", sort=False)))
    return Finding("explained_by", exactly(judged["miss"].iloc[0]), MISS, _explained(bool(same), part), ["datasheets"])


def _explained(same: bool, part: pd.DataFrame) -> str:
    called = {RAN: "compute"} if same else {}
    part = part.assign(spec=part["spec"].replace(called), miss=[interval.number(miss, 2) for miss in part["miss"]])
    close, best = part[part["close"].astype(bool)], part.iloc[0]
    over = f"over {counted(best['accelerators'], 'accelerator')}{' at one precision' if same else ''}"
    if len(close) == 1:
        return f"{opening(over)}, {best['spec']} explains the speedup best: off by {best['miss']} times on average."
    return f"What explains it is too close to call: {over} {listed(close['spec'])} fit alike."


def decomposition(steps: pd.DataFrame, software: pd.DataFrame, earlier: str, later: str, name: Names) -> list[Finding]:
    """One finding per step of hardware or power limit, and one for what the later round changed by software."""
    hardware = [
        Finding(
            f"step_{finding_name(row['before'])}_to_{finding_name(row['accelerator'])}",
            span(row, "speedup"),
            STEP,
            f"{name(row['before'])} to {name(row['accelerator'])} gives {_prose(row)} times ({_bracket(row)}).",
            cited(_one(row)),
            row["notes"],
            _beside(row),
        )
        for row in as_dicts(steps)
    ]
    return [*hardware, _software(software, earlier, later, name)]


def software_rows(software: pd.DataFrame, name: Names) -> pd.DataFrame:
    """The same accelerators in two rounds, what changed most on top, with the columns of TABLE."""
    return _told(fastest_first(software), name)


def software_heading(earlier: str, later: str) -> str:
    """The heading of the table of the same accelerators in two rounds."""
    if not earlier:
        return "The same accelerator in two rounds"
    return f"The same accelerator in {later} over {earlier}"


def spec_rows(beside: pd.DataFrame, accelerators: Collection[str], name: Names) -> pd.DataFrame:
    """The speedups of some accelerators with one interval per datasheet ratio: a row each, the fastest on top."""
    facts = beside.pivot(index="accelerator", columns="spec", values="spec_ratio_low").reindex(columns=list(FACTS))
    wide = pd.concat([facts.add_suffix("_low"), facts.add_suffix("_high")], axis=1)
    first = fastest_first(beside[beside["accelerator"].isin(accelerators)].drop_duplicates("accelerator"))
    return _told(first.merge(wide.reset_index(), on="accelerator"), name)


def leader_under_other_choice(here: Row | None, there: Row | None, baseline: str, topic: str, name: Names) -> Finding:
    """Whether the lead (speedup.leader) stays under another reasonable choice: that of `topic`, in words.

    The same leader is no other answer where the ranges of its lead are at most ALIKE times apart.
    """
    key = "under_another_choice"
    if there is None:
        return nothing(key, TIMES, f"{topic} has no comparable figure to check the answer with.")
    before, now = (None if row is None else "" if _slower(row) else row["accelerator"] for row in (here, there))
    same = before == now and (not now or _apart(span(here, "speedup"), span(there, "speedup")) <= ALIKE)
    base = with_article(name(baseline))
    if not now:
        own = f"none beats {base} on {topic}"
    else:
        work = f"does the work of {_prose(there)} {many_of(name(baseline))}{' too' * same} ({where(there)})"
        own = f"on {topic} {with_article(name(now))} {work}"
    verdict = "No" if same else "Yes"
    sources = sorted({source for row in (here, there) if row is not None for source in row["source_ids"]})
    return Finding(key, span(there, "speedup"), TIMES, f"{verdict}: {own}.", sources, there["notes"])


def _apart(one: Interval, other: Interval) -> float:
    """How many times the nearer end of the greater range is that of the other; at most 1 where they meet."""
    return max(one.low / other.high, other.low / one.high)


def dated(lines: pd.DataFrame, name: Names) -> pd.DataFrame:
    """The points of speedup.over_rounds with the accelerator's `name` and `when`, the round with its month."""
    when = lines["round"] + "\n" + lines["published"].map(lambda day: f"{day:%b %Y}")
    return lines.assign(name=lines["accelerator"].map(name), when=when)


def facts(explained: pd.DataFrame) -> pd.DataFrame:
    """The datasheet facts of speedup.explained_by with `pairs`, whether they ran one precision, in words."""
    return explained.assign(pairs=["of one precision" if same else "precision changed" for same in explained["same"]])


def grid_frames(
    grid: pd.DataFrame, benchmarks: pd.DataFrame, lead: Row | None, baseline: str, name: Names
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The heat map's numbers and words, accelerators by benchmark, and the rows of `grid` that it draws, with GRID.

    Of what is official and on sale: CELLS benchmarks at most, those of the newest rounds that most accelerators have;
    and CELLS accelerators, the lead's and those on most of these benchmarks. The fastest stand on top, benchmarks by
    their names in the order of their table; numbers have the digits that sentences have, and the marks of their notes,
    of which one is that a cell rests on a single system of its accelerator.
    """
    labels = dict(zip(benchmarks["benchmark"], benchmarks["label"], strict=True))
    grid = grid[grid["accelerator"].ne(baseline)]
    ages = pd.Series([speedup.newest(row) for row in as_dicts(grid)], grid.index, "object")
    sold = [row["origin"] == "official" and speedup.on_sale(row) for row in as_dicts(grid)]
    rows = grid.assign(age=ages)[np.array(sold, dtype="bool")]
    ranked = [((max(part["age"]), len(part)), benchmark) for benchmark, part in rows.groupby("benchmark", sort=False)]
    kept = [benchmark for _, benchmark in sorted(ranked, reverse=True)[:CELLS]]
    rows = rows[rows["benchmark"].isin(kept)]
    first = "" if lead is None else lead["accelerator"]
    often = [(part == first, count, part) for part, count in rows["accelerator"].value_counts().items()]
    rows = rows[rows["accelerator"].isin([part for *_, part in sorted(often, reverse=True)[:CELLS]])]
    rows = rows.assign(
        notes=[row["notes"] | (SINGLE if row["systems"] == 1 else NONE) for row in as_dicts(rows)],
        label=rows["benchmark"].map(labels),
        name=rows["accelerator"].map(name),
    )
    told = rows.assign(
        middle=interval.of(rows, "speedup").middle,
        words=[span(row, "speedup").text(PROSE, to="\u2013") + marks(row["notes"]) for row in as_dicts(rows)],
    )
    order = [label for label in labels.values() if label in set(told["label"])]
    values = told.pivot(index="name", columns="label", values="middle").reindex(columns=order)
    values = values.loc[values.max(axis=1).sort_values(ascending=False, kind="stable").index]
    words = told.pivot(index="name", columns="label", values="words").fillna("")
    return values, words.reindex(index=values.index, columns=values.columns), rows.drop(columns="age")


def where(row: Row) -> str:
    """The basis of a speedup in words: the round, and through which other; or the document."""
    if row.get("origin", "official") != "official":
        return row["basis"]
    through = row.get("through", "")
    own = [round for round in row["rounds"] if round != through]
    return " and ".join(own) + (f" through {through}" if through else "")


def precisions(row: Row) -> str:
    """The precisions that ran on both sides of a ratio; "" where one is not known."""
    own, other = (row[column].upper() for column in ("precision", "baseline_precision"))
    if not (own and other):
        return ""
    return f"both {own}" if own == other else f"{own} against {other}"


def scope(row: Row) -> str:
    """Of how many systems of its accelerator a speedup tells: "15 of 15 systems"."""
    return f"{row['systems']} of {counted(row['of_systems'], 'system')}"


def _own_round(row: Row) -> str:
    return " and ".join(round for round in row["rounds"] if round != row["through"])


def _one(row: Row) -> pd.Series:
    return row if isinstance(row, pd.Series) else pd.Series(dict(row))


def _bracket(row: Row) -> str:
    return "; ".join(filter(None, [where(row), precisions(row)]))


def _without_baseline(row: dict, base: str) -> str:
    ways = {"through a bridge": row["bridged"], "by another round": row["elsewhere"], "not at all": len(row["alone"])}
    counts = [(count, how) for how, count in ways.items() if count]
    beside = "none stands beside it"
    if counts[0][1] != "not at all":
        (count, how), *others = counts
        beside = listed([f"{count} stand{'s' * int(count == 1)} beside it {how}", *map("{0[0]} {0[1]}".format, others)])
    return f"{row['round']} has no {base}: of its {counted(row['accelerators'], 'accelerator')} {beside}."


def _in_work(row: Row, baseline: str, name: Names) -> str:
    """How much of the other's work the faster of the two does."""
    sides = [name(baseline), name(row["accelerator"])]
    slower, faster = sides if not _slower(row) else sides[::-1]
    return f"{with_article(faster)} does the work of {_as_work(row)} {many_of(slower)}"


def _slower(row: Row) -> bool:
    return span(row, "speedup").middle < 1


def _as_work(row: Row, column: str = "speedup") -> str:
    """An interval of the row with two digits, turned round where the row is slower than the baseline."""
    ends = span(row, column)
    return prose(Interval(1 / ends.high, 1 / ends.low) if _slower(row) else ends)


def _prose(row: Row, column: str = "speedup") -> str:
    """An interval with the two digits that sentences have."""
    return prose(span(row, column))


def _beside(row: Row) -> str:
    """The scope of a speedup, the spread of its systems, and the pairs of one submitter, where there are any."""
    count = row["pairs"]
    parts = [f"{scope(row)}: {_as_work(row, 'spread')}."] if row["systems"] > 1 else []
    parts += [f"{scope(row)}."] if row["systems"] < row["of_systems"] and not parts else []
    parts += [f"Of {counted(count, 'submitter')} with both: {_as_work(row, 'pairs')}."] if count else []
    return " ".join(parts)


def _told(rows: pd.DataFrame, name: Names) -> pd.DataFrame:
    """The rows with what figures and tables say of them in words."""
    records = as_dicts(rows)
    return rows.assign(
        name=[name(row["accelerator"]) for row in records],
        where=[where(row) for row in records],
        scope=[scope(row) for row in records],
        paired=[_paired(row) for row in records],
        sizes=[f"{row['accelerator_count']}x over {row['baseline_count']}x" for row in records],
        precisions=[precisions(row) for row in records],
        ran=[row["precision"].upper() for row in records],
    )


def _paired(row: Row) -> str:
    return f"{span(row, 'pairs').text()} ({row['pairs']})" if row["pairs"] else ""


def _software(software: pd.DataFrame, earlier: str, later: str, name: Names) -> Finding:
    if software.empty:
        why = f"No accelerator has official rows in both {earlier} and {later}"
        if not earlier:
            why = f"No accelerator of {later} has an earlier official row" if later else "No official row is there"
        return nothing("software", SOFTWARE, f"{why}: of software nothing is said.")
    own = software[software["pairs"].gt(0)]
    if own.empty:
        sentence = (
            f"The best systems of {listed(map(name, software['accelerator']))} give {prose(span(software, 'speedup'))} "
        )
        sentence += f"times as much in {later} as in {earlier}; no submitter filed one of them in both."
        return Finding("software", span(software, "speedup"), SOFTWARE, sentence, cited(software), of_rows(software))
    sentence = f"Submitters that filed an accelerator in both rounds got {prose(span(own, 'pairs'))} times as much of "
    sentence += f"it in {later} as in {earlier}: {listed(map(name, own['accelerator']))}."
    scope = f"{counted(int(own['pairs'].sum()), 'pair')} on {len(own)} of {counted(len(software), 'accelerator')}."
    return Finding("software", span(own, "pairs"), SOFTWARE, sentence, cited(own), of_rows(own), scope)
