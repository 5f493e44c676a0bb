"""GuideLLM's benchmarks.json: one report, in it one benchmark for each load that was tried.

Three forms, distinct in their parts. 0.2 and 0.3: distributions by status (`metrics`), load in `args.strategy`, model
in `worker`. 0.4 to 0.6: load in `config.strategy`, counts in `metrics.request_totals`, model in the report's `args`.
From 0.7 on: model and labels in the report's `config`. Times are in milliseconds by name. The time per output token of
other tools is GuideLLM's `inter_token_latency_ms` (after the first token, over the others); its own
`time_per_output_token_ms` divides by all. Percentiles of it weigh each request by its tokens. Only `successful`
requests count; `incomplete` ones were cut off by the end of the run and are no failures. Rates are those of the tool,
over a window that cuts requests at both ends, so tokens over seconds agree with them roughly. A zero is no time: the
answers were not streamed. Keys as in vllm-project/guidellm, its tags v0.2.0 to v0.7.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis._import.measured.clients import CALLED
from analysis._import.measured.measurement import UNKNOWN, MeasuredRun, Reader, times

FORM = "GuideLLM (benchmarks.json)"
CUT = 0.5  # share by which requests cut at the ends of the window may part tokens over seconds from the rate
TIMES = {"ttft": "time_to_first_token_ms", "tpot": "inter_token_latency_ms"}
AT_ONCE = {"synchronous": 1.0}  # requests at a time of a load that does not say them


def recognizes(record: Mapping[str, Any]) -> bool:
    """Whether the record looks like one of GuideLLM's, good or bad."""
    return isinstance(record.get("benchmarks"), list)


def runs(read: Reader) -> list[MeasuredRun]:
    """The runs of a report, in its order. Raises MeasurementError naming file, benchmark and key."""
    benchmarks = read.record["benchmarks"]
    if not benchmarks:
        raise read.refused("holds no benchmark: nothing was measured")
    return [_run(read, read.within(each, f"benchmark {number}")) for number, each in enumerate(benchmarks, 1)]


def _run(report: Reader, part: Reader) -> MeasuredRun:
    if not isinstance(part.record, Mapping):
        raise part.refused(f"is {type(part.record).__name__}; expected an object")
    if not isinstance(part.value("metrics"), Mapping):
        raise part.refused("metrics is missing; expected the distributions of a benchmark of GuideLLM 0.2 or later")
    totals = part.part("metrics.request_totals" if part.value("metrics.request_totals") else "request_totals")
    load = part.part("config.strategy" if part.value("config") else "args.strategy")
    ttfts, tpots = _requests(part, totals.number("successful"))
    return part.run(
        "GuideLLM",
        _model(report, part),
        CUT,
        output_tokens_per_s=part.number(_statistic("output_tokens_per_second", "mean"), above=0),
        requests_completed=totals.number("successful"),
        requests_failed=totals.number("errored"),
        software=f"GuideLLM {report.text('metadata.guidellm_version')}".strip(),
        concurrency=_at_once(load),
        request_rate=float("inf") if load.text("type_") == "throughput" else load.optional("rate"),
        duration_s=_seconds(part),
        input_tokens=part.optional(_statistic("prompt_token_count", "total_sum")),
        output_tokens=part.optional(_statistic("output_token_count", "total_sum")),
        requests_per_s=part.optional(_statistic("requests_per_second", "mean")),
        example=bool(report.value("example")),
        request_ttft_ms=ttfts,
        request_tpot_ms=tpots,
        **_labeled(report),
        **times(lambda name, statistic: part.optional(_statistic(TIMES[name], CALLED[statistic]))),
    )


def _statistic(metric: str, statistic: str) -> str:
    """The key of a statistic of the successful requests: `metrics.output_tokens_per_second.successful.mean`."""
    return f"metrics.{metric}.successful.{'percentiles.' * statistic.startswith('p')}{statistic}"


def _seconds(part: Reader) -> float:
    return part.number("end_time less start_time", part.number("end_time") - part.number("start_time"), above=0)


def _at_once(load: Reader) -> float:
    streams = load.optional("streams")
    return AT_ONCE.get(load.text("type_"), load.optional("max_concurrency")) if streams != streams else streams


def _model(report: Reader, part: Reader) -> str:
    """The model's name, from the places of all versions; the one that ran before the one that was asked for."""
    places = (
        (part.value("config.backend"), "model"),
        (part.value("worker"), "backend_model"),
        (report.value("config.spec.backend"), "model"),
        (report.value("args"), "model"),
    )
    named_so = (settings.get(key) for settings, key in places if isinstance(settings, Mapping))
    return report.words("model", next(filter(None, named_so), ""))


def _labeled(report: Reader) -> dict[str, Any]:
    """Accelerator, its count and the precision, where the labels of the report's metadata say them."""
    labels = report.part("config.metadata.labels")
    return {
        "accelerator": labels.text("accelerator"),
        "accelerator_count": labels.count("accelerator_count"),
        "precision": labels.text("precision"),
    }


def _requests(part: Reader, completed: float) -> tuple[np.ndarray | None, np.ndarray | None]:
    """TTFT and TPOT of each successful request in milliseconds; None where the report holds a sample of them."""
    requests = part.parts("requests.successful")
    if len(requests) != completed:
        return None, None
    ttfts, tpots = (np.array([read.optional(key) or UNKNOWN for read in requests]) for key in TIMES.values())
    return (ttfts, tpots) if (ttfts > 0).all() else (None, None)
