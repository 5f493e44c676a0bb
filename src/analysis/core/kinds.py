"""The kinds of value that parameters have, each with the check of it; which report takes which is not known here."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from analysis.core import quote
from analysis.core.choices import not_among
from analysis.core.paths import DATA

ROUNDS = ("v3.1", "v4.0", "v4.1", "v5.0", "v5.1", "v6.0", "v6.1")


@cache
def choices(table: str, column: str) -> tuple[str, ...]:
    """The values of a key column of a table of data/, in file order."""
    with (DATA / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(row[column] for row in csv.DictReader(file))


def _one_of(table: str, column: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value not in choices(table, column):
            raise ValueError(not_among(value, choices(table, column)))
        return value

    return check


def each_once(values: list[str]) -> list[str]:
    """The values, if none stands twice. Raises ValueError."""
    again = sorted({value for value in values if values.count(value) > 1})
    if again:
        raise ValueError(f"{', '.join(again)} stands more than once; each must be another")
    return values


def _below_data(value: str) -> str:
    """A report is built again when a file that it used changes; only files of the project can be watched."""
    if not value or Path(value).is_absolute() or ".." in Path(value).parts:
        raise ValueError(f"{value!r} must be the path of a file below data/, such as measured/run.json")
    return value


def _a_price(value: str) -> str:
    """Every price names an accelerator of data/accelerators.csv, or none: then it is of the report's own."""
    name = quote.read(value).accelerator
    if name:
        _one_of("accelerators", "accelerator")(name)
    return value


def _a_round(value: str) -> str:
    if value not in ROUNDS:
        raise ValueError(not_among(value, ROUNDS))
    return value


Benchmark = Annotated[str, AfterValidator(_one_of("benchmarks", "benchmark"))]
Accelerator = Annotated[str, AfterValidator(_one_of("accelerators", "accelerator"))]
Document = Annotated[str, AfterValidator(_one_of("sources", "id"))]
DataFile = Annotated[str, AfterValidator(_below_data)]
Round = Annotated[str, AfterValidator(_a_round)]
Scenario = Literal["Offline", "Server", "Interactive"]
Origin = Literal["published", "official", "measured"]
Precision = Literal["fp16", "fp8", "int8", "int4", "fp4"]
Trust = Literal["all", "checked"]
Share = Annotated[float, Field(gt=0, le=1)]
Price = Annotated[float, Field(gt=0)]
Prices = list[Annotated[str, AfterValidator(_a_price)]]
