"""The words of the deployment report, from an assessment."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis.answers.words import listed, ranged
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval
from analysis.themes.assessment import Assessed

LOST = {
    "latency limits": "latency limits",
    "requests at a time": "so few requests at a time",
    "software and set-up": "software and set-up",
    "answers in time": "answers that come too late",
}
SHARE = "share of the official throughput per accelerator"


def share(assessed: Assessed) -> Finding:
    """What fraction of the benchmark the best run reaches."""
    run, topic = assessed.best, assessed.limited.topic
    if pd.isna(run["derate_low"]):
        why = f"No official row of {run['accelerator']} on {topic} in these rounds: no share can be told."
        return nothing("share_of_official", SHARE, why)
    sentence = (
        f"{_load(run)}, {run['accelerator_count']} {run['accelerator']} give "
        f"{interval.number(run['output_tokens_per_s'])} output tokens per second: "
        f"{_percent(run['derate_low'], run['derate_high'])} of what official {topic} systems give per accelerator "
        f"({run['systems']})."
    )
    ends = Interval(run["derate_low"], run["derate_high"])
    return Finding("share_of_official", ends, SHARE, sentence, _sources(run), assessed.notes)


def gap(assessed: Assessed) -> Finding:
    """Where most of the gap goes."""
    start = "Offline" if pd.notna(assessed.best["latency_low"]) else assessed.limited.question.scenario
    unit = f"share of the nearest system's {start} rate that the step takes"
    known, run = assessed.gap.dropna(subset="share_low"), assessed.best
    if pd.isna(run["of_nearest_low"]):
        why = f"No official row of {run['accelerator']} is comparable: where the throughput goes is not known."
        return nothing("largest_loss", unit, why)
    known = known.sort_values("lost_high", ascending=False, kind="stable")
    lost, gained = known[known["lost_high"] > 0], known[known["lost_high"] < 0]
    words = [f"{_percent(row['lost_low'], row['lost_high'])} {'is lost ' * (at == 0)}to {LOST[row['step']]}"
             for at, row in enumerate(lost.to_dict("records"))]  # fmt: skip
    words += [f"{_percent(-row['lost_high'], -row['lost_low'])} {'is gained ' * (at == 0)}on {LOST[row['step']]}"
              for at, row in enumerate(gained.to_dict("records"))]  # fmt: skip
    left = _percent(known["share_low"].prod(), known["share_high"].prod())
    steps = listed(words, most=len(words)) or "nothing is lost"
    sentence = f"Of the nearest system's {start} rate, {steps}; {left} is left."
    most = known.iloc[0]
    ends = Interval(most["lost_low"], most["lost_high"])
    return Finding("largest_loss", ends, unit, sentence, _sources(run), assessed.notes)


def saving(assessed: Assessed) -> Finding:
    """What closing the gap would save, at the same tokens per second."""
    unit, run = "US dollars an hour for the accelerators that the official rate would leave over", assessed.best
    if not assessed.price.known:
        why = f"No price of {run['accelerator']} is known, so nothing tells what a token costs: give prices."
        return nothing("saved_by_closing_the_gap", unit, why)
    cost = (
        f"A million output tokens cost {interval.of(run, 'usd_per_million').text()} US dollars here, at "
        f"{assessed.price.text()} for an accelerator-hour"
    )
    if pd.isna(run["saved_low"]):
        why = f"{cost}; without an official row nothing tells what closing the gap would save."
        return replace(nothing("saved_by_closing_the_gap", unit, why), notes=assessed.notes)
    saved = interval.of(run, "saved")
    sentence = (
        f"{cost}; at the official rate {interval.of(run, 'enough').text()} of the {run['accelerator_count']} "
        f"accelerators would give the same tokens, which would save {saved.text()} of "
        f"{interval.of(run, 'usd_per_hour').text()} dollars an hour."
    )
    return Finding("saved_by_closing_the_gap", saved, unit, sentence, _sources(run), assessed.notes)


def limits(assessed: Assessed) -> Finding:
    """How many runs hold the latency limits, and the fastest that does."""
    unit, runs = "runs whose latency at the 99th percentile is within both limits", assessed.runs
    judged = runs[runs["ttft_held"].notna() & runs["tpot_held"].notna()]
    if judged.empty:
        why = f"No limit of {assessed.limited.topic} or no 99th percentile is known: give ttft_ms and tpot_ms."
        return nothing("runs_within_limits", unit, why)
    held = int((judged["ttft_held"] & judged["tpot_held"]).sum())
    sentence = (
        f"{held} of {len(judged)} runs hold both limits at the 99th percentile, {interval.number(assessed.ttft_ms)} ms "
        f"to the first token and {interval.number(assessed.tpot_ms)} ms for each further one."
    )
    return Finding("runs_within_limits", exactly(held), unit, sentence, notes=assessed.notes)


def goodput(assessed: Assessed) -> Finding:
    """The share of answers that users could use."""
    unit, run = "share of completed requests within the latency limits", assessed.best
    if pd.isna(run["good_share"]):
        why = "The file holds neither goodput nor latencies of each request: how many were in time is not known."
        return nothing("good_share", unit, why)
    sent = run["requests_completed"] + run["requests_failed"]
    sentence = (
        f"{interval.number(100 * run['good_share'])} % of the answers came in time ({run['good_basis']}); "
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
        why = "The ceiling is not known: it takes the concurrency, the precision and the accelerator's datasheet."
        return nothing("share_of_ceiling", unit, why)
    sentence = (
        f"At this concurrency and precision {run['bound']} sets the ceiling at {interval.number(run['ceiling'])} "
        f"tokens per second for each accelerator; the run reaches "
        f"{interval.number(100 * run['of_ceiling'], 2)} % of it."
    )
    share = exactly(run["of_ceiling"])
    return Finding("share_of_ceiling", share, unit, sentence, ["datasheets"], assessed.notes)


def share_of_offline(assessed: Assessed) -> Finding:
    """The share of the nearest system's Offline rate, without the latency limits."""
    name, run = "share_of_offline", assessed.best
    if pd.isna(run["of_offline_low"]):
        return nothing(name, SHARE, f"The nearest system ({run['nearest'] or 'none'}) has no Offline row: not known.")
    ends = Interval(run["of_offline_low"], run["of_offline_high"])
    headline = f"Against the Offline throughput of the nearest system the share is {_percent(ends.low, ends.high)}."
    return replace(share(assessed), name=name, value=ends, headline=headline)


def front(assessed: Assessed) -> Finding:
    """How many runs are on the front of throughput against interactivity, and what they give."""
    name, unit, best = "runs_on_the_front", "runs that no other beats in throughput and interactivity", assessed.runs
    best = best[best["best"]]
    if best.empty:
        return nothing(name, unit, "No run says how long a token takes: no front can be drawn.")
    speed, rate = ranged(best, "interactivity"), ranged(best, "per_accelerator")
    headline = (
        f"{len(best)} of {len(assessed.runs)} runs are on the front: {rate} tokens/s for each accelerator while users "
        f"see {speed} tokens/s."
    )
    return Finding(name, exactly(len(best)), unit, headline, notes=assessed.notes)


def front_rows(assessed: Assessed) -> pd.DataFrame:
    """The runs that the figure draws, each with its words; only those with an interactivity."""
    runs = assessed.runs.dropna(subset=["interactivity_low"])
    return runs.assign(label=[_short(run) for run in runs.to_dict("records")])


def bars(assessed: Assessed) -> pd.DataFrame:
    """Per accelerator: the run and the official rows of the accelerator, as a range chart draws them."""
    run = assessed.best
    own = "example" if assessed.runs["example"].any() else "measured"
    rows = [
        ("this deployment", own, run["per_accelerator_low"], run["per_accelerator_high"]),
        (f"official {assessed.limited.question.scenario}", "official", run["official_low"], run["official_high"]),
        ("ceiling at this concurrency", "derived", run["ceiling"], run["ceiling"]),
    ]
    frame = pd.DataFrame(rows, columns=["what", "series", "rate_low", "rate_high"]).dropna()
    origin = frame["series"].where(frame["series"].isin(["measured", "official"]), "published")
    return frame.assign(accelerator=run["accelerator"], derived=frame["series"].eq("derived"), origin=origin)


def table(assessed: Assessed) -> pd.DataFrame:
    """The runs with their words, for the table."""
    return assessed.runs.assign(label=[_short(run) for run in assessed.runs.to_dict("records")])


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
    return f"{interval.text(100 * low, 100 * high)} %"


def _load(run: dict) -> str:
    known = pd.notna(run["concurrency"])
    return f"At {run['concurrency']:,.0f} requests at a time" if known else "At the measured load"


def _short(run: dict) -> str:
    known = pd.notna(run["concurrency"])
    return f"{run['concurrency']:,.0f} at a time" if known else run["place"] or run["file"]


def _sources(run: dict) -> list[str]:
    return list(run["source_ids"])
