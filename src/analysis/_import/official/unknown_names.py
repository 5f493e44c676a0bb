"""Names that an import met and no table has: which rows to add, ready to be pasted and completed."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator

from analysis._core import table_text
from analysis._core.vocabulary import MILLISECONDS, SAMPLES, SCENARIOS
from analysis._import.official import accelerator_names, units
from analysis._import.official.shape import Row
from analysis._tables import descriptor

SCENARIOS_OF = "SCENARIOS in src/analysis/_core/vocabulary.py"
NOT_LOOKED_UP = "not looked up"  # the confidence of an accelerator whose specifications nobody has entered
CONSEQUENCES = {  # what follows of a name that is not known, and which table lacks it
    "round": "without a date and a marker: data/rounds.csv lacks it",
    "accelerator": "kept as printed: data/accelerator_aliases.csv lacks it",
    "benchmark": "no report compares it: data/benchmarks.csv lacks it",
    "scenario": f"left out: {SCENARIOS_OF} lacks it",
}


def lines(rows: Iterable[Row]) -> Iterator[str]:
    """One line a name, then the rows to add below the name of their table. Nothing where all is known."""
    unknown: dict[str, Counter[str]] = {kind: Counter() for kind in CONSEQUENCES}
    units_of: dict[str, dict[str, str]] = {}  # of a benchmark or scenario that is not known, by scenario
    rounds = table_text.column("rounds", "round")
    for row in rows:
        name = row["accelerator_as_published"]
        known = {
            "round": row["round"] in rounds,
            "accelerator": accelerator_names.canonical(name)[1] or accelerator_names.is_no_part(name),
            "benchmark": row["benchmark"] in units.counted(),
            "scenario": row["scenario"] in SCENARIOS,
        }
        for kind in (kind for kind, is_known in known.items() if not is_known):
            named = name if kind == "accelerator" else row[kind]
            unknown[kind][named] += 1
            units_of.setdefault(named, {}).setdefault(row["scenario"], row["unit"])
    for kind, words in CONSEQUENCES.items():
        for name, count in sorted(unknown[kind].items()):
            yield f"unknown   {kind} {name!r} in {count:,} row{'s' * (count != 1)}: {words}"
    if any(unknown.values()):
        yield "To add, and to complete (docs/new_round.md):"
    accelerators, described = sorted(unknown["accelerator"]), table_text.column("accelerators", "accelerator")
    yield from _table("rounds", ({"round": name} for name in sorted(unknown["round"])))
    parts = (
        {"accelerator": name, "label": name, "confidence": NOT_LOOKED_UP}
        for name in accelerators
        if name not in described
    )
    yield from _table("accelerators", parts)
    yield from _table("accelerator_aliases", ({"as_published": name, "accelerator": name} for name in accelerators))
    yield from _table("benchmarks", (_benchmark(name, units_of[name]) for name in sorted(unknown["benchmark"])))
    if unknown["scenario"]:
        yield SCENARIOS_OF
        yield from (f'    "{name}": {_scenario(units_of[name][name])},' for name in sorted(unknown["scenario"]))


def _benchmark(name: str, units_of: dict[str, str]) -> dict[str, str]:
    """The cells of a benchmark, counted as its rates are labeled: in Offline, and in other scenarios."""
    rates = {scenario: unit for scenario, unit in units_of.items() if unit != MILLISECONDS}
    offline = rates.pop("Offline", "")
    other = rates.get("Server", next(iter(rates.values()), ""))
    named = dict.fromkeys(("benchmark", "label", "model"), name)
    return named | {"offline_unit": offline or other, "server_unit": other, "targets_share_run": "false"}


def _scenario(unit: str) -> str:
    if unit == MILLISECONDS:
        return "Scenario(QUERIES, datacenter=False, stream=True)"
    return "Scenario(SAMPLES)" if unit == SAMPLES else "Scenario(QUERIES)"


def _table(table: str, rows: Iterable[dict[str, str]]) -> Iterator[str]:
    """The name of a table and its rows as CSV, columns that are not given empty; nothing where there is no row."""
    written = io.StringIO()
    names = [column.name for column in descriptor.read_tables()[table].fields]
    csv.DictWriter(written, names, lineterminator="\n").writerows(rows)
    if written.tell():
        yield f"data/{table}.csv"
        yield from written.getvalue().splitlines()
