"""GuideLLM's benchmarks.json: one report, in it one benchmark for each load that was tried.

Four forms, distinct in their parts. 0.1: each result with its times in seconds (`results`, `decode_times`). 0.2 and
0.3: distributions by status (`metrics`), load in `args.strategy`, model in `worker`. 0.4 to 0.6: load in
`config.strategy`, counts in `metrics.request_totals`, model in the report's `args`. From 0.7 on: model and labels in
the report's `config`. Times are in milliseconds by name. The time per output token of other tools is GuideLLM's
`inter_token_latency_ms` (after the first token, over the others); its own `time_per_output_token_ms` divides by all.
Percentiles of it weigh each request by its tokens. Only `successful` requests count; `incomplete` ones were cut off by
the end of the run and are no failures. Rates are those of the tool, over a window that cuts requests at both ends, so
tokens over seconds agree with them roughly. A zero is no time: the answers were not streamed. Keys as in
vllm-project/guidellm, its tags v0.1.0 to v0.7.3.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis._import.measured.measurement import (
    UNKNOWN,
    MeasuredRun,
    MeasurementError,
    Reader,
    by_request,
    checked,
    named,
)

FORM = "GuideLLM (benchmarks.json)"
CUT = 0.5  # share by which requests cut at the ends of the window may part tokens over seconds from the rate
TIMES = (("ttft", "time_to_first_token_ms"), ("tpot", "inter_token_latency_ms"))
AT_ONCE = {"synchronous": 1.0}  # requests at a time of a load that does not say them


def recognizes(record: Mapping[str, Any]) -> bool:
    """Whether the record looks like one of GuideLLM's, good or bad."""
    return isinstance(record.get("benchmarks"), list)


def runs(record: Mapping[str, Any], file: str, place: str = "") -> list[MeasuredRun]:
    """The runs of a report, in its order. Raises MeasurementError naming file, benchmark and key."""
    benchmarks = record["benchmarks"]
    if not benchmarks:
        raise MeasurementError(f"{named(file, place)}: holds no benchmark: nothing was measured")
    before = f"{place}, " if place else ""
    return [_run(record, part, file, f"{before}benchmark {number}") for number, part in enumerate(benchmarks, 1)]


def _run(report: Mapping[str, Any], part: Any, file: str, place: str) -> MeasuredRun:
    where = named(file, place)
    if not isinstance(part, Mapping):
        raise MeasurementError(f"{where}: is {type(part).__name__}; expected an object")
    whole, benchmark = Reader(report, named(file, "")), Reader(part, where)
    if "metrics" not in part and isinstance(part.get("results"), list):
        return _of_results(whole, benchmark, file, place)
    if not isinstance(part.get("metrics"), Mapping):
        raise MeasurementError(f"{where}: metrics is missing; expected the distributions of a GuideLLM benchmark")
    read, metrics = _Statistics(part["metrics"], where), benchmark.part("metrics")
    totals = (metrics if metrics.record.get("request_totals") else benchmark).part("request_totals")
    load = _load(benchmark)
    ttfts, tpots = _requests(benchmark, totals.number("successful"))
    measured = MeasuredRun(
        file, place, "GuideLLM", _model(whole, benchmark),
        output_tokens_per_s=read.of("output_tokens_per_second", "mean", above=0),
        requests_completed=totals.number("successful"),
        requests_failed=totals.number("errored"),
        software=f"GuideLLM {whole.part('metadata').text('guidellm_version')}".strip(),
        concurrency=_at_once(load),
        request_rate=_rate(load),
        duration_s=_seconds(benchmark),
        input_tokens=read.of("prompt_token_count", "total_sum", missing=UNKNOWN),
        output_tokens=read.of("output_token_count", "total_sum", missing=UNKNOWN),
        requests_per_s=read.of("requests_per_second", "mean", missing=UNKNOWN),
        example=bool(report.get("example")),
        request_ttft_ms=ttfts,
        request_tpot_ms=tpots,
        **_labeled(whole),
        **_times(read),
    )  # fmt: skip
    return checked(measured, where, CUT)


class _Statistics(Reader):
    """Statistics of the successful requests of a metric: `output_tokens_per_second.successful.mean`."""

    def of(self, metric: str, statistic: str, missing: float | None = None, above: float | None = None) -> float:
        """The statistic, `missing` where it is not there. Raises MeasurementError naming it."""
        distribution = self.part(metric).part("successful")
        value = (distribution.part("percentiles") if statistic.startswith("p") else distribution).record.get(statistic)
        key = f"{metric}.successful.{statistic}"
        if value is None:
            if missing is None:
                raise self.fault(key, "is missing", "a number")
            return missing
        return self.number(key, value, above=above)


def _times(read: _Statistics) -> dict[str, float]:
    """Times in milliseconds; NaN where nothing was streamed."""
    times = {
        f"{name}_{ours}_ms": read.of(metric, theirs, missing=UNKNOWN)
        for name, metric in TIMES
        for ours, theirs in (("mean", "mean"), ("p50", "median"), ("p99", "p99"))
    }
    return {name: time if time else UNKNOWN for name, time in times.items()}


def _seconds(part: Reader) -> float:
    return part.number("end_time less start_time", part.number("end_time") - part.number("start_time"), above=0)


def _load(part: Reader) -> Reader:
    """The strategy by which requests were sent."""
    return part.part("config" if part.record.get("config") else "args").part("strategy")


def _at_once(load: Reader) -> float:
    streams = load.optional("streams")
    return AT_ONCE.get(load.text("type_"), load.optional("max_concurrency")) if streams != streams else streams


def _rate(load: Reader) -> float:
    return float("inf") if load.text("type_") == "throughput" else load.optional("rate")


def _model(report: Reader, part: Reader) -> str:
    """The model's name, from the places of all versions; the one that ran before the one that was asked for."""
    places = (
        (part.part("config").record.get("backend"), "model"),
        (part.record.get("worker"), "backend_model"),
        (report.part("config").part("spec").record.get("backend"), "model"),
        (report.record.get("args"), "model"),
    )
    named_so = (settings.get(key) for settings, key in places if isinstance(settings, Mapping))
    return report.words("model", next(filter(None, named_so), ""))


def _labeled(report: Reader) -> dict[str, Any]:
    """Accelerator, its count and the precision, where the labels of the report's metadata say them."""
    labels = report.part("config").part("metadata").part("labels")
    return {
        "accelerator": labels.text("accelerator"),
        "accelerator_count": labels.count("accelerator_count"),
        "precision": labels.text("precision"),
    }


def _requests(part: Reader, completed: float) -> tuple[np.ndarray | None, np.ndarray | None]:
    """TTFT and TPOT of each successful request in milliseconds; None where the report holds a sample of them."""
    requests = part.part("requests").parts("successful")
    if len(requests) != completed:
        return None, None
    ttfts, tpots = (np.array([request.time(key) for request in requests]) for _, key in TIMES)
    return (ttfts, tpots) if (ttfts > 0).all() else (None, None)


def _of_results(report: Reader, part: Reader, file: str, place: str) -> MeasuredRun:
    """A benchmark of version 0.1, its rates and percentiles computed from its results."""
    results, failed = part.parts("results"), len(part.parts("errors"))
    if not results:
        raise MeasurementError(f"{part.where}: no request was completed, {failed} failed")
    tokens = np.array([read.number("output_token_count", above=0) for read in results])
    first_s = np.array([read.number("first_token_time") for read in results])
    after_s = np.array([read.number("decode_times.data", _spent(read)) for read in results])
    ttfts, tpots = by_request(first_s, after_s, tokens)
    spans = [(read.number("start_time"), read.number("end_time")) for read in results]
    seconds = max(end for _, end in spans) - min(start for start, _ in spans)
    duration = part.number("end_time less start_time", seconds, above=0)
    measured = MeasuredRun(
        file, place, "GuideLLM", _model(report, part),
        output_tokens_per_s=float(tokens.sum() / duration),
        requests_completed=float(len(results)),
        requests_failed=float(failed),
        software="GuideLLM",
        request_rate=part.optional("rate"),
        concurrency=AT_ONCE.get(part.text("mode"), UNKNOWN),
        duration_s=duration,
        input_tokens=float(sum(read.optional("prompt_token_count") for read in results)),
        output_tokens=float(tokens.sum()),
        requests_per_s=len(results) / duration,
        example=bool(report.record.get("example")),
        request_ttft_ms=ttfts,
        request_tpot_ms=tpots,
        **_percentiles("ttft", ttfts),
        **_percentiles("tpot", tpots),
    )  # fmt: skip
    return checked(measured, part.where)


def _spent(read: Reader) -> float:
    """Seconds after the first token of a result."""
    times = read.part("decode_times").record.get("data") or []
    if not isinstance(times, list):
        raise read.fault("decode_times.data", f"is {reprlib.repr(times)}", "a list of numbers")
    return sum(read.number("decode_times.data", time) for time in times)


def _percentiles(name: str, times: np.ndarray | None) -> dict[str, float]:
    """Mean, median and 99th percentile of the times that are known; nothing where none is."""
    times = times[~np.isnan(times)] if times is not None else np.array([])
    if not len(times):
        return {}
    values = float(np.mean(times)), float(np.median(times)), float(np.percentile(times, 99))
    return dict(zip((f"{name}_{statistic}_ms" for statistic in ("mean", "p50", "p99")), values, strict=True))
