"""Sweep files: one YAML file, a notebook and a matrix of parameters, expanded to one run per point."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from analysis._core.choices import not_among
from analysis._core.file_contents import sha256
from analysis._build.runs.files import canonical_json
from analysis._build.runs.folders import Places
from analysis._build.runs.runfiles import NAME, ReportRun, RunFileError, check_notebook, content_of

KEYS = {"notebook": str, "title": str, "parameters": dict, "matrix": dict}
LONGEST = 100  # characters of a point's name; longer ones end in a digest
SHOWN_AT_MOST = 10  # points that an error lists


@dataclass(frozen=True)
class Point:
    """One report of a sweep: its run, the values that vary, and all its parameters."""

    run: ReportRun
    varied: dict[str, Any]
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Sweep:
    """A sweep as its file states it, with its points in the order of the matrix."""

    name: str
    title: str
    path: Path
    points: tuple[Point, ...]

    def places(self, places: Places) -> Places:
        """The project's folders with this sweep's own for reports."""
        return places.at(places.reports / self.name)


def sweep_file(places: Places, name_or_path: str) -> Path:
    """The sweep file of a name (in notebooks/sweeps) or path. Raises RunFileError."""
    files = sweep_files(places)
    is_path = name_or_path.endswith((".yml", ".yaml"))
    path = Path(name_or_path) if is_path else files.get(name_or_path, places.sweeps / f"{name_or_path}.yml")
    if not path.is_file():
        raise RunFileError(f"no sweep {not_among(name_or_path, files)}, or a path that ends in .yml")
    return path.resolve()


def sweep_files(places: Places) -> dict[str, Path]:
    """The sweep files of notebooks/sweeps by name, sorted."""
    return {path.stem: path for path in sorted(places.sweeps.glob("*.yml"))}


def read_sweep(path: Path, places: Places) -> Sweep:
    """A sweep with all its points validated. Raises RunFileError, which names each point that cannot be."""
    where = _where(path, places)
    if not NAME.fullmatch(path.stem) or path.suffix != ".yml":
        raise RunFileError(f"{where}: a sweep file is named <sweep>.yml with small letters, digits, '_' and '-'")
    content = content_of(path, where, KEYS)
    check_notebook(content["notebook"], where, places)
    matrix = _matrix(content, where)
    points, refused = [], []
    for values in product(*matrix.values()):
        try:
            points.append(_point(content, dict(zip(matrix, values, strict=True)), where, places))
        except ValueError as error:
            refused.append(str(error))
    if refused:
        raise RunFileError(_refusal(where, refused, len(refused) + len(points)))
    _once_each(points, where)
    return Sweep(path.stem, content.get("title") or path.stem.replace("_", " "), path, tuple(points))


def _where(path: Path, places: Places) -> str:
    return places.key(path) if path.is_relative_to(places.root) else str(path)


def _matrix(content: Mapping[str, Any], where: str) -> dict[str, list[Any]]:
    matrix = content.get("matrix") or {}
    for name, values in matrix.items():
        if not isinstance(values, list) or not values:
            raise RunFileError(f"{where}: key 'matrix', {name!r}: expected a list of values, found {values!r}")
        if name in (content.get("parameters") or {}):
            raise RunFileError(f"{where}: {name!r} stands in both 'parameters' and 'matrix'; keep one")
    if not matrix:
        raise RunFileError(f"{where}: key 'matrix' is missing: expected parameters, each with a list of values")
    return matrix


def _point(content: Mapping[str, Any], varied: dict[str, Any], where: str, places: Places) -> Point:
    from analysis._core.parameters import validate

    parameters = {**(content.get("parameters") or {}), **varied}
    validated = validate(content["notebook"], parameters, places.notebooks)
    title = ", ".join(value_name(value) for value in varied.values())
    again = f"analysis sweep {where}"
    run = ReportRun(point_name(varied), content["notebook"], title, parameters=parameters, again=again, file=where)
    return Point(run, varied, validated)


def value_name(value: Any) -> str:
    """A value as a name says it: a list by its members."""
    return "+".join(map(value_name, value)) or "none" if isinstance(value, list) else str(value)


def point_name(varied: Mapping[str, Any]) -> str:
    """A file name for a point: its values in small letters; a digest ends it where it would be too long."""
    name = "_".join(
        re.sub(r"[^a-z0-9]+", "-", value_name(value).lower()).strip("-") or "x" for value in varied.values()
    )
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 9]}-{sha256(canonical_json(dict(varied)))[:8]}"


def _refusal(where: str, refused: list[str], total: int) -> str:
    lines = list(dict.fromkeys(line for text in refused for line in text.splitlines()))
    more = [f"  and {len(lines) - SHOWN_AT_MOST} more"] if len(lines) > SHOWN_AT_MOST else []
    shown = [f"  {line}" for line in lines[:SHOWN_AT_MOST]]
    return "\n".join([f"{where}: {len(refused)} of {total} points cannot be, so none is built:", *shown, *more])


def _once_each(points: Iterable[Point], where: str) -> None:
    points_by_name: dict[str, Point] = {}
    for point in points:
        if (first := points_by_name.setdefault(point.run.report, point)) is not point:
            raise RunFileError(f"{where}: {first.varied} and {point.varied} are both named {point.run.report!r}")
