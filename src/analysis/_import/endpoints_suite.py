"""Submissions and results repositories of MLPerf Endpoints, a suite of its own: rows of the table endpoints.

The logs of Endpoints that replace LoadGen's in a round of Inference are read by official/endpoints.py. Two
layouts are known, both anchored on the folders of measurement points:

- v1.0: `<submitter>/<submission>/results/<system>/<model>/r<concurrency>/` with point.yaml, system_desc.json,
  result_summary.json and accuracy_results.json, and `results/<system>/system_power.json`;
- v0.7: `<submitter>/<system>/<model>/results/point_<concurrency>/run_metadata.json` and `systems/` beside `results/`,
  or the same below `<submitter>/pareto/`, with `systems/<system>.json` beside `pareto/`.

The rules: https://github.com/mlcommons/endpoints_policies, endpoints_rules.md, sections 4, 5 and 8.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from reprlib import repr as short
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from analysis._core.choices import folded
from analysis._core.file_contents import aside
from analysis._core.paths import ENDPOINTS
from analysis._import.official import accelerator_names, json_file, shape, tree, writer
from analysis._import.official.endpoints import positive, within
from analysis._import.official.entry import EntryError
from analysis._import.official.import_run import ImportFailed
from analysis._import.official.tree import Problem
from analysis._tables import descriptor, rules
from analysis.methods import provisioned_power
from analysis.methods.provisioned_power import Power, PowerError

if TYPE_CHECKING:
    import pandas as pd

V10, V07 = "v1.0", "v0.7"
PER_TPOT, PER_REQUEST, END_TO_END = "1000 / TPOT P90", "system rate / concurrency", "end to end, over turns"
SOURCED, ESTIMATED = "public sources", "MLC Estimated Power"
SUMMARY, POINT, SYSTEM, RUN = "result_summary.json", "point.yaml", "system_desc.json", "run_metadata.json"
CLOSE = 0.01  # share by which a stored figure may differ from what it is derived from, as in MLCommons' checker
PERCENTS = (90, 95)
LARGEST = 1 << 22  # bytes of a description
LOOK = 8  # folders below a path among which a point shows what the path is
_V10, _V07 = re.compile(r"r(\d{1,9})"), re.compile(r"point_(\d{1,9})")
_REPOSITORY = re.compile(r"endpoints[_-]results[_-]v?(\d+\.\d+)", re.IGNORECASE)
_AVAILABILITY = ("system_availability_status", "publication_status", "availability_status")  # of rules, tools, papers


class Point(NamedTuple):
    """One folder of a measurement point, and what its path says; `parts` are the names down to the model."""

    folder: Path
    root: Path
    is_v10: bool
    version: str
    parts: tuple[str, ...]
    concurrency: int

    @property
    def curve(self) -> str:
        """The result that the point is of."""
        return "/".join((self.version, *self.parts))


class Imported(NamedTuple):
    """The rows, in order of curve and concurrency, and what was excluded."""

    rows: pd.DataFrame
    problems: list[Problem]


def among(paths: Iterable[Path]) -> list[Path]:
    """The paths where they are folders with points of MLPerf Endpoints, none where they hold no such point.

    Raises ImportFailed for paths of both suites, which have no table in common.
    """
    paths = list(paths)
    suite = [path for path in paths if path.is_dir() and any(isinstance(each, Point) for each in points(path, LOOK))]
    if suite and len(suite) < len(paths):
        raise ImportFailed(f"{', '.join(map(str, suite))}: MLPerf Endpoints is a suite of its own, import it by itself")
    return suite


def import_points(paths: Iterable[Path], out: Path, say: Callable[[str], None] = print) -> int:
    """Write the points below `paths` to `out` (.parquet or .csv), say what was excluded; returns the exit status.

    Raises ImportFailed where there is none, OutputError for a wrong `out`; it is then untouched.
    """
    paths, out = list(paths), writer.checked(out)
    rows, problems = read(paths)
    for problem in problems:
        say(shape.legible(f"left out  {problem}"))
    if rows.empty:
        raise ImportFailed(f"nothing to import: no sound point of MLPerf Endpoints in {', '.join(map(str, paths))}")
    with aside(out) as place:
        (rows.to_parquet if out.suffix == ".parquet" else rows.to_csv)(place, index=False)
    excluded = f"; {len(problems)} left out" if problems else ""
    say(f"{len(rows):,} points of {rows['curve'].nunique():,} MLPerf Endpoints results in {out}{excluded}")
    return int(bool(problems))


def bring(paths: Iterable[Path], *, folder: Path = ENDPOINTS, say: Callable[[str], None] = print) -> int:
    """Import each of `paths` into `folder` under its own name, for the reports; returns the exit status."""
    folder.mkdir(parents=True, exist_ok=True)
    return max(import_points([path], folder / f"{shape.slug(path.resolve().name)}.parquet", say) for path in paths)


def read(paths: Iterable[Path]) -> Imported:
    """Return the points below `paths`; what cannot be trusted is left out and named, as is a point met twice."""
    import pandas as pd  # here, for what is only asked whether it is of this suite

    fields = descriptor.read_tables()["endpoints"].fields
    columns, rows, problems = rules.checks(fields), {}, []
    for point in (point for path in paths for point in points(path)):
        if isinstance(point, Problem):
            problems.append(point)
            continue
        try:
            row = (_of_v10 if point.is_v10 else _of_v07)(point)
            row = {name: shape.text(value) if isinstance(value, str) else value for name, value in row.items()}
            if faults := rules.row_faults(row, columns):
                raise EntryError("; ".join(faults))
            if rows.setdefault(row["id"], row) is not row:
                raise EntryError(f"is already read as {rows[row['id']]['location']}")
        except (EntryError, PowerError) as error:
            problems.append(Problem(str(point.folder), str(error)))
    kinds = {"integer": "Int64", "number": "float64"}
    frame = pd.DataFrame(list(rows.values()), columns=[field.name for field in fields])
    frame = frame.astype({field.name: kinds.get(field.type, "object") for field in fields})
    return Imported(frame.sort_values(["curve", "concurrency"], kind="stable", ignore_index=True), problems)


def points(start: Path, deepest: int = tree.DEEPEST) -> Iterator[Point | Problem]:
    """Every point below `start` in order of name, and every link to a folder, which is not followed."""
    start = Path(os.path.realpath(start))
    for folder, inside, _ in os.walk(start):
        here = Path(folder)
        for path in sorted(here / name for name in inside):
            if path.is_symlink():
                yield Problem(str(path), "a symbolic link, not followed")
            elif point := _point(path, start):
                yield point
        deep = len(here.relative_to(start).parts) >= deepest
        inside[:] = [] if deep else sorted(set(inside) - tree.SKIPPED)


def _point(folder: Path, start: Path) -> Point | None:
    """The point that a folder is by its path, which counts above `start` too; None for any other folder."""
    *above, name = folder.parts[-7:]
    repository = _REPOSITORY.findall(str(folder))
    if (match := _V10.fullmatch(name)) and len(above) > 4 and above[-3] == "results":
        layout, parts = V10, (*above[-5:-3], *above[-2:])
    elif (match := _V07.fullmatch(name)) and len(above) > 4 and above[-1] == "results":
        layout, parts = V07, (above[-5] if above[-4] == "pareto" else above[-4], *above[-3:-1])
    else:
        return None
    version = f"v{repository[-1]}" if repository else layout
    return Point(folder, start, layout == V10, version, parts, int(match[1]))


def _of_v10(point: Point) -> dict[str, Any]:
    summary, system = _json(point, SUMMARY), _json(point, SYSTEM)
    asked = _yaml(point, POINT)
    _all_counted(summary)
    seconds = _number(summary, "duration_ns", SUMMARY) / 1e9
    tokens = _number(summary.get("output_sequence_lengths"), "total", f"{SUMMARY}, output_sequence_lengths")
    latencies = {
        f"{name}_p{percent}_ms": _milliseconds(summary.get(name), percent)
        for name in ("ttft", "tpot")
        for percent in PERCENTS
    }
    offline = _word(asked, "offline").replace("none", "")
    interactivity, basis = _interactivity(summary, asked, latencies["tpot_p90_ms"], tokens)
    described = _json(point, "system_power.json", point.folder.parents[1], optional=True)
    power = provisioned_power.described(described, asked.get("nodes_used")) if described else None
    stated = system | {name: value for name, value in asked.items() if value not in (None, "")}
    return _described(point, stated, _number(asked, "concurrency", POINT)) | latencies | _rated(power) | {
        "id": f"{point.curve}/{point.concurrency}{'/offline' * (offline == 'dedicated')}",
        "offline": offline,
        "tokens_per_second": _stored(summary, "system_tps", tokens / seconds),
        "interactivity": None if offline == "dedicated" else interactivity,
        "interactivity_basis": "" if offline == "dedicated" else basis,
        "duration_s": seconds,
        "samples": summary["n_samples_completed"],
        "steady_state": _word(asked.get("steady_state"), "status"),
        "accuracy": _accuracy(_json(point, "accuracy_results.json", optional=True)),
    }  # fmt: skip


def _of_v07(point: Point) -> dict[str, Any]:
    run = _json(point, RUN)
    beside = point.folder.parents[1]
    pareto = beside.parents[1]
    systems = pareto.parent / "systems" if pareto.name == "pareto" else beside / "systems"
    names = tree.listed(str(systems), ".json")
    system = _json(point, names[0] if len(names) == 1 else f"{point.parts[1]}.json", systems)
    return _described(point, system, _maybe(run.get("concurrency")) or point.concurrency) | {
        **{f"{name}_p{percent}_ms": _maybe(run.get(f"measured_latency_{name}_p{percent}"))
           for name in ("ttft", "tpot") for percent in PERCENTS},
        "id": f"{point.curve}/{point.concurrency}",
        "tokens_per_second": _number(run, "system_tps", RUN),
        "interactivity": _number(run, "tps_per_user", RUN),
        "interactivity_basis": PER_REQUEST,
        "duration_s": _maybe(run.get("measured_run_duration")),
        "samples": _maybe(run.get("measured_total_requests")),
        "accuracy": _accuracy(run.get("measured_accuracy_score") or system.get("measured_accuracy_score")),
    }  # fmt: skip


def _described(point: Point, stated: Mapping[str, Any], concurrency: float) -> dict[str, Any]:
    """What path and descriptions say of a point."""
    nodes = [node for node in _listed(stated.get("node_types")) if isinstance(node, dict)]
    # From v1.0 on a node lists its accelerators; before, it has the fields of one kind itself.
    groups = [(node, part) for node in nodes for part in _listed(node.get("accelerator_info")) or [node]]
    groups = [(node, part) for node, part in groups if _word(part, "accelerator_model_name")]
    printed = " + ".join(dict.fromkeys(_word(part, "accelerator_model_name") for _, part in groups))
    counts = [_maybe(node.get("number_of_nodes")) for node in nodes]
    each = [(_maybe(node.get("number_of_nodes")), _maybe(part.get("accelerators_per_node"))) for node, part in groups]
    return {
        "curve": point.curve,
        "result_id": _word(stated, "result_id"),
        "version": point.version,
        "cohort": _word(stated, "target_cohort"),
        "submitter": _word(stated, "submitter_org_names") or point.parts[0],
        "system": _word(stated, "system_name") or point.parts[-2],
        "division": _spelled(_word(stated, "division"), ("Standardized", "Serviced", "RDI")),
        "availability": _spelled(
            next(filter(None, (_word(stated, name) for name in _AVAILABILITY)), ""), ("Available", "Preview", "RDI")
        ),
        "available_from": _word(stated, "target_availability_date"),
        "accelerator": accelerator_names.canonical(printed)[0],
        "accelerator_as_published": printed,
        "accelerator_count": sum(node * many for node, many in each) if each and None not in sum(each, ()) else None,
        "nodes": sum(counts) if counts and None not in counts else None,
        "model": _word(stated, "model_name") or point.parts[-1],
        "dataset": _word(stated, "dataset_name") or _word(stated, "dataset"),
        "precision": _word(stated, "model_precision"),
        "concurrency": int(concurrency),
        "region": _word(stated, "region"),
        "location": point.folder.relative_to(point.root.parent).as_posix(),
    }


def _rated(power: Power | None) -> dict[str, Any]:
    if power is None:
        return {}
    basis = ESTIMATED if power.estimated else SOURCED
    return {"provisioned_power_kw": power.kilowatts, "point_power_kw": power.at_point, "power_basis": basis}


def _interactivity(
    summary: Mapping[str, Any], asked: Mapping[str, Any], tpot: float | None, tokens: float
) -> tuple[float | None, str]:
    """Tokens/s per user, and how it is defined: of agentic models over whole turns (rules, section 4.1)."""
    if _word(asked.get("runtime_settings"), "load_pattern") == "agentic_inference":
        seconds = _maybe(summary.get("e2e_turn_time_seconds_total"))
        seconds = seconds or (_maybe(within(summary.get("latency"), "total")) or 0) / 1e9
        counted = _maybe(summary.get("output_tokens_per_turn_total")) or tokens
        return (counted / seconds if seconds else None), END_TO_END
    if tpot is None and _word(asked, "offline") != "dedicated":
        raise EntryError(f"{SUMMARY}: tpot has no percentile 90 above 0, from which tokens/s per user follow")
    return (None if tpot is None else _stored(summary, "tps_per_user", 1000 / tpot)), PER_TPOT


def _stored(summary: Mapping[str, Any], name: str, derived: float) -> float:
    """The figure that a summary stores, which must follow from its parts; what follows where it stores none."""
    if summary.get(name) is None:
        return derived
    stored = _number(summary, name, SUMMARY)
    if abs(stored - derived) > CLOSE * derived:
        raise EntryError(f"{SUMMARY}: {name} is {stored:g}, but its parts give {derived:g}")
    return stored


def _all_counted(summary: Mapping[str, Any]) -> None:
    counts = [summary.get(f"n_samples_{name}") for name in ("issued", "completed", "failed")]
    whole = all(isinstance(count, int) and not isinstance(count, bool) for count in counts)
    if not whole or counts[1] <= 0 or counts[1] + counts[2] != counts[0]:
        issued, completed, failed = map(short, counts)
        raise EntryError(f"{SUMMARY}: {completed} samples completed and {failed} failed, expected the {issued} issued")


def _milliseconds(series: Any, percent: int) -> float | None:
    """A percentile in milliseconds; files spell its key "90" or "90.0"."""
    stated = within(series, "percentiles", str(percent)) or within(series, "percentiles", f"{percent}.0")
    return stated / 1e6 if positive(stated) else None


def _accuracy(stated: Any) -> str:
    """The scores of an accuracy file, `<metric>=<value>`, or the one figure that is stated; "" for none."""
    if not isinstance(stated, dict):
        return "" if _maybe(stated) is None else f"{_maybe(stated):g}"
    entries = stated.get("accuracy_scores", stated)
    named = entries.items() if isinstance(entries, dict) else ((_word(each, "dataset_name"), each) for each in entries)
    scores: dict[str, Any] = {}
    for name, entry in named:
        score = (entry.get("score") or entry.get("scores")) if isinstance(entry, dict) else entry
        scores |= score if isinstance(score, dict) else {name: score}
    known = {str(name): _maybe(value) for name, value in scores.items()}
    return ", ".join(f"{name}={value:g}" for name, value in known.items() if value is not None)


def _json(point: Point, name: str, folder: Path | None = None, *, optional: bool = False) -> dict[str, Any]:
    """The object in a file of the point's folder, or of another; empty where one that is `optional` is missing."""
    folder = folder or point.folder
    reason = tree.refused(str(folder), name, str(point.root))
    if optional and reason == tree.MISSING:
        return {}
    if reason:
        raise EntryError(f"{name}: {reason}")
    return json_file.read_object(folder / name)


def _yaml(point: Point, name: str) -> dict[str, Any]:
    if reason := tree.refused(str(point.folder), name, str(point.root)):
        raise EntryError(f"{name}: {reason}")
    try:
        stated = yaml.safe_load(tree.head(str(point.folder / name), LARGEST))
    except (yaml.YAMLError, ValueError, RecursionError, OSError) as error:
        raise EntryError(f"{name}: is no YAML, or is cut off ({type(error).__name__})") from None
    if not isinstance(stated, dict):
        raise EntryError(f"{name}: is {type(stated).__name__}, expected the fields of a measurement point")
    return stated


def _maybe(value: Any) -> float | None:
    """A number above 0, also where a file quotes it; None for anything else."""
    try:
        value = float(value) if isinstance(value, str) else value
    except ValueError:
        return None
    return float(value) if positive(value) else None


def _number(stated: Any, name: str, file: str) -> float:
    value = stated.get(name) if isinstance(stated, dict) else None
    if (number := _maybe(value)) is None:
        raise EntryError(f"{file}: {name} is {short(value)}, expected a number above 0")
    return number


def _word(stated: Any, name: str) -> str:
    value = stated.get(name) if isinstance(stated, dict) else None
    return "" if value is None or isinstance(value, dict | list | bool) else str(value)[:200]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _spelled(word: str, choices: tuple[str, ...]) -> str:
    """The choice that a word is but for capitals, else the word, which the table then refuses."""
    return next((choice for choice in choices if folded(choice) == folded(word)), word)
