"""One run folder to its result row: log, power, accuracy, system and configuration."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from analysis.core.vocabulary import STREAMS, TOKENS
from analysis.importers.official import configuration, loadgen, power_log, shape, units
from analysis.importers.official.entry import Entry, EntryError
from analysis.importers.official.shape import Row
from analysis.importers.official.tree import MISSING, Run, refused

LARGEST = 1 << 22  # bytes of a description that is read whole
NEEDED = ("status", "accelerator_model_name", "accelerators_per_node", "number_of_nodes")
LOG = "performance/run_1/mlperf_log_detail.txt"
POWER = ("power_watts_low", "power_watts_high", "energy_millijoules_per_query")
ENDPOINTS_LOG = "performance/result_summary.json"
AGREES = 1e-6  # relative: a log has six significant digits
POWER_AGREES = 1e-9  # relative: the published mean of the samples has every digit
FAULTS = (EntryError, loadgen.LogError)
_ACCURACY = {
    "ROUGE1": r"'rouge1':\s+'?([\d.]+)",
    "ROUGE2": r"'rouge2':\s+'?([\d.]+)",
    "ROUGEL": r"'rougeL':\s+'?([\d.]+)",
    "GEN_LEN": r"'gen_len':\s+'?([\d.]+)",
    "TOKENS_PER_SAMPLE": r"'tokens_per_sample':\s+'?([\d.]+)",
    "acc": r"^accuracy=\s*([\d.]+)",
    "mAP": r"mAP=\s*([\d.]+)",
    "F1": r"""["']f1["']:\s*([\d.]+)""",
    "AUC": r"^AUC=\s*([\d.]+)",
    "DICE": r"Accuracy:\s*mean\s*=\s*([\d.]+)",
    "CLIP_SCORE": r"'CLIP_SCORE':\s+'?([\d.]+)",
    "FID_SCORE": r"'FID_SCORE':\s+'?([\d.]+)",
}


def row(run: Run, published: Entry | None = None) -> Row:
    """The row of a run: as published with what its logs say beside it, or from the logs alone.

    Power that cannot be trusted costs itself alone. Raises EntryError or LogError, which name the file and what is
    wrong with it.
    """
    entry = published or _entry(run)
    if published and not (run.folder / LOG).exists():
        out = shape.row(published)
        endpoints = (run.folder / ENDPOINTS_LOG).exists()
        shape.remark(out, "not recomputed: its log is " + ("of MLPerf Endpoints" if endpoints else "not in the tree"))
        return out
    log = loadgen.read_log(_file(run, LOG))
    loadgen.valid(log)
    benchmark, _ = units.benchmark(str(entry.model), str(entry.model_run))
    scenario = units.scenario(str(entry.scenario), f"{entry.model} {entry.model_run}")
    value, unit, key = loadgen.performance(log, benchmark, scenario, entry.round)
    metered = _power(run, log, scenario)
    watts, inferred = metered.value, loadgen.inferred(log, scenario)
    if published is None:
        entry.value, entry.label = value, unit
        entry.power, entry.has_power = watts, metered.measured
        entry.power_label = "millijoules" if scenario in STREAMS else "Watts"
    out = shape.row(entry)
    out |= {"validity": "VALID", "inferred": inferred, "recomputed": value, "recomputed_key": key}
    out |= loadgen.percentiles(log)
    if published is None:
        out["printed_unit"] = ""
    else:
        _compare(out, published, log, unit)
        if not metered.lost:
            _compare_power(out, watts)
    if metered.lost:
        _lose_power(out, metered.lost)
    _rates(out, log)
    _precision(out, run)
    return out


def _entry(run: Run) -> Entry:
    """What the tree says of a run beside its logs: the system description, and the declared weights."""
    if not run.round:
        raise EntryError("its path names no round (inference_results_v4.1); say which with --round")
    described = run.beside("systems", f"{run.platform}.json")
    _there(described, run)
    system = _json(described)
    for name in NEEDED:
        if name not in system:
            raise EntryError(f"systems/{run.platform}.json: has no {name}, not even an empty one")
    declared = _declaration(run)
    return Entry(
        round=run.round, submitter=run.submitter, division=run.division, suite=system.get("system_type"),
        model=run.model, model_run=run.model, scenario=run.scenario, availability=system.get("status"),
        system=system.get("system_name"), platform=run.platform, accelerator=system.get("accelerator_model_name"),
        processor=system.get("host_processor_model_name"), per_node=system.get("accelerators_per_node"),
        nodes=system.get("number_of_nodes"), processors_per_node=system.get("host_processors_per_node"),
        accuracy=_accuracy(run), weights=declared.get("weight_data_types"), framework=system.get("framework"),
        location=run.location, origin=run.origin,
    )  # fmt: skip


def _compare(out: Row, entry: Entry, log: dict[str, Any], unit: str) -> None:
    """What the log gives against what is published; the key whose value the figure is says what it counts."""
    value, key = out["recomputed"], out["recomputed_key"]
    out["recomputed_difference"] = value / out["low"] - 1
    if abs(out["recomputed_difference"]) > AGREES:
        words = f"published {out['low']:g}, log {value:g} {unit}"
        key = next((key for key in loadgen.KEYS if _same(log.get(key), out["low"])), "")
        unit = units.of_key(key, out["scenario"]) if key else out["unit"]
        shape.remark(out, f"{words}; it is {key}" if key else words)
    if (unit == TOKENS) != (out["unit"] == TOKENS):  # a query of Server is a sample
        shape.recount(out, entry, unit, f"the figure is {key} of its log")


def _compare_power(out: Row, watts: float | None) -> None:
    """What the samples give against the published power; where one of the two is missing, the row says so."""
    energy = out.get("energy_millijoules_per_query")
    published, unit = energy or out.get("power_watts_low"), "mJ per query" if energy else "W"
    if watts is None:
        shape.remark(out, "power not recomputed: performance/run_1/spl.txt is not in the tree" if published else "")
        return
    out["recomputed_power"] = watts
    out["recomputed_power_difference"] = difference = watts / published - 1 if published else None
    if difference is not None and abs(difference) > POWER_AGREES:
        shape.remark(out, f"published power {published:.10g}, its samples {watts:.10g} {unit}")


def _rates(out: Row, log: dict[str, Any]) -> None:
    """The rates that are logged and their quotient, tokens per sample of this run, unless a rule fixes these."""
    by_rule = out.get("tokens_per_sample") if units.tokens_by_rule(out["benchmark"]) else None
    out |= loadgen.rates(log)
    if by_rule:
        out["tokens_per_sample"] = by_rule


def _same(logged: Any, published: float) -> bool:
    return isinstance(logged, int | float) and bool(published) and abs(logged / published - 1) <= AGREES


class _Metered(NamedTuple):
    """Power of a run: watts of the load window, millijoules per query in the stream scenarios; or why it is `lost`."""

    measured: bool = False
    value: float | None = None
    lost: str = ""


def _lose_power(out: Row, reason: str) -> None:
    """A row whose power cannot be trusted keeps what was reached under the power protocol, without the power."""
    watts, energy = out.get("power_watts_low"), out.get("energy_millijoules_per_query")
    published = f"; published {watts:.6g} W" if watts else f"; published {energy:.6g} mJ per query" if energy else ""
    for name in POWER:
        out.pop(name, None)
    shape.remark(out, f"its power is left out: {reason}{published}")
    out["left_out"] = f"power alone: {reason}"


def _power(run: Run, log: dict[str, Any], scenario: str) -> _Metered:
    """What the meter says of a run; samples of zero watts or less in the load window make it no measurement."""
    try:
        return _metered(run, log, scenario)
    except power_log.PowerError as error:
        return _Metered(measured=True, lost=str(error))


def _metered(run: Run, log: dict[str, Any], scenario: str) -> _Metered:
    """Power as measured. Raises PowerError where it cannot be trusted."""
    measured = (run.folder / "performance" / "power").is_dir()
    spl = run.folder / "performance" / "run_1" / "spl.txt"
    if not spl.exists() and not spl.is_symlink():
        if measured:
            raise power_log.PowerError("performance/run_1/spl.txt: is missing, though power was measured")
        return _Metered()
    power = power_log.read_power(_file(run, "performance/run_1/spl.txt"), log)
    if power.dropped:
        reason = f"{power.dropped} samples of the load window without positive watts"
        raise power_log.PowerError(f"performance/run_1/spl.txt: {reason}")
    if scenario not in STREAMS:
        return _Metered(True, power.watts)
    times = units.SAMPLES_PER_QUERY if scenario == "MultiStream" and loadgen.inferred(log, scenario) else 1
    return _Metered(True, power_log.millijoules_per_query(power, log, times))


def _precision(out: Row, run: Run) -> None:
    """What the submitter's configuration says of the system stands above what the submission declares."""
    names = units.names(out["benchmark"])
    asked = configuration.Asked(names, out["scenario"], run.platform, run.model, out["accelerator"])
    configured = configuration.precision(run.beside("configs"), asked, there=lambda path: _there(path, run))
    if not configured:
        return
    if out["precision"] not in ("", configured):
        shape.remark(out, f"declared {out['precision']}, configured {configured}")
    out["precision"], out["precision_basis"] = configured, "configuration"


def _file(run: Run, name: str) -> Path:
    """A file of the run, that must be there, within the tree and a plain file. Raises EntryError otherwise."""
    if reason := refused(run.folder, name, run.root):
        raise EntryError(f"{name}: {reason}")
    return run.folder / name


class _NotOpened(EntryError):
    """A file is there, but not to be opened."""


def _there(path: Path, run: Run) -> bool:
    """Whether a file that may be missing is there. Raises _NotOpened where it is not to be opened."""
    folder = run.folder if path.is_relative_to(run.folder) else run.root
    name = path.relative_to(folder).as_posix()
    reason = refused(folder, name, run.root)
    if reason not in ("", MISSING):
        raise _NotOpened(f"{name}: {reason}")
    return not reason


def _declaration(run: Run) -> dict[str, Any]:
    """The measurements file of the run, whatever its name; {} where there is none that can be read."""
    folder = run.beside("measurements", run.platform, run.model, run.scenario)
    candidates = [run.folder / "measurements.json", *sorted(folder.glob("*.json"))]
    for path in candidates:
        if _there(path, run):
            try:
                return _json(path)
            except EntryError:
                continue
    return {}


@lru_cache(maxsize=256)
def _json(path: Path) -> dict[str, Any]:
    name = path.name if path.parent.name != "systems" else f"systems/{path.name}"
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(LARGEST).decode("utf-8-sig", "or-latin-1"))
    except OSError as error:
        raise EntryError(f"{name}: cannot be read ({error.strerror}), so the system is not known") from None
    except (ValueError, RecursionError):
        raise EntryError(f"{name}: is no JSON") from None
    if not isinstance(content, dict):
        raise EntryError(f"{name}: is no description, but {type(content).__name__}")
    return content


def _accuracy(run: Run) -> str:
    """The accuracy as the summary words it, from accuracy.txt; "" where it says none."""
    path = run.folder / "accuracy" / "accuracy.txt"
    if not _there(path, run):
        return ""
    try:
        with path.open(encoding="latin-1") as file:
            written = file.read(LARGEST)
    except OSError:
        return ""
    metrics = {name: re.findall(pattern, written, re.MULTILINE) for name, pattern in _ACCURACY.items()}
    return "  ".join(f"{name}: {values[-1]}" for name, values in metrics.items() if values)
