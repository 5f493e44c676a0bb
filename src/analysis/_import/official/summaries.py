"""Summary files: the results that MLCommons published of a round, by one set of names.

`summary_results.json` (until v6.0) is a list of results, `summary.json` (v6.1) an object of numbered ones, and
`cm-result.json` a list of the Collective Mind collections of rounds until v4.0, one file for each suite, division,
benchmark and scenario. Power is beside its result, or in v4.0 and v6.1 in a row of its own behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis._import.official import json_file, units
from analysis._import.official.entry import Entry, EntryError
from analysis._import.official.tree import COLLECTED

KEYS = {  # field of an Entry -> the keys that may hold it; the first that says something counts
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
    "accuracy": ("Accuracy",),
    "weights": ("weight_data_types",),
    "framework": ("Software", "framework"),
    "location": ("Location",),
    "described": ("Notes", "notes"),
}
REQUIRED = ("submitter", "division", "suite", "scenario", "value", "label", "model_run", "model")
PRESENT = ("availability", "accelerator", "nodes", "location")  # fields whose key must be there, if only with ""
SAME = ("Location", "Platform", "Model", "Scenario", "version")  # in which a row of power agrees with its result
FLAG_UNTIL = "v6.0"  # from this round on the flag `inferred` also says how a folder is spelled
LINKS = ("Details", "Code", "git_url", "url")  # keys that may hold an address in the repository of the results
FLAGS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False, "none": False, "": False}
_ROUND = re.compile(r"v?(\d{1,3}\.\d{1,3})")
_PLACE = re.compile(r"^(?:\./)?(.*?)(?:/performance/run_1)?/?$")
_REPOSITORY = re.compile(r"https?://github\.com/([^/\s]+/[^/\s]+)")
_ID = re.compile(r"v?(\d\.\d-\d{4})")


def entries(path: Path, round: str = "") -> Iterator[tuple[int, Entry | EntryError]]:
    """Each result of a summary with its number in the file, from 1, or what is wrong with it.

    `round` is that of rows that name none. Raises EntryError where the file is no summary.
    """
    content = json_file.read(path)
    if not isinstance(content, list | dict):
        raise EntryError(f"is {type(content).__name__}, expected a JSON list or object of results")
    results: list[tuple[int, Any]] = []
    for number, raw in enumerate(content.values() if isinstance(content, dict) else content, 1):
        if results and _is_power_of(raw, results[-1][1]):
            power = raw.get("Result_Power")
            results[-1][1].update(
                Result_Power=_first(raw, KEYS["value"]) if power is None else power,
                Result_Power_Units=_first(raw, KEYS["label"]),
            )
        else:
            results.append((number, raw))
    evidence = "collection" if path.name == COLLECTED else "summary"
    for number, raw in results:
        try:
            yield number, entry(raw, round, evidence)
        except EntryError as error:
            yield number, error


def _is_power_of(raw: Any, result: Any) -> bool:
    """Whether `raw` is a row of power alone, that of the row before it."""
    if not (isinstance(raw, dict) and isinstance(result, dict)):
        return False
    is_power, is_result = (units.of_power(_first(row, KEYS["label"])) for row in (raw, result))
    return bool(is_power and not is_result) and all(raw.get(key) == result.get(key) for key in SAME)


def entry(raw: Any, round: str = "", evidence: str = "summary") -> Entry:
    """The fields of one row; `round` where it names none. Raises EntryError naming the key that is missing."""
    if not isinstance(raw, dict):
        raise EntryError(f"is {type(raw).__name__}, not an object with the names of a result")
    fields = {name: _first(raw, keys) for name, keys in KEYS.items()}
    for name in REQUIRED:
        if fields[name] is None:
            raise EntryError(f"has no {' or '.join(KEYS[name])}")
    for keys in (*(KEYS[name] for name in PRESENT), KEYS["per_node"] + KEYS["total"]):
        if not any(key in raw for key in keys):
            raise EntryError(f"has no {' or '.join(keys)}, not even an empty one")
    fields |= {name: str(fields[name]) for name in ("model_run", "model")}
    fields["round"] = _matched(_ROUND, fields["round"], "v") or round
    fields["described"] = str(fields["described"] or "")
    fields["result_id"] = _matched(_ID, fields["result_id"])
    fields["location"] = _PLACE.sub(r"\1", str(fields["location"] or ""))
    fields["repository"] = next((match[1] for key in LINKS if (match := _REPOSITORY.match(str(raw.get(key))))), "")
    inferred = _flag(raw, "inferred") and units.before(fields["round"], FLAG_UNTIL)
    return Entry(**fields, inferred=inferred, has_power=_flag(raw, "has_power"), evidence=evidence)


def _first(raw: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """What the first of `keys` that says something holds, None where none does."""
    return next((value for key in keys if (value := raw.get(key)) not in (None, "", "-")), None)


def _flag(raw: Mapping[str, Any], key: str) -> bool:
    """Whether `key` is true, as a boolean, a number or a word; false where it is missing. Raises EntryError."""
    word = str(raw.get(key)).strip().lower()
    if word not in FLAGS:
        raise EntryError(f"has {key} {raw[key]!r}, neither true nor false")
    return FLAGS[word]


def _matched(pattern: re.Pattern[str], text: Any, before: str = "") -> str:
    match = pattern.fullmatch(str(text))
    return before + match[1] if match else ""
