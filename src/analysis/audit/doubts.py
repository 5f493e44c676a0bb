"""What is doubtful about each result, as a word for its caveat and a mark for the gate; checking is done elsewhere."""

from __future__ import annotations

import pandas as pd

from analysis.audit import against_record, physics, verdict

SAID = {
    "impossible": "above what its hardware can do",
    "contradicts": "contradicts the official record",
    "no_official_basis": "no official result of it at hand",
    "unverifiable": "the official result of its system is not at hand",
    "conditional": "officially so only for the part with another power limit",
}
UNCHECKED = ("impossible", "contradicts", "no_official_basis", "unverifiable")


def marked(rows: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame) -> pd.DataFrame:
    """The results with `doubt` (a few words, "" where none) and `checked` (false where the record leaves it in doubt).

    A figure is as good as its worst verdict, but where the record has other sizes only, the comparison per accelerator
    stands in for that of the system. Official and measured results are not judged: they are no quotations.
    """
    tables = (rows, benchmarks, accelerators)
    record = against_record.results(*tables).groupby("row_id")["verdict"].agg(list).map(_of_record)
    limits = pd.concat([physics.decode(*tables), physics.compute(*tables)])
    ceilings = limits.groupby("row_id")["verdict"].agg(verdict.worst)
    first = rows["duplicate_of"].where(rows["duplicate_of"].ne(""), rows["id"])
    both = pd.concat([first.map(record), first.map(ceilings)], axis=1).fillna("exact")
    worst = both.apply(verdict.worst, axis=1)
    return rows.assign(doubt=worst.map(SAID).fillna("").astype("str"), checked=~worst.isin(UNCHECKED))


def _of_record(verdicts: list[str]) -> str:
    """That of the comparison per accelerator where the record lacks the system itself, else the worst."""
    beside = [each for each in verdicts if each != "no_official_basis"]
    return verdict.worst(beside or verdicts)
