"""Read LoadGen's detail log of a run: its official figure, rates, and latency percentiles."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

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
RATES = {  # column -> keys, of which the last that is logged counts
    "samples_per_second": ("result_samples_per_second", "result_completed_samples_per_sec"),
    "tokens_per_second": (
        "result_tokens_per_second", "result_completed_tokens_per_second", "result_inferred_tokens_per_second",
        "result_inferred_completed_tokens_per_second",
    ),
}  # fmt: skip
LINE = re.compile(rb':::MLLOG\s*\{\s*"key"\s*:\s*"([\w.]+)"\s*,\s*"value"\s*:\s*("(?:[^"\\]|\\.)*"|[-+.\w]+)\s*[,}]')
KEPT = (b"result_", b"effective_", b"early_stopping_latency_", b"power_")


class LogError(ValueError):
    """A log cannot be trusted. The message names the file and the reason."""


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
    told = {"validity": "VALID", "recomputed": value, "recomputed_key": key, "unit": unit}
    told |= {name: log[key] / 1e6 for name, key in PERCENTILES.items() if _positive(log.get(key))}
    for name, keys in RATES.items():
        told |= {name: float(log[key]) for key in keys if _positive(log.get(key))}
    if "tokens_per_second" in told and "samples_per_second" in told:
        told["tokens_per_sample"] = float(f"{told['tokens_per_second'] / told['samples_per_second']:.6g}")
    return told, log


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST < value < MOST
