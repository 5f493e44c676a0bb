"""Name benchmarks and scenarios, their units, and the keys of their figures in LoadGen logs.

The keys are those of MLCommons' submission checker for v4.1 and later. A printed unit is only a label: what a figure
counts follows from its benchmark and scenario.
"""

from __future__ import annotations

import re
from functools import cache

from analysis import tables
from analysis.compare import SCENARIOS
from analysis.results import TOKENS

SAMPLES, QUERIES, MILLISECONDS = "samples/s", "queries/s", "ms"
LIMITED, STREAMS = ("Server", "Interactive"), ("SingleStream", "MultiStream")
LABELS = {  # label in lower case -> unit, and the factor that converts to it
    **{unit: (unit, 1.0) for unit in (TOKENS, SAMPLES, QUERIES, MILLISECONDS)},
    "tasks/s": (SAMPLES, 1.0), "latency (ms)": (MILLISECONDS, 1.0), "latency (s)": (MILLISECONDS, 1000.0),
}  # fmt: skip
POWER = ("watts", "millijoules")  # labels of power, the latter per query in the stream scenarios
NAME = re.compile(r"(.*?)(?:-interactive)?(?:-(95|99|99\.9))?")  # of a model, with percent of the reference accuracy
OFFLINE_KEYS = ("result_tokens_per_second", "result_samples_per_second")
LIMITED_KEYS = ("result_completed_tokens_per_second", "result_completed_samples_per_sec")
LOG_KEYS = {  # scenario -> column of data/benchmarks.csv with a benchmark's own key, and the usual keys
    "Offline": ("offline_log_key", OFFLINE_KEYS),
    "Server": ("server_log_key", LIMITED_KEYS),
    "Interactive": ("server_log_key", LIMITED_KEYS),
    "SingleStream": ("single_stream_log_key", ("early_stopping_latency_ss", "result_90.00_percentile_latency_ns")),
    "MultiStream": ("", ("early_stopping_latency_ms", "result_99.00_percentile_latency_ns")),
}


@cache  # called for each row; cleared by tables.forget
def known() -> dict[str, dict[str, str]]:
    """Return the row of data/benchmarks.csv behind each name under which results are submitted."""
    rows = tables.benchmarks.to_dict("records")
    return {name: row for row in rows for name in (row["benchmark"], *row["filed_as"].split(";")) if name}


def official_benchmark(model: str, run: str = "") -> tuple[str, str]:
    """Return the benchmark and accuracy target ("99", ...) of a model's official name.

    `run` is the name of what ran; it counts where `model` names no known benchmark, as the classes of v6.1. An unknown
    benchmark keeps its name.
    """
    parts = [NAME.fullmatch(name).groups("") for name in (model, run)]
    name, target = next((part for part in parts if part[0] in known()), parts[0] if model else parts[1])
    return known()[name]["benchmark"] if name in known() else name, target


def scenario(name: str, model: str = "") -> str:
    """Return the scenario in MLPerf's spelling; v5.0 filed Interactive as a model of that name run under Server."""
    spelled = {each.lower(): each for each in SCENARIOS}.get(re.sub("[_ ]", "", name.lower()), name)
    return "Interactive" if "-interactive" in model and spelled == "Server" else spelled


def rate_unit(benchmark: str, scenario: str) -> str:
    """Return the unit in which a benchmark is counted in a scenario, "" where either is unknown."""
    if scenario in STREAMS:
        return MILLISECONDS
    if scenario not in SCENARIOS or benchmark not in known():
        return ""
    row = known()[benchmark]
    if scenario == "Offline":
        return row["offline_unit"]
    unit = row["server_unit"] or row["offline_unit"]
    return QUERIES if unit == SAMPLES else unit


def log_keys(benchmark: str, scenario: str) -> tuple[str, ...]:
    """Return the keys of mlperf_log_detail.txt that may hold the official figure; the first one logged counts."""
    column, usual = LOG_KEYS[scenario]
    own, unit = known().get(benchmark, {}).get(column, ""), rate_unit(benchmark, scenario)
    if unit == MILLISECONDS:
        return (own, *usual) if own else usual
    tokens, samples = own or usual[0], usual[1]
    return {TOKENS: (tokens,), "": (tokens, samples)}.get(unit, (samples,))  # LoadGen logs tokens for language models


def of_key(key: str, scenario: str) -> str:
    """Return the unit of a figure that was read from `key`."""
    if scenario in STREAMS:
        return MILLISECONDS
    return TOKENS if "tokens" in key else SAMPLES if scenario == "Offline" else QUERIES
