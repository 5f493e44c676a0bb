"""Measured power of a run from spl.txt, by the official rule."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from analysis._import.official.entry import EntryError

QUERY_RATE = "result_qps_with_loadgen_overhead"  # of SingleStream
DROPPED_SHARE = 0.05  # of the samples: a meter writes -2 W where a reading failed
HOLE_S, HOLE_SHARE = 10.0, 0.05  # a meter writes about one sample a second; a longer hole than both is no measurement
_TIME = "%m-%d-%Y %H:%M:%S.%f"
_WATTS = r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?"
_SAMPLE = re.compile(rf"Time,(\d\d)-(\d\d)-(\d{{4}}) (\d\d:\d\d:\d\d\.\d{{1,6}}),Watts,({_WATTS})(?:,|$)", re.ASCII)


class PowerError(EntryError):
    """Power cannot be trusted; the text names the file, the line and the reason."""


class Power(NamedTuple):
    """What a power log says of the load window; `dropped` counts samples in it without positive watts."""

    watts: float
    samples: int
    dropped: int
    seconds: float


def read_power(path: Path, log: dict[str, Any]) -> Power:
    """Average wall power of the whole system within the load window of `log` (see loadgen.read_log), in watts.

    The arithmetic mean of the samples with power_begin < time < power_end (both strict, UTC) and watts above zero, as
    in MLCommons' submission checker. Raises PowerError where the window or the samples are missing or unreadable, or
    leave a hole of more than HOLE_S seconds and HOLE_SHARE of the window: the mean of the rest is not that of the load.
    """
    begin, end = (_moment(log.get(name), name) for name in ("power_begin", "power_end"))
    if not begin < end:
        raise PowerError(f"{path.name}: power_begin is not before power_end")
    inside = [(moment, watts) for moment, watts in _samples(path) if begin < moment < end]
    positive = [(moment, watts) for moment, watts in inside if watts > 0]
    if not positive:
        raise PowerError(f"{path.name}: no sample above zero watts between power_begin and power_end")
    seconds, hole = (end - begin).total_seconds(), _hole([begin, *sorted(moment for moment, _ in positive), end])
    if hole > max(HOLE_S, HOLE_SHARE * seconds):
        raise PowerError(f"{path.name}: no sample above zero watts for {hole:.0f} of the {seconds:.0f} s of the load")
    mean = math.fsum(watts for _, watts in positive) / len(positive)
    return Power(mean, len(positive), len(inside) - len(positive), seconds)


def millijoules_per_query(power: Power, log: dict[str, Any], times: int = 1) -> float:
    """Energy of one query in the stream scenarios: watts x seconds x 1000 / queries. Raises PowerError without them.

    `times` is how many logged queries make one: eight where MultiStream is inferred from SingleStream. Before v2.0 a
    log does not count its queries: in SingleStream they follow from their rate with LoadGen's overhead. Source:
    `check_power_dir` of the submission checker.
    """
    queries = log.get("result_query_count")
    if queries is None and isinstance(rate := log.get(QUERY_RATE), int | float):
        queries = rate * power.seconds
    if not isinstance(queries, int | float) or not 0 < queries < math.inf:
        raise PowerError(f"mlperf_log_detail.txt: result_query_count is {queries!r}, not a number above zero")
    return power.watts * power.seconds * times * 1000 / queries


def _hole(moments: list[datetime]) -> float:
    """Seconds between the two neighbors that lie farthest apart."""
    return max(after - before for before, after in pairwise(moments)).total_seconds()


def _samples(path: Path) -> Iterator[tuple[datetime, float]]:
    """Each sample's time and its watts; a blank line is none."""
    try:
        with path.open(encoding="latin-1") as file:
            for number, line in enumerate(file, 1):
                if line := line.strip():
                    yield _sample(line, f"{path.name}, line {number}")
    except OSError as error:
        raise PowerError(f"{path.name}: cannot be read: {error.strerror}") from None


def _sample(line: str, place: str) -> tuple[datetime, float]:
    with suppress(AttributeError, ValueError):  # no match, or a day that no calendar has
        month, day, year, clock, watts = _SAMPLE.match(line).groups()
        moment, value = datetime.fromisoformat(f"{year}-{month}-{day} {clock}"), float(watts)
        if math.isfinite(value):
            return moment, value
    raise PowerError(f"{place}: not a sample such as Time,07-11-2024 23:35:19.963,Watts,2371.6")


def _moment(text: Any, name: str) -> datetime:
    try:
        return datetime.strptime(text, _TIME)
    except (TypeError, ValueError):
        raise PowerError(
            f"mlperf_log_detail.txt: {name} is {text!r}, not a time such as 07-11-2024 23:35:19.963"
        ) from None
