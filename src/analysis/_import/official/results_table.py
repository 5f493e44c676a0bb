"""MLCommons' results table as exported to CSV: one block of rows per system, one column per benchmark and scenario.

Above the row that begins with `Public ID` are the benchmarks and the scenarios of the columns, in that row their
units. Of a system the first rows say what it is; the rows of a block are distinguished by the cell before the figures:
accelerators and processors per node, nodes, and the result, rounded to six significant digits (some of language models
in Server are not) and printed with two decimals.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path

from analysis._core.cell_lists import first_of
from analysis._core.vocabulary import STREAMS
from analysis._import.official import units
from analysis._import.official.entry import Entry, EntryError

FIRST = "Public ID"  # how the row of column names begins
COLUMNS = {
    "submitter": "Organization",
    "availability": "Availability",
    "system": "System Name",
    "processor": "Processor",
    "accelerator": "Accelerator",
    "division": "Division/Power",
}
ACCELERATORS, NODES, PROCESSORS, RESULT = "# of Accelerators", "# of Nodes", "Sum of # of Processors", "Avg. Result"
DIGITS = 6  # significant ones, to which most figures are rounded before they are printed with two decimals
_SAYS_MORE = re.compile(r"\s*\(click \+ for details\)")
_ID = re.compile(r"(\d+\.\d+)-\d{4}")


def is_meant(path: Path) -> bool:
    """Whether a file is such a table: CSV with a row of column names that begins with FIRST."""
    if not path.is_file() or path.suffix.lower() != ".csv":
        return False
    with path.open("rb") as file:
        return f"\n{FIRST},".encode() in file.read(1 << 16)


def entries(path: Path) -> Iterator[tuple[int, Entry | EntryError]]:
    """Each result with the row that it is in, or what is wrong there. Raises EntryError for another file."""
    rows = _rows(path)
    top = next((place for place, row in enumerate(rows) if row[0] == FIRST), 0)
    if top < 2:
        raise EntryError(f"has no two rows above the one that begins with {FIRST!r}: benchmarks and scenarios")
    names = [_SAYS_MORE.sub("", name) for name in rows[top]]
    if missing := [name for name in COLUMNS.values() if name not in names]:
        raise EntryError(f"row {top + 1}: has no column {first_of(missing, 3)}")
    begin = next((place for place, scenario in enumerate(rows[top - 1]) if scenario), len(names))
    # A benchmark is as a heading over several columns.
    benchmarks = accumulate(rows[top - 2][begin:], lambda before, cell: cell or before)
    figures = list(zip(range(begin, len(names)), benchmarks, rows[top - 1][begin:], names[begin:], strict=True))
    scenarios = {units.scenario(scenario) for *_, scenario, _ in figures}
    suite = "edge" if scenarios & set(STREAMS) else "datacenter" if "Server" in scenarios else ""
    starts = [place for place in range(top + 1, len(rows)) if rows[place][0]]
    for start, end in pairwise([*starts, len(rows)]):
        block = {rows[place][begin - 1]: place for place in range(start, end)}
        place = next((place for label, place in block.items() if label.startswith(RESULT)), None)
        identity = _ID.fullmatch(rows[start][0])
        if identity is None or place is None:
            what = f"has no row {RESULT!r}" if identity else f"{rows[start][0]!r} is no id such as 5.0-0001"
            yield start + 1, EntryError(what)
            continue
        system = {name: rows[start][names.index(column)] for name, column in COLUMNS.items()}
        for column, benchmark, scenario, unit in figures:
            if printed := rows[place][column]:
                per_node, nodes, processors = (
                    rows[block[label]][column] if label in block else None
                    for label in (ACCELERATORS, NODES, PROCESSORS)
                )
                yield place + 1, Entry(
                    **system, round=f"v{identity[1]}", result_id=identity[0], suite=suite, model=benchmark,
                    model_run=benchmark, scenario=scenario, label=unit, value=printed.replace(",", ""),
                    printed=printed, rounded=_rounded(printed), per_node=per_node, nodes=nodes,
                    processors_per_node=processors, evidence="table",
                )  # fmt: skip


def _rows(path: Path) -> list[list[str]]:
    """The cells of the table without needless blanks, as many in each row."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [[" ".join(cell.split()) for cell in row] for row in csv.reader(file)]
    except OSError as error:
        raise EntryError(f"cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise EntryError(f"is no CSV in UTF-8 ({error})") from None
    width = max(map(len, rows))
    return [row + [""] * (width - len(row)) for row in rows]


def _rounded(printed: str) -> str:
    """A figure without the zeros behind its sixth significant digit, which only fill it up: 344,052 for 344,052.00.

    One with other digits there was not rounded to six, and stays: 30,724.51.
    """
    whole, _, decimals = printed.replace(",", "").partition(".")
    places = max(0, DIGITS - len(whole.lstrip("0")))
    return printed if decimals[places:].strip("0") else f"{whole}.{decimals[:places]}".rstrip(".")
