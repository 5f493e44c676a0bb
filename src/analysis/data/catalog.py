"""The tables of one data folder as reports read them: put right and joined with the imported record."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import pandas as pd

from analysis.core.choices import folded
from analysis.core.contents import sha256_of
from analysis.core.paths import DATA, imported, official
from analysis.data import descriptor, loading, official_rows, rounds

CAPPED = "maxq"  # what the names of systems say whose power limit was lowered for efficiency


class NotJudged(RuntimeError):
    """Doubts are asked of a catalog that was opened without anyone to judge its results."""


class Catalog:
    """The tables of one data folder, each loaded at first use.

    `used` remembers the files read, with their SHA-256, and `served` the rows handed out, by name of table.
    Numbers missing in a file are NaN, texts missing are "". Figures are as printed but for corrections.csv,
    whose reasons stand in the column `corrected` of a row. Raises TableError naming file, row and column.

    `judge` says what is doubted about each result; without one the tables can be read, but no results compared.
    """

    def __init__(self, folder: Path = DATA, judge: Callable[[Catalog], pd.DataFrame] | None = None) -> None:
        self.folder = folder
        self.judge = judge
        self.tables = descriptor.read_tables(folder)
        self.used: dict[str, str] = {}
        self.served: dict[str, pd.DataFrame] = {}

    def table(self, name: str) -> pd.DataFrame:
        """The table `name`, corrections applied. Raises KeyError with the names there are."""
        if name not in self.tables:
            raise KeyError(f"no table {name!r}; there are {', '.join(self.tables)}")
        table = self.tables[name]
        fixes = None if name == "corrections" else self.corrections
        frame = loading.load(self.folder, table, fixes)
        self.used[table.path] = sha256_of(self.folder / table.path)
        self.served[name] = frame if fixes is None else frame.reset_index(drop=True)
        return self.served[name]

    @cached_property
    def results(self) -> pd.DataFrame:
        """The results, each with the short `source` name that readers see, and whether its system is `power_capped`.

        The documents' figures, then the official record with a user's own imports, each result once (official_rows).
        """
        rows = official_rows.joined(self.table("results"), self._official())
        capped = rows["system"].str.contains(CAPPED, case=False, regex=False).astype(bool)
        self.served["results"] = rows.assign(source=rows["source_id"].map(self.labels), power_capped=capped)
        return self.served["results"]

    @cached_property
    def doubts(self) -> pd.DataFrame:
        """What is doubted about each result, by its id: `doubt` (the code of a note, "" for nothing) and `checked`.

        Raises NotJudged where the catalog was opened without a judge.
        """
        if self.judge is None:
            raise NotJudged("this catalog was opened without a judge: open it by analysis.audit.doubts.catalog()")
        return self.judge(self)

    def _official(self) -> pd.DataFrame:
        """The official rows: those shipped, put right, and the user's own. Raises TableError."""
        table = self.tables["results"]
        if official() == "off":
            return official_rows.none(table)
        record = official_rows.shipped(self.folder, table)
        if table.parts:  # Without the record there is nothing to put right.
            record = official_rows.put_right(record, self.corrections)
        self.used |= {part.path: part.hash for part in table.parts}
        paths = [path for path in imported(self.folder) if path.relative_to(self.folder).as_posix() not in self.used]
        own = paths if official() == "all" else []
        self.used |= {path.relative_to(self.folder).as_posix(): sha256_of(path) for path in own}
        return official_rows.with_own(record, [official_rows.load(path, table) for path in own])

    @cached_property
    def accelerator_names(self) -> dict[str, str]:
        """The accelerator behind each name that one is printed by, its own among them; keys are choices.folded."""
        aliases, own = self.table("accelerator_aliases"), self.accelerators["accelerator"]
        aliases = aliases[aliases["accelerator"].ne("")]  # Some of what is printed names no part.
        printed = zip([*own, *aliases["as_published"]], [*own, *aliases["accelerator"]], strict=True)
        return {folded(name): accelerator for name, accelerator in printed}

    def label(self, benchmark: str) -> str:
        """The benchmark's name in words. Raises KeyError for one that is not in benchmarks.csv."""
        return self.benchmarks.set_index("benchmark").at[benchmark, "label"]

    @cached_property
    def labels(self) -> dict[str, str]:
        """The short name of each source id."""
        return dict(zip(self.sources["id"], self.sources["label"], strict=True))

    @cached_property
    def claims(self) -> pd.DataFrame:
        """What documents claim in words and tables: speedups, sizes, prices per token, with their places."""
        return self.table("claims")

    @cached_property
    def quantization(self) -> pd.DataFrame:
        """What documents print of precisions: rates, weights, loss of quality."""
        return self.table("quantization")

    @cached_property
    def prices(self) -> pd.DataFrame:
        """Rental prices as printed, in US dollars per accelerator-hour."""
        return self.table("prices")

    @cached_property
    def accelerators(self) -> pd.DataFrame:
        """Datasheet facts of each accelerator: memory in GB, bandwidth in GB/s, dense TFLOP/s, power limit in W."""
        return self.table("accelerators")

    @cached_property
    def benchmarks(self) -> pd.DataFrame:
        """MLPerf benchmarks: their words, what is counted, model size, tokens per request."""
        return self.table("benchmarks")

    @cached_property
    def benchmark_limits(self) -> pd.DataFrame:
        """Latency limits of each benchmark and scenario."""
        return self.table("benchmark_limits")

    @cached_property
    def rounds(self) -> pd.DataFrame:
        """The rounds of MLPerf Inference, oldest first, with the day of publication where it is known."""
        return self.table("rounds")

    @cached_property
    def sources(self) -> pd.DataFrame:
        """The documents and official records that the other tables cite by id; every round has one."""
        own = self.table("sources")
        complete = rounds.with_records(own, loading.load(self.folder, self.tables["rounds"]))
        return own if complete is own else rounds.with_records(own, self.rounds)  # which then is among those used

    @cached_property
    def corrections(self) -> pd.DataFrame:
        """What is put right in the other tables, with the reason and its source."""
        return self.table("corrections")
