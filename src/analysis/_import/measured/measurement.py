"""One measured run, whatever tool wrote it, and the checks that its numbers must pass."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from analysis._core import unprintable

UNKNOWN = float("nan")
MOST = 10**24  # of anything that is counted or timed
TOGETHER = 2.0  # times the requests in flight that mean times may imply: a mean of products is no product of means
IN_TIME = (  # of answers that were not streamed
    "{:g} requests/s were answered in time, but no answer was streamed, so none had a time to its first token: measure "
    "streamed answers, or take the goodput out of the file"
)
TOLERANCE = 0.02  # by which a rate may differ from tokens over seconds; tools round, other units differ by far more


class MeasurementError(ValueError):
    """A file is no measurement that can be used: the text names file, place, key, what was expected, what was found."""


@dataclass(frozen=True)
class MeasuredRun:
    """One run of a serving benchmark. Unknown numbers are NaN, unknown texts "", times in the unit of the name.

    Tokens are output tokens where not said otherwise. `accelerator` and `accelerator_count` (0: not said) are what the
    file itself says. `request_ttft_ms` and `request_tpot_ms` hold one number per completed request where the file does.
    `accelerator_watts` is the sum over the `metered` accelerators, without the rest of the system; `devices` has a name
    for each accelerator that was watched, which may be more or fewer than ran.
    """

    file: str
    place: str
    tool: str
    model: str
    output_tokens_per_s: float
    requests_completed: float
    requests_failed: float = 0.0
    date: str = ""
    software: str = ""
    scenario: str = ""
    precision: str = ""
    accelerator: str = ""
    accelerator_count: int = 0
    devices: tuple[str, ...] = ()
    concurrency: float = UNKNOWN
    request_rate: float = UNKNOWN
    duration_s: float = UNKNOWN
    input_tokens: float = UNKNOWN
    output_tokens: float = UNKNOWN
    requests_per_s: float = UNKNOWN
    goodput_per_s: float = UNKNOWN
    ttft_mean_ms: float = UNKNOWN
    ttft_p50_ms: float = UNKNOWN
    ttft_p99_ms: float = UNKNOWN
    tpot_mean_ms: float = UNKNOWN
    tpot_p50_ms: float = UNKNOWN
    tpot_p99_ms: float = UNKNOWN
    accelerator_watts: float = UNKNOWN
    metered: int = 0
    example: bool = False
    request_ttft_ms: np.ndarray | None = None
    request_tpot_ms: np.ndarray | None = None


COLUMNS = tuple(field.name for field in fields(MeasuredRun))


def frame(runs: list[MeasuredRun]) -> pd.DataFrame:
    """One row per run with the fields of MeasuredRun as columns; texts show what is unprintable in them by its name."""
    return pd.DataFrame([{name: _shown(getattr(run, name)) for name in COLUMNS} for run in runs], columns=list(COLUMNS))


def _shown(value: Any) -> Any:
    """A value of a run; of what a file says in words, nothing may steer a terminal or break a page."""
    if isinstance(value, tuple):
        return tuple(map(_shown, value))
    return unprintable.escaped(value) if isinstance(value, str) else value


class Reader:
    """Values of one record by key, each checked; `file` and `place` say where the record is.

    A key may lead into objects within objects, its steps joined by dots.
    """

    def __init__(self, record: Mapping[str, Any], file: str, place: str = "") -> None:
        self.record, self.file, self.place = record, file, place

    @property
    def where(self) -> str:
        """The file and the place in it, as errors name them."""
        return f"{self.file}, {self.place}" if self.place else self.file

    def value(self, key: str) -> Any:
        """What is at `key`; None where it is missing. Raises MeasurementError for a step into what is no object."""
        *outer, last = key.split(".")
        held = self.record
        for number, step in enumerate(outer, 1):
            held = held.get(step) or {}
            if not isinstance(held, Mapping):
                raise self.fault(".".join(outer[:number]), f"is {reprlib.repr(held)}", "an object")
        return held.get(last)

    def number(self, key: str, value: Any = None, above: float | None = None) -> float:
        """The finite number at `key` (or `value`), at least zero or above `above`. Raises MeasurementError."""
        value = self.value(key) if value is None else value
        if value is None:
            raise self.fault(key, "is missing", "a number")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fault(key, f"is {reprlib.repr(value)}", "a number")
        if isinstance(value, float) and not math.isfinite(value):
            raise self.fault(key, f"is {value}", "a finite number: the tool had nothing to average")
        if abs(value) > MOST:
            raise self.fault(key, "is beyond any measurement", f"a number up to {MOST:g}")
        if value < 0 or (above is not None and value <= above):
            raise self.fault(key, f"is {value:g}", "a number from 0" if above is None else f"a number above {above:g}")
        return float(value)

    def optional(self, key: str) -> float:
        """The number at `key`, NaN where it is missing or null."""
        return UNKNOWN if self.value(key) is None else self.number(key)

    def count(self, key: str) -> int:
        """The whole number from 1 at `key`, which may be written as text; 0 where it is missing, null or ""."""
        count = self.value(key)
        if count in (None, ""):
            return 0
        digits = count if isinstance(count, str) else repr(count)
        if not digits.isdecimal() or len(digits) > len(str(MOST)) or not 1 <= int(digits) <= MOST:
            raise self.fault(key, f"is {reprlib.repr(count)}", "a whole number from 1")
        return int(count)

    def part(self, key: str) -> Reader:
        """The object at `key`, empty where it is missing, null or empty. Raises MeasurementError for anything else."""
        value = self.value(key) or {}
        if not isinstance(value, Mapping):
            raise self.fault(key, f"is {reprlib.repr(value)}", "an object")
        return self.within(value, key)

    def parts(self, key: str) -> list[Reader]:
        """The objects that `key` holds, as a list or by name; none where it is missing, null or empty."""
        value = self.value(key) or []
        listed = dict(enumerate(value, 1)) if isinstance(value, list) else value
        if not isinstance(listed, Mapping) or not all(isinstance(each, Mapping) for each in listed.values()):
            raise self.fault(key, f"is {reprlib.repr(value)}", "objects")
        return [self.within(each, f"{key} {name}") for name, each in listed.items()]

    def within(self, record: Mapping[str, Any], place: str) -> Reader:
        """A record that is at a place within this one."""
        return Reader(record, self.file, f"{self.place}, {place}" if self.place else place)

    def text(self, key: str) -> str:
        """The text at `key`; "" where it is missing or null. Raises MeasurementError for anything else than text."""
        return self.words(key, self.value(key))

    def words(self, key: str, value: Any) -> str:
        """`value`, which was read at `key`, if it is text; "" for null. Raises MeasurementError."""
        if value is not None and not isinstance(value, str):
            raise self.fault(key, f"is {reprlib.repr(value)}", "text")
        return value or ""

    def fault(self, key: str, state: str, expected: str) -> MeasurementError:
        """The error of a key whose value is not what it should be."""
        return MeasurementError(f"{self.where}: {key} {state}; expected {expected}")

    def refused(self, words: str) -> MeasurementError:
        """The error of a record that is no measurement."""
        return MeasurementError(f"{self.where}: {words}")

    def run(self, tool: str, model: str, tolerance: float = TOLERANCE, **figures: Any) -> MeasuredRun:
        """The run that is here, with these further fields. Raises MeasurementError (see faults)."""
        own = {"example": bool(self.record.get("example"))} | figures
        run = MeasuredRun(self.file, self.place, tool, model, **own)
        if fault := next(faults(run, tolerance), ""):
            raise self.refused(fault)
        return run


def times(read: Callable[[str, str], float]) -> dict[str, float]:
    """The times of a run: what is read of `ttft` and `tpot` in milliseconds by statistic, `mean`, `p50` and `p99`.

    A zero is no time: tools write it where nothing was timed.
    """
    return {
        f"{name}_{statistic}_ms": read(name, statistic) or UNKNOWN
        for name in ("ttft", "tpot")
        for statistic in ("mean", "p50", "p99")
    }


def by_request(
    first_s: np.ndarray, after_s: np.ndarray, tokens: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """TTFT and TPOT of each request in milliseconds, from seconds to its first token and from there to its last.

    TPOT is the time after the first token over the other tokens; NaN where none came after it, for a single token or a
    short answer in one piece. None where the answers were not streamed, for a zero is no time: some have no time to a
    first token, or none of several tokens has a time after it.
    """
    several, later = tokens > 1, after_s > 0
    if not (first_s > 0).all() or (several.any() and not (several & later).any()):
        return None, None
    return 1000 * first_s, 1000 * after_s / np.where(several & later, tokens - 1, np.nan)


def faults(run: MeasuredRun, tolerance: float) -> Iterator[str]:
    """How the numbers of a run contradict one another; what is NaN is not checked.

    `tolerance` is the share by which rates may differ from tokens and from requests over seconds.
    """
    if run.requests_completed <= 0:
        yield f"no request was completed, {run.requests_failed:g} failed: nothing was measured"
    if not run.output_tokens_per_s > 0:
        yield f"{run.output_tokens_per_s:g} output tokens/s: nothing was put out"
    implied = run.output_tokens / run.duration_s
    if implied == implied and not math.isclose(implied, run.output_tokens_per_s, rel_tol=tolerance):
        yield (
            f"{run.output_tokens_per_s:g} output tokens/s, but {run.output_tokens:g} tokens in {run.duration_s:g} s "
            f"are {implied:g}: one of the three is in another unit or of another run"
        )
    yield from _request_faults(run, tolerance)
    yield from _time_faults(run)


def _request_faults(run: MeasuredRun, tolerance: float) -> Iterator[str]:
    """Requests per second are the completed ones over the seconds, and those answered in time are some of them.

    Only where answers were streamed can any be in time for a first token.
    """
    implied = run.requests_completed / run.duration_s
    if implied == implied and not (
        math.isnan(run.requests_per_s) or math.isclose(implied, run.requests_per_s, rel_tol=tolerance)
    ):
        yield (
            f"{run.requests_per_s:g} requests/s, but {run.requests_completed:g} requests in {run.duration_s:g} s are "
            f"{implied:g}: one of the three is in another unit or of another run"
        )
    if run.goodput_per_s > run.requests_per_s:
        yield (
            f"{run.goodput_per_s:g} requests/s were answered in time, but {run.requests_per_s:g} in all; expected some "
            "of them, or all"
        )
    timed = (run.ttft_mean_ms, run.ttft_p50_ms, run.ttft_p99_ms)
    if all(map(math.isnan, timed)) and not math.isnan(run.goodput_per_s):
        yield IN_TIME.format(run.goodput_per_s)


def _time_faults(run: MeasuredRun) -> Iterator[str]:
    """Requests per second times the mean time of one are the requests in flight (Little): no more than were sent.

    Sent at once are `concurrency` requests where that is said, else all of the run.
    """
    tokens = run.output_tokens / run.requests_completed
    spent = [run.ttft_mean_ms, run.tpot_mean_ms * (tokens - 1)]
    took_s = sum(time for time in spent if time == time) / 1000
    in_flight = run.requests_completed / run.duration_s * took_s
    most = run.requests_completed if math.isnan(run.concurrency) else run.concurrency
    if in_flight > TOGETHER * max(most, 1.0):
        yield (
            f"a request takes {took_s:,.3g} s by its mean times to a first and to each further token, so "
            f"{in_flight:,.3g} would be in flight at once, but at most {most:g} were: the times are not in ms, "
            "or tokens and duration are of another run"
        )
    streams = run.output_tokens_per_s * run.tpot_mean_ms / 1000
    if streams > TOGETHER * max(run.concurrency, 1.0):
        yield (
            f"{run.output_tokens_per_s:,.3g} tokens/s with {run.tpot_mean_ms:,.3g} ms between tokens are "
            f"{streams:,.3g} answers at once, but at most {run.concurrency:g} were: the times or the rate are in "
            "another unit, or the rate is of more requests"
        )
    for name in ("ttft", "tpot"):
        middle, late = (getattr(run, f"{name}_{statistic}_ms") for statistic in ("p50", "p99"))
        if middle > late:
            yield (
                f"{name} is {middle:g} ms at the median and {late:g} ms at the 99th percentile; expected the median to "
                "be the smaller"
            )
