"""What vLLM's and SGLang's clients share, which have one ancestor: names in milliseconds, and arrays in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis._import.measured.measurement import MOST, MeasuredRun, MeasurementError, Reader, by_request, checked

ARRAYS = ("ttfts", "itls", "output_lens")  # of each request
STATISTICS = (("mean", "mean"), ("p50", "median"), ("p99", "p99"))


def figures(record: Mapping[str, Any], read: Reader) -> dict[str, Any]:
    """The fields of a MeasuredRun that both name alike. Raises MeasurementError naming the key."""
    ttfts, tpots = _arrays(record, read.where)
    return {
        "output_tokens_per_s": read.number("output_throughput", above=0),
        "requests_completed": read.number("completed"),
        "concurrency": read.optional("max_concurrency"),
        "request_rate": _rate(record, read),
        "duration_s": read.number("duration", above=0),
        "input_tokens": read.optional("total_input_tokens"),
        "output_tokens": read.number("total_output_tokens", above=0),
        "requests_per_s": read.optional("request_throughput"),
        "example": bool(record.get("example")),
        "request_ttft_ms": ttfts,
        "request_tpot_ms": tpots,
    } | {
        f"{name}_{statistic}_ms": read.time(f"{key}_{name}_ms")
        for name in ("ttft", "tpot")
        for statistic, key in STATISTICS
    }


def agreeing(run: MeasuredRun, where: str) -> MeasuredRun:
    """The run, if its numbers agree, the means of arrays in seconds with those in milliseconds too."""
    if run.request_ttft_ms is not None and len(run.request_ttft_ms) and run.ttft_mean_ms > 0:
        mean = float(np.mean(run.request_ttft_ms))
        if not 0.9 < mean / run.ttft_mean_ms < 1.1:
            raise MeasurementError(
                f"{where}: ttfts average {mean / 1000:g}, mean_ttft_ms is {run.ttft_mean_ms:g}; "
                "expected seconds in the array and milliseconds in the mean"
            )
    return checked(run, where)


def has_arrays(record: Mapping[str, Any]) -> bool:
    """Whether a record tells of each request."""
    return all(isinstance(record.get(name), list) for name in ARRAYS)


def _rate(record: Mapping[str, Any], read: Reader) -> float:
    """Requests per second that were asked for; infinite for all at once, NaN for a replayed trace."""
    rate = record.get("request_rate")
    if rate in ("inf", float("inf")):
        return float("inf")
    return float("nan") if rate == "trace" else read.optional("request_rate")


def _arrays(record: Mapping[str, Any], where: str) -> tuple[np.ndarray | None, np.ndarray | None]:
    """TTFT and TPOT of each completed request in milliseconds, from arrays in seconds; a failed one put out nothing.

    None where the file has no arrays, or its answers were not streamed (see measurement.by_request).
    """
    if not has_arrays(record):
        return None, None
    ttfts, itls, lengths = (record[name] for name in ARRAYS)
    if not len(ttfts) == len(itls) == len(lengths):
        sizes = ", ".join(f"{name} {len(record[name])}" for name in ARRAYS)
        raise MeasurementError(f"{where}: {sizes}; expected one entry per request in each")
    done = [request for request in zip(ttfts, itls, lengths, strict=True) if request[2]]
    try:
        first_s = np.array([request[0] for request in done], dtype=float)
        after_s = np.array([sum(request[1]) for request in done], dtype=float)
        tokens = np.array([request[2] for request in done], dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise MeasurementError(f"{where}: ttfts, itls or output_lens hold something else than numbers") from None
    if not all(((values >= 0) & (values < MOST)).all() for values in (first_s, after_s, tokens)):
        raise MeasurementError(
            f"{where}: ttfts, itls or output_lens hold a number that is not finite, below 0, or beyond any measurement"
        )
    return by_request(first_s, after_s, tokens)
