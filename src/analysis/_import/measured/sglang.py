"""What SGLang's `bench_serving` appends to its file: one JSON object per line and run.

Latencies are in milliseconds by name (`mean_ttft_ms`), the arrays of --output-details in seconds. The client itself
says neither model nor accelerator; `server_info`, which newer versions copy from the server, says model, precision and
over how many accelerators one model is spread (`tp_size`, `pp_size`, and `dp_size` unless that is of attention alone).
Failures are not counted: they are the requests of the arrays without a token. Keys as in sgl-project/sglang,
python/sglang/bench_serving.py and the server's arguments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from analysis._import.measured import clients
from analysis._import.measured.measurement import MeasuredRun, Reader

FORM = "SGLang's `bench_serving` (--output-file)"
OWN = {"total_output_tokens_retokenized", "mean_e2e_latency_ms"}
SPREAD = ("tp_size", "pp_size")
APART = {"prefill", "decode"}  # parts of server_info where other servers read prompts than write answers


def recognizes(record: Mapping[str, Any]) -> bool:
    """Whether the record looks like one of SGLang's, good or bad."""
    return "total_output_tokens_retokenized" in record or ("server_info" in record and bool(OWN & set(record)))


def runs(read: Reader) -> list[MeasuredRun]:
    """The run of one line. Raises MeasurementError naming file, line and key."""
    server = read.within(_server(read.record), "server_info")
    measured = read.run(
        "SGLang bench_serving",
        server.text("model_path"),
        requests_failed=_failed(read.record),
        software=f"{read.text('backend')} {server.text('version')}".strip(),
        precision=server.text("quantization"),
        accelerator_count=_count(server),
        **clients.figures(read),
    )
    return [clients.agreeing(measured, read)]


def _server(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the one server says of itself; nothing where several share the work."""
    server = record.get("server_info")
    return server if isinstance(server, Mapping) and not APART & set(server) else {}


def _failed(record: Mapping[str, Any]) -> float:
    lengths = record.get("output_lens")
    return float(sum(not length for length in lengths)) if isinstance(lengths, list) else 0.0


def _count(server: Reader) -> int:
    """Accelerators of the server; 0 where it does not say."""
    if not server.count("tp_size"):
        return 0
    spread = SPREAD if server.value("enable_dp_attention") else (*SPREAD, "dp_size")
    return math.prod(server.count(key) or 1 for key in spread)
