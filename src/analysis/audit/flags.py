"""What the audit doubts of each result, as the code of its note and a flag for the gate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from analysis._core.paths import DATA
from analysis._tables.catalog import Catalog
from analysis.audit import against_record, physics, verdict
from analysis.audit.frames import Tables
from analysis.audit.verdict import Judgment, Row, Verdict

NOTES = {
    "physically_impossible": "above_hardware",
    "contradicted": "contradicts_record",
    "no_official_result": "no_official_result",
    "unverifiable": "system_not_at_hand",
    "conditional": "other_power_limit",
}
UNCHECKED = ("physically_impossible", "contradicted", "no_official_result", "unverifiable")


def catalog(folder: Path = DATA) -> Catalog:
    """The tables of a data folder whose results may be compared: each is audited at the first comparison."""
    return Catalog(folder, of_each)


def of_each(data: Catalog) -> pd.DataFrame:
    """Of each result, by its id: `doubt` (the code of a note, "" for nothing) and `checked` (confirmed officially).

    A figure is as good as its worst verdict, but where only other sizes are official, the comparison per accelerator
    replaces that of the system. Official and measured results are not judged: they are no quotations.
    """
    names = ("results", "benchmarks", "accelerators", "rounds")
    tables = Tables(**{name: getattr(data, name) for name in names})
    record = _by_figure(against_record.results(tables))
    limits = _by_figure([*physics.decode(tables), *physics.compute(tables)])
    rows = data.results
    worst_verdicts = [_worst(figure, record, limits) for figure in tables.mentions("results")]
    places = np.flatnonzero(rows["origin"].eq("published"))
    doubt, checked = np.full(len(rows), "", dtype="object"), np.full(len(rows), True)
    doubt[places] = [NOTES.get(outcome, "") for outcome in worst_verdicts]
    checked[places] = [outcome not in UNCHECKED for outcome in worst_verdicts]
    return pd.DataFrame({"doubt": pd.array(doubt, dtype="str"), "checked": checked}, index=pd.Index(rows["id"]))


def _worst(figure: Row, record: dict[str, list[Verdict]], limits: dict[str, list[Verdict]]) -> Verdict:
    """The worst of the verdicts on a figure, or on the one that it repeats."""
    name = figure["duplicate_of"] or figure["id"]
    verdicts = record.get(name, [])
    beside = [outcome for outcome in verdicts if outcome is not Verdict.NO_OFFICIAL_RESULT]
    return verdict.worst([*(beside or verdicts), *limits.get(name, []), Verdict.CONFIRMED])


def _by_figure(judgments: Iterable[Judgment]) -> dict[str, list[Verdict]]:
    verdicts = defaultdict(list)
    for judgment in judgments:
        verdicts[judgment.figure["id"]].append(judgment.verdict)
    return verdicts
