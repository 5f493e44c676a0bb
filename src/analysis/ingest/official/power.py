"""Compute the measured power of a run from its power log spl.txt, by the official rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.ingest.official import units
from analysis.ingest.official.loadgen import LogError

LOG = "spl.txt"
LARGEST = 256 << 20  # bytes: a sample a second for a week
TIME = "%m-%d-%Y %H:%M:%S.%f"
SAMPLE = r"^Time,(\d\d-\d\d-\d{4} \d\d:\d\d:\d\d\.\d{1,6}),Watts,([-+]?\d+\.?\d*(?:[eE][-+]?\d{1,3})?)(?:,|$)"
DROPPED_SHARE = 0.05  # of the samples: a meter writes -2 W where a reading failed
HOLE_S, HOLE_SHARE = 10.0, 0.05  # a longer gap between samples than both is no measurement of the load


class PowerError(LogError):
    """Power cannot be trusted. The message names the file, the line, and the reason."""


def measured(path: Path, log: dict[str, Any], scenario: str) -> tuple[float, str]:
    """Return the average wall power in watts, or millijoules per query in the stream scenarios, and a remark.

    The mean of samples with power_begin < time < power_end (UTC) and watts above zero, as in `check_power_dir` of
    MLCommons' submission checker; energy is watts x seconds x 1000 / result_query_count. Raises PowerError where the
    window or the samples are missing or unreadable, or leave too much of the load unmeasured.
    """
    window = pd.to_datetime(
        pd.Series([log.get("power_begin"), log.get("power_end")], dtype="object"), format=TIME, errors="coerce"
    )
    if window.isna().any() or not window[0] < window[1]:
        raise PowerError(
            f"{LOG}: the detail log has no power_begin before a power_end, such as 07-11-2024 23:35:19.963"
        )
    seconds = (window[1] - window[0]).total_seconds()
    samples = _samples(path)
    inside = samples[samples["time"].gt(window[0]) & samples["time"].lt(window[1])]
    positive = inside[inside["watts"].gt(0)]
    if positive.empty:
        raise PowerError(f"{LOG}: no sample above zero watts between power_begin and power_end")
    times = pd.concat([window[:1], positive["time"].sort_values(), window[1:]])
    hole = times.diff().max().total_seconds()
    if hole > max(HOLE_S, HOLE_SHARE * seconds):
        raise PowerError(f"{LOG}: no sample above zero watts for {hole:.0f} of the {seconds:.0f} s of the load")
    dropped = len(inside) - len(positive)
    if dropped > DROPPED_SHARE * len(inside):
        raise PowerError(f"{LOG}: {dropped} of {len(inside)} samples of the load without positive watts")
    remark = f"power without {dropped} samples of the load window without positive watts" if dropped else ""
    watts = positive["watts"].mean()
    if scenario not in units.STREAMS:
        return watts, remark
    queries = log.get("result_query_count")
    if not isinstance(queries, int) or isinstance(queries, bool) or queries < 1:
        raise PowerError(f"{LOG}: the detail log's result_query_count is {queries!r}, not a number above zero")
    return watts * seconds * 1000 / queries, remark


def _samples(path: Path) -> pd.DataFrame:
    """Return `time` and `watts` of each sample. Raises PowerError naming the first line that is none."""
    try:
        if path.stat().st_size > LARGEST:
            raise PowerError(f"{LOG}: is larger than {LARGEST >> 20} MiB")
        lines = pd.Series(path.read_text("latin-1").splitlines(), dtype="object").str.strip()
    except OSError as error:
        raise PowerError(f"{LOG}: cannot be read: {error.strerror}") from None
    lines = lines[lines.ne("")]
    parts = lines.str.extract(SAMPLE)
    samples = pd.DataFrame({
        "time": pd.to_datetime(parts[0], format=TIME, errors="coerce"), "watts": pd.to_numeric(parts[1], errors="coerce"),
    })  # fmt: skip
    wrong = samples.isna().any(axis=1) | samples["watts"].abs().gt(1e9)
    if wrong.any():
        raise PowerError(
            f"{LOG}, line {wrong.idxmax() + 1}: not a sample such as Time,07-11-2024 23:35:19.963,Watts,2371.6"
        )
    return samples
