"""How much of MLPerf Offline throughput survives production: factors from Offline to delivered, and their product.

Each factor is a set of values from one source: pairs of MLPerf results, InferenceX runs, public traces of traffic, or
an assumption. A product of factors is a modeled share; it compares no result with another. The spread of a share comes
from drawing each factor independently from its values. data/delivered.csv holds factors and shares as `make_delivered`
writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd

from analysis import bursts, factors, names, tables
from analysis.compare import RACKS, NoData
from analysis.factors import SYSTEMS
from analysis.names import choose
from analysis.paths import DATA, read_file, replacing
from analysis.results import load_results, rule_limits

BENCHMARKS = ("deepseek-r1", "gpt-oss-120b")  # one limit on tokens/s per user: 12.5 in Server, 66.7 in Interactive
USES = {"batch": "Offline", "chat": "Server", "interactive": "Interactive"}
CHAT_LIMIT = 25.0  # tokens/s per user up to which answers are chat, read as they come
FLEETS = ("fixed", "hourly", "foreseen", "pooled")
BUSY = ["latency limit", "serving stack", "hypervisor", "networked nodes"]
LOAD = "mean over P99 load"
STEPS = [*BUSY, "bursts", LOAD, "spare node"]
HOLDS = ["stack", "hypervisor", "nodes"]  # what a result says that it holds already
READINGS = ("vLLM", "as submitted", "vLLM, unstated moved")  # of the stack that the user serves with
SPARES = 1 - 1 / np.array([5.0, 9.0, 17.0])  # one spare node beside 4, 8, or 16: assumed
ORDER = [*BUSY, "busy", *STEPS[4:], "delivered"]
KINDS = {  # of each step: its kind, its source, and its name in a figure
    "offline": ("total", "MLPerf", "MLPerf Offline"),
    "latency limit": ("measured", "MLPerf", "Latency limit"),
    "serving stack": ("measured", "InferenceX", "vLLM over TensorRT-LLM"),
    "hypervisor": ("measured", "MLPerf", "Hypervisor over bare metal"),
    "networked nodes": ("measured", "MLPerf", "Several nodes, networked"),
    "bursts": ("simulated", "Azure 2023, Mooncake", "Bursts within ten minutes"),
    LOAD: ("simulated", "ServeGen", "Sized for P99 of ten-minute load"),
    "spare node": ("assumed", "", "One spare node for eight"),
    "busy": ("modeled", "product of the factors", "While busy"),
    "delivered": ("modeled", "product of the factors", "Delivered"),
}
SIZED = {  # the name of LOAD in a figure where capacity follows the traffic
    "hourly": "Follows the last hour's load",
    "foreseen": "Each hour's load known",
    "pooled": "Each hour's load known, 16 services",
}
FILE = ["use", "system", "fleet", "step", "median", "p10", "p90", "drawn", "n", "counted", "kind", "source"]
DRAWS = 40_000
DAY = 144  # windows of ten minutes


class Share(NamedTuple):
    """A share of MLPerf Offline throughput: the product of the factors' medians, and P10 and P90 of its draws."""

    median: float
    p10: float
    p90: float


def delivered_share(
    use: str = "chat", system: str = "node", fleet: str = "fixed", benchmarks: Sequence[str] = BENCHMARKS,
    trace: str | Path = "",
) -> Share:  # fmt: skip
    """Return the share of MLPerf Offline throughput delivered on average.

    `use` is "batch" (no latency limit; always full, whatever the fleet), "chat" (the limits of Server), or
    "interactive" (those of Interactive). `fleet` is "fixed" (sized for the 99th percentile of ten-minute load),
    "hourly" (follows the last hour's traffic plus a margin), "foreseen" (each hour's traffic known), or "pooled" (so
    too, with 16 services on one fleet). `trace` is a CSV as `bursts.read_trace` takes it: bursts are simulated on it as
    it is, and its load over time counts if it covers a day or more, else that of the public services.

    Raises NoData where no such system ran these `benchmarks`, and ValueError for an unknown name.
    """
    rows = waterfall(use, system, fleet, benchmarks, trace)
    return Share(*rows[["median", "p10", "p90"]].iloc[-1])


def share_sized_for_peak(
    use: str = "chat", system: str = "node", fleet: str = "fixed", benchmarks: Sequence[str] = BENCHMARKS,
    trace: str | Path = "",
) -> float:  # fmt: skip
    """Return the share delivered if capacity is sized for the highest ten minutes in place of their 99th percentile.

    Parameters and errors are those of `delivered_share`.
    """
    share = waterfall(use, system, fleet, benchmarks, trace).set_index("step")["median"]
    if LOAD not in share:  # batch: always full
        return float(share["delivered"])
    highest = _load_factors(str(trace), quantile=1)[fleet].median()
    return float(share["delivered"] / share[LOAD] * highest)


def waterfall(
    use: str = "chat", system: str = "node", fleet: str = "fixed", benchmarks: Sequence[str] = BENCHMARKS,
    trace: str | Path = "",
) -> pd.DataFrame:  # fmt: skip
    """Return the factors from Offline to delivered in order, with totals (kind "total"): offline, busy, delivered.

    Columns: step, label, median, p10, p90, drawn, n, counted (what n counts), kind, source, note (n in words).
    """
    choose(use, USES, "use")
    choose(system, SYSTEMS, "system")
    choose(fleet, FLEETS, "fleet")
    benchmarks = _named(benchmarks)
    table = shares(benchmarks, trace)
    rows = _applying(table, ORDER, use, system, fleet)
    if "delivered" not in set(rows["step"]):
        asked = f"{USES[use]} of {', '.join(benchmarks)}"
        raise NoData(f"no {system} has comparable results in Offline and, under a limit on tokens/s, in {asked}")
    rows = pd.concat([pd.DataFrame({"step": ["offline"], "median": [1.0], "kind": ["total"]}), rows], ignore_index=True)
    kind = rows["kind"].replace("modeled", "total")
    number = rows["n"].map("{:.0f}".format)  # no-break spaces keep "n = 10" on one line
    note = (rows["source"] + ", n\u00a0=\u00a0" + number).where(kind.eq("measured"), number + " " + rows["counted"])
    labels = {step: label for step, (*_, label) in KINDS.items()}
    labels["latency limit"] += _speed(benchmarks, use)
    labels[LOAD] = SIZED.get(fleet, labels[LOAD])
    note = note.where(kind.isin(["measured", "simulated"]), "")
    return rows.assign(kind=kind, label=rows["step"].map(labels), note=note)


def use_at(interactivity: float) -> str:
    """Return the use at so many tokens/s per user: batch without a limit (0), chat up to CHAT_LIMIT, interactive."""
    return "batch" if interactivity == 0 else "chat" if interactivity <= CHAT_LIMIT else "interactive"


def served(rows: pd.DataFrame, fleet: str = "fixed", stack: str = "vLLM") -> pd.DataFrame:
    """Return the share of each result's throughput at its interactivity that a fleet delivers, and its factors.

    A factor applies only to a result that does not hold it already: the serving stack to one on TensorRT-LLM that the
    user serves with vLLM, the hypervisor to bare metal, the network to one node, none of these to racks (RACKS), where
    they were never measured or are in the result; bursts, load, and the spare node apply to all. The throughput has
    the latency limit.

    Parameters
    ----------
    rows : DataFrame
        Results, with accelerator, interactivity (tokens/s per user; 0: batch, always full), and the columns of HOLDS.
    fleet : str
        One of FLEETS.
    stack : str
        One of READINGS: what the user serves with. "as submitted" takes no factor of the stack; "vLLM, unstated moved"
        takes it for a result that states no stack, too, which for "vLLM" has a range.

    Returns
    -------
    DataFrame
        By the index of `rows`: each step's factor (NaN: does not apply), `share` (their product), `unstated` (share x
        unstated is the lower end where a result states no stack, else 1), `low` and `high` (P10 and P90, with what is
        not stated), `busy` (share while busy), `peak` (P99 over mean load).
    """
    choose(fleet, FLEETS, "fleet")
    choose(stack, READINGS, "stack")
    rack = rows["accelerator"].isin(list(RACKS))
    keys = pd.DataFrame({"use": rows["interactivity"].map(use_at), "system": np.where(rack, "rack", "node")})
    kinds = [_beside_limit(*key, fleet).assign(use=key[0], system=key[1]) for key in keys.drop_duplicates().to_numpy()]
    each = pd.concat(kinds).pivot(index=[*keys], columns="step", values=["median", "p10", "p90"])
    each = each.reindex(pd.MultiIndex.from_frame(keys)).set_axis(rows.index)
    median, p10, p90 = (each[name].reindex(columns=STEPS[1:]) for name in ("median", "p10", "p90"))
    blank, runs = rows["stack"].eq("") & ~rack, rows["stack"].eq("TensorRT-LLM") & ~rack
    apart = {
        "serving stack": runs & (stack != "as submitted") | blank & (stack == "vLLM, unstated moved"),
        "hypervisor": ~rack & rows["hypervisor"].eq(""),
        "networked nodes": ~rack & rows["nodes"].le(1),
    }
    applied = median.where(median.notna().assign(**apart))
    may_be = pd.DataFrame({"serving stack": blank & (stack == "vLLM")})  # a range: from 1 to the factor
    unstated = median["serving stack"].where(may_be["serving stack"], 1.0)
    low, high = np.log(p10 / median), np.log(p90 / median)
    low = low.where(applied.notna() | may_be.reindex(columns=low.columns, fill_value=False))
    share = applied.prod(axis=1)
    return applied.assign(
        share=share,
        unstated=unstated,
        low=share * unstated * np.exp(-low.pow(2).sum(axis=1).pow(0.5)),
        high=share * np.exp(high.where(applied.notna()).pow(2).sum(axis=1).pow(0.5)),
        busy=applied[BUSY[1:]].prod(axis=1),
        peak=1 / applied[LOAD].fillna(1.0),
    )


def served_at(points: pd.DataFrame, fleet: str = "fixed", stack: str = "vLLM") -> pd.DataFrame:
    """Return `served` of throughput at an interactivity, each by the results that it rests on.

    `points` as `planner.curve.throughput_at` returns them. Between two results the shares are interpolated as the
    throughput is, on a logarithmic scale; what rests on no result states no stack.
    """
    ids = points["ids"] if "ids" in points else pd.Series([[]] * len(points), points.index)
    results = load_results()
    results = results[results["id"].isin(set(ids.explode().dropna()))].set_index("id")
    blank = pd.DataFrame({"stack": "", "hypervisor": "", "nodes": 1}, points.index)
    ends = []
    for place in (0, -1):
        own = ids.map(lambda each, place=place: each[place] if each else "")
        known = results.reindex(own)[[*HOLDS, "rate_per_accelerator"]].set_axis(points.index).fillna(blank)
        ends.append((known, served(known.assign(**points[["accelerator", "interactivity"]]), fleet, stack)))
    (slower, first), (faster, last) = ends
    rate, end = slower["rate_per_accelerator"], faster["rate_per_accelerator"]
    way = (np.log(points["throughput"] / rate) / np.log(end / rate)).clip(0, 1).fillna(0.0)
    both = first.fillna(1.0).pow(1 - way, axis=0) * last.fillna(1.0).pow(way, axis=0)
    return both.where(first.notna() | last.notna())


@lru_cache
def _beside_limit(use: str, system: str, fleet: str) -> pd.DataFrame:
    rows = waterfall(use, system, fleet)
    return rows[rows["kind"].ne("total") & rows["step"].ne("latency limit")]


def shares(benchmarks: Sequence[str] = BENCHMARKS, trace: str | Path = "") -> pd.DataFrame:
    """Return every factor and every modeled share: data/delivered.csv, or computed for other benchmarks or a trace.

    `use`, `system`, and `fleet` are "" in a row that holds for any.
    """
    benchmarks = _named(benchmarks)
    if benchmarks == BENCHMARKS and not trace:
        return tables.load("delivered")
    return _computed(benchmarks, str(trace), crc32(read_file(trace)) if trace else 0).copy()


def outcomes(benchmarks: Sequence[str] = BENCHMARKS, trace: str | Path = "") -> pd.DataFrame:
    """Return the modeled shares, one row per use, system, and fleet ("" while busy), with `name` of use and system."""
    benchmarks = _named(benchmarks)
    rows = shares(benchmarks, trace)
    rows = rows[rows["kind"].eq("modeled")].drop_duplicates(["use", "system", "fleet"])
    speeds = {use: _speed(benchmarks, use) for use in USES}
    return rows.assign(name=rows["use"] + rows["use"].map(speeds) + ", " + rows["system"] + "s")


def make_delivered() -> None:
    """Write data/delivered.csv anew, with the factors of data/burst_factors.csv."""
    found = _computed(BENCHMARKS, "")
    with replacing(DATA / "delivered.csv") as beside:
        found.to_csv(beside, index=False, float_format="%.4f", lineterminator="\n")


@lru_cache(maxsize=8)
def _computed(benchmarks: tuple[str, ...], trace: str, version: int = 0) -> pd.DataFrame:
    """Return the table of factors and shares, as in data/delivered.csv; `version` tells edits of a trace apart."""
    parts = pd.DataFrame(
        _values(benchmarks, trace), columns=["use", "system", "fleet", "step", "values", "n", "counted"]
    )
    quantiles = [0.5, 0.1, 0.9, 0.5]
    parts[["median", "p10", "p90", "drawn"]] = np.array([np.quantile(each, quantiles) for each in parts["values"]])
    outcomes = []
    for use, system in [(use, system) for use in USES for system in SYSTEMS]:
        busy = _applying(parts, BUSY, use, system, "")
        if use != "batch" and "latency limit" not in set(busy["step"]):
            continue
        outcomes.append((use, system, "", "busy", *_product(busy), len(busy), "factors"))
        for fleet in FLEETS if use != "batch" else [""]:
            chosen = _applying(parts, STEPS, use, system, fleet)
            outcomes.append((use, system, fleet, "delivered", *_product(chosen), len(chosen), "factors"))
    table = pd.concat([parts[FILE[:10]], pd.DataFrame(outcomes, columns=FILE[:10])], ignore_index=True)
    table[["kind", "source"]] = [KINDS[step][:2] for step in table["step"]]
    return table.assign(source=table["source"].mask(table["counted"].eq("your trace"), Path(trace).name))


def _named(benchmarks: Sequence[str]) -> tuple[str, ...]:
    asked = [benchmarks] if isinstance(benchmarks, str) else benchmarks
    return tuple(map(names.benchmark, asked))


def _values(benchmarks: tuple[str, ...], trace: str) -> list[tuple]:
    """Return use, system, fleet, step, values, n, and what n counts, of each factor."""
    stack, virtual = factors.serving_stack()["share"], factors.hypervisor()["share"]
    found = [
        ("", "node", "", "serving stack", stack, len(stack), "curves"),
        ("", "node", "", "hypervisor", virtual, len(virtual), "results"),
    ]
    for use, scenario in USES.items():
        network = factors.networked("Offline" if use == "batch" else "Server")["share"]
        found.append((use, "node", "", "networked nodes", network, len(network), "results"))
        limits = [_limit(benchmarks, use, quantity) for quantity in ("tpot_p99_limit", "ttft_p99_limit")]
        if np.isnan(limits).any():  # batch has none, nor has what is no language model
            continue
        try:
            kept = factors.by_accelerator(
                pd.concat([factors.retained(benchmark, scenario) for benchmark in benchmarks])
            )
        except NoData:
            continue
        for system, cells in kept[kept["size"].ne("")].groupby("size"):
            found.append((use, system, "", "latency limit", cells["share"], len(cells), "accelerators by model"))
        found += [*_bursts(use, *limits, trace), *_loads(use, trace)]
        found.append((use, "", "", "spare node", SPARES, len(SPARES), "fleet sizes"))
    return found


def _bursts(use: str, tpot_ms: float, ttft_ms: float, trace: str) -> list[tuple]:
    """Return the factor of bursts within ten minutes: 99% of requests start within the limit on TTFT.

    On the public traces it is read from data/burst_factors.csv, and simulated for limits that no benchmark has.
    """
    if trace:
        values = bursts.retained(bursts.read_trace(trace), tpot_ms, ttft_ms, "recorded")
        return [(use, "", "", "bursts", values, 1, "your trace")]
    known = tables.load("burst_factors").query("tpot_ms == @tpot_ms and ttft_ms == @ttft_ms")
    by = (known if len(known) else bursts.simulated(tpot_ms, ttft_ms)).groupby("fleet")
    return [(use, "", fleet, "bursts", own["factor"], own["service"].nunique(), "chat traces") for fleet, own in by]


def _loads(use: str, trace: str) -> list[tuple]:
    """Return the factor of load over days, by fleet."""
    loads = _load_factors(trace)
    counted = f"services, {loads['days'].min():.0f} to {loads['days'].max():.0f} days"
    counted = "your trace" if loads.index.tolist() == ["trace"] else counted
    return [(use, "", fleet, LOAD, loads[fleet], len(loads), counted) for fleet in FLEETS]


def _load_factors(trace: str, quantile: float = 0.99) -> pd.DataFrame:
    """Return `load_factors` by fleet, and `days`: of a trace of a day or more, else of the public services."""
    rates = bursts.windows(bursts.read_trace(trace)) if trace else pd.DataFrame()
    own = len(rates) >= DAY
    rates = rates if own else tables.load("traffic_rates")
    loads = factors.load_factors(rates, gaps=not own, quantile=quantile)
    return loads.assign(pooled=loads["foreseen"], days=rates.groupby("service").size() / DAY)


def _applying(table: pd.DataFrame, steps: list[str], use: str, system: str, fleet: str) -> pd.DataFrame:
    """Return the rows of `steps` that hold for a use, system, and fleet, in order; one for this fleet goes first."""
    rows = table[table["step"].isin(steps)]
    for column, asked in (("use", use), ("system", system), ("fleet", fleet)):
        rows = rows[rows[column].isin([asked, ""])]
    order = rows["step"].map({step: place for place, step in enumerate(steps)})
    rows = rows.assign(order=order).sort_values(["order", "fleet"], ascending=[True, False])
    return rows.drop_duplicates("step").drop(columns="order").reset_index(drop=True)


def _product(parts: pd.DataFrame) -> tuple[float, ...]:
    """Return the product of the medians, and P10, P90, and median of products of independent draws from the values."""
    rng = np.random.default_rng(0)
    draws = np.prod([rng.choice(np.sort(values), DRAWS) for values in parts["values"]], axis=0)
    return parts["median"].prod(), *np.quantile(draws, [0.1, 0.9, 0.5])


def _limit(benchmarks: Sequence[str], use: str, quantity: str = "tpot_p99_limit") -> float:
    """Return the tightest limit of a use in milliseconds, NaN where it has none."""
    return rule_limits(quantity).reindex([(name, USES[use]) for name in benchmarks]).min()


def _speed(benchmarks: Sequence[str], use: str) -> str:
    """Return the tokens/s per user that a use guarantees, as words to append."""
    return "" if use == "batch" else f", {1000 / _limit(benchmarks, use):.3g} tokens/s"
