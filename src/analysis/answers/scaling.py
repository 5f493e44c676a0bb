"""The words of the scaling report: what more accelerators give, and what those get who are not the vendor."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from analysis.answers.words import counted, fitting, ranged
from analysis.core import ages, interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, nothing
from analysis.core.interval import Interval, span
from analysis.core.notes import of_rows, without
from analysis.core.plain import as_dicts
from analysis.core.vocabulary import WORKS
from analysis.themes.of_a_kind import software as served
from analysis.themes.system_sizes import BOX, CLUSTER, RACK

KEPT = "share of the smaller system's throughput per accelerator"
OVER = "times the median of the other submitters"
MOST, STEPS = 10, 12  # rows of a figure, and steps of one
ENOUGH, CLOSE = 3, 0.95  # submitters of which a slowest one is named, and from what share of them on it is as good
MARKERS = {BOX: "o", RACK: "s", CLUSTER: "^"}
Names = Callable[[str], str]
GROWN = {
    "benchmark": "Benchmark",
    "round": "Round",
    "accelerator": "Accelerator",
    "precision": "Precision",
    "from_count": "From",
    "to_count": "To",
    "layout": "Larger system",
    "kept": "Kept per accelerator (%)",
    "submitters": "Submitters with both",
    "submitter": "Larger system's submitter",
}
SPREAD = {
    "benchmark": "Benchmark",
    "round": "Round",
    "accelerator": "Accelerator",
    "accelerator_count": "Count",
    "precision": "Precision",
    "submitters": "Other submitters",
    "others": "Others over their median (ratio)",
    "own": "Vendor over their median (ratio)",
    "slowest": "Slowest of them",
}


def answer(grown: pd.DataFrame, spread: pd.DataFrame, topic: str) -> Finding:
    """What larger systems keep per accelerator, and what the vendor's own result is to the others.

    `grown` and `spread` are those of the themes, of one benchmark and scenario, which `topic` names.
    """
    name = "kept_per_accelerator"
    with_vendor = spread[spread["own_low"].notna()]
    steps = beyond(grown)
    values = {"vendor over others, median": (_median(with_vendor, "own"), OVER)} if len(with_vendor) else {}
    if steps.empty:
        why = f"On {topic} no submitter filed one accelerator in two sizes"
        if len(with_vendor):
            share = _percent(_share(_median(with_vendor, "own")))
            sentence = f"{why}; others' median is {share} of the vendor's."
            return Finding(name, None, KEPT, sentence, cited(with_vendor), of_rows(with_vendor), values=values)
        return nothing(name, KEPT, f"{why}, and nobody filed a system like the vendor's.")
    kept = span(steps, "kept")
    where = "larger boxes" if steps["layout"].eq(BOX).all() else f"systems of up to {steps['to_count'].max()}"
    share = f"{_percent(_share(_median(with_vendor, 'own')))} of the vendor's"
    on_others, on_others_briefly = (
        f"; {whose} {share}" if len(with_vendor) else "" for whose in ("the median of others is", "others' median")
    )
    scope = f", in {counted(len(steps), 'step')} by one submitter"
    brief_scope = f" ({counted(len(steps), 'step')})"
    claim = f"{where} keep {_percent(kept)} per accelerator"
    sentence = fitting(
        f"On {topic}, {claim}{scope}{on_others}.",
        f"On {topic}, {claim}{brief_scope}{on_others}.",
        f"On {topic}, {claim}{brief_scope}{on_others_briefly}.",
        f"{topic}: {claim}{brief_scope}{on_others_briefly}.",
        f"{topic}: {claim}{brief_scope}.",
    )
    notes = without(of_rows(steps) | of_rows(with_vendor), "precision_unstated")
    return Finding(name, kept, KEPT, sentence, cited(steps, with_vendor), notes, values=values)


def beyond(grown: pd.DataFrame) -> pd.DataFrame:
    """The steps by one submitter that the answer rests on: those beyond one box where there are any."""
    by_one_submitter = grown[grown["submitters"].gt(0)]
    beyond_box = by_one_submitter[by_one_submitter["layout"].ne(BOX)]
    return by_one_submitter if beyond_box.empty else beyond_box


def follows(grown: pd.DataFrame, spread: pd.DataFrame, name: Names, everywhere: pd.DataFrame | None = None) -> Finding:
    """What to plan a larger system at, and what the slowest of like systems means for who buys one.

    It is planned at the least that a step beyond one box by one submitter kept, over all benchmarks where `everywhere`
    has theirs.
    Of groups of at least ENOUGH others where there are any: of two, the median says little.
    """
    key, steps = "what_follows", beyond(grown)
    larger = steps[steps["layout"].ne(BOX)]
    advice_on_size = ""
    if len(larger):
        all_steps = beyond(grown if everywhere is None else everywhere)
        benchmarks = all_steps["benchmark"].nunique()
        least = _percent(Interval(*[all_steps["kept_low"].min()] * 2))
        advice_on_size = f"plan larger systems at {least}, the least kept in "
        advice_on_size += (
            f"{counted(len(all_steps), 'step')} of one submitter each on {counted(benchmarks, 'benchmark')}, and "
        )
    if spread.empty:
        headline = f"So {advice_on_size}ask a supplier for a result of its own: nobody filed a like system."
        return nothing(key, OVER, headline)
    groups = spread[spread["submitters"].ge(ENOUGH)]
    groups = spread if groups.empty else groups
    row = groups.loc[groups["others_low"].idxmin()]
    worst = Interval(*[float(row["others_low"])] * 2)
    advice = "choose a supplier by price" if worst.low > CLOSE else "ask a supplier for its own result"
    headline = f"So {advice_on_size}{advice}: the slowest of {row['submitters']} gave "
    headline += f"{_percent(worst)} of the median {name(row['accelerator'])} system."
    few = spread[spread["others_low"].lt(worst.low)]
    more = ""
    if len(few):
        apart = few.loc[few["others_low"].idxmin()]
        share = _percent(Interval(*[float(apart["others_low"] / apart["others_high"])] * 2))
        more = f"Of {apart['submitters']} with a like {name(apart['accelerator'])} one gave {share} of the other."
    return Finding(key, worst, OVER, headline, cited(spread), of_rows(groups.loc[[row.name]]), more=more)


def rests_on(grown: pd.DataFrame, spread: pd.DataFrame) -> list[str]:
    """What the trust line says beyond the rows: the steps in size, and the groups of like systems."""
    steps = beyond(grown)
    return [f"{counted(len(steps), 'step')} in size", f"{counted(len(spread), 'group')} of like systems"]


def sizes(drawn: pd.DataFrame, grown: pd.DataFrame, unit: str, name: Names, topic: str) -> Finding:
    """The largest system and what it gives, and what its accelerator kept: the title of the first figure.

    Both are of the benchmark and scenario that `topic` names: on others the round may hold larger systems.
    """
    if drawn.empty:
        return nothing("largest_system", unit, "No system on sale to draw.")
    row = drawn.loc[drawn["accelerator_count"].astype(int).idxmax()]
    rate = f"{ranged(row, 'per_accelerator')} {WORKS[unit]} a second"
    system = f"{row['accelerator_count']} {name(row['accelerator'])}"
    headline = f"The largest that ran {topic} in {row['round']}, {system}, gives {rate} each"
    steps_to_it = grown[grown["accelerator"].eq(row["accelerator"]) & grown["to_count"].eq(row["accelerator_count"])]
    steps_to_it = steps_to_it[steps_to_it["round"].eq(row["round"])]
    if len(steps_to_it) and steps_to_it["submitters"].iloc[0]:
        step = steps_to_it.iloc[0]
        headline = fitting(f"{headline}: {_percent(span(step, 'kept'))} of one among {step['from_count']}", headline)
    return Finding("largest_system", span(row, "per_accelerator"), unit, f"{headline}.", [row["source_id"]])


def everywhere(grown: pd.DataFrame) -> Finding:
    """What racks and clusters keep over all benchmarks: the title of the second figure."""
    name = "kept_everywhere"
    steps = grown[grown["submitters"].gt(0) & grown["layout"].ne(BOX)]
    if steps.empty:
        return nothing(name, KEPT, "No submitter filed one accelerator in a box and beyond it.")
    count = steps["benchmark"].nunique()
    headline = f"On {counted(count, 'benchmark')} racks and clusters keep {_percent(span(steps, 'kept'))}"
    headline += f" per accelerator, in {counted(len(steps), 'step')} by one submitter."
    return Finding(name, span(steps, "kept"), KEPT, headline, cited(steps), of_rows(steps))


def others(spread: pd.DataFrame, topic: str) -> Finding:
    """How far others lie behind the vendor of the same accelerator: the title of the figure of submitters."""
    name = "vendor_over_others"
    if spread.empty:
        return nothing(name, OVER, f"On {topic} no two submitters filed like systems that are not their own.")
    with_vendor = spread[spread["own_low"].notna()]
    if with_vendor.empty:
        headline = f"No vendor filed these itself; submitters lie {_around(span(spread, 'others'))} their median."
        return Finding(name, None, OVER, headline, cited(spread), of_rows(spread))
    groups = counted(len(with_vendor), "group")
    headline = f"Vendors' own results lie {_around(span(with_vendor, 'own'))} the median of others, in {groups}."
    return Finding(name, span(with_vendor, "own"), OVER, headline, cited(with_vendor), of_rows(with_vendor))


def others_everywhere(spread: pd.DataFrame) -> Finding:
    """The vendor's own result beside the others' over all benchmarks."""
    name = "vendor_over_others_everywhere"
    with_vendor = spread[spread["own_low"].notna()]
    if with_vendor.empty:
        return nothing(name, OVER, "On no benchmark did a vendor and two others file like systems.")
    middles = interval.of(with_vendor, "own").middle
    ends = Interval(float(middles.quantile(0.1)), float(middles.quantile(0.9)))
    benchmarks = counted(with_vendor["benchmark"].nunique(), "benchmark")
    headline = f"Over {benchmarks}, four in five of {counted(len(with_vendor), 'result')} that vendors filed "
    headline += f"themselves lie {_around(ends)} the others' median."
    return Finding(name, ends, OVER, headline, cited(with_vendor))


def under_other_choice(grown: pd.DataFrame, grown_there: pd.DataFrame, topic: str) -> Finding:
    """Whether larger systems keep as much in another scenario, in words `topic`; `grown_there` is of that scenario."""
    name = "under_another_choice"
    steps, steps_there = beyond(grown), beyond(grown_there)
    if steps.empty or steps_there.empty:
        return nothing(name, KEPT, f"{topic} has no two sizes of one submitter to check the answer with.")
    kept, base = span(steps_there, "kept"), span(steps, "kept")
    keeps_less = kept.low < base.low - 0.05
    headline = f"{'Yes' if keeps_less else 'No'}: on {topic} an accelerator keeps {_percent(kept)}"
    if keeps_less:
        worst = steps_there.loc[steps_there["kept_low"].idxmin()]
        headline += f", least from {worst['from_count']} to {worst['to_count']}"
    return Finding(name, kept, KEPT, f"{headline}.", cited(steps_there), of_rows(steps_there))


def size_rows(rows: pd.DataFrame, grown: pd.DataFrame, name: Names) -> pd.DataFrame:
    """The systems that the first figure draws: of MOST accelerators, those of several sizes first, then the fastest."""
    steps = set(grown["accelerator"])
    groups = rows.groupby("accelerator")["per_accelerator_high"].max().rename("high").reset_index()
    groups = groups.assign(several=groups["accelerator"].isin(steps))
    kept = groups.sort_values(["several", "high"], ascending=False, kind="stable")["accelerator"].head(MOST)
    drawn = rows[rows["accelerator"].isin(kept)]
    names = drawn["accelerator"].map(name)
    return drawn.assign(
        name=names.where(~drawn["alone"], names + " (" + drawn["submitter"] + ")"),
        software=served(drawn),
        notes=[without(notes_of_row, "another_size") for notes_of_row in drawn["notes"]],  # the size is what is drawn
    )


def grown_rows(grown: pd.DataFrame, label: Names, name: Names) -> pd.DataFrame:
    """The steps as figure and table show them, in per cent, beyond one box first, the newest and largest first."""
    steps = interval.put(grown, "kept", Interval(100 * grown["kept_low"], 100 * grown["kept_high"]))
    steps = steps.assign(
        at=steps["benchmark"].map(label) + ", " + steps["round"],
        name=[f"{name(row['accelerator'])}, {row['from_count']} to {row['to_count']}" for row in as_dicts(steps)],
        benchmark=steps["benchmark"].map(label),
        own=steps["submitters"].gt(0),
        beyond=steps["layout"].ne(BOX),
        age=ages.of(steps["round"]),
    )
    order = ["own", "beyond", "age", "to_count"]
    return steps.sort_values(order, ascending=False, kind="stable").drop(columns="age").reset_index(drop=True)


def shown_of(shown: pd.DataFrame, steps: pd.DataFrame) -> str:
    """How many steps a figure shows where it has no room for all: `, the newest 12 of 15`."""
    return f", the newest {len(shown)} of {len(steps)}" if len(shown) < len(steps) else ""


def spread_rows(spread: pd.DataFrame, label: Names, name: Names) -> pd.DataFrame:
    """The groups of like systems as figure and table show them, the newest first, those of most submitters first."""
    groups = spread.assign(
        name=[f"{name(row['accelerator'])} {row['accelerator_count']}x, {row['round']}" for row in as_dicts(spread)],
        benchmark=spread["benchmark"].map(label),
        note=[counted(count, "other") for count in spread["submitters"]],
        age=ages.of(spread["round"]),
        judged=spread["own_low"].notna(),
        others_median=1.0,
    )
    return groups.sort_values(["judged", "age", "submitters"], ascending=False, kind="stable").reset_index(drop=True)


def _median(rows: pd.DataFrame, name: str) -> Interval:
    middle = float(interval.of(rows, name).middle.median())
    return Interval(middle, middle)


def _share(ratio: Interval) -> Interval:
    return Interval(1 / ratio.high, 1 / ratio.low)


def _around(ratio: Interval) -> str:
    """From how far below one to how far above it a ratio goes, in per cent."""
    ends = [100 * (end - 1) for end in (ratio.low, ratio.high)]
    return f"from {' to '.join(f'{_few(abs(end))} % {_side(end)}' for end in ends)}"


def _few(percent: float) -> str:
    """Two digits, and none behind a tenth of a per cent."""
    return interval.number(percent if percent >= 1 else round(percent, 1), 2)


def _side(percent: float) -> str:
    return "below" if percent < 0 else "above"


def _percent(share: Interval) -> str:
    """A share in whole per cent."""
    ends = list(dict.fromkeys(f"{100 * end:.0f}" for end in (share.low, share.high)))
    return f"{' to '.join(ends)} %"
