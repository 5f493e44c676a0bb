"""Words of a command line into ranges and parameters, and frames into aligned lines."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel

from analysis._core import named_accelerators, price_quote
from analysis._core.interval import Interval
from analysis._core.refusal import Called, Failed, Refused
from analysis._core.vocabulary import round_age
from analysis._display.tables import Table
from analysis._tables.catalog import Catalog

OPTIONS = {
    "accelerator_count": "--count",
    "baseline": "--accelerator",
    "context_tokens": "--context",
    "peak_over_mean": "--peak",
    "prices": "--price",
    "tokens_per_second_per_user": "--tokens-per-user",
    "weight_precision": "--precision",
}
OWN = {"derate", "files"}  # what each command says in its own way
RANGES = {"context_tokens", "peak_over_mean", "wall_over_limit"}  # parameters of two numbers
PERCENT = 5.0  # a derate is a share; nobody means five times the benchmark, so larger numbers are per cent
DERATES = "per cent such as 60-80 or 5%, a share of at most 1 such as 0.6-0.8, or measured"  # what may be asked
_MEASURED = re.compile(r"measured(?:\s*x\s*(.+))?")


class Nothing(Failed):
    """A command was asked rightly and has no answer; the text says why, and what there is."""


def option(parameter: str) -> str:
    """The option that a parameter of a report is given by."""
    return OPTIONS.get(parameter, f"--{parameter.replace('_', '-')}")


def numbers(option: str, text: str) -> list[float]:
    """`4.76` as [4.76, 4.76], `2-4.76` as [2.0, 4.76]. Raises ValueError naming the option for anything else."""
    try:
        return list(price_quote.numbers(text))
    except ValueError as error:
        raise ValueError(f"{option} {error}") from None


def price(option: str, text: str, accelerator: str = "", expected: str = price_quote.EXPECTED_PLAIN) -> str:
    """`4.76`, `2-4.76` or a whole quote, its accelerator by any name. Raises ValueError naming the option.

    Another accelerator than `accelerator`, where one is asked about, is refused. `expected` is what may be asked.
    """
    try:
        name = price_quote.parse_quote(text, expected).accelerator
    except ValueError as error:
        raise ValueError(f"{option} {error}") from None
    named = accelerator_of(option, name) if name else ""
    if named and accelerator and named != accelerator:
        raise ValueError(f"{option} {text!r} is the price of {named}, but {accelerator} is asked about")
    return named + text[text.index("=") :] if named else text


def quotes(option: str, texts: Iterable[str] | None) -> list[str]:
    """Quotes that each name an accelerator, its name as tables have it. Raises ValueError for one without."""
    for text in (texts := list(texts or ())):
        if "=" not in text:
            raise ValueError(f"{option} {text!r} names no accelerator; expected NAME=USD, such as 'H200 SXM=2.5-3'")
    return [price(option, text, expected=price_quote.EXPECTED) for text in texts]


def share(option: str, text: str) -> Interval:
    """`60-80` (per cent), `0.6-0.8` or `70` as a share. Raises ValueError for anything else."""
    low, high = numbers(option, text.strip().removesuffix("%"))
    scale = 100 if high > PERCENT or text.strip().endswith("%") else 1
    return Interval(low / scale, high / scale)


def measured(text: str) -> bool:
    """Whether a derate is asked for as `measured`, or as `measured x 60-80`."""
    return bool(_MEASURED.fullmatch(text.strip()))


def derate(text: str, more: str = "", above_one: bool = False) -> Interval:
    """What production keeps, `60-80` or `measured x 60-80` (per cent), `0.6-0.8` or `measured` (all), as a share.

    Numbers above 1 that may be either are refused, as are those above 100 % unless `above_one` says that they are
    meant. `more` is what else may be asked. Raises ValueError with the text that was given and what is valid.
    """
    match = _MEASURED.fullmatch(text.strip())
    if match and not match[1]:
        return Interval(1.0, 1.0)
    band = match[1] if match else text
    valid = f"valid: {DERATES}{more}"
    try:
        kept = share("", band)
    except ValueError:
        raise ValueError(f"--derate {text!r} is no share; {valid}") from None
    if not kept.low > 0:
        raise ValueError(f"--derate {text!r}: what production keeps is above 0; {valid}")
    if kept.high > 1 and not above_one:
        number = float(band.strip().removesuffix("%").rpartition("-")[2])
        which = "is above 100 %" if number > PERCENT else "is above 1, and not said to be per cent"
        raise ValueError(f"--derate {text!r} {which}; {valid}")
    return kept


def with_results(rounds: Iterable[str] | None, catalog: Catalog) -> None:
    """That official results of each of these rounds are here, a user's own imports among them.

    Raises ValueError naming the round, and those that are here.
    """
    if not rounds:
        return
    results = catalog.results
    there = set(results.loc[results["origin"].eq("official"), "round"].unique())
    if missing := [name for name in rounds if name not in there]:
        known = ", ".join(sorted(there, key=round_age))
        raise ValueError(f"--rounds {missing[0]!r}: no official result of it is here; rounds that are here: {known}")


def accelerators(option: str, names: Iterable[str]) -> list[str]:
    """The accelerators of names, aliases, and vendors. Raises ValueError as `accelerator_of`."""
    with _naming(option):
        return named_accelerators.each(names)


def accelerator_of(option: str, name: str) -> str:
    """The accelerator of a name or alias. Raises ValueError naming the option, and the nearest names, for another."""
    with _naming(option):
        return named_accelerators.accelerator_named(name)


@contextmanager
def _naming(option: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{option}: {error}; all are in data/accelerators.csv") from None


@contextmanager
def in_options(option: Called = option) -> Iterator[None]:
    """What is refused within speaks of options, not of the parameters of reports that they set. Raises ValueError."""
    try:
        yield
    except Refused as error:
        raise ValueError(error.text_for(option)) from None


def asked(
    arguments: argparse.Namespace, model: type[BaseModel], catalog: Catalog, option: Called = option
) -> dict[str, Any]:
    """The parameters of the model that options give: ranges as numbers, accelerators by the names that tables have.

    What production keeps is each command's own. Raises ValueError naming the option.
    """
    named = {name: getattr(arguments, name, None) for name in model.model_fields}
    values = {name: value for name, value in named.items() if value is not None and name not in OWN}
    with_results(values.get("rounds"), catalog)
    for name in values.keys() & RANGES:
        values[name] = numbers(option(name), values[name])
    for name in values.keys() & {"accelerator", "baseline"}:
        values[name] = accelerator_of(option(name), values[name])
    return values


def lines(table: Table) -> Iterable[str]:
    """A table as aligned lines of text, its title first."""
    if table.cells.empty:
        return [table.title, ""]
    widths = [max(map(len, [name, *table.cells[name]])) for name in table.cells]
    rows = [list(table.cells.columns), *table.cells.to_numpy().tolist()]
    return [table.title, *("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows), ""]
