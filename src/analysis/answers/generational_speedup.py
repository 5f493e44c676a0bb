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
from analysis.core.notes import marks, of_rows
from analysis.core.plain import as_dicts
from analysis.themes import of_a_kind, speedup
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
    "speedup": "Fastest of like systems (ratio)",
    "spread": "Slowest to fastest of them (ratio)",
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
    leader_name, baseline_name = name(lead["accelerator"]), name(baseline)
    sold = " on sale" * (lead["origin"] == "official" and speedup.on_sale(lead))
    work = f"does the work of {_as_work(lead)}"
    if _slower(lead):
        words = f"No accelerator{sold} beats {with_article(baseline_name)} on {topic}: it {work} {many_of(leader_name)}"
    else:
        words = f"{opening(with_article(leader_name))}{sold} {work} {many_of(baseline_name)} on {topic}"
    ran = precisions(lead)
    sentence = fitting(f"{words} ({'; '.join(filter(None, [where(lead), ran]))}).", f"{words} ({where(lead)}).")
    return Finding("fastest", span(lead, "speedup"), TIMES, sentence, cited(_one(lead)), lead["notes"])


def follows(
    lead: Row | None, newer: pd.DataFrame, others: pd.DataFrame, baseline: str, covered: pd.DataFrame, name: Names
) -> Finding:
    """What follows: what newer rounds reach over a bridge (speedup.later), else who else stands there.

    `others` are all speedups. Without a lead it names the accelerators that could be the baseline.
    """
    baseline_name = name(baseline)
    if lead is None:
        if covered.empty:
            return nothing("next", TIMES, "No official result of it is there to compare.")
        newest = covered.iloc[-1]
        choices = listed(map(name, newest["others"]))
        return nothing("next", TIMES, f"Baselines to choose in {newest['round']}: {choices}.")
    if len(newer):
        row = newer.iloc[0]
        work = f"{with_article(name(row['accelerator']))} does the work of {_as_work(row)}"
        if _slower(row):
            work = f"{with_article(baseline_name)} does the work of {_as_work(row)} {many_of(name(row['accelerator']))}"
        sentence = f"{_own_round(row)} has no {baseline_name}; by accelerators that ran in both rounds, {work}."
        return Finding("through_a_bridge", span(row, "speedup"), TIMES, sentence, cited(_one(row)), row["notes"])
    rivals = others[others["basis"].eq(lead["basis"]) & ~others["accelerator"].isin([baseline, lead["accelerator"]])]
    sold = np.array([speedup.on_sale(row) for row in as_dicts(rivals)], dtype="bool")
    rivals = fastest_first(rivals[sold]).head(2)
    if rivals.empty:
        return nothing(
            "next", TIMES, f"No other accelerator on sale stands beside {with_article(baseline_name)} in {where(lead)}."
        )
    words = [f"{with_article(name(row['accelerator']))} at {_prose(row)} times" for row in as_dicts(rivals)]
    sentence = f"Beside it {'stands' if len(words) == 1 else 'stand'} {listed(words)}."
    return Finding("next", span(rivals, "speedup"), TIMES, sentence, cited(rivals), of_rows(rivals))


def rests_on(lead: Row | None, baseline: str, name: Names) -> list[str]:
    """What the trust line says beside its rows: precisions and sizes of both sides, the round of a bridge."""
    if lead is None:
        return []
    parts = []
    if precisions(lead):
        precision, baseline_precision = lead["precision"].upper(), lead["baseline_precision"].upper()
        parts += [f"{name(lead['accelerator'])} {precision} against {name(baseline)} {baseline_precision}"]
    size, baseline_size = lead["accelerator_count"], lead["baseline_count"]
    if pd.notna(size) and pd.notna(baseline_size):
        same_size = size == baseline_size
        parts += [f"{size} accelerators each" if same_size else f"{size} accelerators against {baseline_size}"]
    return [*parts, *bridged([lead["through"]])]


def rounds(covered: pd.DataFrame, asked: Collection[str], baseline: str, name: Names) -> list[Finding]:
    """What becomes of the rounds that lack the baseline, or have nothing to compare; nothing where all have it.

    `asked` are the rounds asked for by name.
    """
    lacking = covered[~covered["baseline"].astype(bool)].iloc[::-1]
    empty = [round for round in asked if round not in set(covered["round"])]
    parts = [_without_baseline(row, name(baseline)) for row in as_dicts(lacking.head(2))]
    further_rounds = list(lacking["round"].iloc[2:])
    parts += [f"It is lacking in {listed(further_rounds)} too."] if further_rounds else []
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
    is_leading = [key in answers for key in keys]
    return _told(others.assign(leads=np.array(is_leading, dtype="bool")).iloc[order], name)


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
    """What newer rounds gave of the same accelerator at most, at one size where any has it; of speedup.grown."""
    unit = "times the throughput per accelerator of the accelerator's first round here"
    if grown.empty:
        return nothing("over_rounds", unit, "No accelerator has official results on sale in two rounds here.")
    sized = of_a_kind.narrowed(grown, grown["one_size"].astype("bool"))
    row = sized.loc[interval.of(sized, "grown").middle.idxmax()]
    sentence = f"Over its rounds the same accelerator{' at one size' if row['one_size'] else ''} gained at most "
    sentence += f"{_prose(row, 'grown')} times: {name(row['accelerator'])}, {row['first']} to {row['last']}"
    sentence += "." if row["one_submitter"] else ", by another submitter."
    return Finding("over_rounds", span(row, "grown"), unit, sentence, cited(_one(row)), row["notes"])


def across(grid: pd.DataFrame, lead: Row | None, baseline: str, label: Names, name: Names) -> Finding:
    """How much the speedup depends on the benchmark: of the lead's accelerator, else of that measured on most of them.

    `label` calls benchmarks, `name` accelerators.
    """
    others, base = grid[grid["accelerator"].ne(baseline)], name(baseline)
    if others.empty:
        return nothing("across_benchmarks", TIMES, f"Nothing stands beside {with_article(base)} on any benchmark.")
    counts = others["accelerator"].value_counts().sort_index()
    leading = "" if lead is None else lead["accelerator"]
    accelerator = leading if counts.get(leading, 0) > 1 else counts.idxmax()
    by_benchmark = fastest_first(others[others["accelerator"].eq(accelerator)])
    by_benchmark = by_benchmark.assign(benchmark=by_benchmark["benchmark"].map(label))
    highest, lowest = by_benchmark.iloc[0], by_benchmark.iloc[-1]
    subject = opening(with_article(name(accelerator)))
    over_base = f"times {with_article(base)} on"
    sentence = f"{subject} gives {_prose(highest)} {over_base} {highest['benchmark']}, its only benchmark here."
    if len(by_benchmark) > 1:
        share = f"{len(by_benchmark)} of {counted(others['benchmark'].nunique(), 'benchmark')}"
        sentence = f"{subject} gives {_prose(lowest)} {over_base} {lowest['benchmark']} and {_prose(highest)} on "
        sentence += f"{highest['benchmark']} ({share})."
    return Finding(
        "across_benchmarks",
        span(by_benchmark, "speedup"),
        TIMES,
        sentence,
        cited(by_benchmark),
        of_rows(by_benchmark, "benchmark"),
    )


def offered(spec: pd.DataFrame, lead: Row | None, baseline: str, name: Names) -> Finding:
    """What the datasheets of the lead and the baseline offer beside what it delivers; `spec` is of `spec_rows`."""
    unit = "times the baseline's throughput per accelerator, beside what datasheets offer"
    rows = spec.head(0) if lead is None else spec[spec["accelerator"].eq(lead["accelerator"])]
    facts = [] if rows.empty else [fact for fact in SHOWN if interval.of(rows, fact).low.notna().all()]
    if lead is None or not facts:
        return nothing("offered", unit, "No datasheet and precision of both is there to set beside the speedup.")
    row, lead_name, baseline_name = rows.iloc[0], with_article(name(lead["accelerator"])), with_article(name(baseline))
    words = {RAN: f"compute ({precisions(row)})", "memory bandwidth": "memory bandwidth"}
    offers = {fact: _prose(row, fact) for fact in facts}
    offer = listed(
        f"the same {words[fact]}" if float(times) == 1 else f"{times} times the {words[fact]}"
        for fact, times in offers.items()
    )
    sentence = f"Against {baseline_name}, {lead_name} offers {offer}, and delivers {_prose(row)} times."
    values = {finding_name(fact): (span(row, fact), "ratio of datasheet figures") for fact in facts}
    ids = [*cited(_one(lead)), "datasheets"]
    return Finding("offered", span(row, "speedup"), unit, sentence, ids, lead["notes"], values=values)


def explanation(explained: pd.DataFrame) -> Finding:
    """Which datasheet ratio comes closest to the speedups, or that it is too close to call; of speedup.explained_by."""
    judged = explained[explained["accelerators"].ge(ENOUGH).to_numpy(dtype="bool")]
    if judged.empty:
        why = f"Fewer than {ENOUGH} accelerators have a datasheet and a stated precision: no cause can be told."
        return nothing("explained_by", MISS, why)
    one_precision, ranked_facts = next(iter(judged.groupby("same", sort=False)))
    sentence = _explained(bool(one_precision), ranked_facts)
    return Finding("explained_by", exactly(judged["miss"].iloc[0]), MISS, sentence, ["datasheets"])


def _explained(one_precision: bool, ranked_facts: pd.DataFrame) -> str:
    called = ranked_facts["spec"].replace({RAN: "compute"} if one_precision else {})
    ranked_facts = ranked_facts.assign(spec=called, miss=[interval.number(miss, 2) for miss in ranked_facts["miss"]])
    close, best = ranked_facts[ranked_facts["close"].astype(bool)], ranked_facts.iloc[0]
    over = f"over {counted(best['accelerators'], 'accelerator')}{' at one precision' if one_precision else ''}"
    if len(close) == 1:
        return f"{opening(over)}, {best['spec']} explains the speedup best: off by {best['miss']} times on average."
    return f"What explains it is too close to call: {over} {listed(close['spec'])} fit equally well."


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


def spec_rows(with_facts: pd.DataFrame, accelerators: Collection[str], name: Names) -> pd.DataFrame:
    """The speedups of some accelerators with one interval per datasheet ratio: a row each, the fastest on top."""
    facts = with_facts.pivot(index="accelerator", columns="spec", values="spec_ratio_low").reindex(columns=list(FACTS))
    wide = pd.concat([facts.add_suffix("_low"), facts.add_suffix("_high")], axis=1)
    speedups = fastest_first(with_facts[with_facts["accelerator"].isin(accelerators)].drop_duplicates("accelerator"))
    return _told(speedups.merge(wide.reset_index(), on="accelerator"), name)


def leader_under_other_choice(
    lead: Row | None, lead_elsewhere: Row | None, baseline: str, topic: str, name: Names
) -> Finding:
    """Whether the lead (speedup.leader) stays under another reasonable choice: that of `topic`, in words.

    The same leader is no other answer where the ranges of its lead are at most ALIKE times apart.
    """
    key = "under_another_choice"
    if lead_elsewhere is None:
        return nothing(key, TIMES, f"{topic} has no comparable figure to check the answer with.")
    leader, leader_elsewhere = (
        None if row is None else "" if _slower(row) else row["accelerator"] for row in (lead, lead_elsewhere)
    )
    same_answer = leader == leader_elsewhere and (
        not leader_elsewhere or _apart(span(lead, "speedup"), span(lead_elsewhere, "speedup")) <= ALIKE
    )
    base = with_article(name(baseline))
    if not leader_elsewhere:
        statement = f"none beats {base} on {topic}"
    else:
        work = f"does the work of {_prose(lead_elsewhere)} {many_of(name(baseline))}{' too' * same_answer}"
        statement = f"on {topic} {with_article(name(leader_elsewhere))} {work} ({where(lead_elsewhere)})"
    verdict = "No" if same_answer else "Yes"
    sources = sorted({source for row in (lead, lead_elsewhere) if row is not None for source in row["source_ids"]})
    return Finding(
        key, span(lead_elsewhere, "speedup"), TIMES, f"{verdict}: {statement}.", sources, lead_elsewhere["notes"]
    )


def _apart(one_range: Interval, other_range: Interval) -> float:
    """How many times the nearer end of the greater range is that of the other; at most 1 where they meet."""
    return max(one_range.low / other_range.high, other_range.low / one_range.high)


def dated(lines: pd.DataFrame, name: Names) -> pd.DataFrame:
    """The points of speedup.over_rounds with the accelerator's `name` and `when`, the round with its month."""
    when = lines["round"] + "\n" + lines["published"].map(lambda day: f"{day:%b %Y}")
    return lines.drop(columns=speedup.RATIO, errors="ignore").assign(name=lines["accelerator"].map(name), when=when)


def facts(explained: pd.DataFrame) -> pd.DataFrame:
    """The datasheet facts of speedup.explained_by with `pairs`, whether they ran one precision, in words."""
    return explained.assign(pairs=["of one precision" if same else "precision changed" for same in explained["same"]])


def grid_frames(
    grid: pd.DataFrame, benchmarks: pd.DataFrame, lead: Row | None, baseline: str, name: Names
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The heat map's numbers and words, accelerators by benchmark, and the rows of `grid` that it draws, with GRID.

    Of what is official and on sale: CELLS benchmarks at most, those of the newest rounds that most accelerators have;
    and CELLS accelerators, the lead's and those on most of these benchmarks. The fastest stand on top, benchmarks by
    their names in the order of their table; numbers have the digits that sentences have, and the marks of their notes.
    """
    labels = dict(zip(benchmarks["benchmark"], benchmarks["label"], strict=True))
    grid = grid[grid["accelerator"].ne(baseline)]
    ages = pd.Series([speedup.newest(row) for row in as_dicts(grid)], grid.index, "object")
    sold = [row["origin"] == "official" and speedup.on_sale(row) for row in as_dicts(grid)]
    rows = grid.assign(age=ages)[np.array(sold, dtype="bool")]
    ranked = [
        ((max(rows_of_benchmark["age"]), len(rows_of_benchmark)), benchmark)
        for benchmark, rows_of_benchmark in rows.groupby("benchmark", sort=False)
    ]
    kept_benchmarks = [benchmark for _, benchmark in sorted(ranked, reverse=True)[:CELLS]]
    rows = rows[rows["benchmark"].isin(kept_benchmarks)]
    leading = "" if lead is None else lead["accelerator"]
    by_coverage = [
        (accelerator == leading, count, accelerator)
        for accelerator, count in rows["accelerator"].value_counts().items()
    ]
    kept_accelerators = [accelerator for *_, accelerator in sorted(by_coverage, reverse=True)[:CELLS]]
    rows = rows[rows["accelerator"].isin(kept_accelerators)]
    rows = rows.assign(label=rows["benchmark"].map(labels), name=rows["accelerator"].map(name))
    cells = rows.assign(
        middle=interval.of(rows, "speedup").middle,
        words=[span(row, "speedup").text(PROSE, to="\u2013") + marks(row["notes"]) for row in as_dicts(rows)],
    )
    order = [label for label in labels.values() if label in set(cells["label"])]
    values = cells.pivot(index="name", columns="label", values="middle").reindex(columns=order)
    values = values.loc[values.max(axis=1).sort_values(ascending=False, kind="stable").index]
    words = cells.pivot(index="name", columns="label", values="words").fillna("")
    return values, words.reindex(index=values.index, columns=values.columns), rows.drop(columns="age")


def where(row: Row) -> str:
    """The basis of a speedup in words: the round, and through which other; or the document."""
    if row.get("origin", "official") != "official":
        return row["basis"]
    through = row.get("through", "")
    own_rounds = [round for round in row["rounds"] if round != through]
    return " and ".join(own_rounds) + (f" through {through}" if through else "")


def precisions(row: Row) -> str:
    """The precisions that ran on both sides of a ratio; "" where one is not known."""
    precision, baseline_precision = (row[column].upper() for column in ("precision", "baseline_precision"))
    if not (precision and baseline_precision):
        return ""
    return f"both {precision}" if precision == baseline_precision else f"{precision} against {baseline_precision}"


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
    clause = "none stands beside it"
    if counts[0][1] != "not at all":
        (count, how), *other_ways = counts
        clause = listed(
            [f"{count} stand{'s' * int(count == 1)} beside it {how}", *map("{0[0]} {0[1]}".format, other_ways)]
        )
    return f"{row['round']} has no {base}: of its {counted(row['accelerators'], 'accelerator')} {clause}."


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
    paired = software[software["pairs"].gt(0)]
    if paired.empty:
        sentence = (
            f"The best systems of {listed(map(name, software['accelerator']))} give {prose(span(software, 'speedup'))} "
        )
        sentence += f"times as much in {later} as in {earlier}; no submitter filed one of them in both."
        return Finding("software", span(software, "speedup"), SOFTWARE, sentence, cited(software), of_rows(software))
    sentence = (
        f"Submitters that filed an accelerator in both rounds got {prose(span(paired, 'pairs'))} times as much of "
    )
    sentence += f"it in {later} as in {earlier}: {listed(map(name, paired['accelerator']))}."
    scope = (
        f"{counted(int(paired['pairs'].sum()), 'pair')} on {len(paired)} of {counted(len(software), 'accelerator')}."
    )
    return Finding("software", span(paired, "pairs"), SOFTWARE, sentence, cited(paired), of_rows(paired), scope)
