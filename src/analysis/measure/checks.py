"""Check one run: quantities that a file states twice must agree, and no number may be impossible.

A run is a mapping of the columns in columns.csv; NaN is unknown and not checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from analysis.measure.record import NAN, Record, table

Run = dict[str, Any]
AGREE, ROUNDED = 0.1, 0.006  # by which one quantity stated twice may differ: a share, and printing two digits
SENT = 1e6  # most requests that a client sends in a second
STATISTICS = ("mean", "p50", "p90", "p99")
BOUNDS = {row["column"]: (float(row["least"]), float(row["most"])) for row in table("columns") if row["least"]}
TIMES = [column for column in BOUNDS if column.startswith(("ttft", "tpot", "latency")) and "limit" not in column]
TEXTS = [row["column"] for row in table("columns") if not row["least"]]
RUN: Run = dict.fromkeys(TEXTS, "") | dict.fromkeys(BOUNDS, NAN)
RUN |= {"example": False, "said": (), "request_ttft_ms": None, "request_tpot_ms": None}
PRODUCTS = (  # the first is the product of the others
    ("output_tokens", "output_length", "requests"),
    ("input_tokens", "input_length", "requests"),
    ("requests", "requests_per_second", "duration_s"),
    ("output_tokens", "tokens_per_second", "duration_s"),
    ("tokens_per_second", "requests_per_second", "output_length"),
)
STATED = (  # products of what is only stated
    ("total_tokens_per_second", "tokens_per_second", "tokens_per_output"),
    ("tokens_per_second", "tokens_per_second_per_accelerator", "accelerator_count"),
)
IMPOSSIBLE = (  # what cannot be, in words with the columns of the run
    ("more requests ended ({ended:,.0f}) than were sent ({sent:,.0f})", lambda run: run["ended"] > run["sent"] + 0.5),
    ("{failures:,.0f} requests failed in {duration_s:g} s, more than can be sent",
     lambda run: run["failures"] > SENT * run["duration_s"]),
    ("goodput is {goodput_per_second:g} requests/s, but all are {requests_per_second:g}",
     lambda run: run["goodput_per_second"] > run["requests_per_second"] * (1 + AGREE) + ROUNDED),
    ("TTFT is {ttft_mean_ms:g} ms on average, the whole request {latency_mean_ms:g} ms",
     lambda run: run["ttft_mean_ms"] > 1.01 * run["latency_mean_ms"] + ROUNDED),
    # Little's law; a product of means is no mean of products.
    ("mean times and rate make {flying:,.3g} requests in flight where {most:,.3g} are the most: one is in another unit",
     lambda run: run["flying"] > 10 * run["most"] or (
         math.isinf(run["request_rate"]) and run["requests"] > 2 * run["most"] and run["flying"] < run["most"] / 20)),
)  # fmt: skip


def checked(run: Run, record: Record, *, window: bool = False) -> Run:
    """Return `run` with derived columns. Raises MeasurementError for an impossible run.

    With `window` the tool takes rates over a window that cuts requests: the lower of two rates counts, which is said.
    """
    if run["requests"] == 0 or (run["failures"] > 0 and not (run["requests"] > 0 or run["tokens_per_second"] > 0)):
        failed = f"{run['failures']:,.0f} failed" if run["failures"] >= 0 else "nothing says how many failed"
        raise record.fault(f"no request was completed, {failed}: nothing was measured")
    if not (run["tokens_per_second"] > 0 or run["output_tokens"] > 0):
        raise record.fault("puts out no tokens (an embedding or pooling model?); expected output tokens per second")
    for column in (*TIMES, "input_tokens", "input_length", "concurrency"):  # a zero is what a tool did not measure
        run[column] = run[column] or NAN
    for column, value in _values(run):
        run[column] = value if math.isnan(run[column]) else run[column]
        least, most = BOUNDS[column]
        if not (math.isnan(run[column]) or least <= run[column] <= most):
            raise record.fault(f"{column} is {run[column]:g}; expected {least:g} to {most:g}")
    run["tokens_per_output"] = 1 + run["input_tokens"] / run["output_tokens"]
    for product, column, other in (*PRODUCTS, *STATED):
        stated, derived = run[column], run[product] / run[other]
        if abs(stated - derived) > AGREE * max(stated, derived) + ROUNDED:
            words = f"{column} is {stated:,.4g}, but {product} over {other} give {derived:,.4g}"
            if not (window and column.endswith("_second") and 0.5 < stated / derived < 2):
                raise record.fault(f"{words}, beyond {AGREE:.0%}: one is in another unit or of another run")
            run[column], run["said"] = min(stated, derived), (*run["said"], f"{words}; the lower counts")
    _streamed(run)
    _times(run, record)
    service_ms = run["ttft_mean_ms"] + np.nan_to_num(run["tpot_mean_ms"] * max(run["output_length"] - 1, 0))
    service_ms = service_ms if math.isnan(run["latency_mean_ms"]) else run["latency_mean_ms"]
    run["flying"] = run["requests_per_second"] * service_ms / 1e3
    run["most"] = np.nanmin([run["concurrency_limit"], run["requests"], math.inf])
    run["ended"] = np.nansum([run["requests"], run["failures"], run["incomplete"]])
    for words, cannot_be in IMPOSSIBLE:
        if cannot_be(run):
            raise record.fault(words.format(**run))
    if run["failures"] >= 0 and run["sent"] - run["ended"] > 0.5:
        left = run["sent"] - run["ended"]
        run["said"] += (f"{left:,.0f} of {run['sent']:,.0f} requests are neither completed nor failed",)
    run["concurrency"] = run["flying"] if math.isnan(run["concurrency"]) else run["concurrency"]
    if math.isnan(run["concurrency"]) and math.isinf(run["request_rate"]):
        run["concurrency"] = run["concurrency_limit"]
    run["load"] = run["load"] or _load(run)
    return run


def _values(run: Run) -> Iterator[tuple[str, float]]:
    """Yield each column with its value, then with what follows from the others; twice, as one gives another."""
    yield from ((column, run[column]) for column in BOUNDS)
    for product, one, other in PRODUCTS * 2:
        yield product, run[one] * run[other]
        yield one, run[product] / run[other]
        yield other, run[product] / run[one]


def _streamed(run: Run) -> None:
    """Remove TTFT and TPOT of answers that came in one piece: TTFT equals latency."""
    pairs = [(run[f"ttft_{statistic}_ms"], run[f"latency_{statistic}_ms"]) for statistic in STATISTICS]
    known = [pair for pair in pairs if sum(pair) > 0]
    if known and all(math.isclose(*pair, rel_tol=1e-3) for pair in known) and not run["output_length"] < 2:
        unstreamed(run, "TTFT is the latency of the whole answer")


def unstreamed(run: Run, why: str) -> None:
    """Take TTFT and TPOT out of `run`, whose answers were not streamed, and say `why` that is known."""
    run.update(dict.fromkeys((column for column in TIMES if not column.startswith("latency")), NAN))
    run.update(request_ttft_ms=None, request_tpot_ms=None)
    run["said"] += (f"answers were not streamed ({why}): no TTFT or TPOT",)


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
