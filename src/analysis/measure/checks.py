"""Reject runs with impossible numbers; reconcile.py compares redundant values in a file.

A run is a mapping of the columns in columns.csv; NaN is unknown and not checked.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from analysis.measure.reconcile import APART, ROUNDED, Run, agree, derived, say, timed
from analysis.measure.record import NAN, Record, shipped_rows

SENT = 1e6  # most requests that a client sends in a second
STATISTICS = ("mean", "p50", "p90", "p99")
BOUNDS = {row["column"]: (float(row["least"]), float(row["most"])) for row in shipped_rows("columns") if row["least"]}
TIMES = [column for column in BOUNDS if column.startswith(("ttft", "tpot", "latency")) and "limit" not in column]
TEXTS = [row["column"] for row in shipped_rows("columns") if not row["least"]]
RUN: Run = dict.fromkeys(TEXTS, "") | dict.fromkeys(BOUNDS, NAN)
RUN |= {"example": False, "of_tokens": False, "said": (), "request_ttft_ms": None, "request_tpot_ms": None}
IMPOSSIBLE = (  # what cannot be, in words with the columns of the run
    ("more requests ended ({ended:,.0f}) than were sent ({sent:,.0f})", lambda run: run["ended"] > run["sent"] + 0.5),
    ("{failures:,.0f} requests failed in {duration_s:g} s, more than can be sent",
     lambda run: run["failures"] > SENT * run["duration_s"]),
    ("goodput is {goodput_per_second:g} requests/s, but all are {requests_per_second:g}",
     lambda run: run["goodput_per_second"] > run["requests_per_second"] * (1 + APART) + ROUNDED),
    ("TTFT is {ttft_mean_ms:g} ms on average, the whole request {latency_mean_ms:g} ms",
     lambda run: run["ttft_mean_ms"] > 1.01 * run["latency_mean_ms"] + ROUNDED),
    # Little's law; a product of means is no mean of products.
    ("mean times and rate make {flying:,.3g} requests in flight where {most:,.3g} are the most: one is in another unit",
     lambda run: run["flying"] > 10 * run["most"] or (
         math.isinf(run["request_rate"]) and run["requests"] > 2 * run["most"] and run["flying"] < run["most"] / 20)),
)  # fmt: skip


def checked(run: Run, record: Record) -> Run:
    """Return `run` with derived columns. Raises MeasurementError for an impossible run."""
    if run["requests"] == 0 or (run["failures"] > 0 and not (run["requests"] > 0 or run["tokens_per_second"] > 0)):
        failed = f"{run['failures']:,.0f} failed" if run["failures"] >= 0 else "nothing says how many failed"
        raise record.fault(f"no request was completed, {failed}: nothing was measured")
    if not (run["tokens_per_second"] > 0 or run["output_tokens"] > 0):
        raise record.fault("puts out no tokens (an embedding or pooling model?); expected output tokens per second")
    if run["ttft_mean_ms"] == 0 < run["tpot_mean_ms"]:
        remove_times(run, "tpot")
        say(run, "TTFT is 0: it was not measured, so neither was TPOT, which takes it off the latency")
    for column in (*TIMES, "input_tokens", "input_length", "concurrency"):  # a zero is what a tool did not measure
        run[column] = run[column] or NAN
    if math.isinf(run["concurrency_limit"]):
        run["concurrency_limit"] = NAN
    for column, value in derived(run, BOUNDS):
        run[column] = value if math.isnan(run[column]) else run[column]
        _bounded(run, column, record)
    if math.isnan(run["tokens_per_second"]):
        raise record.fault("counts tokens, but states neither seconds nor a rate")
    agree(run)
    _streamed(run)
    _times(run, record)
    timed(run)
    _bounded(run, "other_tokens_per_second", record)
    run["ended"] = np.nansum([run["requests"], run["failures"], run["incomplete"]])
    for words, cannot_be in IMPOSSIBLE:
        if cannot_be(run):
            raise record.fault(words.format(**run))
    if run["failures"] >= 0 and run["sent"] - run["ended"] > 0.5:
        left = run["sent"] - run["ended"]
        say(run, f"{left:,.0f} of {run['sent']:,.0f} requests are neither completed nor failed")
    if math.isnan(run["concurrency"]) and math.isinf(run["request_rate"]):
        run["concurrency"] = run["concurrency_limit"]
    run["load"] = run["load"] or _load(run)
    return run


def _bounded(run: Run, column: str, record: Record) -> None:
    """Raise MeasurementError for a number that cannot be."""
    least, most = BOUNDS[column]
    if not (math.isnan(run[column]) or least <= run[column] <= most):
        raise record.fault("; ".join([f"{column} is {run[column]:g}; expected {least:g} to {most:g}", *run["said"]]))


def _streamed(run: Run) -> None:
    """Remove TTFT and TPOT of answers that came in one piece: TTFT equals latency."""
    same = {
        math.isclose(run[f"ttft_{each}_ms"], run[f"latency_{each}_ms"], rel_tol=1e-3)
        for each in STATISTICS
        if run[f"ttft_{each}_ms"] + run[f"latency_{each}_ms"] > 0
    }
    if same == {True} and not run["output_length"] < 2:
        unstreamed(run, "TTFT is the latency of the whole answer")


def remove_times(run: Run, *names: str) -> None:
    """Remove the statistics of the times `names`, such as "tpot", from `run`."""
    run.update({column: NAN for column in TIMES if column.startswith(names)})


def unstreamed(run: Run, why: str) -> None:
    """Remove TTFT and TPOT of a run whose answers were not streamed; `why` says how that is known."""
    remove_times(run, "ttft", "tpot")
    run.update(request_ttft_ms=None, request_tpot_ms=None)
    say(run, f"answers were not streamed ({why}): no TTFT or TPOT")


def _times(run: Run, record: Record) -> None:
    """Raise MeasurementError where statistics contradict one another, or a time is longer than the run.

    Half of the requests take the median or more, 1% P99 or more: lower bounds on the mean.
    """
    for name in ("ttft", "tpot", "latency"):
        mean, *ranks = (run[f"{name}_{statistic}_ms"] for statistic in STATISTICS)
        known = [rank for rank in ranks if rank > 0]
        if (
            any(low > high * 1.001 for low, high in pairwise(known))
            or ranks[0] > 2.1 * mean or ranks[2] > 210 * mean
            or any(time > 1.5e3 * run["duration_s"] for time in (mean, *known))
        ):  # fmt: skip
            shown = ", ".join(f"{rank:,.4g}" for rank in (mean, *known) if rank > 0)
            words = f"{name} is {shown} ms (mean, P50 to P99) in a run of {run['duration_s']:g} s"
            raise record.fault(words + "; expected rising times, a mean among them, within the run")


def _load(run: Run) -> str:
    """Return the load in words: a limit of concurrency is the load only where no rate was asked for."""
    if 0 < run["request_rate"] < math.inf:
        return f"{run['request_rate']:.4g} requests/s"
    if run["concurrency_limit"] > 0:
        return f"concurrency {run['concurrency_limit']:.4g}"
    return "all at once" if math.isinf(run["request_rate"]) else ""
