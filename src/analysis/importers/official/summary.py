"""One row of a round's summary file to plain fields, whichever round's names it has; units are judged elsewhere.

Shapes: `summary_results.json` of v4.1 and v5.1 (ID, Submitter, UsedModel, a#), `summary.json` of v6.1 (Organization,
MlperfModel, total_accelerators) and the Collective Mind lists of older rounds, which have the names of v6.1. Of these
only v6.1 names the folder of the run itself, from the root of the tree: `./closed/.../Offline/performance/run_1`.
"""

from __future__ import annotations

import re
from typing import Any

from analysis.importers.official.entry import Entry, EntryError

NAMES = {
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
    "scenario": ("Scenario",),
    "value": ("Performance_Result", "Result"),
    "label": ("Performance_Units", "Result_Units", "Units"),
    "power": ("Power_Result", "Result_Power"),
    "power_label": ("Power_Units", "Result_Power_Units"),
    "accuracy": ("Accuracy",),
    "weights": ("weight_data_types",),
    "framework": ("Software", "framework"),
    "location": ("Location",),
    "remark": ("Notes", "notes"),
}
REQUIRED = ("submitter", "division", "suite", "scenario", "value", "label")
PRESENT = [NAMES[name] for name in ("availability", "accelerator", "nodes", "location")]  # may be empty, not absent
PRESENT += [(*NAMES["per_node"], *NAMES["total"])]
FLAGS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False, "none": False, "": False}
_ROUND = re.compile(r"v?(\d+\.\d+)")
_PLACE = re.compile(r"^(?:\./)?(.*?)(?:/performance/run_1)?/?$")
_ID = re.compile(r"v?(\d\.\d-\d{4})")


def entry(raw: Any, round: str = "") -> Entry:
    """The fields of one row; `round` where the row names none. Raises EntryError naming the key that is missing."""
    if not isinstance(raw, dict):
        raise EntryError(f"is {type(raw).__name__}, not an object with the names of a result")
    found = {name: _first(raw, keys) for name, keys in NAMES.items()}
    run, model = ("UsedModel", "Model") if "UsedModel" in raw else ("Model", "MlperfModel")
    for keys in [*(NAMES[name] for name in REQUIRED), (run,), (model,) if run == "UsedModel" else ("UsedModel", model)]:
        if _first(raw, keys) is None:
            raise EntryError(f"has no {' or '.join(keys)}")
    for keys in [*PRESENT, *([NAMES["result_id"]] if "UsedModel" in raw else [])]:
        if not any(key in raw for key in keys):
            raise EntryError(f"has no {' or '.join(keys)}, not even an empty one")
    found |= {"model_run": str(raw[run]), "model": str(raw[model])}
    found["round"] = _matched(_ROUND, found["round"], "v") or round
    found["result_id"] = _matched(_ID, found["result_id"])
    found["location"] = _PLACE.sub(r"\1", str(found["location"] or ""))
    found |= {name: _flag(raw, name) for name in ("inferred", "has_power")}
    return Entry(**found)


def _first(raw: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """The value of the first key that says something: null, an empty text and a dash are no value."""
    for key in keys:
        value = raw.get(key)
        if value is not None and value != "" and value != "-":
            return value
    return None


def _flag(raw: dict[str, Any], key: str) -> bool:
    """Whether `key` is true, as a boolean, a number or a word; false where it is missing. Raises EntryError."""
    said = str(raw.get(key)).strip().lower()
    if said not in FLAGS:
        raise EntryError(f"has {key} {raw[key]!r}, neither true nor false")
    return FLAGS[said]


def _matched(pattern: re.Pattern[str], text: Any, before: str = "") -> str:
    match = pattern.fullmatch(str(text)) if text is not None else None
    return before + match[1] if match else ""
