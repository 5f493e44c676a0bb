"""Claims that are no ratio: ranks, serving layers, production losses, and what the data cannot check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analysis._core import interval
from analysis._core.cell_lists import cell_values
from analysis._core.findings import exactly
from analysis._core.vocabulary import filed_under
from analysis.audit import official_ratios
from analysis.audit.claims import CHECK
from analysis.audit.frames import TABLES, Tables
from analysis.audit.lookup import Record, rate
from analysis.audit.official_ratios import SCENARIOS
from analysis.audit.verdict import NOTHING, Judgment, Row, Verdict

RANK, UNCHECKED = "rank", "none"
SAME_RUN = ("submitter", "accelerator", "accelerator_count", "benchmark", "accuracy_target")
MISSING = {
    "latency_limit": "the rules of the table that it is about",
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


def ranks(tables: Tables) -> Iterator[Judgment]:
    """Check stated ranks against official rates: per accelerator, or of systems of the accelerator named.

    Accelerators that the claim excludes do not count.
    """
    for claim in tables.stated("rank"):
        yield _rank(claim, tables.record)


def layers(tables: Tables) -> Iterator[Judgment]:
    """Check a system with a serving layer against the same official system without it."""
    for claim in tables.stated("throughput_ratio"):
        one_accelerator = claim["subject_accelerator"] == claim["baseline_accelerator"]
        if one_accelerator and claim["round"] == claim["baseline_round"] != "" and claim["framework"]:
            yield _layer(claim, tables)


def production(tables: Tables) -> Iterator[Judgment]:
    """Check stated shares of throughput retained in production, of which no official result exists.

    What official results measure of it is Server over Offline of one system, which is shown beside it.
    """
    for claim in tables.stated("fraction_of_benchmark"):
        round = tables.rounds_of.get(claim["source_id"], "")
        rows = list(tables.record.of_round(round))
        server, offline = ([row for row in rows if row["scenario"] == name] for name in ("Server", "Offline"))
        share_kept = interval.envelope(official_ratios.pairs(server, offline, ("result_id", "system", *SAME_RUN)))
        words = (
            f"The data hold no result from production; official {round} systems retain {share_kept.text()} of their "
            "Offline throughput under the Server latency limits, before bursts and other tenants"
        )
        words += f"{tables.record.excluded([round])}."
        reference = f"official {round} Server over Offline"
        yield Judgment(claim, CHECK, share_kept, reference, words, verdict=Verdict.UNVERIFIABLE)


def unchecked(tables: Tables, judgments: Iterable[Judgment]) -> Iterator[Judgment]:
    """Yield the figures that no other check covers, with the data that a check would need."""
    judged = {(judgment.figure["table"], judgment.figure["id"]) for judgment in judgments}
    for table in TABLES:
        for figure in tables.figures(table):
            if (table, figure["id"]) not in judged:
                kind = figure.get("quantity", table)
                missing = MISSING.get(kind, f"a check of {kind.replace('_', ' ')}")
                words = f"The tables lack {missing}."
                yield Judgment(figure, UNCHECKED, NOTHING, "", words, verdict=Verdict.UNVERIFIABLE)


def _rank(claim: Row, record: Record) -> Judgment:
    results = record.of_round(claim["round"], _allowed(claim, record))
    contests = record.by_run(row for row in results if _competes(claim, row))
    places, leaders, missing = {}, {}, []
    for (benchmark, scenario, target), rows in sorted(contests.items()):
        name = scenario if claim["benchmark"] else " ".join(filter(None, [benchmark, target, scenario]))
        of_subject = [row for row in rows if _is_subject(claim, row, record)]
        if of_subject:
            best = max(map(_per_accelerator, of_subject))
            ahead = {(row["submitter"], row["accelerator"]) for row in rows if _per_accelerator(row) > best}
            leader = max(rows, key=_per_accelerator)
            places[name] = 1.0 + len(ahead)
            cited = f" ({leader['result_id']})" if leader["result_id"] else ""
            leaders[name] = f"{leader['submitter']} with {leader['accelerator']}{cited}"
        else:
            missing.append(name)
    reference = f"official {claim['round']} results of {claim['benchmark'] or 'any benchmark'}"
    outcome, words = _ranked(claim["low"], places, leaders, missing)
    if not places:
        words = f"No {reference} of {claim['subject']} and of others are in the data"
    words += "" if claim["benchmark"] else record.excluded([claim["round"]])
    expected = interval.envelope(exactly(place) for place in places.values())
    return Judgment(claim, RANK, expected, reference, f"{words}.", verdict=outcome)


def _allowed(claim: Row, record: Record) -> list[str]:
    if claim["baseline_accelerator"]:
        return [claim["baseline_accelerator"]]
    excluded = cell_values(claim["excluded_accelerators"])
    return [name for name in record.makers if name not in excluded]


def _competes(claim: Row, row: Row) -> bool:
    """Whether a result is one of those that the claim ranks."""
    return bool(
        claim["benchmark"] in ("", row["benchmark"])
        and row["scenario"] in official_ratios.scenarios_of(claim)
        and "datacenter" in filed_under(row["suite"])
        and (not claim["accelerator_count"] > 0 or row["accelerator_count"] == claim["accelerator_count"])
    )


def _is_subject(claim: Row, result: Row, record: Record) -> bool:
    """Among systems of one accelerator the submitter is ranked, else the accelerator, or its vendor or family."""
    if claim["baseline_accelerator"]:
        return result["submitter"] == claim["submitter"]
    accelerator = claim["subject_accelerator"]
    return result["accelerator"] in ([accelerator] if accelerator else record.called(claim["subject"]))


def _per_accelerator(result: Row) -> float:
    return rate(result, result["unit"], True).high


def _ranked(
    stated: float, places: dict[str, float], leaders: dict[str, str], missing: list[str]
) -> tuple[Verdict, str]:
    """The verdict on a stated rank and its words, from the place by contest; `missing` are those without one."""
    holds = [name for name, place in places.items() if place == stated]
    contests_told = [name for name in places if name not in holds] or holds[:2]
    ranked = "; ".join(f"{name}: rank {places[name]:.0f}, first is {leaders[name]}" for name in contests_told)
    lacking = f"; {' and '.join(missing)}: no own result in the data" if missing else ""
    words = f"fficial rates per accelerator give rank {stated:.0f} in {len(holds)} of {len(places)}: {ranked}{lacking}"
    if not places:
        return Verdict.UNVERIFIABLE, ""
    if not holds:
        return Verdict.CONTRADICTED, f"O{words}"
    if len(holds) == len(places) and not missing:
        return Verdict.CONFIRMED, f"O{words}"
    return Verdict.CONDITIONAL, f"Holds in {', '.join(holds)} only: o{words}"


def _layer(claim: Row, tables: Tables) -> Judgment:
    results = tables.record.of_round(claim["round"], [claim["subject_accelerator"]])
    rows = [
        row for row in results
        if claim["submitter"] in ("", row["submitter"]) and row["scenario"] in SCENARIOS["datacenter"]
    ]  # fmt: skip
    layered, bare = ([row for row in rows if row["serving_software"] == name] for name in (claim["framework"], ""))
    shares = list(official_ratios.pairs(layered, bare, ("machine", "scenario", *SAME_RUN)))
    expected = interval.envelope(shares)
    words = f"{len(shares)} official pairs retain {expected.text()} with {claim['framework']}."
    if not shares:
        words = f"No official pair with and without {claim['framework']} is in the data."
    reference = f"official, with over without {claim['framework']}"
    return Judgment(claim, CHECK, expected, reference, words, basis="approximate")
