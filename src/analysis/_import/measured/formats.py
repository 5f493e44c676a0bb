"""Measurement files of any known tool into one frame of runs: telling the tool and finding the file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from analysis._core.file_contents import NotUtf8, sha256_of, utf8
from analysis._import.measured import aiperf, genai_perf, guidellm, inferencex, sglang, vllm
from analysis._import.measured.measurement import COLUMNS, UNKNOWN, MeasuredRun, MeasurementError, Reader, frame
from analysis._import.official import loadgen
from analysis._tables.catalog import Catalog

FORMATS = (sglang, vllm, genai_perf, aiperf, guidellm, inferencex)  # the first that recognizes a record reads it
TOOLS = f"a result of {', '.join(tool.FORM for tool in FORMATS)} or LoadGen (mlperf_log_detail.txt)"
LOG = "mlperf_log_detail.txt"
TARGET = "effective_target_qps"  # queries a second that a Server run sends, at random times
_LOGLINE = b":::MLLOG"
EXAMPLE = b"# EXAMPLE"
START = 65536  # bytes in which a detail log shows what it is


def load(catalog: Catalog, files: Iterable[str]) -> pd.DataFrame:
    """The runs of files named below the catalog's folder, one row each; remembered there with their hashes.

    Raises MeasurementError for a file that is not there or no measurement of a known tool.
    """
    names = list(files)
    runs = [run for name in names for run in read_runs(catalog.folder / name, name)]
    paths = [f"{name}/{LOG}" if (catalog.folder / name).is_dir() else name for name in names]
    catalog.used.update({name: sha256_of(catalog.folder / name) for name in paths})
    return frame(runs)


def read_runs(path: Path, name: str = "") -> list[MeasuredRun]:
    """The runs of one file (or of the LoadGen folder that holds its log). Raises MeasurementError."""
    name, folder = name or path.name, path
    if folder.is_dir() and not (path := folder / LOG).exists():
        raise MeasurementError(
            f"{name}: is a folder without {LOG}, the log of a LoadGen run; expected that, or {TOOLS}"
        )
    try:
        with path.open("rb") as file:
            start = file.read(START)
        if _LOGLINE in start:  # A detail log may hold gigabytes: its own reader takes it in blocks.
            return [_log(path, name, start.startswith(EXAMPLE))]
        text = path.read_bytes()
    except OSError as error:
        raise MeasurementError(f"{name}: cannot be read: {error.strerror}") from None
    return [run for place, record in _records(text, name) for run in _runs(Reader(record, name, place))]


def _records(text: bytes, name: str) -> list[tuple[str, Any]]:
    """The JSON of a file: one object, or each of a list or of its lines with its place. Raises MeasurementError."""
    try:
        content = utf8(text)
    except NotUtf8 as error:
        raise MeasurementError(f"{name}, line {error.line}: {error}") from None
    try:
        value = json.loads(content)
        several = isinstance(value, list) and value and all(isinstance(each, dict) for each in value)
        return [(f"entry {number}", each) for number, each in enumerate(value, 1)] if several else [("", value)]
    except (ValueError, RecursionError) as error:
        whole = error
        lines = [(f"line {number}", line) for number, line in enumerate(content.split("\n"), 1) if line.strip()]
    records = []
    for place, line in lines or [("", "")]:
        try:
            records.append((place, json.loads(line)))
        except (ValueError, RecursionError) as error:  # Where no line is JSON, the file was meant as one object.
            read, fault = (Reader({}, name, place), error) if records else (Reader({}, name), whole)
            raise read.refused(f"is no JSON ({fault}); expected {TOOLS}") from None
    return records


def _runs(read: Reader) -> list[MeasuredRun]:
    """The runs of one record."""
    record = read.record
    tool = next((tool for tool in FORMATS if isinstance(record, dict) and tool.recognizes(record)), None)
    if tool is None:
        keys = ", ".join(list(record)[:6]) if isinstance(record, dict) else type(record).__name__
        raise read.refused(f"is a file of another tool (it holds {keys or 'nothing'}); expected {TOOLS}")
    return tool.runs(read)


def _log(path: Path, name: str, example: bool) -> MeasuredRun:
    """A LoadGen run: its rates and percentiles are official keys; it says neither model nor accelerator.

    A sample is a request; an Offline run sends all of its samples in one query, a Server run queries at TARGET. What
    TARGET is of any other scenario tells no load: LoadGen takes it for how many samples it needs.
    """
    try:
        log = loadgen.read_log(path, (TARGET,))
        loadgen.check_valid(log)
    except loadgen.LogError as error:
        raise MeasurementError(f"{name}: {error}") from None
    rates = loadgen.rates(log)
    if "tokens_per_second" not in rates:
        raise MeasurementError(f"{name}: logs no tokens per second; expected a run of a language model")
    read = Reader(log, name)
    each = read.number("effective_samples_per_query") if "effective_samples_per_query" in log else 1.0
    completed = read.number("result_query_count") * each
    sends = read.text("effective_scenario") == "Server" and TARGET in log
    return read.run(
        "LoadGen",
        "",
        output_tokens_per_s=rates["tokens_per_second"],
        requests_completed=completed,
        scenario=read.text("effective_scenario"),
        date=read.text("test_datetime"),
        software=f"LoadGen {read.text('loadgen_version')}".strip(),
        requests_per_s=rates.get("samples_per_second", UNKNOWN),
        request_rate=read.number(TARGET, above=0) * each if sends else UNKNOWN,
        example=example,
        **{name: value for name, value in loadgen.percentiles(log).items() if name in COLUMNS},
    )
