"""Names that an import met and no table has: which rows to add, ready to be pasted and completed."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

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


@dataclass
class Unknown:
    """Names that are not known, by kind (those of CONSEQUENCES), with the number of rows that have them."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: {kind: Counter() for kind in CONSEQUENCES})
    _units: dict[tuple[str, str], str] = field(default_factory=dict)  # by benchmark or "", and scenario
    _rounds: frozenset[str] = field(
        default_factory=lambda: frozenset(row["round"] for row in table_text.rows("rounds"))
    )

    def __getitem__(self, kind: str) -> Counter[str]:
        return self.counts[kind]

    def note(self, row: Row) -> None:
        """Count the names of a row that are not known."""
        if row["round"] not in self._rounds:
            self["round"][row["round"]] += 1
        name = row["accelerator_as_published"]
        if not accelerator_names.canonical(name)[1] and not accelerator_names.is_no_part(name):
            self["accelerator"][name] += 1
        if row["benchmark"] not in units.counted():
            self["benchmark"][row["benchmark"]] += 1
            self._units.setdefault((row["benchmark"], row["scenario"]), row["unit"])
        if row["scenario"] not in SCENARIOS:
            self["scenario"][row["scenario"]] += 1
            self._units.setdefault(("", row["scenario"]), row["unit"])

    def lines(self) -> Iterator[str]:
        """One line a name, then the rows to add below the name of their table. Nothing where all is known."""
        for kind, words in CONSEQUENCES.items():
            for name, count in sorted(self[kind].items()):
                yield f"unknown   {kind} {name!r} in {count:,} row{'s' * (count != 1)}: {words}"
        if not any(self.counts.values()):
            return
        yield "To add, and to complete (docs/new_round.md):"
        for table, rows in self._rows().items():
            if rows:
                yield f"data/{table}.csv"
                yield from rows
        if self["scenario"]:
            yield SCENARIOS_OF
            yield from (f'    "{name}": {self._scenario(name)},' for name in sorted(self["scenario"]))

    def _rows(self) -> dict[str, list[str]]:
        described = {row["accelerator"] for row in table_text.rows("accelerators")}
        parts = sorted(self["accelerator"])
        return {
            "rounds": [_row("rounds", round=name) for name in sorted(self["round"])],
            "accelerators": [
                _row("accelerators", accelerator=name, label=name, confidence=NOT_LOOKED_UP)
                for name in parts
                if name not in described
            ],
            "accelerator_aliases": [_row("accelerator_aliases", as_published=name, accelerator=name) for name in parts],
            "benchmarks": [self._benchmark(name) for name in sorted(self["benchmark"])],
        }

    def _benchmark(self, name: str) -> str:
        """The row of a benchmark, counted as its rates are labeled: in Offline, and in other scenarios."""
        rates = {scenario: unit for (of, scenario), unit in self._units.items() if of == name and unit != MILLISECONDS}
        offline = rates.pop("Offline", "")
        other = rates.get("Server", next(iter(rates.values()), ""))
        cells = {"offline_unit": offline or other, "server_unit": other, "targets_share_run": "false"}
        return _row("benchmarks", benchmark=name, label=name, model=name, **cells)

    def _scenario(self, name: str) -> str:
        unit = self._units["", name]
        if unit == MILLISECONDS:
            return "Scenario(QUERIES, datacenter=False, stream=True)"
        return "Scenario(SAMPLES)" if unit == SAMPLES else "Scenario(QUERIES)"


def _row(table: str, **cells: str) -> str:
    """A row of a table as CSV; columns that are not given are empty cells."""
    line = io.StringIO()
    names = [column.name for column in descriptor.read_tables()[table].fields]
    csv.writer(line, lineterminator="").writerow([cells.get(name, "") for name in names])
    return line.getvalue()
