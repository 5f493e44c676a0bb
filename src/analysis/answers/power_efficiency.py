"""The words of the power efficiency report, from frames of power.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from analysis.answers.words import listed, plural, ranged, span
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval
from analysis.core.notes import apart, carried, note, of_rows
from analysis.core.vocabulary import same_suite
from analysis.themes import power


def energy(rows: pd.DataFrame, baseline: str, topic: str, work: str) -> Finding:
    """Joules and dollars of the most efficient system beside the baseline's; a meter goes before printed figures.

    `rows` are those of power.energy, `work` what is counted (`token`, `sample`, `query`). Where the baseline itself is
    the most efficient, the next accelerator stands beside it.
    """
    unit = f"US dollars per million {plural(work)}, with the overhead of the building"
    if rows.empty:
        return nothing("energy_price", unit, f"No power submission of {topic} is comparable: its energy is not known.")
    best = power.most_efficient(rows)
    own = rows["accelerator"].eq(baseline)
    second = rows[~own if best["accelerator"] == baseline else own]
    both = pd.DataFrame([best, *([power.most_efficient(second)] if len(second) else [])])
    known = [_known_from(row) for _, row in both.iterrows()]
    spent = f"{best['accelerator']} takes {ranged(best, 'joules')} joules per {work} at the wall"
    spent += known[0] if known[0] != known[-1] or len(both) == 1 else ""
    if len(both) > 1:
        spent += f", {both.iloc[1]['accelerator']} {ranged(both.iloc[1], 'joules')}{known[1]}"
    price = " against ".join(ranged(row, "usd_per_million") for _, row in both.iterrows())
    alone = len(both) == 1 and best["accelerator"] != baseline
    beside = f"; no power submission of {baseline} is there to set beside it" if alone else ""
    sentence = f"On {topic}, {spent}; a million {plural(work)} cost {price} US dollars of electricity{beside}."
    warned = of_rows(both) | apart([best["round"]], both["round"].iloc[1:])
    return Finding("energy_price", span(best, "usd_per_million"), unit, sentence, cited(both), warned)


def implied(rows: pd.DataFrame) -> Finding:
    """Whether the printed throughput per watt holds the measured watts, and how wide its rounding leaves them."""
    unit = "printed efficiencies whose implied watts hold the measured watts"
    judged = rows[rows["holds"].notna()]
    if judged.empty:
        return nothing("implied_watts_hold", unit, "No printed efficiency can be set beside measured watts here.")
    holds = int(judged["holds"].sum())
    widest = judged.loc[(judged["implied_watts_high"] / judged["implied_watts_low"]).idxmax()]
    sentence = (
        f"Printed throughput per watt is rounded so far that the system's watts stay open: {_system(widest)} could "
        f"draw {ranged(widest, 'implied_watts')} W on {widest['benchmark']} {widest['scenario']}, and the measured "
        f"watts lie within what was printed in {holds} of {len(judged)} cases."
    )
    return Finding("implied_watts_hold", exactly(holds), unit, sentence, cited(judged), of_rows(judged))


def capped(rows: pd.DataFrame) -> Finding:
    """What mixing the two kinds of submission would do."""
    unit = "factor by which performance throughput over power-submission watts overstates efficiency"
    if rows.empty:
        return nothing("mixing_overstates", unit, "No system has both a power and a performance submission here.")
    least = rows.loc[rows["share_low"].idxmin()]
    share, factor = span(rows, "share"), span(rows, "overstated")
    sentence = (
        f"Power runs, often capped, reach {(share * 100).text()} % of the throughput of performance runs on the same "
        f"accelerators, {least['benchmark']} on {least['accelerator']} least; mixing the two would misstate efficiency "
        f"by {_misstated(factor)}."
    )
    return Finding("mixing_overstates", factor, unit, sentence, cited(rows), of_rows(rows))


def limits(rows: pd.DataFrame) -> Finding:
    """Measured wall power against the sum of the accelerators' power limits."""
    unit = "measured wall watts over the summed power limits of the accelerators"
    if rows.empty:
        return nothing(
            "wall_over_limits", unit, "No measured watts of an accelerator with a known limit are comparable."
        )
    sentence = (
        f"Whole systems draw {ranged(rows, 'of_limits')} times the summed power limits of their "
        f"accelerators ({listed(rows['accelerator'])}): a datasheet is no substitute for a meter."
    )
    warned = of_rows(rows) | {note("unofficial_ratio")}
    return Finding("wall_over_limits", span(rows, "of_limits"), unit, sentence, cited(rows), warned)


def most_efficient(rows: pd.DataFrame, baseline: str, topic: str) -> Finding:
    """The best rate per watt beside the baseline's best in the same suite, as a ratio."""
    unit = "times the throughput per watt of the baseline"
    why = f"No power submission sets another accelerator beside {baseline} on {topic} in one suite."
    base = rows[rows["accelerator"].eq(baseline)]
    if base.empty:
        return nothing("most_efficient", unit, why)
    own = power.most_efficient(base)
    alike = rows["suite"].map(lambda suite: same_suite(suite, own["suite"])).astype(bool)
    others = rows[rows["accelerator"].ne(baseline) & alike]
    if others.empty:
        return nothing("most_efficient", unit, why)
    best = power.most_efficient(others)
    ratio = interval.of(best, "efficiency") / interval.of(own, "efficiency")
    sentence = (
        f"On {topic}, {best['accelerator']} gives {ratio.text()} times the throughput per watt of {baseline} in "
        f"the {own['suite']} suite: {ranged(best, 'efficiency')} against {ranged(own, 'efficiency')}."
    )
    both = pd.DataFrame([best, own])
    warned = of_rows(both) | apart([best["round"]], [own["round"]])
    return Finding("most_efficient", Interval(float(ratio.low), float(ratio.high)), unit, sentence, cited(both), warned)


def energy_in_other_scenario(rows: pd.DataFrame, baseline: str, topic: str, work: str) -> Finding:
    """The price of energy in the other scenario."""
    return replace(energy(rows, baseline, topic, work), name="energy_price_in_the_other_scenario")


def by_energy(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `from_print`, those of a meter first, the least energy first by its middle."""
    marked = rows.assign(
        from_print=rows["efficiency_basis"].ne(power.MEASURED), middle=interval.of(rows, "joules").middle
    )
    return marked.sort_values(["from_print", "middle"], kind="stable").drop(columns="middle")


def implied_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `what`, the words by which a figure names them."""
    words = [f"{row['benchmark']}, {_system(row)}" for row in rows.to_dict("records")]
    return rows.assign(what=pd.Series(words, index=rows.index, dtype="str"))


def capped_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the greatest loss first."""
    return rows.sort_values("share_low", kind="stable")


def limit_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per benchmark, accelerator and round, the highest ratio first."""
    by = ["benchmark", "accelerator", "round"]
    spread = interval.hull(rows, by, "of_limits").merge(carried(rows, by), on=by)
    return spread.sort_values("of_limits_high", ascending=False, kind="stable")


def _system(row: Mapping[str, Any]) -> str:
    return f"{row['accelerator_count']}x {row['accelerator']}"


def _known_from(row: pd.Series) -> str:
    """The round of what was metered, or that no meter stands behind a figure."""
    return f" ({row['basis']})" if row["efficiency_basis"] == power.MEASURED else " (from printed throughput per watt)"


def _misstated(factor: Interval) -> str:
    """A range of factors of overstating as per cent too little or too much."""
    ends = [(100 * abs(end - 1), "too little" if end < 1 else "too much") for end in (factor.low, factor.high)]
    if ends[0][1] == ends[1][1]:
        least, most = sorted(size for size, _ in ends)
        return f"{interval.text(least, most, 2)} % {ends[0][1]}"
    return " to ".join(f"{interval.number(size, 2)} % {side}" for size, side in ends)
