"""What `vllm bench serve` writes: one JSON object, or one per line where results were appended.

Latencies are in milliseconds by name (`mean_ttft_ms`), the arrays of --save-detailed in seconds. The file says neither
accelerator nor count; --metadata accelerator=... accelerator_count=... precision=... puts them there as text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis.importers.measured.measurement import MeasuredRun, MeasurementError, Reader, checked

KEYS = {"duration", "completed", "total_output_tokens", "output_throughput"}
GOODPUT = ("request_goodput", "request_goodput:")  # the second is how versions before mid-2025 spell it
OTHERS = {
    "elapsed_time": "the result of `vllm bench throughput`, without latencies",
    "avg_latency": "the result of `vllm bench latency`, of one batch",
    "total_output_tokens_retokenized": "the result of SGLang's bench_serving",
    "input_sequence_throughput": "the result of a pooling model, which puts out no tokens",
}


def recognises(record: Mapping[str, Any]) -> bool:
    """Whether the record looks like one of vLLM's, good or bad."""
    return len(KEYS & set(record)) >= 2 or bool(set(OTHERS) & set(record))


def run(record: Mapping[str, Any], file: str, place: str = "") -> MeasuredRun:
    """The run of one record. Raises MeasurementError naming file, place and key."""
    where = f"{file}, {place}" if place else file
    for key, what in OTHERS.items():
        if key in record:
            raise MeasurementError(f"{where}: is {what}; expected the result of `vllm bench serve`")
    read = Reader(record, where)
    ttfts, tpots = _arrays(record, where)
    measured = MeasuredRun(
        file, place, "vllm bench serve", str(record.get("model_id") or ""),
        output_tokens_per_s=read.number("output_throughput", above=0),
        requests_completed=read.number("completed"),
        requests_failed=_failed(record, read),
        date=str(record.get("date") or ""),
        software=str(record.get("backend") or record.get("endpoint_type") or ""),
        precision=str(record.get("precision") or ""),
        accelerator=str(record.get("accelerator") or ""),
        accelerator_count=_count(record, read),
        concurrency=read.optional("max_concurrency"),
        request_rate=_rate(record, read),
        duration_s=read.number("duration", above=0),
        input_tokens=read.optional("total_input_tokens"),
        output_tokens=read.number("total_output_tokens", above=0),
        requests_per_s=read.optional("request_throughput"),
        goodput_per_s=_goodput(record, read),
        example=bool(record.get("example")),
        request_ttft_ms=ttfts,
        request_tpot_ms=tpots,
        **{f"{name}_{statistic}_ms": read.optional(f"{key}_{name}_ms")
           for name in ("ttft", "tpot") for statistic, key in (("mean", "mean"), ("p50", "median"), ("p99", "p99"))},
    )  # fmt: skip
    _same_unit(measured, where)
    return checked(measured, where)


def _failed(record: Mapping[str, Any], read: Reader) -> float:
    """Failed requests; versions that do not count them leave what was asked and not completed."""
    if record.get("failed") is not None:
        return read.number("failed")
    asked = read.optional("num_prompts")
    return max(asked - read.number("completed"), 0.0) if asked == asked else 0.0


def _count(record: Mapping[str, Any], read: Reader) -> int:
    count = record.get("accelerator_count")
    if count in (None, ""):
        return 0
    if not str(count).isdecimal() or int(count) < 1:
        raise read.fault("accelerator_count", f"is {count!r}", "a whole number from 1")
    return int(count)


def _rate(record: Mapping[str, Any], read: Reader) -> float:
    return float("inf") if record.get("request_rate") in ("inf", float("inf")) else read.optional("request_rate")


def _goodput(record: Mapping[str, Any], read: Reader) -> float:
    return read.optional(next((key for key in GOODPUT if record.get(key) is not None), GOODPUT[0]))


def _arrays(record: Mapping[str, Any], where: str) -> tuple[np.ndarray | None, np.ndarray | None]:
    """TTFT and TPOT of each completed request in milliseconds, from arrays in seconds; a failed one put out nothing.

    TPOT is the time after the first token over the other tokens, as the tool defines it; NaN for a single token.
    """
    names = ("ttfts", "itls", "output_lens")
    if not all(isinstance(record.get(name), list) for name in names):
        return None, None
    ttfts, itls, lengths = (record[name] for name in names)
    if not len(ttfts) == len(itls) == len(lengths):
        sizes = ", ".join(f"{name} {len(record[name])}" for name in names)
        raise MeasurementError(f"{where}: {sizes}; expected one entry per request in each")
    done = [request for request in zip(ttfts, itls, lengths, strict=True) if request[2]]
    try:
        first = np.array([request[0] for request in done], dtype=float)
        after = np.array([sum(request[1]) for request in done], dtype=float)
        tokens = np.array([request[2] for request in done], dtype=float)
    except (TypeError, ValueError):
        raise MeasurementError(f"{where}: ttfts, itls or output_lens hold something else than numbers") from None
    if not (np.isfinite(first).all() and np.isfinite(after).all()):
        raise MeasurementError(f"{where}: ttfts or itls hold a number that is not finite")
    return 1000 * first, 1000 * after / np.where(tokens > 1, tokens - 1, np.nan)


def _same_unit(run: MeasuredRun, where: str) -> None:
    """The arrays are in seconds and the summary in milliseconds: their means must agree."""
    if run.request_ttft_ms is None or not len(run.request_ttft_ms) or not run.ttft_mean_ms > 0:
        return
    ratio = float(np.mean(run.request_ttft_ms)) / run.ttft_mean_ms
    if not 0.9 < ratio < 1.1:
        raise MeasurementError(
            f"{where}: ttfts average {np.mean(run.request_ttft_ms) / 1000:g}, mean_ttft_ms is {run.ttft_mean_ms:g}; "
            "expected seconds in the array and milliseconds in the mean"
        )
