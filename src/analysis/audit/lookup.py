"""The official record as the checks look things up in it: which results may stand beside a figure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pandas as pd

from analysis.audit.verdict import Row
from analysis.compare import rates
from analysis.core.interval import Interval

PRICE, PRICE_UNIT = "usd_per_accelerator_hour", "USD/hour"  # the interval of a row of prices
SAME_PART = ["vendor", "family", "memory_gb", "memory_bandwidth_gb_per_s"]
LOOKED_UP = ["id", "result_id", "submitter", "system", "framework", "benchmark", "round", "scenario", "metric"]
LOOKED_UP += ["division", "accelerator", "accelerator_count", "accuracy_target", "precision", "power_measured", "nodes"]
LOOKED_UP += ["low", "high", "unit", "tokens_per_sample", "power_watts_low", "power_watts_high", "availability"]


class Record:
    """Official results, each once, grouped for look-up; and what the datasheets say of the parts."""

    def __init__(self, rows: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame) -> None:
        official = rows[rows["origin"].eq("official") & rows["duplicate_of"].eq("")]
        self.groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in plain(official.reindex(columns=LOOKED_UP), "results"):
            self.groups[row["benchmark"], row["round"]].append(row)
        self.either = set(benchmarks.loc[benchmarks["targets_share_run"], "benchmark"])
        self.facts = accelerators.set_index("accelerator")
        alike = [list(parts.index) for _, parts in self.facts.groupby(SAME_PART)]
        self._alike = {name: names for names in alike for name in names}

    def beside(self, figure: Row, accelerators: Iterable[str]) -> list[Row]:
        """The official results of the figure's benchmark, round, scenario, division and target on `accelerators`."""
        wanted = {name: figure[name] for name in ("metric", "power_measured")}
        wanted |= {"division": figure["division"] or "closed"}
        wanted |= {"scenario": figure["scenario"]} if figure["scenario"] else {}
        fitting = {"precision": figure["precision"]}
        fitting |= {} if figure["benchmark"] in self.either else {"accuracy_target": figure["accuracy_target"]}
        names = set(accelerators)
        return [
            row
            for row in self.groups.get((figure["benchmark"], figure["round"]), ())
            if row["accelerator"] in names
            and all(row[name] == value for name, value in wanted.items())
            and all(value == "" or row[name] in (value, "") for name, value in fitting.items())
        ]

    def rounds(self, benchmark: str, accelerators: Iterable[str] = ()) -> list[str]:
        """The rounds of which there are official results: of the benchmark (empty: any), of some accelerators."""
        names = set(accelerators)
        return sorted(
            {
                round
                for (name, round), rows in self.groups.items()
                if name == (benchmark or name) and (not names or any(row["accelerator"] in names for row in rows))
            }
        )

    def siblings(self, accelerator: str) -> list[str]:
        """The parts that differ from `accelerator` in nothing but the power limit."""
        return [name for name in self._alike.get(accelerator, ()) if name != accelerator]

    def cards(self, accelerator: str) -> list[str]:
        """What a name may mean: itself, or the parts that documents use it for."""
        return [accelerator, *self.facts.index[self.facts["variant_of"].eq(accelerator)]]


def plain(frame: pd.DataFrame, table: str) -> list[Row]:
    """The rows as dicts with their `table`; whole numbers as floats, so that a missing one is NaN like any other."""
    floats = {name: "float64" for name, kind in frame.dtypes.items() if str(kind) == "Int64"}
    return frame.astype(floats).assign(table=table).to_dict("records")


def named(figure: Row, rows: list[Row]) -> bool:
    """Whether the submitter or system that a document names is among `rows`; True where it names neither.

    A document prints a part of the name under which a system was filed.
    """
    if figure["submitter"]:
        return any(row["submitter"] == figure["submitter"] for row in rows)
    return not figure["system"] or any(figure["system"] in row["system"] for row in rows)


def rate(row: Row, unit: str, per_accelerator: bool) -> Interval:
    """A result in `unit`, of the system or per accelerator; NaN where it cannot be converted."""
    return rates.stated(row, unit) / (row["accelerator_count"] if per_accelerator else 1.0)


def gives(rows: list[Row], values: Interval, unit: str) -> str:
    """What official results give, in words: how many, which, on what, in which scenario, and their value."""
    what, verb = ("Official result", "gives") if len(rows) == 1 else (f"{len(rows)} official results", "give")
    parts = " and ".join(dict.fromkeys(row["accelerator"] for row in rows))
    scenarios = " and ".join(dict.fromkeys(row["scenario"] for row in rows))
    return f"{what} {ids(rows)} ({sizes(rows)} {parts}, {scenarios}) {verb} {values.text(5)} {unit}"


def sizes(rows: list[Row]) -> str:
    """1x/8x."""
    return "/".join(f"{size:.0f}x" for size in sorted({row["accelerator_count"] for row in rows}) if size == size)


def ids(rows: list[Row]) -> str:
    """The result ids, or the row ids where the record has none; the first three and how many more."""
    known = list(dict.fromkeys(row["result_id"] or row["id"] for row in rows))
    return ", ".join(known) if len(known) < 4 else f"{', '.join(known[:3])} and {len(known) - 3} more"
