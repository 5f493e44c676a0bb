"""The columns of the explorer, and how a frame of them becomes text that a page carries: dictionaries, zipped.

A page is asked for its first view before anything else, so the columns that views and filters read are packed apart
from those that only an opened row or a download shows.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis._core import notes
from analysis._core.explorer_links import FACETS
from analysis._core.vocabulary import round_age

LEVEL = 7  # of compression: two per cent larger than by 9, and packed in half the time


@dataclass(frozen=True)
class Column:
    """A column of the explorer: its name in the record, its head with the unit, and where it is shown.

    `first`: read by views and filters. `table`: is in the table, under `short` where the head is long. `hidden`:
    read by the page's script alone.
    """

    name: str
    head: str
    first: bool = False
    table: bool = False
    hidden: bool = False
    short: str = ""


# Heads by name: of the columns of the table, of those that filters and cells read too, and of what an opened row or a
# download has.
IN_TABLE = {
    "round": FACETS["round"],
    "benchmark": FACETS["benchmark"],
    "scenario": FACETS["scenario"],
    "accelerator": FACETS["accelerator"],
    "accelerator_count": FACETS["accelerator_count"],
    "per_accelerator": "Throughput per accelerator",
    "rate": "System throughput",
    "rate_unit": "Unit",
    "usd_per_million": "Cost ($/million tokens)",
    "latency_ms": "Latency (ms)",
    "watts": "Power (W)",
    "joules": "Energy (J per token, sample or query)",
    "speed": "Interactivity (tokens/s per user)",
    "precision": FACETS["precision"],
    "submitter": FACETS["submitter"],
    "system": "System",
    "software": FACETS["software"],
    "division": FACETS["division"],
    "availability": FACETS["availability"],
    "suite": FACETS["suite"],
    "power": FACETS["power"],
    "evidence": FACETS["evidence"],
    "accuracy_target": "Accuracy target (% of reference)",
    "result_id": "Result id",
    "notes": "Notes",
}
SHORT = {"accelerator_count": "Count", "accuracy_target": "Accuracy target (%)"}
READ_TOO = {"excluded": "Excluded, because", "power_capped": "Power-capped", "priced": "Price per accelerator"}
HIDDEN = (
    "system_key",
    "apart_rounds",
    "apart_division",
    "apart_suite",
    "apart_accuracy_target",
    "apart_power",
    "apart_precision",
)
FURTHER = {
    "id": "Id in this project",
    "low": "Published value",
    "unit": "Unit of the published value",
    "printed_unit": "Unit as submitted",
    "model_run": "Model as submitted",
    "accelerator_as_published": "Accelerator as submitted",
    "nodes": "Nodes",
    "version": "Framework as submitted",
    "serving_software": "Serving software",
    "hypervisor": "Hypervisor",
    "precision_basis": "Precision from",
    "accuracy": "Accuracy as submitted",
    "tokens_per_sample": "Tokens per sample",
    "assumed": "Tokens per sample assumed",
    "proof": "Interactivity from",
    "ttft_limit_ms": "TTFT limit, p99 (ms)",
    "tpot_limit_ms": "TPOT limit, p99 (ms)",
    "ttft_p50_ms": "TTFT median (ms)",
    "ttft_p99_ms": "TTFT p99 (ms)",
    "tpot_p50_ms": "TPOT median (ms)",
    "tpot_p99_ms": "TPOT p99 (ms)",
    "power_limit_watts": "Power limit per accelerator (W)",
    "energy_millijoules_per_query": "Energy per query (mJ)",
    "validity": "Validity in the log",
    "recomputed": "Recomputed from the log",
    "recomputed_key": "Recomputed from log entry",
    "recomputed_difference": "Recomputed vs published (difference)",
    "recomputed_power": "Power recomputed (W)",
    "recomputed_power_difference": "Recomputed vs published power (difference)",
    "inferred": "Inferred from another scenario",
    "duplicate_of": "Duplicate of",
    "corrected": "Correction",
    "note": "Remark",
    "location": "Folder in the public repository",
    "source_id": "Source",
}
COLUMNS = (
    *(Column(name, head, first=True, table=True, short=SHORT.get(name, "")) for name, head in IN_TABLE.items()),
    *(Column(name, head, first=True) for name, head in READ_TOO.items()),
    *(Column(name, "", first=True, hidden=True) for name in HIDDEN),
    *(Column(name, head) for name, head in FURTHER.items()),
)


def packed(rows: pd.DataFrame, columns: Sequence[Column] = COLUMNS) -> str:
    """The columns of the rows as text: JSON, zipped, in base64. The same text for the same rows.

    Texts are `{"values": [...], "places": [...]}`: the values there are, and the place of each row's; those of columns
    of the first view are sorted as people sort them, for it lists them and sorts by them. Numbers are a list, with null
    for what is not known.
    """
    by_name = {column.name: _column(column, rows[column.name]) for column in columns}
    content = json.dumps(by_name, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(gzip.compress(content.encode(), LEVEL, mtime=0)).decode()


def described(names: Mapping[str, Mapping[str, str]]) -> list[dict[str, Any]]:
    """The columns as the page's script reads them; `names` are the words for the values of a column."""
    return [
        asdict(column) | {"facet": column.name in FACETS, "words": dict(names.get(column.name, {}))}
        for column in COLUMNS
    ]


def _column(column: Column, cells: pd.Series) -> Any:
    if column.name == "notes":
        cells = cells.map({notes_of_row: notes.worded(notes_of_row) for notes_of_row in set(cells)})
    if pd.api.types.is_bool_dtype(cells):
        cells = cells.map({True: "yes", False: ""})
    if pd.api.types.is_numeric_dtype(cells):
        numbers = cells.to_numpy("float64", na_value=np.nan)
        return np.where(np.isnan(numbers), None, numbers).tolist()
    codes, values = pd.factorize(cells.astype("str"))
    if not column.first:
        return {"values": values.tolist(), "places": codes.tolist()}
    order = sorted(range(len(values)), key=lambda place: _rank(column.name, values[place]))
    places = np.empty(len(values), dtype="int64")
    places[order] = np.arange(len(values))
    return {"values": [values[place] for place in order], "places": places[codes].tolist()}


def _rank(name: str, value: str) -> tuple[Any, ...]:
    return (round_age(value),) if name == "round" else (value.casefold(), value)
