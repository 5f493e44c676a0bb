"""Words of a command line into ranges and parameters, and frames into aligned lines."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from analysis.core import quote
from analysis.core.choices import choose, folded
from analysis.core.interval import Interval
from analysis.core.refused import Called, Refused
from analysis.core.vocabulary import MIXED
from analysis.data.catalog import Catalog
from analysis.show.tables import Table

OPTIONS = {
    "accelerator_count": "--count",
    "baseline": "--accelerator",
    "context_tokens": "--context",
    "peak_over_mean": "--peak",
    "prices": "--price",
    "tokens_per_second_per_user": "--tokens-per-user",
    "weight_precision": "--precision",
}
PERCENT = 5.0  # a derate is a share; nobody means five times the benchmark, so larger numbers are per cent


class Nothing(Exception):
    """A command was asked rightly and has no answer; the text says why, and what there is."""


def option(parameter: str) -> str:
    """The option that a parameter of a report is given by."""
    return OPTIONS.get(parameter, f"--{parameter.replace('_', '-')}")


def numbers(option: str, text: str) -> list[float]:
    """`4.76` as [4.76, 4.76], `2-4.76` as [2.0, 4.76]. Raises ValueError naming the option for anything else."""
    try:
        return list(quote.numbers(text))
    except ValueError as error:
        raise ValueError(f"{option} {error}") from None


def price(option: str, text: str, catalog: Catalog, accelerator: str = "") -> str:
    """`4.76`, `2-4.76` or a whole quote, its accelerator by any name. Raises ValueError naming the option.

    Another accelerator than `accelerator`, where one is asked about, is refused.
    """
    try:
        name = quote.parse_quote(text).accelerator
    except ValueError as error:
        raise ValueError(f"{option} {error}") from None
    named = accelerator_of(option, name, catalog) if name else ""
    if named and accelerator and named != accelerator:
        raise ValueError(f"{option} {text!r} is the price of {named}, but {accelerator} is asked about")
    return named + text[text.index("=") :] if named else text


def share(option: str, text: str) -> Interval:
    """`60-80` (per cent), `0.6-0.8` or `70` as a share. Raises ValueError for anything else."""
    low, high = numbers(option, text.strip().removesuffix("%"))
    scale = 100 if high > PERCENT or text.strip().endswith("%") else 1
    return Interval(low / scale, high / scale)


def accelerator_of(option: str, name: str, catalog: Catalog) -> str:
    """The accelerator of a name or alias. Raises ValueError naming the option, and the nearest names, for another."""
    known = catalog.accelerator_names.get(folded(name), MIXED)
    if known != MIXED:
        return known
    try:
        return choose(name, [own for own in catalog.accelerators["accelerator"] if own != MIXED], "accelerator")
    except ValueError as error:
        raise ValueError(f"{option}: {error}; all are in data/accelerators.csv") from None


@contextmanager
def in_options(option: Called = option) -> Iterator[None]:
    """What is refused within speaks of options, not of the parameters of reports that they set. Raises ValueError."""
    try:
        yield
    except Refused as error:
        raise ValueError(error.told(option)) from None


def given(arguments: argparse.Namespace, *names: str) -> dict:
    """The arguments of `names` that were given, by name."""
    return {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}


def lines(table: Table) -> Iterable[str]:
    """A table as aligned lines of text, its title first."""
    if table.cells.empty:
        return [table.title, ""]
    widths = [max(map(len, [name, *table.cells[name]])) for name in table.cells]
    rows = [list(table.cells.columns), *table.cells.to_numpy().tolist()]
    return [table.title, *("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows), ""]
