"""Which systems of two sides are alike, and how the two compare: best against best, all of one side, submitter pairs.

A side is the comparable rows (see compare.gate) of one accelerator in one round or document, as plain records.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import compress
from typing import Any

from analysis.core import interval, notes
from analysis.core.citation import several
from analysis.core.interval import Interval
from analysis.core.notes import NONE, Notes, note
from analysis.core.vocabulary import AVAILABILITIES, round_age
from analysis.themes.of_a_kind import SERVED, USUAL_SIZE

MEASURES = ["speedup_low", "speedup_high", "spread_low", "spread_high", "systems", "of_systems"]
MEASURES += ["pairs_low", "pairs_high", "pairs", "accelerator_count", "baseline_count"]
MEASURES += ["baseline_rate_low", "baseline_rate_high", "baseline_round"]
MEASURES += ["precision", "baseline_precision", "round", "rounds", "availability", "system", "submitter", "software"]
MEASURES += ["source_ids", "notes"]
READ = ["id", "system_key", "submitter", "availability", "hypervisor", "accelerator", "accelerator_count", "precision"]
READ += ["assumed", "unit", "source_id", "round", "origin", "notes", "system", "framework", "serving_software"]
READ += ["as_printed_low", "as_printed_high", "per_accelerator_low", "per_accelerator_high"]

Row = dict[str, Any]
Records = list[Row]  # of a handful of rows, plain numbers are quicker than a frame


def compared(part: Records, base: Records) -> Row:
    """How the best of `part` compares with the best of `base` among systems that are alike: a cell per MEASURES.

    `speedup`: the rate per accelerator of the fastest like system over that of the baseline's fastest, with the
    rounding of printed figures. `spread`: the best run of each like system of `part` over that same system of the
    baseline, slowest to fastest, so that only the part's own systems make it: `systems` of the `of_systems` it has.
    `pairs`: submitters that have both sides at one size, the usual one where they can; their own ratios are
    `pairs_low` to `pairs_high` (NaN where there is none). Counts and precisions are those of the two fastest systems,
    availability, system, submitter and software those of the part's, `baseline_rate` (per accelerator) and
    `baseline_round` the baseline's; `rounds` and `source_ids` are tuples.
    """
    like, base_like = alike(part, base)
    systems, base_systems = by_system(like), by_system(base_like)
    best, base_best = systems[0], base_systems[0]
    speedup = ratio(best, base_best)
    spread = hull(ratio(system, base_best) for system in systems)
    pairs = [ratio(row, base_row) for row, base_row in _pairs(part, base)]
    paired = hull(pairs)
    return {
        "speedup_low": speedup.low,
        "speedup_high": speedup.high,
        "spread_low": spread.low,
        "spread_high": spread.high,
        "systems": len(systems),
        "of_systems": len(by_system(part)),
        "pairs_low": paired.low,
        "pairs_high": paired.high,
        "pairs": len(pairs),
        **cells_of(best, base_best),
        "notes": _notes(best, base_best),
    }


def cells_of(best: Row, base_best: Row) -> Row:
    """The MEASURES that are said of two systems: of both, of the `best`, and the rate of the baseline's."""
    return {
        "availability": best["availability"],
        "system": best.get("system", ""),
        "submitter": best["submitter"],
        "software": software(best),
        "accelerator_count": best["accelerator_count"],
        "baseline_count": base_best["accelerator_count"],
        "baseline_rate_low": base_best["per_accelerator_low"],
        "baseline_rate_high": base_best["per_accelerator_high"],
        "baseline_round": base_best["round"],
        "precision": best["precision"],
        "baseline_precision": base_best["precision"],
        "round": best["round"],
        "rounds": tuple(sorted({best["round"], base_best["round"]} - {""}, key=round_age)),
        "source_ids": several([best["source_id"], base_best["source_id"]]),
    }


def software(row: Row) -> str:
    """What served the model, else the framework that the description names; "" where it is not known."""
    stated = (row.get(name) for name in SERVED)
    return next((text for text in stated if isinstance(text, str) and text), "")


def alike(part: Records, base: Records) -> tuple[Records, Records]:
    """The rows of both sides that compare like with like.

    Of one round where a document has several; on sale before preview, each side for itself, so that a preview hides
    nothing that is on sale; bare before virtualised; of the usual size where both have it, else of the largest that
    both have. Where both have no size in common, systems of all sizes are kept.
    """
    return _of_one_size(*_in_all_but_size(part, base))


def by_system(rows: Records) -> Records:
    """The fastest row of each system, the fastest system first. A document's figures are a system each."""
    best: dict[Hashable, Row] = {}
    for row in sorted(rows, key=_rate, reverse=True):
        best.setdefault(row["system_key"] if row["origin"] == "official" else row["id"], row)
    return list(best.values())


def ratio(row: Row, base: Row) -> Interval:
    """The ratio of two rates per accelerator; as printed where for both tokens per sample would have to be assumed."""
    name = "as_printed" if _in_print(row, base) else "per_accelerator"
    return interval.of(row, name) / interval.of(base, name)


def hull(ratios: Iterable[Interval]) -> Interval:
    """The lowest low and the highest high; NaN where there is none."""
    ends = list(ratios)
    missing = float("nan")
    return Interval(min((end.low for end in ends), default=missing), max((end.high for end in ends), default=missing))


def own_notes(best: Row, base_best: Row, *kinds: str) -> Notes:
    """The notes of both systems without those of `kinds`; of their sizes only that they differ, and which they are.

    A note says that a system is virtualised: it is compared only where its accelerator has no other that counts.
    """
    of_both = notes.without(best["notes"] | base_best["notes"], "another_size", *kinds)
    of_both |= {
        note("virtualised", accelerator=row["accelerator"], hypervisor=row["hypervisor"])
        for row in (best, base_best)
        if virtualised(row)
    }
    return of_both | notes.sized_apart(best["accelerator_count"], base_best["accelerator_count"])


def lone(systems: Records, base_systems: Records) -> Notes:
    """The notes of a ratio of official systems of which one side is a single system's, or a single submitter's.

    Both are the systems that stand behind a side (by_system); of the base it is told whose round it is.
    """
    best, base_best = systems[0], base_systems[0]
    if (best["origin"], base_best["origin"]) != ("official", "official"):
        return NONE
    told = {note("single", of="system")} if len(systems) == 1 else set()
    if len(systems) > 1 and _one_submitter(systems):
        told = {note("single_submitter")}
    if _one_submitter(base_systems):
        told |= {note("single_base", accelerator=base_best["accelerator"], round=base_best["round"])}
    return frozenset(told)


def virtualised(row: Row) -> bool:
    """Whether a hypervisor is named in the system's description."""
    return row.get("hypervisor") not in (None, "") and row["hypervisor"] == row["hypervisor"]  # NaN: not known


def _notes(best: Row, base_best: Row) -> Notes:
    printed = _in_print(best, base_best)
    of_both = own_notes(best, base_best, *["tokens_assumed"] * printed)
    of_both |= notes.apart([best["round"]], [base_best["round"]])
    return of_both | ({note("printed_unit", unit=best["unit"])} if printed else NONE)


def _in_all_but_size(part: Records, base: Records) -> tuple[Records, Records]:
    part, base = _shared(part, base, lambda row: row["round"], round_age)
    return _shared(_on_sale(part), _on_sale(base), virtualised, lambda virtual: not virtual)


def _of_one_size(part: Records, base: Records) -> tuple[Records, Records]:
    return _shared(part, base, lambda row: row["accelerator_count"], lambda size: (size == USUAL_SIZE, size))


def _shared(
    part: Records, base: Records, kind_of: Callable[[Row], Any], preferred: Callable[[Any], Any]
) -> tuple[Records, Records]:
    """The rows of the preferred kind that both sides have; all where they have none in common."""
    part_kinds, base_kinds = [kind_of(row) for row in part], [kind_of(row) for row in base]
    common = set(part_kinds).intersection(base_kinds)
    if not common:
        return part, base
    shared_kind = max(common, key=preferred)
    like_part, like_base = ([value == shared_kind for value in side] for side in (part_kinds, base_kinds))
    return list(compress(part, like_part)), list(compress(base, like_base))


def _on_sale(rows: Records) -> Records:
    """The rows on sale, else those that come nearest to it; a document that does not say is taken to mean on sale."""
    ranks = [AVAILABILITIES.index(row["availability"] or AVAILABILITIES[0]) for row in rows]
    first = min(ranks, default=0)
    return [row for row, rank in zip(rows, ranks, strict=True) if rank == first]


def _one_submitter(systems: Records) -> bool:
    return len({row["submitter"] for row in systems}) == 1


def _pairs(part: Records, base: Records) -> Iterable[tuple[Row, Row]]:
    """The fastest systems of both sides of each submitter that has both at one size; no two submitters are pooled."""
    part, base = _in_all_but_size(part, base)
    for submitter in dict.fromkeys(row["submitter"] for row in part if row["submitter"]):
        part_rows, base_rows = ([row for row in side if row["submitter"] == submitter] for side in (part, base))
        if base_rows:
            best, base_best = (by_system(side)[0] for side in _of_one_size(part_rows, base_rows))
            same_size = best["accelerator_count"] == base_best["accelerator_count"]
            if same_size and virtualised(best) == virtualised(base_best):
                yield best, base_best


def _in_print(row: Row, base: Row) -> bool:
    return bool(row["assumed"] and base["assumed"])


def _rate(row: Row) -> float:
    return row["per_accelerator_low"] * row["per_accelerator_high"]
