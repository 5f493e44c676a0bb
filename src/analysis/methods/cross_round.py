"""Cross-round estimates: a speedup over a baseline that a round lacks, linked by accelerators of both rounds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._core.notes import note
from analysis._core.plain_values import Row
from analysis._core.vocabulary import round_age
from analysis.methods.matched_systems import (
    Records,
    alike,
    by_system,
    cells_of,
    lone,
    matched,
    own_notes,
    ratio,
    tokens_apart,
)

Sides = dict[str, Records]  # rows by accelerator, of one round
FEW = 3  # links that a note names; of more it says how many


class _Way(NamedTuple):
    """One estimate: the linking accelerator, its submitter ("" for any two), how many of its ratios mix sizes."""

    link: str
    submitter: str
    mixed: int
    baseline: Records  # its systems, the fastest first
    ratio: Interval


def cross_round(rounds: dict[str, Sides], round: str, accelerator: str, baseline: str) -> Row | None:
    """Return the speedup of `accelerator` in a round without the baseline, estimated via another; None if impossible.

    In the newest round with the baseline and an accelerator X of `round`: speedup = accelerator / X x X' / baseline,
    throughput per accelerator, the first ratio within `round`, the second (') within the other, so that neither
    contains the software gain of X between the rounds. Both are of comparable systems (matched_systems.alike), of the
    accelerator and the baseline the fastest. X and X' are of one submitter if any X allows it, and each ratio is of one
    size where two X allow it. The range is that of all X and all their systems: how far the estimate depends on the
    link, since newer software may have sped up the baseline more or less than X.

    The columns are those of matched_systems.compared without pairs, `through` (the other round) and `links` (the
    accelerators X, sorted); `spread` is that of the comparable systems, the slowest by the lowest estimate to the
    fastest by the highest.
    """
    sides = rounds.get(round, {})
    if accelerator not in sides:  # The record has another accuracy target than asked for.
        return None
    for other_round in sorted(rounds, key=round_age, reverse=True):
        other_sides = rounds[other_round]
        shared = sorted(set(sides) & set(other_sides) - {baseline})
        if baseline in other_sides and shared:
            systems, _ = matched(sides[accelerator], [row for link in shared for row in sides[link]])
            ways = [way for link in shared for way in _ways(systems, sides, other_sides, baseline, link)]
            return _cells(sides[accelerator], systems, _best(ways))
    return None


def _ways(systems: Records, sides: Sides, other_sides: Sides, baseline: str, link: str) -> Iterator[_Way]:
    """The estimates by one link: of each submitter that has it in both rounds, and of any two systems."""
    submitters = {row["submitter"] for row in sides[link]} & {row["submitter"] for row in other_sides[link]} - {""}
    for submitter in ["", *sorted(submitters)]:
        link_rows, other_rows = (
            [row for row in side[link] if submitter in ("", row["submitter"])] for side in (sides, other_sides)
        )
        _, link_rows = alike(systems, link_rows)
        other_rows, base = alike(other_rows, other_sides[baseline])
        base_systems = by_system(base)
        best, base_best = systems[0], base_systems[0]
        for link_row, other_row in product(_ends(link_rows), _ends(other_rows)):
            pairs = ((best, link_row), (other_row, base_best))
            mixed = sum(row["accelerator_count"] != other["accelerator_count"] for row, other in pairs)
            over = ratio(best, link_row) * ratio(other_row, base_best)
            yield _Way(link, submitter, mixed, base_systems, over)


def _ends(rows: Records) -> Records:
    """The fastest and the slowest system, between which the others lie."""
    systems = by_system(rows)
    return [systems[0], systems[-1]]


def _best(ways: list[_Way]) -> list[_Way]:
    """Those of one submitter where there are any; of them those that mix sizes least, unless a single link has them.

    A single link would not show how far the estimate depends on it.
    """
    alone = [way for way in ways if way.submitter] or ways
    least = min(way.mixed for way in alone)
    alike_most = [way for way in alone if way.mixed == least]
    return alike_most if len({way.link for way in alike_most}) > 1 else alone


def _cells(part: Records, systems: Records, ways: list[_Way]) -> Row:
    base_systems = by_system([row for way in ways for row in way.baseline])
    best, base = systems[0], base_systems[0]
    speedup = interval.envelope(way.ratio for way in ways)
    links = sorted({way.link for way in ways})
    submitters = sorted({way.submitter for way in ways} - {""})
    link_words = {
        "bridge": ", ".join(links) if len(links) <= FEW else f"{len(links)} accelerators",
        "rounds": f"{best['round']} and {base['round']}",
        "submitter": submitters[0] if len(submitters) == 1 else "one submitter each" if submitters else "any submitter",
    }
    return {
        **speedup.columns("speedup"),
        "spread_low": speedup.low * ratio(systems[-1], best).low,
        "spread_high": speedup.high,
        "systems": len(systems),
        "of_systems": len(by_system(part)),
        **interval.UNKNOWN.columns("pairs"),
        "pairs": 0,
        **cells_of(best, base),
        "notes": own_notes(best, base)
        | {note("bridged", **link_words)}
        | lone(systems, base_systems)
        | tokens_apart(best, base, speedup),
        "through": base["round"],
        "links": tuple(links),
    }
