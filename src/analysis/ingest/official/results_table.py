"""Read MLCommons' results table as exported, of v5.0 and v5.1 (a block per system) and of v6.0 (a row per result).

A block's first columns say what the system is. Its rows hold, in one column for each benchmark and scenario, the
accelerators and processors per node, the nodes, and the result; the cell before the figures says which. Benchmarks and
scenarios are in the two rows above the one with the column names, whose cells are then units.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.ingest.official.summary import FileError, decoded

FIRST = "Public ID"  # how the row of column names begins
LARGEST = 16 << 20  # bytes; a table has 50 KB
COLUMNS = {  # field -> column, without "(click + for details)"
    "submitter": "Organization",
    "availability": "Availability",
    "system": "System Name",
    "processor": "Processor",
    "accelerator": "Accelerator",
    "division": "Division/Power",
}
LISTED = {"model": "Model MLC", "scenario": "Scenario", "label": "Units", "per_node": "Accelerators per node",
          "nodes": "# of Nodes", "processors_per_node": "# of Processors", "printed": "Avg. Result"}  # fmt: skip
COUNTED = {"per_node": "accelerators", "nodes": "nodes", "processors_per_node": "processors", "printed": "avg. result"}
DIGITS = 6  # significant ones, to which most figures are rounded before they are printed with two decimals


def is_table(path: Path) -> bool:
    """Return whether a file is such a table, by its content: a row of column names that begins with FIRST."""
    try:
        with path.open("rb") as file:
            return any(FIRST in line for line in decoded(file.read(1 << 16)).splitlines())
    except OSError:
        return False


def read_table(path: Path) -> pd.DataFrame:
    """Return the results of a table, one row each, with the fields of a summary. Raises FileError."""
    if path.stat().st_size > LARGEST:
        raise FileError(f"is larger than {LARGEST >> 20} MiB")
    text = decoded(path.read_bytes())
    head = next((line for line in text.splitlines() if FIRST in line), "")
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter="\t" if head.count("\t") > head.count(",") else ","))
    except csv.Error as error:
        raise FileError(f"is no table: {error}") from None
    width = max(map(len, lines), default=0)
    cells = pd.DataFrame([line + [""] * (width - len(line)) for line in lines], dtype=object)
    cells = cells.map(lambda cell: " ".join(cell.split()))
    tops = cells.index[cells[0].eq(FIRST)] if width else []
    if not len(tops):
        raise FileError(f"has no row of column names that begins with {FIRST!r}")
    top = tops[0]
    names = cells.loc[top].str.replace(r"\s*\(click \+ for details\)", "", regex=True)
    if missing := [column for column in COLUMNS.values() if column not in set(names)]:
        raise FileError(f"row {top + 1}: has no column {', '.join(missing)}")
    rows = _listed(cells, top, names) if "Scenario" in set(names) else _blocks(cells, top, names)
    number = rows["result_id"].str.extract(r"^v?(\d+\.\d+)-\d{4}$")[0]
    rows["fault"] = (rows["result_id"].map(repr) + " is no id such as 5.0-0001").where(number.isna(), "")
    rows["round"], rows["evidence"], rows["model_run"] = "v" + number, "table", rows["model"]
    rows["value"] = rows["printed"].str.replace(",", "")
    streams, limited = (rows["scenario"].str.contains(word) for word in ("Stream", "Server|Interactive"))
    is_edge = streams.groupby(rows["result_id"]).transform("any") if limited.any() else streams.any()
    rows["suite"] = np.where(is_edge, "edge", "datacenter")
    return rows.reset_index(drop=True)


def rounding(printed: str) -> float:
    """Return half a unit of a printed figure's last significant digit; zeros after DIGITS digits are padding."""
    whole, _, decimals = printed.replace(",", "").partition(".")
    places = max(0, DIGITS - len(whole.lstrip("-0")))
    counted = decimals if decimals[places:].strip("0") else decimals[:places]
    return 0.5 * 10.0 ** -len(counted)


def _listed(cells: pd.DataFrame, top: int, names: pd.Series) -> pd.DataFrame:
    """Return the rows of a table that has one for each result."""
    body = cells.loc[top + 1 :]
    body = body[body[0].ne("")]
    if body.empty:
        raise FileError("holds no result")
    places = {name: _column(names, column) for name, column in (COLUMNS | LISTED).items()}
    rows = pd.DataFrame({name: body[place] for name, place in places.items()})
    return rows.assign(result_id=body[0], link=_links(names, body), place=[f"row {row + 1}" for row in body.index])


def _blocks(cells: pd.DataFrame, top: int, names: pd.Series) -> pd.DataFrame:
    """Return the rows of a table that has a block for each system and a column for each benchmark and scenario."""
    scenarios = cells.loc[top - 1] if top >= 2 else pd.Series("", index=cells.columns)
    figures = scenarios.index[scenarios.ne("")]
    if not len(figures) or figures[0] < 2:
        raise FileError(f"row {top + 1}: has no two rows above it with benchmarks and scenarios")
    benchmarks = cells.loc[top - 2, figures[0] :].replace("", pd.NA).ffill().fillna("")
    body = cells.loc[top + 1 :]
    start = pd.Series(body.index, index=body.index).where(body[0].ne("")).ffill()
    body, start = body[start.notna()], start[start.notna()]
    told = body[figures[0] - 1].str.lower()
    long = body[figures].assign(start=start, told=told).melt(["start", "told"], var_name="column", value_name="cell")
    by_result = pd.DataFrame({
        name: long[long["told"].str.contains(words, regex=False)].groupby(["start", "column"])["cell"].first()
        for name, words in COUNTED.items()
    }).fillna("")  # fmt: skip
    by_result = by_result[by_result["printed"].ne("")].reset_index()
    if by_result.empty:
        raise FileError("holds no result: no row 'Avg. Result'")
    system = cells.loc[by_result["start"]].reset_index(drop=True)
    columns, places = by_result["column"].astype(int), by_result["start"].map("row {:.0f}".format)
    rows = by_result.drop(columns=["start", "column"]).assign(
        result_id=system[0], link=_links(names, system), model=benchmarks[columns].to_numpy(), place=places,
        scenario=scenarios[columns].to_numpy(), label=names[columns].to_numpy(),
    )  # fmt: skip
    return rows.assign(**{name: system[_column(names, column)] for name, column in COLUMNS.items()})


def _column(names: pd.Series, wanted: str) -> int:
    """Return the first column of this name or, as "Avg. Result at System Name", of one that begins so."""
    found = names.index[names.str.startswith(wanted)]
    if not len(found):
        raise FileError(f"has no column {wanted}")
    return int(found[0])


def _links(names: pd.Series, rows: pd.DataFrame) -> pd.Series | None:
    return rows[names.index[names.eq("Code")][0]] if names.eq("Code").any() else None
