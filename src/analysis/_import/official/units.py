"""In which unit a benchmark is counted, and by which key of the log.

The keys are those of MLCommons' own submission checker, by round. A printed unit is a label: what a figure counts
follows from the key that it was read from.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from analysis._core import table_text
from analysis._core.cell_lists import cell_values
from analysis._core.vocabulary import (
    ACCURACY_TARGETS,
    MILLISECONDS,
    QUERIES,
    RATES,
    SAMPLES,
    SCENARIOS,
    STREAM_COUNT,
    STREAMS,
    TOKENS,
)

SAMPLES_PER_QUERY = 8  # of MultiStream, by rule
INFERRED = {("SingleStream", "MultiStream"), ("SingleStream", "Offline"), ("MultiStream", "Offline")}  # ran, reported
POWER = ("watts", "millijoules", "joules")
STREAMS_KEY = "effective_samples_per_query"  # what MultiStream reports until v1.1: the streams answered together
NANOSECONDS = ("_ns", "_latency_ss", "_latency_ms")  # how keys end whose values are in nanoseconds
_LATENCY = {"ms": 1.0, "s": 1000.0, "us": 1e-3, "ns": 1e-6}
_PRINTED = {unit: unit for unit in (*RATES, STREAM_COUNT)} | {"tasks/s": SAMPLES}  # a task of v6.1 is one sample
LATENCY_SINCE = "v2.0"  # the first round in which MultiStream reports a latency, and logs count their queries
_SCENARIO = {name.lower(): name for name in SCENARIOS}
# Part of a model's name -> what it was submitted as; the first counts.
_OPEN_MODELS = {"ssd-mobilenet": "ssd-small", "mobilenet": "resnet50", "efficientnet": "resnet50"}
_TARGET = re.compile(rf"-({'|'.join(map(re.escape, ACCURACY_TARGETS))})$")


class Counted(NamedTuple):
    """How a benchmark is counted, and under which keys of a log: columns of data/benchmarks.csv."""

    offline_unit: str = ""
    server_unit: str = ""
    tokens_since: str = ""
    server_tokens_since: str = ""
    tokens_per_sample_by_rule: str = ""
    offline_log_key: str = ""
    server_log_key: str = ""
    server_log_key_before: str = ""
    single_stream_log_key: str = ""


UNKNOWN = Counted()  # a benchmark that the table does not have


@cache
def counted() -> dict[str, Counted]:
    """How each benchmark is counted; where no unit of Server and Interactive is known, as Offline."""
    rows = [row | {"server_unit": row["server_unit"] or row["offline_unit"]} for row in table_text.rows("benchmarks")]
    return {row["benchmark"]: Counted(*map(row.get, Counted._fields)) for row in rows}


def own_keys() -> set[str]:
    """The keys of logs that some benchmark has in place of the usual ones."""
    return {
        key for counting in counted().values() for name, key in counting._asdict().items() if "log_key" in name and key
    }


def tokens_by_rule(benchmark: str) -> float | None:
    """The tokens of a sample where the rules of the benchmark fix them."""
    by_rule = counted().get(benchmark, UNKNOWN).tokens_per_sample_by_rule
    return float(by_rule) if by_rule else None


def benchmark(model: str, run: str = "") -> tuple[str, str]:
    """The benchmark and the accuracy target ("95", "99", "99.9" or "") that the official name of a model represents.

    Where it names none of data/benchmarks.csv, the name of what ran (`run`) may: the `MlperfModel` of v6.1 is at times
    a class of models. A benchmark that the table does not have keeps its name.
    """
    pairs = [_split(name) for name in (model, run) if name]
    return next((pair for pair in pairs if pair[0] in counted()), pairs[0])


def _split(model: str) -> tuple[str, str]:
    """The benchmark that a name represents, and the accuracy target behind it."""
    target = _TARGET.search(model)
    name = _TARGET.sub("", model).removesuffix("-interactive")
    return _filed().get(name, name), target[1] if target else ""


def open_model(name: str) -> str:
    """Return the name of the benchmark that a model of the open division ran under; `name` itself where it is one.

    As the submission checker maps names that it does not know (`get_mlperf_model`, v1.0).
    """
    if benchmark(name)[0] in counted():
        return name
    return next((filed for part, filed in _OPEN_MODELS.items() if part in name), name)


@cache
def _filed() -> dict[str, str]:
    """The benchmark of each other name that the record files one under."""
    return {name: row["benchmark"] for row in table_text.rows("benchmarks") for name in cell_values(row["filed_as"])}


def names(benchmark: str) -> tuple[str, ...]:
    """The names under which a benchmark is submitted, its own first."""
    return benchmark, *(name for name, filed in _filed().items() if filed == benchmark)


def scenario(name: str, model: str = "") -> str:
    """The scenario in MLPerf's spelling: "offline" is Offline, "Single Stream" of v0.7 SingleStream.

    v5.0 submitted Interactive as a model run under Server.
    """
    spelling = _SCENARIO.get(re.sub("[_ ]", "", name.lower()), name)
    return "Interactive" if "-interactive" in model and spelling == "Server" else spelling


def true_unit(benchmark: str, scenario: str, round: str) -> str:
    """The unit in which the round counts the benchmark in a scenario; "" where either is not known."""
    if scenario in STREAMS:
        return STREAM_COUNT if counts_streams(scenario, round) else MILLISECONDS
    if scenario not in SCENARIOS:
        return ""
    per_query = _per_query(scenario)
    counting = counted().get(benchmark, UNKNOWN)
    since = (scenario != "Offline" and counting.server_tokens_since) or counting.tokens_since
    if since and before(round, since):
        return per_query
    unit = counting.offline_unit if scenario == "Offline" else counting.server_unit
    return unit if unit in (TOKENS, "") else per_query


def counts_streams(scenario: str, round: str) -> bool:
    """Whether the figure is a number of streams and no latency: MultiStream until v1.1."""
    return scenario == "MultiStream" and before(round, LATENCY_SINCE)


def printed(label: str) -> tuple[str, float]:
    """The unit that a printed label names, and what one of it is in that unit (seconds are 1000 ms); "" if none."""
    text = " ".join(label.lower().split())
    latency = re.fullmatch(r"(?:latency )?\(?(ms|us|ns|s)\)?", text)
    if latency:
        return MILLISECONDS, _LATENCY[latency[1]]
    rate = text.replace("/second", "/s").replace(" per second", "/s")
    return _PRINTED.get(rate, ""), 1.0


def of_power(label: object) -> str:
    """The unit of power or energy per query that a printed label names: watts, millijoules or joules; "" for none."""
    word = label.strip().lower() if isinstance(label, str) else ""
    return word if word in POWER else ""


def official_keys(benchmark: str, scenario: str, round: str) -> tuple[str, ...]:
    """The keys of mlperf_log_detail.txt that may hold the official figure, the first one that is logged counts.

    A benchmark that data/benchmarks.csv does not have counts tokens if its log does: LoadGen logs them for language
    models alone. Source: MLCommons submission checker, by round; see MLPerf Inference rules.
    """
    counting = counted().get(benchmark, UNKNOWN)
    if scenario == "SingleStream":
        usual = ("early_stopping_latency_ss", "result_90.00_percentile_latency_ns")
        return tuple(dict.fromkeys(filter(None, [counting.single_stream_log_key, *usual])))
    if scenario == "MultiStream":
        latencies = ("early_stopping_latency_ms", "result_99.00_percentile_latency_ns")
        return (STREAMS_KEY,) if counts_streams(scenario, round) else latencies
    offline, unit = scenario == "Offline", true_unit(benchmark, scenario, round)
    tokens = "result_tokens_per_second" if offline else "result_completed_tokens_per_second"
    if unit == TOKENS:
        return ((counting.offline_log_key if offline else counting.server_log_key) or tokens,)
    tokens_if_unknown = () if unit else (tokens,)
    if offline:
        return (*tokens_if_unknown, "result_samples_per_second")
    scheduled = ("result_scheduled_samples_per_sec",) if before(round, "v4.1") else ()
    if counting.server_log_key_before and before(round, counting.server_tokens_since):
        scheduled = (counting.server_log_key_before,)
    return (*tokens_if_unknown, *scheduled, "result_completed_samples_per_sec")


@lru_cache(maxsize=1024)
def of_key(key: str, scenario: str) -> str:
    """The unit of a figure that was read from `key`: queries are the samples of Server and Interactive."""
    if key.endswith(NANOSECONDS):
        return MILLISECONDS
    if key == STREAMS_KEY:
        return STREAM_COUNT
    return TOKENS if "tokens" in key else _per_query(scenario)


def _per_query(scenario: str) -> str:
    """The unit of a rate that counts no tokens."""
    return SCENARIOS[scenario].unit if scenario in SCENARIOS else QUERIES


@lru_cache(maxsize=1024)
def before(round: str, other: str) -> bool:
    """Whether a round is older than another; one that is not known is not."""
    numbers = [tuple(map(int, re.findall(r"\d{1,9}", name))) for name in (round, other)]
    return bool(numbers[0]) and numbers[0] < numbers[1]
