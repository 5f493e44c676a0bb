"""What vLLM's and SGLang's clients share, which have one ancestor: names in milliseconds, and arrays in seconds."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis._import.measured.measurement import MOST, MeasuredRun, Reader, by_request, times

ARRAYS = ("ttfts", "itls", "output_lens")  # of each request
CALLED = {"mean": "mean", "p50": "median", "p99": "p99"}  # statistics, as their names begin


def figures(read: Reader) -> dict[str, Any]:
    """The fields of a MeasuredRun that both name alike. Raises MeasurementError naming the key."""
    ttfts, tpots = _arrays(read)
    return {
        "output_tokens_per_s": read.number("output_throughput", above=0),
        "requests_completed": read.number("completed"),
        "concurrency": read.optional("max_concurrency"),
        "request_rate": _rate(read),
        "duration_s": read.number("duration", above=0),
        "input_tokens": read.optional("total_input_tokens"),
        "output_tokens": read.number("total_output_tokens", above=0),
        "requests_per_s": read.optional("request_throughput"),
        "request_ttft_ms": ttfts,
        "request_tpot_ms": tpots,
        **times(lambda name, statistic: read.optional(f"{CALLED[statistic]}_{name}_ms")),
    }


def agreeing(run: MeasuredRun, read: Reader) -> MeasuredRun:
    """The run, if the mean of its array in seconds agrees with the one in milliseconds. Raises MeasurementError."""
    if run.request_ttft_ms is not None and len(run.request_ttft_ms) and run.ttft_mean_ms > 0:
        mean = float(np.mean(run.request_ttft_ms))
        if not 0.9 < mean / run.ttft_mean_ms < 1.1:
            raise read.refused(
                f"ttfts average {mean / 1000:g}, mean_ttft_ms is {run.ttft_mean_ms:g}; expected seconds in the array "
                "and milliseconds in the mean"
            )
    return run


def has_arrays(read: Reader) -> bool:
    """Whether a record tells of each request."""
    return all(isinstance(read.value(name), list) for name in ARRAYS)


def _rate(read: Reader) -> float:
    """Requests per second that were asked for; infinite for all at once, NaN for a replayed trace."""
    rate = read.value("request_rate")
    if rate in ("inf", float("inf")):
        return float("inf")
    return float("nan") if rate == "trace" else read.optional("request_rate")


def _arrays(read: Reader) -> tuple[np.ndarray | None, np.ndarray | None]:
    """TTFT and TPOT of each completed request in milliseconds, from arrays in seconds; a failed one put out nothing.

    None where the file has no arrays, or its answers were not streamed (see measurement.by_request).
    """
    if not has_arrays(read):
        return None, None
    ttfts, itls, lengths = map(read.value, ARRAYS)
    if not len(ttfts) == len(itls) == len(lengths):
        sizes = ", ".join(f"{name} {len(read.value(name))}" for name in ARRAYS)
        raise read.refused(f"{sizes}; expected one entry per request in each")
    done = [request for request in zip(ttfts, itls, lengths, strict=True) if request[2]]
    try:
        first_s, after_s, tokens = (
            np.array(column, dtype=float)
            for column in (
                [first for first, _, _ in done],
                [sum(after) for _, after, _ in done],
                [length for _, _, length in done],
            )
        )
    except (TypeError, ValueError, OverflowError):
        raise read.refused("ttfts, itls or output_lens hold something else than numbers") from None
    if not all(((values >= 0) & (values < MOST)).all() for values in (first_s, after_s, tokens)):
        raise read.refused(
            "ttfts, itls or output_lens hold a number that is not finite, below 0, or beyond any measurement"
        )
    return by_request(first_s, after_s, tokens)
