"""Reconcile redundant values of a file, with one table of identities for all tools.

Two statements that differ by at most SAME agree. Beyond that, a remark gives both, which one is used, and why. If that
cannot be determined, `other_tokens_per_second` keeps the second rate, and neither appears in a headline.
"""

from __future__ import annotations

import math

from analysis.measure.record import NAN
from analysis.measure.run import Run

SAME, APART, ROUNDED = 0.03, 0.1, 0.006  # relative tolerances: equal, loosely equal, and two-digit rounding
WINDOWED = "GuideLLM"  # measures rates over a window that truncates requests, so the lower of two rates is used
LONGER = 1.5  # factor by which a product of mean times may differ from the mean of products
IDENTITIES = (  # the first is the product of the others; the second is what its error names
    ("output_tokens", "output_length", "requests"),
    ("input_tokens", "input_length", "requests"),
    ("requests", "requests_per_second", "duration_s"),
    ("output_tokens", "tokens_per_second", "duration_s"),
    ("tokens_per_second", "requests_per_second", "output_length"),
    ("total_tokens_per_second", "tokens_per_second", "tokens_per_output"),
    ("tokens_per_second", "tokens_per_second_per_accelerator", "accelerator_count"),
)
DERIVING = IDENTITIES[:5]  # unknown values are derived from these


def near(one: float, other: float, share: float) -> bool:
    """Return whether two numbers differ by at most a share of the larger; not where one is unknown."""
    return abs(one - other) <= share * max(one, other)


def counts(run: Run, stated: dict[str, float], *, gap_ms: float = NAN, asked: float = NAN) -> str:
    """Decide which of two counts of output tokens is correct; return the name of the one used, "" if they agree.

    `gap_ms` is the mean time between tokens, `asked` the requested length per request.
    """
    (one, first), (other, second) = stated.items()
    if not (first >= 0 and second >= 0) or near(first, second, SAME):
        return ""
    requests = run.requests or NAN
    by_rate = run.requests / (run.requests_per_second or NAN), run.output_tokens / (run.tokens_per_second or NAN)
    seconds = next((known for known in (run.duration_s, *by_rate) if known > 0), NAN)
    said = f"{one} has {first:,.0f} output tokens ({first / seconds:,.4g}/s), {other} {second:,.0f}"
    said = f"{said} ({second / seconds:,.4g}/s)"
    timed = 1 + (run.latency_mean_ms - run.ttft_mean_ms) / (gap_ms or NAN)
    for_one = _reasons(first / requests, second / requests, asked, timed)
    for_other = _reasons(second / requests, first / requests, asked, timed)
    for why, holds in for_one.items():
        if holds != for_other[why]:
            taken = one if holds else other
            run.update(output_tokens=stated[taken], tokens_per_second=stated[taken] / seconds, output_length=NAN)
            run.update(total_tokens_per_second=NAN, tokens_per_second_per_accelerator=NAN)
            run.say(f"{said}: {taken} is used because {why}")
            return taken
    own = first / seconds if math.isnan(run.tokens_per_second) else run.tokens_per_second
    run.other_tokens_per_second = max(first / seconds, second / seconds, key=lambda rate: abs(rate - own))
    run.say(f"{said}: the file does not show which is correct")
    return ""


def _reasons(own: float, other: float, asked: float, timed: float) -> dict[str, bool]:
    """Return whether each reason supports `own` tokens per request; the first that supports one count decides."""
    return {
        "it equals the requested length": near(own, asked, SAME),
        "the other is about one token per request": other < 1.5 < 2 <= own,
        "it matches the latency and the inter-token time": near(own, timed, APART),
        "it is a whole multiple of the requests, as forced lengths are, and text leaves out special tokens": (
            own > other != round(other) and own == round(own) > 1
        ),
    }


def agree(run: Run) -> None:
    """Check the run against each identity; of several rates that contradict its own, the farthest is kept."""
    run.tokens_per_output = 1 + run.input_tokens / run.output_tokens
    for product, column, other in IDENTITIES:
        stated, follows = run[column], run[product] / run[other]
        if not abs(stated - follows) > SAME * max(stated, follows) + ROUNDED:
            continue
        words = f"{column} is {stated:,.4g}, but {product} over {other} gives {follows:,.4g}"
        if run.tool == WINDOWED and column.endswith("_second") and 0.5 < stated / follows < 2:
            run[column], words = min(stated, follows), f"{words}; the lower is used because rates are over a window"
        elif "tokens_per_second" in (product, column):
            _doubt(run, follows if column == "tokens_per_second" else stated * run[other])
        run.say(words)


def _doubt(run: Run, rate: float) -> None:
    """Keep a second rate of output tokens that contradicts the first, the farthest of several."""
    rates = [each for each in (run.other_tokens_per_second, rate) if each > 0]
    run.other_tokens_per_second = max(rates, key=lambda each: abs(math.log(each / run.tokens_per_second)), default=NAN)


def timed(run: Run) -> None:
    """Check tokens by latency = TTFT + TPOT x (tokens - 1).

    By the means and by the medians: a mean of ratios may be far from a ratio of means, a median is not.
    """
    times = zip(*map(run.statistics, ("latency", "ttft", "tpot")), strict=True)
    by_mean, by_median, *_ = (1 + (latency - ttft) / tpot for latency, ttft, tpot in times)
    far = [tokens / run.output_length for tokens in (by_mean, by_median) if tokens > 1]
    if run.output_length > 2 and by_mean > 1 and (min(far) > LONGER or max(far) < 1 / LONGER):
        rate = run.tokens_per_second * by_mean / run.output_length
        words = f"{run.output_length:,.0f} tokens per request by count"
        words = f"{words}, but {by_mean:,.0f} by latency = TTFT + TPOT x (tokens - 1)"
        run.say(f"{words}: {run.tokens_per_second:,.4g} or {rate:,.4g} tokens/s")
        _doubt(run, rate)
