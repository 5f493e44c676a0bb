"""In which unit a benchmark is counted, and by which key of the log; no file but data/benchmarks.csv is read here.

The keys are those of MLCommons' own submission checker, by round. A printed unit is a label: what a figure counts
follows from the key that it was read from.
"""

from __future__ import annotations

import csv
import re
from functools import cache

from analysis.core.paths import DATA

SCENARIOS = {name.lower(): name for name in ("Offline", "Server", "Interactive", "SingleStream", "MultiStream")}
STREAMS = ("SingleStream", "MultiStream")
SAMPLES_PER_QUERY = 8  # of MultiStream, by rule
INFERRED = {("SingleStream", "MultiStream"), ("SingleStream", "Offline"), ("MultiStream", "Offline")}  # ran, reported
POWER = ("watts", "millijoules", "joules")
NANOSECONDS = ("_ns", "_latency_ss", "_latency_ms")  # how keys end whose values are in nanoseconds
PRINTED = {"tokens/s": "tokens/s", "samples/s": "samples/s", "queries/s": "queries/s"}
_LATENCY = {"ms": 1.0, "s": 1000.0, "us": 1e-3, "ns": 1e-6}
_TARGET = re.compile(r"-(99(?:\.9)?)$")


@cache
def counted() -> dict[str, tuple[str, str]]:
    """Per benchmark of data/benchmarks.csv its units: of Offline, and of Server and Interactive."""
    with (DATA / "benchmarks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["benchmark"]: (row["offline_unit"], row["server_unit"] or row["offline_unit"]) for row in rows}


def benchmark(model: str) -> tuple[str, str]:
    """The benchmark and the accuracy target ("99", "99.9" or "") that the official name of a model stands for.

    A benchmark that data/benchmarks.csv does not have keeps its name.
    """
    target = _TARGET.search(model)
    name = _TARGET.sub("", model).removesuffix("-interactive")
    name = {"resnet": "resnet50", "llama3_1-8b": "llama3.1-8b", "llama3_1-405b": "llama3.1-405b"}.get(name, name)
    return name, target[1] if target else ""


def scenario(name: str, model: str = "") -> str:
    """The scenario in MLPerf's spelling ("offline" is Offline); v5.0 filed Interactive as a model run under Server."""
    known = SCENARIOS.get(name.lower().replace("_", ""), name)
    return "Interactive" if "-interactive" in model and known == "Server" else known


def true_unit(benchmark: str, scenario: str, round: str) -> str:
    """The unit in which the round counts the benchmark; "" for a benchmark that data/benchmarks.csv does not have."""
    if scenario in STREAMS:
        return "ms"
    per_query = "samples/s" if scenario == "Offline" else "queries/s"
    if benchmark == "gptj" and _before(round, "v4.1"):
        return per_query
    offline, other = counted().get(benchmark, ("", ""))
    unit = offline if scenario == "Offline" else other
    return unit if unit in ("tokens/s", "") else per_query


def printed(label: str) -> tuple[str, float]:
    """The unit that a printed label names, and what one of it is in that unit (seconds are 1000 ms); "" if none."""
    text = " ".join(label.lower().split())
    latency = re.fullmatch(r"(?:latency )?\(?(ms|us|ns|s)\)?", text)
    if latency:
        return "ms", _LATENCY[latency[1]]
    return PRINTED.get(text.replace("/second", "/s").replace(" per second", "/s"), ""), 1.0


def of_power(label: object) -> str:
    """The unit of power or energy per query that a printed label names: watts, millijoules or joules; "" for none."""
    word = label.strip().lower() if isinstance(label, str) else ""
    return word if word in POWER else ""


def official_keys(benchmark: str, scenario: str, round: str) -> tuple[str, ...]:
    """The keys of mlperf_log_detail.txt that may hold the official figure, the first one that is logged counts.

    A benchmark that data/benchmarks.csv does not have counts tokens if its log does: LoadGen logs them for language
    models alone. Source: MLCommons submission checker, by round; see MLPerf Inference rules.
    """
    if scenario == "SingleStream":
        edge = ("result_90.00_percentile_latency_ns",) if benchmark == "llama3.1-8b-edge" else ()
        return (*edge, "early_stopping_latency_ss", "result_90.00_percentile_latency_ns")
    if scenario == "MultiStream":
        return ("early_stopping_latency_ms", "result_99.00_percentile_latency_ns")
    which, unit = 0 if scenario == "Offline" else 1, true_unit(benchmark, scenario, round)
    inferred = "inferred_" if benchmark == "gptj" else ""
    tokens = f"result_{inferred}{('', 'completed_')[which]}tokens_per_second"
    if unit == "tokens/s":
        return (tokens,)
    samples = ("result_samples_per_second", "result_completed_samples_per_sec")[which]
    scheduled = ("result_scheduled_samples_per_sec",) if which and _before(round, "v4.1") else ()
    return (*((tokens,) if not unit else ()), *scheduled, samples)


def of_key(key: str, scenario: str) -> str:
    """The unit of a figure that was read from `key`: queries are the samples of Server and Interactive."""
    if key.endswith(NANOSECONDS):
        return "ms"
    if "tokens" in key:
        return "tokens/s"
    return "samples/s" if scenario == "Offline" else "queries/s"


def _before(round: str, other: str) -> bool:
    """Whether a round is older than another; one that is not known is not."""
    numbers = [tuple(map(int, re.findall(r"\d+", name))) for name in (round, other)]
    return bool(numbers[0]) and numbers[0] < numbers[1]
