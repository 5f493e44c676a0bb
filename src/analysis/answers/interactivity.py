"""The words of the report on speed per user, from frames of user_speed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from analysis.answers.words import (
    PROSE,
    counted,
    either,
    finding_name,
    fitting,
    listed,
    many_of,
    opening,
    prose,
    with_article,
)
from analysis.core import interval
from analysis.core.citation import cited
from analysis.core.findings import Finding, exactly, nothing
from analysis.core.interval import Interval, span
from analysis.core.notes import of_rows
from analysis.themes import user_speed
from analysis.themes.benchmark_rules import LIMIT, LOGGED
from analysis.themes.of_a_kind import software
from analysis.themes.user_speed import SCENARIOS

DRAWN, ROWS, ENDED = 8, 10, 3  # curves and rows that are read at a glance, and benchmarks that a sentence names
KEPT = "share of the Offline throughput of the same system that is left at the speed asked for"
SPEED = "tokens per second per user that the fastest official run proves"
MOST = "tokens per second per accelerator, proven, to what the nearest slower run gives"
FAST_OVER_SLOW = "share of a system's throughput in its slowest run under a limit that its fastest one keeps"
FIRST = "seconds to the first token at the 99th percentile"
LEAD = "benchmarks on which the accelerator gives most at the speed"
WATTS = "tokens per second per kilowatt, proven, to what the nearest slower run gives"
RUNS_TABLE = {
    "name": "Accelerator",
    "accelerator_count": "Count",
    "scenario": "Scenario",
    "speed": "Tokens/s per user (p99)",
    "proof": "From",
    "per_accelerator": "Tokens/s per accelerator",
    "tpot_p50_ms": "Per token, p50 (ms)",
    "tpot_p99_ms": "Per token, p99 (ms)",
    "ttft_p50_ms": "First token, p50 (ms)",
    "ttft_p99_ms": "First token, p99 (ms)",
    "submitter": "Submitter",
    "result_id": "Result id",
    "notes": "Caveat",
}
AT_TABLE = {
    "asked": "At tokens/s per user",
    "name": "Accelerator",
    "rate": "Tokens/s per accelerator",
    "kept": "Of its Offline (ratio)",
    "speed": "Proven at tokens/s per user",
    "submitter": "Submitter",
    "accelerator_count": "Count",
    "notes": "Caveat",
}
Names = Callable[[str], str]


def headline_speed(given: pd.DataFrame) -> float | None:
    """The fastest asked speed that an accelerator on sale proves; None where none is proven."""
    proven = user_speed.most(given)
    return float(proven["asked"].max()) if len(proven) else None


def behind(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs that the answer rests on: those that prove a speed, on sale where there are such."""
    with_speed = runs[runs["speed"].notna()]
    sold = with_speed[with_speed["on_sale"].astype(bool)]
    return sold if len(sold) else with_speed


def basis(runs: pd.DataFrame) -> list[str]:
    """What the trust line says beside its rows: where the speeds come from."""
    proofs = behind(runs)["proof"]
    logged = int(proofs.eq(LOGGED).sum())
    return [f"{logged} of {len(proofs)} speeds from logs"] if len(proofs) else []


def left(given: pd.DataFrame, runs: pd.DataFrame, label: str, name: Names) -> Finding:
    """What is left at the fastest asked speed that is proven: who gives most there, and the share that it keeps."""
    speed = headline_speed(given)
    if speed is None:
        return nothing("left_at_speed", KEPT, _why_nothing(runs, given, label, name))
    rows_at_speed = given[given["asked"].eq(speed) & given["on_sale"] & given["rate_low"].notna()]
    lead, asked = rows_at_speed.iloc[0], interval.number(speed)
    start = f"On {label} at {asked} tokens/s per user {name(lead['accelerator'])} {_gives(speed, given)} most"
    sources, notes = cited(rows_at_speed), of_rows(rows_at_speed)
    if lead["kept_low"] != lead["kept_low"]:
        rate = span(lead, "rate")
        words = f"{start}: {_number(rate.low)} tokens/s per accelerator."
        return Finding("left_at_speed", rate, MOST, words, sources, notes, about=lead["accelerator"])
    kept = span(lead, "kept")
    share = f"{start} and keeps at least {_percent(kept.low)} of its Offline throughput"
    shorter = f"At {asked} tokens/s per user {name(lead['accelerator'])} {_gives(speed, given)} most and keeps"
    values = {finding_name(row["accelerator"]): (span(row, "kept"), KEPT) for _, row in rows_at_speed.iterrows()
              if row["kept_low"] == row["kept_low"]}  # fmt: skip
    least = _percent(kept.low)
    headline = fitting(f"{share}.", f"{shorter} at least {least}.", f"{shorter} {least}.")
    return Finding("left_at_speed", kept, KEPT, headline, sources, notes, about=lead["accelerator"], values=values)


def ends(given: pd.DataFrame, runs: pd.DataFrame, name: Names) -> Finding:
    """What follows: who gives most at each asked speed, and where the record ends."""
    reach = user_speed.fastest(runs)
    if reach.empty:
        return nothing(
            "record_ends",
            SPEED,
            "Choose a language model, and accelerators that ran it in a round whose logs have token latencies.",
        )
    leaders, fastest_run = user_speed.most(given), reach.iloc[0]
    parts = _leaders(leaders, user_speed.undecided(given), name)
    beyond = [interval.number(speed) for speed in dict.fromkeys(given["asked"]) if speed > fastest_run["speed"]]
    end, whose = f"the record ends at {_number(fastest_run['speed'])}", f"({name(fastest_run['accelerator'])})"
    end, short, shortest = f"{end} tokens/s {whose}", f"{end} {whose}", end
    longest = (f"nobody ran {listed(beyond)}, for {end}" if parts else f"No run is faster: {end}") if beyond else end
    headline = fitting(*(f"{'; '.join([*parts, words])}." for words in (longest, short, shortest)))
    fastest_runs = reach[reach["speed"].eq(fastest_run["speed"])]
    return Finding("record_ends", exactly(float(fastest_run["speed"])), SPEED, opening(headline),
                   cited(fastest_runs), of_rows(fastest_runs), about=fastest_run["accelerator"])  # fmt: skip


def falls(curves: pd.DataFrame, label: str, name: Names) -> Finding:
    """What one system keeps of its throughput from its slowest run under a limit to its fastest one."""
    with_speed = curves[curves["speed"].notna() & curves["on_sale"].astype(bool)]
    several = with_speed[with_speed.groupby("accelerator")["speed"].transform("nunique").gt(1)]
    shares = []
    for accelerator, runs_of_system in several.groupby("accelerator", sort=False):
        runs_of_system = runs_of_system.sort_values("speed")
        slowest, fastest = (runs_of_system.iloc[place] for place in (0, -1))
        share = interval.of(fastest, user_speed.PER_ACCELERATOR) / interval.of(slowest, user_speed.PER_ACCELERATOR)
        shares.append((accelerator, share, runs_of_system))
    shares.sort(key=lambda kept: kept[1].high, reverse=True)
    if not shares:
        words = f"No system ran {label} at two speeds that are known: each curve has one."
        return nothing("kept_at_speed", FAST_OVER_SLOW, words)
    steadiest, most_kept, runs_of_steadiest = shares[0]
    steepest, least_kept, runs_of_steepest = shares[-1]
    rows = runs_of_steadiest if steadiest == steepest else pd.concat([runs_of_steadiest, runs_of_steepest])
    whole = Interval(least_kept.low, most_kept.high)
    from_scenario, to_scenario = (row["scenario"] for _, row in runs_of_steadiest.iloc[[0, -1]].iterrows())
    words = f"From {from_scenario} to {to_scenario} one {name(steadiest)} system keeps {prose(most_kept * 100.0)} % of"
    words += " its throughput"
    words += f", one {name(steepest)} system {prose(least_kept * 100.0)} %" if steadiest != steepest else ""
    values = {finding_name(who): (share, FAST_OVER_SLOW) for who, share, _ in shares}
    return Finding("kept_at_speed", whole, FAST_OVER_SLOW, f"{words}.", cited(rows), of_rows(rows), values=values)


def worth(given: pd.DataFrame, name: Names) -> Finding:
    """How many of the others one accelerator is worth at the fastest asked speed that is proven.

    Each gives at that speed something between what its runs on either side gave (see user_speed.given).
    """
    speed, unit = headline_speed(given), "times the tokens per second of the accelerator that gives least"
    if speed is None:
        return nothing("worth_at_speed", unit, "No asked speed is proven.")
    rows_at_speed = given[given["asked"].eq(speed) & given["on_sale"] & given["rate_low"].notna()]
    lead, asked = rows_at_speed.iloc[0], interval.number(speed)
    others = [(row, span(lead, "rate") / span(row, "rate")) for _, row in rows_at_speed.iloc[1:].iterrows()]
    if not others:
        words = f"At {asked} tokens/s per user {name(lead['accelerator'])} alone is proven."
        return nothing("worth_at_speed", unit, words)
    named_others = others if len(others) < 3 else [others[0], *others[-2:]]
    work = either(f"{prose(times)} {many_of(name(row['accelerator']))}" for row, times in named_others)
    words = f"At {asked} tokens/s per user {with_article(name(lead['accelerator']))} does the work of {work}."
    values = {finding_name(row["accelerator"]): (times, unit) for row, times in others}
    return Finding("worth_at_speed", others[-1][1], unit, words, cited(rows_at_speed), of_rows(rows_at_speed),
                   about=lead["accelerator"], values=values)  # fmt: skip


def at_each_speed(given: pd.DataFrame, name: Names) -> list[Finding]:
    """Who gives most at each asked speed, and between what: a finding per speed."""
    findings, leaders = [], user_speed.most(given).set_index("asked")
    for speed in dict.fromkeys(given["asked"]):
        asked = interval.number(speed)
        key = f"most_at_{finding_name(asked)}"
        if speed not in leaders.index:
            findings.append(nothing(key, MOST, f"No run on sale proves {asked} tokens/s per user."))
            continue
        lead = leaders.loc[speed]
        rate = span(lead, "rate")
        words = f"At {asked} tokens/s per user {name(lead['accelerator'])} is proven to give most: "
        words += f"{_number(rate.low)} tokens/s per accelerator, in a run at {_number(lead['speed'])}."
        rows = leaders.loc[[speed]]
        findings.append(Finding(key, rate, MOST, words, cited(rows), of_rows(rows), about=lead["accelerator"]))
    return findings


def first_token(curves: pd.DataFrame, speed: float | None) -> Finding:
    """How long 99 of 100 users wait for the first token in the runs that are at least so fast."""
    rows = curves[curves["ttft_p99_ms"].notna() & curves["speed"].notna()]
    fast = rows[rows["speed"].ge(speed)] if speed is not None else rows
    fast = fast if len(fast) else rows
    if fast.empty:
        return nothing("first_token", FIRST, "No run has its time to the first token in a log.")
    ends = Interval(float(fast["ttft_p99_ms"].min()) / 1000, float(fast["ttft_p99_ms"].max()) / 1000)
    scope = (
        f"At {interval.number(speed)} tokens/s per user or more"
        if speed is not None and fast["speed"].min() >= speed
        else "Here"
    )
    words = f"{scope} the first token of 99 in 100 requests comes within {prose(ends)} seconds."
    return Finding("first_token", ends, FIRST, words, cited(fast), of_rows(fast))


def elsewhere(by_benchmark: pd.DataFrame, given: pd.DataFrame, speed: float, label: Names, name: Names) -> Finding:
    """Whether the accelerator that gives most here does so on other benchmarks too, and where those end."""
    if by_benchmark.empty:
        return nothing("leads_elsewhere", LEAD, "No benchmark has a speed per user for these parameters.")
    asked, proven = interval.number(speed), by_benchmark[by_benchmark["accelerator"].ne("")]
    leaders = user_speed.most(given)
    lead = next(iter(leaders.loc[leaders["asked"].eq(speed), "accelerator"]), "")
    unproven = by_benchmark[by_benchmark["accelerator"].eq("")]
    names = [f"{label(row['benchmark'])} at {_number(row['ends'])}" for _, row in unproven.head(ENDED).iterrows()]
    end = f"The record ends on {listed(names, ENDED)}." if names else ""
    if not lead:
        words = f"{asked} tokens/s per user is proven on {len(proven)} of {counted(len(by_benchmark), 'benchmark')}."
        return Finding("leads_elsewhere", exactly(len(proven)), LEAD, words, cited(by_benchmark), more=end)
    led = int(proven["accelerator"].eq(lead).sum())
    scope = f"{counted(len(proven), 'benchmark')} that {'proves' if len(proven) == 1 else 'prove'} {asked} tokens/s"
    words = f"{name(lead)} is proven to give most on {led} of {scope} per user"
    led_by_others = proven[proven["accelerator"].ne(lead)]
    others = [f"{name(row['accelerator'])} on {label(row['benchmark'])}" for _, row in led_by_others.iterrows()]
    words += f", {listed(others)}." if others else "."
    return Finding("leads_elsewhere", exactly(led), LEAD, words, cited(by_benchmark), about=lead, more=end)


def per_kilowatt(given: pd.DataFrame, label: str, rounds: Iterable[str], name: Names) -> Finding:
    """The most tokens per kilowatt at the fastest asked speed that a metered run proves."""
    leaders = user_speed.most(given)
    if leaders.empty:
        where = f" in {listed(rounds)}" if list(rounds) else ""
        return nothing("per_kilowatt", WATTS, f"No metered run of {label}{where} proves one of these speeds.")
    lead = leaders.iloc[-1]
    rate = span(lead, "rate")
    asked, gives = interval.number(lead["asked"]), _number(rate.low)
    words = f"At {asked} tokens/s per user {name(lead['accelerator'])} gives {gives} tokens/s per kilowatt at the wall."
    rows_of_lead = leaders.tail(1)
    return Finding(
        "per_kilowatt", rate, WATTS, words, cited(rows_of_lead), of_rows(rows_of_lead), about=lead["accelerator"]
    )


def named(rows: pd.DataFrame, name: Names) -> pd.DataFrame:
    """The rows with what people call their accelerators, what served, and whether their speed is a bound."""
    bound_column = {"bound": rows["proof"].eq(LIMIT)} if "proof" in rows else {}
    return rows.assign(name=[name(who) for who in rows["accelerator"]], software=software(rows), **bound_column)


def drawn(curves: pd.DataFrame) -> pd.DataFrame:
    """The rows of the first DRAWN curves."""
    accelerators = list(dict.fromkeys(curves["accelerator"]))[:DRAWN]
    return curves[curves["accelerator"].isin(accelerators)]


def at_rows(given: pd.DataFrame) -> pd.DataFrame:
    """The rows of a figure, ROWS accelerators at most: those that give most at the fastest proven speed first."""
    speed = headline_speed(given)
    at_speed = given[given["asked"].eq(speed)] if speed is not None else given
    at_slowest_speed = given[given["asked"].eq(given["asked"].min())] if len(given) else given
    rank = dict.fromkeys([*at_speed.loc[at_speed["rate_low"].notna(), "accelerator"], *at_slowest_speed["accelerator"]])
    accelerators = list(rank)[:ROWS]
    rows = given[given["accelerator"].isin(accelerators)]
    return rows.sort_values("accelerator", key=lambda names: names.map(accelerators.index), kind="stable")


def waits(curves: pd.DataFrame) -> pd.DataFrame:
    """The waits for a first token in ms, p50 to p99 with p90 as the marker, ROWS at most: tightest scenario first."""
    rows = curves[curves["ttft_p99_ms"].notna() & curves["speed"].notna()]
    rows = interval.put(rows, "ttft", Interval(rows["ttft_p50_ms"], rows["ttft_p99_ms"]))
    rows = rows.assign(ttft_median=rows["ttft_p90_ms"], step=rows["scenario"].map(SCENARIOS.index))
    order = rows.sort_values("step", ascending=False, kind="stable").head(ROWS)
    place = {who: rank for rank, who in enumerate(dict.fromkeys(order["accelerator"]))}
    return order.sort_values("accelerator", key=lambda names: names.map(place), kind="stable").drop(columns="step")


def limit_lines(limits: pd.DataFrame) -> dict[str, float]:
    """The limits of scenarios on the axis of speeds, by their words."""
    with_speed = limits[limits["speed"].notna()]
    return {f"{row['scenario']}\nlimit": float(row["speed"]) for _, row in with_speed.iterrows()}


def _why_nothing(runs: pd.DataFrame, given: pd.DataFrame, label: str, name: Names) -> str:
    if runs.empty:
        return f"No official run of {label} is comparable for these parameters."
    reach = user_speed.fastest(runs)
    if runs["speed"].isna().all():
        return f"{label} has no speed per user: neither its logs nor its rules know a time per output token."
    if reach.empty:
        return f"No system on sale ran {label} at a speed that is known."
    slowest = interval.number(given["asked"].min())
    end = f"the record ends at {_number(reach['speed'].iloc[0])}"
    return f"No run of {label} proves {slowest} tokens/s per user: {end} ({name(reach['accelerator'].iloc[0])})."


def _leaders(leaders: pd.DataFrame, undecided: list[float], name: Names) -> list[str]:
    """Who gives most at which speeds, and who is proven to where another may give more; no part for no speed."""
    still_open = leaders["asked"].isin(undecided)
    parts = []
    for rows, gives in ((leaders[~still_open], "gives most"), (leaders[still_open], "is proven to give most")):
        gives, unit = ("is proven to", "") if parts else (gives, " tokens/s")
        by_leader = rows.groupby("accelerator", sort=False)["asked"].agg(list)
        clauses = [
            f"at {listed(map(interval.number, speeds))}{unit * (not place)} {name(who)}{f' {gives}' * (not place)}"
            for place, (who, speeds) in enumerate(by_leader.items())
        ]
        parts += [", ".join(clauses)] if clauses else []
    if still_open.any():
        parts[-1] += ", but others may give more"
    return parts


def _gives(speed: float, given: pd.DataFrame) -> str:
    return "is proven to give" if speed in user_speed.undecided(given) else "gives"


def _number(value: float) -> str:
    return interval.number(value, PROSE)


def _percent(share: float) -> str:
    return f"{interval.number(100 * share, PROSE)} %"
