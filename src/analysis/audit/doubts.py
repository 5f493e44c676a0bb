"""What is doubtful about each result, as the code of its note and a mark for the gate."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.audit import against_record, physics, verdict
from analysis.audit.frames import Tables
from analysis.core.paths import DATA
from analysis.data.catalog import Catalog

NOTES = {
    "impossible": "above_hardware",
    "contradicts": "contradicts_record",
    "no_official_basis": "no_official_result",
    "unverifiable": "system_not_at_hand",
    "conditional": "other_power_limit",
}
UNCHECKED = ("impossible", "contradicts", "no_official_basis", "unverifiable")


def catalog(folder: Path = DATA) -> Catalog:
    """The tables of a data folder whose results may be compared: each is audited at the first comparison."""
    return Catalog(folder, of_each)


def of_each(data: Catalog) -> pd.DataFrame:
    """Of each result, by its id: `doubt` (the code of a note, "" for nothing) and `checked` (borne out by the record).

    A figure is as good as its worst verdict, but where the record has other sizes only, the comparison per accelerator
    stands in for that of the system. Official and measured results are not judged: they are no quotations.
    """
    rows = data.results
    tables = Tables(rows, data.benchmarks, data.accelerators)
    record = verdict.frame(against_record.results(tables)).groupby("row_id")["verdict"].agg(list).map(_of_record)
    limits = verdict.frame([*physics.decode(tables), *physics.compute(tables)])
    ceilings = limits.groupby("row_id")["verdict"].agg(verdict.worst)
    first = rows["duplicate_of"].where(rows["duplicate_of"].ne(""), rows["id"])
    verdicts = zip(first.map(record).fillna("exact"), first.map(ceilings).fillna("exact"), strict=True)
    worst = pd.Series([verdict.worst(pair) for pair in verdicts], index=rows.index, dtype="str")
    doubt, checked = worst.map(NOTES).fillna("").astype("str"), ~worst.isin(UNCHECKED)
    return pd.DataFrame({"doubt": doubt.to_numpy(), "checked": checked.to_numpy()}, index=pd.Index(rows["id"]))


def _of_record(verdicts: list[str]) -> str:
    """That of the comparison per accelerator where the record lacks the system itself, else the worst."""
    beside = [own for own in verdicts if own != "no_official_basis"]
    return verdict.worst(beside or verdicts)
