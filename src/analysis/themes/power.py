"""Throughput per watt, energy and what it costs, from power submissions.

Power submissions are separate runs, often power-capped: their watts belong to their own throughput alone. Watts are
wall power of the whole system within the load window. All functions take comparable rows (see compare.gate).
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.core import interval, notes
from analysis.core.citation import several
from analysis.core.interval import Interval

JOULES_PER_KILOWATT_HOUR = 3.6e6
MEASURED, PRINTED = "measured watts", "printed per watt"
PAIR = ["benchmark", "scenario", "round", "accelerator", "accelerator_count"]


def efficiency(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `efficiency_low/high` (their rate unit per watt), from measured watts, else as printed per watt.

    `efficiency_basis` says which, MEASURED or PRINTED. Rows with neither are left out.
    """
    watts = interval.of(rows, "rate") / interval.of(rows, "power_watts")
    printed = _printed_per_watt(rows)
    measured = rows["power_watts_low"].notna()
    joined = Interval(watts.low.where(measured, printed.low), watts.high.where(measured, printed.high))
    basis = measured.map({True: MEASURED, False: PRINTED})
    out = interval.put(rows, "efficiency", joined).assign(efficiency_basis=basis)
    return out[out["efficiency_low"].notna()]


def most_efficient(rows: pd.DataFrame) -> pd.Series:
    """The row of `efficiency` that gives most per watt, by the middle of its range; rows are not to be empty.

    Rows that a meter stands behind go first: printed figures count only where nothing was metered.
    """
    metered = rows[rows["efficiency_basis"].eq(MEASURED)]
    pool = metered if len(metered) else rows
    return pool.loc[interval.of(pool, "efficiency").middle.idxmax()]


def submissions(results: pd.DataFrame, origins: Sequence[str], rounds: Sequence[str]) -> pd.DataFrame:
    """Every power submission of these origins and rounds (empty: all), of whatever benchmark, scenario and division.

    Rows of results.csv, each once, with `joules_low/high` per unit of `work` (query, sample or token, in the row's own
    unit): watts over the rate or, where a stream has a latency and no rate, the energy per query that was published.
    """
    asked = results["power_measured"] & results["duplicate_of"].eq("") & results["origin"].isin(origins)
    rows = results[asked & (results["round"].isin(rounds) | (not rounds))]
    stream = rows["energy_millijoules_per_query"] / 1000
    joules = interval.of(rows, "power_watts") / interval.of(rows, "")
    metered = rows["power_watts_low"].notna() & rows["metric"].eq("throughput")
    joules = Interval(joules.low.where(metered, stream), joules.high.where(metered, stream))
    work = rows["unit"].map({"tokens/s": "token", "samples/s": "sample"}).fillna("query")
    return interval.put(rows, "joules", joules).assign(work=work)


def implied_watts(rows: pd.DataFrame) -> pd.DataFrame:
    """The system watts that a printed throughput and throughput per watt imply, for the rows that print both.

    Added columns: implied_watts_low/high (watts), measured_watts_low/high (watts of the official row of the same
    benchmark, scenario, accelerator and count; NaN where there is none), holds (the measured watts lie within).
    """
    printed = rows[rows["per_watt_low"].notna()]
    printed = interval.put(printed, "implied_watts", interval.of(printed, "") / interval.of(printed, "per_watt"))
    official = rows[rows["origin"].eq("official") & rows["power_watts_low"].notna()]
    measured = interval.hull(official, PAIR, "power_watts").drop(columns="count")
    names = {"power_watts_low": "measured_watts_low", "power_watts_high": "measured_watts_high"}
    both = printed.merge(measured.rename(columns=names), on=PAIR, how="left")
    holds = interval.of(both, "implied_watts").overlaps(interval.of(both, "measured_watts"))
    return both.assign(holds=holds.mask(both["measured_watts_low"].isna()).astype("boolean"))


def energy(rows: pd.DataFrame, usd_per_kilowatt_hour: float, power_usage_effectiveness: float) -> pd.DataFrame:
    """Energy and its price per unit of work, for rows of `efficiency`.

    Added columns: joules_low/high (per token, sample or query: the inverse of the rate per watt, at the wall) and
    usd_per_million_low/high: joules x 1e6 / 3.6e6 x price x PUE (US dollars per million of that unit).
    """
    joules = Interval(1.0, 1.0) / interval.of(rows, "efficiency")
    price = 1e6 / JOULES_PER_KILOWATT_HOUR * usd_per_kilowatt_hour * power_usage_effectiveness
    return interval.put(interval.put(rows, "joules", joules), "usd_per_million", joules * price)


def capped(power_rows: pd.DataFrame, performance_rows: pd.DataFrame) -> pd.DataFrame:
    """Power submissions beside performance submissions of the same benchmark, scenario, accelerator and count.

    Columns of PAIR and: share_low/high (throughput of the power run over that of the performance runs), watts_low/high,
    honest_low/high (rate per watt of the power run), mixed_low/high (performance rate over the power run's watts: the
    mistake), overstated_low/high (mixed over honest: the factor by which the mistake flatters), source_ids, notes.
    """
    power = power_rows[power_rows["power_watts_low"].notna()]
    left = _spread(power, ["rate", "power_watts"])
    both = left.merge(_spread(performance_rows, ["rate"]), on=PAIR, suffixes=("", "_free"))
    free = Interval(both["rate_low_free"], both["rate_high_free"])
    watts, rate = interval.of(both, "power_watts"), interval.of(both, "rate")
    both = interval.put(both, "share", rate / free)
    both = interval.put(both, "honest", rate / watts)
    both = interval.put(both, "mixed", free / watts)
    both = interval.put(both, "overstated", free / rate)
    both["source_ids"] = [several(a | b) for a, b in zip(both["sources"], both["sources_free"], strict=True)]
    both["notes"] = notes.beside(both["notes"], both["notes_free"])
    return both.rename(columns={"power_watts_low": "watts_low", "power_watts_high": "watts_high"})


def beside_limits(rows: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """Measured wall watts of the system over the summed power limits of its accelerators.

    Added columns: limits_w (watts: count x power limit), of_limits_low/high (a ratio, unofficial: the wall also feeds
    processors, memory, fans and power supplies). Rows without measured watts or a known limit are left out.
    """
    limits = accelerators.set_index("accelerator")["power_limit_w"]
    summed = rows["accelerator"].map(limits).astype("float64") * rows["accelerator_count"].astype("float64")
    known = rows.assign(limits_w=summed)[rows["power_watts_low"].notna() & summed.notna()]
    ratio = interval.of(known, "power_watts") / Interval(known["limits_w"], known["limits_w"])
    return interval.put(known, "of_limits", ratio)


def _printed_per_watt(rows: pd.DataFrame) -> Interval:
    """The printed rate per watt in the comparison's unit: scaled as the printed rate was."""
    scale = rows["rate_low"] / rows["low"]
    return Interval(rows["per_watt_low"] * scale, rows["per_watt_high"] * scale)


def _spread(rows: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    ends = {
        f"{name}_{end}": (f"{name}_{end}", pick) for name in names for end, pick in (("low", "min"), ("high", "max"))
    }
    grouped = rows.groupby(PAIR, sort=False)
    return grouped.agg(**ends, sources=("source_id", set), notes=("notes", notes.union)).reset_index()
