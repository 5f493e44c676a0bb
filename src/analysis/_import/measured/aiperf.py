"""AIPerf's profile_export_aiperf.json, with and without schema_version, and its aggregate over repeated runs.

Files before schema 1.0 have no schema_version, telemetry before 1.5 says gpu_power_usage for nvidia_power_usage. Of
repeated runs AIPerf writes profile_export_aiperf_aggregate.json, whose `metrics` hold a block of `mean`, `std`, `unit`
for each block and statistic joined by a sign (`time_to_first_token_p99`): the mean of the runs is read, and the file
says neither model nor load. Keys as in ai-dynamo/aiperf: its exporters, and its aggregation for confidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from analysis._import.measured import statistic_blocks
from analysis._import.measured.measurement import TOLERANCE, UNKNOWN, MeasuredRun, Reader
from analysis._import.measured.statistic_blocks import COUNTS, RATES

FORM = "AIPerf (profile_export_aiperf.json, or its aggregate)"
POWER = ("nvidia_power_usage", "gpu_power_usage", "amd_power_usage")
SCHEMA = "1."  # versions that this module was written for
OTHERS = {
    "per_combination_metrics": "AIPerf's table of a sweep",
    "per_run": "AIPerf's collation of runs",
}
BETWEEN_RUNS = 0.1  # by which the mean of rates may differ from the means of tokens over seconds


def recognizes(record: Mapping[str, Any]) -> bool:
    """Whether the record looks like one of AIPerf's, good or bad."""
    return (
        isinstance(record.get("output_token_throughput"), Mapping)
        or isinstance(record.get("request_throughput"), Mapping)
        or {"was_cancelled", "input_config"} <= set(record)
        or _aggregated(record)
        or bool({"metadata", "aiperf_version", "combined"} & set(record) and set(OTHERS) & set(record))
    )


def runs(read: Reader) -> list[MeasuredRun]:
    """The run of one export. Raises MeasurementError naming file and block; a cancelled run is refused."""
    repeated = _aggregated(read.record)
    _usable(read)
    read = _means(read) if repeated else read
    config, gpus = _measured(read.part("input_config")), list(_gpus(read))
    metrics = [gpu.part("metrics") for gpu in gpus]
    power = [(each, next(filter(each.value, POWER), "")) for each in metrics]
    measured = read.run(
        "AIPerf",
        _model(config),
        BETWEEN_RUNS if repeated else TOLERANCE,
        requests_completed=statistic_blocks.stat(read, "request_count", COUNTS),
        requests_failed=statistic_blocks.stat(read, "error_request_count", COUNTS, missing=_errors(read)),
        date=read.text("start_time"),
        software=f"AIPerf {read.text('aiperf_version')}".strip(),
        devices=tuple(gpu.text("gpu_name") or "?" for gpu in gpus),
        goodput_per_s=statistic_blocks.stat(read, "goodput", RATES, missing=UNKNOWN),
        **statistic_blocks.figures(read, config),
        **statistic_blocks.watts((each, name) for each, name in power if name),
    )
    return [measured]


def _aggregated(record: Mapping[str, Any]) -> bool:
    metadata = record.get("metadata")
    return isinstance(metadata, Mapping) and "aggregation_type" in metadata and "metrics" in record


def _usable(read: Reader) -> None:
    for key, words in OTHERS.items():
        if key in read.record:
            raise read.refused(f"is {words}; expected the export of one run or of its repetitions")
    version = str(read.value("schema_version") or SCHEMA)
    if not version.startswith(SCHEMA):
        raise read.refused(f"schema_version is {version}; expected {SCHEMA}x or none")
    if read.value("was_cancelled"):
        raise read.refused("was_cancelled is true: its averages are of an unfinished run; run it again")


def _means(read: Reader) -> Reader:
    """An aggregate as the export of one run: each block's statistics are the means over the runs that succeeded."""
    if not read.number("metadata.num_successful_runs"):
        raise read.refused("num_successful_runs is 0: nothing was measured")
    averages: dict[str, dict[str, Any]] = {}
    metrics = read.part("metrics")
    for key in metrics.record:
        block, _, statistic = key.rpartition("_")
        value = metrics.part(key).record
        averages.setdefault(block, {"unit": value.get("unit")})[statistic] = value.get("mean")
    return Reader({**read.record, **averages}, read.file, read.place)


def _errors(read: Reader) -> float:
    return sum(error.number("count") for error in read.parts("error_summary") if "count" in error.record)


def _gpus(read: Reader) -> Iterator[Reader]:
    """Each accelerator once, though two endpoints may report it."""
    uuids = set()
    for endpoint in read.parts("telemetry_data.endpoints"):
        for gpu in endpoint.parts("gpus"):
            uuid = gpu.text("gpu_uuid")
            if not uuid or uuid not in uuids:
                uuids.add(uuid)
                yield gpu


def _measured(config: Reader) -> Reader:
    """The configuration without its warm-up, whose concurrency is not that of the results.

    Newer files list `phases`, each with its name; phases by name are read alike.
    """
    phases = config.value("phases")
    if isinstance(phases, Mapping):
        measured_phases: Any = {name: phase for name, phase in phases.items() if name != "warmup"}
    else:
        measured_phases = [phase.record for phase in config.parts("phases") if not _left_out(phase.record)]
    return Reader({**config.record, "phases": measured_phases}, config.file, config.place)


def _left_out(phase: Mapping[str, Any]) -> bool:
    return bool(phase.get("exclude_from_results")) or phase.get("name") == "warmup"


def _model(config: Reader) -> str:
    """The model's name: of input_config.endpoint.model_names, or of `models` of newer files, a list or its `items`."""
    models = config.value("models")
    models = models.get("items") if isinstance(models, Mapping) else models
    names = config.value("endpoint.model_names") or models or [""]
    first = names[0] if isinstance(names, list) else names
    return config.words("model_names", first.get("name") if isinstance(first, Mapping) else first)
