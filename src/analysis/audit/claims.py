"""Stated speedups against official results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analysis._core import interval
from analysis._core.findings import exactly
from analysis._core.interval import Interval
from analysis._core.notes import Notes, union, without, worded
from analysis.audit import official_ratios, verdict
from analysis.audit.frames import Tables
from analysis.audit.lookup import Record
from analysis.audit.official_ratios import Ratio
from analysis.audit.verdict import AGREES, HOLDS, Judgment, Row, Verdict

CHECK = "stated claim"
RATIOS = ("throughput_ratio", "scaling_ratio", "break_even_throughput_ratio", official_ratios.SHARE)


def speedups(tables: Tables) -> Iterator[Judgment]:
    """Check stated throughput ratios of a round against the official ratios of the two sides that they name.

    A claim of `up to` is held against the best of its benchmarks and scenarios, one without a benchmark against the
    mean over all, or where it states a range against each. Where it holds in a part of them, on the part of another
    power limit or with a caveat only, it is conditional. What complete results of its rounds lack contradicts it; what
    incomplete ones lack leaves it without an official result, or unverifiable where neither side has one.
    """
    for claim in tables.stated(*RATIOS):
        if _is_ratio(claim):
            yield _against(claim, tables.record)


def open_division(tables: Tables) -> Iterator[Judgment]:
    """What a document says that its publisher gained in the open division, over the same closed result of its own.

    Of several open results the nearest counts: a document does not say which of them it means.
    """
    publishers = dict(zip(tables.sources["id"], tables.sources["publisher"], strict=True))
    for quantized in tables.figures("quantization"):
        printed = interval.of(quantized)
        if quantized["division"] != "open" or not (quantized["round"] and printed.known):
            continue
        opened, closed = (
            [
                row for row in tables.record.of_round(quantized["round"], [quantized["accelerator"]], division)
                if row["submitter"] == publishers[quantized["source_id"]] and row["benchmark"] == quantized["benchmark"]
                and row["scenario"] in official_ratios.scenarios_of(quantized)
            ]
            for division in ("open", "closed")
        )  # fmt: skip
        gains = list(official_ratios.pairs(opened, closed, ("scenario", "accelerator_count")))
        if gains:
            nearest = verdict.best(verdict.compare(printed, gain) for gain in gains)
            agreeing = [gain for gain in gains if verdict.compare(printed, gain) is nearest]
            expected = interval.envelope(agreeing)
            words = f"Official {quantized['round']} results, open over closed, give {expected.text()} times"
            words += f", the nearest of {interval.envelope(gains).text()}." if len(gains) > 1 else "."
            reference = f"official {quantized['round']} {quantized['accelerator']}, open over closed"
            yield Judgment(quantized, CHECK, expected, reference, words, verdict=nearest)


def _is_ratio(claim: Row) -> bool:
    """Whether a claim is of two different sides; a break-even of prices alone names no benchmark."""
    named = claim["round"] and claim["subject_accelerator"] and claim["baseline_accelerator"]
    one_side = claim["subject_accelerator"] == claim["baseline_accelerator"]
    one_side &= claim["baseline_round"] in ("", claim["round"])
    one_side &= not (claim["baseline_system"] or claim["baseline_nodes"] > 0)
    one_side &= claim["quantity"] != official_ratios.SHARE
    priced = claim["quantity"] == "break_even_throughput_ratio"
    return bool(named and not one_side and (claim["benchmark"] or not priced))


def _against(claim: Row, record: Record) -> Judgment:
    printed, ratios = interval.of(claim), official_ratios.claimed(claim, record)
    if not ratios:
        return _not_at_hand(claim, record)
    if not printed.known:
        return _judgment(claim, Verdict.UNVERIFIABLE, ratios, "No number is printed to hold against it")
    siblings = [
        ratio for name in record.siblings(claim["subject_accelerator"])
        for ratio in official_ratios.claimed(claim, record, name)
    ]  # fmt: skip
    outcome, behind, condition = _best(claim, printed, ratios, siblings)
    if not claim["baseline_round"]:
        baseline = claim["baseline_accelerator"]
        if outcome not in (*AGREES, Verdict.CONDITIONAL):
            missing = f"The round of the {baseline} is not stated, and it is not so within {claim['round']}"
            return _judgment(claim, Verdict.UNVERIFIABLE, ratios, missing)
        outcome = Verdict.CONDITIONAL
        condition = "; ".join(filter(None, [f"with the {baseline} of the same round", condition]))
    lacking = "" if claim["benchmark"] else record.excluded({claim["round"], claim["baseline_round"]} - {""})
    return _judgment(claim, outcome, behind, f"Confirmed only {condition}" if condition else "", lacking)


def _best(
    claim: Row, printed: Interval, ratios: list[Ratio], siblings: list[Ratio]
) -> tuple[Verdict, list[Ratio], str]:
    """The verdict, the official ratios behind it, and the condition under which they confirm the claim."""
    if not (claim["benchmark"] or claim["bound"] or claim["range_basis"] == "range"):
        return _mean(printed, ratios)
    counting = _counting(claim, ratios)
    meets = [ratio for ratio in counting if _compared(claim, printed, ratio) in AGREES]
    if meets:
        clean = [ratio for ratio in meets if not _conditions(ratio)]
        warned = union(_conditions(ratio) for ratio in clean or meets)
        others = [ratio for ratio in counting if ratio not in meets]
        where = _places(meets, others) if others else ""
        condition = ", ".join(filter(None, [where, f"with a caveat: {worded(warned)}" if warned else ""]))
        exact = verdict.best(_compared(claim, printed, ratio) for ratio in meets)
        behind = ratios if others and not claim["benchmark"] else meets
        return (Verdict.CONDITIONAL if condition else exact), behind, condition
    nearest = min(counting, key=lambda ratio: verdict.factor(printed, ratio.ends))
    outcome = _compared(claim, printed, nearest)
    siblings = _counting(claim, siblings)
    for accepted in (AGREES, () if outcome in HOLDS else HOLDS):
        agreeing = [ratio for ratio in siblings if _compared(claim, printed, ratio) in accepted]
        if agreeing:
            scenarios = " and ".join(sorted({ratio.scenario for ratio in agreeing}))
            return Verdict.CONDITIONAL, agreeing, f"for the {agreeing[0].accelerator}, in {scenarios}"
    return outcome, [nearest], ""


def _conditions(ratio: Ratio) -> Notes:
    """What a claim would have to say; a preview system is as fast as it is."""
    return without(ratio.notes, "preview")


def _counting(claim: Row, ratios: list[Ratio]) -> list[Ratio]:
    """The highest ratio alone for a claim of `up to` on speed, all of them otherwise."""
    if claim["bound"] != "at_most" or claim["quantity"] == "break_even_throughput_ratio" or not ratios:
        return ratios
    return [max(ratios, key=lambda ratio: ratio.ends.high)]


def _compared(claim: Row, printed: Interval, ratio: Ratio) -> Verdict:
    """The verdict on one ratio; what lies above a claim of `at least` confirms it."""
    if claim["bound"] == "at_least" and ratio.ends.low >= printed.low:
        return Verdict.WITHIN_ROUNDING
    return verdict.compare(printed, ratio.ends, claim["range_basis"])


def _mean(printed: Interval, ratios: list[Ratio]) -> tuple[Verdict, list[Ratio], str]:
    """A claim over several benchmarks: its mean counts, and the single ratios are its condition."""
    scenarios = {ratio.scenario for ratio in ratios}
    ways = [ratios, *([ratio for ratio in ratios if ratio.scenario == name] for name in scenarios)]
    span, single = interval.envelope(_average(way) for way in ways), _hull(ratios)
    count = len({ratio.benchmark for ratio in ratios})
    condition = (
        f"as a mean over {count} benchmarks, which is {span.text()}; the single ratios go from "
        f"{interval.number(single.low)} to {interval.number(single.high)}"
    )
    outcome = verdict.compare(printed, span)
    return (Verdict.CONDITIONAL, ratios, condition) if outcome in AGREES else (outcome, ratios, "")


def _average(ratios: list[Ratio]) -> Interval:
    """The arithmetic mean of ratios."""
    return sum((ratio.ends for ratio in ratios), exactly(0.0)) / len(ratios)


def _not_at_hand(claim: Row, record: Record) -> Judgment:
    """Return the verdict where official results lack the two sides: contradicted if the rounds are complete."""
    sides = claim["subject_accelerator"], claim["baseline_accelerator"]
    rounds = list(dict.fromkeys([claim["round"], claim["baseline_round"] or claim["round"]]))
    run = " ".join(filter(None, [claim["benchmark"], claim["scenario"]])) or "any benchmark"
    accelerators = " and ".join(dict.fromkeys(sides))
    if record.whole.issuperset(rounds):
        words = f"The complete {' and '.join(rounds)} results contain no closed result of {run} on {accelerators}"
        return _judgment(claim, Verdict.CONTRADICTED, [], words)
    missing = f"No official {' and '.join(rounds)} results of {run} on {accelerators} to compare are in the data"
    rounds_known = set(rounds) <= set(record.rounds(claim["benchmark"], sides))
    return _judgment(claim, Verdict.NO_OFFICIAL_RESULT if rounds_known else Verdict.UNVERIFIABLE, [], missing)


def _judgment(claim: Row, outcome: Verdict, behind: list[Ratio], words: str, lacking: str = "") -> Judgment:
    accelerators = " and ".join(dict.fromkeys(ratio.accelerator for ratio in behind)) or claim["subject_accelerator"]
    rounds = [claim["round"], claim["baseline_round"] or claim["round"]]
    over = _side_named(claim, "", f"{rounds[0]} {accelerators}")
    share = claim["quantity"] == official_ratios.SHARE
    others = claim | {"submitter": "others"} if share else claim
    under = _side_named(others, "baseline_", claim["baseline_accelerator"])
    under += f" of {rounds[1]}" if rounds[1] != rounds[0] else ""
    expected = _hull(behind)
    if behind:
        names = list(dict.fromkeys(ratio.benchmark for ratio in behind))
        benchmarks = names[0] if len(names) == 1 else f"{len(names)} benchmarks"
        scenarios = " and ".join(dict.fromkeys(sorted(ratio.scenario for ratio in behind)))
        at_best = "at best " if claim["bound"] == "at_most" else ""
        is_so = f"official {over} over {under} on {benchmarks} {scenarios} is {at_best}{expected.text()}"
        previews = union(ratio.notes - _conditions(ratio) for ratio in behind)
        words = "; ".join(filter(None, [words, is_so, worded(previews)]))
    reference = f"official {over} over {under}"
    return Judgment(claim, CHECK, expected, reference, f"{words[0].upper()}{words[1:]}{lacking}.", verdict=outcome)


def _side_named(claim: Row, side: str, accelerators: str) -> str:
    """One side of a claim in words: so many nodes of a part of a submitter, and the system that is named."""
    nodes, system = claim[f"{side}nodes"], claim[f"{side}system"]
    words = f"{nodes:g} nodes of {accelerators}" if nodes > 0 else accelerators
    words += f" of {claim['submitter']}" if claim["submitter"] else ""
    return words + (f" ({system})" if system else "")


def _places(meets: list[Ratio], others: list[Ratio]) -> str:
    """Where a claim holds and where not: by scenario within one benchmark, else by benchmark with the ratios."""
    if len({ratio.benchmark for ratio in [*meets, *others]}) == 1:
        return f"in {' and '.join(sorted({ratio.scenario for ratio in meets}))}"
    where_it_holds, where_not = (", ".join(_each(ratios)) for ratios in (meets, others))
    return f"on {where_it_holds}; not on {where_not}"


def _each(ratios: list[Ratio]) -> Iterator[str]:
    for ratio in ratios:
        yield " ".join(filter(None, [ratio.benchmark, ratio.target, ratio.scenario, f"({ratio.ends.text(4)})"]))


def _hull(ratios: Iterable[Ratio]) -> Interval:
    return interval.envelope(ratio.ends for ratio in ratios)
