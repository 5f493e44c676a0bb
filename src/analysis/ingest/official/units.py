"""Name benchmarks and scenarios, their units, and the keys of their figures in LoadGen logs.

The keys are those of MLCommons' submission checker for v4.1 and later. A printed unit is only a label: what a figure
counts follows from its benchmark and scenario.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from analysis import tables

TOKENS, SAMPLES, QUERIES, MILLISECONDS = "tokens/s", "samples/s", "queries/s", "ms"
SCENARIOS = ("Offline", "Server", "Interactive", "SingleStream", "MultiStream")
LIMITED, STREAMS = ("Server", "Interactive"), ("SingleStream", "MultiStream")
LATENCY = {"ms": 1.0, "s": 1000.0, "us": 1e-3, "ns": 1e-6}  # milliseconds of each unit that a label may name
TARGET = re.compile(r"-(95|99|99\.9)$")  # percent of the reference accuracy, at the end of a model's name


@lru_cache(maxsize=1)
def filed_as() -> dict[str, str]:
    """Return the benchmark behind each name that results are filed under."""
    rows = tables.benchmarks
    names = (rows["benchmark"] + ";" + rows["filed_as"]).str.rstrip(";").str.split(";")
    pairs = rows.assign(name=names).explode("name")
    return dict(zip(pairs["name"], pairs["benchmark"], strict=True))


def benchmark(model: str, run: str = "") -> tuple[str, str]:
    """Return the benchmark and accuracy target ("99", ...) that a model's official name stands for.

    `run` is the name of what ran; it counts where `model` names no known benchmark, as the classes of v6.1. An unknown
    benchmark keeps its name.
    """
    found = []
    for name in filter(None, (model, run)):
        target = TARGET.search(name)
        plain = TARGET.sub("", name).removesuffix("-interactive")
        found.append((filed_as().get(plain, plain), target[1] if target else ""))
    known = (pair for pair in found if pair[0] in filed_as())
    return next(known, found[0] if found else ("", ""))


def scenario(name: str, model: str = "") -> str:
    """Return the scenario in MLPerf's spelling; v5.0 filed Interactive as a model of that name run under Server."""
    spelled = {each.lower(): each for each in SCENARIOS}.get(re.sub("[_ ]", "", name.lower()), name)
    return "Interactive" if "-interactive" in model and spelled == "Server" else spelled


@cache
def rate_unit(benchmark: str, scenario: str) -> str:
    """Return the unit in which a benchmark is counted in a scenario, "" where either is unknown."""
    if scenario in STREAMS:
        return MILLISECONDS
    known = tables.benchmarks.set_index("benchmark")
    if scenario not in SCENARIOS or benchmark not in known.index:
        return ""
    offline, server = known.loc[benchmark, ["offline_unit", "server_unit"]]
    unit = offline if scenario == "Offline" else server or offline
    return unit if unit in (TOKENS, "") else SAMPLES if scenario == "Offline" else QUERIES


def printed_unit(label: str) -> tuple[str, float]:
    """Return the unit of a label, "" for none, and the factor that converts to it (s to ms: 1000)."""
    text = " ".join(label.lower().split())
    if latency := re.fullmatch(r"(?:latency )?\(?(ms|us|ns|s)\)?", text):
        return MILLISECONDS, LATENCY[latency[1]]
    rate = text.replace("/second", "/s").replace(" per second", "/s")
    return {"tasks/s": SAMPLES}.get(rate, rate if rate in (TOKENS, SAMPLES, QUERIES) else ""), 1.0


@cache
def log_keys(benchmark: str, scenario: str) -> tuple[str, ...]:
    """Return the keys of mlperf_log_detail.txt that may hold the official figure; the first one logged counts."""
    rows = tables.benchmarks.set_index("benchmark")
    own = rows.loc[benchmark] if benchmark in rows.index else dict.fromkeys(rows, "")
    if scenario == "SingleStream":
        usual = ("early_stopping_latency_ss", "result_90.00_percentile_latency_ns")
        return tuple(filter(None, (own["single_stream_log_key"], *usual)))
    if scenario == "MultiStream":
        return "early_stopping_latency_ms", "result_99.00_percentile_latency_ns"
    offline, unit = scenario == "Offline", rate_unit(benchmark, scenario)
    tokens = "result_tokens_per_second" if offline else "result_completed_tokens_per_second"
    tokens = own["offline_log_key" if offline else "server_log_key"] or tokens
    samples = "result_samples_per_second" if offline else "result_completed_samples_per_sec"
    if not unit:  # LoadGen logs tokens for language models alone
        return tokens, samples
    return (tokens,) if unit == TOKENS else (samples,)


def of_key(key: str, scenario: str) -> str:
    """Return the unit of a figure that was read from `key`."""
    if key.endswith(("_ns", "_latency_ss", "_latency_ms")):
        return MILLISECONDS
    return TOKENS if "tokens" in key else SAMPLES if scenario == "Offline" else QUERIES


def age(round: str) -> float:
    """Return a number that sorts rounds such as v5.1 by age; NaN for any other text."""
    found = re.fullmatch(r"v(\d{1,3})\.(\d{1,3})", round)
    return float(found[1]) + float(found[2]) / 1000 if found else float("nan")
