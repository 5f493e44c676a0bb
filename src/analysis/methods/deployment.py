"""A user's own runs and official results: what they ran on, how they differ, where throughput is lost.

All functions take frames of runs (one row per run, columns of MeasuredRun) or of comparable rows.
Rates are output tokens per second.
"""

from __future__ import annotations

import re
from collections.abc import KeysView, Mapping

import numpy as np
import pandas as pd

from analysis._core import interval, round_order, vocabulary
from analysis._core.cell_lists import cell_values
from analysis._core.choices import folded, spelled
from analysis._core.citation import cited
from analysis._core.interval import Interval
from analysis._core.parameters import MyDeployment
from analysis._core.plain_values import as_dicts, frame_of
from analysis._core.refusal import Refused
from analysis._core.vocabulary import SERVING_SOFTWARE
from analysis.methods import cost

DRIVEN_AS = {"Interactive": "Server"}  # what LoadGen's log says of a scenario that has other limits alone
ANSWERED = 0.9  # of the requests sent a second: answers that lag by less do so for the end of a run, not for its load
FORMS = ("sxm", "pcie", "nvl")  # of one model, with other memory and power


class Unsaid(Refused):
    """A value that a measurement file lacks must be given; the text names it and the valid choices."""


def settle(
    runs: pd.DataFrame, aliases: Mapping[str, str], benchmarks: pd.DataFrame, by_user: MyDeployment
) -> pd.DataFrame:
    """Return the runs with accelerator, accelerator_count, benchmark and precision, from the file or from `by_user`.

    Of what the user states, "" or 0 leaves it to the file; `scenario` is that of the official rows.

    Added: benchmark, rate_low/high (of the system), per_accelerator_low/high, load (see load). Nothing is guessed:
    raises Unsaid for an accelerator, a count or a benchmark that neither says, or that both say differently, for a
    benchmark that counts no tokens, a log of another scenario, and telemetry of other accelerators.
    """
    rows = []
    for run in as_dicts(runs):
        _check_scenario(run, by_user)
        accelerator, count = _accelerator(run, aliases, by_user), _count(run, by_user)
        rate = run["output_tokens_per_s"]
        rows.append(
            run
            | {"accelerator": accelerator, "accelerator_count": count}
            | {
                "benchmark": _benchmark(run, benchmarks, by_user),
                "precision": by_user.precision or vocabulary.precision(run["precision"]),
            }
            | Interval(rate, rate).columns("rate")
            | Interval(rate / count, rate / count).columns("per_accelerator")
            | {"load": load(run)}
        )
    return pd.DataFrame(rows)


def load(run: Mapping) -> str:
    """Return the load of a run, without which its throughput says nothing about the system.

    "light": requests arrived at a rate and were answered as fast, so that throughput is that of arrivals. Else
    "capped": concurrency was limited. Else "full": requests arrived faster than they were answered, or all at once.
    "": unknown.
    """
    asked, answered = run["request_rate"], run["requests_per_s"]
    answered = run["requests_completed"] / run["duration_s"] if pd.isna(answered) else answered
    if np.isfinite(asked) and answered >= ANSWERED * asked:
        return "light"
    if pd.notna(run["concurrency"]):
        return "capped"
    behind = np.isinf(asked) or answered < ANSWERED * asked or run["scenario"] == "Offline"
    return "full" if behind else ""


def against(runs: pd.DataFrame, limited: pd.DataFrame, offline: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with official rows of their accelerator, all per accelerator.

    `limited` and `offline` are comparable official rows of the scenario under latency limits and of Offline. Added:
    official_low/high (over the systems of one kind, see cost.rate_rows), systems (how many of how many, in words),
    derate_low/high (the run over that range), nearest (result id, else row id), nearest_low/high, of_nearest_low/high,
    latency_low/high (what the limit leaves of the nearest system's Offline rate, NaN where it has none),
    of_offline_low/high, source_ids. NaN and "" without a row of the accelerator.
    """
    rows = []
    for run in as_dicts(runs):
        near = nearest(run, limited[limited["accelerator"].eq(run["accelerator"])], offline)
        near_offline = offline[offline["system_key"].eq(near["system_key"])] if near is not None else offline.head(0)
        behind = cost.rate_rows(limited, run["accelerator"])
        beside = _beside(interval.of(run, "per_accelerator"), behind, near, near_offline)
        rows.append(run | beside | {"systems": cost.scope(limited, run["accelerator"], behind)})
    return pd.DataFrame(rows)


def nearest(run: Mapping, rows: pd.DataFrame, offline: pd.DataFrame) -> pd.Series | None:
    """Return the official row most like the run: by count, precision, software, then one with an Offline row too.

    Among equals the newest round and the fastest counts. None without rows.
    """
    if rows.empty:
        return None
    ranks = pd.DataFrame({
        "count": (rows["accelerator_count"].astype(float) / run["accelerator_count"]).map(np.log).abs(),
        "precision": rows["precision"].ne(run["precision"]),
        "software": [not served for served in _served_alike(run, rows)],
        "alone": ~rows["system_key"].isin(offline["system_key"]),
        "age": -round_order.of(rows["round"]),
        "rate": -rows["per_accelerator_high"],
    })  # fmt: skip
    return rows.loc[ranks.sort_values(list(ranks), kind="stable").index[0]]


def differences(run: Mapping, row: pd.Series | None, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Return how a run and its nearest official row differ: what, here, there; only what differs or is unknown."""
    if row is None:
        return pd.DataFrame(columns=["what", "here", "there"])
    identity = benchmarks.set_index("benchmark").loc[run["benchmark"]]
    tokens = row["tokens_per_sample"] if pd.notna(row["tokens_per_sample"]) else identity["tokens_per_sample_high"]
    lines = [
        ("model", run["model"] or "not said", identity["model"]),
        ("precision", run["precision"] or "not said", row["precision"] or "not declared"),
        ("accelerators", _number(run["accelerator_count"]), _number(row["accelerator_count"])),
        ("concurrency", _number(run["concurrency"]), _number(row["batch_size"])),
        ("output tokens per request", _number(run["output_tokens"] / run["requests_completed"]), _number(tokens)),
        ("input tokens per request", _number(run["input_tokens"] / run["requests_completed"]), "not stated"),
        ("date or round", _day(run["date"]) or "no date", row["round"]),
        ("software", run["software"] or "not said", row["framework"] or "not stated"),
        ("arrival of requests", _arrivals(run), f"{row['scenario']} of LoadGen"),
    ]
    return pd.DataFrame([line for line in lines if not _same(*line)], columns=["what", "here", "there"])


def gap(run: Mapping) -> pd.DataFrame:
    """Return where throughput is lost, from the nearest system's Offline rate to responses within the limits.

    Columns: step, share_low, share_high (of the step before; NaN if unknown), lost_low, lost_high (share of the Offline
    rate, below zero for a gain), known_from. Known shares multiply to the useful share of the Offline rate; where they
    are single numbers, losses and that share add up to 1. The loss to low concurrency is the ceiling of the run
    (serving.ceiling) over the nearest system's rate, at most 1. The rest is software and setup, or also load where that
    was light, unknown, or capped below an unknown ceiling. Failed requests have no output tokens: they are in the rest.
    """
    few_requests = _of_few_requests(run)
    loaded = run["load"] == "full" or (run["load"] == "capped" and few_requests.known)
    rest = interval.of(run, "of_nearest") / (few_requests if few_requests.known else 1.0)
    steps = [
        ("latency limits", interval.of(run, "latency"), "the nearest system's two scenarios"),
        ("low concurrency", few_requests, "roofline at this concurrency over the nearest system's rate"),
        ("software and setup" if loaded else "load or software", rest, "remaining gap to the nearest system"),
        ("SLO misses", Interval(run["good_share"], run["good_share"]), "the measurement"),
    ]
    rows, remaining = [], Interval(1.0, 1.0)
    for step, share, known_from in steps:
        ends = share.columns("share") | _lost(remaining, share).columns("lost")
        rows.append({"step": step, **ends, "known_from": known_from})
        remaining = remaining * share if share.known else remaining
    return frame_of(rows, list(rows[0]))


def _lost(remaining: Interval, share: Interval) -> Interval:
    """remaining x (1 - share), of whatever sign: the least and the most over the ends of both; NaN where share is."""
    ends = [before * (1 - kept) for before in (remaining.low, remaining.high) for kept in (share.low, share.high)]
    return Interval(float(np.min(ends)), float(np.max(ends)))


def _of_few_requests(run: Mapping) -> Interval:
    """Return the run's ceiling over the rate of the nearest system, at most 1; unknown without a ceiling."""
    near = np.sqrt(run["nearest_low"] * run["nearest_high"])
    share = float(np.minimum(run["ceiling"] / near, 1.0))
    return Interval(share, share)


def _accelerator(run: Mapping, aliases: Mapping[str, str], by_user: MyDeployment) -> str:
    stated = run["accelerator"]
    named = aliases.get(folded(stated), "")
    valid = f"valid: {', '.join(dict.fromkeys(aliases.values()))}"
    if by_user.accelerator and by_user.accelerator not in aliases.values():
        raise Unsaid(f"{run['file']}: no accelerator {by_user.accelerator!r}; {valid}")
    if stated and not (named or by_user.accelerator):
        raise Unsaid(f"{run['file']}: its accelerator {stated!r} is not known; {valid}")
    if named and by_user.accelerator and named != by_user.accelerator:
        raise Unsaid(f"{run['file']}: says it ran on {named}, but accelerator is given as {by_user.accelerator}")
    if not (named or by_user.accelerator):
        raise Unsaid(f"{run['file']}: does not say its accelerator{_listed(run)}: give accelerator; {valid}")
    accelerator = named or by_user.accelerator
    for device in run["devices"]:
        if not _may_be(device, accelerator, aliases):
            raise Unsaid(f"{run['file']}: {_telemetry(run)}, but accelerator is given as {accelerator}")
    return accelerator


def _telemetry(run: Mapping) -> str:
    return f"its telemetry lists {len(run['devices'])} x {', '.join(sorted(set(run['devices'])))}"


def _listed(run: Mapping) -> str:
    """What telemetry lists, in brackets; "" without it."""
    return f" ({_telemetry(run)})" if run["devices"] else ""


def _may_be(device: str, accelerator: str, aliases: Mapping[str, str]) -> bool:
    """Whether telemetry that names a device may be of the accelerator, which it may name less exactly.

    A device of a known name is the same part, or one of the two is a variant of the other; of another name it is known
    by the model's number, such as MI300X, and by its form where it says one.
    """
    named, words = aliases.get(folded(device)), _words(accelerator)
    if named:
        return words <= _words(named) or _words(named) <= words
    model = next((word for word in words if re.search(r"\d", word)), "")
    forms = [{form for form in FORMS if form in name.lower()} for name in (device, accelerator)]
    return (not model or model in _words(device)) and (not all(forms) or forms[0] == forms[1])


def _words(name: str) -> KeysView[str]:
    """The words of an accelerator's name in order, without its memory."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    return dict.fromkeys(word for word in words if not re.fullmatch(r"\d+gb", word)).keys()


def _check_scenario(run: Mapping, by_user: MyDeployment) -> None:
    logged = run["scenario"].lower()
    may_be = [name for name in vocabulary.DATACENTER if DRIVEN_AS.get(name, name).lower() == logged]
    if run["scenario"] and by_user.scenario and by_user.scenario not in may_be:
        raise Unsaid(
            f"{run['file']}: is a log of {run['scenario']}, but is compared with {by_user.scenario}: give scenario "
            f"{' or '.join(may_be) or 'of another run, for this one is compared with none'}"
        )


def _count(run: Mapping, by_user: MyDeployment) -> int:
    stated, given = int(run["accelerator_count"]), by_user.accelerator_count
    if stated and given and stated != given:
        said = f"{run['file']}: says it ran on {stated} accelerators"
        raise Unsaid(lambda called: f"{said}, but {called('accelerator_count')} is given as {given}")
    if not (stated or given):
        unsaid = f"{run['file']}: does not say how many accelerators it ran on{_listed(run)}"
        raise Unsaid(lambda called: f"{unsaid}: give {called('accelerator_count')}, 1 or more")
    return stated or given


def _benchmark(run: Mapping, benchmarks: pd.DataFrame, by_user: MyDeployment) -> str:
    """The benchmark asked for, or else that of the run's model. Raises Unsaid where they are of two models."""
    in_tokens = benchmarks[benchmarks["offline_unit"].eq(vocabulary.TOKENS)]
    valid, asked, model = ", ".join(in_tokens["benchmark"]), by_user.benchmark, run["model"] or "(not said)"
    if asked and asked not in in_tokens["benchmark"].tolist():
        raise Unsaid(f"{run['file']}: reports tokens, but benchmark {asked} counts none; valid: {valid}")
    of_model = _of_model(model_name(run), in_tokens)
    if not (of_model or asked):
        raise Unsaid(
            f"{run['file']}: its model {model!r} is that of no benchmark: give benchmark, the one to compare with; "
            f"valid: {valid}"
        )
    models = in_tokens.set_index("benchmark")["model"]
    if of_model and asked and models[of_model] != models[asked]:
        raise Unsaid(f"{run['file']}: its model {model!r} is that of {of_model}, but benchmark is given as {asked}")
    return asked or of_model


def _of_model(model: str, in_tokens: pd.DataFrame) -> str:
    """The benchmark whose longest alias a model's name holds; "" for none."""
    best = ("", "")
    for name, aliases in zip(in_tokens["benchmark"], in_tokens["aliases"], strict=True):
        for alias in map(spelled, [name, *cell_values(aliases)]):
            if alias and alias in model and len(alias) > len(best[1]):
                best = (name, alias)
    return best[0]


def _beside(rate: Interval, behind: pd.DataFrame, near: pd.Series | None, near_offline: pd.DataFrame) -> dict:
    official_rate, offline_rate = (interval.span(rows, "per_accelerator") for rows in (behind, near_offline))
    near_rate = interval.UNKNOWN if near is None else interval.of(near, "per_accelerator")
    spans = {
        "official": official_rate,
        "derate": rate / official_rate,
        "nearest": near_rate,
        "of_nearest": rate / near_rate,
        "latency": near_rate / offline_rate,
        "of_offline": rate / offline_rate,
    }
    ends = {column: float(end) for name, ratio in spans.items() for column, end in ratio.columns(name).items()}
    return ends | {
        "nearest": (near["result_id"] or near["id"]) if near is not None else "",
        "source_ids": tuple(cited(behind, near_offline, *([] if near is None else [near]))),
    }


def _served_alike(run: Mapping, rows: pd.DataFrame) -> list[bool]:
    """Whether each row's framework names what served the run: its `software`, else its tool.

    A tool drives servers of other makers too: it counts only where `software` names no serving software, nor anything
    that a row names.
    """
    for text in (run["software"], run["tool"]):
        product = next((named for named in SERVING_SOFTWARE.values() if re.search(named, text, re.IGNORECASE)), "")
        pattern = product or re.escape(text.partition(" ")[0])
        is_named = [bool(pattern and re.search(pattern, name, re.IGNORECASE)) for name in rows["framework"]]
        if product or any(is_named):
            return is_named
    return [False] * len(rows)


def model_name(run: Mapping) -> str:
    """The model of a run without who publishes it, capitals and signs: the same for two spellings of one model."""
    return spelled(run["model"].rpartition("/")[2])


def _number(value: float) -> str:
    if pd.isna(value):
        return "not known"
    return f"{value:,.0f}" if float(value).is_integer() else interval.number(float(value))


def _day(date: str) -> str:
    """The day of a tool's time stamp: 20241105-120000 and 2024-11-05T12:00:00Z alike as 2024-11-05."""
    match = re.match(r"(\d{4})-?(\d\d)-?(\d\d)", date)
    return "-".join(match.groups()) if match else date


def _same(quality: str, of_run: str, of_row: str) -> bool:
    return of_run == of_row or (quality == "model" and spelled(of_row) in spelled(of_run))


def _arrivals(run: Mapping) -> str:
    rate, answered = run["request_rate"], run["requests_per_s"]
    if pd.isna(rate):
        return "not said"
    if np.isinf(rate):
        return "all at once"
    return f"{interval.number(rate)} requests/s" + (
        "" if pd.isna(answered) else f", {interval.number(answered)} answered"
    )
