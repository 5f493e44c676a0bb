"""Blocks of statistics that carry their unit, as AIPerf and its forerunner genai-perf write them.

`"time_to_first_token": {"unit": "ms", "avg": 120.0, "p99": 300.0}`: the unit decides what the number means. An
inter-token latency of these tools is one per request, so it is a time per output token.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from analysis._import.measured.measurement import MOST, UNKNOWN, Reader, times

RATES = {"tokens/sec": 1.0, "tokens/s": 1.0, "requests/sec": 1.0, "requests/s": 1.0}
IN_MILLISECONDS = {"ms": 1.0, "s": 1e3, "sec": 1e3, "seconds": 1e3, "us": 1e-3, "ns": 1e-6}
IN_SECONDS = {unit: scale / 1e3 for unit, scale in IN_MILLISECONDS.items()}
IN_WATTS = {"W": 1.0, "watts": 1.0, "mW": 1e-3, "kW": 1e3}
TIMED = {"ttft": "time_to_first_token", "tpot": "inter_token_latency"}
CALLED = {"mean": "avg", "p50": "p50", "p99": "p99"}
COUNTS = {"requests": 1.0, "tokens": 1.0, "count": 1.0}


def stat(
    read: Reader, block: str, units: Mapping[str, float], stat: str = "avg", missing: float | None = None
) -> float:
    """A statistic of a block, in the first of `units`; `missing` where there is no such block or statistic.

    Raises MeasurementError naming block and statistic, also where `missing` is None and nothing is there.
    """
    content = read.value(block)
    if not isinstance(content, Mapping) or content.get(stat) is None:
        if missing is None:
            raise read.fault(f"{block}.{stat}", "is missing", f"a number and its unit, one of {', '.join(units)}")
        return missing
    unit = content.get("unit")
    if not isinstance(unit, str) or unit not in units:
        raise read.fault(f"{block}.unit", f"is {reprlib.repr(unit)}", f"one of {', '.join(units)}")
    return read.number(f"{block}.{stat}") * units[unit]


def figures(read: Reader, config: Reader) -> dict[str, Any]:
    """The fields of a MeasuredRun that both tools name alike; `config` is what was asked of the tool."""
    return {
        "output_tokens_per_s": stat(read, "output_token_throughput", RATES),
        "concurrency": _number_anywhere(config.record, "concurrency"),
        "request_rate": _number_anywhere(config.record, "request_rate"),
        "duration_s": _duration(read),
        "input_tokens": _total(read, ("total_isl", "total_input_sequence_length"), "input_sequence_length"),
        "output_tokens": _total(read, ("total_osl", "total_output_sequence_length"), "output_sequence_length"),
        "requests_per_s": stat(read, "request_throughput", RATES, missing=UNKNOWN),
        **times(lambda name, statistic: stat(read, TIMED[name], IN_MILLISECONDS, CALLED[statistic], UNKNOWN)),
    }


def watts(read: Iterable[tuple[Reader, str]]) -> dict[str, float | int]:
    """Average watts summed over the accelerators that were metered, and how many; each is given with its block."""
    metered = [stat(metrics, block, IN_WATTS) for metrics, block in read]
    return {"accelerator_watts": sum(metered) if metered else UNKNOWN, "metered": len(metered)}


def _duration(read: Reader) -> float:
    """Seconds of the run; files that do not say leave it to requests over their rate, NaN without those."""
    seconds = stat(read, "benchmark_duration", IN_SECONDS, missing=UNKNOWN)
    if seconds != seconds:
        rate = stat(read, "request_throughput", RATES, missing=UNKNOWN)
        seconds = stat(read, "request_count", COUNTS, missing=UNKNOWN) / rate if rate else UNKNOWN
    return seconds if seconds != seconds else read.number("benchmark_duration.avg", seconds, above=0)


def _total(read: Reader, blocks: tuple[str, ...], average: str) -> float:
    """Tokens of the whole run: stated in one of `blocks`, or requests times their `average` length; else NaN."""
    for block in blocks:
        tokens = stat(read, block, COUNTS, missing=UNKNOWN)
        if tokens == tokens:
            return tokens
    requests = stat(read, "request_count", COUNTS, missing=UNKNOWN)
    return stat(read, average, COUNTS, missing=UNKNOWN) * requests


def _number_anywhere(config: Any, name: str) -> float:
    """The number `name` wherever a configuration holds it; NaN where it is missing or said twice with other values."""
    numbers = (value for value in _walk(config, name) if type(value) in (int, float) and abs(value) <= MOST)
    values = {float(value) for value in numbers}
    return values.pop() if len(values) == 1 else UNKNOWN


def _walk(value: Any, name: str) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == name:
                yield inner
            yield from _walk(inner, name)
    elif isinstance(value, list):
        for part in value:
            yield from _walk(part, name)
