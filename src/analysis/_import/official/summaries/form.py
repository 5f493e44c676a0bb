"""The form of a summary file: under which keys its rows hold the fields of a result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis._import.official import units
from analysis._import.official.entry import Entry, EntryError

FLAG_UNTIL = "v6.0"  # from this round on the flag `inferred` also says how a folder is spelled
REQUIRED = ("submitter", "division", "suite", "scenario", "value", "label", "model_run", "model")
LINKS = ("Details", "Code", "git_url", "url")  # keys that may hold an address in the repository of the results
FLAGS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False, "none": False, "": False}
_ROUND = re.compile(r"v?(\d{1,3}\.\d{1,3})")
_PLACE = re.compile(r"^(?:\./)?(.*?)(?:/performance/run_1)?/?$")
_REPOSITORY = re.compile(r"https?://github\.com/([^/\s]+/[^/\s]+)")
_ID = re.compile(r"v?(\d\.\d-\d{4})")


@dataclass(frozen=True)
class Form:
    """How one kind of summary writes a result; a row that has one of the keys `known_by` is of this form.

    `keys` gives each field of Entry the keys that may hold it: the first that says something counts. Fields of REQUIRED
    must be there; of the groups of fields in `present` some key must, though its value may be empty. Where power is
    in a row of its own, `same` are the keys in which it agrees with its result.
    `evidence` is what such a file is, one of vocabulary.EVIDENCE.
    """

    known_by: frozenset[str]
    keys: Mapping[str, tuple[str, ...]]
    present: tuple[tuple[str, ...], ...]
    same: tuple[str, ...] = ()
    evidence: str = "summary"

    def entry(self, raw: Mapping[str, Any], round: str = "") -> Entry:
        """The fields of one row; `round` where the row names none. Raises EntryError naming the missing key."""
        fields = {name: _first(raw, keys) for name, keys in self.keys.items()}
        for name in REQUIRED:
            if fields[name] is None:
                raise EntryError(f"has no {' or '.join(self.keys[name])}")
        for group in self.present:
            keys = [key for name in group for key in self.keys[name]]
            if not any(key in raw for key in keys):
                raise EntryError(f"has no {' or '.join(keys)}, not even an empty one")
        fields |= {name: str(_first(raw, self.keys[name])) for name in ("model_run", "model")}
        fields["round"] = _matched(_ROUND, fields["round"], "v") or round
        fields["described"] = str(fields["described"] or "")
        fields["result_id"] = _matched(_ID, fields.get("result_id"))
        fields["location"] = _PLACE.sub(r"\1", str(fields["location"] or ""))
        fields["repository"] = next((match[1] for key in LINKS if (match := _REPOSITORY.match(str(raw.get(key))))), "")
        fields |= {name: _flag(raw, name) for name in ("inferred", "has_power")}
        fields["evidence"] = self.evidence
        fields["inferred"] &= units.before(fields["round"], FLAG_UNTIL)
        return Entry(**fields)

    def power(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Power and its unit, by key, as a row of power alone gives them; {} for any other row."""
        label = _first(raw, self.keys["label"])
        if not self.same or units.of_power(label) == "":
            return {}
        value, unit = self.keys["power"][0], self.keys["power_label"][0]
        return {value: raw[value] if raw.get(value) is not None else _first(raw, self.keys["value"]), unit: label}

    def belongs(self, power: Mapping[str, Any], raw: Mapping[str, Any]) -> bool:
        """Whether a row of power alone is of the result `raw`."""
        return not self.power(raw) and all(raw.get(key) == power.get(key) for key in self.same)


def _first(raw: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    """The value of the first key that says something: null, an empty text and a dash are no value."""
    for key in keys:
        value = raw.get(key)
        if value is not None and value != "" and value != "-":
            return value
    return None


def _flag(raw: Mapping[str, Any], key: str) -> bool:
    """Whether `key` is true, as a boolean, a number or a word; false where it is missing. Raises EntryError."""
    word = str(raw.get(key)).strip().lower()
    if word not in FLAGS:
        raise EntryError(f"has {key} {raw[key]!r}, neither true nor false")
    return FLAGS[word]


def _matched(pattern: re.Pattern[str], text: Any, before: str = "") -> str:
    match = pattern.fullmatch(str(text)) if text is not None else None
    return before + match[1] if match else ""
