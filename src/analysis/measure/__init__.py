"""Read the files of a user's own benchmark runs, from any supported tool: one row per run.

columns.csv describes a run, formats.csv lists what is read, fields.csv has the keys of each format.
"""

from __future__ import annotations

from collections.abc import Iterable
from os.path import normpath
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.measure.files import records
from analysis.measure.formats import known_tools, run_of
from analysis.measure.record import MeasurementError, Record, printable
from analysis.measure.run import UNKNOWN

MOST_UNUSABLE = 1000  # unusable records to collect from one file
__all__ = ["MeasurementError", "known_tools", "read_runs"]


def read_runs(paths: Iterable[str | Path] | str | Path, left_out: list[str] | None = None) -> pd.DataFrame:
    """Return the runs in files, or in folders of a LoadGen run: one row each, with the columns of columns.csv.

    What is unknown is NaN or "". `said` lists remarks about the numbers, `example` is true for files of
    data/examples; `request_ttft_ms` and `request_tpot_ms` are arrays over the answered requests where a file has them.
    Raises MeasurementError, which names file, place, and key, for a file without a run or with impossible numbers.
    With the list `left_out`, unusable runs are skipped if others in the file are usable; errors are added to it.
    """
    runs: list[dict[str, Any]] = []
    named = [paths] if isinstance(paths, str | Path) else paths
    for path in {normpath(Path(each).absolute()): each for each in named}.values():  # a file given twice is read once
        name, found, unusable = printable(str(path)), [], []
        for place, value, example in records(Path(path), name):
            try:
                record = Record(value, f"{name}, {place}" if place else name)
                found.append(run_of(record) | {"file": name, "place": place})
                found[-1]["example"] |= example
            except MeasurementError as error:
                if left_out is None:
                    raise
                unusable.append(str(error))
                if len(unusable) == MOST_UNUSABLE:  # such as a line for each request
                    break
        if not found:
            raise MeasurementError(
                unusable[0] if unusable else f"{name}: contains no result from a supported tool; {known_tools()}"
            )
        runs += found
        if left_out is not None:
            left_out += unusable
    return pd.DataFrame(runs, columns=list(UNKNOWN))
