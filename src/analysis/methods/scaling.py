"""Scaling efficiency of larger systems, and the spread of matched systems of several submitters.

Functions take comparable official rows (see comparability.selection). Available bare-metal systems are compared within
one round, benchmark, scenario, and, where it is known, precision.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.citation import several
from analysis._core.interval import Interval
from analysis._core.notes import union, without
from analysis._core.plain_values import Row, frame_of, grouped
from analysis.methods.matched_systems import Records, rate, ratio, records
from analysis.methods.system_properties import AVAILABLE, USUAL_SIZE, kind

LIKE = ["benchmark", "scenario", "round", "accelerator", "precision"]
BOX, RACK, CLUSTER = "one node", "one rack", "several nodes or racks"
RACKS = {"GB200": 72, "GB300": 72}  # accelerators that the links of one NVL72 rack join over its trays, each a node
GROWN = [*LIKE, "from_count", "to_count", "layout", "kept_low", "kept_high", "submitters", "submitter", "system"]
GROWN += ["from_submitter", "source_ids", "notes"]
SPREAD = [*LIKE, "accelerator_count", "submitters", "vendor", "others_low", "others_high", "own_low", "own_high"]
SPREAD += ["slowest", "second_lowest", "source_ids", "notes"]


def compared(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the official results of available bare-metal systems, each with its `layout`: BOX, RACK, or CLUSTER."""
    sold = rows[rows["origin"].eq("official") & kind(rows).eq(AVAILABLE)]
    nodes = sold.get("nodes", pd.Series(1.0, sold.index)).fillna(1)  # of an unknown number it counts as one node
    in_rack = sold["accelerator_count"].le(sold["accelerator"].map(RACKS).fillna(0))
    layout = np.select([nodes.le(1).astype(bool), in_rack.astype(bool)], [BOX, RACK], CLUSTER)
    return sold.assign(layout=pd.Series(layout, sold.index, "object"))


def by_size(rows: pd.DataFrame) -> pd.DataFrame:
    """The systems of one submitter and precision for each accelerator of a round, by size: rows of `compared`.

    They are those of most sizes, of these the ones that reach the largest, else the fastest; of each size the fastest.
    The largest system of a benchmark, scenario and round is `alone` where no such line reaches it.
    """
    in_round, ids, alone = ["benchmark", "scenario", "round"], [], []
    for part in grouped(_records(rows), in_round).values():
        for of_accelerator in grouped(part, ["accelerator"]).values():
            line = max(grouped(of_accelerator, ["submitter", "precision"]).values(), key=_reach)
            ids += [_fastest(of_size)["id"] for of_size in grouped(line, ["accelerator_count"]).values()]
        largest = max(row["accelerator_count"] for row in part)
        if largest > max(USUAL_SIZE, *(row["accelerator_count"] for row in part if row["id"] in ids)):
            alone.append(_fastest(row for row in part if row["accelerator_count"] == largest)["id"])
    drawn = rows[rows["id"].isin([*ids, *alone])].sort_values("accelerator_count", kind="stable")
    return drawn.assign(alone=drawn["id"].isin(alone))


def grown(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the scaling efficiency of each larger system in its round, a row per accelerator and size, as GROWN.

    A size is compared with a smaller one that one submitter has too: the usual size if that is one, else the next
    smaller; where no submitter has two, with the next smaller. `kept` is the larger system's throughput per accelerator
    over the smaller one's: of the `submitters` with both sizes, lowest to highest; without one (0), of the fastest
    system of each size. `layout` is that of the larger system, `submitter` and `system` are those of its fastest, and
    `from_submitter` is that of the smaller system beside it.
    """
    steps = []
    for key, part in grouped(_records(rows), LIKE).items():
        sizes = {size: _by_submitter(of_size) for (size,), of_size in grouped(part, ["accelerator_count"]).items()}
        group = dict(zip(LIKE, key, strict=True))
        for larger in sorted(sizes)[1:]:
            smaller = [size for size in sizes if size < larger]
            shared = [size for size in smaller if sizes[size].keys() & sizes[larger].keys()]
            base_size = max(shared or smaller, key=lambda size: (size == USUAL_SIZE and bool(shared), size))
            steps.append(group | {"from_count": base_size, "to_count": larger} | _step(sizes[base_size], sizes[larger]))
    return frame_of(steps, GROWN)


def spread(rows: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """Return the spread of matched systems, a row per round, accelerator, size, and precision, as SPREAD.

    Each submitter counts with its fastest system. `others` are all but the vendor, as ratios to their own median,
    lowest to highest; `own` is the vendor's result over that median, NaN without one. `submitters` counts the others,
    `slowest` names the last of them, `second_lowest` is the ratio of the one before it. Groups with fewer than two
    others are left out.
    """
    vendors = dict(zip(accelerators["accelerator"], accelerators["vendor"], strict=True))
    spreads = []
    group_by = [*LIKE, "accelerator_count"]
    for key, part in grouped(_records(rows), group_by).items():
        group = dict(zip(group_by, key, strict=True))
        vendor = vendors.get(group["accelerator"], "")
        best = _by_submitter(part)
        own = [rate(row) for name, row in best.items() if is_vendor(name, vendor)]
        others = sorted((row for name, row in best.items() if not is_vendor(name, vendor)), key=rate)
        if len(others) < 2:
            continue
        middle = float(np.median(list(map(rate, others))))
        spreads.append(
            group
            | {"submitters": len(others), "vendor": vendor, "slowest": others[0]["submitter"]}
            | {"second_lowest": rate(others[1]) / middle}
            | (Interval(rate(others[0]), rate(others[-1])) / middle).columns("others")
            | (interval.envelope(Interval(each, each) for each in own) / middle).columns("own")
            | _said(best.values())
        )
    return frame_of(spreads, SPREAD)


def is_vendor(submitter: str, vendor: str) -> bool:
    """Whether a submitter is the vendor or a part of it: Intel-HabanaLabs is Intel's, Intel_VMware is not."""
    return bool(vendor) and submitter.casefold().split("-")[0] == vendor.casefold()


def _records(rows: pd.DataFrame) -> Records:
    return records(rows, *LIKE, "layout")


def _by_submitter(rows: Iterable[Row]) -> dict[str, Row]:
    """The fastest system of each submitter."""
    return {name: _fastest(part) for (name,), part in grouped(rows, ["submitter"]).items()}


def _step(smaller: dict[str, Row], larger: dict[str, Row]) -> Row:
    """The cells of GROWN from two sizes, each given by the fastest system of each submitter."""
    shared = [name for name in larger if name in smaller]
    pairs = [(larger[name], smaller[name]) for name in shared]
    pairs = pairs or [(_fastest(larger.values()), _fastest(smaller.values()))]
    best, beside = max(pairs, key=lambda pair: rate(pair[0]))
    described = {name: best[name] for name in ("layout", "submitter", "system")}
    described |= {"from_submitter": beside["submitter"]}
    kept = interval.envelope(ratio(*pair) for pair in pairs).columns("kept")
    return described | kept | {"submitters": len(shared)} | _said([row for pair in pairs for row in pair])


def _said(rows: Iterable[Row]) -> Row:
    """The sources and notes of systems that are compared, whose size their own columns say."""
    rows = list(rows)
    notes = without(union(row["notes"] for row in rows), "another_size")
    return {"source_ids": several(row["source_id"] for row in rows), "notes": notes}


def _reach(rows: Records) -> tuple[int, int, float]:
    """How many sizes rows have; where several, the largest; and the highest rate."""
    sizes = {row["accelerator_count"] for row in rows}
    return len(sizes), max(sizes) if len(sizes) > 1 else 0, max(map(rate, rows))


def _fastest(rows: Iterable[Row]) -> Row:
    return max(rows, key=rate)
