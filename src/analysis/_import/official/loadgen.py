"""LoadGen's logs: the wanted keys of one run and its official figure.

A detail log holds lines `:::MLLOG {"key": ..., "value": ...}`, a few hundred that matter among megabytes that do not.
The file is searched as bytes where it is mapped into memory, whatever its size. Until v0.7 that log was text, and the
official figure that of the summary log, lines `name : value`.
"""

from __future__ import annotations

import json
import mmap
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from analysis._core.vocabulary import MILLISECONDS, SAMPLES, SCENARIOS, TOKENS
from analysis._import.official import units
from analysis._import.official.run_log import LogError, Logged

JSON_SINCE = "v1.0"  # the first round whose detail logs hold :::MLLOG lines
SUMMARY = "mlperf_log_summary.txt"
LEAST = 1e-300  # that counts as more than nothing: a nanosecond in milliseconds must not vanish
PERCENTILES = {  # column of a result row -> key, in nanoseconds
    f"{name}_p{p}_ms": key.format(p)
    for name, key in {
        "ttft": "result_first_token_{}.00_percentile_latency_ns",
        "tpot": "result_time_per_output_token_{}.00_percentile_ns",
    }.items()
    for p in (50, 90, 99)
}
KEYS = (
    "effective_scenario", "result_validity", "result_query_count", "power_begin", "power_end", "loadgen_version",
    "test_datetime", "result_samples_per_second", "result_completed_samples_per_sec",
    "result_scheduled_samples_per_sec", "result_tokens_per_second", "result_completed_tokens_per_second",
    "result_inferred_tokens_per_second", "result_inferred_completed_tokens_per_second",
    "early_stopping_latency_ss", "early_stopping_latency_ms", "effective_samples_per_query",
    "result_qps_with_loadgen_overhead", "result_qps_without_loadgen_overhead", "result_mean_query_latency_ns",
    "result_90.00_percentile_latency_ns", "result_99.00_percentile_latency_ns", *PERCENTILES.values(),
)  # fmt: skip
IN_WORDS = {  # name in a summary log -> key of a detail log
    "Scenario": "effective_scenario",
    "Result is": "result_validity",
    "Samples per second": "result_samples_per_second",
    "Scheduled samples per second": "result_scheduled_samples_per_sec",
    "Completed samples per second": "result_completed_samples_per_sec",
    "Samples per query": "effective_samples_per_query",
    "QPS w/o loadgen overhead": "result_qps_without_loadgen_overhead",
    "90th percentile latency (ns)": "result_90.00_percentile_latency_ns",
}
TOKEN_RATES = tuple(key for key in KEYS if key.endswith("tokens_per_second"))
_LINE = rb':::MLLOG\s*\{\s*"key"\s*:\s*"(%s)"\s*,\s*"value"\s*:\s*("(?:[^"\\\r\n]|\\.)*"|[-+.\w]+)\s*[,}]'


def logged(path: Path, benchmark: str, scenario: str, round: str) -> Logged:
    """What the log at `path` says of a run. Raises LogError where it cannot be trusted."""
    log = read_summary(path) if path.name == SUMMARY else read_log(path)
    try:
        check_valid(log)
        value, unit, key = performance(log, benchmark, scenario, round)
    except LogError as error:
        raise LogError(f"{path.name}: {error}") from None
    columns = {"validity": "VALID", "inferred": inferred(log, scenario), **percentiles(log), **rates(log)}
    figures = {key: (log[key], units.of_key(key, scenario)) for key in KEYS if key in log}
    return Logged(value, unit, key, columns, figures, raw=log)


def read_log(path: Path, more_keys: tuple[str, ...] = ()) -> dict[str, Any]:
    """The values that the log at `path` states for KEYS, for those that some benchmark has of its own, and `more_keys`.

    Values are numbers or text as logged (latencies in nanoseconds), by key; keys that it lacks are missing. Of a key
    logged again with another value the first counts, as in the official checker. Raises LogError where the file cannot
    be read or holds no log line.
    """
    values: dict[str, Any] = {}
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as log:
            found = [(match[1].decode(), match[2].decode("latin-1")) for match in _line(more_keys).finditer(log)]
    except OSError as error:
        raise LogError(f"{path.name}: cannot be read: {error.strerror}") from None
    except ValueError:  # An empty file cannot be mapped.
        found = []
    for key, value in found:
        try:
            values.setdefault(key, json.loads(value))
        except ValueError:
            raise LogError(f"{path.name}: the value of {key} is {value!r}, neither number nor text") from None
    if not values:
        raise LogError(f"{path.name}: holds no line of a LoadGen log")
    return values


def read_summary(path: Path) -> dict[str, Any]:
    """Return the values of a summary log by the keys of a detail log, as far as IN_WORDS has them.

    Of a name that stands again the first counts. Raises LogError where the file cannot be read or holds no such line.
    """
    values: dict[str, Any] = {}
    try:
        with path.open(encoding="latin-1") as file:
            for line in file:
                name, _, value = line.partition(":")
                if key := IN_WORDS.get(name.strip()):
                    values.setdefault(key, _number(value.strip()))
    except OSError as error:
        raise LogError(f"{path.name}: cannot be read: {error.strerror}") from None
    if not values:
        raise LogError(f"{path.name}: holds no line of a LoadGen log")
    return values


def _number(text: str) -> Any:
    with suppress(ValueError):
        return json.loads(text)
    return text


def check_valid(log: dict[str, Any]) -> None:
    """Raises LogError unless the run ended and was VALID."""
    if "result_validity" not in log:
        raise LogError("no result_validity: the run did not end, or the log is cut off")
    if log["result_validity"] != "VALID":
        raise LogError(f"result_validity is {log['result_validity']}, not VALID")


def inferred(log: dict[str, Any], scenario: str) -> bool:
    """Whether the result of `scenario` is inferred from the log of another one, as the rules allow at the edge.

    Server is how LoadGen runs Interactive. Raises LogError for a log of any other scenario, or of one not said.
    """
    ran = units.scenario(str(log.get("effective_scenario")))
    if ran in SCENARIOS and (ran == scenario or (ran, scenario) == ("Server", "Interactive")):
        return False
    if (ran, scenario) in units.INFERRED:
        return True
    logged = repr(log["effective_scenario"]) if "effective_scenario" in log else "not logged"
    raise LogError(f"effective_scenario is {logged}, from which no {scenario} result follows")


def performance(log: dict[str, Any], benchmark: str, scenario: str, round: str) -> tuple[float, str, str]:
    """The official figure of a run: value, unit, and the key it was read from.

    In tokens, samples or queries per second, in milliseconds for the stream scenarios. Raises LogError where the log
    lacks the key, where it is no positive number, or where the log is of a scenario that does not give this one.
    """
    if inferred(log, scenario):
        return _from_another(log, benchmark, scenario, round)
    key, value = _figure(log, units.official_keys(benchmark, scenario, round))
    return (value / 1e6 if key.endswith(units.NANOSECONDS) else value), units.of_key(key, scenario), key


def _from_another(log: dict[str, Any], benchmark: str, scenario: str, round: str) -> tuple[float, str, str]:
    """The figure that the submission checker infers: MultiStream is the stream of eight, Offline the rate of either."""
    if units.counts_streams(scenario, round):
        raise LogError(f"{round} counts the streams of MultiStream, and no other scenario's log does")
    if scenario == "MultiStream":
        key, value = _figure(log, units.official_keys(benchmark, scenario, round))
        return value * units.SAMPLES_PER_QUERY / 1e6, MILLISECONDS, key
    if units.true_unit(benchmark, scenario, round) == TOKENS:
        raise LogError(f"{benchmark} counts tokens, and a log of streams does not")
    if units.scenario(log["effective_scenario"]) == "SingleStream":
        key, value = _figure(log, ("result_qps_without_loadgen_overhead",))
        return value, SAMPLES, key
    key, value = _figure(log, ("result_mean_query_latency_ns",))
    return _figure(log, ("effective_samples_per_query",))[1] * 1e9 / value, SAMPLES, key


def _figure(log: dict[str, Any], keys: tuple[str, ...]) -> tuple[str, float]:
    """The first of `keys` that is logged, and its value. Raises LogError."""
    key = next((key for key in keys if key in log), "")
    if not key:
        raise LogError(f"none of {', '.join(keys)} is logged")
    if not _positive(log[key]):
        raise LogError(f"{key} is {log[key]!r}, not a number above zero")
    return key, float(log[key])


def rates(log: dict[str, Any]) -> dict[str, float]:
    """`samples_per_second` and `tokens_per_second` of the run, as far as logged, and `tokens_per_sample` from both."""
    keys_of = {
        "samples_per_second": ("result_samples_per_second", "result_completed_samples_per_sec"),
        "tokens_per_second": TOKEN_RATES,
    }
    out = {name: float(log[key]) for name, keys in keys_of.items() for key in keys[::-1] if _positive(log.get(key))}
    if len(out) == 2:
        out["tokens_per_sample"] = float(f"{out['tokens_per_second'] / out['samples_per_second']:.6g}")
    return out


def percentiles(log: dict[str, Any]) -> dict[str, float]:
    """Time to first token and time per output token in milliseconds: `ttft_p50_ms` ... `tpot_p99_ms`, if logged."""
    return {name: log[key] / 1e6 for name, key in PERCENTILES.items() if _positive(log.get(key))}


@cache
def _line(more_keys: tuple[str, ...]) -> re.Pattern[bytes]:
    """What tells a line with one of the wanted keys; its groups are key and value."""
    keys = {*KEYS, *units.own_keys(), *more_keys}
    return re.compile(_LINE % b"|".join(re.escape(key.encode()) for key in sorted(keys)))


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST < value < float("inf")
