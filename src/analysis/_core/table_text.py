"""The rows of a table of data/ as text, for what is asked of one before there is a catalog, or without one."""

from __future__ import annotations

import csv
import io
from functools import lru_cache
from pathlib import Path

from analysis._core.cell_lists import cell_values
from analysis._core.choices import spelled
from analysis._core.file_contents import NotUtf8, file_version, utf8
from analysis._core.paths import DATA, official_files


class UnusableTable(Exception):
    """A table of data/ cannot be used; the text names it.

    No ValueError, for where a parameter or a question is checked that would blame whoever asked.
    """


def rows(table: str, folder: Path | None = None) -> tuple[dict[str, str], ...]:
    """The rows of a table, in file order, cells by column as they are in the file; of `folder`, else of data/.

    Read once for each version of the file, which may be edited while JupyterLab or a preview runs. Raises
    UnusableTable.
    """
    path = (folder or DATA) / f"{table}.csv"
    return _rows(path, file_version(path))


@lru_cache
def _rows(path: Path, version: tuple[int, ...]) -> tuple[dict[str, str], ...]:
    try:
        return tuple(csv.DictReader(io.StringIO(utf8(path.read_bytes()), newline="")))
    except NotUtf8 as error:
        raise UnusableTable(f"data/{path.name}, line {error.line}: {error}") from None
    except OSError as error:
        raise UnusableTable(f"data/{path.name}: cannot be read: {error.strerror}") from None


def column(table: str, name: str) -> tuple[str, ...]:
    """One column of a table of data/, in file order. Raises UnusableTable."""
    records = rows(table)
    if records and name not in records[0]:
        raise UnusableTable(f"data/{table}.csv, line 1: has no column {name}; found {', '.join(map(str, records[0]))}")
    return tuple(row[name] for row in records)


def benchmark_named(model: str) -> str:
    """The benchmark that `model` is a name of: its own, its label or one of its aliases, but for capitals and signs.

    Who publishes it may be before the name: openai/gpt-oss-120b. "" for any other name. Raises UnusableTable.
    """
    spelling = spelled(model.rpartition("/")[2])
    for row in rows("benchmarks"):
        if spelling and spelling in map(spelled, (row["benchmark"], row["label"], *cell_values(row["aliases"]))):
            return row["benchmark"]
    return ""


def accelerators_of_results() -> tuple[str, ...]:
    """The accelerators that results name, those of data/official/ too, in order of name: also those of no datasheet."""
    files = tuple(official_files())
    return _accelerators(files, tuple(map(file_version, [DATA / "results.csv", *files])))


@lru_cache
def _accelerators(imports: tuple[Path, ...], versions: tuple[tuple[int, ...], ...]) -> tuple[str, ...]:
    import pandas as pd  # only where a name is on no table: a build with nothing to do has no time for it

    files = [pd.read_parquet(path, columns=["accelerator"]) for path in imports if path.suffix == ".parquet"]
    files += [pd.read_csv(path, usecols=["accelerator"], dtype="str") for path in imports if path.suffix == ".csv"]
    names = {*column("results", "accelerator"), *(name for file in files for name in file["accelerator"].dropna())}
    return tuple(sorted(names - {""}))
