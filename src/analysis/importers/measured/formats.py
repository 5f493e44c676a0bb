"""Measurement files of any known tool into one frame of runs: telling the tool and finding the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.core.contents import NotUtf8, sha256_of, utf8
from analysis.data.catalog import Catalog
from analysis.importers.measured import aiperf, vllm
from analysis.importers.measured.measurement import COLUMNS, MeasuredRun, MeasurementError, checked, frame
from analysis.importers.official import loadgen

TOOLS = "`vllm bench serve` (--save-result or --append-result), AIPerf (profile_export_aiperf.json) or LoadGen logs"
LOG = "mlperf_log_detail.txt"
_LOGLINE = b":::MLLOG"
EXAMPLE = b"# EXAMPLE"
START = 65536  # bytes in which a detail log shows what it is


def load(catalog: Catalog, files: Iterable[str]) -> pd.DataFrame:
    """The runs of files named below the catalog's folder, one row each; remembered there with their hashes.

    Raises MeasurementError for a file that is not there or no measurement of a known tool.
    """
    names = list(files)
    runs = [run for name in names for run in read_runs(catalog.folder / name, name)]
    held = [f"{name}/{LOG}" if (catalog.folder / name).is_dir() else name for name in names]
    catalog.used.update({name: sha256_of(catalog.folder / name) for name in held})
    return frame(runs)


def read_runs(path: Path, name: str = "") -> list[MeasuredRun]:
    """The runs of one file (or of the LoadGen folder that holds its log). Raises MeasurementError."""
    name, path = name or path.name, path / LOG if path.is_dir() else path
    try:
        with path.open("rb") as file:
            start = file.read(START)
        if _LOGLINE in start:  # A detail log may hold gigabytes: its own reader takes it in blocks.
            return [_log(path, name, start.startswith(EXAMPLE))]
        text = path.read_bytes()
    except OSError as error:
        raise MeasurementError(f"{name}: cannot be read: {error.strerror}") from None
    return [_run(record, name, place) for place, record in _records(text, name)]


def _records(text: bytes, name: str) -> list[tuple[str, Any]]:
    """The JSON of a file: one object, or one per line with its place. Raises MeasurementError."""
    try:
        return [("", json.loads(text))]
    except (ValueError, RecursionError):
        lines = [(f"line {at}", line) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
    try:
        utf8(text)
        return [(place, json.loads(line)) for place, line in lines or [("", b"")]]
    except NotUtf8 as error:
        raise MeasurementError(f"{name}, line {error.line}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise MeasurementError(f"{name}: is no JSON ({error}); expected a result of {TOOLS}") from None


def _run(record: Any, name: str, place: str) -> MeasuredRun:
    if isinstance(record, dict):
        for tool in (vllm, aiperf):
            if tool.recognises(record):
                return _shaped(tool.run, record, name, place)
    keys = ", ".join(list(record)[:6]) if isinstance(record, dict) else type(record).__name__
    where = f"{name}, {place}" if place else name
    raise MeasurementError(f"{where}: is a file of another tool (it holds {keys or 'nothing'}); expected {TOOLS}")


def _shaped(read: Callable[..., MeasuredRun], record: dict, name: str, place: str) -> MeasuredRun:
    """The run that a tool's module reads; where a part is of another kind than the tool writes, that is said."""
    try:
        return read(record, name, place)
    except MeasurementError:
        raise
    except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError):
        where = f"{name}, {place}" if place else name
        raise MeasurementError(f"{where}: a part is of another kind than its tool writes; expected {TOOLS}") from None


def _log(path: Path, name: str, example: bool) -> MeasuredRun:
    """A LoadGen run: its rates and percentiles are official keys; it says neither model nor accelerator.

    A sample is a request; an Offline run sends all of its samples in one query.
    """
    try:
        log = loadgen.read_log(path)
        loadgen.valid(log)
    except loadgen.LogError as error:
        raise MeasurementError(f"{name}: {error}") from None
    rates = loadgen.rates(log)
    if "tokens_per_second" not in rates:
        raise MeasurementError(f"{name}: logs no tokens per second; expected a run of a language model")
    completed = float(log.get("result_query_count", 0)) * float(log.get("effective_samples_per_query", 1))
    measured = MeasuredRun(
        name, "", "LoadGen", "", rates["tokens_per_second"], completed,
        scenario=str(log.get("effective_scenario", "")), date=str(log.get("test_datetime", "")),
        software=f"LoadGen {log.get('loadgen_version', '')}".strip(),
        requests_per_s=rates.get("samples_per_second", float("nan")), example=example, **_latencies(log),
    )  # fmt: skip
    return checked(measured, name)


def _latencies(log: dict[str, Any]) -> dict[str, float]:
    """The percentiles that a MeasuredRun holds."""
    return {name: value for name, value in loadgen.percentiles(log).items() if name in COLUMNS}
