"""Stated speedups against the official record: confirmed, only under a condition, contradicted, or not checkable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import pandas as pd

from analysis.audit import verdict
from analysis.audit.frames import Tables
from analysis.audit.lookup import Record
from analysis.audit.verdict import AGREES, NOTHING, Judgement, Row, Verdict
from analysis.compare import gate
from analysis.compare.gate import Question
from analysis.core import interval
from analysis.core.interval import Interval
from analysis.core.notes import Notes, Scope, union, worded
from analysis.themes import speedup

CHECK = "stated claim"
SCENARIOS = ("Offline", "Server")
RATIOS = ("throughput_ratio", "break_even_throughput_ratio")


class Pair(NamedTuple):
    """An official ratio: of which part, benchmark, scenario and round, its range, and what to say with it."""

    accelerator: str
    benchmark: str
    scenario: str
    round: str
    ends: Interval
    notes: Notes


def speedups(tables: Tables) -> Iterator[Judgement]:
    """Each stated throughput ratio between two accelerators against the official ratios of its round.

    A claim of `up to` is held against the highest official ratio, one without a benchmark against the mean over all.
    Where it holds in one scenario, on the part of another power limit or with a caveat only, it is conditional. A
    round without results of either part leaves it unverifiable, with the ratio of a round at hand beside it.
    """
    stated = [claim for claim in tables.stated(*RATIOS) if _is_ratio(claim)]
    rows = tables.official[tables.official["round"].isin({claim["round"] for claim in stated})]
    official = _pairs(rows, tables.benchmarks, {claim["baseline_accelerator"] for claim in stated})
    for claim in stated:
        yield _against(claim, official, tables.record)


def over_time(tables: Tables) -> Iterator[Judgement]:
    """Ratios of one accelerator between two rounds: later over earlier, where both rounds are at hand."""
    for claim in tables.stated("throughput_ratio"):
        one = claim["baseline_accelerator"] == claim["subject_accelerator"] != ""
        if one and claim["baseline_round"] not in ("", claim["round"]):
            yield _between_rounds(claim, tables)


def _is_ratio(claim: Row) -> bool:
    """Whether a claim is of the speeds of two parts in a round; a break-even of prices alone names no benchmark."""
    sides = {claim["subject_accelerator"], claim["baseline_accelerator"]} - {""}
    priced = claim["quantity"] == "break_even_throughput_ratio"
    return len(sides) == 2 and claim["round"] != "" and bool(claim["benchmark"] or not priced)


def _pairs(official: pd.DataFrame, benchmarks: pd.DataFrame, baselines: set[str]) -> dict[str, list[Pair]]:
    """By baseline every ratio over it, round by round, each within one benchmark, scenario and division."""
    ratios = defaultdict(list)
    for (name, benchmark), rows in official.groupby(["round", "benchmark"], sort=False):
        if baselines.isdisjoint(rows["accelerator"]):
            continue
        asked = [Question(benchmark, scenario, ("official",), (name,)) for scenario in SCENARIOS]
        data = gate.record(rows, benchmarks)
        chosen = pd.concat([gate.select(data, question).rows for question in asked])
        for row in speedup.pairs(chosen, sorted(baselines & set(chosen["accelerator"]))).to_dict("records"):
            if row["accelerator"] != row["baseline"]:
                # What the record leaves unstated is no condition under which a claim would hold.
                own = frozenset(note for note in row["notes"] if note.kind.scope is not Scope.BACKGROUND)
                about = row["accelerator"], benchmark, row["scenario"], name
                ratios[row["baseline"]].append(Pair(*about, interval.of(row, "speedup"), own))
    return ratios


def _about(claim: Row, official: Mapping[str, list[Pair]], accelerators: Iterable[str]) -> list[Pair]:
    names = set(accelerators)
    return [
        pair
        for pair in official.get(claim["baseline_accelerator"], ())
        if pair.accelerator in names
        and pair.benchmark in (claim["benchmark"] or pair.benchmark)
        and pair.scenario in (claim["scenario"] or pair.scenario)
    ]


def _against(claim: Row, official: Mapping[str, list[Pair]], record: Record) -> Judgement:
    printed, subject = interval.of(claim), claim["subject_accelerator"]
    every = _about(claim, official, [subject])
    own = [pair for pair in every if pair.round == claim["round"]]
    if not own:
        return _not_at_hand(claim, every, record)
    if not printed.known:
        return _judgement(claim, Verdict.UNVERIFIABLE, _hull(own), own, "No number is printed to hold against it")
    siblings = _about(claim, official, record.siblings(subject))
    siblings = [pair for pair in siblings if pair.round == claim["round"]]
    outcome, behind, condition = _best(claim, printed, own, siblings)
    if claim["baseline_round"] != claim["round"]:
        baseline = claim["baseline_accelerator"]
        if outcome not in (*AGREES, Verdict.CONDITIONAL):
            missing = f"The round of the {baseline} is not stated, and it is not so within {claim['round']}"
            return _judgement(claim, Verdict.UNVERIFIABLE, _hull(own), own, missing)
        outcome = Verdict.CONDITIONAL
        condition = "; ".join(filter(None, [f"with the {baseline} of the same round", condition]))
    words = f"Holds only {condition}" if condition else ""
    return _judgement(claim, outcome, _hull(behind), behind, words)


def _best(claim: Row, printed: Interval, own: list[Pair], siblings: list[Pair]) -> tuple[Verdict, list[Pair], str]:
    """The verdict, the official ratios behind it, and the condition under which alone they bear the claim out."""
    if not claim["benchmark"] and not claim["bound"]:
        return _mean(printed, own)
    meets = [pair for pair in _counting(claim, own) if _holds(claim, printed, pair)]
    if meets:
        clean = [pair for pair in meets if not pair.notes]
        warned = union(pair.notes for pair in clean or meets)
        others = [pair for pair in own if not _holds(claim, printed, pair)] if not claim["bound"] else []
        where = _in_scenario(meets) if others else ""
        condition = ", ".join(filter(None, [where, f"with a caveat: {worded(warned)}" if warned else ""]))
        exact = verdict.best(verdict.compare(printed, pair.ends, claim["range_basis"]) for pair in meets)
        within = exact if exact in AGREES else Verdict.WITHIN_ROUNDING
        return (Verdict.CONDITIONAL if condition else within), meets, condition
    other = [pair for pair in _counting(claim, siblings) if _holds(claim, printed, pair)]
    if other:
        condition = f"for the {other[0].accelerator}, {_in_scenario(other)}"
        return Verdict.CONDITIONAL, other, condition
    return verdict.compare(printed, _hull(_counting(claim, own))), own, ""


def _counting(claim: Row, pairs: list[Pair]) -> list[Pair]:
    """The highest ratio alone for a claim of `up to` on speed, all of them otherwise."""
    if claim["bound"] != "at_most" or claim["quantity"] != "throughput_ratio" or not pairs:
        return pairs
    return [max(pairs, key=lambda pair: pair.ends.high)]


def _holds(claim: Row, printed: Interval, pair: Pair) -> bool:
    return verdict.compare(printed, pair.ends, claim["range_basis"]) in AGREES


def _mean(printed: Interval, own: list[Pair]) -> tuple[Verdict, list[Pair], str]:
    """A claim over several benchmarks: its mean counts, and the single ratios are its condition."""
    ways = {"all scenarios": own} | {name: [p for p in own if p.scenario == name] for name in SCENARIOS}
    means = [_average(pairs) for pairs in ways.values() if pairs]
    span, single = verdict.hull(means), _hull(own)
    count = len({pair.benchmark for pair in own})
    condition = (
        f"as a mean over {count} benchmarks, which is {span.text()}; the single ratios go from "
        f"{interval.number(single.low)} to {interval.number(single.high)}"
    )
    outcome = verdict.compare(printed, span)
    return (Verdict.CONDITIONAL, own, condition) if outcome in AGREES else (outcome, own, "")


def _average(pairs: list[Pair]) -> Interval:
    """The arithmetic mean of ratios, each benchmark and scenario once."""
    return Interval(sum(p.ends.low for p in pairs) / len(pairs), sum(p.ends.high for p in pairs) / len(pairs))


def _not_at_hand(claim: Row, every: list[Pair], record: Record) -> Judgement:
    """No official basis where the round has results of one of the parts and lacks the other, else unverifiable."""
    sides = claim["subject_accelerator"], claim["baseline_accelerator"]
    what = " ".join(filter(None, [claim["benchmark"], claim["scenario"]])) or "any benchmark"
    missing = f"No official {claim['round']} results of {what} on both {' and '.join(sides)} are at hand"
    if claim["round"] in record.rounds(claim["benchmark"], sides):
        return _judgement(claim, Verdict.NO_OFFICIAL_BASIS, NOTHING, every, missing)
    return _judgement(claim, Verdict.UNVERIFIABLE, _hull(every), every, missing)


def _between_rounds(claim: Row, tables: Tables) -> Judgement:
    (earlier, later), part = (claim["baseline_round"], claim["round"]), claim["subject_accelerator"]
    own = tables.official[tables.official["accelerator"].eq(part) & tables.official["round"].isin([earlier, later])]
    own = own[own["benchmark"].eq(claim["benchmark"])] if claim["benchmark"] else own
    both = own.groupby(["benchmark", "scenario"])["round"].transform("nunique").eq(2)
    ratios = []
    for (name, scenario), rows in own[both].groupby(["benchmark", "scenario"]):
        if scenario in (claim["scenario"] or scenario) and scenario in SCENARIOS:
            data = gate.record(rows, tables.benchmarks)
            chosen = gate.select(data, Question(name, scenario, ("official",), (earlier, later))).rows
            pairs = speedup.by_round(chosen, earlier, later).to_dict("records")
            ratios += [interval.of(row, "speedup") for row in pairs]
    expected = verdict.hull(ratios)
    words = f"No official results of {part} in both {earlier} and {later} are at hand."
    if expected.known:
        expected = max(ratios, key=lambda ratio: ratio.high) if claim["bound"] == "at_most" else expected
        words = f"{part} in {later} over {earlier}: {expected.text()} times."
    return Judgement.on(claim, CHECK, expected, f"official {part}, {later} over {earlier}", words)


def _judgement(claim: Row, outcome: Verdict, expected: Interval, behind: list[Pair], words: str) -> Judgement:
    baseline = claim["baseline_accelerator"]
    words = "; ".join(filter(None, [words, *_spans(behind, baseline)]))
    rounds = "".join(f", {name}" for name in sorted({pair.round for pair in behind}))
    reference = f"official {claim['subject_accelerator']} over {baseline}{rounds}"
    return Judgement.on(claim, CHECK, expected, reference, f"{words[0].upper()}{words[1:]}.", verdict=outcome)


def _spans(pairs: list[Pair], baseline: str) -> Iterator[str]:
    """The official ratios in words, one part per round."""
    for name in sorted({pair.round for pair in pairs}):
        own = [pair for pair in pairs if pair.round == name]
        where = sorted({pair.benchmark for pair in own})
        scenarios = " and ".join(sorted({pair.scenario for pair in own}))
        what = where[0] if len(where) == 1 else f"{len(where)} benchmarks"
        part = " and ".join(sorted({pair.accelerator for pair in own}))
        yield f"official {name} {part} over {baseline} on {what} {scenarios} is {_hull(own).text()}"


def _in_scenario(pairs: list[Pair]) -> str:
    return f"in {' and '.join(sorted({pair.scenario for pair in pairs}))}"


def _hull(pairs: Iterable[Pair]) -> Interval:
    return verdict.hull(pair.ends for pair in pairs)
