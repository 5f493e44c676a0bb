"""Read MLCommons' summary files of a round's results into one set of field names.

`summary_results.json` (v4.1 to v6.0) is a list of results, `summary.json` (from v6.1) an object of numbered ones.
"""

from __future__ import annotations

import csv
import io
from typing import Any

import pandas as pd

from analysis.paths import parse_json
from analysis.recipes.official.units import POWER

KEYS = {  # field -> the keys that may hold it; the first that says something counts
    "round": ("version",),
    "result_id": ("ID",),
    "submitter": ("Submitter", "Organization"),
    "division": ("Category", "Division", "compliance"),
    "availability": ("Availability",),
    "suite": ("Suite", "SystemType"),
    "system": ("System", "SystemName"),
    "platform": ("Platform",),
    "accelerator": ("Accelerator", "accelerator_model_name"),
    "processor": ("Processor", "host_processor_model_name"),
    "per_node": ("a#", "accelerators_per_node"),
    "total": ("total_accelerators",),
    "nodes": ("Nodes", "number_of_nodes"),
    "processors_per_node": ("host_processors_per_node",),
    "model_run": ("UsedModel", "Model"),
    "model": ("MlperfModel", "Model"),
    "scenario": ("Scenario",),
    "value": ("Performance_Result", "Result"),
    "label": ("Performance_Units", "Units"),
    "power": ("Power_Result",),
    "power_label": ("Power_Units",),
    "has_power": ("has_power",),
    "inferred": ("inferred",),
    "accuracy": ("Accuracy",),
    "weights": ("weight_data_types",),
    "framework": ("Software", "framework"),
    "location": ("Location",),
    "described": ("Notes", "notes"),
    "link": ("Details", "Code"),  # an address in the repository of the results
}
REQUIRED = ["submitter", "division", "suite", "scenario", "value", "label", "model_run", "model", "nodes"]
POWER_OF = ["location", "platform", "model_run", "scenario", "round"]  # columns shared by a power row and its result
EMPTY = ("", "-", None)


class FileError(ValueError):
    """Raised for a file that is not a results file. The message is a predicate to append to the file name."""


def decoded(content: bytes) -> str:
    """Return text of UTF-8 or UTF-16, with or without a byte order mark; Latin-1 where it is neither."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def read_json(text: str) -> Any:
    """Return the content of a JSON text. Raises FileError."""
    try:
        return parse_json(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"is no JSON: {error}") from None


def read_summary(text: str, *, is_table: bool = False) -> pd.DataFrame:
    """Return the results of a summary, one row each, with the fields of KEYS as published (None where not said).

    `is_table` is for the CSV that the submission checker writes of the same fields, before a summary exists.

    `place` is the number of the row in the file, `fault` what is missing in it. A power result in a row of its own
    joins the result before it. Raises FileError where it is no summary.
    """
    try:
        content = list(csv.DictReader(io.StringIO(text))) if is_table else read_json(text)
    except csv.Error as error:
        raise FileError(f"is no table: {error}") from None
    results = list(content.values()) if isinstance(content, dict) else content
    if not isinstance(results, list) or not results:
        raise FileError("is no list or object of results")
    told = [each if isinstance(each, dict) else {} for each in results]
    fields = {
        name: [next((each[key] for key in keys if _is_said(each.get(key))), None) for each in told]
        for name, keys in KEYS.items()
    }
    rows = pd.DataFrame(fields, dtype=object)
    missing = rows[REQUIRED].isna()
    keys = missing.idxmax(axis=1).map({name: "has no " + " or ".join(KEYS[name]) for name in REQUIRED})
    places = [f"row {number}" for number in range(1, len(rows) + 1)]
    return _joined_power(rows.assign(place=places, fault=keys.where(missing.any(axis=1), ""), evidence="summary"))


def _is_said(value: Any) -> bool:
    return value not in EMPTY and value == value


def _joined_power(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the results, each with the power of the row behind it where that is a row of its power alone."""
    is_power, keys = rows["label"].map(str).str.strip().str.lower().isin(POWER), rows[POWER_OF].map(repr)
    behind = is_power.shift(-1, fill_value=False) & ~is_power & keys.eq(keys.shift(-1)).all(axis=1)
    joined = behind & rows["power"].isna()
    for name, source in (("power", "value"), ("power_label", "label")):
        rows[name] = rows[name].mask(joined, rows[source].shift(-1))
    rows["has_power"] = rows["has_power"].mask(joined, True)
    return rows[~joined.shift(fill_value=False)].reset_index(drop=True)
