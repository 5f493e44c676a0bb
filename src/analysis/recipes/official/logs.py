"""Read the files of a run: figure, rates, and percentiles of its LoadGen log, and power of the samples in spl.txt."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.measure.formats import stated
from analysis.measure.loadgen import LogError, read_log
from analysis.measure.record import Record
from analysis.paths import parse_json
from analysis.recipes.official import units
from analysis.results import TOKENS

LOG = "mlperf_log_detail.txt"
INFERRED = {("SingleStream", "MultiStream"), ("SingleStream", "Offline"), ("MultiStream", "Offline")}  # ran, reported
LEAST, MOST = 1e-6, 1e18  # what a figure of a log lies between
PERCENTILES = {  # column -> key, in nanoseconds
    f"{name}_p{percent}_ms": key.format(percent)
    for name, key in {
        "ttft": "result_first_token_{}.00_percentile_latency_ns",
        "tpot": "result_time_per_output_token_{}.00_percentile_ns",
    }.items()
    for percent in (50, 90, 99)
}
COUNTED = {"scheduled_samples_per_second": "result_scheduled_samples_per_sec", "errors": "num_errors"}
RATES = {  # column -> keys, of which the first that is logged counts
    "samples_per_second": ("result_samples_per_second", "result_completed_samples_per_sec"),
    "tokens_per_second": (
        "result_tokens_per_second", "result_completed_tokens_per_second", "result_inferred_tokens_per_second",
        "result_inferred_completed_tokens_per_second",
    ),
}  # fmt: skip
SAMPLES = "spl.txt"
MOST_WATTS = 1e9  # of a sample
LARGEST_SAMPLES = 256 << 20  # bytes: a sample a second for a week
TIME = "%m-%d-%Y %H:%M:%S.%f"
SAMPLE = r"^Time,(\d\d-\d\d-\d{4} \d\d:\d\d:\d\d\.\d{1,6}),Watts,([-+]?\d+\.?\d*(?:[eE][-+]?\d{1,3})?)(?:,|$)"
DROPPED_SHARE = 0.05  # of the samples: a meter writes -2 W where a reading failed
HOLE_S, HOLE_SHARE = 10.0, 0.05  # a gap between samples longer than both invalidates the power
NUMBERS = ["recomputed", *RATES, *COUNTED, "tokens_per_sample", "power", *PERCENTILES]
TEXTS = ["recomputed_key", "validity", "unit", "power_remark", "power_fault", "fault"]
ENDPOINTS = ("result_summary.json", "results_summary.json", "run_1/results_summary.json")  # of MLPerf Endpoints
MISSING = f"{LOG} is missing, and so is {ENDPOINTS[0]} of MLPerf Endpoints"
UNKNOWN = dict.fromkeys(NUMBERS, math.nan) | dict.fromkeys(TEXTS, "") | {"inferred": False}


def read_run_log(run: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a run's log and power samples; empty where there is no run.

    `fault` is why the run cannot be used, `power_fault` why its power cannot.
    """
    return UNKNOWN | (_run(run) if run["folder"] else {})


def _run(run: dict[str, Any]) -> dict[str, Any]:
    benchmark, scenario, is_alone = run["benchmark"], run["scenario"], run["evidence"] == "log"
    folder = Path(run["folder"], "performance")
    file = folder / "run_1" / LOG
    if not openable(file, run["root"]):
        file = next((folder / name for name in ENDPOINTS if openable(folder / name, run["root"])), None)
        try:
            return _endpoints(file, benchmark, scenario) if file else {"fault": MISSING} if is_alone else {}
        except LogError as error:
            return {"fault": f"{file.name}: {error}"} if is_alone else {}
    try:
        log = read_log(file)
        told = _figure(log, benchmark, scenario)
    except LogError as error:
        return {"fault": f"{LOG}: {error}"}
    if told.get("inferred") and is_alone:
        return {"fault": "is inferred from the log of another scenario: import the summary instead"}
    try:
        samples = file.with_name(SAMPLES)
        if openable(samples, run["root"]):
            power, remark = _power(_samples(samples), log, scenario)
            told |= {} if told.get("inferred") else {"power": power, "power_remark": remark}
        elif is_alone and (folder / "power").is_dir():
            raise LogError("is missing, though power was measured")
    except LogError as error:
        told["power_fault"] = f"{SAMPLES}: {error}"
    return told


def _figure(log: dict[str, Any], benchmark: str, scenario: str) -> dict[str, Any]:
    """Return the columns of a result row that a log gives, with the `unit` of its figure.

    Where the result is inferred from the log of another scenario, as the rules allow at the edge, only `inferred` says
    so. Raises LogError unless the run was VALID, was of this scenario, and has an official figure.
    """
    if (validity := log.get("result_validity", "missing: the log is truncated")) != "VALID":
        raise LogError(f"result_validity is {validity}, not VALID")
    ran = units.scenario(str(log.get("effective_scenario", "")))
    if (ran, scenario) in INFERRED:
        return {"validity": "VALID", "inferred": True}
    if ran != scenario and (ran, scenario) != ("Server", "Interactive"):
        raise LogError(f"effective_scenario is {ran or 'missing'}, which gives no {scenario} result")
    keys = units.log_keys(benchmark, scenario)
    key = next((key for key in keys if key in log), keys[0])
    if not _positive(log.get(key)):
        raise LogError(f"{' or '.join(keys)} is {log.get(key, 'not logged')}, expected a number above zero")
    unit = units.of_key(key, scenario)
    value = float(log[key]) / (1e6 if unit == units.MILLISECONDS else 1)
    told = {"validity": "VALID", "recomputed": value, "recomputed_key": key, "unit": unit}
    told |= {name: log[key] / 1e6 for name, key in PERCENTILES.items() if _positive(log.get(key))}
    told |= {name: float(log[key]) for name, key in COUNTED.items() if isinstance(log.get(key), int | float)}
    rates = {name: [float(log[key]) for key in keys if _positive(log.get(key))] for name, keys in RATES.items()}
    told |= {name: stated[0] for name, stated in rates.items() if stated}
    if all(rates.values()):
        told["tokens_per_sample"] = float(f"{told['tokens_per_second'] / told['samples_per_second']:.6g}")
    return told


def _endpoints(path: Path, benchmark: str, scenario: str) -> dict[str, Any]:
    """Return the columns of a result row that a summary of MLPerf Endpoints gives; times in it are nanoseconds.

    The rates of an old harness, which states none, are over the whole run. Raises LogError as `_figure`.
    """
    try:
        record = Record(parse_json(path.read_bytes()) if path.stat().st_size < LARGEST_SAMPLES else {}, "")
        run = stated(record, "endpoints")
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise LogError(f"cannot be read: {error}") from None
    if record.get("complete") is not True or record.text("state") not in ("", "complete"):
        raise LogError("complete is not true: the run did not finish")
    seconds = record.number("duration_ns in ns", "duration_s") or math.nan
    if "qps" not in record.value:  # of an older harness
        run["requests_per_second"] = run["requests"] / seconds
    if "tps" not in record.value:
        run["tokens_per_second"] = run["output_tokens"] / seconds
    unit = units.rate_unit(benchmark, scenario) or units.SAMPLES
    keys = {units.MILLISECONDS: ("latency.avg", "latency_mean_ms"), TOKENS: ("tps", "tokens_per_second")}
    key, column = keys.get(unit, ("qps", "requests_per_second"))
    if not _positive(run[column]):
        raise LogError(f"{key} is {run[column]:g}, expected a number above zero")
    return {name: run[name] for name in ("tokens_per_second", *PERCENTILES)} | {
        "recomputed": run[column], "recomputed_key": key, "unit": unit, "tokens_per_sample": run["output_length"],
        "samples_per_second": run["requests_per_second"],
    }  # fmt: skip


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST < value < MOST


def _power(samples: pd.DataFrame, log: dict[str, Any], scenario: str) -> tuple[float, str]:
    """Return the average wall power in watts, or millijoules per query in the stream scenarios, and a remark.

    The mean of samples with power_begin < time < power_end (UTC) and watts above zero, as in `check_power_dir` of
    MLCommons' submission checker; energy is watts x seconds x 1000 / result_query_count. Raises LogError where the
    window is missing, or the samples leave too much of the load unmeasured.
    """
    window = (str(log.get(key)) for key in ("power_begin", "power_end"))
    begin, end = (pd.to_datetime(time, format=TIME, errors="coerce") for time in window)
    if not begin < end:  # NaT if a time is missing or invalid
        raise LogError("the detail log has no power_begin before a power_end, such as 07-11-2024 23:35:19.963")
    seconds = (end - begin).total_seconds()
    inside = samples[samples["time"].between(begin, end, inclusive="neither")]
    positive = inside[inside["watts"].gt(0)]
    if positive.empty:
        raise LogError("no sample above zero watts between power_begin and power_end")
    times = pd.Series([begin, *positive["time"].sort_values(), end])
    hole = times.diff().max().total_seconds()
    if hole > max(HOLE_S, HOLE_SHARE * seconds):
        raise LogError(f"no sample above zero watts for {hole:.0f} of the {seconds:.0f} s of the load")
    dropped = len(inside) - len(positive)
    if dropped > DROPPED_SHARE * len(inside):
        raise LogError(f"{dropped} of {len(inside)} samples of the load without positive watts")
    remark = f"power without {dropped} samples of the load window without positive watts" if dropped else ""
    watts = positive["watts"].mean()
    if scenario not in units.STREAMS:
        return watts, remark
    if not _positive(queries := log.get("result_query_count")):
        raise LogError(f"the detail log's result_query_count is {queries!r}, not a number above zero")
    return watts * seconds * 1000 / queries, remark


def _samples(path: Path) -> pd.DataFrame:
    """Return `time` and `watts` of each sample. Raises LogError naming the first invalid line."""
    try:
        if path.stat().st_size > LARGEST_SAMPLES:
            raise LogError(f"is larger than {LARGEST_SAMPLES >> 20} MiB")
        lines = pd.Series(path.read_text("latin-1").splitlines(), dtype="object").str.strip()
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}") from None
    parts = lines[lines.ne("")].str.extract(SAMPLE)
    times, watts = pd.to_datetime(parts[0], format=TIME, errors="coerce"), pd.to_numeric(parts[1], errors="coerce")
    wrong = times.isna() | ~watts.abs().lt(MOST_WATTS)
    if wrong.any():
        raise LogError(f"line {wrong.idxmax() + 1}: expected a sample like Time,07-11-2024 23:35:19.963,Watts,2371.6")
    return pd.DataFrame({"time": times, "watts": watts})


def openable(file: Path, root: str) -> bool:
    """Return whether a regular file is there, within the tree `root`."""
    return file.is_file() and file.resolve().is_relative_to(Path(root).resolve())
