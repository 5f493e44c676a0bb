"""The kinds of value that parameters have, each with the check of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from analysis._core import named_accelerators, price_quote, table_text, vocabulary
from analysis._core.choices import not_among


def _one_of(value: str, valid: Iterable[str]) -> str:
    if value not in (valid := list(valid)):
        raise ValueError(not_among(value, valid))
    return value


def _a_benchmark(value: str) -> str:
    return _one_of(value, table_text.column("benchmarks", "benchmark"))


def _of_results(named: Callable[..., Any]) -> Callable[[str], Any]:
    """`named` also for a part that data/accelerators.csv lacks yet, by the name that results print."""

    def check(value: str) -> Any:
        try:
            return named(value)
        except ValueError:
            return named(value, table_text.accelerators_of_results())

    return check


def _each_once(values: list[list[str]]) -> list[str]:
    """The accelerators that the words of a list mean, which may overlap."""
    return list(dict.fromkeys(name for found in values for name in found))


def _list_of(named: Callable[[str], list[str]]) -> Any:
    """A list of names and vendors, or one of them, which becomes a list of accelerators."""
    names = list[Annotated[str, AfterValidator(named)]]
    return Annotated[names, BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
                     AfterValidator(_each_once)]  # fmt: skip


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
    """A price, the accelerator by its own name; one that names none is of the accelerator that a report is about."""
    name = price_quote.parse_quote(value).accelerator
    return named_accelerators.accelerator_named(name) + value[value.index("=") :] if name else value


Benchmark = Annotated[str, AfterValidator(_a_benchmark)]
Accelerator = Annotated[str, AfterValidator(named_accelerators.accelerator_named)]
Accelerators = _list_of(named_accelerators.several)
Baseline = Annotated[str, AfterValidator(_of_results(named_accelerators.accelerator_named))]
Baselines = _list_of(_of_results(named_accelerators.several))
MaybeBenchmark = Annotated[str, AfterValidator(lambda value: value and _a_benchmark(value))]
MaybeAccelerator = Annotated[str, AfterValidator(lambda value: value and named_accelerators.accelerator_named(value))]
Document = Annotated[str, AfterValidator(lambda value: _one_of(value, table_text.column("sources", "id")))]
DataFile = Annotated[str, AfterValidator(_below_data)]
Round = Annotated[str, AfterValidator(lambda value: _one_of(value, table_text.column("rounds", "round")))]
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
