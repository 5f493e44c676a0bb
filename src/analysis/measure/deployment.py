"""Assess a user's own runs: per accelerator, within limits, and against the closest official result.

Rates are output tokens per second. Own runs are not verified by MLCommons: the comparison is for internal use.
A `run` is a row of a frame: a Series, or what `itertuples` gives.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from analysis import interactivity, names, tables
from analysis.compare import NoData, comparable
from analysis.cost import PLAUSIBLE_USD
from analysis.results import load_results

REPEATED = r"(?i)(run|trial|rep|repeat|iter|seed|attempt)[-_= ]?\d+|\d{8}[-_T]?\d{4,6}|\(\d+\)"  # in names of repeats
DISTILLED = re.compile(r"(?i)distill|r1-0528-qwen")  # in names of distilled models
MOST_OF_OFFICIAL = 10.0  # times the official rate; above, the unit or the count is wrong
MOST_DRAFTED = 10.0  # tokens that one reading of the weights gives a request, with speculative decoding
NAN = float("nan")
HELD = 0.99  # share of requests within a limit that holds at P99
LEAST_DIFFERENCE = 0.005  # of rates that are printed with four digits
SAME = 0.05  # share by which lengths of comparable runs may differ
TIMES = 0.001, 1e8  # milliseconds that a limit may have
MOST = 1_000_000  # accelerators of a run
UNLIMITED = 0.9  # share of the request rate asked for, from which a run shows its load alone
KINDS = ("accelerator", "precision", "software")  # columns that are part of a name where runs differ in them
NAMES = ("load",), ("label",), ("label", "load"), ("stem", "load"), ("stem", "place"), ("file", "load", "place")
OFFICIAL = {  # column of an assessed run -> column of the result
    "official_id": "id", "official_round": "round", "official_accelerator": "accelerator",
    "official_count": "accelerator_count", "official_system": "system", "official_precision": "precision_label",
    "official_rate": "rate_per_accelerator", "official_offline": "offline",
}  # fmt: skip


def settle(runs: pd.DataFrame, *, accelerator: str = "", count: int = 0, benchmark: str = "") -> pd.DataFrame:
    """Return the runs of `analysis.measure.read_runs` with accelerator, accelerator_count, and benchmark settled.

    Values stated in a file count. `accelerator` and `count` are for files without them; of files with several
    accelerators, `accelerator` picks one. `benchmark` is the one to compare with if the model has none. Added:
    rate_per_accelerator; `name`, which distinguishes configurations; and `configuration`, equal for repeated
    runs. Raises ValueError for a value that neither file nor argument has, and for a contradiction.
    """
    asked = _known(accelerator) if accelerator else ""
    count = names.bounded(count, "count", 1, MOST) if count else 0
    if runs.empty:
        raise NoData("no result file given")
    stated = [_stated(text, asked) for text in runs["accelerator"]]
    runs = runs.assign(accelerator=[name or asked for name in stated])
    runs = runs[runs["accelerator"].eq(asked)] if asked else runs
    if runs.empty:
        raise ValueError(f"accelerator is {asked}, but the files state {', '.join(sorted(set(stated)))}")
    counts = runs["accelerator_count"].fillna(count or NAN)
    for wrong, words in (
        (runs["accelerator"].eq(""), "does not state its accelerator; set accelerator, such as H100"),
        (counts.isna(), "does not state how many accelerators it ran on; set count, 1 or more"),
        (counts.ne(count or counts), f"states {{:g}} accelerators, but count is {count}"),
    ):
        if wrong.any():
            raise ValueError(f"{_where(runs[wrong].iloc[0])}: {words.format(counts[wrong].iloc[0])}")
    benchmarks = [_benchmark(model, benchmark) for model in runs["model"]]
    rate = runs["tokens_per_second"] / counts
    runs = runs.assign(accelerator_count=counts, benchmark=benchmarks, rate_per_accelerator=rate)
    return _named(runs).reset_index(drop=True)


def _known(name: str) -> str:
    return names.accelerator(name, load_results()["accelerator"].unique())  # includes those of imported results


def _stated(text: str, asked: str) -> str:
    """Return the short name of an accelerator as a file has it; "" for none, or if unknown while `asked` is given."""
    try:
        return text and _known(text)
    except ValueError:
        if asked:
            return ""
        raise


def _benchmark(model: str, asked: str) -> str:
    """Return the benchmark whose key is in the name of a model, the longest of several, else `asked`."""
    rows = tables.benchmarks.query("offline_unit == 'tokens/s'")
    key = asked and names.benchmark(asked)
    if key not in {"", *rows["benchmark"]}:
        names.choose(asked, rows["label"], "benchmark in tokens/s")
    folded = "" if DISTILLED.search(model) else _folded(model)
    found = max((name for name in rows["benchmark"] if _folded(name) in folded), key=len, default="")
    models = rows.set_index("benchmark")["model"]
    if found and key and models[found] != models[key]:
        raise ValueError(f"the model {model} belongs to {names.label(found)}, but benchmark is {names.label(key)}")
    return key or found


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _named(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with `configuration` and the shortest `name` that distinguishes configurations."""
    settings = runs[["model", "accelerator", "accelerator_count", "precision", "software", "load", "setting"]]
    lengths = runs[["input_length", "output_length"]].map("{:.2g}".format)
    same = pd.concat([settings, lengths, runs[["file", "label"]].replace(REPEATED, "", regex=True)], axis=1)
    runs = runs.assign(configuration=same.groupby([*same]).ngroup())
    told = runs["setting"].str.split(", ").map(set)
    differing = told.map(lambda each: ", ".join(sorted(each - set.intersection(*told))))
    shown = runs.assign(
        stem=[PurePath(path).stem for path in runs["file"]], label=runs["label"].mask(runs["label"].eq(""), differing)
    )
    kinds = [column for column in KINDS if runs[column].nunique() > 1 and runs[column].ne("").all()]
    for columns in NAMES:
        name = shown[[*kinds, *columns]].agg(lambda row: ": ".join(filter(None, row)), axis=1)
        named = shown[[*columns]].ne("").any(axis=1).all()
        if named and runs["configuration"].groupby(name).nunique().max() == 1:
            break
    return runs.assign(name=name)


def within(run: Any, ttft_ms: float, tpot_ms: float) -> float:
    """Return the share of completed requests within both limits; NaN where the file has no per-request times."""
    if run.request_ttft_ms is None or not (ttft_ms > 0 and tpot_ms > 0):
        return NAN
    return ((run.request_ttft_ms <= ttft_ms) & ~(run.request_tpot_ms > tpot_ms)).sum() / run.requests


def limits_strictest_first(benchmark: str) -> pd.DataFrame:
    """Return the p99 limits of a benchmark by scenario (`ttft_ms`, `tpot_ms`), the strictest first."""
    if not benchmark:
        return pd.DataFrame(columns=["ttft_ms", "tpot_ms"], dtype=float)
    rules = interactivity.limits(benchmark).set_index("scenario")[["ttft_ms", "tpot_ms"]]
    return rules.dropna().sort_values("tpot_ms")


def scenario_of(run: Any, rules: pd.DataFrame) -> tuple[str, str]:
    """Return the scenario to compare a run with, and why: by its log's own limits, else the strictest that it meets."""
    own = np.isclose(rules["ttft_ms"], run.ttft_limit_ms) & np.isclose(rules["tpot_ms"], run.tpot_limit_ms)
    if own.any():
        return rules.index[own][0], "by the limits in its log"
    if not run.ttft_p99_ms + run.tpot_p99_ms > 0:
        return "Offline", "without P99 TTFT and TPOT, no latency limit can be checked"
    if run.of_tokens:
        return "Offline", "TPOT percentiles are over tokens, so no latency limit can be checked"
    if run.other_tokens_per_second > 0:
        return "Offline", "two token counts contradict each other, so no latency limit can be checked"
    times = f"TTFT {run.ttft_p99_ms:,.0f} ms, TPOT {run.tpot_p99_ms:,.0f} ms at P99"
    for rule in rules.itertuples():
        held = run.ttft_p99_ms <= rule.ttft_ms and run.tpot_p99_ms <= rule.tpot_ms
        if held and not within(run, rule.ttft_ms, rule.tpot_ms) < HELD:
            return rule.Index, f"strictest limits held ({times})"
    return "Offline", f"misses all latency limits ({times})"


def closest(run: Any, scenario: str, round: str = "") -> pd.Series:
    """Return the official result closest to a run: on its accelerator, else on the nearest in memory bandwidth.

    From `round`, else the newest with one; the nearest count, then equal precision, then fastest. Added: `offline`,
    the comparable rate per accelerator of the same system Offline, NaN without. Raises NoData with the rounds that
    have results.
    """
    rows = comparable(benchmark=run.benchmark, scenario=scenario)
    there, model = ", ".join(rows["round"].unique()), rows["model"].iloc[0]
    rows = rows[rows["round"].eq(round)] if round else rows
    if rows.empty:
        raise NoData(f"{round} has no result of {model} {scenario}; rounds with results: {there}")
    apart = np.log(rows["accelerator"].map(_bandwidth()) / _bandwidth().get(run.accelerator, NAN)).abs().fillna(99)
    ranks = {
        "apart": apart.mask(rows["accelerator"].eq(run.accelerator), -1), "age": -rows["round"].cat.codes,
        "size": np.log(rows["accelerator_count"] / run.accelerator_count).abs(),
        "other": rows["precision"].ne(run.precision.lower()), "slow": -rows["rate_per_accelerator"],
    }  # fmt: skip
    near = rows.assign(**ranks).sort_values([*ranks]).iloc[0]
    keys = ["round", "submitter", "system", "accelerator", "accelerator_count"]
    offline = comparable(benchmark=run.benchmark, scenario="Offline")
    near["offline"] = offline.loc[offline[keys].eq(near[keys]).all(axis=1), "rate_per_accelerator"].max()
    return near


def assess(
    runs: pd.DataFrame, *, scenario: str = "", round: str = "", ttft_ms: float = 0.0, tpot_ms: float = 0.0,
    usd_per_hour: float = 0.0,
) -> pd.DataFrame:  # fmt: skip
    """Return one row per configuration of the settled runs, with its closest official result.

    Of repeated runs, the one of median rate, with `runs`, `rate_low`, `rate_high` per accelerator. Added: the
    `scenario`, `official_*` of the result (columns of OFFICIAL, rates per accelerator), `share` of its rate, `within`
    (share of requests within `ttft_ms` and `tpot_ms`, by default the scenario's limits; both in limit_*), the rate of
    those in goodput_per_accelerator, `usd_per_million` output tokens at `usd_per_hour` per accelerator, and `said`.
    Raises ValueError for a rate or time that the accelerators cannot reach.
    """
    given = {"usd_per_hour": (usd_per_hour, *PLAUSIBLE_USD), "ttft_ms": (ttft_ms, *TIMES), "tpot_ms": (tpot_ms, *TIMES)}
    for name, (value, least, most) in given.items():
        if value:
            names.bounded(value, name, least, most)
    order = runs.sort_values("rate_per_accelerator")
    by = order.groupby("configuration", sort=False)["rate_per_accelerator"]
    order = order.assign(runs=by.transform("size"), rate_low=by.transform("min"), rate_high=by.transform("max"))
    rows = order[by.cumcount().eq((order["runs"] - 1) // 2)].sort_index().reset_index(drop=True)
    beside = pd.DataFrame([_beside(run, scenario, round, ttft_ms, tpot_ms) for run in rows.itertuples()])
    other = rows["other_tokens_per_second"] / rows["accelerator_count"]
    sure = rows["rate_per_accelerator"].mask(other.notna())
    return rows.assign(
        **beside, rate_low=np.fmin(rows["rate_low"], other), rate_high=np.fmax(rows["rate_high"], other),
        goodput_per_accelerator=beside["within"] * sure, usd_per_million=(usd_per_hour or NAN) / sure / 0.0036,
    )  # fmt: skip


def _beside(run: Any, scenario: str, round: str, ttft_ms: float, tpot_ms: float) -> dict[str, Any]:
    """Return the columns that `assess` adds to a run by its limits and its closest official result."""
    rules, why, said = limits_strictest_first(run.benchmark), "as asked", [*run.said]
    if run.benchmark and not scenario:
        scenario, why = scenario_of(run, rules)
    rule = rules.reindex([scenario]).iloc[0]
    limits = {"ttft_ms": ttft_ms or rule["ttft_ms"], "tpot_ms": tpot_ms or rule["tpot_ms"]}
    if scenario:
        said.append(f"{scenario}: {why}")
    if run.runs > 1:
        said.append(f"{run.runs} runs with the same settings: treated as repeated runs")
    beside = dict.fromkeys(OFFICIAL, NAN) | {f"limit_{name}": limit for name, limit in limits.items()}
    beside |= {"scenario": scenario, "within": within(run, **limits), "share": NAN, "said": said}
    if not run.benchmark:
        said.append(f"the model {run.model or '(not stated)'} matches no benchmark; set benchmark to compare with one")
    elif run.traffic.startswith("agent"):
        said.append("agentic requests share their prompts: no MLPerf result is comparable")
    else:
        try:
            near = closest(run, scenario, round)
        except NoData as error:
            said.append(str(error))
        else:
            beside |= {name: near[column] for name, column in OFFICIAL.items()} | {"share": _share(run, near, said)}
    return beside


def _share(run: Any, near: pd.Series, said: list[str]) -> float:
    """Return a run's share of an official rate, NaN where the run has two rates; add remarks to `said`.

    Raises ValueError for a rate or time that the accelerators cannot reach.
    """
    if run.other_tokens_per_second > 0:
        said.append("the file states two rates and does not show which is correct: neither is compared with MLPerf")
        return NAN
    share = run.rate_per_accelerator / near["rate_per_accelerator"]
    if near["accelerator"] != run.accelerator:
        said.append(f"no result on {run.accelerator}: compared with the nearest accelerator, {near['accelerator']}")
    elif share > MOST_OF_OFFICIAL:
        raise ValueError(f"{_where(run)}: the rate is {share:,.0f} times the official one: check unit and count")
    if run.requests_per_second >= UNLIMITED * run.request_rate:
        said.append("throughput equals the requested rate: the run shows its load, not what the accelerators can do")
    fastest = np.fmin(run.tpot_mean_ms, run.tpot_p50_ms)
    if fastest < 1e3 / steps_per_second(run, 0.5) / MOST_DRAFTED:
        words = f"{_where(run)}: TPOT is {fastest:.2g} ms, less than the time to read the weights"
        raise ValueError(f"{words}: is it in seconds?")
    return share


def _where(run: Any) -> str:
    return f"{run.file} {run.place}".strip()


def compared(assessed: pd.DataFrame) -> pd.DataFrame:
    """Return each configuration against the first one of its load, or both of two.

    Columns name, baseline, `ratio` of the rates per accelerator with `low` and `high` over repeated runs (NaN without),
    ttft_ratio and tpot_ratio (P99), `verdict` (difference, within noise, same, not comparable), and `why`: the columns
    in which runs must not differ, or whose value decides.
    """
    rows = assessed.reset_index(drop=True)
    first = rows.index.to_series().groupby(rows["load"]).transform("first") * (len(rows) != 2)
    run = rows[first.ne(rows.index)]
    base = rows.loc[first[run.index]].set_axis(run.index)
    differs = run[["model", "traffic", "load"]].ne(base[["model", "traffic", "load"]])
    for column in ("input_length", "output_length"):
        differs[column] = np.log(run[column] / base[column]).abs().gt(SAME)
    rated = [each["requests_per_second"].ge(UNLIMITED * each["request_rate"]) for each in (run, base)]
    differs["request_rate"] = rated[0] & rated[1]
    differs["other_tokens_per_second"] = run["other_tokens_per_second"].gt(0) | base["other_tokens_per_second"].gt(0)
    sure, repeated = ~differs.any(axis=1), run["runs"].gt(1) | base["runs"].gt(1)
    ratio = run["rate_per_accelerator"] / base["rate_per_accelerator"]
    low, high = run["rate_low"] / base["rate_high"], run["rate_high"] / base["rate_low"]
    noise, same = repeated & low.le(1) & high.ge(1), (ratio - 1).abs().lt(LEAST_DIFFERENCE)
    verdict = np.select([~sure, noise, same], ["not comparable", "within noise", "same"], "difference")
    return pd.DataFrame({
        "name": run["name"], "baseline": base["name"], "ratio": ratio.where(sure),
        "low": low.where(sure & repeated), "high": high.where(sure & repeated),
        "ttft_ratio": run["ttft_p99_ms"] / base["ttft_p99_ms"], "tpot_ratio": run["tpot_p99_ms"] / base["tpot_p99_ms"],
        "verdict": verdict, "why": [", ".join(differs.columns[row]) for row in differs.to_numpy()],
    }).reset_index(drop=True)  # fmt: skip


def best(assessed: pd.DataFrame) -> pd.Series:
    """Return the run with the highest share of its closest official rate; without any, of the highest sure rate."""
    known = assessed.assign(sure=assessed["other_tokens_per_second"].isna())
    return known.sort_values(["share", "sure", "rate_per_accelerator"], ascending=False).iloc[0]


def _bandwidth() -> pd.Series:
    return tables.accelerators.drop_duplicates("label").set_index("label")["memory_bandwidth_gb_per_s"]


def steps_per_second(run: Any, bytes_per_weight: float) -> float:
    """Return how often the accelerators of a run together can read the active weights of its model in a second."""
    model = tables.benchmarks.set_index("benchmark").loc[run.benchmark]
    active = model[["active_parameters_billion", "parameters_billion"]].dropna().iloc[0]
    return run.accelerator_count * _bandwidth().get(run.accelerator, NAN) / (active * bytes_per_weight)


def losses(run: Any) -> pd.DataFrame:
    """Return the factors between the official Offline rate and an assessed run, which multiply to its share.

    Columns label, factor: the scenario's limits (of the official system), low concurrency (each request in flight gives
    at most one token per reading of the weights), software and setup (the rest), and answers beyond the limits. Empty
    without an official result.
    """
    if not run.share > 0:
        return pd.DataFrame({"label": [], "factor": []})
    steps = steps_per_second(run, tables.WEIGHT_BYTES.get(run.precision.lower(), 2.0))
    few = np.fmin(run.concurrency * steps / run.accelerator_count / run.official_rate, 1.0)
    factors = {
        f"{run.scenario} limits": run.official_rate / run.official_offline, "low concurrency": few,
        "software and setup": run.share / few, "answers beyond the limits": run.within,
    }  # fmt: skip
    return pd.DataFrame({"label": list(factors), "factor": list(factors.values())}).dropna(ignore_index=True)
