"""Read the tables of data/, typed by their descriptor data/datapackage.json: `tables.prices`, `tables.benchmarks`, ...

A missing number is NaN, a missing text "". Corrections of data/corrections.csv are applied, and the column `corrected`
holds their reasons. Each table is read once, and reread with everything computed from it after its file is edited.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterable
from functools import cache, wraps
from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow.parquet import ParquetFile

from analysis import paths
from analysis.paths import DATA, DESCRIPTOR, plain, read_file, state

DTYPES = {"number": "float64", "integer": "float64", "year": "float64", "boolean": "boolean"}  # others are texts
# Bytes per weight or cached number. 4-bit formats include block scales: 8 bits per 16 weights in NVFP4, 16 bits per 64
# weights in INT4.
WEIGHT_BYTES = {"fp16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 4.25 / 8, "fp4": 4.5 / 8}
COMPUTE = {  # the column of data/accelerators.csv with the peak rate in a precision
    "fp16": "fp16_dense_tflops", "fp8": "fp8_dense_tflops", "int8": "int8_dense_tops", "fp4": "fp4_dense_tflops",
}  # fmt: skip
LOADED: dict[str, tuple[Any, pd.DataFrame]] = {}  # tables of this process, with the state of the file of each
FILES: dict[Path, Any] = {}  # of data/, with their states at the last call of `follow_edits`


def __getattr__(name: str) -> pd.DataFrame:
    if name.startswith("_") or name not in descriptor():
        raise AttributeError(f"no table {name!r} in data/{DESCRIPTOR}; valid: {', '.join(descriptor())}")
    return load(name)


@cache  # called for each table; cleared by `forget`
def descriptor() -> dict[str, dict[str, Any]]:
    """Return the resources of data/datapackage.json by name. Raises FileNotFoundError that says where it looked."""
    if not (DATA / DESCRIPTOR).is_file():
        looked = ", ".join(map(str, paths.places()))
        raise FileNotFoundError(f"no {DESCRIPTOR} in {looked}: set {paths.NAMED} to the folder data/ of the project")
    package = paths.parse_json((DATA / DESCRIPTOR).read_text(encoding="utf-8"))
    return {resource["name"]: resource for resource in package["resources"]}


def load(name: str) -> pd.DataFrame:
    """Return the table `name`, typed and corrected.

    Raises KeyError that lists the tables, and ValueError that names a missing column, and for the results, which have a
    file per round: `analysis.results.load_results` reads them.
    """
    if name not in descriptor():
        raise KeyError(f"no table {name!r}; valid: {', '.join(descriptor())}")
    resource = descriptor()[name]
    if "parts" in resource:
        raise ValueError(f"the table {name!r} has a file per round; load_results() reads them all")
    path, fields = DATA / resource["path"], resource["schema"]["fields"]
    at = state(path)
    if name in LOADED and LOADED[name][0] != at:
        forget()
    if name not in LOADED:
        plain(path)
        if path.suffix == ".parquet":
            frame = ParquetFile(path).read().to_pandas()
        else:
            types = {field["name"]: DTYPES.get(field["type"], "str") for field in fields}
            empty = {column: [""] for column, dtype in types.items() if dtype != "str"}
            try:
                frame = read_rows(path, dtype=types, keep_default_na=False, na_values=empty)
            except (ValueError, UnicodeError) as error:
                raise ValueError(f"{path}: cannot be read: {error}; `analysis check` lists all faults") from None
            if missing := [name for name in types if name not in frame]:
                raise ValueError(
                    f"{path}: no column {missing[0]!r}, which {DESCRIPTOR} describes; `analysis check` lists all faults"
                )
            flags = [column for column, dtype in types.items() if dtype == "boolean"]
            frame[flags] = frame[flags].fillna(False).astype(bool)
        if name != "corrections":
            frame = corrected(frame, name, resource["schema"].get("primaryKey", "id"))
        LOADED[name] = at, frame
    return LOADED[name][1].copy(deep=False)  # pandas copies on write


def read_rows(path: Path, **options: Any) -> pd.DataFrame:
    """Return the rows of a CSV file by `pandas.read_csv`, which by itself would cut or fill rows of a different length.

    Raises ValueError naming the line whose cells are more or fewer than those of the first.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        try:
            head = next(reader, [])
            for row in reader:
                if row and len(row) != len(head):
                    raise ValueError(f"line {reader.line_num} has {len(row)} cells; expected {len(head)}")
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num}: {error}") from None
    if len({*head}) < len(head):
        raise ValueError(f"the column {next(each for each in head if head.count(each) > 1)!r} is duplicated")
    return pd.read_csv(path, encoding="utf-8-sig", **options)


def follow_edits() -> None:
    """Clear all tables if any file in data/ changed since the last call, for long-running kernels."""
    files = {path: state(path) for path in DATA.rglob("*") if path.suffix in (".csv", ".json", ".parquet")}
    if FILES and files != FILES:
        forget()
    FILES.clear()
    FILES.update(files)


def cached(function: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
    """Call a function once for its arguments, and return a copy each time: what a caller changes stays with it.

    `forget` clears what is kept.
    """
    kept = cache(function)

    @wraps(function)
    def copied(*arguments: str) -> pd.DataFrame:
        return kept(*arguments).copy(deep=False)  # pandas copies what is written to

    copied.cache_clear = kept.cache_clear
    return copied


def forget() -> None:
    """Clear all loaded tables and every function cache built on them."""
    LOADED.clear()
    for name, module in [*sys.modules.items()]:
        for value in [*vars(module).values()] if name.startswith("analysis.") else ():
            getattr(value, "cache_clear", int)()


def read_own(path: str | Path, columns: Iterable[str]) -> pd.DataFrame:
    """Return the rows of a user's CSV file as text, without blank ones; the index is the line of the file minus two.

    Raises ValueError naming the file if it is not UTF-8 CSV, lacks one of `columns`, or has a duplicate column.
    """
    content = read_file(path)
    as_text = {"dtype": "str", "keep_default_na": False, "encoding": "utf-8-sig", "skip_blank_lines": False}
    try:
        frame = pd.read_csv(io.BytesIO(content), **as_text)
        written = pd.read_csv(io.BytesIO(content), header=None, nrows=1, **as_text).iloc[0]  # pandas renames doubles
    except ValueError as error:  # of the decoder and the parser
        raise ValueError(f"{path}: not a CSV file in UTF-8: {str(error).strip()}") from None
    head = content.splitlines()[0] if content else b""
    hint = "; separate cells by commas, and decimals by a point" if b";" in head else ""
    if not isinstance(frame.index, pd.RangeIndex):
        raise ValueError(f"{path}: rows have more cells than the first line has columns{hint}")
    if len(twice := written[written.ne("") & written.duplicated()]):
        raise ValueError(f"{path}: the column {twice.iloc[0]!r} is duplicated")
    for column in columns:
        if column not in frame:
            raise ValueError(
                f"{path}: no column {column!r}; expected {', '.join(columns)}; found {', '.join(frame)[:200]!r}{hint}"
            )
    frame = frame.fillna("")
    return frame[frame.ne("").any(axis=1)]


def numbers(rows: pd.DataFrame, columns: list[str], least: float, most: float, where: str) -> pd.DataFrame:
    """Return `columns` of `read_own` as numbers. Raises ValueError naming row and column of one out of bounds."""
    found = rows[columns].apply(pd.to_numeric, errors="coerce").astype("float64")
    wrong = ~(found.ge(least) & found.le(most))
    if wrong.any(axis=None):
        line, column = wrong.stack().idxmax()
        cell = str(rows.at[line, column])[:40]
        raise ValueError(f"{where}, row {line + 2}, {column}: {cell!r} is not a number from {least:g} to {most:,g}")
    return found


def corrected(frame: pd.DataFrame, table: str, key: str | list[str]) -> pd.DataFrame:
    """Return `frame` with the corrections of `table` applied and their reasons in `corrected`.

    Raises ValueError for a correction whose row is missing.
    """
    fixes = load("corrections")
    fixes = fixes[fixes["table"].eq(table)]
    if fixes.empty:
        return frame
    keys = frame[key if isinstance(key, str) else key[0]]
    keys = keys[keys.isin(fixes["key"])]
    places = pd.Series(keys.index, keys)
    frame = frame.assign(corrected=frame.get("corrected", pd.Series("", frame.index, dtype="str")))
    for fix in fixes.itertuples():
        if fix.key not in places:
            raise ValueError(f"corrections.csv: {table} has no row {fix.key!r}")
        place = places[fix.key]
        frame.loc[place, fix.column] = (
            pd.to_numeric(fix.corrected) if frame[fix.column].dtype.kind in "if" else fix.corrected
        )
        if not fix.column.startswith("precision"):  # precision_basis already states the source of a precision
            reasons = [frame.at[place, "corrected"], fix.reason]
            frame.loc[place, "corrected"] = "; ".join(dict.fromkeys(filter(None, reasons)))
    return frame
