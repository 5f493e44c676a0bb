"""One result to its row: as published, as a run folder with log, power, accuracy and system, or both; configured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from analysis._core.agreement import AGREES, POWER_AGREES, off
from analysis._core.vocabulary import STREAMS, TOKENS
from analysis._import.official import configuration, endpoints, json_file, loadgen, power_log, shape, units
from analysis._import.official.configuration import Said
from analysis._import.official.configuration_modules import Modules
from analysis._import.official.entry import Entry, EntryError
from analysis._import.official.power_log import PowerError
from analysis._import.official.run_log import Logged
from analysis._import.official.shape import Row
from analysis._import.official.tree import MISSING, Run, head, listed, refused

LARGEST = 1 << 22  # bytes of an accuracy.txt that are read
NEEDED = ("status", "accelerator_model_name", "accelerators_per_node", "number_of_nodes")
LOG = "performance/run_1/mlperf_log_detail.txt"
LOG_IN_WORDS = f"performance/run_1/{loadgen.SUMMARY}"  # the figures of a round before loadgen.JSON_SINCE
SAMPLES = "performance/run_1/spl.txt"
POWER = ("power_watts_low", "power_watts_high", "energy_millijoules_per_query")
DESCRIBING = ("operating_system", "other_software_stack", "sw_notes", "hw_notes", "other_hardware")
ACCURACY = {  # metric in the summary's words -> pattern of its value in accuracy.txt
    "ROUGE1": r"'rouge1':\s+'?([\d.]+)",
    "ROUGE2": r"'rouge2':\s+'?([\d.]+)",
    "ROUGEL": r"'rougeL':\s+'?([\d.]+)",
    "GEN_LEN": r"'gen_len':\s+'?([\d.]+)",
    "TOKENS_PER_SAMPLE": r"'tokens_per_sample':\s+'?([\d.]+)",
    "acc": r"^accuracy=\s*([\d.]+)",
    "mAP": r"mAP=\s*([\d.]+)",
    "F1": r"""["']f1["']:\s*([\d.]+)""",
    "WER": r"^Word Error Rate:.*?accuracy=\s*([\d.]+)",
    "AUC": r"^AUC=\s*([\d.]+)",
    "DICE": r"Accuracy:\s*mean\s*=\s*([\d.]+)",
    "CLIP_SCORE": r"'CLIP_SCORE':\s+'?([\d.]+)",
    "FID_SCORE": r"'FID_SCORE':\s+'?([\d.]+)",
}


def row(run: Run | None, published: Entry | None = None, facts: Said | None = None) -> Row:
    """The row of a result: as published with what the logs of its run say beside it, or from either alone.

    `facts` are what is known of the submitter's configuration; where the tree has the modules, these count. Power that
    cannot be trusted costs itself alone. Raises EntryError or LogError, which name the file and what is wrong with it.
    """
    out = _logged(run, published) if run else _published(published)
    _configure(out, run, published, facts)
    return out


def _published(entry: Entry) -> Row:
    """The row of a published result without a run folder: its log is at most in data/endpoints_runs.csv."""
    log = endpoints.stated(str(entry.location), *_filed(entry))
    if log is None:
        return shape.row(entry)
    entry.endpoints = False  # What its figure is, the log says.
    out = shape.row(entry)
    _recompute(out, entry, log)
    return out


def _filed(entry: Entry) -> tuple[str, str, str]:
    """Benchmark, scenario and round of a result."""
    benchmark, _ = units.benchmark(str(entry.model), str(entry.model_run))
    return benchmark, units.scenario(str(entry.scenario), f"{entry.model} {entry.model_run}"), entry.round


def _logged(run: Run, published: Entry | None) -> Row:
    """The row of a run, before its configuration is asked."""
    entry = published or _entry(run)
    if published:
        entry.weights = entry.weights or _declaration(run).get("weight_data_types")
        entry.described += _said_beside(run.root, _described(run))
    _, scenario, _ = filed = _filed(entry)
    log = _log(run, published, filed)
    if log is None:
        out = shape.row(entry)
        shape.remark(out, "not recomputed: its log is not in the tree")
        return out
    power, remark, lost = None, "", ""
    try:
        power, remark = _power(run, log.raw, scenario, published is not None and published.power is not None)
    except PowerError as error:
        lost = str(error)
    entry.endpoints = False  # What its figure is, the log says.
    if published is None:
        entry.value, entry.label = log.value, log.unit
        entry.power, entry.has_power = power, bool(lost) or power is not None
        entry.power_label = "millijoules" if scenario in STREAMS else "Watts"
    out = shape.row(entry)
    shape.remark(out, remark)
    if published is None:
        out["printed_unit"] = ""
    _recompute(out, published, log)
    if lost:
        _lose_power(out, lost)
    elif published:
        _compare_power(out, power)
    return out


def _recompute(out: Row, published: Entry | None, log: Logged) -> None:
    """What a log says beside a row: its figure, its columns and, of a published row, how far the two differ."""
    out |= {"recomputed": log.value, "recomputed_key": log.key, "evidence": "log"}
    shape.remark(out, *log.remarks)
    if published:
        _compare(out, published, log)
    by_rule = out.get("tokens_per_sample") if units.tokens_by_rule(out["benchmark"]) else None
    out |= log.columns
    if by_rule:
        out["tokens_per_sample"] = by_rule


def _log(run: Run, published: Entry | None, filed: tuple[str, str, str]) -> Logged | None:
    """What the log of a run says; None where a published row's is not in the tree. `filed`: benchmark to round."""
    log = LOG_IN_WORDS if units.before(filed[-1], loadgen.JSON_SINCE) else LOG
    if _there(run.folder, log, run.root):
        return loadgen.logged(Path(run.folder, log), *filed)
    if name := endpoints.find(Path(run.folder), lambda name: _there(run.folder, name, run.root)):
        return endpoints.logged(Path(run.folder, name), *filed)
    if published:
        return None
    raise EntryError(f"{log}: {MISSING}")


def _entry(run: Run) -> Entry:
    """What the tree says of a run beside its logs: the system description, and the declared weights."""
    if not run.round:
        raise EntryError("its path names no round (inference_results_v4.1); say which with --round")
    system = _system(run.root, _described(run))
    for name in NEEDED:
        if name not in system:
            raise EntryError(f"systems/{run.platform}.json: has no {name}, not even an empty one")
    declared, model = _declaration(run), units.open_model(run.model)
    return Entry(
        round=run.round, submitter=run.submitter, division=run.division, suite=system.get("system_type"),
        model=model, model_run=run.model, scenario=run.scenario, availability=system.get("status"),
        system=system.get("system_name"), platform=run.platform, accelerator=system.get("accelerator_model_name"),
        processor=system.get("host_processor_model_name"), per_node=system.get("accelerators_per_node"),
        nodes=system.get("number_of_nodes"), processors_per_node=system.get("host_processors_per_node"),
        accuracy=_accuracy(run), weights=declared.get("weight_data_types"), framework=system.get("framework"),
        location=run.location, origin=run.origin, described=_words(system),
    )  # fmt: skip


def _described(run: Run) -> str:
    """The description of a run's system, below the root of the tree."""
    return f"{run.division}/{run.submitter}/systems/{run.platform}.json"


@lru_cache(maxsize=256)
def _system(root: str, name: str) -> dict[str, Any]:
    """The description `name` below the root of its tree. Raises EntryError where there is none that can be read."""
    _there(root, name, root)
    return _description(f"{root}/{name}")


def _said_beside(root: str, name: str) -> str:
    """What the system's description says in words beside a published row, which needs none: "" where none is read."""
    try:
        return _words(_system(root, name))
    except EntryError:
        return ""


def _words(description: dict[str, Any]) -> str:
    """What a description says of software and hardware in words, to be searched for names."""
    return "".join(f"\n{description.get(name, '')}" for name in DESCRIBING)


def _compare(out: Row, entry: Entry, log: Logged) -> None:
    """What the log gives against what is published; the key whose value the figure is says what it counts."""
    key, unit = log.key, log.unit
    out["recomputed_difference"] = off(log.value, out["low"], out["high"])
    if abs(out["recomputed_difference"]) > AGREES:
        words = f"published {out['low']:g}, log {log.value:g} {unit}"
        key = next((key for key, (value, _) in log.figures.items() if _same(value, out)), "")
        unit = log.figures[key][1] if key else out["unit"]
        shape.remark(out, f"{words}; it is {key}" if key else words)
    if (unit == TOKENS) != (out["unit"] == TOKENS):  # a query of Server is a sample
        shape.recount(out, entry, unit, f"the figure is {key} of its log")


def _compare_power(out: Row, watts: float | None) -> None:
    """What the samples give against the published power; where one of the two is missing, the row says so."""
    energy = out.get("energy_millijoules_per_query")
    published, unit = energy or out.get("power_watts_low"), "mJ per query" if energy else "W"
    if watts is None:
        shape.remark(out, f"power not recomputed: {SAMPLES} is not in the tree" if published else "")
        return
    out["recomputed_power"] = watts
    out["recomputed_power_difference"] = difference = watts / published - 1 if published else None
    if difference is not None and abs(difference) > POWER_AGREES:
        shape.remark(out, f"published power {published:.10g}, its samples {watts:.10g} {unit}")


def _same(logged: Any, published: Row) -> bool:
    return isinstance(logged, int | float) and abs(off(logged, published["low"], published["high"])) <= AGREES


def _lose_power(out: Row, reason: str) -> None:
    """A row whose power cannot be trusted keeps what was reached under the power protocol, without the power."""
    watts, energy = out.get("power_watts_low"), out.get("energy_millijoules_per_query")
    published = f"; published {watts:.6g} W" if watts else f"; published {energy:.6g} mJ per query" if energy else ""
    for name in POWER:
        out.pop(name, None)
    shape.remark(out, f"its power is left out: {reason}{published}")
    out["excluded"] = f"power alone: {reason}"


def _power(run: Run, log: Mapping[str, Any], scenario: str, is_published: bool) -> tuple[float | None, str]:
    """Watts of the load window, or millijoules per query in the stream scenarios, and what the row must say of them.

    Raises PowerError where they cannot be trusted: a published figure does without its samples.
    """
    if not _there(run.folder, SAMPLES, run.root):
        if not is_published and Path(run.folder, "performance/power").is_dir():
            raise PowerError(f"{SAMPLES}: {MISSING}, though power was measured")
        return None, ""
    power = power_log.read_power(Path(run.folder, SAMPLES), log)
    remark = f"{power.dropped} samples of the load window without positive watts" if power.dropped else ""
    if power.dropped > power_log.DROPPED_SHARE * (power.dropped + power.samples):
        raise PowerError(f"{SAMPLES}: {remark}")
    remark = remark and f"power without {remark}"
    if scenario not in STREAMS:
        return power.watts, remark
    times = units.SAMPLES_PER_QUERY if scenario == "MultiStream" and loadgen.inferred(log, scenario) else 1
    return power_log.millijoules_per_query(power, log, times), remark


def _configure(out: Row, run: Run | None, entry: Entry | None, facts: Said | None) -> None:
    """What the submitter's configuration says of the system precedes what the submission declares."""
    if run and (configs := Path(run.root, run.division, run.submitter, "configs")).is_dir():
        facts = _modules(str(configs), run.root)
    if facts is None:
        return
    platform, model = (run.platform, run.model) if run else (str(entry.platform), out["model_run"])
    hardware = out["accelerator"], out["accelerator_as_published"]
    asked_run = configuration.Asked(units.names(out["benchmark"]), out["scenario"], platform, model, *hardware)
    if limit := configuration.power_limit(facts, asked_run):
        out["power_limit_watts"] = limit
    configured = configuration.precision(facts, asked_run)
    if not configured:
        return
    if out["precision"] not in ("", configured):
        shape.remark(out, f"declared {out['precision']}, configured {configured}")
    out["precision"], out["precision_basis"] = configured, "configuration"


@lru_cache(maxsize=64)
def _modules(configs: str, root: str) -> Modules:
    """The modules in a submitter's folder of configurations, of the tree `root`."""
    return Modules(configs, lambda path: _there(root, path.removeprefix(f"{root}/"), root))


def _there(folder: str, name: str, root: str) -> bool:
    """Whether a file that may be missing is there. Raises EntryError where it is not to be opened."""
    reason = refused(folder, name, root)
    if reason not in ("", MISSING):
        raise EntryError(f"{name}: {reason}")
    return not reason


def _declaration(run: Run) -> dict[str, Any]:
    """The measurements file of the run, whatever its name; {} where there is none that can be read."""
    beside = f"{run.root}/{run.division}/{run.submitter}/measurements/{run.platform}/{run.model}/{run.scenario}"
    for folder, name in [(run.folder, "measurements.json"), *((beside, name) for name in listed(beside, ".json"))]:
        if _there(folder, name, run.root):
            with suppress(EntryError):
                return _description(f"{folder}/{name}")
    return {}


def _description(path: str) -> dict[str, Any]:
    """The description at a path. Raises EntryError that names the file by its last two parts."""
    return json_file.read_object(path, "/".join(path.split("/")[-2:]))


def _accuracy(run: Run) -> str:
    """The accuracy as the summary words it, from accuracy.txt; "" where it says none."""
    written, scored = "accuracy/accuracy.txt", "accuracy/accuracy_results.json"
    if _there(run.folder, written, run.root):
        text = head(f"{run.folder}/{written}", LARGEST).decode("latin-1").replace("\r", "\n")
        metrics = {name: re.findall(pattern, text, re.MULTILINE) for name, pattern in ACCURACY.items()}
        return "  ".join(f"{name}: {values[-1]}" for name, values in metrics.items() if values)
    return endpoints.accuracy(Path(run.folder, scored)) if _there(run.folder, scored, run.root) else ""
