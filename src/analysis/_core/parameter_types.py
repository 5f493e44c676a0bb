"""The kinds of value that parameters have, each with the check of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from analysis._core import price_quote, table_text, vocabulary
from analysis._core.choices import not_among


def _one_of(table: str, column: str, or_empty: bool = False) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value not in table_text.column(table, column) and not (or_empty and value == ""):
            raise ValueError(not_among(value, table_text.column(table, column)))
        return value

    return check


def _an_accelerator(more: Callable[[], tuple[str, ...]] = tuple, or_empty: bool = False) -> Callable[[str], str]:
    """One of data/accelerators.csv, or one of `more`, which are asked for where that has it not."""

    def check(value: str) -> str:
        accelerators = [name for name in table_text.column("accelerators", "accelerator") if name != vocabulary.MIXED]
        if value in accelerators or (or_empty and value == ""):
            return value
        valid = dict.fromkeys([*accelerators, *(name for name in more() if name != vocabulary.MIXED)])
        if value not in valid:
            raise ValueError(not_among(value, valid))
        return value

    return check


LEAST = 1e-6  # of a share, dollars or kilowatts: what is less is a slip, and its inverse fills pages with digits


def each_once(values: list[str]) -> list[str]:
    """The values, if none is repeated. Raises ValueError."""
    repeated = sorted({value for value in values if values.count(value) > 1})
    if repeated:
        raise ValueError(f"{', '.join(repeated)} stands more than once; each must be another")
    return values


def _none_or_more(value: float) -> float:
    if 0 < value < LEAST:
        raise ValueError(f"must be 0 (none) or {LEAST:g} at least")
    return value


def _below_data(value: str) -> str:
    """A report is built again when a file that it used changes; only files of the project can be watched."""
    if not value or Path(value).is_absolute() or ".." in Path(value).parts:
        raise ValueError(f"{value!r} must be the path of a file below data/, such as measured/run.json")
    return value


def _a_price(value: str) -> str:
    """Every price names an accelerator of data/accelerators.csv, or none: then it is of the report's own."""
    name = price_quote.parse_quote(value).accelerator
    if name:
        _an_accelerator()(name)
    return value


Benchmark = Annotated[str, AfterValidator(_one_of("benchmarks", "benchmark"))]
Accelerator = Annotated[str, AfterValidator(_an_accelerator())]
# Whoever submits a part that data/accelerators.csv lacks yet is still compared, by the name that was printed.
Baseline = Annotated[str, AfterValidator(_an_accelerator(table_text.accelerators_of_results))]
MaybeBenchmark = Annotated[str, AfterValidator(_one_of("benchmarks", "benchmark", or_empty=True))]
MaybeAccelerator = Annotated[str, AfterValidator(_an_accelerator(or_empty=True))]
Document = Annotated[str, AfterValidator(_one_of("sources", "id"))]
DataFile = Annotated[str, AfterValidator(_below_data)]
Round = Annotated[str, AfterValidator(_one_of("rounds", "round"))]
Rounds = Annotated[list[Round], AfterValidator(each_once)]
Scenario = Literal[vocabulary.DATACENTER]
LimitedScenario = Literal[vocabulary.LIMITED]
Origin = Literal[vocabulary.ORIGINS]
Precision = Literal[vocabulary.PLANNED]
Trust = Literal[vocabulary.TRUST]
CostModel = Literal[tuple(vocabulary.COST_MODELS)]
Budget = Annotated[float, Field(ge=0), AfterValidator(_none_or_more)]
Share = Annotated[float, Field(ge=LEAST, le=1)]
Price = Annotated[float, Field(ge=LEAST)]
Prices = list[Annotated[str, AfterValidator(_a_price)]]
