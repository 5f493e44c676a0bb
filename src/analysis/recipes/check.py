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

CHANGED = f"its sha256 is not the one in {descriptor.FILE}"
OWN = "official/*.parquet"
CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
RULES = {  # constraint -> pandera's check of it, and what is said of a cell that fails
    "enum": (pa.Check.isin, "is not one of {}"),
    "minimum": (pa.Check.ge, "is below {:g}"),
    "exclusiveMinimum": (pa.Check.gt, "is not above {:g}"),
    "maximum": (pa.Check.le, "is above {:g}"),
    "pattern": (pa.Check.str_matches, "does not match {}"),
}
TEXT = {  # pattern of any text -> what is said of a cell that has another
    r"(?![=+@\t]|-(?![\d.]|$))": "starts like a spreadsheet formula",
    rf"[^{CONTROL}]*$": "holds a character that is no text",
}


def faults(folder: Path = DATA) -> list[str]:
    """Return one line per fault in the tables of `folder`, in table order; an empty list if there are none."""
    try:
        resources = {resource.name: resource for resource in descriptor.read_descriptor(folder).resources}
    except descriptor.DescriptorError as error:
        return str(error).splitlines()
    frames, found = {}, []
    for name, resource in resources.items():
        frames[name], wrong = _table(folder, resource)
        found += wrong
    frames = {name: frame for name, frame in frames.items() if frame is not None}
    for name, resource in resources.items():
        found += _references(resource, frames) if name in frames else []
        found += _parts(folder, resource) if resource.parts else []
    return found + _corrections(resources, frames)


def cell_faults(frame: pd.DataFrame, resource: Mapping[str, Any]) -> pd.Series:
    """Return what is wrong with the rows of a typed frame, "column: words; ...", by index, for those with a fault.

    `resource` is a table of datapackage.json as a dict; columns that the frame lacks are not judged.
    """
    found = _cells(frame, Resource.model_validate(dict(resource)), alone=True)
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
        words = f"has the column {more[0]!r}, which is not described" if more else "has its columns in another order"
        return None, [f"{resource.path}: {f'has no column {missing[0]!r}' if missing else words}"]
    frame.index = frame.index + 2  # the line of the row in the file
    wrong = [f"{resource.path}: {CHANGED}; if the change is meant, run `analysis describe`"]
    typed, unfit = _typed(frame, resource)
    cells = pd.concat([unfit, _cells(typed, resource)]).sort_values("index", kind="stable")
    return typed, wrong * (sha256(path) != resource.hash) + _lines(resource.path, cells)


def _typed(frame: pd.DataFrame, resource: Resource) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the frame with numbers as numbers, and a row (`index`, `words`) for each cell that is not of its type."""
    typed, found = frame.copy(), [pd.DataFrame({"index": [], "words": []})]
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
        words = [f"{column.name}: {value!r} is not of type {column.type}" for value in unfit]
        found.append(pd.DataFrame({"index": unfit.index, "words": words}))
    return typed, pd.concat(found)


def _cells(frame: pd.DataFrame, resource: Resource, alone: bool = False) -> pd.DataFrame:
    """Return a row (`index`, `words`) for each cell that breaks a rule of its column, by pandera.

    `alone` skips rules between rows, such as unique keys.
    """
    schema, columns, found = resource.schema_, {}, [pd.DataFrame({"index": [], "words": []})]
    pairs, keys = [*schema.intervals], {tuple(schema.primaryKey)}
    for column in schema.fields:
        if column.name not in frame:
            continue
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
        keys |= {(column.name,)} if "unique" in rules else set()
    try:
        pa.DataFrameSchema(columns).validate(frame.replace("", None), lazy=True)
    except pa.errors.SchemaErrors as errors:
        cases = errors.failure_cases
        words = cases["check"].replace("not_nullable", "is missing")
        shown = cases["failure_case"].map(lambda value: "" if pd.isna(value) else f"{str(value)[:60]!r} ")
        found.append(pd.DataFrame({"index": cases["index"], "words": cases["column"] + ": " + shown + words}))
    for low, high in pairs:
        if {low, high} <= {*frame}:
            wrong = frame.index[frame[low].gt(frame[high]).fillna(False)]
            found.append(pd.DataFrame({"index": wrong, "words": f"{low}: is above {high}"}))
    for key in [] if alone else sorted(filter(None, keys)):
        again = frame.index[frame.duplicated([*key])]
        found.append(pd.DataFrame({"index": again, "words": f"{', '.join(key)}: the key stands twice"}))
    return pd.concat(found, ignore_index=True)


def _lines(path: str, cells: pd.DataFrame) -> list[str]:
    return [
        f"{path}, row {row:.0f}, column {words}" for row, words in cells[["index", "words"]].itertuples(index=False)
    ]


def _references(resource: Resource, frames: Mapping[str, pd.DataFrame]) -> list[str]:
    """Return foreign keys without a target or to their own row; unreadable tables are skipped."""
    cells = []
    for key in resource.schema_.foreignKeys:
        name, table = key.fields[0], key.reference.resource or resource.name
        if table not in frames:
            continue
        keys, targets = frames[resource.name][name], frames[table][key.reference.fields[0]]
        keys = keys[keys.ne("")]
        cells += [(row, f"{name}: {value!r} is not in {table}") for row, value in keys[~keys.isin(targets)].items()]
        if not key.reference.resource:
            own = keys[keys.eq(targets.reindex(keys.index))]
            cells += [(row, f"{name}: refers to its own row") for row in own.index]
    return _lines(resource.path, pd.DataFrame(cells, columns=["index", "words"]))


def _parts(folder: Path, resource: Resource) -> list[str]:
    """Return the faults of the record's files: the shipped ones by their digest, and each row of those beside them."""
    found, shipped = [], {folder / part.path: part for part in resource.parts}
    for path in sorted({*folder.glob(OWN), *shipped}):
        name = path.relative_to(folder)
        back = f"git checkout data/{name}"
        try:
            if path in shipped and path.exists() and sha256(plain(path)) != shipped[path].hash:
                found.append(f"{name}: {CHANGED}: put it back ({back})")
            rows = pd.read_parquet(plain(path))
        except FileNotFoundError:
            found.append(f"{name}: is missing; it is a part of the project: {back}")
            continue
        except (OSError, ValueError) as error:
            found.append(f"{name}: cannot be read: {error}")
            continue
        if missing := [column.name for column in resource.schema_.fields if column.name not in rows]:
            found.append(f"{name}: has no column {missing[0]!r}; import it again")
            continue
        found += _lines(name, _cells(rows, resource).assign(index=lambda cells: cells["index"] + 1))
        if path not in shipped:
            held = record.held_against(rows.assign(fault="", file=path.name, sure=True))
            held.loc[rows["origin"].ne("official"), "fault"] = "is not official"
            wrong = held[held["fault"].ne("")]
            found += [f"{name}, row {row + 1}: {words}" for row, words in wrong["fault"].items()]
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
