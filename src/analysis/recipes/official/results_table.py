"""Read MLCommons' results table as exported, of v5.0 and v5.1 (a block per system) and of v6.0 (a row per result).

A block's first columns describe the system. Its rows hold, in one column for each benchmark and scenario, the
accelerators and processors per node, the nodes, and the result; the cell before the figures names which. Benchmarks and
scenarios are in the two rows above the one with the column names, whose cells are then units.
"""

from __future__ import annotations

import csv
import io
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from analysis.recipes.official.summary import FileError

FIRST = "Public ID"  # how the row of column names begins
ADDED = r"\s*\(click \+ for details\)| at System Name"  # suffixes that the export adds to column names
COLUMNS = {
    FIRST: "result_id", "Organization": "submitter", "Availability": "availability", "System Name": "system",
    "Processor": "processor", "Accelerator": "accelerator", "Division/Power": "division",
}  # fmt: skip
LISTED = {  # further columns of a table that has a row per result
    "Model MLC": "model", "Scenario": "scenario", "Units": "label", "Accelerators per node": "per_node",
    "# of Nodes": "nodes", "# of Processors": "processors_per_node", "Avg. Result": "printed",
}  # fmt: skip
COUNTED = {"per_node": "accelerators", "nodes": "nodes", "processors_per_node": "processors", "printed": "avg. result"}
DIGITS = 6  # significant ones, to which most figures are rounded before they are printed with two decimals


def read_table(text: str) -> list[dict[str, Any]]:
    """Return the results of a table with the fields of a summary. Raises FileError."""
    head = next((line for line in text.splitlines() if FIRST in line), "")
    delimiter = "\t" if head.count("\t") > head.count(",") else ","
    try:
        parsed = csv.reader(io.StringIO(text), delimiter=delimiter)
        lines = [[" ".join(cell.split()) for cell in line] for line in parsed]
    except csv.Error as error:
        raise FileError(f"is not a table: {error}") from None
    top = next((number for number, line in enumerate(lines) if line[:1] == [FIRST]), None)
    if top is None:
        raise FileError(f"has no row of column names that begins with {FIRST!r}")
    cells = pd.DataFrame(zip_longest(*lines, fillvalue="")).T
    names = cells.loc[top].str.replace(ADDED, "", regex=True)
    is_listed = names.eq("Scenario").any()
    fields = COLUMNS | (LISTED if is_listed else {})
    if missing := [column for column in fields if column not in set(names)]:
        raise FileError(f"row {top + 1}: has no column {', '.join(missing)}")
    told = cells.set_axis(names, axis=1).loc[:, ~names.duplicated().to_numpy()]
    told = told.rename(columns=fields | {"Code": "link"}).reindex(columns=[*fields.values(), "link"]).loc[top + 1 :]
    told = told[told["result_id"].ne("")].assign(place=lambda body: "row " + (body.index + 1).astype("str"))
    rows = told if is_listed else _figures(cells, top).join(told, on="start", how="inner")
    if rows.empty:
        raise FileError("contains no result: no row 'Avg. Result'")
    number = rows["result_id"].str.extract(r"^v?(\d+\.\d+)-\d{4}$")[0]
    streams, limited = (rows["scenario"].str.contains(word) for word in ("Stream", "Server|Interactive"))
    is_edge = streams.groupby(rows["result_id"]).transform("any") if limited.any() else streams.any()
    rows = rows.assign(
        fault=(rows["result_id"].map(repr) + " is not an id such as 5.0-0001").where(number.isna(), ""),
        round="v" + number,
        evidence="table",
        location="",
        model_run=rows["model"],
        value=rows["printed"].str.replace(",", ""),
        suite=np.where(is_edge, "edge", "datacenter"),
    )
    return rows.to_dict("records")


def rounding(printed: str) -> float:
    """Return half a unit of a printed figure's last significant digit; zeros after DIGITS digits are padding."""
    whole, _, decimals = printed.replace(",", "").partition(".")
    places = max(0, DIGITS - len(whole.lstrip("-0")))
    counted = decimals if decimals[places:].strip("0") else decimals[:places]
    return 0.5 * 10.0 ** -len(counted)


def _figures(cells: pd.DataFrame, top: int) -> pd.DataFrame:
    """Return a row for each result of a table of blocks; `start` is the row that its block begins with."""
    heads = cells.loc[max(top - 2, 0) : top].T
    first = heads.index[heads[top - 1].ne("")][:1] if top >= 2 else []
    if not len(first) or first[0] < 2:
        raise FileError(f"row {top + 1}: expected two rows above it, with benchmarks and scenarios")
    heads = heads.loc[first[0] :].set_axis(["model", "scenario", "label"], axis=1)
    heads = heads.assign(model=heads["model"].replace("", pd.NA).ffill().fillna("")).query("scenario != ''")
    body = cells.loc[top + 1 :]
    start = body.index.to_series().where(body[0].ne("")).ffill()
    figures = body[heads.index].assign(start=start, told=body[first[0] - 1].str.lower()).dropna(subset="start")
    figures = figures.melt(["start", "told"], var_name="column", value_name="cell")
    counted = {
        name: figures[figures["told"].str.contains(words, regex=False)].groupby(["start", "column"])["cell"].first()
        for name, words in COUNTED.items()
    }
    found = pd.DataFrame(counted).fillna("").query("printed != ''").reset_index()
    return found.join(heads, on="column")
