"""Read the detail log of LoadGen, which may hold gigabytes, line by line."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

from analysis.measure.record import MeasurementError

LINE_BYTES = 4096  # read at a time: wanted lines are short, lists of samples take megabytes
LINE = re.compile(rb':::MLLOG\s*\{\s*"key"\s*:\s*"([\w.]+)"\s*,\s*"value"\s*:\s*("(?:[^"\\]|\\.)*"|[-+.\w]+)\s*[,}]')
WANTED = (
    "result_", "effective_", "early_stopping_latency_", "power_", "requested_", "num_errors", "loadgen_version",
    "test_datetime",
)  # fmt: skip


class LogError(MeasurementError):
    """Raised if a log or its power samples cannot be trusted. The message follows the name of the file."""


def read_log(path: Path) -> dict[str, Any]:
    """Return the values of a detail log by key, latencies in nanoseconds; the first value of a repeated key.

    Raises LogError where the file cannot be read or holds no such line.
    """
    values: dict[str, Any] = {}
    try:
        with path.open("rb") as file:
            for found in filter(None, map(LINE.match, iter(partial(file.readline, LINE_BYTES), b""))):
                key, text = found[1].decode(), found[2].decode("latin-1")
                if key.startswith(WANTED) and key not in values:
                    values[key] = json.loads(text)
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise LogError(f"the value of {key} is {text[:60]!r}, neither a number nor text") from None
    if not values:
        raise LogError("contains no LoadGen log line")
    return values
