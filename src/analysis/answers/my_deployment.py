"""The words of the deployment report, from an assessment; making numbers does not belong here."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis.answers.words import listed
from analysis.core import interval
from analysis.core.findings import Finding, nothing
from analysis.themes.assessment import Assessed

LOST = {
    "latency limits": "latency limits",
    "requests at a time": "so few requests at a time",
    "software and set-up": "software and set-up",
    "answers in time": "answers that come too late",
}
SHARE = "share of the official throughput per accelerator"


def share(found: Assessed) -> Finding:
    """What fraction of the benchmark the best run reaches."""
    run, topic = found.best, found.limited.topic
    if pd.isna(run["derate_low"]):
        why = f"No official row of {run['accelerator']} on {topic} in these rounds: no share can be told."
        return nothing("share_of_official", SHARE, why)
    sentence = (
        f"{_said(run)}, {run['accelerator_count']} {run['accelerator']} give "
        f"{interval.number(run['output_tokens_per_s'])} output tokens per second: "
        f"{_percent(run['derate_low'], run['derate_high'])} of what official {topic} systems give per accelerator."
    )
    ends = run["derate_low"], run["derate_high"]
    return Finding("share_of_official", *ends, SHARE, sentence, _sources(run), found.caveats)


def gap(found: Assessed) -> Finding:
    """Where most of the gap goes."""
    start = "Offline" if pd.notna(found.best["latency_low"]) else found.limited.question.scenario
    unit = f"share of the nearest system's {start} rate that the step takes"
    known, run = found.gap.dropna(subset="share_low"), found.best
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
    ends = most["lost_low"], most["lost_high"]
    return Finding("largest_loss", *ends, unit, sentence, _sources(run), found.caveats)


def saving(found: Assessed) -> Finding:
    """What closing the gap would save, at the same tokens per second."""
    unit, run = "US dollars an hour for the accelerators that the official rate would leave over", found.best
    if not found.price.known:
        why = f"No price of {run['accelerator']} is known, so nothing tells what a token costs: give prices."
        return nothing("saved_by_closing_the_gap", unit, why)
    cost = (
        f"A million output tokens cost {interval.text(run['usd_per_million_low'], run['usd_per_million_high'])} US "
        f"dollars here, at {interval.text(found.price.low, found.price.high)} for an accelerator-hour"
    )
    if pd.isna(run["saved_low"]):
        why = f"{cost}; without an official row nothing tells what closing the gap would save."
        return replace(nothing("saved_by_closing_the_gap", unit, why), caveats=found.caveats)
    sentence = (
        f"{cost}; at the official rate {interval.text(run['enough_low'], run['enough_high'])} of the "
        f"{run['accelerator_count']} accelerators would give the same tokens, which would save "
        f"{interval.text(run['saved_low'], run['saved_high'])} of "
        f"{interval.text(run['usd_per_hour_low'], run['usd_per_hour_high'])} dollars an hour."
    )
    ends = run["saved_low"], run["saved_high"]
    return Finding("saved_by_closing_the_gap", *ends, unit, sentence, _sources(run), found.caveats)


def limits(found: Assessed) -> Finding:
    """How many runs hold the latency limits, and the fastest that does."""
    unit, runs = "runs whose latency at the 99th percentile is within both limits", found.runs
    judged = runs[runs["ttft_held"].notna() & runs["tpot_held"].notna()]
    if judged.empty:
        why = f"No limit of {found.limited.topic} or no 99th percentile is known: give ttft_ms and tpot_ms."
        return nothing("runs_within_limits", unit, why)
    held = int((judged["ttft_held"] & judged["tpot_held"]).sum())
    sentence = (
        f"{held} of {len(judged)} runs hold both limits at the 99th percentile, {interval.number(found.ttft_ms)} ms to "
        f"the first token and {interval.number(found.tpot_ms)} ms for each further one."
    )
    return Finding("runs_within_limits", held, held, unit, sentence, caveats=found.caveats)


def goodput(found: Assessed) -> Finding:
    """The share of answers that users could use."""
    unit, run = "share of completed requests within the latency limits", found.best
    if pd.isna(run["good_share"]):
        why = "The file holds neither goodput nor latencies of each request: how many were in time is not known."
        return nothing("good_share", unit, why)
    sent = run["requests_completed"] + run["requests_failed"]
    sentence = (
        f"{interval.number(100 * run['good_share'])} % of the answers came in time ({run['good_basis']}); "
        f"{run['requests_failed']:,.0f} of {sent:,.0f} requests failed."
    )
    return Finding("good_share", run["good_share"], run["good_share"], unit, sentence, caveats=found.caveats)


def energy(found: Assessed) -> Finding:
    """Joules per token, where the power of every accelerator was recorded."""
    unit, runs = "joules per output token, of the accelerators alone", found.runs.dropna(subset="joules")
    if runs.empty:
        why = "No file holds the power of every accelerator: the energy of a token is not known."
        return nothing("joules_per_token", unit, why)
    low, high = runs["joules"].min(), runs["joules"].max()
    sentence = f"A token takes {interval.text(low, high)} joules of the accelerators, without the rest of the system."
    return Finding("joules_per_token", low, high, unit, sentence, caveats=found.caveats)


def roofline(found: Assessed) -> Finding:
    """How far below its physical ceiling the best run stays."""
    unit, run = "share of the ceiling that memory traffic and arithmetic set", found.best
    if pd.isna(run["of_ceiling"]):
        why = "The ceiling is not known: it takes the concurrency, the precision and the accelerator's datasheet."
        return nothing("share_of_ceiling", unit, why)
    sentence = (
        f"At this concurrency and precision {run['bound']} sets the ceiling at {interval.number(run['ceiling'])} "
        f"tokens per second for each accelerator; the run reaches "
        f"{interval.number(100 * run['of_ceiling'], 2)} % of it."
    )
    ends = run["of_ceiling"], run["of_ceiling"]
    return Finding("share_of_ceiling", *ends, unit, sentence, ["datasheets"], found.caveats)


def other_choice(found: Assessed) -> Finding:
    """The share of the nearest system's Offline rate, without the latency limits."""
    name, run = "share_of_offline", found.best
    if pd.isna(run["of_offline_low"]):
        return nothing(name, SHARE, f"The nearest system ({run['nearest'] or 'none'}) has no Offline row: not known.")
    ends = run["of_offline_low"], run["of_offline_high"]
    sentence = f"Against the Offline throughput of the nearest system the share is {_percent(*ends)}."
    return replace(share(found), name=name, low=ends[0], high=ends[1], sentence=sentence)


def subtitle(found: Assessed, words: str) -> str:
    """The subtitle of a figure of the runs, with what they must still say behind it."""
    return f"{words} Caveat: {'; '.join(found.caveats)}." if found.caveats else words


def front_title(found: Assessed) -> str:
    """The claim of the figure of throughput against interactivity."""
    best = found.runs[found.runs["best"]]
    if best.empty:
        return "No run says how long a token takes: no front can be drawn."
    speed = interval.text(best["interactivity_low"].min(), best["interactivity_high"].max())
    rate = interval.text(best["per_accelerator_low"].min(), best["per_accelerator_high"].max())
    return (
        f"{len(best)} of {len(found.runs)} runs are on the front: {rate} tokens/s for each accelerator while users see "
        f"{speed} tokens/s."
    )


def front_rows(found: Assessed) -> pd.DataFrame:
    """The runs that the figure draws, each with its words; only those with an interactivity."""
    runs = found.runs.dropna(subset=["interactivity_low"])
    return runs.assign(label=[_short(run) for run in runs.to_dict("records")])


def bars(found: Assessed) -> pd.DataFrame:
    """Per accelerator: the run and the official rows of the accelerator, as a range chart draws them."""
    run = found.best
    own = "example" if found.runs["example"].any() else "measured"
    rows = [
        ("this deployment", own, run["per_accelerator_low"], run["per_accelerator_high"]),
        (f"official {found.limited.question.scenario}", "official", run["official_low"], run["official_high"]),
        ("ceiling at this concurrency", "derived", run["ceiling"], run["ceiling"]),
    ]
    frame = pd.DataFrame(rows, columns=["what", "series", "rate_low", "rate_high"]).dropna()
    return frame.assign(accelerator=run["accelerator"], derived=frame["series"].eq("derived"))


def table(found: Assessed) -> pd.DataFrame:
    """The runs with their words, for the table."""
    return found.runs.assign(label=[_short(run) for run in found.runs.to_dict("records")])


def known(found: Assessed, columns: dict[str, str]) -> dict[str, str]:
    """The columns of `table` of which some run says something."""
    said = table(found).notna().any()
    return {name: header for name, header in columns.items() if said[name if name in said else f"{name}_low"]}


def drawn(found: Assessed) -> pd.DataFrame:
    """The rows behind the figures, for their source line: official ones, and datasheets where a ceiling is drawn."""
    sources = _sources(found.best) + ["datasheets"] * pd.notna(found.best["ceiling"])
    return pd.DataFrame({"source_ids": sources})


def source(found: Assessed, line: str) -> str:
    """The source line of a figure, with the files that were measured; files alone where no source is drawn."""
    files = ", ".join(dict.fromkeys(found.runs["file"]))
    return f"{line} Runs: {files}." if line.startswith("Sources") else f"Sources: {files}."


def _percent(low: float, high: float) -> str:
    return f"{interval.text(100 * low, 100 * high)} %"


def _said(run: dict) -> str:
    known = pd.notna(run["concurrency"])
    return f"At {run['concurrency']:,.0f} requests at a time" if known else "At the measured load"


def _short(run: dict) -> str:
    known = pd.notna(run["concurrency"])
    return f"{run['concurrency']:,.0f} at a time" if known else run["place"] or run["file"]


def _sources(run: dict) -> list[str]:
    return [each for each in run["source_ids"].split(", ") if each]
