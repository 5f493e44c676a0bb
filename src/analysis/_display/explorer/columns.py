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


def _facet(name: str, short: str = "") -> Column:
    return Column(name, FACETS[name], first=True, table=True, short=short)


COLUMNS = (
    _facet("round"),
    _facet("benchmark"),
    _facet("scenario"),
    _facet("accelerator"),
    _facet("accelerator_count", short="Count"),
    Column("per_accelerator", "Throughput per accelerator", first=True, table=True),
    Column("rate", "System throughput", first=True, table=True),
    Column("rate_unit", "Unit", first=True, table=True),
    Column("latency_ms", "Latency (ms)", first=True, table=True),
    Column("watts", "Power (W)", first=True, table=True),
    Column("joules", "Energy (J per token, sample or query)", first=True, table=True),
    Column("speed", "Interactivity (tokens/s per user)", first=True, table=True),
    _facet("precision"),
    _facet("submitter"),
    Column("system", "System", first=True, table=True),
    _facet("software"),
    _facet("division"),
    _facet("availability"),
    _facet("suite"),
    _facet("power"),
    _facet("evidence"),
    Column("accuracy_target", "Accuracy target (% of reference)", first=True, table=True, short="Accuracy target (%)"),
    Column("result_id", "Result id", first=True, table=True),
    Column("notes", "Notes", first=True, table=True),
    Column("left_out", "Excluded, because", first=True),
    Column("power_capped", "Power-capped", first=True),
    Column("system_key", "", first=True, hidden=True),
    Column("apart_rounds", "", first=True, hidden=True),
    Column("apart_division", "", first=True, hidden=True),
    Column("apart_suite", "", first=True, hidden=True),
    Column("apart_accuracy_target", "", first=True, hidden=True),
    Column("apart_power", "", first=True, hidden=True),
    Column("apart_precision", "", first=True, hidden=True),
    Column("id", "Id in this project"),
    Column("low", "Published value"),
    Column("unit", "Unit of the published value"),
    Column("printed_unit", "Unit as submitted"),
    Column("model_run", "Model as submitted"),
    Column("accelerator_as_published", "Accelerator as submitted"),
    Column("nodes", "Nodes"),
    Column("version", "Framework as submitted"),
    Column("serving_software", "Serving software"),
    Column("hypervisor", "Hypervisor"),
    Column("precision_basis", "Precision from"),
    Column("accuracy", "Accuracy as submitted"),
    Column("tokens_per_sample", "Tokens per sample"),
    Column("assumed", "Tokens per sample assumed"),
    Column("proof", "Interactivity from"),
    Column("ttft_limit_ms", "TTFT limit, p99 (ms)"),
    Column("tpot_limit_ms", "TPOT limit, p99 (ms)"),
    Column("ttft_p50_ms", "TTFT median (ms)"),
    Column("ttft_p99_ms", "TTFT p99 (ms)"),
    Column("tpot_p50_ms", "TPOT median (ms)"),
    Column("tpot_p99_ms", "TPOT p99 (ms)"),
    Column("power_limit_watts", "Power limit per accelerator (W)"),
    Column("energy_millijoules_per_query", "Energy per query (mJ)"),
    Column("validity", "Validity in the log"),
    Column("recomputed", "Recomputed from the log"),
    Column("recomputed_key", "Recomputed from log entry"),
    Column("recomputed_difference", "Recomputed vs published (difference)"),
    Column("recomputed_power", "Power recomputed (W)"),
    Column("recomputed_power_difference", "Recomputed vs published power (difference)"),
    Column("inferred", "Inferred from another scenario"),
    Column("duplicate_of", "Duplicate of"),
    Column("corrected", "Correction"),
    Column("note", "Remark"),
    Column("location", "Folder in the public repository"),
    Column("source_id", "Source"),
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
