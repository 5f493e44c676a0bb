"""The logs of MLPerf Endpoints, which from v6.1 on may replace LoadGen's: the figures of one run.

Where a tree cannot be had whole, data/endpoints_runs.csv holds the figures of single runs (`stated`).

`performance/result_summary.json` states samples, rates and latencies in nanoseconds; the `run_1/results.json` of an
older version only samples, seconds and their rate. The figure is that of MLCommons' submission checker: the rate, in
tokens for benchmarks that count them, and in the stream scenarios the mean latency.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from analysis._core import table_text
from analysis._core.agreement import AGREES
from analysis._core.vocabulary import LIMITED, MILLISECONDS, STREAMS, TOKENS
from analysis._import.official import json_file, units
from analysis._import.official.entry import EntryError
from analysis._import.official.run_log import LogError, Logged

SUMMARIES = ("performance/result_summary.json", "performance/run_1/result_summary.json")
OLDER = "performance/run_1/results.json"  # other tools write files of this name too
SENSIBLE = 1e30  # no time in nanoseconds and no count comes near, nor near its inverse
FIGURES = "figure of MLPerf Endpoints logs"
MEAN = "mean latency, where LoadGen gives a percentile"
WINDOW = "tokens over the window of LoadGen, not over the whole run"
PERCENTS = (50, 90, 99)
TABLE = "endpoints_runs.csv"
DRIVEN = {"max_throughput": ("Offline",), "poisson": LIMITED}  # load pattern -> the scenarios that it is of
_PERCENTILE = re.compile(r"result_(\d+\.\d)\d_percentile_latency_ns")
_WORDS = ("location", "load_pattern", "file", "repository", "commit")  # columns of TABLE that hold text
_STATED = {"total", "successful", "failed", "elapsed_time", "qps"}


class _Run(NamedTuple):
    """What a file states; `seconds` is the window in which its rates were counted, latencies are in nanoseconds."""

    samples: int
    seconds: float
    qps: float
    tokens: int | None = None
    tps: float | None = None
    windowed: bool = False
    pattern: Any = None
    series: Mapping[str, Mapping[str, Any]] = {}


def find(folder: Path, may_open: Callable[[str], bool]) -> str:
    """The file of a run folder that holds its Endpoints log, "" for none; `may_open` says which may be opened."""
    summary = next((name for name in SUMMARIES if may_open(name)), "")
    return summary or (OLDER if may_open(OLDER) and _older(folder / OLDER) else "")


def logged(path: Path, benchmark: str, scenario: str, round: str) -> Logged:
    """What the Endpoints log at `path` says of a run. Raises LogError where it cannot be trusted.

    Percentiles of TTFT and TPOT are those measured, as in rows of LoadGen, not the estimates of early stopping.
    """
    older = _older(path) if path.name == Path(OLDER).name else None
    run = _of_older(older, path.name) if older else _of_summary(json_file.read_object(path), path.name)
    return _logged(run, path.name, benchmark, scenario, round)


def stated(location: str, benchmark: str, scenario: str, round: str) -> Logged | None:
    """What data/endpoints_runs.csv says of the run at a location of a round, as `logged`; None where it has no row."""
    row = _runs().get((round, location.lower()))
    return _logged(_of_summary(_summary(row), TABLE), TABLE, benchmark, scenario, round) if row else None


def _logged(run: _Run, name: str, benchmark: str, scenario: str, round: str) -> Logged:
    """The figure of a run that the file `name` states, and the columns of its row."""
    _hold_together(run, name)
    if scenario not in DRIVEN.get(str(run.pattern), (scenario,)):
        raise LogError(f"{name}: its load pattern is {run.pattern}, from which no {scenario} result follows")
    value, unit, key = _figure(run, name, benchmark, scenario, round)
    columns: dict[str, Any] = {"inferred": False, "samples_per_second": run.qps} | _percentiles(run)
    if run.tps and run.tokens:
        columns |= {"tokens_per_second": run.tps, "tokens_per_sample": float(f"{run.tokens / run.samples:.6g}")}
    remarks = (FIGURES, MEAN * (key == "latency.avg"), WINDOW * (unit == TOKENS and run.windowed))
    figures = {"tps": (run.tps, TOKENS), "qps": (run.qps, units.of_key("qps", scenario))}
    return Logged(value, unit, key, columns, figures, tuple(filter(None, remarks)))


def percentile(benchmark: str, scenario: str) -> str:
    """The percentile ("90.0") of the latency that a benchmark reports in place of the mean, "" for the others."""
    log_key = units.counted().get(benchmark, units.UNKNOWN).single_stream_log_key if scenario == "SingleStream" else ""
    match = _PERCENTILE.fullmatch(log_key)
    return match[1] if match else ""


def accuracy(path: Path) -> str:
    """The accuracy that `accuracy_results.json` states, as the summary prints it; "" where it states no single one."""
    try:
        content = json_file.read_object(path)
    except EntryError:
        return ""
    stated, scores = content.get("average_accuracy"), content.get("accuracy_scores")
    if stated is None and isinstance(scores, list) and len(scores) == 1 and isinstance(scores[0], dict):
        stated = scores[0].get("score")
    return repr(stated) if positive(stated) else ""


@cache
def _runs() -> Mapping[tuple[str, str], Mapping[str, str]]:
    """The rows of TABLE by round and location."""
    return {(row["round"], row["location"].lower()): row for row in table_text.rows(Path(TABLE).stem)}


def _summary(row: Mapping[str, str]) -> dict[str, Any]:
    """A row of TABLE in the form of result_summary.json, as far as it is read here."""
    cells = {name: json.loads(cell) if cell else None for name, cell in row.items() if name not in ("round", *_WORDS)}
    percentiles = {
        name: {"percentiles": {f"{percent}.0": cells[f"{name}_p{percent}_ns"] for percent in PERCENTS}}
        for name in ("ttft", "tpot")
    }
    return cells | percentiles | {
        "latency": {"avg": cells["latency_avg_ns"]},
        "output_sequence_lengths": {"total": cells["output_tokens"]},
        "run_config": {"load_pattern": {"type": row["load_pattern"]}},
    }  # fmt: skip


def _figure(run: _Run, file: str, benchmark: str, scenario: str, round: str) -> tuple[float, str, str]:
    """Value, unit and key of the official figure."""
    if scenario in STREAMS:
        reported_percentile = percentile(benchmark, scenario)
        steps = ("early_stopping_percentiles", reported_percentile) if reported_percentile else ("avg",)
        key = ".".join(("latency", *steps))
        if not positive(value := within(run.series.get("latency"), *steps)):
            raise LogError(f"{file}: its {key} is {value!r}, not a number above 0")
        return value / 1e6, MILLISECONDS, key
    unit = units.true_unit(benchmark, scenario, round) or (TOKENS if run.tps else units.of_key("qps", scenario))
    if unit != TOKENS:
        return run.qps, unit, "qps"
    if not run.tps:
        raise LogError(f"{file}: has no tps, the tokens per second that {benchmark} counts")
    return run.tps, unit, "tps"


def _of_summary(content: Mapping[str, Any], file: str) -> _Run:
    if content.get("complete", True) is not True or content.get("state", "complete") != "complete":
        raise LogError(f"{file}: the run is not complete")
    samples = _all(*(content.get(f"n_samples_{name}") for name in ("issued", "completed", "failed")), file)
    window = content.get("legacy_loadgen_window_duration_ns")
    nanoseconds = content.get("duration_ns") if window is None else window
    seconds = nanoseconds / 1e9 if positive(nanoseconds) else nanoseconds
    tokens = within(content.get("output_sequence_lengths"), "total")
    pattern = within(content.get("run_config"), "load_pattern", "type")
    series = {name: content[name] for name in ("ttft", "tpot", "latency") if isinstance(content.get(name), dict)}
    return _Run(
        samples, seconds, content.get("qps"), tokens, content.get("tps") or None, window is not None, pattern, series
    )


def _of_older(stated: Mapping[str, Any], file: str) -> _Run:
    samples = _all(stated["total"], stated["successful"], stated["failed"], file)
    return _Run(samples, stated["elapsed_time"], stated["qps"])


def _older(path: Path) -> Mapping[str, Any] | None:
    """The figures in the file of an older version; None in one of another tool."""
    with suppress(EntryError):
        content = json_file.read(path)
        parts = content.values() if isinstance(content, dict) else ()
        return next((part for part in parts if isinstance(part, dict) and part.keys() >= _STATED), None)
    return None


def _all(issued: Any, completed: Any, failed: Any, file: str) -> int:
    """The samples of a run, all of which must have come back."""
    if not (isinstance(completed, int) and positive(completed) and completed == issued and failed == 0):
        counted = f"{completed!r} of {issued!r} samples completed and {failed!r} failed"
        raise LogError(f"{file}: {counted}, expected as many as were issued")
    return completed


def _hold_together(run: _Run, file: str) -> None:
    """Raises LogError where the rates are no numbers, or contradict what they are made of."""
    for name, value in (("duration", run.seconds), ("qps", run.qps)):
        if not positive(value):
            raise LogError(f"{file}: its {name} is {value!r}, not a number above 0")
    counted = {run.samples, run.samples - run.windowed}  # that window opens with the first sample, which it leaves out
    if not any(_agree(run.qps * run.seconds, count) for count in counted):
        raise LogError(f"{file}: qps is {run.qps:g}, but {run.samples} samples took {run.seconds:g} s")
    tokens_agree = positive(run.tps) and positive(run.tokens) and _agree(run.tps * run.seconds, run.tokens)
    if run.tps is not None and not tokens_agree:
        raise LogError(f"{file}: tps is {run.tps!r}, but {run.tokens!r} tokens took {run.seconds:g} s")
    for name, series in run.series.items():
        rising = [value for value in _stated(series) if value is not None]
        if any(low > high for low, high in pairwise(rising)):
            raise LogError(f"{file}: the percentiles of {name} do not rise")


def _percentiles(run: _Run) -> dict[str, float]:
    """`ttft_p50_ms` ... `tpot_p99_ms`, as far as stated."""
    return {
        f"{name}_p{percent}_ms": value / 1e6
        for name in ("ttft", "tpot")
        for percent, value in zip(PERCENTS, _stated(run.series.get(name)), strict=True)
        if value is not None
    }


def _stated(series: Any) -> list[float | None]:
    """The percentiles PERCENTS of a series in nanoseconds, None where one is not stated."""
    values = (within(series, "percentiles", f"{percent}.0") for percent in PERCENTS)
    return [value if positive(value) else None for value in values]


def within(content: Any, *steps: str) -> Any:
    """What lies behind the steps into nested objects, None where something is missing."""
    for step in steps:
        content = content.get(step) if isinstance(content, dict) else None
    return content


def _agree(value: float, expected: float) -> bool:
    return abs(value - expected) <= AGREES * abs(expected)


def positive(value: Any) -> bool:
    """Return whether a value is a sensible number above 0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 1 / SENSIBLE < value < SENSIBLE
