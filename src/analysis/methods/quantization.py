"""Throughput by precision, the throughput cost of accuracy targets, and accelerators needed to hold the weights.

All functions but `weights` take comparable rows (see comparability.selection) and use the official ones among them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pandas as pd

from analysis._core import interval, notes, round_order
from analysis._core.citation import several
from analysis._core.plain_values import frame_of
from analysis._core.vocabulary import BYTES_PER_WEIGHT, PRECISIONS
from analysis.methods import matched_systems, memory
from analysis.methods.matched_systems import Records
from analysis.methods.system_properties import available

UNKNOWN = "unknown"  # where nothing states the precision
_RAN = ["benchmark", "scenario", "basis", "round", "accelerator"]
_BY_PRECISION = [*_RAN, "precision", "known_from", "per_accelerator_low", "per_accelerator_high", "results", "systems"]
_BY_PRECISION += ["system", "submitter", "software", "origin", "source_ids", "notes"]


def by_precision(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the fastest official system of each precision, newest round first, then by throughput.

    One row per benchmark, scenario, round (`basis`, `round`), accelerator and `precision` (UNKNOWN where nothing states
    it). Columns: these, `known_from` (where the precision comes from: declared, configuration ...),
    `per_accelerator_low/high` of the fastest available system (preview where there is no other; in the comparison's
    unit), its `system`, `submitter` and `software`, `results`, `systems`, `source_ids` and `notes`.
    """
    fastest = [_fastest(part) for precisions in _groups(rows).values() for part in precisions.values()]
    frame = frame_of(fastest, _BY_PRECISION).sort_values("per_accelerator_high", ascending=False, kind="stable")
    return round_order.newest_first(frame).reset_index(drop=True)


def precision_pairs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the throughput of each lower precision over the next higher one, newest round first.

    One row per benchmark, scenario, round, accelerator and pair of precisions (`lower`, `higher`) of different bytes
    per weight, over comparable systems (matched_systems.compared). Columns: these, those of matched_systems.MEASURES,
    `higher_systems` (how many comparable systems ran the higher precision), and `gain_low/high`: the ratio within
    submitters that ran both at one size; where none did (`pairs` is 0), of all systems over the fastest at the higher
    precision.
    """
    ratios = [
        dict(zip(_RAN, key, strict=True)) | {"lower": lower, "higher": higher, "origin": "official"}
        | _compared(precisions[lower], precisions[higher], higher)
        for key, precisions in _groups(rows).items()
        for higher, lower in pairwise(sorted(precisions.keys() - {UNKNOWN}, key=_width))
        if PRECISIONS[lower].bytes_per_weight < PRECISIONS[higher].bytes_per_weight
    ]  # fmt: skip
    frame = frame_of(ratios, [*_RAN, "lower", "higher", "higher_systems", "origin", *matched_systems.MEASURES])
    gain = interval.where(frame["pairs"].gt(0), interval.of(frame, "pairs"), interval.of(frame, "spread"))
    return round_order.newest_first(interval.put(frame, "gain", gain)).reset_index(drop=True)


def weights(benchmarks: pd.DataFrame, benchmark: str, accelerators: pd.DataFrame, headroom: float) -> pd.DataFrame:
    """Return how many accelerators hold the weights, one row per accelerator and precision.

    Columns: accelerator, precision, `weight_gb` (1e9 bytes: parameters in 1e9 x bytes per weight), `memory_gb`,
    `needed` (a power of two, see memory.holding; no row where no group holds them). `headroom` is the share of memory
    left free for KV cache and activations. Empty where the number of parameters is not known.
    """
    with_memory = accelerators[accelerators["memory_gb"].notna()]
    sizes = pd.DataFrame({"precision": BYTES_PER_WEIGHT.keys(), "bytes": BYTES_PER_WEIGHT.values()})
    grid = with_memory[["accelerator", "memory_gb"]].merge(sizes, how="cross")
    parameters = float(benchmarks.set_index("benchmark").at[benchmark, "parameters_billion"])
    grid = grid.assign(weight_gb=parameters * grid["bytes"]).dropna(subset="weight_gb")
    needed = memory.holding(grid["weight_gb"].to_numpy(), grid["memory_gb"].to_numpy(), headroom)
    return grid.assign(needed=needed).dropna(subset="needed").astype({"needed": "int64"})


def accuracy_cost(strict: pd.DataFrame, loose: pd.DataFrame, by: tuple[str, ...] = ("accelerator",)) -> pd.DataFrame:
    """Return the throughput at the stricter accuracy target over that at the looser one, on the same system.

    Both frames are comparable rows; a pair has the same system (see systems.py), benchmark, scenario, accelerator and
    count, ran the same model, and is official and available. One row per benchmark, scenario and `by`:
    `retained_low/high` (a ratio), `retained_median`, `systems`, source_ids, `precision` and `precision_loose` (at the
    stricter and looser target, of the first system; "" where not stated), notes, without a power cap that both runs
    have. One run submitted under both targets (ratio exactly 1) has no cost and is left out.
    """
    keys = ["source_id", "system_key", "benchmark", "scenario", "accelerator", "accelerator_count", "power_measured"]
    keys += ["run"]
    strict, loose = (available(rows).assign(run=_run) for rows in (strict, loose))
    pairs = strict.merge(loose, on=keys, suffixes=("", "_loose"))
    pairs = pairs[pairs["rate_low"].ne(pairs["rate_low_loose"])]
    pairs = interval.put(pairs, "retained", interval.of(pairs, "rate") / interval.of(pairs, "rate", "_loose"))
    of_both = [notes.without(each, "power_capped") for each in notes.beside(pairs["notes"], pairs["notes_loose"])]
    pairs = pairs.assign(notes=of_both, retained_middle=interval.of(pairs, "retained").middle)
    groups = pairs.groupby(["benchmark", "scenario", *by], sort=False)
    return groups.agg(
        retained_low=("retained_low", "min"), retained_high=("retained_high", "max"),
        retained_median=("retained_middle", "median"), systems=("system_key", "size"),
        source_ids=("source_id", several), precision=("precision", "first"),
        precision_loose=("precision_loose", "first"), notes=("notes", notes.union),
    ).reset_index()  # fmt: skip


def _run(rows: pd.DataFrame) -> pd.Series:
    """The model that each row ran, without its accuracy target: v5.0 has Offline runs of the Interactive model too."""
    runs = rows.get("model_run", pd.Series("", index=rows.index))
    return runs.str.replace(r"-99(\.9)?$", "", regex=True)


def _groups(rows: pd.DataFrame) -> dict[tuple, dict[str, Records]]:
    """The official rows as records: by benchmark, scenario, basis, round and accelerator, then by precision."""
    official = rows[rows["origin"].eq("official")]
    stated = official["precision"].where(official["precision"].ne(""), UNKNOWN)
    return matched_systems.sides(official.assign(precision=stated), _RAN, "precision", "precision_basis")


def _compared(part: Records, base: Records, higher: str) -> dict[str, Any]:
    """matched_systems.compared at two precisions, with `higher_systems` and a note where one submitter makes a side."""
    cells, (_, base_systems) = matched_systems.compared(part, base), matched_systems.matched(part, base)
    if cells["pairs"] == 1:
        cells["notes"] |= {notes.note("single", of="pair")}
    if not cells["pairs"] and matched_systems.one_submitter(base_systems):
        cells["notes"] |= {notes.note("single_wider", precision=higher.upper())}
    return cells | {"higher_systems": len(base_systems)}


def _fastest(part: Records) -> dict[str, Any]:
    """The cells of _BY_PRECISION from the rows of one precision."""
    fastest = matched_systems.matched(part, part)[0][0]
    return fastest | {
        "known_from": ", ".join(sorted({row["precision_basis"] for row in part})),
        "results": len(part),
        "systems": len(matched_systems.by_system(part)),
        "source_ids": several([fastest["source_id"]]),
    }


def _width(precision: str) -> tuple[float, int]:
    """Sort key: most bytes per weight first, then as the vocabulary lists them."""
    return -PRECISIONS[precision].bytes_per_weight, list(PRECISIONS).index(precision)
