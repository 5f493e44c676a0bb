"""Find the official rates and ratios that a published figure may refer to, each with its scope."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from analysis import names, tables
from analysis.audit.verdicts import CLOSE, EXPECTED, compare, ratio_text
from analysis.published import AGREES

RATES = ["throughput", "latency", "power", "throughput_per_watt"]
RATIOS = ["throughput_ratio", "break_even_throughput_ratio"]
OF_SUITE = {"datacenter": ["Offline", "Server"], "edge": ["Offline", "SingleStream", "MultiStream"]}
CONTEST = ["benchmark", "scenario", "target"]  # columns that define a comparison: results are compared only within one
SAME_PART = ["vendor", "family", "memory_gb", "memory_bandwidth_gb_per_s"]


class Candidate(NamedTuple):
    """An official value that a printed one may be about, with its scope."""

    accelerator: str
    expected_low: float
    expected_high: float
    scope: str  # the results behind it, in words
    scenario: str = ""  # set if values differ by scenario
    condition: str = ""  # condition required for the value to match the claim
    instead: str = ""  # the value without that condition
    divisor: float = 1  # accelerators by which the printed value is divided
    per: str = ""  # what the divided value is per


def contests(official: pd.DataFrame) -> pd.DataFrame:
    """Return the results, each run once, with `target`, `performance`, and `samples`.

    Accuracy targets under which the same run may be submitted are merged. `performance` is per accelerator (for a
    latency, its inverse); `samples` is the same in samples/s, the common unit when tokens per sample are unknown.
    """
    share_run = tables.benchmarks.set_index("benchmark")["targets_share_run"]
    rows = official[official["duplicate_of"].eq("") & official["benchmark"].isin(share_run.index)]
    inverse = (1 / rows["value"]).where(rows["metric"].eq("latency"))
    return rows.assign(
        target=rows["accuracy_target"].mask(rows["benchmark"].map(share_run).astype(bool), ""),
        performance=inverse.fillna(rows["rate_per_accelerator"]),
        samples=inverse.fillna(rows["samples_per_second"] / rows["accelerator_count"]),
        family=rows["accelerator"].map(tables.accelerators.set_index("label")["family"]),
    )


def filtered(rows: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """Return the rows with the `wanted` values, one or a list for a column; "" and NaN do not filter."""
    keep = pd.Series(True, rows.index)
    for name, value in wanted.items():
        if value != "" and value == value:
            keep &= rows[name].isin(value) if isinstance(value, list) else rows[name].eq(value)
    return rows[keep]


def meant(accelerator: str) -> tuple[list[str], list[str]]:
    """Return an accelerator with its variants, and those that differ only in power limit."""
    parts = tables.accelerators
    this = parts[parts["label"].eq(accelerator)]
    named = [accelerator, *parts.loc[parts["variant_of"].isin(this["accelerator"]), "label"]]
    alike = parts.merge(this[SAME_PART].dropna())["label"]
    return named, [name for name in alike if name not in named]


def candidates(claim: Any, accelerators: list[str], rows: pd.DataFrame) -> pd.DataFrame:
    """Return each `Candidate` of a claim, with the printed range that is compared with it and a `verdict`.

    Parameters
    ----------
    claim : named tuple
        A row of data/figures.csv. It selects results by benchmark, scenario, round, and whatever else it names.
    accelerators : list of str
        The accelerators that it may be about.
    rows : DataFrame
        Results of `contests`, of the divisions that count.
    """
    give = _ratios if claim.quantity in RATIOS else _rates
    found = pd.DataFrame(give(claim, accelerators, rows), columns=Candidate._fields)
    found = found.astype(dict.fromkeys([*EXPECTED, "divisor"], float))
    if claim.bound == "at_most" and claim.quantity == "throughput_ratio":
        found = found.nlargest(1, "expected_high")  # "up to" refers to the best scenario
    low, high = claim.low / found["divisor"], claim.high / found["divisor"]
    found = found.assign(printed_low=low, printed_high=high, range_basis=claim.range_basis)
    return found.assign(verdict=compare(found))


def _rates(claim: Any, accelerators: list[str], rows: pd.DataFrame) -> list[Candidate]:
    """Return the rate of the nearest results, those of the submitter and system that the claim names before others.

    Compare system rates if a system of the claimed size was submitted, else rates per accelerator.
    """
    if not (claim.benchmark and claim.round):
        return []
    named = {name: getattr(claim, name) for name in ("benchmark", "scenario", "round", "power_measured")}
    unless_unstated = {"precision": claim.precision, "target": claim.accuracy_target}
    unless_unstated = {name: value and [value, ""] for name, value in unless_unstated.items()}
    metric = "latency" if claim.quantity == "latency" else "throughput"
    rows = filtered(rows, accelerator=accelerators, metric=metric, **named, **unless_unstated)
    rate = rows["tokens_per_second" if claim.unit.startswith("tokens") else "samples_per_second"]
    rate = rate.fillna(rows["value"].where(rows["unit"].eq(claim.unit)))
    watts = rows["power_watts"]
    rate = {"power": watts, "throughput_per_watt": rate / watts}.get(claim.quantity, rate)
    count, whole = claim.accelerator_count, rows["accelerator_count"].eq(claim.accelerator_count)
    if claim.per == "system" and (whole & rate.notna()).any():
        rows, rate, count, per = rows[whole], rate[whole], 1, ""
    elif claim.quantity == "throughput" and count > 0:
        rate, count, per = rate / rows["accelerator_count"], count if claim.per == "system" else 1, " per accelerator"
    else:
        return []
    printed = {"printed_low": claim.low / count, "printed_high": claim.high / count, "range_basis": claim.range_basis}
    rows = rows.assign(expected_low=rate, expected_high=rate, **printed).dropna(subset=EXPECTED)
    verdict = compare(rows)
    wishes = [  # in order of importance
        rows["submitter"].eq(claim.submitter),
        rows["system"].str.contains(claim.system, regex=False),
        verdict.eq("confirmed"),
        verdict.isin(AGREES),
    ]
    for wish in wishes:
        rows = rows[wish[rows.index]] if wish[rows.index].any() else rows
    if rows.empty:
        return []
    parts = " and ".join(rows["accelerator"].unique())
    sizes = "/".join(f"{size:g}x" for size in sorted(set(rows["accelerator_count"])))
    scope = f"{sizes} {parts}, {names.listed(rows['result_id'], 3) or claim.round}"
    ends = rows["expected_low"].min(), rows["expected_high"].max()
    return [Candidate(parts, *ends, scope, divisor=count, per=per)]


def _ratios(claim: Any, accelerators: list[str], rows: pd.DataFrame) -> list[Candidate]:
    """Return the ratio of the two sides of a claim, per accelerator, in each benchmark and scenario.

    An "up to" ratio uses the fastest results on both sides. Any other ratio is a range: from slowest over fastest to
    fastest over slowest, among systems of equal size.
    """
    suite, found, up_to = claim.suite or "datacenter", [], claim.bound == "at_most"
    about = {"benchmark": claim.benchmark, "submitter": claim.submitter, "power_measured": False}
    rows = filtered(rows, scenario=claim.scenario or OF_SUITE[suite], **about)
    rows = rows[rows["suite"].str.contains(suite)]
    over = filtered(rows, accelerator=accelerators, round=claim.round)
    under = filtered(rows, accelerator=claim.baseline_accelerator, round=claim.baseline_round)
    named = {True: (over, claim.system), False: (under, claim.baseline_system)}
    both = [side[side["system"].str.contains(name, regex=False)].assign(over=of) for of, (side, name) in named.items()]
    for (_, scenario, _), part in pd.concat(both).groupby(CONTEST):
        measure = "performance" if part["unit"].isin(["tokens/s", "ms"]).all() else "samples"
        part = part.dropna(subset=measure)
        if part["over"].nunique() < 2:
            continue
        sides = {"columns": "over", "values": measure}
        ends = part.pivot_table(index="accelerator_count", aggfunc=["min", "max"], **sides).dropna()
        condition = instead = ""
        if ends.empty:
            condition = "between systems of different size"
            ends = part.pivot_table(index="scenario", aggfunc=["min", "max"], **sides)
        elif claim.accelerator_count in ends.index:
            ends = ends.loc[[claim.accelerator_count]]
        least, most = ends["min"], ends["max"]
        low, high = (least[True] / most[False]).min(), (most[True] / least[False]).max()
        if up_to:
            low = high = most[True].max() / most[False].max()
        best = part.pivot_table(index=["submitter", "accelerator_count"], aggfunc="max", **sides)
        own = (best[True] / best[False]).dropna()  # what one submitter gained with systems of one size
        too_high, too_low = own.gt(claim.high * CLOSE).all(), own.lt(claim.low / CLOSE).all()
        if claim.accelerator == claim.baseline_accelerator and len(own) and (too_high or too_low):
            condition, instead = "across submitters", f"; of one submitter: {ratio_text(own.min(), own.max())}"
        since = "" if claim.baseline_round == claim.round else f" of {claim.baseline_round}"
        top = part.loc[part["over"], "accelerator"].iloc[0]
        scope = f"{claim.round} {top} over {claim.baseline_accelerator}{since}"
        found.append(Candidate(top, low, high, scope, scenario, condition, instead))
    return found
