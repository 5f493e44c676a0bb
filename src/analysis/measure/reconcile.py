"""Compare what a file states twice, by one table of identities for all tools.

Two statements that differ by at most SAME agree. Beyond that, a remark gives both, which one is used, and why. If that
cannot be determined, `other_tokens_per_second` keeps the second rate, and neither appears in a headline.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from analysis.measure.record import NAN

Run = dict[str, Any]
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
DERIVING = IDENTITIES[:5]
RULES = (  # why a count is taken over another, by tokens per request, in order; exactly one of the two must pass
    ("it is the length that was asked for", lambda own, other, facts: near(own, facts["asked"], SAME)),
    ("the other is about one per request", lambda own, other, facts: other < 1.5 < 2 <= own),
    ("it fits the latency and the time between tokens", lambda own, other, facts: near(own, facts["timed"], APART)),
    ("it is a whole multiple of the requests, as forced lengths are, and text leaves out special tokens",
     lambda own, other, facts: own > other != round(other) and own == round(own) > 1),
)  # fmt: skip


def near(one: float, other: float, share: float) -> bool:
    """Return whether two numbers differ by at most a share of the larger; not where one is unknown."""
    return abs(one - other) <= share * max(one, other)


def say(run: Run, words: str) -> None:
    """Add a remark that a reader of the numbers must know."""
    run["said"] += (words,)


def counts(run: Run, stated: dict[str, float], *, gap_ms: float = NAN, asked: float = NAN) -> str:
    """Settle which of two counts of output tokens holds; return the name of the one taken, "" where they agree.

    `gap_ms` is the mean time between tokens, `asked` the length that each request asked for.
    """
    (one, first), (other, second) = stated.items()
    if not (first >= 0 and second >= 0) or near(first, second, SAME):
        return ""
    requests = run["requests"] or NAN
    seconds = run["duration_s"] or NAN
    for product, rate in (("requests", "requests_per_second"), ("output_tokens", "tokens_per_second")):
        seconds = run[product] / (run[rate] or NAN) if math.isnan(seconds) else seconds
    facts = {"timed": 1 + (run["latency_mean_ms"] - run["ttft_mean_ms"]) / (gap_ms or NAN), "asked": asked}
    lengths = first / requests, second / requests
    rates = first / seconds, second / seconds
    said = f"{one} has {first:,.0f} output tokens ({rates[0]:,.4g}/s), {other} {second:,.0f} ({rates[1]:,.4g}/s)"
    for why, passes in RULES:
        passed = [passes(*pair, facts) for pair in (lengths, lengths[::-1])]
        if sum(passed) == 1:
            taken = one if passed[0] else other
            run.update(output_tokens=stated[taken], tokens_per_second=stated[taken] / seconds, output_length=NAN)
            run.update(total_tokens_per_second=NAN, tokens_per_second_per_accelerator=NAN)
            say(run, f"{said}: {taken} counts, as {why}")
            return taken
    own = rates[0] if math.isnan(run["tokens_per_second"]) else run["tokens_per_second"]
    run["other_tokens_per_second"] = max(rates, key=lambda rate: abs(rate - own))
    say(run, f"{said}: nothing tells which holds")
    return ""


def derived(run: Run, columns: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Yield each column with its value, then with what follows from two others; twice, as one gives another."""
    yield from ((column, run[column]) for column in columns)
    for product, one, other in DERIVING * 2:
        yield product, run[one] * run[other]
        yield one, run[product] / run[other]
        yield other, run[product] / run[one]


def agree(run: Run) -> None:
    """Check the run against each identity; of several rates that contradict its own, the farthest is kept."""
    run["tokens_per_output"] = 1 + run["input_tokens"] / run["output_tokens"]
    for product, column, other in IDENTITIES:
        stated, follows = run[column], run[product] / run[other]
        if not abs(stated - follows) > SAME * max(stated, follows) + ROUNDED:
            continue
        words = f"{column} is {stated:,.4g}, but {product} over {other} give {follows:,.4g}"
        if run["tool"] == WINDOWED and column.endswith("_second") and 0.5 < stated / follows < 2:
            run[column], words = min(stated, follows), f"{words}; the lower counts, as rates are over a window"
        elif "tokens_per_second" in (product, column):
            doubt(run, follows if column == "tokens_per_second" else stated * run[other])
        say(run, words)


def doubt(run: Run, rate: float) -> None:
    """Keep a second rate of output tokens that contradicts the first, the farthest of several."""
    rates = [each for each in (run["other_tokens_per_second"], rate) if each > 0]
    own = run["tokens_per_second"]
    run["other_tokens_per_second"] = max(rates, key=lambda each: abs(math.log(each / own)), default=NAN)


def timed(run: Run) -> None:
    """Check tokens by latency = TTFT + TPOT x (tokens - 1), and requests in flight by their limit."""
    follow = [
        1 + (run[f"latency_{each}_ms"] - run[f"ttft_{each}_ms"]) / run[f"tpot_{each}_ms"] for each in ("mean", "p50")
    ]  # a mean of ratios may be far from a ratio of means, a median is not
    follows, length = follow[0], run["output_length"]
    far = [each / length for each in follow if each > 1]
    if length > 2 and follows > 1 and (min(far) > LONGER or max(far) < 1 / LONGER):
        rate = run["tokens_per_second"] * follows / length
        words = f"{length:,.0f} tokens a request by count, but {follows:,.0f} by latency = TTFT + TPOT x (tokens - 1)"
        say(run, f"{words}: {run['tokens_per_second']:,.4g} or {rate:,.4g} tokens/s")
        doubt(run, rate)
    service_ms = run["latency_mean_ms"]
    if math.isnan(service_ms):
        service_ms = run["ttft_mean_ms"] + (0 if length <= 1 else run["tpot_mean_ms"] * (length - 1))
    run["flying"] = run["requests_per_second"] * service_ms / 1e3
    run["most"] = np.nanmin([run["concurrency_limit"], run["requests"], math.inf])
    if run["flying"] > run["most"] * (1 + APART) and math.isnan(run["concurrency"]):
        words = f"rate x latency give {run['flying']:,.4g} requests in flight, but {run['most']:,.4g} are the most"
        say(run, f"{words}: latency includes waiting at the client, or one of them is wrong")
    elif math.isnan(run["concurrency"]):
        run["concurrency"] = run["flying"]
