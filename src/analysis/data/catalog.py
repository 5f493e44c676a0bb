"""The tables of one data folder as reports read them: put right, joined with the record, with what is doubted.

Reading a file is loading.py's, joining imported rows official.py's, doubting the audit's; comparing is comparable.py's.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import pandas as pd

from analysis.audit import doubts
from analysis.core.paths import DATA, imported
from analysis.data import descriptor, loading, official_rows
from analysis.data.loading import TableError


class Catalog:
    """The tables of one data folder, each loaded at first use and remembered in `used` for the source line.

    Numbers missing in a file are NaN, texts missing are "". Figures are as printed but for corrections.csv,
    whose reasons stand in the column `corrected` of a row. Raises TableError naming file, row and column.
    """

    def __init__(self, folder: Path = DATA) -> None:
        self.folder = folder
        self.tables = descriptor.read(folder)
        self.used: dict[str, str] = {}

    def table(self, name: str) -> pd.DataFrame:
        """The table `name`, corrections applied. Raises KeyError with the names there are."""
        if name not in self.tables:
            raise KeyError(f"no table {name!r}; there are {', '.join(self.tables)}")
        table = self.tables[name]
        fixes = None if name == "corrections" else self.corrections
        frame = loading.load(self.folder, table, fixes)
        self.used[table.path] = loading.sha256(self.folder / table.path)
        return frame if fixes is None else frame.reset_index(drop=True)

    @cached_property
    def results(self) -> pd.DataFrame:
        """The results, each with the short `source` name that figures and tables show, and what the audit doubts.

        What was imported into data/official/ is among them, each result once (see official_rows).
        """
        rows = official_rows.joined(self.table("results"), [self._official(path) for path in imported(self.folder)])
        rows = rows.assign(source=rows["source_id"].map(self.labels))
        return doubts.marked(rows, self.benchmarks, self.accelerators)

    def _official(self, path: Path) -> pd.DataFrame:
        """One file of imported rows. Raises TableError."""
        frame, faults = official_rows.load(path, self.tables["results"])
        if faults:
            raise TableError(faults)
        self.used[path.relative_to(self.folder).as_posix()] = loading.sha256(path)
        return frame

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
    def sources(self) -> pd.DataFrame:
        """The documents and official files that the other tables cite by id."""
        return self.table("sources")

    @cached_property
    def corrections(self) -> pd.DataFrame:
        """What is put right in the other tables, with the reason and its source."""
        return self.table("corrections")
