"""Claims that are no ratio: who leads, what scales, what production keeps, and what nothing at hand can check."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from analysis.audit import verdict
from analysis.audit.lookup import Record, Row, ids, named, plain, rate
from analysis.audit.verdict import NOTHING, row
from analysis.compare import gate
from analysis.compare.gate import Question
from analysis.core import interval
from analysis.core.interval import Interval
from analysis.themes import derating

SCENARIOS = ("Offline", "Server")
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "eight": 8}
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
    "price": "an offer of the day by the provider",
    "quantization": "official results with and without the change, and the accuracy of both",
    "results": "an official result",
}


def ranks(
    claims: pd.DataFrame, results: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame
) -> pd.DataFrame:
    """Who is said to lead, against the official rates: per accelerator, or of systems of the accelerator named.

    Accelerators whose names the baseline excludes (`without B200 or H200`) do not count.
    """
    record = Record(results, benchmarks, accelerators)
    rows = claims[claims["quantity"].eq("rank") & claims["duplicate_of"].eq("")]
    return verdict.frame(_rank(claim, record) for claim in plain(rows))


def scaling(
    claims: pd.DataFrame, results: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame
) -> pd.DataFrame:
    """Scaling between numbers of nodes against the official rates of the submitter's own systems of those sizes."""
    record = Record(results, benchmarks, accelerators)
    rows = claims[claims["quantity"].eq("scaling_ratio") & claims["duplicate_of"].eq("")]
    return verdict.frame(_scaling(claim, record) for claim in plain(rows))


def layers(claims: pd.DataFrame, results: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """A system with a serving layer against the same official system without it."""
    rows = claims["quantity"].eq("throughput_ratio") & claims["subject_accelerator"].eq(claims["baseline_accelerator"])
    rows &= claims["baseline_round"].eq(claims["round"]) & claims["framework"].ne("") & claims["round"].ne("")
    found = []
    for claim in plain(claims[rows & claims["duplicate_of"].eq("")]):
        own = (claim["subject_accelerator"],)
        asked = [Question("", name, ("official",), (claim["round"],), own) for name in SCENARIOS]
        both = gate.select_each(results, benchmarks, asked)
        shares = derating.layered(both, claim["framework"])
        expected = verdict.hull(Interval(low, high) for low, high in shares[["share_low", "share_high"]].to_numpy())
        printed = Interval(claim["low"], claim["high"])
        said = (
            f"{len(shares)} official pairs keep {interval.text(expected.low, expected.high)} with {claim['framework']}"
        )
        said = said if len(shares) else f"No official pair with and without {claim['framework']} is at hand"
        judged = verdict.compare(printed, expected, "approximate")
        about = ("claims", "stated claim", judged, printed, expected, "ratio")
        found.append(row(claim, *about, f"official, with over without {claim['framework']}", f"{said}."))
    return verdict.frame(found)


def production(claims: pd.DataFrame, results: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """The share of a benchmark's throughput said to be left in production: nothing official measures production.

    What official results measure of it is Server over Offline of one system, which stands beside it.
    """
    rows = claims[claims["quantity"].eq("fraction_of_benchmark") & claims["duplicate_of"].eq("")]
    if rows.empty:
        return verdict.frame([])
    offline, server = (gate.select_all(results, benchmarks, Question("", name, ("official",))) for name in SCENARIOS)
    kept = derating.measured(offline, server)
    beside = verdict.hull(Interval(low, high) for low, high in kept[["derate_low", "derate_high"]].to_numpy())
    share = interval.text(beside.low, beside.high)
    said = (
        f"No result from production is at hand; official systems keep {share} of their "
        f"Offline throughput under the Server latency limits, before bursts and other tenants."
    )
    return verdict.frame(
        row(claim, "claims", "stated claim", "unverifiable", Interval(claim["low"], claim["high"]), beside,
            claim["unit"], "official Server over Offline", said)
        for claim in plain(rows)
    )  # fmt: skip


def unchecked(tables: Mapping[str, pd.DataFrame], judged: pd.DataFrame) -> pd.DataFrame:
    """Every figure on which no other check has a word, with what it would take to check it."""
    done = set(zip(judged["table"], judged["row_id"], strict=True))
    low = {"results": "low", "claims": "low", "prices": "usd_per_accelerator_hour_low", "quantization": "speedup_low"}
    found = []
    for name, column in low.items():
        frame = tables[name]
        frame = frame[frame["origin"].eq("published")] if "origin" in frame else frame
        for figure in plain(frame[frame["duplicate_of"].eq("")]):
            if (name, figure["id"]) not in done:
                found.append(_unchecked(figure, name, column))
    return verdict.frame(found)


def _rank(claim: Row, record: Record) -> Row:
    printed = Interval(claim["low"], claim["high"])
    excluded = set(re.findall(r"[A-Z]+\d+\w*", claim["baseline"].partition("without")[2]))
    asked = {"metric": "throughput", "power_measured": False, "division": "closed", "precision": ""}
    asked |= {"accuracy_target": "", "benchmark": claim["benchmark"], "round": claim["round"]}
    places: dict[str, float] = {}
    leaders: dict[str, str] = {}
    for scenario in [claim["scenario"]] if claim["scenario"] else SCENARIOS:
        rows = record.beside(asked | {"scenario": scenario}, _allowed(claim, record, excluded))
        rows = [
            r
            for r in rows
            if not claim["accelerator_count"] > 0 or r["accelerator_count"] == claim["accelerator_count"]
        ]
        mine = [r for r in rows if _is_subject(claim, r)]
        if mine:
            best = max(_each(r) for r in mine)
            above = [r for r in rows if _each(r) > best]
            places[scenario] = 1.0 + len({(r["submitter"], r["accelerator"]) for r in above})
            leader = max(rows, key=_each)
            leaders[scenario] = f"{leader['submitter']} with {leader['accelerator']} ({ids([leader])})"
    return _ranked(claim, printed, places, leaders)


def _allowed(claim: Row, record: Record, excluded: set[str]) -> list[str]:
    if claim["baseline_accelerator"]:
        return [claim["baseline_accelerator"]]
    return [str(name) for name in record.facts.index if not excluded & set(str(name).split())]


def _is_subject(claim: Row, result: Row) -> bool:
    if not claim["baseline_accelerator"]:
        return result["accelerator"] == claim["subject_accelerator"]
    return named({"submitter": claim["subject"].split()[0], "system": ""}, [result])


def _each(result: Row) -> float:
    return rate(result, result["unit"], True).high


def _ranked(claim: Row, printed: Interval, places: dict[str, float], leaders: dict[str, str]) -> Row:
    what = f"{claim['round']} results of {claim['benchmark']}"
    about = ("claims", "rank")
    if not places:
        said = f"No official {what} of {claim['subject']} and of others are at hand."
        return row(claim, *about, "unverifiable", printed, NOTHING, "rank", f"official {what}", said)
    expected = Interval(min(places.values()), max(places.values()))
    holds = [name for name, place in places.items() if place == claim["low"]]
    missing = [] if claim["scenario"] else [name for name in SCENARIOS if name not in places]
    everywhere = len(holds) == len(places) and not missing
    judged = "contradicts" if not holds else "exact" if everywhere else "conditional"
    each = "; ".join(f"{name}: rank {place:.0f}, first is {leaders[name]}" for name, place in places.items())
    only = f"Holds in {' and '.join(holds)} only: " if judged == "conditional" else ""
    none = f"; {' and '.join(missing)}: no own result at hand" if missing else ""
    said = f"{only}official rates per accelerator give {each}{none}."
    said = said[0].upper() + said[1:]
    return row(claim, *about, judged, printed, expected, "rank", f"official {what}", said)


def _scaling(claim: Row, record: Record) -> Row:
    nodes = [NUMBERS.get(claim[side].split()[0].lower(), 0) for side in ("subject", "baseline")]
    who, printed = claim["locator"].split()[0], Interval(claim["low"], claim["high"])
    rows = record.groups.get((claim["benchmark"], claim["round"]), [])
    own = [r for r in rows if r["submitter"].startswith(who) and r["division"] == "closed" and not r["power_measured"]]
    ratios = [
        rate(many, many["unit"], False) / rate(few, few["unit"], False)
        for many in own for few in own
        if (many["nodes"], few["nodes"]) == tuple(nodes) and many["scenario"] == few["scenario"]
        and many["accelerator"] == few["accelerator"] and many["accuracy_target"] == few["accuracy_target"]
    ]  # fmt: skip
    expected = verdict.hull(ratios)
    times = interval.text(expected.low, expected.high)
    said = f"{who}'s official {claim['round']} systems of {nodes[0]} nodes give {times} times those of {nodes[1]}"
    said = (
        said
        if ratios
        else f"No official {claim['round']} results of {who} on {nodes[1]} and {nodes[0]} nodes are at hand"
    )
    judged = verdict.compare(printed, expected, "approximate")
    reference = f"official, {who}, {nodes[0]} over {nodes[1]} nodes"
    return row(claim, "claims", "stated claim", judged, printed, expected, "ratio", reference, f"{said}.")


def _unchecked(figure: Row, table: str, column: str) -> Row:
    ends = Interval(figure[column], figure[column.replace("low", "high")])
    kind = {"prices": "price"}.get(table) or figure.get("quantity", table)
    missing = MISSING.get(kind, f"a check of {kind.replace('_', ' ')}")
    unit = figure.get("unit", "USD/hour" if table == "prices" else "ratio")
    said = f"The tables lack {missing}."
    return row(figure, table, "none", "unverifiable", ends, NOTHING, unit, "", said)
