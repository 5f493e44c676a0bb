"""The official record as the checks look things up in it: which results may stand beside a figure; no verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pandas as pd

from analysis.audit.verdict import hull
from analysis.compare import rates
from analysis.core.interval import Interval

SAME_PART = ["vendor", "family", "memory_gb", "memory_bandwidth_gb_per_s"]
LOOKED_UP = ["id", "result_id", "submitter", "system", "framework", "benchmark", "round", "scenario", "metric"]
LOOKED_UP += ["division", "accelerator", "accelerator_count", "accuracy_target", "precision", "power_measured", "nodes"]
LOOKED_UP += ["low", "high", "unit", "tokens_per_sample", "power_watts_low", "power_watts_high", "availability"]
Row = dict[str, Any]


class Record:
    """Official results, each once, grouped for look-up; and what the datasheets say of the parts."""

    def __init__(self, rows: pd.DataFrame, benchmarks: pd.DataFrame, accelerators: pd.DataFrame) -> None:
        official = rows[rows["origin"].eq("official") & rows["duplicate_of"].eq("")]
        self.groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in plain(official.reindex(columns=LOOKED_UP)):
            self.groups[row["benchmark"], row["round"]].append(row)
        self.either = set(benchmarks.loc[benchmarks["targets_share_run"], "benchmark"])
        self.facts = accelerators.set_index("accelerator")
        self._siblings: dict[str, list[str]] = {}

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

    def rounds(self, benchmark: str) -> list[str]:
        """The rounds of which the benchmark has official results."""
        return sorted(key[1] for key, rows in self.groups.items() if key[0] == benchmark and rows)

    def siblings(self, accelerator: str) -> list[str]:
        """The parts that differ from `accelerator` in nothing but the power limit."""
        if accelerator not in self._siblings:
            own = self.facts[SAME_PART].reindex([accelerator]).iloc[0]
            alike = (self.facts[SAME_PART] == own).all(axis=1)
            self._siblings[accelerator] = [name for name in self.facts.index[alike] if name != accelerator]
        return self._siblings[accelerator]

    def cards(self, accelerator: str) -> list[str]:
        """What a name may mean: itself, or the cards whose names go on from it where it has no facts of its own."""
        confidence = self.facts["confidence"].get(accelerator, "not looked up")
        longer = [str(name) for name in self.facts.index if str(name).startswith(f"{accelerator} ")]
        return [accelerator, *longer] if confidence == "not looked up" else [accelerator]


def plain(frame: pd.DataFrame) -> list[Row]:
    """The rows as dicts, whole numbers as floats, so that a missing one is NaN like any other."""
    whole = [name for name, kind in frame.dtypes.items() if str(kind) == "Int64"]
    return frame.astype(dict.fromkeys(whole, "float64")).to_dict("records")


def alike(frame: pd.DataFrame, by: list[str]) -> list[list[Row]]:
    """The rows as dicts, those together that are alike in `by`, in order of appearance."""
    groups = defaultdict(list)
    for row in plain(frame):
        groups[tuple(row[name] for name in by)].append(row)
    return list(groups.values())


def named(figure: Row, rows: list[Row]) -> bool:
    """Whether the submitter or system that a document names is among `rows`; True where it names neither."""
    if figure["submitter"]:
        return any(row["submitter"].startswith(figure["submitter"]) for row in rows)
    return not figure["system"] or any(figure["system"] in row["system"] for row in rows)


def rate(row: Row, unit: str, each: bool) -> Interval:
    """A result in `unit`, of the system or of `each` accelerator; NaN where it cannot be converted."""
    ends, size = rates.stated(row, unit), row["accelerator_count"] if each else 1.0
    return Interval(ends.low / size, ends.high / size)


def watts(row: Row) -> Interval:
    """The measured wall power of a result's system."""
    return Interval(row["power_watts_low"], row["power_watts_high"])


def spread(rows: Iterable[Row], unit: str, each: bool) -> Interval:
    """The rates of several results together."""
    return hull(rate(row, unit, each) for row in rows)


def which(rows: list[Row]) -> str:
    """Official results in words: how many, which, on what, in which scenario."""
    what = "Official result" if len(rows) == 1 else f"{len(rows)} official results"
    scenarios = " and ".join(dict.fromkeys(row["scenario"] for row in rows))
    return f"{what} {ids(rows)} ({sizes(rows)} {parts(rows)}, {scenarios})"


def gives(rows: list[Row]) -> str:
    """The verb for that many results."""
    return "gives" if len(rows) == 1 else "give"


def sizes(rows: list[Row]) -> str:
    """1x/8x."""
    return "/".join(f"{size:.0f}x" for size in sorted({row["accelerator_count"] for row in rows}) if size == size)


def parts(rows: list[Row]) -> str:
    """The accelerators, each once."""
    return " and ".join(dict.fromkeys(row["accelerator"] for row in rows))


def ids(rows: list[Row]) -> str:
    """The result ids, or the row ids where the record has none; the first three and how many more."""
    known = list(dict.fromkeys(row["result_id"] or row["id"] for row in rows))
    return ", ".join(known) if len(known) < 4 else f"{', '.join(known[:3])} and {len(known) - 3} more"
