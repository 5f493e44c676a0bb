"""A speedup over a baseline that a round lacks: through accelerators that it shares with a round that has it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from analysis.core.interval import Interval
from analysis.core.notes import note
from analysis.core.vocabulary import round_age
from analysis.themes.alike import Records, Row, alike, by_system, cells_of, hull, lone, own_notes, ratio

Sides = dict[str, Records]  # rows by accelerator, of one round
FEW = 3  # bridges that a note names; of more it says how many


class _Way(NamedTuple):
    """One way over the bridge: the accelerator, its submitter ("" for any two), how many of its ratios mix sizes."""

    bridge: str
    submitter: str
    mixed: int
    baseline: Records  # its systems, the fastest first
    ratio: Interval


def bridged(rounds: dict[str, Sides], round: str, accelerator: str, baseline: str) -> Row | None:
    """How `accelerator`, in a round that lacks the baseline, compares with it through another round; None if no way.

    In the newest round that has the baseline and an accelerator X in common with `round`, speedup = accelerator / X x
    X' / baseline, rates per accelerator: the first ratio within `round`, the second (') within the other, so that what
    software made of X between the two stands in neither. Both are of systems that are alike (alike.alike), of the
    accelerator and of the baseline the fastest. X and X' are of one submitter if any X allows it, and the sizes in each
    ratio one as far as two X allow it. The range is that of all such ways: all X, all their systems. It says how far
    the answer depends on the bridge, for software need not have done to the baseline what it did to X.

    The cells are those of alike.compared without pairs, `through` (the other round) and `bridges` (the accelerators X,
    sorted); `spread` is that of the like systems, from the slowest by the lowest way to the fastest by the highest.
    """
    sides = rounds.get(round, {})
    if accelerator not in sides:  # The record is compared in another accuracy target than what was asked for.
        return None
    for other_round in sorted(rounds, key=round_age, reverse=True):
        other_sides = rounds[other_round]
        shared = sorted(set(sides) & set(other_sides) - {baseline})
        if baseline in other_sides and shared:
            like, _ = alike(sides[accelerator], [row for bridge in shared for row in sides[bridge]])
            systems = by_system(like)
            ways = [way for bridge in shared for way in _ways(systems, sides, other_sides, baseline, bridge)]
            return _cells(sides[accelerator], systems, _best(ways))
    return None


def _ways(systems: Records, sides: Sides, other_sides: Sides, baseline: str, bridge: str) -> Iterator[_Way]:
    """The ways over one bridge: of each submitter that has it in both rounds, and of any two systems."""
    submitters = {row["submitter"] for row in sides[bridge]} & {row["submitter"] for row in other_sides[bridge]} - {""}
    for submitter in ["", *sorted(submitters)]:
        bridge_rows, other_rows = (
            [row for row in side[bridge] if submitter in ("", row["submitter"])] for side in (sides, other_sides)
        )
        _, bridge_rows = alike(systems, bridge_rows)
        other_rows, base = alike(other_rows, other_sides[baseline])
        base_systems = by_system(base)
        best, base_best = systems[0], base_systems[0]
        for bridge_row, other_row in product(_ends(bridge_rows), _ends(other_rows)):
            mixed = _sizes_differ(best, bridge_row) + _sizes_differ(other_row, base_best)
            over = ratio(best, bridge_row) * ratio(other_row, base_best)
            yield _Way(bridge, submitter, mixed, base_systems, over)


def _ends(rows: Records) -> Records:
    """The fastest and the slowest system, between which the others lie."""
    systems = by_system(rows)
    return [systems[0], systems[-1]]


def _best(ways: list[_Way]) -> list[_Way]:
    """Those of one submitter where there are any; of them those that mix sizes least, unless one bridge alone has them.

    Over one bridge alone nothing would tell how far the answer depends on it.
    """
    alone = [way for way in ways if way.submitter] or ways
    least = min(way.mixed for way in alone)
    alike_most = [way for way in alone if way.mixed == least]
    return alike_most if len({way.bridge for way in alike_most}) > 1 else alone


def _cells(part: Records, systems: Records, ways: list[_Way]) -> Row:
    base_systems = by_system([row for way in ways for row in way.baseline])
    best, base = systems[0], base_systems[0]
    speedup = hull(way.ratio for way in ways)
    bridges = sorted({way.bridge for way in ways})
    submitters = sorted({way.submitter for way in ways} - {""})
    bridge_words = {
        "bridge": ", ".join(bridges) if len(bridges) <= FEW else f"{len(bridges)} accelerators",
        "rounds": f"{best['round']} and {base['round']}",
        "submitter": submitters[0] if len(submitters) == 1 else "one submitter each" if submitters else "any submitter",
    }
    return {
        "speedup_low": speedup.low,
        "speedup_high": speedup.high,
        "spread_low": speedup.low * ratio(systems[-1], best).low,
        "spread_high": speedup.high,
        "systems": len(systems),
        "of_systems": len(by_system(part)),
        "pairs_low": float("nan"),
        "pairs_high": float("nan"),
        "pairs": 0,
        **cells_of(best, base),
        "notes": own_notes(best, base) | {note("bridged", **bridge_words)} | lone(systems, base_systems),
        "through": base["round"],
        "bridges": tuple(bridges),
    }


def _sizes_differ(row: Row, other_row: Row) -> bool:
    return row["accelerator_count"] != other_row["accelerator_count"]
