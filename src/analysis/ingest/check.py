"""Check the tables of data/ against data/datapackage.json, and name file, row, and column of each fault."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.pandas as pa

from analysis.ingest import descriptor
from analysis.ingest.descriptor import Package, Resource
from analysis.ingest.official import record
from analysis.paths import DATA, plain

FORMULA = r"^[=+@\t]|^-(?![\d.]|$)"  # what a spreadsheet would run
CHANGED = f"its sha256 is not the one in {descriptor.FILE}"
CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
OWN = "official/*.parquet"


def faults(folder: Path = DATA) -> list[str]:
    """Return a line for everything wrong with the tables of `folder`, table by table; empty where all is well."""
    try:
        package = descriptor.read(folder)
    except descriptor.DescriptorError as error:
        return str(error).splitlines()
    frames, found = {}, []
    for resource in package.resources:
        frames[resource.name], wrong = _table(folder, resource)
        found += wrong
    for resource in package.resources:
        found += _references(resource, frames)
        found += _parts(folder, resource)
    return found + _corrections(package, frames)


def cell_faults(frame: pd.DataFrame, resource: Mapping[str, Any]) -> pd.Series:
    """Return what is wrong with the rows of a typed frame, "column: words; ...", by index, for those with a fault.

    `resource` is a table of datapackage.json as a dict; columns that the frame lacks are not judged.
    """
    checked = Resource.model_validate(dict(resource))
    found = _cells(frame, checked, alone=True)
    return found.groupby("index")["words"].agg(lambda words: "; ".join(dict.fromkeys(words)))


def sha256(file: Path) -> str:
    """Return the SHA-256 of a file as the descriptor writes it."""
    with file.open("rb") as content:
        return f"sha256:{hashlib.file_digest(content, 'sha256').hexdigest()}"


def _table(folder: Path, resource: Resource) -> tuple[pd.DataFrame | None, list[str]]:
    """Return the typed rows of a table, None where its file cannot be read, and its faults."""
    path = folder / resource.path
    names = [column.name for column in resource.schema_.fields]
    try:
        plain(path)
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
        else:
            frame = pd.read_csv(
                path, dtype="str", keep_default_na=False, na_filter=False, encoding="utf-8-sig", index_col=False
            )
    except (OSError, ValueError) as error:
        return None, [f"{resource.path}: cannot be read: {error}"]
    if list(frame) != names:
        missing, more = [name for name in names if name not in frame], [name for name in frame if name not in names]
        words = (
            f"has no column {missing[0]!r}"
            if missing
            else f"has the column {more[0]!r}, which is not described"
            if more
            else "has its columns in another order"
        )
        return None, [f"{resource.path}: {words}"]
    frame.index = frame.index + 2  # the line of the row in the file
    wrong = [f"{resource.path}: {CHANGED}; if the change is meant, run `analysis describe`"]
    wrong = [] if sha256(path) == resource.hash else wrong
    typed, unfit = _typed(frame, resource)
    cells = pd.concat([unfit, _cells(typed, resource)])
    return typed, wrong + [
        f"{resource.path}, row {cell.index_:.0f}, column {cell.words}"
        for cell in cells.rename(columns={"index": "index_"}).sort_values("index_", kind="stable").itertuples()
    ]


def _typed(frame: pd.DataFrame, resource: Resource) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the frame with numbers as numbers, and a row (`index`, `words`) for each cell that is not of its type."""
    columns, found = {}, []
    for column in resource.schema_.fields:
        cells = frame[column.name]
        columns[column.name] = cells
        if column.type in ("number", "integer", "year") and not pd.api.types.is_numeric_dtype(cells):
            columns[column.name] = pd.to_numeric(cells.where(cells.ne("")), errors="coerce").astype("float64")
            unfit = columns[column.name].isna() & cells.ne("") | columns[column.name].abs().gt(1e300)
        elif column.type == "boolean" and not pd.api.types.is_bool_dtype(cells):
            unfit = ~cells.isin(["true", "false"] if column.constraints.required else ["true", "false", ""])
        elif column.type == "date":
            unfit = pd.to_datetime(cells, format="%Y-%m-%d", errors="coerce").isna() & cells.ne("")
        else:
            continue
        if column.type in ("integer", "year"):
            unfit |= columns[column.name].mod(1).gt(0)
        found.append(
            pd.DataFrame(
                {
                    "index": cells.index[unfit],
                    "words": [f"{column.name}: {value!r} is not of type {column.type}" for value in cells[unfit]],
                }
            )
        )
    return pd.DataFrame(columns), pd.concat(found) if found else pd.DataFrame({"index": [], "words": []})


def _cells(frame: pd.DataFrame, resource: Resource, alone: bool = False) -> pd.DataFrame:
    """Return a row (`index`, `words`) for each cell that breaks a rule of its column, by pandera.

    `alone` skips rules between rows, such as unique keys.
    """
    schema = resource.schema_
    described = {column.name: column for column in schema.fields if column.name in frame}
    filled = frame[list(described)].copy()
    for name in described:
        if not pd.api.types.is_numeric_dtype(filled[name]):
            filled[name] = filled[name].where(filled[name].ne(""))
    columns = {}
    for name, column in described.items():
        rules, checks = column.constraints, []
        if rules.enum:
            checks.append(pa.Check.isin(rules.enum, error=f"is not one of {', '.join(rules.enum)}"))
        if rules.minimum is not None:
            checks.append(pa.Check.ge(rules.minimum, error=f"is below {rules.minimum:g}"))
        if rules.exclusiveMinimum is not None:
            checks.append(pa.Check.gt(rules.exclusiveMinimum, error=f"is not above {rules.exclusiveMinimum:g}"))
        if rules.maximum is not None:
            checks.append(pa.Check.le(rules.maximum, error=f"is above {rules.maximum:g}"))
        if column.type == "string" and not pd.api.types.is_numeric_dtype(filled[name]):
            if rules.pattern:
                checks.append(
                    pa.Check(
                        lambda cells, pattern=rules.pattern: cells.str.match(pattern),
                        error=f"does not match {rules.pattern}",
                    )
                )
            checks.append(
                pa.Check(
                    lambda cells: ~cells.str.contains(FORMULA, regex=True), error="starts like a spreadsheet formula"
                )
            )
            checks.append(
                pa.Check(
                    lambda cells: ~cells.str.contains(CONTROL, regex=True), error="holds a character that is no text"
                )
            )
        columns[name] = pa.Column(
            None, checks, nullable=not rules.required, unique=rules.unique and not alone and [name] != schema.primaryKey
        )
    found = []
    try:
        pa.DataFrameSchema(columns).validate(filled, lazy=True)
    except pa.errors.SchemaErrors as errors:
        cases = errors.failure_cases
        words = cases["check"].replace({"not_nullable": "is missing", "field_uniqueness": "stands twice"})
        shown = cases["failure_case"].map(lambda value: "" if pd.isna(value) else f"{str(value)[:60]!r} ")
        found.append(pd.DataFrame({"index": cases["index"], "words": cases["column"] + ": " + shown + words}))
    pairs = [(low, high, f"{low}: is above {high}") for low, high in schema.intervals]
    pairs += [
        (name, column.constraints.notAbove, f"{name}: is above {column.constraints.notAbove}")
        for name, column in described.items()
        if column.constraints.notAbove
    ]
    for low, high, words in [pair for pair in pairs if {pair[0], pair[1]} <= set(frame)]:
        wrong = frame.index[frame[low].gt(frame[high]).fillna(False)]
        found.append(pd.DataFrame({"index": wrong, "words": words}))
    again = frame.index[frame.duplicated(schema.primaryKey)] if schema.primaryKey and not alone else []
    found.append(pd.DataFrame({"index": again, "words": f"{', '.join(schema.primaryKey)}: the key stands twice"}))
    return pd.concat(found, ignore_index=True)


def _references(resource: Resource, frames: Mapping[str, pd.DataFrame | None]) -> list[str]:
    """Return foreign keys without a target or to their own row; unreadable tables are skipped."""
    found, frame = [], frames[resource.name]
    for key in resource.schema_.foreignKeys:
        name, other = key.fields[0], frames[key.reference.resource or resource.name]
        if frame is None or other is None:
            continue
        ids = other[key.reference.fields[0]]
        lost = frame[name][frame[name].ne("") & ~frame[name].isin(ids)]
        found += [
            f"{resource.path}, row {row}, column {name}: {value!r} is not in {key.reference.resource or resource.name}"
            for row, value in lost.items()
        ]
        if not key.reference.resource:
            found += [
                f"{resource.path}, row {row}, column {name}: refers to its own row"
                for row in frame.index[frame[name].eq(ids) & ids.ne("")]
            ]
    return found


def _parts(folder: Path, resource: Resource) -> list[str]:
    """Return the faults of the record's files: the shipped ones by their digest, and each row of those beside them."""
    found, shipped = [], {folder / part.path for part in resource.parts}
    for part in resource.parts:
        path = folder / part.path
        if not path.is_file():
            found.append(f"{part.path}: is missing; it is a part of the project: git checkout data/{part.path}")
        elif sha256(path) != part.hash:
            found.append(f"{part.path}: {CHANGED}: put it back (git checkout data/{part.path})")
    if not resource.parts:
        return found
    for path in sorted({*folder.glob(OWN), *shipped}):
        try:
            rows = pd.read_parquet(plain(path)) if path.exists() else None
        except (OSError, ValueError) as error:
            found.append(f"official/{path.name}: cannot be read: {error}")
            continue
        if rows is None:
            continue
        names = [column.name for column in resource.schema_.fields]
        if missing := [name for name in names if name not in rows]:
            found.append(f"official/{path.name}: has no column {missing[0]!r}; import it again")
            continue
        cells = _cells(rows, resource)
        found += [
            f"official/{path.name}, row {row + 1}, column {words}" for row, words in cells.itertuples(index=False)
        ]
        if path not in shipped:
            held = record.held_against(rows.assign(fault="", file=path.name, sure=True))
            held.loc[rows["origin"].ne("official"), "fault"] = "is not official"
            wrong = held[held["fault"].ne("")]
            found += [f"official/{path.name}, row {row + 1}: {words}" for row, words in wrong["fault"].items()]
    return found


def _corrections(package: Package, frames: Mapping[str, pd.DataFrame | None]) -> list[str]:
    """Return the corrections that fit no row or cell of their table."""
    fixes, found = frames.get("corrections"), []
    for fix in fixes.itertuples() if fixes is not None else ():
        resource = next((each for each in package.resources if each.name == fix.table), None)
        frame = frames.get(fix.table)
        if fix.table == "official" or frame is None:
            continue
        row = frame[frame[resource.schema_.primaryKey[0]].eq(fix.key)]
        if row.empty or fix.column not in frame:
            found.append(
                f"corrections.csv, row {fix.Index}: {fix.table} has no row {fix.key!r} with a column {fix.column!r}"
            )
    return found
