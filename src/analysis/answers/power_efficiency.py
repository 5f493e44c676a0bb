"""The words of the power efficiency report, from frames of power.py; making numbers does not belong here."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis import interval
from analysis.answers.words import caveats, listed, plural, ranged, span
from analysis.caveats import apart, carried, told
from analysis.findings import Finding, nothing
from analysis.sources import cited

UNOFFICIAL = "a ratio to summed power limits is not an official metric"


def energy(rows: pd.DataFrame, topic: str, work: str) -> Finding:
    """Joules and dollars of the most efficient system. `work`: what is counted (`token`, `sample`, `query`)."""
    unit = f"US dollars per million {plural(work)}, with the overhead of the building"
    if rows.empty:
        return nothing("energy_price", unit, f"No power submission of {topic} is comparable: its energy is not known.")
    best = rows.loc[interval.of(rows, "joules").middle.idxmin()]
    sentence = (
        f"On {topic}, {best['accelerator']} takes {ranged(best, 'joules')} joules per {work} at the wall "
        f"({best['basis']}); a million {plural(work)} cost {ranged(best, 'usd_per_million')} US dollars of electricity."
    )
    return Finding("energy_price", *span(best, "usd_per_million"), unit, sentence, cited(best), caveats(best["caveat"]))


def implied(rows: pd.DataFrame) -> Finding:
    """Whether the printed throughput per watt holds the measured watts, and how wide its rounding leaves them."""
    unit = "printed efficiencies whose implied watts hold the measured watts"
    judged = rows[rows["holds"].notna()]
    if judged.empty:
        return nothing("implied_watts_hold", unit, "No printed efficiency can be set beside measured watts here.")
    holds = int(judged["holds"].sum())
    widest = judged.loc[(judged["implied_watts_high"] / judged["implied_watts_low"]).idxmax()]
    sentence = (
        f"Printed throughput per watt is rounded so far that the system's watts stay open: {widest['benchmark']} "
        f"{widest['scenario']} could draw {ranged(widest, 'implied_watts')} W, and the measured watts lie within "
        f"what was printed in {holds} of {len(judged)} cases."
    )
    return Finding("implied_watts_hold", holds, holds, unit, sentence, cited(judged), told(judged))


def capped(rows: pd.DataFrame) -> Finding:
    """What mixing the two kinds of submission would do."""
    unit = "factor by which performance throughput over power-submission watts overstates efficiency"
    if rows.empty:
        return nothing("mixing_overstates", unit, "No system has both a power and a performance submission here.")
    least = rows.loc[rows["share_low"].idxmin()]
    sentence = (
        f"Power submissions are runs of their own, often capped: they keep {ranged(rows, 'share')} of the same "
        f"accelerators' performance throughput, {least['benchmark']} on {least['accelerator']} least, so dividing the "
        f"one by the watts of the other misstates efficiency by {ranged(rows, 'overstated')} times."
    )
    return Finding("mixing_overstates", *span(rows, "overstated"), unit, sentence, cited(rows), told(rows))


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
    warned = [UNOFFICIAL, *told(rows)]
    return Finding("wall_over_limits", *span(rows, "of_limits"), unit, sentence, cited(rows), warned)


def most_efficient(rows: pd.DataFrame, baseline: str, topic: str) -> Finding:
    """The best rate per watt beside the baseline's best, as a ratio."""
    unit = "times the throughput per watt of the baseline"
    base = rows[rows["accelerator"].eq(baseline)]
    others = rows[rows["accelerator"].ne(baseline)]
    if base.empty or others.empty:
        return nothing(
            "most_efficient", unit, f"No power submission sets another accelerator beside {baseline} on {topic}."
        )
    best, own = (part.loc[interval.of(part, "efficiency").middle.idxmax()] for part in (others, base))
    ratio = interval.of(best, "efficiency") / interval.of(own, "efficiency")
    sentence = (
        f"On {topic}, {best['accelerator']} gives {interval.text(ratio.low, ratio.high)} times the throughput per watt "
        f"of {baseline}: {ranged(best, 'efficiency')} against {ranged(own, 'efficiency')}."
    )
    both = pd.DataFrame([best, own])
    warned = [*told(both), *apart([best["round"]], [own["round"]])]
    return Finding("most_efficient", ratio.low, ratio.high, unit, sentence, cited(both), warned)


def other_choice(rows: pd.DataFrame, topic: str, work: str) -> Finding:
    """The price of energy in the other scenario."""
    return replace(energy(rows, topic, work), name="energy_price_in_the_other_scenario")


def energy_title(rows: pd.DataFrame, topic: str, work: str) -> str:
    """The claim of the energy figure."""
    return energy(rows, topic, work).sentence


def implied_title(rows: pd.DataFrame) -> str:
    """The claim of the figure of implied and measured watts."""
    return implied(rows).sentence


def capped_title(rows: pd.DataFrame) -> str:
    """The claim of the figure of capped and uncapped runs."""
    return capped(rows).sentence


def limits_title(rows: pd.DataFrame) -> str:
    """The claim of the figure of wall power against power limits."""
    return limits(rows).sentence


def by_energy(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `from_print`, the least energy first."""
    marked = rows.assign(from_print=rows["efficiency_basis"].ne("measured watts"))
    return marked.sort_values("joules_low", kind="stable")


def implied_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `what`, the words by which a figure names them."""
    return rows.assign(
        what=rows["benchmark"] + ", " + rows["accelerator_count"].astype(str) + "x " + rows["accelerator"]
    )


def capped_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the greatest loss first."""
    return rows.sort_values("share_low", kind="stable")


def limit_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per benchmark, accelerator and round, the highest ratio first."""
    by = ["benchmark", "accelerator", "round"]
    spread = interval.hull(rows, by, "of_limits").merge(carried(rows, by), on=by)
    return spread.sort_values("of_limits_high", ascending=False, kind="stable")
