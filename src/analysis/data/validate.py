"""What makes a table's rows acceptable: types, vocabularies, ranges, keys, printed figures; no file is read here.

Each check is a small function from a frame to a list of faults. A fault names the file, the line and the column; the
frame's index is the line of each row in its file.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import pandera.pandas as pa

from analysis.core import interval
from analysis.data.descriptor import Table

DTYPES = {"string": "str", "number": "float64", "integer": "Int64", "boolean": "bool", "date": "str"}
FORMULA_STARTS = ("=", "+", "-", "@", "\t")


class Fault(NamedTuple):
    """One thing wrong at one place. `row` is the line in the file, the header being line 1; 0 is the whole file."""

    file: str
    row: int
    column: str
    message: str

    def __str__(self) -> str:
        where = f", row {self.row}" if self.row else ""
        where += f", column {self.column}" if self.column else ""
        return f"{self.file}{where}: {self.message}"


def faults(table: Table, frame: pd.DataFrame, as_printed: bool = True) -> list[Fault]:
    """Everything wrong in one typed table, first rows first; `as_printed` False for figures that were put right."""
    found = [*_schema(table, frame), *_duplicates(table, frame), *_order(table, frame)]
    found += [*_formulas(table, frame), *_dates(table, frame)]
    found += _printed(table, frame) if as_printed else []
    return sorted(found, key=lambda fault: (fault.row, fault.column))


def dangling(table: Table, frame: pd.DataFrame, others: dict[str, pd.DataFrame]) -> list[Fault]:
    """References into another table (or this one) that lead nowhere; an empty cell refers to nothing."""
    found = []
    for key in table.foreign_keys:
        column, target = key["fields"][0], key["reference"]
        resource = target["resource"] or table.name
        known = set(others[resource][target["fields"][0]])
        missing = frame[column].ne("") & ~frame[column].isin(known)
        found += [
            Fault(table.path, row, column, f"{value!r} is not in {resource}.csv")
            for row, value in frame.loc[missing, column].items()
        ]
    return found


def _schema(table: Table, frame: pd.DataFrame) -> list[Fault]:
    schema = pa.DataFrameSchema({field["name"]: _column(field) for field in table.fields})
    try:
        schema.validate(frame, lazy=True)
    except pa.errors.SchemaErrors as errors:
        cases = errors.failure_cases
        return [
            Fault(table.path, int(case.index), case.column, _words(case.check, case.failure_case))
            for case in cases.itertuples()
        ]
    return []


def _column(field: dict) -> pa.Column:
    rules, text = field.get("constraints", {}), field["type"] in ("string", "date")
    required = rules.get("required", False)
    checks = [pa.Check(lambda s: s.ne(""), error="is missing")] if required and text else []
    if "enum" in rules:
        allowed = [*rules["enum"], ""]  # an empty cell that must not be is told once, as missing
        checks.append(pa.Check.isin(allowed, error=f"is not one of {', '.join(map(str, rules['enum']))}"))
    if "minimum" in rules:
        checks.append(pa.Check.ge(rules["minimum"], error=f"is below {rules['minimum']}"))
    if "maximum" in rules:
        checks.append(pa.Check.le(rules["maximum"], error=f"is above {rules['maximum']}"))
    if "pattern" in rules:
        pattern = rules["pattern"] if required else f"(?:{rules['pattern']})|^$"
        checks.append(pa.Check.str_matches(pattern, error=f"does not match {rules['pattern']}"))
    nullable = field["type"] in ("number", "integer") and not required
    return pa.Column(DTYPES[field["type"]], checks, nullable=nullable, unique=rules.get("unique", False))


def _words(check: object, value: object) -> str:
    if check == "not_nullable" or check == "is missing":
        return "is missing"
    return f"{value!r} {check}"


def _duplicates(table: Table, frame: pd.DataFrame) -> list[Fault]:
    again = frame.loc[frame.duplicated(table.primary_key), table.primary_key]
    column = ", ".join(table.primary_key)
    return [Fault(table.path, row, column, f"key {' | '.join(key)!r} stands twice") for row, *key in again.itertuples()]


def _order(table: Table, frame: pd.DataFrame) -> list[Fault]:
    found = []
    for low, high in table.intervals:
        wrong = (frame[low] > frame[high]) | (frame[low].isna() != frame[high].isna())
        found += [
            Fault(table.path, row, low, f"low {a:g} and high {b:g} are no range, low to high")
            for row, a, b in frame.loc[wrong, [low, high]].itertuples()
        ]
    return found


def _formulas(table: Table, frame: pd.DataFrame) -> list[Fault]:
    """A text cell that a spreadsheet would run as a formula."""
    text = [field["name"] for field in table.fields if field["type"] == "string"]
    return [
        Fault(table.path, row, column, f"{value!r} starts like a spreadsheet formula")
        for column in text
        for row, value in frame.loc[frame[column].str.startswith(FORMULA_STARTS), column].items()
    ]


def _dates(table: Table, frame: pd.DataFrame) -> list[Fault]:
    found = []
    for column in [field["name"] for field in table.fields if field["type"] == "date"]:
        parsed = pd.to_datetime(frame[column], format="%Y-%m-%d", errors="coerce")
        wrong = frame[column].ne("") & parsed.isna()
        found += [
            Fault(table.path, row, column, f"{value!r} is not a date such as 2024-08-28")
            for row, value in frame.loc[wrong, column].items()
        ]
    return found


def _printed(table: Table, frame: pd.DataFrame) -> list[Fault]:
    """`low` and `high` must be the range that `printed` stands for.

    It may be kept in a thousandth of the unit (TB/s as GB/s, seconds as milliseconds), a percentage as a fraction,
    and a percentage more or less as a ratio.
    """
    if not {"printed", "range_basis", "low", "high"} <= set(frame.columns):
        return []
    rows = frame[frame["printed"].ne("") & frame["low"].notna()]
    found = []
    for row, printed, basis, low, high in rows[["printed", "range_basis", "low", "high"]].itertuples():
        message = _disagreement(printed, basis, low, high)
        found += [Fault(table.path, row, "printed", message)] if message else []
    return found


def _disagreement(printed: str, basis: str, low: float, high: float) -> str:
    try:
        meant = interval.from_printed(printed, basis)
    except ValueError as error:
        return str(error)
    said = [
        (meant.low * factor + shift, meant.high * factor + shift)
        for shift, factor in [(0, 1), (0, 1000), (0, 0.01), (1, 0.01)]
    ]
    said.append((1 - meant.high / 100, 1 - meant.low / 100))
    if any(np.allclose([low, high], pair, rtol=1e-9, atol=0) for pair in said):
        return ""
    return f"{printed!r} ({basis}) stands for {meant.low:g} to {meant.high:g}, not for {low:g} to {high:g}"
