"""Published results against official results of the same round.

A figure is compared with the official results of its benchmark, scenario, accelerator, number of accelerators, round
and division, in its own unit: the official rate is converted with that run's tokens per sample.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._core.vocabulary import DIVISIONS
from analysis.audit import verdict
from analysis.audit.frames import Tables
from analysis.audit.lookup import Record, ids_in_words, is_among, rate, result_ids, sizes, values_in_words
from analysis.audit.verdict import AGREES, HOLDS, NOTHING, Judgment, Row, Verdict

CHECKS = CHECK, PER_ACCELERATOR, POWER = "official", "official per accelerator", "official power"


def results(tables: Tables) -> Iterator[Judgment]:
    """Check each published result against the official ones, for the system or per accelerator.

    Where only systems of another size are official, it is compared per accelerator. A figure without an official result
    has the verdict no_official_result; where the round is complete in the data it is contradicted. Where only the part
    of another power limit agrees, it is conditional. Where a document names a system whose result is not in the data,
    the results of others do not contradict it.
    """
    for figure in tables.figures("results"):
        yield from compared(figure, tables)


def power(tables: Tables) -> Iterator[Judgment]:
    """Check printed watts and throughput per watt against the official wall power of the same system and run."""
    for figure in tables.figures("results"):
        yield from _power(figure, tables)


def compared(figure: Row, tables: Tables) -> Iterator[Judgment]:
    """One published result against the official ones, as in `results`."""
    record = tables.record
    candidates = record.beside(figure, record.cards(figure["accelerator"]))
    whole = figure["per"] == "system"
    of_same_size = [row for row in candidates if not whole or row["accelerator_count"] == figure["accelerator_count"]]
    against = None
    if (
        candidates
        and not figure["slower"]
        and (of_same_size or (figure["metric"] == "throughput" and figure["accelerator_count"] > 0))
    ):
        others = record.beside(figure, record.siblings(figure["accelerator"]))
        per_accelerator = not (whole and of_same_size)
        against = _against(figure, of_same_size or candidates, others, tables, per_accelerator=per_accelerator)
    why = _why_none(figure, candidates, of_same_size, record)
    if why and not (against and against.verdict is Verdict.CONTRADICTED):
        lacking = figure["round"] in record.whole and not figure["slower"] and not _elsewhere(figure, record)
        outcome = Verdict.CONTRADICTED if lacking else Verdict.NO_OFFICIAL_RESULT
        yield Judgment(figure, CHECK, NOTHING, "", f"{why}.", verdict=outcome)
    if against:
        yield against


def _against(
    figure: Row, candidates: list[Row], others: list[Row], tables: Tables, *, per_accelerator: bool
) -> Judgment:
    """The verdict against the nearest official result, or against the sibling part where only that agrees."""
    printed = interval.of(figure)
    if per_accelerator and figure["per"] == "system":
        printed /= float(figure["accelerator_count"])
    if not per_accelerator:
        others = [row for row in others if row["accelerator_count"] == figure["accelerator_count"]]

    def value(row: Row) -> Interval:
        return rate(row, figure["unit"], per_accelerator)

    unit = figure["unit"] + (" per accelerator" if per_accelerator else "")
    cited = tables.cited.get(figure["source_id"], set())
    outcome, expected, behind = _nearest(figure, printed, _of_the_named(figure, candidates), value, cited)
    words = values_in_words(behind, expected, unit)
    of_sibling, elsewhere, sibling = _nearest(figure, printed, _of_the_named(figure, others), value, cited)
    if outcome is Verdict.CONTRADICTED and of_sibling in HOLDS:
        parts = " and ".join(dict.fromkeys(row["accelerator"] for row in sibling))
        words = f"Confirmed only for the {parts}: {values_in_words(sibling, elsewhere, unit)}; {words}"
        outcome, expected, behind = Verdict.CONDITIONAL, elsewhere, sibling
    elif outcome is Verdict.CONTRADICTED and not (
        is_among(figure, candidates) or figure["round"] in tables.record.whole
    ):
        outcome = Verdict.UNVERIFIABLE
        words = f"The result of {figure['submitter'] or figure['system']} is not in the data; {words}"
    elif outcome not in AGREES:
        words += f": the figure is {verdict.difference_in_words(printed, expected)}"
    check = PER_ACCELERATOR if per_accelerator else CHECK
    details = {"verdict": outcome, "printed": printed, "unit": unit, "result_ids": result_ids(behind)}
    return Judgment(figure, check, expected, ids_in_words(behind), f"{words}.", **details)


def _elsewhere(figure: Row, record: Record) -> bool:
    """Whether there are such results in another division, where the document names none."""
    others = () if figure["division"] else [name for name in DIVISIONS if name != "closed"]
    cards = record.cards(figure["accelerator"])
    return any(record.beside(figure | {"division": name}, cards) for name in others)


def _of_the_named(figure: Row, rows: list[Row]) -> list[Row]:
    """The results of the submitter and of the system that the document names, as far as they are among these.

    A document prints a part of the name under which a system was submitted.
    """
    rows = [row for row in rows if row["submitter"] == figure["submitter"]] or rows
    return [row for row in rows if figure["system"] and figure["system"] in row["system"]] or rows


def _nearest(
    figure: Row, printed: Interval, rows: list[Row], value: Callable[[Row], Interval], cited: Collection[str]
) -> tuple[Verdict, Interval, list[Row]]:
    """The best verdict over single results and those behind it; where none agrees, against all of them together.

    Of several that agree those count whose ids are `cited`.
    """
    valued = [(row, value(row)) for row in rows]
    valued = [(row, value) for row, value in valued if value.known]
    outcomes = [verdict.compare(printed, value, figure["range_basis"]) for _, value in valued]
    nearest = verdict.best(outcomes)
    if nearest in AGREES:
        valued = [pair for pair, outcome in zip(valued, outcomes, strict=True) if outcome is nearest]
        valued = [pair for pair in valued if pair[0]["result_id"] in cited] or valued
    expected = interval.envelope(value for _, value in valued)
    return verdict.compare(printed, expected, figure["range_basis"]), expected, [row for row, _ in valued]


def _power(figure: Row, tables: Tables) -> Iterator[Judgment]:
    def watts(row: Row) -> Interval:
        return interval.of(row, "power_watts")

    def per_watt(row: Row) -> Interval:
        return rate(row, figure["unit"], False) / watts(row)

    for name, value, unit in (("power_watts", watts, "W"), ("per_watt", per_watt, f"{figure['unit']} per W")):
        printed = interval.of(figure, name)
        if not printed.known:
            continue
        candidates = [row for row in tables.record.beside(figure, [figure["accelerator"]]) if watts(row).known]
        candidates = [row for row in candidates if row["accelerator_count"] == figure["accelerator_count"]]
        if candidates:
            cited = tables.cited.get(figure["source_id"], set())
            outcome, expected, behind = _nearest(figure, printed, _of_the_named(figure, candidates), value, cited)
            words = f"{values_in_words(behind, expected, unit)}."
            yield Judgment(
                figure, POWER, expected, ids_in_words(behind), words, verdict=outcome, printed=printed, unit=unit
            )


def _why_none(figure: Row, candidates: list[Row], of_same_size: list[Row], record: Record) -> str:
    """Why no official result is of the figure's own system, or "".

    `candidates` are the results that may be compared with it, of any size, `of_same_size` those of its own.
    """
    accelerator, count = figure["accelerator"], figure["accelerator_count"]
    if not figure["round"]:
        batch = figure["batch_size"]
        return f"No MLPerf result: {f'batch size {batch:.0f}' if batch > 0 else 'neither scenario nor round is named'}"
    if figure["slower"]:
        faster = f"The document has {accelerator} faster at another precision, as submissions are"
        return f"{faster}; no official result is known to be {figure['precision']}"
    whole, run = figure["round"] in record.whole, f"{figure['benchmark']} {figure['scenario']}".strip()
    no_result, at_hand = f"No official {figure['round']} result of {run}", " is in the data"
    if whole:
        division = figure["division"] or "closed"
        no_result, at_hand = f"The complete {figure['round']} results contain no {division} result of {run}", ""
    if not candidates:
        rounds = record.rounds(figure["benchmark"])
        rounds_at_hand = "" if figure["round"] in rounds else f" (rounds in the data: {', '.join(rounds) or 'none'})"
        return f"{no_result} on {accelerator}{at_hand}{rounds_at_hand}"
    asked_for = f"{count:.0f}x {accelerator}" if count > 0 else f"this number of {accelerator}"
    return "" if of_same_size else f"{no_result} on {asked_for}{at_hand}, only on {sizes(candidates)}"
