"""Submissions and results repositories of MLPerf Endpoints: one row a measurement point, for data/endpoints/.

MLPerf Endpoints is a suite of its own beside MLPerf Inference; the logs of Endpoints that stand in place of LoadGen's
in a round of Inference are read by official/endpoints.py. Two layouts are known:

- v1.0: `<submitter>/<submission>/results/<system>/<model>/r<concurrency>/` with point.yaml, system_desc.json,
  result_summary.json and accuracy_results.json, and `results/<system>/system_power.json`;
- v0.7: `results/point_<concurrency>/run_metadata.json` beside `points/` and `systems/`, or below
  `pareto/<system>/<model>/` with `systems/<system>.json` beside `pareto/`.

The rules: https://github.com/mlcommons/endpoints_policies (endpoints_rules.md, sections 4, 5 and 8).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from reprlib import repr as short
from typing import Any, NamedTuple

import pandas as pd
import yaml

from analysis._import.official import accelerator_names, tree
from analysis._import.official.endpoints import LARGEST, content, positive, within
from analysis._import.official.run_log import LogError
from analysis._import.official.tree import Problem
from analysis._tables import descriptor
from analysis.methods import provisioned_power

V10, V07 = "v1.0", "v0.7"
PER_TPOT, PER_REQUEST, END_TO_END = "1000 / TPOT P90", "system rate / concurrency", "end to end, over turns"
CLOSE = 0.01  # share by which a stored figure may differ from what it is derived from, as in MLCommons' checker
_POINT_V10, _POINT_V07 = re.compile(r"r(\d{1,9})"), re.compile(r"point_(\d{1,9})")
_REPOSITORY = re.compile(r"endpoints[_-]results[_-]v?(\d+\.\d+)", re.IGNORECASE)
_AVAILABILITY = ("system_availability_status", "publication_status", "availability_status")  # as rules and tools spell
DIVISIONS, AVAILABILITIES = ("Standardized", "Serviced", "RDI"), ("Available", "Preview", "RDI")
_UNDER = 6  # folders below a path at which a point is looked for to tell what the path is


class Point(NamedTuple):
    """One folder of a measurement point, and what its path says; `curve` names the result that it is of."""

    folder: Path
    root: Path
    layout: str
    version: str
    curve: str
    submitter: str
    system: str
    model: str
    concurrency: int


class Imported(NamedTuple):
    """The rows as the table `endpoints` describes them, and what was left out."""

    rows: pd.DataFrame
    problems: list[Problem]


def is_meant(path: Path) -> bool:
    """Whether a folder holds points of MLPerf Endpoints."""
    return path.is_dir() and any(isinstance(point, Point) for point in points(path, _UNDER))


def points(start: Path, deepest: int = tree.DEEPEST) -> Iterator[Point | Problem]:
    """Every point below `start` in order of name, and every link, none of which is followed."""
    start = Path(os.path.realpath(start))
    for folder, inside, _ in os.walk(start):
        here = Path(folder)
        for name in sorted(inside):
            if (here / name).is_symlink():
                yield Problem(str(here / name), "a symbolic link, not followed")
            elif point := _point(here / name, start):
                yield point
        deep = len(here.relative_to(start).parts) >= deepest
        inside[:] = [] if deep else sorted(set(inside) - tree.SKIPPED)


def read(paths: Iterable[Path]) -> Imported:
    """Read the points below the folders `paths`; one that cannot be read or trusted is left out and named.

    Where a point is met twice, the first counts. Rows are in order of curve, then concurrency.
    """
    rows: dict[str, dict[str, Any]] = {}
    problems: list[Problem] = []
    for path in paths:
        for point in points(path):
            try:
                if isinstance(point, Problem):
                    problems.append(point)
                    continue
                row = (_row_v10 if point.layout == V10 else _row_v07)(point)
                if rows.setdefault(row["id"], row) is not row:
                    problems.append(Problem(str(point.folder), f"is already read as {rows[row['id']]['location']}"))
            except (LogError, provisioned_power.PowerError) as error:
                problems.append(Problem(str(point.folder), str(error)))
    names = descriptor.read_tables()["endpoints"].columns
    frame = pd.DataFrame(list(rows.values()), columns=names)
    return Imported(frame.sort_values(["curve", "concurrency"], kind="stable", ignore_index=True), problems)


def _point(folder: Path, start: Path) -> Point | None:
    """The point that a folder is by its path, which counts also above `start`; None for any other folder."""
    *above, name = folder.parts
    repository = _REPOSITORY.findall(str(folder))
    if (match := _POINT_V10.fullmatch(name)) and len(above) > 4 and above[-3] == "results":
        submitter, submission, _, system, model = above[-5:]
        parts = (submitter, submission, system, model)
    elif (match := _POINT_V07.fullmatch(name)) and len(above) > 4 and above[-1] == "results":
        submitter, system, model = above[-4:-1]
        submitter = above[-5] if submitter == "pareto" else submitter
        parts = (submitter, system, model)
    else:
        return None
    layout = V10 if len(parts) == 4 else V07
    version = f"v{repository[-1]}" if repository else layout
    return Point(folder, start, layout, version, "/".join((version, *parts)), submitter, system, model, int(match[1]))


def _row_v10(point: Point) -> dict[str, Any]:
    summary = _json(point, "result_summary.json")
    asked = _yaml(point, "point.yaml")
    described = _json(point, "system_desc.json")
    seconds = _number(summary, "duration_ns", "result_summary.json") / 1e9
    _all_counted(summary)
    tokens = _number(summary.get("output_sequence_lengths"), "total", "output_sequence_lengths of result_summary.json")
    latencies = {
        f"{name}_p{percent}_ms": _milliseconds(summary.get(name), percent)
        for name in ("ttft", "tpot")
        for percent in (90, 95)
    }
    offline = _word(asked, "offline")
    interactivity, basis = _interactivity(summary, asked, latencies["tpot_p90_ms"], tokens, offline)
    concurrency = int(_number(asked, "concurrency", "point.yaml"))
    power = _power(point, asked)
    facts = {
        "offline": "" if offline == "none" else offline,
        "tokens_per_second": _stored(summary, "system_tps", tokens / seconds),
        "interactivity": interactivity,
        "interactivity_basis": basis,
        "duration_s": seconds,
        "samples": summary["n_samples_completed"],
        "steady_state": _word(asked.get("steady_state"), "status"),
        "accuracy": _accuracy(_json(point, "accuracy_results.json", {})),
        "provisioned_power_kw": power and power.kilowatts,
        "point_power_kw": power and power.at_point,
        "power_estimated": power and power.estimated,
    }
    merged = described | {name: value for name, value in asked.items() if value not in (None, "")}
    return _row(point, merged, concurrency) | latencies | facts


def _row_v07(point: Point) -> dict[str, Any]:
    stated = _json(point, "run_metadata.json")
    beside = point.folder.parents[1]
    systems = beside.parents[2] / "systems" if beside.parents[1].name == "pareto" else beside / "systems"
    system = _json(point._replace(folder=systems), f"{point.system}.json", None if systems != beside else {})
    file = "run_metadata.json"
    latencies = {
        f"{name}_p{percent}_ms": _maybe(stated.get(f"measured_latency_{name}_p{percent}"))
        for name in ("ttft", "tpot")
        for percent in (90, 95)
    }
    concurrency = int(_number(stated | {"concurrency": stated.get("concurrency", point.concurrency)}, "concurrency", file))
    facts = {
        "offline": "",
        "tokens_per_second": _number(stated, "system_tps", file),
        "interactivity": _number(stated, "tps_per_user", file),
        "interactivity_basis": PER_REQUEST,
        "duration_s": _maybe(stated.get("measured_run_duration")),
        "samples": _maybe(stated.get("measured_total_requests")),
        "accuracy": _accuracy(stated.get("measured_accuracy_score") or system.get("measured_accuracy_score")),
    }
    return _row(point, system, concurrency) | latencies | facts


def _row(point: Point, stated: Mapping[str, Any], concurrency: int) -> dict[str, Any]:
    """What path and descriptions say of a point."""
    nodes = [node for node in stated.get("node_types") or () if isinstance(node, dict)]
    parts = [(node, part) for node in nodes for part in node.get("accelerator_info") or [node] if isinstance(part, dict)]
    printed = list(dict.fromkeys(filter(None, (_word(part, "accelerator_model_name") for _, part in parts))))
    counts = [_maybe(node.get("number_of_nodes")) for node in nodes]
    per_part = [(_maybe(node.get("number_of_nodes")), _maybe(part.get("accelerators_per_node"))) for node, part in parts]
    total = sum(each * many for each, many in per_part) if per_part and None not in sum(per_part, ()) else None
    status = next(filter(None, (_word(stated, name) for name in _AVAILABILITY)), "")
    location = point.folder.relative_to(point.root.parent).as_posix()
    return {
        "id": f"{point.curve}/{concurrency}{'/offline' * (_word(stated, 'offline') == 'dedicated')}",
        "curve": point.curve,
        "result_id": _word(stated, "result_id"),
        "version": point.version,
        "cohort": _word(stated, "target_cohort"),
        "submitter": _word(stated, "submitter_org_names") or point.submitter,
        "system": _word(stated, "system_name") or point.system,
        "division": _one_of(DIVISIONS, _word(stated, "division"), "division"),
        "availability": _one_of(AVAILABILITIES, status, "availability"),
        "available_from": _word(stated, "target_availability_date"),
        "accelerator": accelerator_names.canonical(" + ".join(printed))[0],
        "accelerator_as_published": " + ".join(printed),
        "accelerator_count": total,
        "nodes": sum(counts) if counts and None not in counts else None,
        "model": _word(stated, "model_name") or point.model,
        "dataset": _word(stated, "dataset_name") or _word(stated, "dataset"),
        "precision": _word(stated, "model_precision"),
        "concurrency": concurrency,
        "region": _word(stated, "region"),
        "location": location,
    }


def _interactivity(
    summary: Mapping[str, Any], asked: Mapping[str, Any], tpot: float | None, tokens: float, offline: str
) -> tuple[float | None, str]:
    """Tokens/s per user and how it is defined; of a dedicated Offline run, which paces nothing, there is none."""
    if offline == "dedicated":
        return None, ""
    if within(asked.get("runtime_settings"), "load_pattern") == "agentic_inference":
        seconds = _maybe(summary.get("e2e_turn_time_seconds_total"))
        counted = _maybe(summary.get("output_tokens_per_turn_total")) or tokens
        seconds = seconds or (_maybe(within(summary.get("latency"), "total")) or 0) / 1e9
        if not seconds:
            raise LogError("result_summary.json: has no e2e_turn_time_seconds_total, of which agentic runs are rated")
        return counted / seconds, END_TO_END
    if tpot is None:
        raise LogError("result_summary.json: tpot has no percentile 90 above 0, of which tokens/s per user follow")
    return _stored(summary, "tps_per_user", 1000 / tpot), PER_TPOT


def _stored(summary: Mapping[str, Any], name: str, derived: float) -> float:
    """The figure that a summary stores, which must follow from its parts; derived where it stores none."""
    if summary.get(name) is None:
        return derived
    stored = _number(summary, name, "result_summary.json")
    if abs(stored - derived) > CLOSE * derived:
        raise LogError(f"result_summary.json: {name} is {stored:g}, but its parts give {derived:g}")
    return stored


def _all_counted(summary: Mapping[str, Any]) -> None:
    issued, completed, failed = (summary.get(f"n_samples_{name}") for name in ("issued", "completed", "failed"))
    whole = all(isinstance(count, int) and not isinstance(count, bool) for count in (issued, completed, failed))
    if not whole or completed <= 0 or completed + failed != issued:
        words = f"{short(completed)} samples completed and {short(failed)} failed"
        raise LogError(f"result_summary.json: {words}, expected the {short(issued)} that were issued")


def _milliseconds(series: Any, percent: int) -> float | None:
    """A percentile in milliseconds; files spell its key "90" or "90.0"."""
    stated = within(series, "percentiles", str(percent)) or within(series, "percentiles", f"{percent}.0")
    return stated / 1e6 if positive(stated) else None


def _accuracy(stated: Any) -> str:
    """The scores of an accuracy file in words, `<metric>=<value>`; "" where there is none."""
    if not isinstance(stated, dict):
        return "" if stated is None else str(stated)[:200] if isinstance(stated, str | int | float) else ""
    entries = stated.get("accuracy_scores", stated)
    by_name = entries if isinstance(entries, dict) else {}
    listed = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    pairs = {str(entry.get("dataset_name", "score")): entry.get("score") for entry in listed}
    for name, entry in by_name.items():
        if isinstance(entry, dict):
            pairs |= entry.get("scores") or (score if isinstance(score := entry.get("score"), dict) else {name: score})
    scored = {name: _maybe(value) for name, value in pairs.items()} if isinstance(pairs, dict) else {}
    return ", ".join(f"{name}={value:g}" for name, value in scored.items() if value is not None)


def _power(point: Point, asked: Mapping[str, Any]) -> provisioned_power.Power | None:
    """Provisioned power of the system at a point; None where nothing describes it."""
    described = _json(point._replace(folder=point.folder.parents[1]), "system_power.json", {})
    return provisioned_power.described(described, asked.get("nodes_used")) if described else None


def _json(point: Point, name: str, absent: Any = None) -> dict[str, Any]:
    """The object in a file of a point's folder; `absent` for a missing one, where that is no error."""
    return content(point.folder / name) if _may_open(point, name, absent) else absent


def _yaml(point: Point, name: str) -> dict[str, Any]:
    _may_open(point, name, None)
    try:
        stated = yaml.safe_load(tree.head(str(point.folder / name), LARGEST))
    except (yaml.YAMLError, ValueError, RecursionError, OSError) as error:
        raise LogError(f"{name}: is no YAML, or is cut off ({type(error).__name__})") from None
    if not isinstance(stated, dict):
        raise LogError(f"{name}: is {type(stated).__name__}, expected the fields of a measurement point")
    return stated


def _may_open(point: Point, name: str, absent: Any) -> bool:
    reason = tree.refused(str(point.folder), name, str(point.root))
    if reason == tree.MISSING and absent is not None:
        return False
    if reason:
        raise LogError(f"{name}: {reason}")
    return True


def _maybe(value: Any) -> float | None:
    """A number above 0, also where a file quotes it; None for anything else."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return float(value) if positive(value) else None


def _number(stated: Any, name: str, file: str) -> float:
    value = stated.get(name) if isinstance(stated, dict) else None
    if (number := _maybe(value)) is None:
        raise LogError(f"{file}: {name} is {short(value)}, expected a number above 0")
    return number


def _word(stated: Any, name: str) -> str:
    value = stated.get(name) if isinstance(stated, dict) else None
    return "" if value is None or isinstance(value, dict | list | bool) else " ".join(str(value)[:200].split())


def _one_of(choices: tuple[str, ...], word: str, what: str) -> str:
    """The choice that a word is but for capitals; "" for none. Raises LogError for another word."""
    if not word:
        return ""
    for choice in choices:
        if choice.casefold() == word.casefold():
            return choice
    raise LogError(f"{what} is {short(word)}, expected one of {', '.join(choices)}")
