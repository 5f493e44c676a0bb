"""Which rows are of one submitted system: one key for every place that pairs rows."""

from __future__ import annotations

import re

import pandas as pd

_OTHER = re.compile(r"[^a-z0-9.]+")


def keys(rows: pd.DataFrame) -> pd.Series:
    """The system of each row, never "": rows with the same key ran on the same system of the same submission.

    The result id where there is one; else round and folder of the system (division/submitter/results/platform) from
    the row's `location`; else its `id` without what ran there. A document tells no systems apart: its key is its
    `source_id`, and what pairs its rows must say that the systems may differ.
    """
    names = ["origin", "source_id", "round", "result_id", "id", "scenario"]
    optional = [rows.get(name, pd.Series("", index=rows.index)) for name in ("location", "model_run")]
    facts = zip(*(column.tolist() for column in (*(rows[name] for name in names), *optional)), strict=True)
    return pd.Series([_key(*row) for row in facts], index=rows.index, dtype="str")


def _key(
    origin: str, source_id: str, round: str, result_id: str, id: str, scenario: str, location: str, model_run: str
) -> str:
    if origin != "official":
        return f"of {source_id}"
    if result_id:
        return f"{round} {result_id}"
    folder = location.lower().rstrip("/").rsplit("/", 2)
    if len(folder) == 3 and "/results/" in f"{folder[0]}/":
        return f"{round} {folder[0]}"
    run_suffix = _OTHER.sub("-", f"-{model_run}-{scenario}".lower()).strip(".")
    return f"{round} {id.removesuffix(run_suffix)}"
