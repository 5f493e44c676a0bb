"""Compute the share of MLPerf Offline throughput that production delivers: the factors of a result and their product.

Each factor is a set of values from one source: pairs of MLPerf results, InferenceX runs, public traces of traffic, or
an assumption. A factor applies only to a result that does not include it yet. A product is a modeled share, not a
comparison of results. Its range treats factors as independent: the root of the sum of squares of their logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd

from analysis import bursts, factors, names, tables
from analysis.compare import NoData, racks
from analysis.names import choose
from analysis.paths import read_file
from analysis.results import load_results, rule_limits, timed_benchmarks

USES = {"batch": "Offline", "chat": "Server", "interactive": "Interactive"}
CHAT_LIMIT = 25.0  # tokens/s per user up to which a workload counts as chat (read while streaming)
FLEETS = ("fixed", "hourly", "foreseen", "pooled")
BUSY = ["latency limit", "serving stack", "hypervisor", "networked nodes"]
LOAD = "mean over P99 load"
STEPS = [*BUSY, "bursts", LOAD, "spare node"]
BASIS = {  # of each step: how it is known, and its source
    "latency limit": ("measured", "MLPerf"),
    "serving stack": ("measured", "InferenceX"),
    "hypervisor": ("measured", "MLPerf"),
    "networked nodes": ("measured", "MLPerf"),
    "bursts": ("simulated", "Azure 2023, Mooncake"),
    LOAD: ("simulated", "ServeGen"),
    "spare node": ("assumed", ""),
}
LABELS = {  # of the steps of `chain`, as a figure names them
    "offline": "MLPerf Offline",
    "latency limit": "Latency limit",
    "serving stack": "Serving stack",
    "hypervisor": "Hypervisor",
    "networked nodes": "Several nodes",
    "busy": "While busy",
    "bursts": "Bursts",
    LOAD: "Load over time",
    "spare node": "Spare nodes",
    "delivered": "Delivered",
}
HOLDS = ["stack", "hypervisor", "nodes"]  # what a result states that it already includes
READINGS = {  # serving stack chosen by the user -> systems that get the stack factor
    "vLLM": ["TensorRT-LLM node"],
    "as submitted": [],
    "vLLM, unstated moved": ["TensorRT-LLM node", "unstated node"],
}
COVERED = {  # by a name of data/delivered.csv: the systems
    "": ["TensorRT-LLM node", "vLLM node", "unstated node", "rack"],
    "node": ["TensorRT-LLM node", "vLLM node", "unstated node"],
}
KINDS = {  # of results and how they are served: the system and the reading
    "TensorRT-LLM node to vLLM": ("TensorRT-LLM node", "vLLM"),
    "TensorRT-LLM node": ("TensorRT-LLM node", "as submitted"),
    "vLLM node": ("vLLM node", "vLLM"),
    "unstated node": ("unstated node", "vLLM"),
    "rack": ("rack", "vLLM"),
}
REPAIR = (1, 3, 7)  # days until a node is back: assumed
SPARES = 1 - 1 / np.array([5.0, 9.0, 17.0])  # one spare node per 4, 8, or 16: assumed
FILE = ["use", "system", "fleet", "step", "median", "p10", "p90", "n", "counted", "kind", "source"]
MARKS = ["median", "p10", "p90"]
QUANTILES = [0.5, 0.1, 0.9]  # of MARKS
DAY = 144  # windows of ten minutes


def chain(
    use: str = "chat", fleet: str = "fixed", benchmarks: Sequence[str] = (), trace: str | Path = "",
    fleet_nodes: int = 0,
) -> pd.DataFrame:  # fmt: skip
    """Return the factors from MLPerf Offline to delivered throughput for each type of result, with running products.

    Parameters
    ----------
    use : str
        "batch" (no latency limit; always full, whatever the fleet), "chat" (limits of Server), or "interactive".
    fleet : str
        "fixed" (sized for the 99th percentile of ten-minute load), "hourly" (follows the last hour's traffic plus a
        margin), "foreseen" (each hour's traffic known), or "pooled" (the same, with 16 services on one fleet).
    benchmarks : sequence of str
        Benchmarks whose latency limits are used, by key or label; empty: those of `limited_models`.
    trace : str or Path
        A CSV file for `bursts.read_trace`: bursts are simulated on it as it is, and its load over time is used if it
        covers a day or more, else that of the public services.
    fleet_nodes : int
        Nodes in the fleet, for its spares; 0: one spare for eight.

    Returns
    -------
    DataFrame
        One row per `kind` (one of KINDS) and `step` in order: `median`, `p10`, `p90` of the factor, or of the product
        so far for the steps "offline", "busy", and "delivered" (`basis` "total"); `n` and what it counts (`counted`),
        basis, source. A factor that does not apply is NaN. For a node that states no stack, the median leaves the
        stack factor out and p10 includes it.

    Raises NoData where no kind has results, and ValueError for an unknown name.
    """
    choose(use, USES, "use")
    choose(fleet, FLEETS, "fleet")
    benchmarks = limited_models(benchmarks)
    asked = ", ".join(map(names.label, benchmarks))
    if {*benchmarks} - {*timed_benchmarks()}:
        timed = ", ".join(map(names.label, timed_benchmarks()))
        raise NoData(f"{asked}: expected models whose rules limit tokens/s per user: {timed}")
    table = shares(benchmarks, trace, fleet_nodes)
    kinds = pd.DataFrame(KINDS, ["system", "reading"]).T.assign(use=use, hypervisor="", nodes=1)
    whole, busy = (_applied(kinds, part, fleet) for part in (table, table[table["step"].isin(BUSY)]))
    every, ends, rows = _known(table, fleet), ["share", "low", "high"], []
    for kind, applied in whole.iterrows():
        steps = every.reindex([(use, kinds.at[kind, "system"], step) for step in STEPS]).set_axis(STEPS)
        if use != "batch" and np.isnan(steps.at["latency limit", "median"]):
            continue
        steps.loc[applied[STEPS].isna(), MARKS] = np.nan
        if applied["unstated"] < 1:
            steps.loc["serving stack", MARKS] = 1.0, applied["unstated"], 1.0
        totals = {"offline": [1.0] * 3, "busy": [*busy.loc[kind, ends]], "delivered": [*applied[ends]]}
        totals = pd.DataFrame.from_dict(totals, "index", columns=MARKS).assign(kind="total")
        own = pd.concat([steps, totals]).reindex([*LABELS]).rename_axis("step").rename(columns={"kind": "basis"})
        rows.append(own.reset_index().assign(kind=kind))
    if not rows:
        raise NoData(f"no system has comparable results of {asked} in both Offline and {USES[use]}")
    found = pd.concat(rows, ignore_index=True).fillna(dict.fromkeys(["counted", "basis", "source"], ""))
    return found[["kind", "step", *MARKS, "n", "counted", "basis", "source"]]


def outcomes(benchmarks: Sequence[str] = (), trace: str | Path = "", fleet_nodes: int = 0) -> pd.DataFrame:
    """Return what `chain` delivers by use, fleet ("busy": while busy, as batches are), and kind: median, p10, p90.

    Raises NoData where no use has results.
    """
    found, why = [], NoData()
    for use, fleet in product(USES, FLEETS):
        try:
            rows = chain(use, fleet, benchmarks, trace, fleet_nodes).assign(use=use, fleet=fleet)
        except NoData as error:
            why = error
            continue
        if use != "batch":
            found.append(rows[rows["step"].eq("delivered")])
        if fleet == FLEETS[0]:
            found.append(rows[rows["step"].eq("busy")].assign(fleet="busy"))
    if not found:
        raise why
    return pd.concat(found, ignore_index=True)[["use", "fleet", "kind", *MARKS]]


def use_at(interactivity: float) -> str:
    """Return the use at an interactivity (tokens/s per user): batch at 0, chat up to CHAT_LIMIT, else interactive."""
    return "batch" if interactivity == 0 else "chat" if interactivity <= CHAT_LIMIT else "interactive"


def system_of(rows: pd.DataFrame) -> np.ndarray:
    """Return the system of each result by accelerator and stack: a rack, or a node by its stated stack."""
    holds = [rows["accelerator"].isin(list(racks())), rows["stack"].eq("TensorRT-LLM"), rows["stack"].eq("")]
    return np.select(holds, ["rack", "TensorRT-LLM node", "unstated node"], "vLLM node")


def served(rows: pd.DataFrame, fleet: str = "fixed", stack: str = "vLLM") -> pd.DataFrame:
    """Return the share of each result's throughput at its interactivity that a fleet delivers, and its factors.

    A factor applies only to a result that does not include it already: the serving stack to one on TensorRT-LLM that
    the user serves with vLLM, the hypervisor to bare metal, the network to one node. None of these applies to racks,
    where they were never measured or are in the result. Bursts, load, and the spare node apply to all. The throughput
    includes the latency limit.

    Parameters
    ----------
    rows : DataFrame
        Results, with accelerator, interactivity (tokens/s per user; 0: batch, always full), and the columns of HOLDS.
    fleet : str
        One of FLEETS.
    stack : str
        One of READINGS: what the user serves with. "as submitted" applies no stack factor; "vLLM, unstated moved"
        also applies it to a result that states no stack, which has a range under "vLLM".

    Returns
    -------
    DataFrame
        By the index of `rows`: each step's factor (NaN: does not apply), `share` (their product), `unstated` (share x
        unstated is the lower end where a result states no stack, else 1), `low` and `high` (P10 and P90, with what is
        not stated), `busy` (share while busy), `peak` (P99 over mean load).
    """
    choose(fleet, FLEETS, "fleet")
    choose(stack, READINGS, "stack")
    rows = rows.assign(use=rows["interactivity"].map(use_at), system=system_of(rows), reading=stack)
    table = tables.load("delivered").query("step != 'latency limit'")
    return _applied(rows, table, fleet).drop(columns="latency limit")


def served_at(points: pd.DataFrame, fleet: str = "fixed", stack: str = "vLLM") -> pd.DataFrame:
    """Return `served` for throughput at an interactivity, each from the results behind it.

    `points` as `planner.curve.throughput_at` returns them. Between two results the shares are interpolated as the
    throughput is, on a logarithmic scale; throughput without a result states no stack.
    """
    results = load_results().set_index("id")[[*HOLDS, "rate_per_accelerator"]]
    slower = points["slower_id"].mask(points["slower_id"].eq(""), points["id"])  # of one result, it is both
    rates, ends = [], []
    for ids in (slower, points["id"]):
        known = results.reindex(ids).set_axis(points.index).fillna({"stack": "", "hypervisor": "", "nodes": 1})
        rates.append(known["rate_per_accelerator"])
        ends.append(served(known.assign(**points[["accelerator", "interactivity"]]), fleet, stack))
    (rate, end), (first, last) = rates, ends
    as_run = points["throughput"] / points.get("gain", 1.0)
    way = (np.log(as_run / rate) / np.log(end / rate)).clip(0, 1).fillna(0.0)
    both = first.fillna(1.0).pow(1 - way, axis=0) * last.fillna(1.0).pow(way, axis=0)
    return both.where(first.notna() | last.notna())


def factors_of(use: str, system: str, fleet: str) -> pd.DataFrame:
    """Return the factors of data/delivered.csv for a use, system, and fleet, by step."""
    return _known(tables.load("delivered"), fleet).loc[(use, system)]


def shares(
    benchmarks: Sequence[str] = (), trace: str | Path = "", fleet_nodes: int = 0
) -> pd.DataFrame:  # fmt: skip
    """Return every factor: data/delivered.csv, or computed for other benchmarks, a trace, or the spares of a fleet.

    `use`, `system`, and `fleet` are "" in a row that applies to any, and system is "node" where it applies to all
    nodes.
    """
    benchmarks = limited_models(benchmarks)
    if benchmarks == limited_models() and not trace:
        found = tables.load("delivered")
    else:
        found = computed(benchmarks, str(trace), crc32(read_file(trace)) if trace else 0).copy()
    if fleet_nodes:
        spare = found["step"].eq("spare node")
        kept = [fleet_nodes / (fleet_nodes + factors.spares(fleet_nodes, days)) for days in REPAIR]
        found.loc[spare, [*MARKS, "n"]] = [*np.quantile(kept, QUANTILES), len(kept)]
        fleets = names.listed(tables.load("fleet_failures")["fleet"])
        found.loc[spare, ["counted", "source"]] = "times to repair", fleets
    return found


@lru_cache(maxsize=8)  # seconds of simulation; tables.forget clears it
def computed(benchmarks: tuple[str, ...], trace: str = "", version: int = 0) -> pd.DataFrame:
    """Return the table of factors, as in data/delivered.csv; `version` tells edits of a trace apart."""
    columns = ["use", "system", "fleet", "step", "values", "n", "counted"]
    table = pd.DataFrame(_values(benchmarks, trace), columns=columns)
    table[MARKS] = np.array([np.quantile(each, QUANTILES) for each in table["values"]])
    table[["kind", "source"]] = [BASIS[step] for step in table["step"]]
    return table.assign(source=table["source"].mask(table["counted"].eq("your trace"), Path(trace).name))[FILE]


def loads(trace: str | Path = "", quantile: float = 0.99) -> pd.DataFrame:
    """Return `factors.load_factors` by fleet, of a trace of a day or more, else of the public services.

    Raises ValueError for a trace without two consecutive hours that have requests.
    """
    rates = bursts.windows(bursts.read_trace(trace)) if trace else pd.DataFrame()
    own = len(rates) >= DAY
    found = factors.load_factors(rates if own else tables.load("traffic_rates"), gaps=not own, quantile=quantile)
    if found["hourly"].isna().any():
        raise ValueError(f"{trace}: no hour with requests follows another, so none is planned by the hour before")
    return found.assign(pooled=found["foreseen"])


def limited_models(benchmarks: str | Sequence[str] = ()) -> tuple[str, ...]:
    """Return the keys of benchmarks given by key or label: in order, each once.

    By default those whose limit on the time per output token in Interactive is the tightest of all.
    """
    asked = [benchmarks] if isinstance(benchmarks, str) else benchmarks
    limits = rule_limits("tpot_p99_limit").xs(USES["interactive"], level="scenario")
    return tuple(sorted({*map(names.benchmark, asked)} or {*limits.index[limits.eq(limits.min())]}))


def _values(benchmarks: tuple[str, ...], trace: str) -> list[tuple]:
    """Return use, system, fleet, step, values, n, and what n counts, of each factor."""
    stack, virtual = factors.serving_stack()["share"], factors.hypervisor()["share"]
    found = [
        ("", "node", "", "serving stack", stack, len(stack), "curves"),
        ("", "node", "", "hypervisor", virtual, len(virtual), "results"),
    ]
    load = loads(trace)
    counted = "your trace" if load.index.tolist() == ["trace"] else "services"
    for use, scenario in USES.items():
        network = factors.networked("Offline" if use == "batch" else "Server")["share"]
        found.append((use, "node", "", "networked nodes", network, len(network), "results"))
        tpot_ms, ttft_ms = (_limit(benchmarks, use, quantity) for quantity in ("tpot_p99_limit", "ttft_p99_limit"))
        if np.isnan(tpot_ms):  # batch has none, nor do models other than language models
            continue
        try:
            pairs = factors.retained(benchmarks, [scenario])
        except NoData:
            continue
        pairs = pairs[pairs["size"].isin(factors.SYSTEMS)]
        for system, own in pairs.groupby(system_of(pairs)):
            cells = factors.by_accelerator(own)["share"]
            found.append((use, system, "", "latency limit", cells, len(cells), "model-GPU units"))
        found += _bursts(use, tpot_ms, ttft_ms, trace)
        found += [(use, "", fleet, LOAD, load[fleet], len(load), counted) for fleet in FLEETS]
        found.append((use, "", "", "spare node", SPARES, len(SPARES), "fleet sizes"))
    return found


def _bursts(use: str, tpot_ms: float, ttft_ms: float, trace: str) -> list[tuple]:
    """Return the factor of bursts within ten minutes: 99% of requests start within the limit on TTFT.

    On the public traces it is read from data/burst_factors.csv, and simulated for limits that no benchmark has.
    """
    if trace:
        values = bursts.over_poisson(bursts.read_trace(trace), tpot_ms, ttft_ms, "recorded")
        return [(use, "", "", "bursts", values, 1, "your trace")]
    known = tables.load("burst_factors").query("tpot_ms == @tpot_ms and ttft_ms == @ttft_ms")
    by = (known if len(known) else bursts.simulated(tpot_ms, ttft_ms)).groupby("fleet")
    return [(use, "", fleet, "bursts", own["factor"], own["service"].nunique(), "chat traces") for fleet, own in by]


def _known(table: pd.DataFrame, fleet: str) -> pd.DataFrame:
    """Return the factors of a fleet by use, system, and step; a row of this fleet takes precedence over one of any."""
    table = table[table["fleet"].isin([fleet, ""])].sort_values("fleet", ascending=False, kind="stable")
    uses = [[use] if use else [*USES] for use in table["use"]]
    systems = [COVERED.get(system, [system]) for system in table["system"]]
    every = table.assign(use=uses, system=systems).explode("use").explode("system")
    key = ["use", "system", "step"]
    return every.drop_duplicates(key).set_index(key).sort_index()


def _applied(rows: pd.DataFrame, table: pd.DataFrame, fleet: str) -> pd.DataFrame:
    """Return the factors that apply to rows of use, system, reading, hypervisor, and nodes, as `served` does."""
    known = _known(table, fleet)[MARKS].unstack("step")
    columns = pd.MultiIndex.from_product([MARKS, STEPS])
    known = known.reindex(pd.MultiIndex.from_frame(rows[["use", "system"]]), columns=columns).set_axis(rows.index)
    median, p10, p90 = (known[mark] for mark in MARKS)
    open_ = rows["system"].eq("unstated node") & rows["reading"].eq("vLLM")  # a range: from 1 to the factor
    moved = [system in READINGS[reading] for system, reading in zip(rows["system"], rows["reading"], strict=True)]
    holds = {"serving stack": moved, "hypervisor": rows["hypervisor"].eq(""), "networked nodes": rows["nodes"].le(1)}
    applied = median.where(pd.DataFrame(True, rows.index, STEPS).assign(**holds))
    unstated = median["serving stack"].where(open_, 1.0)
    counted = applied.notna()
    uncertain = counted.assign(**{"serving stack": counted["serving stack"] | open_})
    below, above = np.log(p10 / median).where(uncertain), np.log(p90 / median).where(counted)
    share = applied.prod(axis=1)
    return applied.assign(
        share=share,
        unstated=unstated,
        low=share * unstated * np.exp(-below.pow(2).sum(axis=1).pow(0.5)),
        high=share * np.exp(above.pow(2).sum(axis=1).pow(0.5)),
        busy=applied[BUSY].prod(axis=1),
        peak=1 / applied[LOAD].fillna(1.0),
    )


def _limit(benchmarks: Sequence[str], use: str, quantity: str) -> float:
    """Return the tightest limit of a use in milliseconds, NaN where it has none."""
    return rule_limits(quantity).reindex([(name, USES[use]) for name in benchmarks]).min()
