"""Read checked values of a record: numbers in the unit of their column, texts, counts; errors name file and key."""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

NAN = float("nan")
LONGEST = 200  # characters of a text that are kept
UNIT = re.compile(r"\((m?s|ns)\)$")
QUANTITIES = {
    "ms": ("time", 1.0),
    "s": ("time", 1e3),
    "second": ("rate", 1.0),
}  # last word of a column -> quantity, units of the table in one


class MeasurementError(ValueError):
    """Raised for a file without a usable run. The message names file, place, key, and the values found and expected."""


@cache  # a file of the package, asked for each record
def shipped_rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a table of this package: columns, fields, formats, others, or units."""
    return pd.read_csv(Path(__file__).with_name(f"{name}.csv"), dtype=str, keep_default_na=False).to_dict("records")


UNITS = {row["unit"]: (row["quantity"], float(row["factor"])) for row in shipped_rows("units")}


def printable(text: str, longest: int = LONGEST) -> str:
    """Return `text`, cut to `longest` characters, without anything that steers a terminal or breaks a page."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text[:longest].strip()
    )


class Record:
    """One object of a file. A key leads into it by steps joined with dots; of keys joined with `|` the first counts."""

    def __init__(self, value: Mapping[str, Any], where: str) -> None:
        self.value, self.where = value, where

    def fault(self, words: str) -> MeasurementError:
        """Return the error of this record."""
        return MeasurementError(f"{self.where}: {words}")

    def wrong(self, keys: str, value: Any, expected: str) -> MeasurementError:
        """Return the error for an invalid value."""
        return self.fault(f"{self.find(keys)[0]} is {reprlib.repr(value)}; expected {expected}")

    def find(self, keys: str) -> tuple[str, Any, Mapping[str, Any]]:
        """Return the first of `keys` that exists, its value, and the object that holds it; None where none does."""
        for key in keys.split("|"):
            holder, rest = self.value, key
            while rest and isinstance(holder, Mapping):
                if holder.get(rest) is not None:  # the rest of a key may hold dots itself
                    return key, holder[rest], holder
                step, _, rest = rest.partition(".")
                holder = holder.get(step)
        return keys, None, {}

    def get(self, keys: str) -> Any:
        """Return the value at `keys`, None where it is missing."""
        return self.find(keys)[1]

    def holds(self, keys: str) -> bool:
        """Return whether the record has all keys of one alternative: of alternatives joined by `|`, keys by `&`."""
        return any(all(self.get(key) is not None for key in each.split("&")) for each in keys.split("|"))

    def number(self, keys: str, column: str = "") -> float:
        """Return the number at `keys` in the unit of `column`, NaN where it is missing or null.

        Its unit is that of the same object (`unit`, `units`), else the one in parentheses at the end of its key, else
        the one that ends `keys` (" in ns"), else the column's. Raises MeasurementError for anything but a finite,
        non-negative number, and for a unit of another quantity.
        """
        keys, _, unit = keys.partition(" in ")
        key, value, holder = self.find(keys)
        if value is None or value != value:
            return NAN
        if type(value) not in (int, float) or not 0 <= value <= 1e25:
            raise self.wrong(key, value, "a finite number, 0 or more")
        named = UNIT.search(key) if column.endswith(("_ms", "_s")) else None
        unit = holder.get("unit") or holder.get("units") or (named and named[1]) or unit
        if not (unit and column):
            return float(value)
        expected, scale = QUANTITIES.get(column.rpartition("_")[2], ("count", 1.0))
        quantity, factor = UNITS.get(str(unit)[:LONGEST].lower(), ("", 0.0))
        if quantity != expected:
            valid = ", ".join(name for name, (quantity, _) in UNITS.items() if quantity == expected)
            raise self.wrong(f"the unit of {key}", unit, f"one of {valid}")
        return float(value) * factor / scale

    def listed(self, keys: str) -> list[Any]:
        """Return the list at `keys`, empty where it is missing. Raises MeasurementError for anything else."""
        value = self.get(keys) or []
        if not isinstance(value, list):
            raise self.wrong(keys, value, "a list")
        return value

    def series(self, keys: str) -> pd.Series:
        """Return the list of non-negative numbers at `keys`, empty where it is missing."""
        value = self.listed(keys)
        if not all(type(each) in (int, float) and 0 <= each < 1e18 for each in value):
            raise self.wrong(keys, value, "a list of numbers, 0 or more")
        return pd.Series(value, dtype=float)

    def rate(self, keys: str) -> float:
        """Return the rate at `keys`: infinite if stated so, NaN for the pace of a replayed trace."""
        rate = self.get(keys)
        if rate in ("inf", "Infinity", "INF", math.inf, -1):
            return math.inf
        return NAN if rate in ("trace", "") else self.number(keys)

    def count(self, keys: str, missing: float = NAN) -> float:
        """Return the positive whole number at `keys`, which may be written as text; `missing` where there is none."""
        value = self.get(keys)
        if value in (None, ""):
            return missing
        if type(value) not in (str, int) or not re.fullmatch(r"0*[1-9][0-9]{0,5}", str(value)):
            raise self.wrong(keys, value, "a whole number, 1 or more")
        return float(value)

    def text(self, keys: str) -> str:
        """Return the text at `keys`, of a list its first, of an object its name; "" where it is missing."""
        value = self.get(keys)
        value = (value or [""])[0] if isinstance(value, list) else value
        value = value.get("name") if isinstance(value, Mapping) else value
        if isinstance(value, Mapping | list):
            raise self.wrong(keys, value, "text")
        return "" if value is None else printable(str(value))

    def part(self, keys: str) -> Record:
        """Return the object at `keys`, empty where it is missing. Raises MeasurementError for anything else."""
        value = self.get(keys) or {}
        if not isinstance(value, Mapping):
            raise self.wrong(keys, value, "an object")
        return Record(value, self.where)

    def parts(self, keys: str) -> list[Record]:
        """Return the objects in the list or mapping at `keys`; a mapping's keys become `name`. Empty if missing."""
        listed = self.get(keys) or []
        if isinstance(listed, Mapping) and all(isinstance(each, Mapping) for each in listed.values()):
            listed = [{"name": name, **each} for name, each in listed.items()]
        if not isinstance(listed, list) or not all(isinstance(each, Mapping) for each in listed):
            raise self.wrong(keys, listed, "objects")
        return [Record(each, self.where) for each in listed]
