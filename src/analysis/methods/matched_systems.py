"""Ratios of two accelerators between comparable systems: best over best, the spread of one side, submitter pairs.

A side is the comparable rows (see comparability.selection) of one accelerator in one round or document, as plain
records.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import compress
from typing import Any

from analysis._core import interval, notes
from analysis._core.citation import several
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes, note
from analysis._core.vocabulary import AVAILABILITIES, TOKENS, round_age
from analysis.methods.system_properties import SERVED, USUAL_SIZE

MEASURES = ["speedup_low", "speedup_high", "spread_low", "spread_high", "systems", "of_systems"]
MEASURES += ["pairs_low", "pairs_high", "pairs", "accelerator_count", "baseline_count"]
MEASURES += ["baseline_rate_low", "baseline_rate_high", "baseline_round", "baseline_system", "baseline_submitter"]
MEASURES += ["result_id", "baseline_result_id"]
MEASURES += ["precision", "baseline_precision", "rounds", "availability", "system", "submitter", "software"]
MEASURES += ["source_ids", "notes"]
READ = ["id", "system_key", "submitter", "availability", "hypervisor", "accelerator", "accelerator_count", "precision"]
READ += ["assumed", "unit", "source_id", "round", "origin", "notes", "system", "framework", "serving_software"]
READ += ["power_capped", "power_measured", "result_id", "tokens_per_sample"]
READ += ["as_printed_low", "as_printed_high", "per_accelerator_low", "per_accelerator_high"]

Row = dict[str, Any]
Records = list[Row]  # of a handful of rows, plain numbers are quicker than a frame


def compared(part: Records, base: Records) -> Row:
    """Return the best of `part` over the best of `base` among comparable systems, a value per MEASURES.

    `speedup`: throughput per accelerator of the fastest comparable system over that of the baseline's fastest, with
    the rounding of printed figures. `spread`: the best run of each comparable system of `part` over that same baseline
    system, slowest to fastest: `systems` of the `of_systems` of `part`. `pairs`: submitters with both sides at one
    size, the usual one where possible; their ratios are `pairs_low` to `pairs_high` (NaN without one). Counts and
    precisions are those of the two fastest systems, availability, system, submitter, and software those of the part's,
    `baseline_rate` (per accelerator) and `baseline_round` the baseline's; `rounds` and `source_ids` are tuples. Besides
    MEASURES it has `round`, that of the part's fastest system.
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
    """Return the MEASURES that describe two systems: both, the `best`, and the throughput of the baseline's."""
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
        "baseline_system": base_best.get("system", ""),
        "baseline_submitter": base_best["submitter"],
        "result_id": best.get("result_id", ""),
        "baseline_result_id": base_best.get("result_id", ""),
        "precision": best["precision"],
        "baseline_precision": base_best["precision"],
        "round": best["round"],
        "rounds": tuple(sorted({best["round"], base_best["round"]} - {""}, key=round_age)),
        "source_ids": several([best["source_id"], base_best["source_id"]]),
    }


def software(row: Row) -> str:
    """Return the serving software, else the framework of the description, "" where unknown."""
    stated = (row.get(name) for name in SERVED)
    return next((text for text in stated if isinstance(text, str) and text), "")


def alike(part: Records, base: Records) -> tuple[Records, Records]:
    """Return the comparable rows of both sides.

    Of one round where a document has several; available before preview, on each side by itself; bare metal before
    virtualized and default power before a cap; of the usual size where both have it, else the largest that both have.
    Without a common size, systems of all sizes.
    """
    return _of_one_size(*_in_all_but_size(part, base))


def by_system(rows: Records) -> Records:
    """Return the fastest row of each system, the fastest system first; each figure of a document is a system."""
    best: dict[Hashable, Row] = {}
    for row in sorted(rows, key=_rate, reverse=True):
        best.setdefault(row["system_key"] if row["origin"] == "official" else row["id"], row)
    return list(best.values())


def ratio(row: Row, base: Row) -> Interval:
    """Return the ratio of two rates per accelerator, in the printed unit where both would need assumed tokens."""
    name = "as_printed" if _in_print(row, base) else "per_accelerator"
    return interval.of(row, name) / interval.of(base, name)


def hull(ratios: Iterable[Interval]) -> Interval:
    """Return the lowest low and the highest high, NaN of no ratio."""
    ends = list(ratios)
    missing = float("nan")
    return Interval(min((end.low for end in ends), default=missing), max((end.high for end in ends), default=missing))


def own_notes(best: Row, base_best: Row, *kinds: str) -> Notes:
    """Return the notes of both systems without those of `kinds`; of their sizes only that they differ, and which.

    A virtualized system has a note: it is compared only where its accelerator has no comparable bare-metal one.
    """
    of_both = notes.without(best["notes"] | base_best["notes"], "another_size", *kinds)
    of_both |= {
        note("virtualized", accelerator=row["accelerator"], hypervisor=row["hypervisor"])
        for row in (best, base_best)
        if virtualized(row)
    }
    return of_both | notes.sized_apart(best["accelerator_count"], base_best["accelerator_count"])


def tokens_apart(best: Row, base_best: Row, over: Interval) -> Notes:
    """Return the note that `over`, a ratio in tokens of runs at two precisions, is another one in samples."""
    is_in_tokens = _in_tokens(best) and _in_tokens(base_best)
    return notes.tokens_apart(best, base_best, over.middle) if is_in_tokens else NONE


def lone(systems: Records, base_systems: Records) -> Notes:
    """Return the notes of a ratio of official systems with a single system or submitter on one side.

    `systems` and `base_systems` are those of each side (by_system).
    """
    best, base_best = systems[0], base_systems[0]
    if (best["origin"], base_best["origin"]) != ("official", "official"):
        return NONE
    found = {note("single", of="system")} if len(systems) == 1 else set()
    if len(systems) > 1 and _one_submitter(systems):
        found = {note("single_submitter")}
    if _one_submitter(base_systems):
        found |= {note("single_base", accelerator=base_best["accelerator"], round=base_best["round"])}
    return frozenset(found)


def virtualized(row: Row) -> bool:
    """Return whether the description of the system names a hypervisor."""
    return row.get("hypervisor") not in (None, "") and row["hypervisor"] == row["hypervisor"]  # NaN: not known


def restricted(row: Row) -> tuple[bool, bool]:
    """Return whether a system is virtualized, and whether its power limit is lowered without a power measurement."""
    return virtualized(row), bool(row.get("power_capped")) and not row.get("power_measured")


def _notes(best: Row, base_best: Row) -> Notes:
    printed = _in_print(best, base_best)
    of_both = own_notes(best, base_best, *["tokens_assumed"] * printed)
    of_both |= notes.apart([best["round"]], [base_best["round"]])
    of_both |= tokens_apart(best, base_best, ratio(best, base_best))
    return of_both | ({note("printed_unit", unit=best["unit"])} if printed else NONE)


def _in_all_but_size(part: Records, base: Records) -> tuple[Records, Records]:
    part, base = _shared(part, base, lambda row: row["round"], round_age)
    return _shared(_available(part), _available(base), restricted, lambda ways: (-sum(ways), ways))


def _of_one_size(part: Records, base: Records) -> tuple[Records, Records]:
    return _shared(part, base, lambda row: row["accelerator_count"], lambda size: (size == USUAL_SIZE, size))


def _shared(
    part: Records, base: Records, kind_of: Callable[[Row], Any], preferred: Callable[[Any], Any]
) -> tuple[Records, Records]:
    """Return the rows of the preferred kind that both sides have; all rows where they have none in common."""
    part_kinds, base_kinds = [kind_of(row) for row in part], [kind_of(row) for row in base]
    common = set(part_kinds).intersection(base_kinds)
    if not common:
        return part, base
    shared_kind = max(common, key=preferred)
    like_part, like_base = ([value == shared_kind for value in side] for side in (part_kinds, base_kinds))
    return list(compress(part, like_part)), list(compress(base, like_base))


def _available(rows: Records) -> Records:
    """Return the available rows, else the preview ones; a document that does not say counts as available."""
    ranks = [AVAILABILITIES.index(row["availability"] or AVAILABILITIES[0]) for row in rows]
    first = min(ranks, default=0)
    return [row for row, rank in zip(rows, ranks, strict=True) if rank == first]


def _one_submitter(systems: Records) -> bool:
    return len({row["submitter"] for row in systems}) == 1


def _pairs(part: Records, base: Records) -> Iterable[tuple[Row, Row]]:
    """Yield the fastest systems of both sides of each submitter that has both at one size."""
    part, base = _in_all_but_size(part, base)
    for submitter in dict.fromkeys(row["submitter"] for row in part if row["submitter"]):
        part_rows, base_rows = ([row for row in side if row["submitter"] == submitter] for side in (part, base))
        if base_rows:
            best, base_best = (by_system(side)[0] for side in _of_one_size(part_rows, base_rows))
            same_size = best["accelerator_count"] == base_best["accelerator_count"]
            if same_size and restricted(best) == restricted(base_best):
                yield best, base_best


def _in_print(row: Row, base: Row) -> bool:
    return bool(row["assumed"] and base["assumed"])


def _in_tokens(row: Row) -> bool:
    """Whether the rate is compared in tokens: printed in them and not converted, or converted from samples."""
    return (row["unit"] == TOKENS) == (row["as_printed_low"] == row["per_accelerator_low"])


def _rate(row: Row) -> float:
    return row["per_accelerator_low"] * row["per_accelerator_high"]
