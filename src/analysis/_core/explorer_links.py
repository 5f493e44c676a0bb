"""Views of the explorer as addresses: what is chosen is behind the `#`, so that a view is a link."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

import pandas as pd

from analysis._core import shared_memory
from analysis._core.choices import choose

PAGE = "explorer.html"
# The columns that one chooses by, with their words; an address names them so.
FACETS = {
    "round": "Round",
    "benchmark": "Benchmark",
    "scenario": "Scenario",
    "division": "Division",
    "accelerator": "Accelerator",
    "accelerator_count": "Accelerators per system",
    "precision": "Precision",
    "accuracy_target": "Accuracy target (%)",
    "submitter": "Submitter",
    "software": "Software",
    "availability": "Availability",
    "suite": "Suite",
    "power": "Power measured",
    "evidence": "Evidence",
}
VIEWS = {
    "ranked": "Ranking",
    "scenarios": "Scenarios",
    "rounds": "Rounds",
    "scaling": "Scaling",
    "energy": "Energy",
    "speed": "Interactivity",
    "cost": "Cost",
    "matrix": "Matrix",
    "table": "Table",
}
AROUND = ("round", "benchmark", "scenario", "division", "accelerator", "power")  # what a report's own rows share
MOST = 12  # values of a column that an address names; a column of more is left open


def address(chosen: Mapping[str, Iterable[Any]], view: str = "") -> str:
    """The part of an address behind `#` that shows a view with these values of FACETS chosen; no value means all.

    Raises ValueError for a view or a facet that is not there, with those that are.
    """
    parts = [("view", choose(view, VIEWS, "view"))] if view else []
    parts += [(choose(name, FACETS, "facet"), str(value)) for name, values in chosen.items() for value in values]
    return urlencode(parts, quote_via=quote)


def link(chosen: Mapping[str, Iterable[Any]], view: str = "") -> str:
    """The address of the explorer's page with that view, as a report beside it leads there."""
    return f"{PAGE}#{address(chosen, view)}"


def around(rows: pd.DataFrame) -> str:
    """The address of the explorer's page with the official results among `rows` in sight; "" where there are none.

    It names the values that they have in AROUND (of `power_measured` for `power`), but for columns that they lack or
    have more than MOST of: so what is in sight holds the rows, and may hold others like them.
    """
    official = shared_memory.where(rows, rows["origin"].eq("official"))
    if official.empty:
        return ""
    columns = {name: official[name] for name in AROUND if name in official}
    if "power_measured" in official:
        columns["power"] = official["power_measured"].map({True: "with", False: "without"})
    values = {name: sorted(set(column.unique()) - {""}) for name, column in columns.items()}
    return link({name: choices for name, choices in values.items() if len(choices) <= MOST})
