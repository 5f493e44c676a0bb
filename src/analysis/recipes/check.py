"""Check the tables of data/ against data/datapackage.json, and name file, row, and column of each fault."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.pandas as pa

from analysis.paths import DATA, plain
from analysis.recipes import descriptor
from analysis.recipes.descriptor import Resource, sha256
from analysis.recipes.official import record
from analysis.tables import read_rows

CHANGED = f"its sha256 does not match {descriptor.FILE}"
OWN = "official/*.parquet"
CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
RULES = {  # constraint -> pandera's check of it, and the message for a cell that fails
    "enum": (pa.Check.isin, "is not one of {}"),
    "minimum": (pa.Check.ge, "is below {:g}"),
    "exclusiveMinimum": (pa.Check.gt, "is not above {:g}"),
    "maximum": (pa.Check.le, "is above {:g}"),
    "pattern": (pa.Check.str_matches, "does not match {}"),
}
TEXT = {  # pattern of any text -> the message for a cell that does not match
    r"(?![=+@\t]|-(?![\d.]|$))": "starts like a spreadsheet formula",
    rf"[^{CONTROL}]*$": "contains a control character",
}


Fault = tuple[int, str]  # the row of a table, and the column with what is wrong there


def faults(folder: Path = DATA) -> list[str]:
    """Return one line per fault in the tables of `folder`, in table order; an empty list if there are none."""
    try:
        resources = {resource.name: resource for resource in descriptor.read_descriptor(folder).resources}
    except descriptor.DescriptorError as error:
        return str(error).splitlines()
    frames, found = {}, []
    for name, resource in resources.items():
        frame, lines = _table(folder, resource)
        frames |= {} if frame is None else {name: frame}
        found += lines
    for name, resource in resources.items():
        found += _references(resource, frames) if name in frames else []
        found += _parts(folder, resource) if resource.parts else []
    return found + _corrections(resources, frames)


def cell_faults(frame: pd.DataFrame, resource: Mapping[str, Any]) -> pd.Series:
    """Return what is wrong with the rows of a typed frame, "column: words; ...", by index, for those with a fault.

    `resource` is a table of datapackage.json as a dict. Rules between rows, such as unique keys, are not applied.
    """
    found = pd.DataFrame(_cells(frame, Resource.model_validate(dict(resource))), columns=["index", "words"])
    return found.groupby("index")["words"].agg(lambda words: "; ".join(dict.fromkeys(words)))


def _table(folder: Path, resource: Resource) -> tuple[pd.DataFrame | None, list[str]]:
    """Return the typed rows of a table, None where its file cannot be read, and its faults."""
    path = folder / resource.path
    try:
        plain(path)
        frame = pd.read_parquet(path) if path.suffix == ".parquet" else read_rows(path, dtype="str", na_filter=False)
    except (OSError, ValueError) as error:
        return None, [f"{resource.path}: cannot be read: {error}"]
    names = [column.name for column in resource.schema_.fields]
    if list(frame) != names:
        missing, more = [name for name in names if name not in frame], [name for name in frame if name not in names]
        words = f"has a column {more[0]!r} that is not described" if more else "has its columns in a different order"
        return None, [f"{resource.path}: {f'has no column {missing[0]!r}' if missing else words}"]
    frame.index = frame.index + 2  # the line of the row in the file
    wrong = [f"{resource.path}: {CHANGED}; if the change is intended, run `analysis describe`"]
    typed, found = _typed(frame, resource)
    found += _cells(typed, resource) + _repeated(typed, resource)
    lines = _lines(resource.path, sorted(found, key=lambda fault: fault[0]))
    return typed, wrong * (sha256(path.read_bytes()) != resource.hash) + lines


def _typed(frame: pd.DataFrame, resource: Resource) -> tuple[pd.DataFrame, list[Fault]]:
    """Return the frame with numbers as numbers, and the cells that are not of their type."""
    typed, found = frame.copy(), []
    for column in resource.schema_.fields:
        cells = frame[column.name]
        if column.type in ("number", "integer", "year"):
            numbers = pd.to_numeric(cells.mask(cells.eq("")), errors="coerce").astype("float64")
            typed[column.name] = numbers.where(numbers.abs().le(1e300))
            fits = typed[column.name].notna() & (column.type == "number" or numbers.mod(1).eq(0)) | cells.isna()
        elif column.type == "boolean":
            fits = cells.isin(["true", "false", True, False])
        elif column.type == "date":
            fits = pd.to_datetime(cells, format="%Y-%m-%d", errors="coerce").notna()
        else:
            continue
        unfit = cells[~fits & cells.ne("")]
        found += [(row, f"{column.name}: {value!r} is not of type {column.type}") for row, value in unfit.items()]
    return typed, found


def _cells(frame: pd.DataFrame, resource: Resource) -> list[Fault]:
    """Return the cells that break a rule of their column, by pandera, or exceed the column that limits them."""
    columns, pairs, found = {}, [*resource.schema_.intervals], []
    for column in resource.schema_.fields:
        rules = column.constraints.model_dump(exclude_defaults=True)
        checks = [
            check(rules[name], error=words.format(", ".join(rules[name]) if name == "enum" else rules[name]))
            for name, (check, words) in RULES.items()
            if name in rules
        ]
        if column.type == "string":
            checks += [pa.Check.str_matches(pattern, error=words) for pattern, words in TEXT.items()]
        columns[column.name] = pa.Column(None, checks, nullable="required" not in rules)
        pairs += [[column.name, rules["notAbove"]]] if "notAbove" in rules else []
    try:
        pa.DataFrameSchema(columns).validate(frame.replace("", None), lazy=True)
    except pa.errors.SchemaErrors as errors:
        cases = errors.failure_cases[["index", "column", "failure_case", "check"]]
        for row, column, value, rule in cases.itertuples(index=False):
            shown = "is missing" if rule == "not_nullable" else f"{str(value)[:60]!r} {rule}"
            found.append((row, f"{column}: {shown}"))
    for low, high in pairs:
        found += [(row, f"{low}: is above {high}") for row in frame.index[frame[low].gt(frame[high]).fillna(False)]]
    return found


def _repeated(frame: pd.DataFrame, resource: Resource) -> list[Fault]:
    """Return the rows whose key duplicates that of an earlier row."""
    schema = resource.schema_
    unique = {(column.name,) for column in schema.fields if column.constraints.unique}
    keys = sorted(filter(None, unique | {tuple(schema.primaryKey)}))
    return [
        (row, f"{', '.join(key)}: the key is duplicated")
        for key in keys
        for row in frame.index[frame.duplicated([*key])]
    ]


def _lines(path: str | Path, found: list[Fault]) -> list[str]:
    return [f"{path}, row {row}, column {words}" for row, words in found]


def _references(resource: Resource, frames: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return foreign keys without a target or to their own row; unreadable tables are skipped."""
    found: list[Fault] = []
    for key in resource.schema_.foreignKeys:
        name, table = key.fields[0], key.reference.resource or resource.name
        if table not in frames:
            continue
        keys, targets = frames[resource.name][name], frames[table][key.reference.fields[0]]
        keys = keys[keys.ne("")]
        found += [(row, f"{name}: {value!r} is not in {table}") for row, value in keys[~keys.isin(targets)].items()]
        if table == resource.name:
            found += [(row, f"{name}: refers to its own row") for row in keys.index[keys.eq(targets[keys.index])]]
    return _lines(resource.path, found)


def _parts(folder: Path, resource: Resource) -> list[str]:
    """Return the faults of the record's files: the shipped ones by their digest, and each row of the user's imports."""
    found, shipped = [], {folder / part.path: part for part in resource.parts}
    for path in sorted({*folder.glob(OWN), *shipped}):
        name = path.relative_to(folder)
        back = f"git checkout data/{name}"
        try:
            if path in shipped and sha256(plain(path).read_bytes()) != shipped[path].hash:
                found.append(f"{name}: {CHANGED}: restore it ({back})")
            rows = pd.read_parquet(plain(path))
        except FileNotFoundError:
            found.append(f"{name}: is missing: restore it ({back})")
            continue
        except (OSError, ValueError) as error:
            found.append(f"{name}: cannot be read: {error}")
            continue
        if missing := [column.name for column in resource.schema_.fields if column.name not in rows]:
            found.append(f"{name}: has no column {missing[0]!r}; import it again")
            continue
        wrong = _cells(rows, resource) + _repeated(rows, resource)
        found += _lines(name, [(row + 1, words) for row, words in wrong])
        if path not in shipped:
            held = record.held_against(rows.assign(fault=""))
            held.loc[rows["origin"].ne("official"), "fault"] = "is not official"
            against = held.loc[held["fault"].ne(""), "fault"]
            found += [f"{name}, row {row + 1}: {words}" for row, words in against.items()]
    return found


def _corrections(resources: Mapping[str, Resource], frames: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return corrections that match no row or column of their table."""
    found = []
    for fix in frames["corrections"].itertuples() if "corrections" in frames else ():
        if fix.table not in frames:  # corrections to the official record are handled with its rounds, not here
            continue
        frame = frames[fix.table]
        keys = frame[resources[fix.table].schema_.primaryKey[0]]
        if fix.column not in frame or not keys.eq(fix.key).any():
            words = f"{fix.table} has no row {fix.key!r} with a column {fix.column!r}"
            found.append(f"corrections.csv, row {fix.Index}: {words}")
    return found
