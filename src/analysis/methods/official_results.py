"""All official results as one frame: one row per result, with the gate's verdict and derived measures."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from analysis._core import interval, round_order, shared_memory
from analysis._core.interval import Interval
from analysis._core.vocabulary import DIVISIONS, STREAMS
from analysis._tables.catalog import kept_with
from analysis.comparability import row_caveats, selection, systems
from analysis.methods import benchmark_rules

# A name of software without its version: what is before the first number, bracket or further product.
_PRODUCT = re.compile(r"\s*([A-Za-z][^,;(:]*?)\s*(?=[,;(:]|\bv?\d|\bvmaster|$)")
NOT_STATED = "not stated"
_LOOSEST = "open"  # and so the last of each round


def of(
    data: selection.Tables, limits: pd.DataFrame, rounds: Sequence[str] = (), divisions: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the official results, newest round first, closed before network before open; index 0, 1, ...

    Empty `rounds` and `divisions` mean all. `limits` is the table benchmark_limits. Added to the columns of results and
    of selection.comparability_of_each: `apart_precision` (a bit per precision as in `precisions`, all if unknown),
    `power` ("with", "without"), `evidence` (one of vocabulary.EVIDENCE), `software` (serving software, else the first
    product of the framework, without its version), `version` (that framework as submitted), `per_accelerator` and
    `rate` (the middle of the gate's), `latency_ms` of streams and `joules` per unit of work (measured watts over the
    rate; of streams the energy of a query), all of them NaN where the gate excludes a result, `speed` (tokens/s per
    user at the 99th percentile, from the run's log or at least by its limit) with its `proof`, `ttft_limit_ms` and
    `tpot_limit_ms`, `system_key`, `notes` (a set of _core.notes.Note).
    """
    results = data.results
    for column, asked in (("round", rounds), ("division", divisions)):
        results = shared_memory.where(results, results[column].isin(asked)) if asked else results
    record = selection.record(results, data.benchmarks)
    rows = record.results.assign(**_comparability(data, record))
    rows = rows.assign(basis="official " + rows["round"], system_key=systems.keys(rows), doubt="")
    sizeless = rows.assign(per="")  # no row is of another size beside all others
    rows = rows.assign(notes=row_caveats.of_each(sizeless, "", DIVISIONS[0]))
    rows = _measures(rows).assign(software=software(rows), version=rows["framework"])
    rows = rows.assign(
        apart_precision=precision_bits(rows["precision"]),
        precision=rows["precision"].where(rows["precision"].ne(""), NOT_STATED),
    )
    rows = rows.assign(power=rows["power_measured"].map({True: "with", False: "without"}))
    return _ordered(rows.assign(**benchmark_rules.interactivity_bounds(rows, limits)))


def first_view(rows: pd.DataFrame, benchmark: str, scenario: str) -> dict[str, list[str]]:
    """Return the facets of a first view: closed results of a benchmark and scenario, newest round that has them."""
    facets = {"benchmark": [benchmark], "scenario": [scenario], "division": ["closed"]}
    is_chosen = rows["benchmark"].eq(benchmark) & rows["scenario"].eq(scenario) & rows["division"].eq("closed")
    newest = round_order.newest(rows.loc[is_chosen, "round"])
    return {"round": [newest], **facets} if newest else facets


def _comparability(data: selection.Tables, record: selection.Data) -> pd.DataFrame:
    """Return selection.comparability_of_each of the `record` of `data`, cached where it has all official results."""
    if len(record.results) < data.results["origin"].eq("official").sum():
        return selection.comparability_of_each(record)
    return _comparability_of_all(data)


@kept_with("results", "benchmarks")
def _comparability_of_all(data: selection.Tables) -> pd.DataFrame:
    return selection.comparability_of_each(selection.record(data.results, data.benchmarks))


def precisions(rows: pd.Series) -> list[str]:
    """Return the known precisions, in the order of their bits."""
    return sorted({*rows.unique()} - {"", NOT_STATED})


def precision_bits(column: pd.Series) -> pd.Series:
    """Return a bit per precision; all of them where it is unknown, for it may be any."""
    names = precisions(column)
    bits = {name: 1 << place for place, name in enumerate(names)}
    unknown = (1 << max(len(names), 1)) - 1
    return pd.Series([bits.get(name, unknown) for name in column.tolist()], index=column.index, dtype="int64")


def software(rows: pd.DataFrame) -> pd.Series:
    """Return the serving software, else the first product of the framework without version, in its usual spelling."""
    products = {name: _product(name) for name in rows["framework"].unique()}
    served = rows["serving_software"].where(rows["serving_software"].ne(""), rows["framework"].map(products))
    counts = served.value_counts()
    usual: dict[str, str] = {}
    for name in sorted(counts.index, key=lambda name: (-counts[name], name)):
        usual.setdefault(name.casefold(), name)
    return served.map({name: usual[name.casefold()] or NOT_STATED for name in counts.index}).astype("str")


def _product(framework: str) -> str:
    match = _PRODUCT.match(framework)
    return match[1] if match else ""


def _measures(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the measures that views draw; rows excluded from comparisons have none."""
    stream, drawn = rows["scenario"].isin(STREAMS), rows["excluded"].eq("")
    middle = {name: _middle(interval.of(rows, name)).where(drawn & ~stream) for name in ("rate", "per_accelerator")}
    watts = _middle(interval.of(rows, "power_watts"))
    energy = (rows["energy_millijoules_per_query"] / 1000).where(drawn)
    latency = rows["low"].where(drawn & stream & rows["unit"].eq("ms"))
    joules = (watts / middle["rate"]).where(~stream, energy)
    return rows.assign(**middle, watts=watts, latency_ms=latency, joules=joules)


def _middle(range: Interval) -> pd.Series:
    """The middle of a range; where both ends are one number that number, which the root of its square need not be."""
    return range.low.where(range.low.eq(range.high), range.middle)


def _ordered(rows: pd.DataFrame) -> pd.DataFrame:
    keys = pd.DataFrame({"age": -round_order.of(rows["round"]), "loose": rows["division"].eq(_LOOSEST)})
    keys = keys.join(rows[["division", "benchmark", "scenario", "location"]])
    return rows.loc[keys.sort_values(list(keys), kind="stable").index].reset_index(drop=True)
