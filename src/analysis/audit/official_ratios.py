"""Official ratios of two sides that a claim names: accelerators, systems, submitters, numbers of nodes, rounds.

A side takes the closed results that fit everything the claim says of it, and nothing else: where it names a submitter
or a system, nobody else's results count. Rates are per accelerator, but those of systems and nodes are of the whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes, note, union
from analysis._core.plain_values import grouped
from analysis._core.vocabulary import MILLISECONDS, SAMPLES, STREAMS, TOKENS, filed_under
from analysis.audit.lookup import Record, rate
from analysis.audit.verdict import Row

SCENARIOS = {"datacenter": ("Offline", "Server"), "edge": ("Offline", *STREAMS)}
SHARE = "share_of_best"  # the quantity of a claim about one submitter against the best of all others


class Ratio(NamedTuple):
    """An official ratio: of which part, benchmark, scenario and target, its range, and what to say with it."""

    accelerator: str
    benchmark: str
    scenario: str
    target: str
    ends: Interval
    notes: Notes


def claimed(claim: Row, record: Record, subject: str = "") -> list[Ratio]:
    """The official ratios that a claim is about, one for each benchmark, scenario and accuracy target of both sides.

    `subject` is an accelerator to be put in place of the claim's. A claim of `up to` is about the best of each side,
    one of a share of the best about the submitter's and the best of all others. Any other is about all that fit it: its
    ratio goes from the lowest over the highest to the highest over the lowest. Targets that are usually one run
    submitted twice are not distinguished.
    """
    accelerator, suite = subject or claim["subject_accelerator"], claim["suite"] or "datacenter"
    over = _side(claim, "", accelerator, claim["round"], suite, record)
    under = _side(claim, "baseline_", claim["baseline_accelerator"], claim["baseline_round"], suite, record)
    whole, best = bool(claim["system"] or claim["nodes"] > 0), claim["bound"] == "at_most" or claim["quantity"] == SHARE
    ratios = []
    for key in sorted(over.keys() & under.keys()):
        sides = over[key], under[key]
        sizes = [sides] if whole else _by_size(claim["accelerator_count"], best, *sides)
        ends = interval.envelope(_ratio(*pair, whole, best) for pair in sizes)
        if ends.known:
            ratios.append(Ratio(accelerator, *key, ends, union(_notes(*pair, whole) for pair in sizes)))
    return ratios


def pairs(over: Iterable[Row], under: Iterable[Row], alike: Sequence[str]) -> Iterator[Interval]:
    """The ratio of every two results that agree in `alike`, in their common unit and of whole systems."""
    candidates = grouped(under, alike)
    for row_over in over:
        for row_under in candidates.get(tuple(row_over[name] for name in alike), ()):
            ends = _ratio([row_over], [row_under], True, False)
            if ends.known:
                yield ends


def _side(
    claim: Row, side: str, accelerator: str, round: str, suite: str, record: Record
) -> dict[tuple[str, str, str], list[Row]]:
    """The results of one side, see Record.by_run."""
    scenarios = scenarios_of(claim, suite)
    system, nodes = claim[f"{side}system"], claim[f"{side}nodes"]
    size = claim["accelerator_count"] if system and not side else math.nan
    return record.by_run(
        row
        for row in record.of_round(round or claim["round"], [accelerator])
        if row["scenario"] in scenarios
        and suite in filed_under(row["suite"])
        and claim["benchmark"] in ("", row["benchmark"])
        and _filed(claim, side, row["submitter"])
        and system in row["system"]
        and not (nodes > 0 and row["nodes"] != nodes)
        and not (size > 0 and row["accelerator_count"] != size)
    )


def scenarios_of(claim: Row, suite: str = "datacenter") -> tuple[str, ...]:
    """The scenario that a claim names, or else every one of its suite."""
    return (claim["scenario"],) if claim["scenario"] else SCENARIOS[suite]


def _filed(claim: Row, side: str, submitter: str) -> bool:
    """Whether a submitter's results are of that side of a claim."""
    if side and claim["quantity"] == SHARE:
        return submitter != claim["submitter"]
    return claim["submitter"] in ("", submitter)


def _by_size(stated: float, best: bool, over: list[Row], under: list[Row]) -> list[tuple[list[Row], list[Row]]]:
    """The results of each size that both sides have, or of the stated one; all together where they share none.

    For the `best` of both sides the sizes stay together.
    """
    sizes = [{row["accelerator_count"] for row in rows} for rows in (over, under)]
    common = sizes[0] & sizes[1] & {stated} or sizes[0] & sizes[1] or sizes[0] | sizes[1]
    groups = [common] if best or not sizes[0] & sizes[1] else [{size} for size in sorted(common)]
    return [
        tuple([row for row in rows if row["accelerator_count"] in sizes_compared] for rows in (over, under))
        for sizes_compared in groups
    ]


def _ratio(over: list[Row], under: list[Row], whole: bool, best: bool) -> Interval:
    """The range of the rates above over those below, or of the best alone; latencies the other way round."""
    every = [*over, *under]
    if every[0]["unit"] == MILLISECONDS:
        tops, bottoms = ([Interval(row["low"], row["high"]) for row in rows] for rows in (under, over))
        if best:
            tops, bottoms = [min(tops, key=_low)], [min(bottoms, key=_low)]
        return interval.envelope(tops) / interval.envelope(bottoms)
    unit = TOKENS if all(row["unit"] == TOKENS for row in every) else SAMPLES
    rates = ([rate(row, unit, not whole) for row in rows] for rows in (over, under))
    tops, bottoms = ([rate_of_result for rate_of_result in side if rate_of_result.known] for side in rates)
    if best and tops and bottoms:
        tops, bottoms = [max(tops, key=_low)], [max(bottoms, key=_low)]
    return interval.envelope(tops) / interval.envelope(bottoms)


def _low(ends: Interval) -> float:
    return ends.low


def _notes(over: list[Row], under: list[Row], whole: bool) -> Notes:
    """What a ratio of these results must still say."""
    every = [*over, *under]
    previews = sorted({row["round"] for row in every if row["availability"] == "preview"})
    notes = frozenset(note("preview", round=name) for name in previews)
    notes |= {note("inferred")} if any(row["inferred"] for row in every) else NONE
    sizes = [sorted({row["accelerator_count"] for row in rows}) for rows in (over, under)]
    if whole or sizes[0] == sizes[1]:
        return notes
    words = ["/".join(f"{size:.0f}x" for size in side) for side in sizes]
    return notes | {note("different_sizes", sizes=words[0], other_sizes=words[1])}
