"""The words of the deployment report, from an assessment."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis.answers.words import counted, dollars, opening, ranged
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval
from analysis.core.plain import as_dicts
from analysis.themes import cost
from analysis.themes.assessment import Assessed

LOST = {
    "latency limits": "latency limits",
    "requests at a time": "so few requests at a time",
    "software and set-up": "software and set-up",
    "load or software": "a light load or slow software",
    "answers in time": "answers that come too late",
}
# Steps whose words are a plural.
MANY = ("latency limits", "requests at a time", "software and set-up", "answers in time")
SAMPLE = "SAMPLE DATA: these numbers were written by hand, nothing was measured."
APART = 0.05  # of the official throughput: from where on two shares are told as different
SHARE = "share of the official throughput per accelerator"


def share(assessed: Assessed) -> Finding:
    """What fraction of the benchmark the best run reaches."""
    run, topic = assessed.best, assessed.limited.topic
    if pd.isna(run["derate_low"]):
        why = f"The record has no result of {assessed.called} on {topic} in these rounds: no share can be told."
        return nothing("share_of_official", SHARE, why)
    ends, count = Interval(run["derate_low"], run["derate_high"]), run["accelerator_count"]
    whose = f"{count} {assessed.called} reach" if count > 1 else f"{assessed.called} reaches"
    sentence = f"Your {whose} {_part(ends)} what official systems give."
    return Finding("share_of_official", ends, SHARE, sentence, _sources(run), assessed.notes)


def _part(share: Interval) -> str:
    """A share in words: 31 to 36 % of; 1.2 times where all of it is above 1."""
    return f"{share.text(2)} times" if share.low > 1 else f"{_percent(share.low, share.high)} of"


def gap(assessed: Assessed) -> Finding:
    """Where most of the gap goes."""
    start = "Offline" if pd.notna(assessed.best["latency_low"]) else assessed.limited.question.scenario
    unit = f"share of the nearest system's {start} rate that the step takes"
    steps_known, run = assessed.gap.dropna(subset="share_low"), assessed.best
    if pd.isna(run["of_nearest_low"]):
        why = f"No official row of {assessed.called} is comparable: where the throughput goes is not known."
        return nothing("largest_loss", unit, why)
    steps_known = steps_known.sort_values("lost_high", ascending=False, kind="stable")
    largest = steps_known.iloc[0]
    share_left = _percent(steps_known["share_low"].prod(), steps_known["share_high"].prod())
    share_taken = _percent(largest["lost_low"], largest["lost_high"])
    words_on_largest = f"{LOST[largest['step']]} {'take' if largest['step'] in MANY else 'takes'} {share_taken}"
    lost = words_on_largest if largest["lost_high"] > 0 else "nothing is lost"
    sentence = f"{lost} of the nearest system's {start} rate; {share_left} is left."
    ends = Interval(largest["lost_low"], largest["lost_high"])
    return Finding("largest_loss", ends, unit, sentence[:1].upper() + sentence[1:], _sources(run), assessed.notes)


def lost_rows(assessed: Assessed) -> pd.DataFrame:
    """The steps of which something is known, in per cent of the first rate, as a range chart draws them."""
    steps_known = assessed.gap.dropna(subset="share_low")
    percent = interval.of(steps_known, "lost")
    steps_known = interval.put(steps_known, "percent", Interval(100 * percent.low, 100 * percent.high))
    label = steps_known["step"].map(LOST)
    return steps_known.assign(accelerator=assessed.best["accelerator"], label=label, series="lost")


def saving(assessed: Assessed) -> Finding:
    """What closing the gap would save, at the same tokens per second."""
    unit, run = "US dollars an hour for the accelerators that the official rate would leave over", assessed.best
    if not assessed.price.known:
        why = f"No price of {assessed.called} is known, so nothing tells what a token costs: give prices."
        return nothing("saved_by_closing_the_gap", unit, why)
    if pd.isna(run["saved_low"]) or run["load"] in ("light", ""):
        million = dollars(interval.of(run, "usd_per_million"))
        words_on_load = "under this light load" if run["load"] == "light" else "here"
        why = f"A million output tokens cost {million} {words_on_load}; what closing the gap would save is not known."
        return replace(nothing("saved_by_closing_the_gap", unit, why), notes=assessed.notes)
    saved, bill, enough = (interval.of(run, name) for name in ("saved", "usd_per_hour", "enough"))
    would_do = f"{enough.text(2)} of {run['accelerator_count']} accelerators would do"
    sentence = f"Closing the gap would save {dollars(saved)} of {dollars(bill)} an hour: {would_do}."
    if saved.high == 0:
        sentence = f"Closing the gap would save nothing of {dollars(bill)} an hour: no accelerator could be given back."
    million = interval.of(run, "usd_per_million"), "US dollars per million output tokens"
    costs = {"usd_per_million": million, "usd_per_hour": (bill, "US dollars an hour")}
    return Finding("saved_by_closing_the_gap", saved, unit, sentence, _sources(run), assessed.notes, values=costs)


def limits(assessed: Assessed) -> Finding:
    """How many runs hold the latency limits, and the fastest that does."""
    unit, runs = "runs whose latency at the 99th percentile is within both limits", assessed.runs
    judged = runs[runs["ttft_held"].notna() & runs["tpot_held"].notna()]
    if judged.empty:
        why = f"No limit of {assessed.limited.topic} or no 99th percentile is known: give ttft_ms and tpot_ms."
        return nothing("runs_within_limits", unit, why)
    within = int((judged["ttft_held"] & judged["tpot_held"]).sum())
    runs, verb = counted(len(judged), "run"), "holds" if within == 1 else "hold"
    sentence = (
        f"{within} of {runs} {verb} both limits at the 99th percentile: {interval.number(assessed.ttft_ms)} ms to the "
        f"first token, {interval.number(assessed.tpot_ms)} ms for each further one."
    )
    return Finding("runs_within_limits", exactly(within), unit, sentence, notes=assessed.notes)


def goodput(assessed: Assessed) -> Finding:
    """The share of answers that users could use."""
    unit, run = "share of completed requests within the latency limits", assessed.best
    if pd.isna(run["good_share"]):
        why = "The file holds neither goodput nor latencies of each request: how many were in time is not known."
        return nothing("good_share", unit, why)
    sent = run["requests_completed"] + run["requests_failed"]
    sentence = (
        f"{interval.number(100 * run['good_share'], 2)} % of the answers came in time ({run['good_basis']}); "
        f"{run['requests_failed']:,.0f} of {sent:,.0f} requests failed."
    )
    return Finding("good_share", exactly(run["good_share"]), unit, sentence, notes=assessed.notes)


def energy(assessed: Assessed) -> Finding:
    """Joules per token, where the power of every accelerator was recorded."""
    unit, runs = "joules per output token, of the accelerators alone", assessed.runs.dropna(subset="joules")
    if runs.empty:
        why = "No file holds the power of every accelerator: the energy of a token is not known."
        return nothing("joules_per_token", unit, why)
    ends = Interval(runs["joules"].min(), runs["joules"].max())
    sentence = f"A token takes {ends.text()} joules of the accelerators, without the rest of the system."
    return Finding("joules_per_token", ends, unit, sentence, notes=assessed.notes)


def roofline(assessed: Assessed) -> Finding:
    """How far below its physical ceiling the best run stays."""
    unit, run = "share of the ceiling that memory traffic and arithmetic set", assessed.best
    if pd.isna(run["of_ceiling"]):
        why = (
            "The ceiling is not known: it takes the concurrency, the tokens of a request, the precision and the "
            "accelerator's datasheet."
        )
        return nothing("share_of_ceiling", unit, why)
    sentence = (
        f"The run reaches {interval.number(100 * run['of_ceiling'], 2)} % of what {run['bound']} allows at this "
        "concurrency."
    )
    share = exactly(run["of_ceiling"])
    return Finding("share_of_ceiling", share, unit, sentence, ["datasheets"], assessed.notes)


def share_of_offline(assessed: Assessed) -> Finding:
    """The share of the nearest system's Offline rate, without the latency limits."""
    name, run = "share_of_offline", assessed.best
    if pd.isna(run["of_offline_low"]):
        return nothing(name, SHARE, f"The nearest system ({run['nearest'] or 'none'}) has no Offline row: not known.")
    ends = Interval(run["of_offline_low"], run["of_offline_high"])
    share_of = f"{ends.text(2)} times" if ends.low > 1 else _percent(ends.low, ends.high)
    answered = share(assessed)
    headline = "with answers that come too late counted in, your share of the nearest system's Offline rate is "
    headline = f"{headline}{share_of}."
    if answered.value is None:
        return replace(answered, name=name, value=ends, headline=opening(headline))
    apart = max(ends.low - answered.value.high, answered.value.low - ends.high) > APART
    return replace(answered, name=name, value=ends, headline=f"{'Yes' if apart else 'No'}: {headline}")


def front(assessed: Assessed) -> Finding:
    """How many runs are on the front of throughput against interactivity, and what they give."""
    name, unit = "runs_on_the_front", "runs that no other beats in throughput and interactivity"
    on_front = assessed.runs[assessed.runs["best"]]
    if on_front.empty:
        return nothing(name, unit, "No run says how long a token takes: no front can be drawn.")
    runs = counted(len(assessed.runs), "run")
    count = f"{len(on_front)} of {runs} {'are' if len(on_front) > 1 else 'is'} on the front"
    ordered = on_front.iloc[interval.of(on_front, "interactivity").middle.argsort(kind="stable")]
    slowest, fastest = (
        (ranged(run, "per_accelerator"), ranged(run, "interactivity")) for run in (ordered.iloc[0], ordered.iloc[-1])
    )
    headline = f"{count}: {slowest[0]} tokens/s per accelerator at {slowest[1]} tokens/s per user"
    headline += f", {fastest[0]} at {fastest[1]}." if fastest != slowest else "."
    return Finding(name, exactly(len(on_front)), unit, headline, notes=assessed.notes)


def front_rows(assessed: Assessed) -> pd.DataFrame:
    """The runs that the figure draws, each with its words; only those with an interactivity."""
    runs = assessed.runs.dropna(subset=["interactivity_low"])
    return runs.assign(label=[_short(run) for run in as_dicts(runs)])


def sample(assessed: Assessed) -> str:
    """What is set over a page of example files; "" for files of the user's own."""
    return SAMPLE if assessed.runs["example"].any() else ""


def official(assessed: Assessed) -> pd.DataFrame:
    """The official rows that the share is of."""
    return cost.behind(assessed.limited.rows, assessed.best["accelerator"])


def bars(assessed: Assessed) -> pd.DataFrame:
    """Per accelerator: the run and the official rows of the accelerator, as a range chart draws them."""
    run = assessed.best
    series_of_runs = "example" if sample(assessed) else "measured"
    rows = [
        ("yours", series_of_runs, run["per_accelerator_low"], run["per_accelerator_high"]),
        (f"official {assessed.limited.question.scenario}", "official", run["official_low"], run["official_high"]),
        ("roofline", "derived", run["ceiling"], run["ceiling"]),
    ]
    frame = pd.DataFrame(rows, columns=["what", "series", "rate_low", "rate_high"]).dropna()
    origin = frame["series"].where(frame["series"].isin(["measured", "official"]), "published")
    return frame.assign(accelerator=run["accelerator"], derived=frame["series"].eq("derived"), origin=origin)


def table(assessed: Assessed) -> pd.DataFrame:
    """The runs with their words, for the table."""
    return assessed.runs.assign(label=[_short(run) for run in as_dicts(assessed.runs)])


def known(assessed: Assessed, columns: dict[str, str]) -> dict[str, str]:
    """The columns of `table` of which some run says something."""
    stated = table(assessed).notna().any()
    return {name: header for name, header in columns.items() if stated[name if name in stated else f"{name}_low"]}


def drawn(assessed: Assessed) -> pd.DataFrame:
    """The rows behind the figures, for their source line: official ones, and datasheets where a ceiling is drawn."""
    sources = _sources(assessed.best) + ["datasheets"] * pd.notna(assessed.best["ceiling"])
    return pd.DataFrame({"source_ids": [tuple(sources)]})


def source(assessed: Assessed, line: str) -> str:
    """The source line of a figure, with the files that were measured; files alone where no source is drawn."""
    files = ", ".join(dict.fromkeys(assessed.runs["file"]))
    return f"{line} Runs: {files}." if cited(drawn(assessed)) else f"Sources: {files}."


def _percent(low: float, high: float) -> str:
    return f"{interval.text(100 * low, 100 * high, 2)} %"


def _short(run: dict) -> str:
    """What tells a run from the others: its load, else where it stands."""
    if pd.notna(run["concurrency"]):
        return f"{run['concurrency']:,.0f} at a time"
    rate = run["request_rate"]
    return f"{interval.number(rate)} requests/s" if 0 < rate < float("inf") else run["place"] or run["file"]


def _sources(run: dict) -> list[str]:
    return list(run["source_ids"])
