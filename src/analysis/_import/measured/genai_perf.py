"""genai-perf's profile_export_genai_perf.json: blocks of statistics that carry their unit, and its `input_config`.

genai-perf became AIPerf, whose blocks have the same names but for `request_goodput`. It counts no failed requests;
versions before 0.0.9 count none at all. Its configuration was flat first (`model`, `concurrency`), then in parts
(`model_names`, `perf_analyzer.stimulus.concurrency`). The raw profile_export.json of perf_analyzer beside it holds
texts and time stamps without tokens, which take the model's tokenizer: it is refused by name. Keys as in
triton-inference-server/perf_analyzer: export_data, metrics and profile_data_parser of genai_perf.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis._import.measured import statistic_blocks
from analysis._import.measured.measurement import UNKNOWN, MeasuredRun, Reader
from analysis._import.measured.statistic_blocks import COUNTS, RATES

FORM = "genai-perf (profile_export_genai_perf.json)"
OWN = {"formatted_model_name", "perf_analyzer"}  # parts of input_config that AIPerf has not
RAW = {"experiments", "service_kind"}
POWER = "gpu_power_usage"  # {"unit": "W", "gpu0": {"avg": 400.0}}


def recognizes(record: Mapping[str, Any]) -> bool:
    """Whether the record looks like one of genai-perf's, good or bad."""
    config = record.get("input_config")
    return bool(RAW & set(record)) or (isinstance(config, Mapping) and bool(OWN & set(config)))


def runs(read: Reader) -> list[MeasuredRun]:
    """The run of one export. Raises MeasurementError naming file and block."""
    if RAW & set(read.record):
        raise read.refused(
            "is the raw export of genai-perf, texts and time stamps without tokens; expected the "
            "profile_export_genai_perf.json that lies beside it"
        )
    config, telemetry = read.part("input_config"), read.part(f"telemetry_stats.{POWER}")
    unit = {"unit": telemetry.value("unit")}
    by_accelerator = {name: unit | stats for name, stats in telemetry.record.items() if isinstance(stats, Mapping)}
    power = Reader(by_accelerator, telemetry.file, telemetry.place)
    measured = read.run(
        "genai-perf",
        _model(config),
        requests_completed=statistic_blocks.stat(read, "request_count", COUNTS, missing=UNKNOWN),
        software=config.text("backend") or config.text("endpoint.backend"),
        goodput_per_s=statistic_blocks.stat(read, "request_goodput", RATES, missing=UNKNOWN),
        **statistic_blocks.figures(read, config),
        **statistic_blocks.watts((power, name) for name in by_accelerator),
    )
    return [measured]


def _model(config: Reader) -> str:
    """The first of `model_names`, or of `model` of the flat configuration."""
    names = config.value("model_names") or config.value("model") or [""]
    return config.words("model_names", names[0] if isinstance(names, list) else names)
