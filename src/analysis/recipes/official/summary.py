"""Read MLCommons' summary files of a round's results into one set of field names.

`summary_results.json` (v4.1 to v6.0) is a list of results, `summary.json` (from v6.1) an object of numbered ones.
"""

from __future__ import annotations

import csv
import io
from typing import Any

from analysis.paths import parse_json
from analysis.recipes.official.units import POWER

KEYS = {  # field -> the keys that may hold it; the first non-empty one is used
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
    """Return decoded UTF-8 or UTF-16 text, with or without a byte order mark; Latin-1 where it is neither."""
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
        raise FileError(f"is not valid JSON: {error}") from None


def clean(value: Any) -> str:
    """Return a cell of text: single blanks, nothing unprintable, nothing that a spreadsheet would run as a formula."""
    text = "" if value is None or value != value else str(value)
    words = " ".join("".join(letter for letter in text if letter.isprintable() or letter.isspace()).split())
    return f"'{words}" if words.startswith(("=", "+", "-", "@")) and words != "-" else words


def read_summary(text: str, *, is_table: bool = False) -> list[dict[str, Any]]:
    """Return the results of a summary with the fields of KEYS as published (None where not said).

    `is_table` is for the CSV that the submission checker writes of the same fields, before a summary exists.

    `place` is the number of the result in the file, `fault` what is missing in it. Power in an entry of its own joins
    the result before it. Raises FileError if it is not a summary.
    """
    try:
        content = list(csv.DictReader(io.StringIO(text))) if is_table else read_json(text)
    except csv.Error as error:
        raise FileError(f"is not a table: {error}") from None
    entries = list(content.values()) if isinstance(content, dict) else content
    if not isinstance(entries, list) or not entries:
        raise FileError("is not a list or object of results")
    results: list[dict[str, Any]] = []
    for number, entry in enumerate(entries, 1):
        result = _fields(entry if isinstance(entry, dict) else {})
        if results and _is_power_of(result, results[-1]):
            results[-1] |= {"power": result["value"], "power_label": result["label"], "has_power": True}
        else:
            results.append(result | {"place": f"row {number}", "evidence": "summary"})
    return results


def _fields(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an entry, and as `fault` the first that is required and missing."""
    result = {name: next((entry[key] for key in keys if _is_said(entry.get(key))), None) for name, keys in KEYS.items()}
    missing = next((name for name in REQUIRED if result[name] is None), None)
    return result | {"fault": f"has no {' or '.join(KEYS[missing])}" if missing else ""}


def _is_said(value: Any) -> bool:
    return value not in EMPTY and value == value


def _is_power(result: dict[str, Any]) -> bool:
    return str(result["label"]).strip().lower() in POWER


def _is_power_of(entry: dict[str, Any], result: dict[str, Any]) -> bool:
    """Return whether an entry is the power of the result before it, which has none of its own."""
    is_same = all(entry[name] == result[name] for name in POWER_OF)
    return _is_power(entry) and not _is_power(result) and result["power"] is None and is_same
