"""What `vllm bench serve` writes: one JSON object, or one per line where results were appended.

Latencies are in milliseconds by name (`mean_ttft_ms`), the arrays of --save-detailed in seconds. The file says neither
accelerator nor count; --metadata accelerator=... accelerator_count=... precision=... puts them there as text. The
client of InferenceX is a copy of an older one and writes the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis._import.measured import clients
from analysis._import.measured.measurement import IN_TIME, MeasuredRun, Reader

FORM = "`vllm bench serve` (--save-result or --append-result)"
KEYS = {"duration", "completed", "total_output_tokens", "output_throughput"}
GOODPUT = ("request_goodput", "request_goodput:")  # the second is how versions before mid-2025 spell it
OTHERS = {
    "elapsed_time": "the result of `vllm bench throughput`, without latencies",
    "avg_latency": "the result of `vllm bench latency`, of one batch",
    "input_sequence_throughput": "the result of a pooling model, which puts out no tokens",
}


def recognizes(record: Mapping[str, Any]) -> bool:
    """Whether the record looks like one of vLLM's, good or bad."""
    return len(KEYS & set(record)) >= 2 or bool(set(OTHERS) & set(record))


def runs(read: Reader) -> list[MeasuredRun]:
    """The run of one record. Raises MeasurementError naming file, place and key."""
    for key, words in OTHERS.items():
        if key in read.record:
            raise read.refused(f"is {words}; expected the result of `vllm bench serve`")
    figures, goodput_per_s = clients.figures(read), _goodput(read)
    if clients.has_arrays(read) and figures["request_ttft_ms"] is None and goodput_per_s == goodput_per_s:
        raise read.refused(IN_TIME.format(goodput_per_s))
    measured = read.run(
        "vllm bench serve",
        read.text("model_id"),
        requests_failed=_failed(read),
        date=read.text("date"),
        software=read.text("backend") or read.text("endpoint_type"),
        precision=read.text("precision"),
        accelerator=read.text("accelerator"),
        accelerator_count=read.count("accelerator_count"),
        goodput_per_s=goodput_per_s,
        **figures,
    )
    return [clients.agreeing(measured, read)]


def _failed(read: Reader) -> float:
    """Failed requests; versions that do not count them leave what was asked and not completed."""
    failed, sent = read.optional("failed"), read.optional("num_prompts")
    left = max(sent - read.number("completed"), 0.0) if sent == sent else 0.0
    return failed if failed == failed else left


def _goodput(read: Reader) -> float:
    return read.optional(next((key for key in GOODPUT if read.value(key) is not None), GOODPUT[0]))
