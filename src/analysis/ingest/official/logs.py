"""Read the logs of a run: figure, rates, and percentiles of LoadGen's detail log, power of the samples in spl.txt."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.ingest.official import units

LOG = "mlperf_log_detail.txt"
LINE_BYTES = 4096  # of a line that are read at a time: what is wanted is short, lists of samples are megabytes
INFERRED = {("SingleStream", "MultiStream"), ("SingleStream", "Offline"), ("MultiStream", "Offline")}  # ran, reported
LEAST, MOST = 1e-6, 1e18  # what a figure of a log lies between
PERCENTILES = {  # column -> key, in nanoseconds
    f"{name}_p{percent}_ms": key.format(percent)
    for name, key in {
        "ttft": "result_first_token_{}.00_percentile_latency_ns",
        "tpot": "result_time_per_output_token_{}.00_percentile_ns",
    }.items()
    for percent in (50, 90, 99)
}
RATES = {  # column -> keys, of which the first that is logged counts
    "samples_per_second": ("result_samples_per_second", "result_completed_samples_per_sec"),
    "tokens_per_second": (
        "result_tokens_per_second", "result_completed_tokens_per_second", "result_inferred_tokens_per_second",
        "result_inferred_completed_tokens_per_second",
    ),
}  # fmt: skip
LINE = re.compile(rb':::MLLOG\s*\{\s*"key"\s*:\s*"([\w.]+)"\s*,\s*"value"\s*:\s*("(?:[^"\\]|\\.)*"|[-+.\w]+)\s*[,}]')
KEPT = (b"result_", b"effective_", b"early_stopping_latency_", b"power_")
SAMPLES = "spl.txt"
LARGEST_SAMPLES = 256 << 20  # bytes: a sample a second for a week
TIME = "%m-%d-%Y %H:%M:%S.%f"
SAMPLE = r"^Time,(\d\d-\d\d-\d{4} \d\d:\d\d:\d\d\.\d{1,6}),Watts,([-+]?\d+\.?\d*(?:[eE][-+]?\d{1,3})?)(?:,|$)"
DROPPED_SHARE = 0.05  # of the samples: a meter writes -2 W where a reading failed
HOLE_S, HOLE_SHARE = 10.0, 0.05  # a gap between samples longer than both invalidates the power


class LogError(ValueError):
    """A log cannot be trusted. The message names the file and the reason."""


class PowerError(LogError):
    """Power cannot be trusted. The message names the file, the line, and the reason."""


def read_log(path: Path) -> dict[str, Any]:
    """Return the values of a detail log by key, latencies in nanoseconds; of a repeated key the first counts.

    Raises LogError where the file cannot be read or holds no such line.
    """
    values: dict[str, Any] = {}
    try:
        with path.open("rb") as file:
            for line in iter(partial(file.readline, LINE_BYTES), b""):
                found = LINE.match(line)
                if found and found[1].startswith(KEPT):
                    values.setdefault(found[1].decode(), _value(found[2].decode("latin-1"), found[1].decode()))
    except OSError as error:
        raise LogError(f"{LOG}: cannot be read: {error.strerror}") from None
    if not values:
        raise LogError(f"{LOG}: holds no line of a LoadGen log")
    return values


def _value(text: str, key: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise LogError(f"{LOG}: the value of {key} is {text[:60]!r}, neither number nor text") from None


def logged(path: Path, benchmark: str, scenario: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns of a result row that the log of a run gives, with the `unit` of its figure, and the log.

    Where the result is inferred from the log of another scenario, as the rules allow at the edge, only `inferred` says
    so. Raises LogError unless the run was VALID, was of this scenario, and has an official figure.
    """
    log = read_log(path)
    if log.get("result_validity") != "VALID":
        why = (
            f"is {log['result_validity']}, not VALID" if "result_validity" in log else "is missing: the log is cut off"
        )
        raise LogError(f"{LOG}: result_validity {why}")
    ran = units.scenario(str(log.get("effective_scenario", "")))
    if (ran, scenario) in INFERRED:
        return {"validity": "VALID", "inferred": True}, log
    if ran != scenario and (ran, scenario) != ("Server", "Interactive"):
        raise LogError(f"{LOG}: effective_scenario is {ran or 'missing'}, from which no {scenario} result is read")
    key = next((key for key in units.log_keys(benchmark, scenario) if key in log), None)
    if key is None or not _positive(log[key]):
        wanted = " or ".join(units.log_keys(benchmark, scenario))
        raise LogError(f"{LOG}: {wanted} is {log.get(key, 'not logged')}, expected a number above zero")
    unit = units.of_key(key, scenario)
    value = float(log[key]) / (1e6 if unit == units.MILLISECONDS else 1)
    told = {"validity": "VALID", "inferred": False, "recomputed": value, "recomputed_key": key, "unit": unit}
    told |= {name: log[key] / 1e6 for name, key in PERCENTILES.items() if _positive(log.get(key))}
    for name, keys in RATES.items():
        stated = [float(log[key]) for key in keys if _positive(log.get(key))]
        told |= {name: stated[0]} if stated else {}
    if "tokens_per_second" in told and "samples_per_second" in told:
        told["tokens_per_sample"] = float(f"{told['tokens_per_second'] / told['samples_per_second']:.6g}")
    return told, log


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST < value < MOST


def measured(path: Path, log: dict[str, Any], scenario: str) -> tuple[float, str]:
    """Return the average wall power in watts, or millijoules per query in the stream scenarios, and a remark.

    The mean of samples with power_begin < time < power_end (UTC) and watts above zero, as in `check_power_dir` of
    MLCommons' submission checker; energy is watts x seconds x 1000 / result_query_count. Raises PowerError where the
    window or the samples are missing or unreadable, or leave too much of the load unmeasured.
    """
    window = pd.to_datetime(
        pd.Series([log.get("power_begin"), log.get("power_end")], dtype="object"), format=TIME, errors="coerce"
    )
    if window.isna().any() or not window[0] < window[1]:
        raise PowerError(
            f"{SAMPLES}: the detail log has no power_begin before a power_end, such as 07-11-2024 23:35:19.963"
        )
    seconds = (window[1] - window[0]).total_seconds()
    samples = _samples(path)
    inside = samples[samples["time"].gt(window[0]) & samples["time"].lt(window[1])]
    positive = inside[inside["watts"].gt(0)]
    if positive.empty:
        raise PowerError(f"{SAMPLES}: no sample above zero watts between power_begin and power_end")
    times = pd.concat([window[:1], positive["time"].sort_values(), window[1:]])
    hole = times.diff().max().total_seconds()
    if hole > max(HOLE_S, HOLE_SHARE * seconds):
        raise PowerError(f"{SAMPLES}: no sample above zero watts for {hole:.0f} of the {seconds:.0f} s of the load")
    dropped = len(inside) - len(positive)
    if dropped > DROPPED_SHARE * len(inside):
        raise PowerError(f"{SAMPLES}: {dropped} of {len(inside)} samples of the load without positive watts")
    remark = f"power without {dropped} samples of the load window without positive watts" if dropped else ""
    watts = positive["watts"].mean()
    if scenario not in units.STREAMS:
        return watts, remark
    queries = log.get("result_query_count")
    if not isinstance(queries, int) or isinstance(queries, bool) or queries < 1:
        raise PowerError(f"{SAMPLES}: the detail log's result_query_count is {queries!r}, not a number above zero")
    return watts * seconds * 1000 / queries, remark


def _samples(path: Path) -> pd.DataFrame:
    """Return `time` and `watts` of each sample. Raises PowerError naming the first line that is none."""
    try:
        if path.stat().st_size > LARGEST_SAMPLES:
            raise PowerError(f"{SAMPLES}: is larger than {LARGEST_SAMPLES >> 20} MiB")
        lines = pd.Series(path.read_text("latin-1").splitlines(), dtype="object").str.strip()
    except OSError as error:
        raise PowerError(f"{SAMPLES}: cannot be read: {error.strerror}") from None
    lines = lines[lines.ne("")]
    parts = lines.str.extract(SAMPLE)
    samples = pd.DataFrame({
        "time": pd.to_datetime(parts[0], format=TIME, errors="coerce"),
        "watts": pd.to_numeric(parts[1], errors="coerce"),
    })  # fmt: skip
    wrong = samples.isna().any(axis=1) | samples["watts"].abs().gt(1e9)
    if wrong.any():
        raise PowerError(
            f"{SAMPLES}, line {wrong.idxmax() + 1}: not a sample such as Time,07-11-2024 23:35:19.963,Watts,2371.6"
        )
    return samples
