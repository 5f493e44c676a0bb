"""Official results as the checks look them up: which of them are comparable with a figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from analysis._core import shared_memory
from analysis._core.cell_lists import first_of
from analysis._core.interval import Interval
from analysis._core.memo import cached_method
from analysis._core.plain_values import as_dicts, grouped
from analysis.audit.verdict import Row
from analysis.comparability import rates

SAME_PART = ["vendor", "family", "memory_gb", "memory_bandwidth_gb_per_s"]
LOOKED_UP = ["id", "result_id", "submitter", "system", "framework", "benchmark", "round", "scenario", "metric"]
LOOKED_UP += ["division", "accelerator", "accelerator_count", "accuracy_target", "precision", "power_measured", "nodes"]
LOOKED_UP += ["low", "high", "unit", "tokens_per_sample", "power_watts_low", "power_watts_high", "availability"]
LOOKED_UP += ["suite", "inferred", "serving_software", "machine", "model_run", "duplicate_of"]


class Record:
    """Official results, each once, grouped for look-up; and what the datasheets say of the parts.

    `official` are all of them, repeats too. Only the rounds and divisions that are asked for are taken apart into rows.
    """

    def __init__(
        self, rows: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame, closed: Mapping[str, float]
    ) -> None:
        """Of results, benchmarks and accelerators as their tables have them; `closed` results has a whole round."""
        self.official = shared_memory.where(rows.filter(LOOKED_UP), rows["origin"].eq("official"))
        counts = self.official.loc[self.official["division"].eq("closed"), "round"].value_counts()
        self.whole = {name for name, number in closed.items() if counts.get(name, 0) >= number}
        self.either = set(benchmarks.loc[benchmarks["targets_share_run"], "benchmark"])
        self.makers = dict(zip(accelerators["accelerator"], accelerators["vendor"], strict=True))
        self._parts = row_dicts(accelerators, "accelerators")
        self._known = list(benchmarks["benchmark"])

    def of_round(self, round: str, accelerators: Iterable[str] = (), division: str = "closed") -> Iterator[Row]:
        """The official results of a round, on some accelerators (empty: any), each once, without power submissions.

        Those of a benchmark that the tables lack are left out; see `excluded`.
        """
        names = set(accelerators)
        for (_, accelerator), rows in self._by_part(round, division).items():
            if not names or accelerator in names:
                yield from (row for row in rows if not row["power_measured"])

    def by_run(self, rows: Iterable[Row]) -> dict[tuple[str, str, str], list[Row]]:
        """Results by benchmark, scenario, and accuracy target; "" for targets that are one run submitted twice."""
        targets = (row | {"target": "" if row["benchmark"] in self.either else row["accuracy_target"]} for row in rows)
        return grouped(targets, ["benchmark", "scenario", "target"])

    def beside(self, figure: Row, accelerators: Iterable[str]) -> list[Row]:
        """The official results of the figure's benchmark, round, scenario, division and target on `accelerators`."""
        wanted = {name: figure[name] for name in ("metric", "power_measured")}
        wanted |= {"scenario": figure["scenario"]} if figure["scenario"] else {}
        fitting = {"precision": figure["precision"]}
        fitting |= {} if figure["benchmark"] in self.either else {"accuracy_target": figure["accuracy_target"]}
        fitting = {name: (value, "") for name, value in fitting.items() if value}
        rows = self._by_part(figure["round"], figure["division"] or "closed")
        return [
            row
            for name in dict.fromkeys(accelerators)
            for row in rows.get((figure["benchmark"], name), ())
            if all(row[name] == value for name, value in wanted.items())
            and all(row[name] in values for name, values in fitting.items())
        ]

    def rounds(self, benchmark: str, accelerators: Iterable[str] = ()) -> list[str]:
        """The rounds of which there are official results: of the benchmark (empty: any), of some accelerators."""
        rows, names = self.official, list(accelerators)
        rows = rows[rows["benchmark"].eq(benchmark)] if benchmark else rows
        return sorted((rows[rows["accelerator"].isin(names)] if names else rows)["round"].unique())

    def excluded(self, rounds: Iterable[str]) -> str:
        """In words which benchmarks of some rounds' closed results are left out, as an explanation goes on, or ""."""
        closed = self.official[self.official["round"].isin(list(rounds)) & self.official["division"].eq("closed")]
        names = sorted(set(closed["benchmark"]) - set(self._known))
        return f"; left out, as the tables lack it: {', '.join(names)}" if names else ""

    def siblings(self, accelerator: str) -> list[str]:
        """The parts that differ from `accelerator` in nothing but the power limit."""
        specs = {part["accelerator"]: [part[name] for name in SAME_PART] for part in self._parts}
        own = specs.pop(accelerator, None)
        return [name for name, other in specs.items() if other == own]  # NaN, which is not known, equals nothing

    def called(self, name: str) -> list[str]:
        """The accelerators of a vendor, family or kind of this name; none where there is no such."""
        return [part["accelerator"] for part in self._parts if name in map(part.get, ("vendor", "family", "kind"))]

    def cards(self, accelerator: str) -> list[str]:
        """What a name may mean: itself, or the parts that documents use it for."""
        return [accelerator, *(part["accelerator"] for part in self._parts if part["variant_of"] == accelerator)]

    @cached_method
    def _by_part(self, round: str, division: str) -> dict[tuple, list[Row]]:
        """The results of a round and division by benchmark and accelerator."""
        rows = self.official[self.official["round"].eq(round) & self.official["division"].eq(division)]
        rows = rows[rows["duplicate_of"].eq("") & rows["benchmark"].isin(self._known)]
        return grouped(row_dicts(rows, "results"), ["benchmark", "accelerator"])


def row_dicts(frame: pd.DataFrame, table: str) -> list[Row]:
    """The rows as dicts with their `table`; whole numbers as floats, so that a missing one is NaN like any other."""
    whole = dict.fromkeys(frame.select_dtypes("Int64"), "float64")
    return [row | {"table": table} for row in as_dicts(frame.astype(whole))]


def is_among(figure: Row, rows: list[Row]) -> bool:
    """Whether the submitter or system that a document names is among `rows`; True where it names neither.

    A document prints a part of the name under which a system was submitted.
    """
    if figure["submitter"]:
        return any(row["submitter"] == figure["submitter"] for row in rows)
    return not figure["system"] or any(figure["system"] in row["system"] for row in rows)


def rate(row: Row, unit: str, per_accelerator: bool) -> Interval:
    """A result in `unit`, of the system or per accelerator; NaN where it cannot be converted."""
    ends, count = rates.stated(row, unit), row["accelerator_count"] if per_accelerator else 1.0
    return ends / count


def values_in_words(rows: list[Row], values: Interval, unit: str) -> str:
    """What official results give, in words: how many, which, on what, in which scenario, and their value."""
    subject, verb = ("Official result", "gives") if len(rows) == 1 else (f"{len(rows)} official results", "give")
    accelerators = " and ".join(dict.fromkeys(row["accelerator"] for row in rows))
    scenarios = " and ".join(dict.fromkeys(row["scenario"] for row in rows))
    return f"{subject} {ids_in_words(rows)} ({sizes(rows)} {accelerators}, {scenarios}) {verb} {values.text(5)} {unit}"


def sizes(rows: list[Row]) -> str:
    """1x/8x."""
    return "/".join(f"{size:.0f}x" for size in sorted({row["accelerator_count"] for row in rows}) if size == size)


def result_ids(rows: list[Row]) -> tuple[str, ...]:
    """The ids of these official results, each once, as far as they have ids."""
    return tuple(dict.fromkeys(row["result_id"] for row in rows if row["result_id"]))


def ids_in_words(rows: list[Row]) -> str:
    """The result ids, or the row ids where there are none; the first three and how many more."""
    names = list(dict.fromkeys(row["result_id"] or row["id"] for row in rows))
    return first_of(names, 3)
