"""The tables of one data folder as reports read them: corrected and joined with the imported record."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pandas as pd

from analysis._core import named_accelerators, paths
from analysis._core.choices import spelled
from analysis._core.file_contents import sha256_of
from analysis._core.paths import DATA, endpoint_files, official_files, official_scope
from analysis._core.vocabulary import named
from analysis._tables import compatibility, descriptor, loading, official_rows, rounds
from analysis._tables.derived_tables import Kept

Made = TypeVar("Made", bound=Callable[..., pd.DataFrame])
ENDPOINTS = "mlperf-endpoints"  # the id of the suite in the table sources
JUDGED_BY = ("results", "benchmarks", "accelerators", "rounds")  # tables that a judge may ask for
CAPPED = r"maxq|power[ _]?cap"  # what names of systems say whose power limit was lowered; of others the limit says it


def kept_with(*names: str) -> Callable[[Made], Made]:
    """For a function that makes a frame of these tables of a catalog, of texts, and of nothing else: it is kept.

    It is kept beside the tables under the name of the function and the texts, and where it was made before, the tables
    count as used all the same. What rests on the `doubts` is kept where they are. Of another object with such tables,
    as when frames were put together by hand, the frame is made anew.
    """

    def keeping(make: Made) -> Made:
        @wraps(make)
        def kept(data: Any, *texts: str) -> pd.DataFrame:
            if not isinstance(data, Catalog) or ("doubts" in names and not data.keeps_judged):
                return make(data, *texts)
            for name in names:
                getattr(data, name)
            name = "-".join([f"{make.__module__}.{make.__name__}", *texts])
            return data.kept.frame(name, lambda: make(data, *texts))

        return kept

    return keeping


class NotJudged(RuntimeError):
    """Doubts are asked of a catalog that was opened without anyone to judge its results."""


class _Table(cached_property[pd.DataFrame]):
    """The table with the name of the attribute; what it holds is the attribute's own help."""

    def __init__(self, holds: str) -> None:
        super().__init__(lambda catalog: catalog.table(self.attrname))
        self.__doc__ = holds


class Catalog:
    """The tables of one data folder, each loaded at first use.

    `used` remembers the files read, with their SHA-256.
    Numbers missing in a file are NaN, texts missing are "". Figures are as printed but for corrections.csv,
    whose reasons are in the column `corrected` of a row. Raises TableError naming file, row and column.

    `judge` says what is doubted about each result; without one the tables can be read, but no results compared.
    `place` is where tables and doubts are kept from one process to the next (those of data/: paths.tables_cache).
    """

    read: ClassVar[list[tuple[int, dict[str, str]]]] = []  # of each catalog its process and what it `used`

    claims = _Table("What documents claim in words and tables: speedups, sizes, prices per token, with their places.")
    quantization = _Table("What documents print of precisions: rates, weights, loss of quality.")
    prices = _Table("Rental prices as printed, in US dollars per accelerator-hour.")
    accelerators = _Table(
        "Datasheet facts of each accelerator: memory in GB, bandwidth in GB/s, dense TFLOP/s, power limit in W."
    )
    benchmarks = _Table("MLPerf benchmarks: their words, what is counted, model size, tokens per request.")
    benchmark_limits = _Table("Latency limits of each benchmark and scenario.")
    request_lengths = _Table("Tokens of the prompt and answer of each request of six benchmarks' data sets.")
    component_power = _Table(
        "Rated watts of processors, accelerators and scale-up networks, each from a public specification."
    )
    system_hardware = _Table(
        "Processors, scale-up network and cooling of systems of the record, as their system files state them."
    )
    rounds = _Table("The rounds of MLPerf Inference, oldest first, with the day of publication where it is known.")
    corrections = _Table("What is corrected in the other tables, with the reason and its source.")

    def __init__(
        self,
        folder: Path = DATA,
        judge: Callable[[Catalog], pd.DataFrame] | None = None,
        place: Path | None = None,
    ) -> None:
        self.folder = folder
        self.judge = judge
        self.place = place or paths.tables_cache(folder)
        self.tables = descriptor.read_tables(folder)
        self.used: dict[str, str] = {}
        self.read.append((os.getpid(), self.used))

    def table(self, name: str) -> pd.DataFrame:
        """The table `name`, corrections applied. Raises KeyError with the names there are."""
        if name not in self.tables:
            raise KeyError(f"no table {name!r}; there are {', '.join(self.tables)}")
        table = self.tables[name]
        fixes = None if name == "corrections" else self.corrections
        frame = self.kept.frame(name, lambda: self._loaded(table, fixes))
        self.used[table.path] = self.kept.files[table.path]
        return frame

    def _loaded(self, table: descriptor.Table, fixes: pd.DataFrame | None) -> pd.DataFrame:
        frame = loading.load(self.folder, table, fixes)
        return frame if fixes is None else frame.reset_index(drop=True)

    @cached_property
    def kept(self) -> Kept:
        """What is stored of the state in which the folder is at the first use of a table."""
        return Kept(self.folder, self.tables.values(), self.place)

    @cached_property
    def results(self) -> pd.DataFrame:
        """The results, each with the short `source` name that readers see, and whether its system is `power_capped`.

        `machine` is the system but for the serving software that its name says: the same for one with and without it.
        `comparable_since` is the first round with which a result may be compared (see _tables.compatibility).
        `vendor` is that of its accelerator, "" where unknown.

        The documents' figures, then the official record with a user's own imports, each result once (official_rows).
        A submitter that is spelled in several mixes of capitals has the spelling of most of its results.
        """
        # What the rows are made with counts as used also where they were made before.
        labels, fixes, (record, own_files) = self.labels, self.corrections, self._official_files()
        for name in ("accelerators", "compatibility"):
            self.table(name)
        frame = self.kept.frame("joined", lambda: self._joined(labels, fixes, own_files))
        self.used |= {path: self.kept.files[path] for path in (self.tables["results"].path, *record, *own_files)}
        return frame

    def _joined(self, labels: dict[str, str], fixes: pd.DataFrame, own_files: list[str]) -> pd.DataFrame:
        rows = official_rows.joined(self.table("results"), self._official(fixes, own_files))
        capped = rows["system"].str.contains(CAPPED, case=False, regex=True).astype(bool)
        datasheets = self.table("accelerators").set_index("accelerator")
        capped |= rows["power_limit_watts"].lt(rows["accelerator"].map(datasheets["power_limit_w"]))
        vendor = rows["accelerator"].map(datasheets["vendor"]).fillna("").astype("str")
        submitter = official_rows.spelled_alike(rows["submitter"])
        pairs = list(zip(rows["system"], rows["serving_software"], strict=True))
        machines = {pair: _machine(*pair) for pair in set(pairs)}
        machine = pd.Series([machines[pair] for pair in pairs], rows.index, "str")
        source = rows["source_id"].map(labels)
        since = compatibility.comparable_since(rows, self.table("compatibility"))
        made = {"source": source, "power_capped": capped, "submitter": submitter, "machine": machine}
        return rows.assign(**made, comparable_since=since, vendor=vendor)

    @cached_property
    def doubts(self) -> pd.DataFrame:
        """What is doubted about each result, by its id: `doubt` (the code of a note, "" for nothing) and `checked`.

        Raises NotJudged where the catalog was opened without a judge.
        """
        if self.judge is None:
            raise NotJudged("this catalog was opened without a judge: open it by analysis.audit.flags.catalog()")
        if not self.keeps_judged:
            return self.judge(self)
        for name in JUDGED_BY:  # What is judged by counts as used also where it was judged before.
            getattr(self, name)
        return self.kept.frame("doubts", lambda: self.judge(self))

    @property
    def keeps_judged(self) -> bool:
        """Whether what follows from the doubts may be kept: nothing tells when a judge from elsewhere has changed."""
        return self.judge is not None and self.judge.__module__.startswith("analysis.")

    def _official_files(self) -> tuple[list[str], list[str]]:
        """The files of official rows by their paths from the folder: those of the record, and the user's own."""
        if official_scope() == "off":
            return [], []
        record = [part.path for part in self.tables["results"].parts]
        present = [path.relative_to(self.folder).as_posix() for path in official_files(self.folder)]
        return record, [path for path in present if path not in record] if official_scope() == "all" else []

    def _official(self, fixes: pd.DataFrame, own_files: list[str]) -> pd.DataFrame:
        """The official rows: those shipped, corrected, and the user's own. Raises TableError."""
        table = self.tables["results"]
        if official_scope() == "off":
            return official_rows.no_rows(table)
        record = official_rows.shipped(self.folder, table)
        if table.parts:  # Without the record there is nothing to correct.
            record = official_rows.put_right(record, fixes)
        return official_rows.with_own(record, [official_rows.load(self.folder / path, table) for path in own_files])

    @cached_property
    def accelerator_names(self) -> dict[str, str]:
        """The accelerator behind each name that one is printed by, its own among them; keys are choices.folded."""
        parts, aliases = self.accelerators, self.table("accelerator_aliases")
        return named_accelerators.by_name(
            zip(parts["accelerator"], parts["label"], parts["vendor"], strict=True),
            zip(aliases["as_published"], aliases["accelerator"], strict=True),
        )

    def short_name(self, accelerator: str) -> str:
        """The accelerator's name in short; one that is not in accelerators.csv is called as its row has it."""
        return self._short_names.get(accelerator, accelerator)

    @cached_property
    def _short_names(self) -> dict[str, str]:
        return dict(zip(self.accelerators["accelerator"], self.accelerators["label"], strict=True))

    def label(self, benchmark: str) -> str:
        """The benchmark's name in words; one that is not in benchmarks.csv is called as the record prints it."""
        return self._benchmark_labels.get(benchmark, benchmark)

    @cached_property
    def _benchmark_labels(self) -> dict[str, str]:
        return dict(zip(self.benchmarks["benchmark"], self.benchmarks["label"], strict=True))

    @cached_property
    def labels(self) -> dict[str, str]:
        """The short name of each source id."""
        return dict(zip(self.sources["id"], self.sources["label"], strict=True))

    @cached_property
    def endpoints(self) -> pd.DataFrame:
        """The points of MLPerf Endpoints that a user imported, each once, with their `source_id`; none are shipped.

        A suite of its own: no row of it is among the results. Raises TableError.
        """
        frames = [self.table("endpoints")]
        for path in endpoint_files(self.folder):
            name = path.relative_to(self.folder).as_posix()
            frames.append(loading.load(self.folder, replace(self.tables["endpoints"], path=name)))
            self.used[name] = sha256_of(path)
        points = pd.concat(frames[1:] or frames, ignore_index=True).drop_duplicates("id", ignore_index=True)
        return points.assign(source_id=ENDPOINTS)

    @cached_property
    def sources(self) -> pd.DataFrame:
        """The documents and official records that the other tables cite by id; every round has one."""
        documents = self.table("sources")
        printed = self.kept.frame("rounds_as_printed", lambda: loading.load(self.folder, self.tables["rounds"]))
        complete = rounds.with_records(documents, printed)
        if complete is documents:
            return documents
        return rounds.with_records(documents, self.rounds)  # which then is among those used


def _machine(system: str, software: str) -> str:
    """The letters and digits of a system's name without its serving software; names differ in commas and blanks."""
    return spelled(named(software).sub("", system) if software else system)
