"""Claims that are no ratio: who leads, what scales, what production keeps, and what nothing at hand can check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from analysis.audit import verdict
from analysis.audit.claims import CHECK, SCENARIOS
from analysis.audit.frames import TABLES, Tables
from analysis.audit.lookup import PRICE, PRICE_UNIT, Record, ids, rate
from analysis.audit.verdict import NOTHING, Judgement, Row, Verdict
from analysis.compare import gate
from analysis.compare.gate import Question
from analysis.core import interval
from analysis.core.interval import Interval
from analysis.core.lists import cell_values
from analysis.themes import derating

RANK, UNCHECKED = "rank", "none"
FIGURE = {"prices": PRICE, "quantization": "speedup"}  # the interval judged; else low and high
UNIT = {"prices": PRICE_UNIT, "quantization": "ratio"}  # of the figures of a table that has no column for it
MISSING = {
    "latency_limit": "the rules of the table that it is said of",
    "latency_ratio": "latencies of one model and accelerator with and without the change",
    "deployment_speedup_ratio": "rates of one model and accelerator with and without the change",
    "network_bandwidth": "facts about networks",
    "network_bandwidth_ratio": "facts about networks",
    "compute_ratio": "the operations of the model's parts",
    "share_of_time": "a profile of the run",
    "workloads_added": "the complete official record of both rounds",
    "users": "a source: it is an assumption of the example",
    "tokens_per_second_per_user": "a source: it is an assumption of the example",
    "price_ratio": "prices of both in one document",
    "accuracy_fraction": "the accuracy of the changed model",
    "throughput_ratio": "official results of both sides",
    "prices": "an offer of the day by the provider",
    "quantization": "official results with and without the change, and the accuracy of both",
    "results": "an official result",
}


def ranks(tables: Tables) -> Iterator[Judgement]:
    """Who is said to lead, against the official rates: per accelerator, or of systems of the accelerator named.

    Accelerators that the claim excludes do not count.
    """
    for claim in tables.stated("rank"):
        yield _rank(claim, tables.record)


def scaling(tables: Tables) -> Iterator[Judgement]:
    """Scaling between numbers of nodes against the official rates of the submitter's own systems of those sizes."""
    for claim in tables.stated("scaling_ratio"):
        yield _scaling(claim, tables.record)


def layers(tables: Tables) -> Iterator[Judgement]:
    """A system with a serving layer against the same official system without it."""
    for claim in tables.stated("throughput_ratio"):
        same = claim["subject_accelerator"] == claim["baseline_accelerator"]
        if same and claim["round"] == claim["baseline_round"] != "" and claim["framework"]:
            yield _layer(claim, tables)


def production(tables: Tables) -> Iterator[Judgement]:
    """The share of a benchmark's throughput said to be left in production: nothing official measures production.

    What official results measure of it is Server over Offline of one system, which stands beside it.
    """
    claims = tables.stated("fraction_of_benchmark")
    if not claims:
        return
    record, names = gate.record(tables.results, tables.benchmarks), list(tables.official["benchmark"].unique())
    offline, server = (gate.select_all(record, Question("", name, ("official",)), names) for name in SCENARIOS)
    beside = _over(derating.measured(offline, server), "derate")
    words = (
        f"No result from production is at hand; official systems keep {beside.text()} of their Offline throughput "
        "under the Server latency limits, before bursts and other tenants."
    )
    for claim in claims:
        reference = "official Server over Offline"
        yield Judgement.on(claim, CHECK, beside, reference, words, verdict=Verdict.UNVERIFIABLE)


def unchecked(tables: Tables, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """Every figure on which no other check has a word, with what it would take to check it."""
    done = {(judgement.figure["table"], judgement.figure["id"]) for judgement in judgements}
    for table in TABLES:
        for figure in tables.figures(table):
            if (table, figure["id"]) not in done:
                kind = figure.get("quantity", table)
                missing = MISSING.get(kind, f"a check of {kind.replace('_', ' ')}")
                words = f"The tables lack {missing}."
                printed, unit = interval.of(figure, FIGURE.get(table, "")), UNIT.get(table, "")
                none = Verdict.UNVERIFIABLE
                yield Judgement.on(figure, UNCHECKED, NOTHING, "", words, verdict=none, printed=printed, unit=unit)


def _rank(claim: Row, record: Record) -> Judgement:
    asked = {"metric": "throughput", "power_measured": False, "division": "closed", "precision": ""}
    asked |= {"accuracy_target": "", "benchmark": claim["benchmark"], "round": claim["round"]}
    count, places, leaders = claim["accelerator_count"], {}, {}
    scenarios = [claim["scenario"]] if claim["scenario"] else SCENARIOS
    for scenario in scenarios:
        rows = record.beside(asked | {"scenario": scenario}, _allowed(claim, record))
        rows = [row for row in rows if not count > 0 or row["accelerator_count"] == count]
        own = [row for row in rows if _is_subject(claim, row)]
        if own:
            best = max(map(_per_accelerator, own))
            above = {(row["submitter"], row["accelerator"]) for row in rows if _per_accelerator(row) > best}
            places[scenario] = 1.0 + len(above)
            leader = max(rows, key=_per_accelerator)
            leaders[scenario] = f"{leader['submitter']} with {leader['accelerator']} ({ids([leader])})"
    what = f"official {claim['round']} results of {claim['benchmark']}"
    outcome, words = _ranked(claim["low"], places, leaders, [name for name in scenarios if name not in places])
    if not places:
        words = f"No {what} of {claim['subject']} and of others are at hand"
    expected = verdict.hull(Interval(place, place) for place in places.values())
    return Judgement.on(claim, RANK, expected, what, f"{words}.", verdict=outcome)


def _allowed(claim: Row, record: Record) -> list[str]:
    if claim["baseline_accelerator"]:
        return [claim["baseline_accelerator"]]
    excluded = cell_values(claim["excluded_accelerators"])
    return [name for name in record.facts.index if name not in excluded]


def _is_subject(claim: Row, result: Row) -> bool:
    """Among systems of one accelerator the submitter is ranked, else the accelerator."""
    if claim["baseline_accelerator"]:
        return result["submitter"] == claim["submitter"]
    return result["accelerator"] == claim["subject_accelerator"]


def _per_accelerator(result: Row) -> float:
    return rate(result, result["unit"], True).high


def _ranked(
    stated: float, places: dict[str, float], leaders: dict[str, str], missing: list[str]
) -> tuple[Verdict, str]:
    """The verdict on a stated rank and its words, from the place by scenario; `missing` are those without one."""
    holds = [name for name, place in places.items() if place == stated]
    ranked = "; ".join(f"{name}: rank {place:.0f}, first is {leaders[name]}" for name, place in places.items())
    none = f"; {' and '.join(missing)}: no own result at hand" if missing else ""
    words = f"rates per accelerator give {ranked}{none}"
    if not places:
        return Verdict.UNVERIFIABLE, ""
    if not holds:
        return Verdict.CONTRADICTS, f"Official {words}"
    if len(holds) == len(places) and not missing:
        return Verdict.EXACT, f"Official {words}"
    return Verdict.CONDITIONAL, f"Holds in {' and '.join(holds)} only: official {words}"


def _scaling(claim: Row, record: Record) -> Judgement:
    who, nodes = claim["submitter"], (claim["nodes"], claim["baseline_nodes"])
    rows = [row for row in record.groups.get((claim["benchmark"], claim["round"]), ()) if row["submitter"] == who]
    rows = [row for row in rows if row["division"] == "closed" and not row["power_measured"]]
    ratios = [
        rate(large, large["unit"], False) / rate(small, small["unit"], False)
        for large in rows for small in rows
        if (large["nodes"], small["nodes"]) == nodes and large["scenario"] == small["scenario"]
        and large["accelerator"] == small["accelerator"] and large["accuracy_target"] == small["accuracy_target"]
    ]  # fmt: skip
    expected = verdict.hull(ratios)
    many, few = f"{nodes[0]:g}", f"{nodes[1]:g}"
    words = f"Official {claim['round']} systems of {who} with {many} nodes give {expected.text()} times those of {few}."
    if not ratios:
        words = f"No official {claim['round']} results of {who} on {few} and {many} nodes are at hand."
    reference = f"official, {who}, {many} over {few} nodes"
    return Judgement.on(claim, CHECK, expected, reference, words, basis="approximate")


def _layer(claim: Row, tables: Tables) -> Judgement:
    layer, own = claim["framework"], (claim["subject_accelerator"],)
    rows = tables.official[tables.official["accelerator"].isin(own) & tables.official["round"].eq(claim["round"])]
    names = list(rows["benchmark"].unique())
    asked = [Question("", name, ("official",), (claim["round"],), own) for name in SCENARIOS]
    record = gate.record(tables.results, tables.benchmarks)
    both = [gate.select_all(record, question, names) for question in asked]
    shares = derating.layered(pd.concat(both, ignore_index=True), layer)
    expected = _over(shares, "share")
    words = f"{len(shares)} official pairs keep {expected.text()} with {layer}."
    if shares.empty:
        words = f"No official pair with and without {layer} is at hand."
    reference = f"official, with over without {layer}"
    return Judgement.on(claim, CHECK, expected, reference, words, basis="approximate")


def _over(rows: pd.DataFrame, name: str) -> Interval:
    """The range over all rows of an interval; without ends where there are no rows."""
    return Interval(float(rows[f"{name}_low"].min()), float(rows[f"{name}_high"].max()))
