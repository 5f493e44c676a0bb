"""Ratios of two accelerators between comparable systems: best over best, the spread of one side, submitter pairs.

A side is the comparable rows (see comparability.selection) of one accelerator in one round or document, as plain
records.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import compress
from typing import Any

import pandas as pd

from analysis._core import interval, notes
from analysis._core.citation import several
from analysis._core.interval import Interval
from analysis._core.notes import NONE, Notes, note
from analysis._core.plain_values import Row, as_dicts, grouped
from analysis._core.vocabulary import AVAILABILITIES, TOKENS, round_age
from analysis.methods import system_properties
from analysis.methods.system_properties import USUAL_SIZE

MEASURES = ["speedup_low", "speedup_high", "spread_low", "spread_high", "systems", "of_systems"]
MEASURES += ["pairs_low", "pairs_high", "pairs", "accelerator_count", "baseline_count"]
MEASURES += ["baseline_rate_low", "baseline_rate_high", "baseline_round", "baseline_system", "baseline_submitter"]
MEASURES += ["result_id", "baseline_result_id"]
MEASURES += ["precision", "baseline_precision", "rounds", "availability", "system", "submitter", "software"]
MEASURES += ["source_ids", "notes"]
READ = ["id", "system_key", "submitter", "availability", "hypervisor", "accelerator", "accelerator_count", "precision"]
READ += ["assumed", "unit", "source_id", "round", "origin", "notes", "system", "result_id", "tokens_per_sample"]
READ += ["as_printed_low", "as_printed_high", "per_accelerator_low", "per_accelerator_high"]

Records = list[Row]  # of a handful of rows, plain numbers are quicker than a frame


def records(rows: pd.DataFrame, *columns: str) -> Records:
    """Return the rows as records of READ and further `columns`, with their `software`, and what restricts the system.

    `restricted` is whether it is virtualized, and whether its power limit is lowered without a power measurement.
    """
    restricted = zip(system_properties.virtualized(rows), system_properties.limited(rows), strict=True)
    facts = {"software": system_properties.software(rows), "restricted": list(restricted)}
    return as_dicts(rows.filter([*dict.fromkeys([*READ, *columns])]).assign(**facts))


def sides(
    rows: pd.DataFrame, by: Sequence[str], of: str = "accelerator", *columns: str
) -> dict[tuple, dict[str, Records]]:
    """Return the rows as records, with further `columns`, by the values of the columns `by`, and then of `of`."""
    groups = grouped(records(rows, *by, *columns), by)
    return {key: {name: part for (name,), part in grouped(group, [of]).items()} for key, group in groups.items()}


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
    systems, base_systems = matched(part, base)
    best, base_best = systems[0], base_systems[0]
    pairs = [ratio(row, base_row) for row, base_row in _pairs(part, base)]
    return {
        **ratio(best, base_best).columns("speedup"),
        **interval.envelope(ratio(system, base_best) for system in systems).columns("spread"),
        **interval.envelope(pairs).columns("pairs"),
        "systems": len(systems),
        "of_systems": len(by_system(part)),
        "pairs": len(pairs),
        **cells_of(best, base_best),
        "notes": _notes(best, base_best),
    }


def cells_of(best: Row, base_best: Row) -> Row:
    """Return the MEASURES that describe two systems: both, the `best`, and the throughput of the baseline's."""
    own = ("availability", "system", "submitter", "software", "accelerator_count", "result_id", "precision", "round")
    of_base = {name: base_best[name] for name in ("round", "system", "submitter", "result_id", "precision")}
    return {
        **{name: best[name] for name in own},
        **{f"baseline_{name}": value for name, value in of_base.items()},
        "baseline_count": base_best["accelerator_count"],
        **interval.of(base_best, "per_accelerator").columns("baseline_rate"),
        "rounds": tuple(sorted({best["round"], base_best["round"]} - {""}, key=round_age)),
        "source_ids": several([best["source_id"], base_best["source_id"]]),
    }


def matched(part: Records, base: Records) -> tuple[Records, Records]:
    """Return the fastest row of each comparable system of both sides, the fastest system first."""
    return tuple(map(by_system, alike(part, base)))


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
    for row in sorted(rows, key=rate, reverse=True):
        best.setdefault(row["system_key"] if row["origin"] == "official" else row["id"], row)
    return list(best.values())


def rate(row: Row) -> float:
    """Return the throughput per accelerator, in the middle of its range."""
    return interval.of(row, "per_accelerator").middle


def ratio(row: Row, base: Row) -> Interval:
    """Return the ratio of two rates per accelerator, in the printed unit where both would need assumed tokens."""
    name = "as_printed" if _in_print(row, base) else "per_accelerator"
    return interval.of(row, name) / interval.of(base, name)


def own_notes(best: Row, base_best: Row, *kinds: str) -> Notes:
    """Return the notes of both systems without those of `kinds`; of their sizes only that they differ, and which.

    A virtualized system has a note: it is compared only where its accelerator has no comparable bare-metal one.
    """
    of_both = notes.without(notes.union([best["notes"], base_best["notes"]]), "another_size", *kinds)
    of_both |= {
        note("virtualized", accelerator=row["accelerator"], hypervisor=row["hypervisor"])
        for row in (best, base_best)
        if row["restricted"][0]
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
    if len(systems) > 1 and one_submitter(systems):
        found = {note("single_submitter")}
    if one_submitter(base_systems):
        found |= {note("single_base", accelerator=base_best["accelerator"], round=base_best["round"])}
    return frozenset(found)


def one_submitter(systems: Records) -> bool:
    """Return whether all systems are of one submitter."""
    return len({row["submitter"] for row in systems}) == 1


def _notes(best: Row, base_best: Row) -> Notes:
    printed = _in_print(best, base_best)
    of_both = own_notes(best, base_best, *["tokens_assumed"] * printed)
    of_both |= notes.apart([best["round"]], [base_best["round"]])
    of_both |= tokens_apart(best, base_best, ratio(best, base_best))
    return of_both | ({note("printed_unit", unit=best["unit"])} if printed else NONE)


def _in_all_but_size(part: Records, base: Records) -> tuple[Records, Records]:
    part, base = _shared(part, base, "round", round_age)
    return _shared(_available(part), _available(base), "restricted", lambda ways: (-sum(ways), ways))


def _of_one_size(part: Records, base: Records) -> tuple[Records, Records]:
    return _shared(part, base, "accelerator_count", lambda size: (size == USUAL_SIZE, size))


def _shared(part: Records, base: Records, name: str, preferred: Callable[[Any], Any]) -> tuple[Records, Records]:
    """Return the rows with the preferred value of a column that both sides have; all where they have none in common."""
    common = {row[name] for row in part} & {row[name] for row in base}
    if not common:
        return part, base
    shared = max(common, key=preferred)
    return tuple([row for row in side if row[name] == shared] for side in (part, base))


def _available(rows: Records) -> Records:
    """Return the available rows, else the preview ones; a document that does not say counts as available."""
    ranks = [AVAILABILITIES.index(row["availability"] or AVAILABILITIES[0]) for row in rows]
    return list(compress(rows, [rank == min(ranks) for rank in ranks]))


def _pairs(part: Records, base: Records) -> Iterable[tuple[Row, Row]]:
    """Yield the fastest systems of both sides of each submitter that has both at one size."""
    part_by, base_by = (grouped(side, ["submitter"]) for side in _in_all_but_size(part, base))
    for submitter in part_by.keys() & base_by.keys() - {("",)}:
        best, base_best = (by_system(side)[0] for side in _of_one_size(part_by[submitter], base_by[submitter]))
        if all(best[name] == base_best[name] for name in ("accelerator_count", "restricted")):
            yield best, base_best


def _in_print(row: Row, base: Row) -> bool:
    return bool(row["assumed"] and base["assumed"])


def _in_tokens(row: Row) -> bool:
    """Whether the rate is compared in tokens: printed in them and not converted, or converted from samples."""
    return (row["unit"] == TOKENS) == (row["as_printed_low"] == row["per_accelerator_low"])
