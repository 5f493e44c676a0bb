"""Read summary files: the results that MLCommons published of a round, under one set of names.

`summary_results.json` (v4.1 to v6.0) is a list of results, `summary.json` (from v6.1) an object of numbered ones.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

LARGEST = 64 << 20  # bytes; summaries have 1 to 3 MB
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
    "label": ("Performance_Units", "Result_Units", "Units"),
    "power": ("Power_Result", "Result_Power"),
    "power_label": ("Power_Units", "Result_Power_Units"),
    "has_power": ("has_power",),
    "inferred": ("inferred",),
    "accuracy": ("Accuracy",),
    "weights": ("weight_data_types",),
    "framework": ("Software", "framework"),
    "location": ("Location",),
    "described": ("Notes", "notes"),
}
REQUIRED = ("submitter", "division", "suite", "scenario", "value", "label", "model_run", "model", "nodes")
LINKS = ("Details", "Code")  # keys that hold an address in the repository of the results
POWER_OF = ["location", "platform", "model_run", "scenario", "round"]  # columns shared by a power row and its result
EMPTY = ("", "-", None)


class FileError(ValueError):
    """A file is not one of results. The message says what is wrong with it, to follow its name."""


def decoded(content: bytes) -> str:
    """Return text of UTF-8 or UTF-16, with or without a byte order mark; Latin-1 where it is neither."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def read_json(path: Path, largest: int = LARGEST) -> Any:
    """Return the content of a JSON file. Raises FileError."""
    try:
        if path.stat().st_size > largest:
            raise FileError(f"is larger than {largest >> 20} MiB")
        return json.loads(decoded(path.read_bytes()))
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"is no JSON: {error}") from None


def read_summary(path: Path) -> pd.DataFrame:
    """Return the results of a summary, one row each, with the fields of KEYS as published (None where not said).

    `place` is the number of the row in the file, `fault` what is missing in it; `link` the address in the repository.
    A power result in a row of its own (v6.x) joins the result before it. Raises FileError where it is no summary.
    """
    content = read_json(path)
    results = list(content.values()) if isinstance(content, dict) else content
    if not isinstance(results, list) or not results:
        raise FileError("is no list or object of results")
    results = [each if isinstance(each, dict) else {} for each in results]
    wanted = {key for keys in (*KEYS.values(), LINKS) for key in keys}
    raw = pd.DataFrame({key: pd.Series([each.get(key) for each in results], dtype=object) for key in wanted})
    rows = pd.DataFrame({name: _first(raw, keys) for name, keys in KEYS.items()}, dtype=object)
    rows["link"] = _first(raw, LINKS)
    rows["place"] = [f"row {number}" for number in range(1, len(rows) + 1)]
    rows["evidence"] = "summary"
    rows["fault"] = ""
    for name in REQUIRED:
        missing = rows[name].isna() & rows["fault"].eq("")
        rows.loc[missing, "fault"] = f"has no {' or '.join(KEYS[name])}"
    return _joined_power(rows)


def _first(raw: pd.DataFrame, keys: tuple[str, ...]) -> pd.Series:
    """Return what the first of `keys` that says something holds, None where none does."""
    found = pd.Series(None, index=raw.index, dtype=object)
    for key in keys:
        says = raw[key].map(lambda cell: cell not in EMPTY and cell == cell)
        found = found.where(found.notna() | ~says, raw[key])
    return found


def _joined_power(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the results, each with the power of the row behind it where that is a row of its power alone."""
    is_power = rows["label"].map(lambda label: str(label).strip().lower() in ("watts", "millijoules", "joules"))
    before, texts = rows.shift(1), rows[POWER_OF].map(repr)
    joins = (
        is_power & ~is_power.shift(1, fill_value=True) & texts.eq(texts.shift(1)).all(axis=1) & before["power"].isna()
    )
    results = (joins.index[joins] - 1).to_numpy()
    rows.loc[results, "power"] = rows.loc[joins, "value"].to_numpy()
    rows.loc[results, "power_label"] = rows.loc[joins, "label"].to_numpy()
    rows.loc[results, "has_power"] = True
    return rows[~joins].reset_index(drop=True)
