"""Reject runs with impossible numbers; reconcile.py compares redundant values. Unknown values are not checked."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from analysis.measure.reconcile import APART, DERIVING, ROUNDED, agree, timed
from analysis.measure.record import NAN, Record
from analysis.measure.run import BOUNDS, TIMES, Run

SENT = 1e6  # most requests that a client sends in a second


def checked(run: Run, record: Record) -> Run:
    """Return `run` with derived columns. Raises MeasurementError for an impossible run."""
    if run.requests == 0 or (run.failures > 0 and not (run.requests > 0 or run.tokens_per_second > 0)):
        failed = f"{run.failures:,.0f} failed" if run.failures >= 0 else "the number of failed requests is unknown"
        raise record.fault(f"no request completed, {failed}: nothing was measured")
    if not (run.tokens_per_second > 0 or run.output_tokens > 0):
        raise record.fault("has no output tokens (an embedding or pooling model?); expected output tokens per second")
    if run.ttft_mean_ms == 0 < run.tpot_mean_ms:
        run.remove("tpot")
        run.say("TTFT is 0: it was not measured, and neither was TPOT, which subtracts it from the latency")
    for column in (*TIMES, "input_tokens", "input_length", "concurrency"):  # zero means not measured
        run[column] = run[column] or NAN
    if math.isinf(run.concurrency_limit):
        run.concurrency_limit = NAN
    for column in BOUNDS:
        _bounded(run, column, record)
    for product, one, other in DERIVING * 2:  # twice, since one may derive another
        run.fill(**{product: run[one] * run[other], one: run[product] / run[other], other: run[product] / run[one]})
        for column in (product, one, other):
            _bounded(run, column, record)
    if math.isnan(run.tokens_per_second):
        raise record.fault("states a token count, but neither a duration nor a rate")
    agree(run)
    _streamed(run)
    _times(run, record)
    timed(run)
    _bounded(run, "other_tokens_per_second", record)
    _requests(run, record)
    if run.ttft_mean_ms > 1.01 * run.latency_mean_ms + ROUNDED:
        words = f"mean TTFT is {run.ttft_mean_ms:g} ms, but mean request latency is {run.latency_mean_ms:g} ms"
        raise record.fault(words)
    _in_flight(run, record)
    run.load = run.load or _load(run)
    return run


def _bounded(run: Run, column: str, record: Record) -> None:
    """Raise MeasurementError for a number outside its bounds in columns.csv."""
    least, most = BOUNDS[column]
    if not (math.isnan(run[column]) or least <= run[column] <= most):
        raise record.fault("; ".join([f"{column} is {run[column]:g}; expected {least:g} to {most:g}", *run.said]))


def _streamed(run: Run) -> None:
    """Remove TTFT and TPOT of answers that came in one piece: TTFT equals latency."""
    pairs = zip(run.statistics("ttft"), run.statistics("latency"), strict=True)
    same = {math.isclose(*pair, rel_tol=1e-3) for pair in pairs if not math.isnan(sum(pair))}
    if same == {True} and not run.output_length < 2:
        run.unstreamed("TTFT equals the latency of the whole answer")


def _times(run: Run, record: Record) -> None:
    """Raise MeasurementError where statistics contradict one another, or a time is longer than the run.

    Half of the requests take the median or more, 1% P99 or more: lower bounds on the mean.
    """
    for name in ("ttft", "tpot", "latency"):
        mean, *ranks = run.statistics(name)
        known = [rank for rank in ranks if not math.isnan(rank)]
        if (
            any(low > high * 1.001 for low, high in pairwise(known))
            or ranks[0] > 2.1 * mean or ranks[2] > 210 * mean
            or any(time > 1.5e3 * run.duration_s for time in (mean, *known))
        ):  # fmt: skip
            shown = ", ".join(f"{rank:,.4g}" for rank in (mean, *known))
            words = f"{name} is {shown} ms (mean, P50 to P99) in a run of {run.duration_s:g} s"
            raise record.fault(words + "; expected rising percentiles, a consistent mean, and no time beyond the run")


def _requests(run: Run, record: Record) -> None:
    """Raise MeasurementError for impossible counts; add a remark on requests neither completed nor failed."""
    ended = np.nansum([run.requests, run.failures, run.incomplete])
    if ended > run.sent + 0.5:
        raise record.fault(f"more requests ended ({ended:,.0f}) than were sent ({run.sent:,.0f})")
    if run.failures > SENT * run.duration_s:
        words = f"{run.failures:,.0f} requests failed in {run.duration_s:g} s"
        raise record.fault(f"{words}, more than a client can send")
    if run.goodput_per_second > run.requests_per_second * (1 + APART) + ROUNDED:
        words = f"goodput is {run.goodput_per_second:g} requests/s"
        raise record.fault(f"{words}, but the total rate is {run.requests_per_second:g}")
    if run.failures >= 0 and run.sent - ended > 0.5:
        run.say(f"{run.sent - ended:,.0f} of {run.sent:,.0f} requests are neither completed nor failed")


def _in_flight(run: Run, record: Record) -> None:
    """Set the requests in flight by Little's law. Raises MeasurementError where they are far from their limit.

    A product of means is not a mean of products, so a factor of ten is allowed.
    """
    service_ms = run.latency_mean_ms
    if math.isnan(service_ms):
        service_ms = run.ttft_mean_ms + (0 if run.output_length <= 1 else run.tpot_mean_ms * (run.output_length - 1))
    flying = run.requests_per_second * service_ms / 1e3
    most = np.nanmin([run.concurrency_limit, run.requests, math.inf])
    idle = math.isinf(run.request_rate) and run.requests > 2 * most and flying < most / 20
    if flying > 10 * most or idle:
        words = f"mean times and rate imply {flying:,.3g} requests in flight, but the maximum is {most:,.3g}"
        raise record.fault(f"{words}: one is in a different unit")
    if flying > most * (1 + APART) and math.isnan(run.concurrency):
        words = f"rate x latency implies {flying:,.4g} requests in flight, but the maximum is {most:,.4g}"
        run.say(f"{words}: latency includes waiting at the client, or one of them is wrong")
    else:
        run.fill(concurrency=flying)
    if math.isinf(run.request_rate):
        run.fill(concurrency=run.concurrency_limit)


def _load(run: Run) -> str:
    """Return the load as text; a concurrency limit is the load only if no request rate was set."""
    if run.request_rate < math.inf:
        return f"{run.request_rate:.4g} requests/s"
    if not math.isnan(run.concurrency_limit):
        return f"concurrency {run.concurrency_limit:.4g}"
    return "all at once" if math.isinf(run.request_rate) else ""
