"""Stated speedups against the official record: confirmed, only under a condition, contradicted, or not checkable.

What a ratio is computed from is decided by comparable.py and computed by speedup.py; ranks and other claims are in
ranks.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pandas as pd

from analysis.audit import verdict
from analysis.audit.lookup import Record, Row, plain
from analysis.audit.verdict import AGREES, NOTHING, row
from analysis.compare import caveats, gate
from analysis.compare.gate import Question
from analysis.core import interval
from analysis.core.interval import Interval
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
    caveat: str


def speedups(
    claims: pd.DataFrame, results: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame
) -> pd.DataFrame:
    """Each stated throughput ratio between two accelerators against the official ratios of its round.

    A claim of `up to` is held against the highest official ratio, one without a benchmark against the mean over all.
    Where it holds in one scenario, on the part of another power limit or with a caveat only, it is conditional. Rounds
    that are not at hand leave it unverifiable, with the ratio of a round at hand beside it.
    """
    record = Record(results, benchmarks, accelerators)
    stated = [claim for claim in plain(claims[claims["duplicate_of"].eq("")]) if _is_ratio(claim)]
    wanted = {claim["baseline_accelerator"] for claim in stated}
    rounds = {claim["round"] for claim in stated}
    official = _pairs(results[results["origin"].eq("official") & results["round"].isin(rounds)], benchmarks, wanted)
    return verdict.frame(_judged(claim, official, record) for claim in stated)


def over_time(claims: pd.DataFrame, results: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Ratios of one accelerator between two rounds: later over earlier, where both rounds are at hand."""
    stated = claims[claims["quantity"].eq("throughput_ratio") & claims["duplicate_of"].eq("")]
    stated = stated[stated["subject_accelerator"].ne("") & stated["baseline_round"].ne(stated["round"])]
    stated = stated[stated["subject_accelerator"].eq(stated["baseline_accelerator"]) & stated["baseline_round"].ne("")]
    return verdict.frame(_between_rounds(claim, results, benchmarks) for claim in plain(stated))


def _is_ratio(claim: Row) -> bool:
    sides = claim["subject_accelerator"], claim["baseline_accelerator"]
    priced = claim["quantity"] == "break_even_throughput_ratio" and not claim["benchmark"]
    return claim["quantity"] in RATIOS and not priced and all(sides) and sides[0] != sides[1] and bool(claim["round"])


def _pairs(official: pd.DataFrame, benchmarks: pd.DataFrame, baselines: Iterable[str]) -> list[tuple[str, Pair]]:
    """Every ratio over the baselines, round by round, each within one benchmark, scenario and division."""
    found = []
    for (name, benchmark), rows in official.groupby(["round", "benchmark"], sort=False):
        asked = [Question(benchmark, scenario, ("official",), (name,)) for scenario in SCENARIOS]
        chosen = pd.concat([gate.select(rows, benchmarks, each).rows for each in asked])
        for each in speedup.pairs(chosen, sorted(baselines)).to_dict("records"):
            if each["accelerator"] != each["baseline"]:
                ends = Interval(float(each["speedup_low"]), float(each["speedup_high"]))
                # What the record leaves unstated is no condition under which a claim would hold.
                said = "; ".join(part for part in each["caveat"].split("; ") if part not in caveats.OF_DOCUMENTS)
                own = (each["accelerator"], benchmark, each["scenario"], name, ends, said)
                found.append((each["baseline"], Pair(*own)))
    return found


def _about(claim: Row, official: Iterable, accelerators: Iterable[str]) -> list[Pair]:
    names = set(accelerators)
    return [
        pair
        for baseline, pair in official
        if baseline == claim["baseline_accelerator"]
        and pair.accelerator in names
        and pair.benchmark in (claim["benchmark"] or pair.benchmark)
        and pair.scenario in (claim["scenario"] or pair.scenario)
    ]


def _judged(claim: Row, official: list[tuple[str, Pair]], record: Record) -> Row:
    printed, subject = Interval(claim["low"], claim["high"]), claim["subject_accelerator"]
    every = _about(claim, official, [subject])
    own = [pair for pair in every if pair.round == claim["round"]]
    if not own:
        return _not_at_hand(claim, printed, every, record)
    if not printed.known:
        return _row(claim, "unverifiable", printed, _hull(own), own, "No number is printed to hold against it")
    siblings = _about(claim, official, record.siblings(subject))
    siblings = [pair for pair in siblings if pair.round == claim["round"]]
    found, behind, condition = _best(claim, printed, own, siblings)
    if claim["baseline_round"] != claim["round"]:
        baseline = claim["baseline_accelerator"]
        if found not in (*AGREES, "conditional"):
            missing = f"The round of the {baseline} is not stated, and it is not so within {claim['round']}"
            return _row(claim, "unverifiable", printed, _hull(own), own, missing)
        found, condition = "conditional", "; ".join(filter(None, [f"with the {baseline} of the same round", condition]))
    words = f"Holds only {condition}" if condition else ""
    return _row(claim, found, printed, _hull(behind), behind, words)


def _best(claim: Row, printed: Interval, own: list[Pair], siblings: list[Pair]) -> tuple[str, list[Pair], str]:
    """The verdict, the official ratios behind it, and the condition under which alone they bear the claim out."""
    if not claim["benchmark"] and not claim["bound"]:
        return _mean(printed, own)
    meets = [pair for pair in _counting(claim, own) if _holds(claim, printed, pair)]
    if meets:
        clean = [pair for pair in meets if not pair.caveat]
        said = dict.fromkeys(part for pair in clean or meets for part in pair.caveat.split("; ") if part)
        others = [pair for pair in own if not _holds(claim, printed, pair)] if not claim["bound"] else []
        where = _in_scenario(meets) if others else ""
        condition = ", ".join(filter(None, [where, f"with a caveat: {'; '.join(said)}" if said else ""]))
        exact = verdict.best(verdict.compare(printed, pair.ends, claim["range_basis"]) for pair in meets)
        within = exact if exact in AGREES else "within_rounding"
        return ("conditional" if condition else within), meets, condition
    other = [pair for pair in _counting(claim, siblings) if _holds(claim, printed, pair)]
    if other:
        condition = f"for the {other[0].accelerator}, {_in_scenario(other)}"
        return "conditional", other, condition
    return verdict.compare(printed, _hull(_counting(claim, own))), own, ""


def _counting(claim: Row, pairs: list[Pair]) -> list[Pair]:
    """The highest ratio alone for a claim of `up to` on speed, all of them otherwise."""
    if claim["bound"] != "at_most" or claim["quantity"] != "throughput_ratio" or not pairs:
        return pairs
    return [max(pairs, key=lambda pair: pair.ends.high)]


def _holds(claim: Row, printed: Interval, pair: Pair) -> bool:
    return verdict.compare(printed, pair.ends, claim["range_basis"]) in AGREES


def _mean(printed: Interval, own: list[Pair]) -> tuple[str, list[Pair], str]:
    """A claim over several benchmarks: its mean counts, and the single ratios are its condition."""
    ways = {"all scenarios": own} | {name: [p for p in own if p.scenario == name] for name in SCENARIOS}
    means = [_average(pairs) for pairs in ways.values() if pairs]
    span, each = verdict.hull(means), _hull(own)
    count = len({pair.benchmark for pair in own})
    condition = (
        f"as a mean over {count} benchmarks, which is {interval.text(span.low, span.high)}; the single ratios go from "
        f"{interval.text(each.low, each.low)} to {interval.text(each.high, each.high)}"
    )
    found = verdict.compare(printed, span)
    return ("conditional", own, condition) if found in AGREES else (found, own, "")


def _average(pairs: list[Pair]) -> Interval:
    """The arithmetic mean of ratios, each benchmark and scenario once."""
    return Interval(sum(p.ends.low for p in pairs) / len(pairs), sum(p.ends.high for p in pairs) / len(pairs))


def _not_at_hand(claim: Row, printed: Interval, every: list[Pair], record: Record) -> Row:
    """Unverifiable where the round is not at hand; no official basis where it is and lacks one of the parts."""
    names = [claim["benchmark"]] if claim["benchmark"] else list({key[0] for key in record.groups})
    at_hand = any(claim["round"] in record.rounds(name) for name in names)
    sides = f"{claim['subject_accelerator']} and {claim['baseline_accelerator']}"
    what = " ".join(filter(None, [claim["benchmark"], claim["scenario"]])) or "any benchmark"
    missing = f"No official {claim['round']} results of {what} on both {sides} are at hand"
    if at_hand and claim["round"] not in ("v3.1", "v4.0"):
        return _row(claim, "no_official_basis", printed, NOTHING, every, missing)
    return _row(claim, "unverifiable", printed, _hull(every), every, missing)


def _between_rounds(claim: Row, results: pd.DataFrame, benchmarks: pd.DataFrame) -> Row:
    rounds, part = (claim["baseline_round"], claim["round"]), claim["subject_accelerator"]
    own = results[results["origin"].eq("official") & results["accelerator"].eq(part) & results["round"].isin(rounds)]
    own = own[own["benchmark"].eq(claim["benchmark"])] if claim["benchmark"] else own
    both = own.groupby(["benchmark", "scenario"])["round"].transform("nunique").eq(2)
    printed, ratios = Interval(claim["low"], claim["high"]), []
    for (name, scenario), rows in own[both].groupby(["benchmark", "scenario"]):
        if scenario in (claim["scenario"] or scenario) and scenario in SCENARIOS:
            chosen = gate.select(rows, benchmarks, Question(name, scenario, ("official",), rounds)).rows
            ratios += [Interval(r.speedup_low, r.speedup_high) for r in speedup.by_round(chosen, *rounds).itertuples()]
    expected = verdict.hull(ratios)
    said = f"No official results of {part} in both {rounds[0]} and {rounds[1]} are at hand"
    if expected.known:
        high = max(ratios, key=lambda each: each.high)
        expected = high if claim["bound"] == "at_most" else expected
        said = f"{part} in {rounds[1]} over {rounds[0]}: {interval.text(expected.low, expected.high)} times"
    found = verdict.compare(printed, expected, claim["range_basis"])
    reference = f"official {part}, {rounds[1]} over {rounds[0]}"
    return row(claim, "claims", CHECK, found, printed, expected, "ratio", reference, f"{said}.")


def _row(claim: Row, found: str, printed: Interval, expected: Interval, behind: list[Pair], words: str) -> Row:
    sides = f"{claim['subject_accelerator']} over {claim['baseline_accelerator']}"
    said = "; ".join(filter(None, [words, *_spans(behind, sides)]))
    said = said[0].upper() + said[1:]
    reference = f"official {sides}" + (f", {', '.join(sorted({pair.round for pair in behind}))}" if behind else "")
    return row(claim, "claims", CHECK, found, printed, expected, "ratio", reference, f"{said}.")


def _spans(pairs: list[Pair], sides: str) -> Iterator[str]:
    """The official ratios in words, one part per round."""
    for name in sorted({pair.round for pair in pairs}):
        each = [pair for pair in pairs if pair.round == name]
        ends = _hull(each)
        where = sorted({pair.benchmark for pair in each})
        scenarios = " and ".join(sorted({pair.scenario for pair in each}))
        what = where[0] if len(where) == 1 else f"{len(where)} benchmarks"
        part = " and ".join(sorted({pair.accelerator for pair in each}))
        baseline = sides.partition(" over ")[2]
        yield f"official {name} {part} over {baseline} on {what} {scenarios} is {interval.text(ends.low, ends.high)}"


def _in_scenario(pairs: list[Pair]) -> str:
    return f"in {' and '.join(sorted({pair.scenario for pair in pairs}))}"


def _hull(pairs: Iterable[Pair]) -> Interval:
    return verdict.hull(pair.ends for pair in pairs)
