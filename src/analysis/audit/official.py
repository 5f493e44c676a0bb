"""Find the official rates and ratios that a published figure may refer to, each with its scope."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from analysis import names, tables
from analysis.audit.verdicts import CLOSE, EXPECTED, PRINTED, compare, ratio_text
from analysis.published import AGREES

RATES = ["throughput", "latency", "power", "throughput_per_watt"]
RATIOS = ["throughput_ratio", "break_even_throughput_ratio"]
OF_SUITE = {"datacenter": ["Offline", "Server"], "edge": ["Offline", "SingleStream", "MultiStream"]}
CONTEST = ["benchmark", "scenario", "target"]  # columns that define a comparison: results are compared only within one
SAME_PART = ["vendor", "family", "memory_gb", "memory_bandwidth_gb_per_s"]


class Candidate(NamedTuple):
    """An official value that a printed value may refer to, with its scope."""

    accelerator: str
    printed_low: float
    printed_high: float
    expected_low: float
    expected_high: float
    scope: str  # the results behind it, in words
    scenario: str = ""  # set if values differ by scenario
    condition: str = ""  # condition required for the value to match the claim
    instead: str = ""  # the value without that condition
    per: str = ""  # what both values are per, if the claim is not


def contests(official: pd.DataFrame) -> pd.DataFrame:
    """Return the results, each run once, with `target`, `performance`, and `samples`.

    Accuracy targets under which the same run may be submitted are merged. `performance` is per accelerator (for a
    latency, its inverse); `samples` is the same in samples/s, the common unit when tokens per sample are unknown.
    """
    share_run = tables.benchmarks[["benchmark", "targets_share_run"]]
    rows = official.query("duplicate_of == ''").merge(share_run)
    inverse = (1 / rows["value"]).where(rows["metric"].eq("latency"))
    return rows.assign(
        target=rows["accuracy_target"].mask(rows["targets_share_run"], ""),
        performance=inverse.fillna(rows["rate_per_accelerator"]),
        samples=inverse.fillna(rows["samples_per_second"] / rows["accelerator_count"]),
        family=rows["accelerator"].map(tables.accelerators.set_index("label")["family"]),
    )


def filtered(rows: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """Return the rows that match `wanted`, one value or a list per column; "" and NaN do not filter.

    A system matches by a part of its name, a suite also as one of several.
    """
    keep = pd.Series(True, rows.index)
    for name, value in wanted.items():
        if name in ("system", "suite"):
            keep &= rows[name].str.contains(value, regex=False)
        elif value != "" and value == value:
            keep &= rows[name].isin(value if isinstance(value, list) else [value])
    return rows[keep]


def meant(accelerator: str) -> tuple[list[str], list[str]]:
    """Return an accelerator with its variants, and those that differ only in power limit."""
    parts = tables.accelerators
    this = parts.query("label == @accelerator")
    named = [accelerator, *parts.loc[parts["variant_of"].isin(this["accelerator"]), "label"]]
    alike = parts.merge(this[SAME_PART].dropna())["label"]
    return named, [name for name in alike if name not in named]


def field(claim: Any, rows: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """Return the results without power measurement for a claim's benchmark, scenario, and suite that match `wanted`."""
    suite = claim.suite or "datacenter"
    wanted |= {"suite": suite, "scenario": claim.scenario or OF_SUITE[suite], "power_measured": False}
    return filtered(rows, benchmark=claim.benchmark, **wanted)


def candidates(claim: Any, accelerators: list[str], rows: pd.DataFrame) -> pd.DataFrame:
    """Return each `Candidate` of a claim with its `range_basis` and `verdict`.

    Parameters
    ----------
    claim : named tuple
        A row of data/figures.csv. It selects results by benchmark, scenario, round, and whatever else it names.
    accelerators : list of str
        The accelerators that the claim may refer to.
    rows : DataFrame
        Results of `contests`, from the divisions to use.
    """
    give = _ratios if claim.quantity in RATIOS else _rates
    found = pd.DataFrame(give(claim, accelerators, rows), columns=Candidate._fields)
    found = found.astype(dict.fromkeys(PRINTED + EXPECTED, float)).assign(range_basis=claim.range_basis)
    if claim.bound == "at_most" and claim.quantity == "throughput_ratio":
        found = found.nlargest(1, "expected_high")  # "up to" refers to the best scenario
    return found.assign(verdict=compare(found))


def _rates(claim: Any, accelerators: list[str], rows: pd.DataFrame) -> list[Candidate]:
    """Return the rate of the nearest results, preferring the submitter and system that the claim names.

    Compare system rates if a system of the claimed size was submitted, else rates per accelerator.
    """
    rows = filtered(
        rows,
        accelerator=accelerators,
        benchmark=[claim.benchmark],  # in a list, so that "" finds nothing
        round=[claim.round],
        scenario=claim.scenario,
        metric="latency" if claim.quantity == "latency" else "throughput",
        power_measured=claim.power_measured,
        precision=claim.precision and [claim.precision, ""],
        target=claim.accuracy_target and [claim.accuracy_target, ""],
    )
    rate = rows["tokens_per_second" if claim.unit.startswith("tokens") else "samples_per_second"]
    rate = rate.fillna(rows["value"].where(rows["unit"].eq(claim.unit)))
    watts = rows["power_watts"]
    rate = {"power": watts, "throughput_per_watt": rate / watts}.get(claim.quantity, rate)
    rows = rows.assign(expected_low=rate, expected_high=rate).dropna(subset=EXPECTED)
    count, per = claim.accelerator_count if claim.per == "system" else 1, ""
    whole = rows.query("accelerator_count == @count")
    if claim.per == "system" and len(whole):
        rows = whole
    elif claim.quantity == "throughput" and count > 0 and len(rows):
        rows[EXPECTED] = rows[EXPECTED].div(rows["accelerator_count"], axis=0)
        claim, per = claim._replace(low=claim.low / count, high=claim.high / count), " per accelerator"
    else:
        return []
    verdict = compare(rows.assign(printed_low=claim.low, printed_high=claim.high, range_basis=claim.range_basis))
    wish = 8 * rows["submitter"].eq(claim.submitter) + 4 * rows["system"].str.contains(claim.system, regex=False)
    wish += 2 * verdict.eq("confirmed") + verdict.isin(AGREES)
    rows = rows[wish.eq(wish.max())]
    parts = " and ".join(rows["accelerator"].unique())
    sizes = "/".join(f"{size:g}x" for size in sorted(set(rows["accelerator_count"])))
    scope = f"{sizes} {parts}, {names.listed(rows['result_id'], 3) or claim.round}"
    low, high = rows["expected_low"].min(), rows["expected_high"].max()
    return [Candidate(parts, claim.low, claim.high, low, high, scope, per=per)]


def _ratios(claim: Any, accelerators: list[str], rows: pd.DataFrame) -> list[Candidate]:
    """Return the ratio of the two sides of a claim, per accelerator, in each benchmark and scenario.

    An "up to" ratio uses the fastest results on both sides. Any other ratio is a range: from slowest over fastest to
    fastest over slowest, among systems of equal size.
    """
    rows = field(claim, rows, submitter=claim.submitter)
    over = filtered(rows, accelerator=accelerators, round=claim.round, system=claim.system)
    under = filtered(
        rows, accelerator=claim.baseline_accelerator, round=claim.baseline_round, system=claim.baseline_system
    )
    found = []
    for (_, scenario, _), pairs in over.merge(under, on=CONTEST, suffixes=("", "_base")).groupby(CONTEST):
        in_tokens = pairs[["unit", "unit_base"]].eq("tokens/s").all(axis=None)
        measure = "performance" if in_tokens else "samples"
        sides = pairs.assign(over=pairs[measure], base=pairs[f"{measure}_base"]).dropna(subset=["over", "base"])
        if sides.empty:
            continue
        alike = sides.query("accelerator_count == accelerator_count_base")
        claimed = alike.query("accelerator_count == @claim.accelerator_count")
        used = next(rows for rows in (claimed, alike, sides) if len(rows))
        ratio = used["over"] / used["base"]
        low, high = ratio.min(), ratio.max()
        if claim.bound == "at_most":
            low = high = used["over"].max() / used["base"].max()
        condition, instead = "between systems of different size" if alike.empty else "", ""
        by_one = alike.query("submitter == submitter_base").groupby(["submitter", "accelerator_count"])
        own = by_one["over"].max() / by_one["base"].max()  # what one submitter gained with systems of one size
        others = own.min() > claim.high * CLOSE or own.max() < claim.low / CLOSE
        if claim.accelerator == claim.baseline_accelerator and others:
            condition, instead = "across submitters", f"; of one submitter: {ratio_text(own.min(), own.max())}"
        top = sides["accelerator"].iloc[0]
        scope = f"{claim.round} {top} over {claim.baseline_accelerator}"
        scope += f" of {claim.baseline_round}" * (claim.baseline_round != claim.round)
        found.append(Candidate(top, claim.low, claim.high, low, high, scope, scenario, condition, instead))
    return found
