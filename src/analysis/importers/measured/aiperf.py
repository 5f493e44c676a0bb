"""AIPerf's profile_export_aiperf.json, with and without schema_version: blocks of statistics that carry their unit.

Files before schema 1.0 have no schema_version, telemetry before 1.5 says gpu_power_usage for nvidia_power_usage. The
unit in a block decides what its number means; an inter-token latency is per request, so it is a time per output token.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.importers.measured.measurement import UNKNOWN, MeasuredRun, MeasurementError, Reader, checked

RATES = {"tokens/sec": 1.0, "tokens/s": 1.0, "requests/sec": 1.0, "requests/s": 1.0}
MILLISECONDS = {"ms": 1.0, "s": 1e3, "sec": 1e3, "seconds": 1e3, "us": 1e-3, "ns": 1e-6}
SECONDS = {unit: scale / 1e3 for unit, scale in MILLISECONDS.items()}
WATTS = {"W": 1.0, "watts": 1.0, "mW": 1e-3, "kW": 1e3}
COUNTS = {"requests": 1.0, "tokens": 1.0, "count": 1.0}
OTHER = {"formatted_model_name", "perf_analyzer"}  # what genai-perf, its forerunner, writes into input_config
POWER = ("nvidia_power_usage", "gpu_power_usage", "amd_power_usage")
SCHEMA = "1."  # versions that this module was written for


def recognises(record: Mapping[str, Any]) -> bool:
    """Whether the record looks like one of AIPerf's, good or bad."""
    return isinstance(record.get("output_token_throughput"), Mapping) or (
        isinstance(record.get("request_throughput"), Mapping) or {"was_cancelled", "input_config"} <= set(record)
    )


def run(record: Mapping[str, Any], file: str, place: str = "") -> MeasuredRun:
    """The run of one export. Raises MeasurementError naming file and block; a cancelled run is refused."""
    where = f"{file}, {place}" if place else file
    _usable(record, where)
    read, config = Reader(record, where), _measured(record.get("input_config") or {})
    watts, metered, devices = _power(record, where)
    measured = MeasuredRun(
        file, place, "AIPerf", _model(config),
        output_tokens_per_s=_stat(read, "output_token_throughput", RATES),
        requests_completed=_stat(read, "request_count", COUNTS),
        requests_failed=_stat(read, "error_request_count", COUNTS, missing=_errors(record)),
        date=str(record.get("start_time") or ""),
        software=f"AIPerf {record['aiperf_version']}" if record.get("aiperf_version") else "AIPerf",
        devices=devices,
        concurrency=_found(config, "concurrency"),
        request_rate=_found(config, "request_rate"),
        duration_s=_duration(read),
        input_tokens=_total(read, ("total_isl", "total_input_sequence_length"), "input_sequence_length"),
        output_tokens=_total(read, ("total_osl", "total_output_sequence_length"), "output_sequence_length"),
        requests_per_s=_stat(read, "request_throughput", RATES, missing=UNKNOWN),
        goodput_per_s=_stat(read, "goodput", RATES, missing=UNKNOWN),
        accelerator_watts=watts,
        metered=metered,
        example=bool(record.get("example")),
        **{f"{name}_{statistic}_ms": _stat(read, block, MILLISECONDS, stat, missing=UNKNOWN)
           for name, block in (("ttft", "time_to_first_token"), ("tpot", "inter_token_latency"))
           for statistic, stat in (("mean", "avg"), ("p50", "p50"), ("p99", "p99"))},
    )  # fmt: skip
    return checked(measured, where)


def _usable(record: Mapping[str, Any], where: str) -> None:
    if OTHER & set(record.get("input_config") or {}):
        raise MeasurementError(
            f"{where}: is a file of genai-perf, whose format is not read; expected that of AIPerf, which took its place"
        )
    version = str(record.get("schema_version") or SCHEMA)
    if not version.startswith(SCHEMA):
        raise MeasurementError(f"{where}: schema_version is {version}; expected {SCHEMA}x or none")
    if record.get("was_cancelled"):
        raise MeasurementError(f"{where}: was_cancelled is true: its averages are of an unfinished run; run it again")


def _stat(
    read: Reader, block: str, units: Mapping[str, float], stat: str = "avg", missing: float | None = None
) -> float:
    """A statistic of a block, in the first of `units`; `missing` where there is no such block or statistic."""
    held = read.record.get(block)
    if not isinstance(held, Mapping) or held.get(stat) is None:
        if missing is None:
            raise read.fault(f"{block}.{stat}", "is missing", f"a number and its unit, one of {', '.join(units)}")
        return missing
    if held.get("unit") not in units:
        raise read.fault(f"{block}.unit", f"is {held.get('unit')!r}", f"one of {', '.join(units)}")
    return read.number(f"{block}.{stat}", held[stat]) * units[held["unit"]]


def _duration(read: Reader) -> float:
    """Seconds of the run; old files leave it to requests over their rate."""
    duration = _stat(read, "benchmark_duration", SECONDS, missing=UNKNOWN)
    if duration != duration:
        rate = _stat(read, "request_throughput", RATES, missing=UNKNOWN)
        duration = _stat(read, "request_count", COUNTS) / rate if rate else UNKNOWN
    return duration if duration != duration else read.number("benchmark_duration.avg", duration, above=0)


def _total(read: Reader, blocks: tuple[str, ...], average: str) -> float:
    """Tokens of the whole run: stated, or requests times their average length."""
    for block in blocks:
        total = _stat(read, block, COUNTS, missing=UNKNOWN)
        if total == total:
            return total
    return _stat(read, average, COUNTS, missing=UNKNOWN) * _stat(read, "request_count", COUNTS)


def _errors(record: Mapping[str, Any]) -> float:
    listed = record.get("error_summary") or []
    return float(sum(error.get("count", 0) for error in listed if isinstance(error, Mapping)))


def _power(record: Mapping[str, Any], where: str) -> tuple[float, int, tuple[str, ...]]:
    """Average watts summed over the accelerators that were metered, how many, and the names of all that are listed."""
    watts, names = [], []
    for gpu in _gpus(record):
        names.append(str(gpu.get("gpu_name") or "?"))
        metrics = gpu.get("metrics") or {}
        held = next((metrics[name] for name in POWER if isinstance(metrics.get(name), Mapping)), None)
        if held is not None:
            watts.append(_stat(Reader({"power": held}, where), "power", WATTS))
    return (sum(watts), len(watts), tuple(names)) if watts else (UNKNOWN, 0, tuple(names))


def _gpus(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Each accelerator once, though two endpoints may report it."""
    endpoints, seen = (record.get("telemetry_data") or {}).get("endpoints") or {}, set()
    for endpoint in endpoints.values():
        for gpu in (endpoint.get("gpus") or {}).values():
            named = gpu.get("gpu_uuid")
            if named is None or named not in seen:
                seen.add(named)
                yield gpu


def _measured(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The configuration without its warm-up, whose concurrency is not that of the results.

    Newer files list `phases`, each with its name; phases by name are read alike.
    """
    phases = config.get("phases")
    if isinstance(phases, Mapping):
        kept: Any = {name: phase for name, phase in phases.items() if name != "warmup"}
    elif isinstance(phases, list):
        kept = [phase for phase in phases if isinstance(phase, Mapping) and not _left_out(phase)]
    else:
        return config
    return {**config, "phases": kept}


def _left_out(phase: Mapping[str, Any]) -> bool:
    return bool(phase.get("exclude_from_results")) or phase.get("name") == "warmup"


def _model(config: Mapping[str, Any]) -> str:
    """The model's name: of input_config.endpoint.model_names, or of `models` of newer files, a list or its `items`."""
    models = config.get("models")
    models = models.get("items") if isinstance(models, Mapping) else models
    names = (config.get("endpoint") or {}).get("model_names") or models or [""]
    first = names[0] if isinstance(names, list) and names else names
    return str(first.get("name") or "") if isinstance(first, Mapping) else str(first)


def _found(config: Any, name: str) -> float:
    """The number `name` wherever input_config holds it; NaN where it is missing or said twice with other values."""
    values = {float(value) for value in _walk(config, name) if isinstance(value, int | float)}
    return values.pop() if len(values) == 1 else UNKNOWN


def _walk(held: Any, name: str) -> Iterator[Any]:
    if isinstance(held, Mapping):
        for key, value in held.items():
            if key == name:
                yield value
            yield from _walk(value, name)
    elif isinstance(held, list):
        for part in held:
            yield from _walk(part, name)
