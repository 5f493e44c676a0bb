"""Published results against the official record of the same round; figures of one document alone are not judged here.

A figure is compared with the official results of its benchmark, scenario, accelerator, number of accelerators, round
and division, in its own unit: the official rate is converted with that run's tokens per sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pandas as pd

from analysis.audit import verdict
from analysis.audit.lookup import Record, Row, gives, ids, named, parts, plain, rate, sizes, watts, which
from analysis.audit.verdict import AGREES, NOTHING
from analysis.compare import gate
from analysis.core import interval
from analysis.core.interval import Interval

CHECK, EACH, POWER = "official", "official per accelerator", "official power"


def results(rows: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """Each published result against the official ones: a row of verdicts for the system or per accelerator.

    Where only systems of another size are official, the figure has no official basis, and a second row compares per
    accelerator. Where the record agrees only for the part of another power limit, it is conditional. Where a document
    names a system whose result is not at hand, the results of others do not contradict it.
    """
    record = Record(rows, benchmarks, accelerators)
    return verdict.frame(each for figure in published(rows) for each in _judged(figure, record))


def power(rows: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """Printed watts and throughput per watt against the official wall power of the same system and run."""
    record = Record(rows, benchmarks, accelerators)
    return verdict.frame(each for figure in published(rows) for each in _power(figure, record))


def published(rows: pd.DataFrame) -> list[Row]:
    """The published figures, each once, with `slower`: the document has a faster precision of the same accelerator."""
    rows = rows.assign(slower=gate.slower_precision(rows))
    return plain(rows[rows["origin"].eq("published") & rows["duplicate_of"].eq("")])


def _judged(figure: Row, record: Record) -> Iterator[Row]:
    near = record.beside(figure, record.cards(figure["accelerator"]))
    if not figure["round"] or figure["slower"] or not near:
        yield _no_basis(figure, _why_none(figure, record))
        return
    whole = figure["per"] == "system"
    same = [row for row in near if not whole or row["accelerator_count"] == figure["accelerator_count"]]
    if not same:
        yield _no_basis(figure, _other_sizes(figure, near))
    if same or (figure["metric"] == "throughput" and figure["accelerator_count"] > 0):
        others = record.beside(figure, record.siblings(figure["accelerator"]))
        yield _judgement(figure, same or near, others, each=not (whole and same))


def _judgement(figure: Row, near: list[Row], others: list[Row], each: bool) -> Row:
    """The verdict against the nearest official result, or against the sibling part where only that agrees."""
    size = float(figure["accelerator_count"]) if each and figure["per"] == "system" else 1.0
    printed, unit = Interval(figure["low"] / size, figure["high"] / size), figure["unit"]
    others = others if each else [row for row in others if row["accelerator_count"] == figure["accelerator_count"]]
    found, expected, behind = _nearest(figure, printed, near, lambda row: rate(row, unit, each))
    other, elsewhere, part = _nearest(figure, printed, others, lambda row: rate(row, unit, each))
    unit += " per accelerator" if each else ""
    words = f"{which(behind)} {gives(behind)} {interval.text(expected.low, expected.high, 5)} {unit}"
    if found == "contradicts" and other in (*AGREES, "within_5_percent"):
        beside = interval.text(elsewhere.low, elsewhere.high, 5)
        words = f"Holds only for the {parts(part)}: {which(part)} {gives(part)} {beside} {unit}; {words}"
        found, expected, behind = "conditional", elsewhere, part
    elif found == "contradicts" and not named(figure, near):
        found = "unverifiable"
        words = f"The result of {figure['submitter'] or figure['system']} is not at hand; {words}"
    elif found not in AGREES:
        words += f": the figure is {verdict.off(printed, expected)}"
    check = EACH if each else CHECK
    return verdict.row(figure, "results", check, found, printed, expected, unit, ids(behind), f"{words}.")


def _nearest(
    figure: Row, printed: Interval, rows: list[Row], value: Callable[[Row], Interval]
) -> tuple[str, Interval, list[Row]]:
    """The best verdict over single results and those behind it; where none agrees, against all of them together."""
    known = [row for row in rows if value(row).known]
    single = [verdict.compare(printed, value(row), figure["range_basis"]) for row in known]
    found = verdict.best(single)
    if found in AGREES:
        known = [row for row, one in zip(known, single, strict=True) if one == found]
    expected = verdict.hull(map(value, known))
    return verdict.compare(printed, expected, figure["range_basis"]), expected, known


def _power(figure: Row, record: Record) -> Iterator[Row]:
    near = [row for row in record.beside(figure, [figure["accelerator"]]) if watts(row).known]
    near = [row for row in near if row["accelerator_count"] == figure["accelerator_count"]]
    unit = figure["unit"]
    kinds = {"power_watts": (watts, "W"), "per_watt": (lambda r: rate(r, unit, False) / watts(r), f"{unit} per W")}
    for name, (value, words) in kinds.items():
        printed = Interval(figure[f"{name}_low"], figure[f"{name}_high"])
        if printed.known and near:
            found, expected, behind = _nearest(figure, printed, near, value)
            said = f"{which(behind)} {gives(behind)} {interval.text(expected.low, expected.high, 5)} {words}."
            yield verdict.row(figure, "results", POWER, found, printed, expected, words, ids(behind), said)


def _no_basis(figure: Row, why: str) -> Row:
    printed = Interval(figure["low"], figure["high"])
    none = "no_official_basis"
    return verdict.row(figure, "results", CHECK, none, printed, NOTHING, figure["unit"], "", f"{why}.")


def _why_none(figure: Row, record: Record) -> str:
    part = figure["accelerator"]
    if not figure["round"]:
        batch = figure["batch_size"]
        return f"No MLPerf result: {f'batch size {batch:.0f}' if batch > 0 else 'neither scenario nor round is named'}"
    if figure["slower"]:
        faster = f"The document has {part} faster at another precision, as submissions are"
        return f"{faster}; no official result is known to be {figure['precision']}"
    where = f"{figure['round']} result of {figure['benchmark']} {figure['scenario']}".strip()
    rounds = record.rounds(figure["benchmark"])
    at_hand = "" if figure["round"] in rounds else f" (rounds at hand: {', '.join(rounds) or 'none'})"
    return f"No official {where} on {part} is at hand{at_hand}"


def _other_sizes(figure: Row, near: list[Row]) -> str:
    count, part = figure["accelerator_count"], figure["accelerator"]
    own = f"{count:.0f}x {part}" if count > 0 else f"this number of {part}"
    where = f"{figure['round']} result of {figure['benchmark']} {figure['scenario']}".strip()
    return f"No official {where} on {own} is at hand, only on {sizes(near)}"
