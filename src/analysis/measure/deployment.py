"""Assess a user's own runs: per accelerator, within limits, and beside the closest official result.

Rates are output tokens per second. An own run is not verified by MLCommons: the comparison is for internal use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from analysis import interactivity, names, tables
from analysis.compare import NoData, comparable
from analysis.cost import PLAUSIBLE_USD
from analysis.results import load_results

REPEATED = r"(?i)(run|trial|rep|repeat|iter|seed|attempt)[-_= ]?\d+|\d{8}[-_T]?\d{4,6}|\(\d+\)"  # in names of repeats
DISTILLED = re.compile(r"(?i)distill|r1-0528-qwen")  # in names of small models that learned from a large one
MOST_OF_OFFICIAL = 10.0  # times the official rate; above, the unit or the count is wrong
MOST_DRAFTED = 10.0  # tokens that one reading of the weights gives a request, with speculative decoding
NAN = float("nan")
HELD = 0.99  # share of requests within a limit that holds at P99
LEAST_DIFFERENCE = 0.005  # of rates that are printed with four digits
SAME = 0.05  # share by which lengths of comparable runs may differ
TIMES = 0.001, 1e8  # milliseconds that a limit may have
MOST = 1_000_000  # accelerators of a run
KINDS = ("accelerator", "precision", "software")  # columns that a name tells where runs differ in them
OFFICIAL = {  # column of an assessed run -> column of the result
    "official_id": "id", "official_round": "round", "official_accelerator": "accelerator",
    "official_count": "accelerator_count", "official_system": "system", "official_precision": "precision_label",
    "official_weights": "precision", "official_rate": "rate_per_accelerator", "official_offline": "offline",
}  # fmt: skip


def settle(runs: pd.DataFrame, *, accelerator: str = "", count: int = 0, benchmark: str = "") -> pd.DataFrame:
    """Return the runs of `analysis.measure.read_runs` with accelerator, accelerator_count, and benchmark settled.

    What a file states counts. `accelerator` and `count` are for files that do not say; of files with several
    accelerators, `accelerator` picks one. `benchmark` is the one to compare with if the model has none. Added:
    rate_per_accelerator; `name`, which tells a configuration from the others; and `configuration`, equal for repeated
    runs. Raises ValueError for what neither file nor argument says, and for a contradiction.
    """
    asked = _known(accelerator) if accelerator else ""
    count = names.bounded(count, "count", 1, MOST) if count else 0
    stated = runs["accelerator"].mask(lambda text: text.eq(""), runs["devices"]).map(lambda text: _short(text, asked))
    chosen = stated.isin([asked, ""]) | (not asked)
    if runs.empty:
        raise NoData("no file of runs is given")
    if not chosen.any():
        raise ValueError(f"accelerator is {asked}, but the files are of {', '.join(sorted(set(stated)))}")
    runs = runs.assign(accelerator=stated.replace("", asked))[chosen]
    counts = runs["accelerator_count"].fillna(count or NAN)
    for wrong, words in (
        (runs["accelerator"].eq(""), "does not say its accelerator; give accelerator, such as H100"),
        (counts.isna(), "does not say how many accelerators it ran on; give count, 1 or more"),
        (counts.ne(count or counts), f"states {{:g}} accelerators, but count is {count}"),
    ):
        if wrong.any():
            raise ValueError(f"{_where(runs[wrong].iloc[0])}: {words.format(counts[wrong].iloc[0])}")
    runs = runs.assign(accelerator_count=counts, benchmark=[_benchmark(model, benchmark) for model in runs["model"]])
    return _named(runs.assign(rate_per_accelerator=runs["tokens_per_second"] / counts)).reset_index(drop=True)


def _known(name: str) -> str:
    return names.accelerator(name, load_results()["accelerator"].unique())  # those of imported results too


def _short(text: str, asked: str) -> str:
    """Return the short name of an accelerator as a file has it; "" for none, or for an unknown one beside `asked`."""
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
        raise ValueError(f"the model {model} is that of {names.label(found)}, but benchmark is {names.label(key)}")
    return key or found


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _named(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs with `configuration` and the shortest `name` that tells configurations apart."""
    settings = ["model", "accelerator", "accelerator_count", "precision", "software", "load", "setting"]
    lengths = runs[["input_length", "output_length"]].map("{:.2g}".format)
    repeated = runs[["file", "label"]].replace(REPEATED, "", regex=True)
    same = pd.concat([runs[settings], lengths, repeated], axis=1)
    runs = runs.assign(configuration=same.groupby([*same]).ngroup())
    load, place, file, label = (runs[name] for name in ("load", "place", "file", "label"))
    stem = file.map(lambda path: PurePath(path).stem)
    told = runs["setting"].str.split(", ").map(set)
    label = label.mask(label.eq(""), told.map(lambda each: ", ".join(sorted(each - set.intersection(*told)))))
    kinds = [runs[name] for name in KINDS if runs[name].nunique() > 1 and runs[name].ne("").all()]
    for parts in ([load], [label], [label, load], [stem, load], [stem, place], [file, load, place]):
        name = pd.concat([*kinds, *parts], axis=1).agg(lambda row: ": ".join(filter(None, row)), axis=1)
        named = pd.concat(parts, axis=1).ne("").any(axis=1).all()
        if named and runs["configuration"].groupby(name).nunique().max() == 1:
            break
    return runs.assign(name=name)


def within(run: Mapping[str, Any], ttft_ms: float, tpot_ms: float) -> float:
    """Return the share of completed requests within both limits; NaN where the file has no per-request times."""
    first, gaps = run["request_ttft_ms"], run["request_tpot_ms"]
    if first is None or not (ttft_ms > 0 and tpot_ms > 0):
        return NAN
    return ((first <= ttft_ms) & ~(gaps > tpot_ms)).sum() / run["requests"]


def limits_strictest_first(benchmark: str) -> pd.DataFrame:
    """Return the p99 limits of a benchmark by scenario (`ttft_ms`, `tpot_ms`), the strictest first."""
    if not benchmark:
        return pd.DataFrame(columns=["ttft_ms", "tpot_ms"], dtype=float)
    rules = interactivity.limits(benchmark).set_index("scenario")[["ttft_ms", "tpot_ms"]]
    return rules.dropna().sort_values("tpot_ms")


def scenario_of(run: Mapping[str, Any], rules: pd.DataFrame) -> tuple[str, str]:
    """Return the scenario to compare a run with, and why: by its log's own limits, else the strictest that it holds."""
    own = np.isclose(rules["ttft_ms"], run["ttft_limit_ms"]) & np.isclose(rules["tpot_ms"], run["tpot_limit_ms"])
    if own.any():
        return rules.index[own][0], "by the limits in its log"
    times = f"TTFT {run['ttft_p99_ms']:,.0f} ms, TPOT {run['tpot_p99_ms']:,.0f} ms at P99"
    if not run["ttft_p99_ms"] + run["tpot_p99_ms"] > 0:
        return "Offline", "without TTFT and TPOT at P99 no latency limit can be checked"
    if run["of_tokens"]:
        return "Offline", "percentiles of TPOT are of tokens, by which no latency limit can be checked"
    if run["other_tokens_per_second"] > 0:
        return "Offline", "two counts of tokens contradict each other: no latency limit can be checked"
    held = rules.index[rules["ttft_ms"].ge(run["ttft_p99_ms"]) & rules["tpot_ms"].ge(run["tpot_p99_ms"])]
    held = [name for name in held if not within(run, *rules.loc[name]) < HELD]
    return (
        (held[0], f"strictest limits held ({times})")
        if len(held)
        else ("Offline", f"misses all latency limits ({times})")
    )


def closest(run: Mapping[str, Any], scenario: str, round: str = "") -> pd.Series:
    """Return the official result closest to a run: of its accelerator, else the nearest in memory bandwidth.

    From `round`, else the newest with one; the nearest count, then equal precision, then fastest. Added: `offline`,
    the comparable rate per accelerator of the same system Offline, NaN without. Raises NoData with the rounds that
    have results.
    """
    rows = comparable(benchmark=run["benchmark"], scenario=scenario)
    there, model = ", ".join(rows["round"].unique()), rows["model"].iloc[0]
    rows = rows[rows["round"].eq(round)] if round else rows
    if rows.empty:
        raise NoData(f"{round} has no result of {model} {scenario}; rounds that have: {there}")
    speeds = _bandwidth()
    apart = np.abs(np.log(rows["accelerator"].map(speeds) / speeds.get(run["accelerator"], NAN))).fillna(99)
    ranks = {
        "apart": apart.mask(rows["accelerator"].eq(run["accelerator"]), -1), "age": -rows["round"].cat.codes,
        "size": np.abs(np.log(rows["accelerator_count"] / run["accelerator_count"])),
        "other": rows["precision"].ne(run["precision"].lower()), "slow": -rows["rate_per_accelerator"],
    }  # fmt: skip
    near = rows.loc[pd.DataFrame(ranks).sort_values(list(ranks)).index[0]].copy()
    keys = ["round", "submitter", "system", "accelerator", "accelerator_count"]
    offline = comparable(benchmark=run["benchmark"], scenario="Offline")
    near["offline"] = offline.loc[offline[keys].eq(near[keys]).all(axis=1), "rate_per_accelerator"].max()
    return near


def assess(
    runs: pd.DataFrame, *, scenario: str = "", round: str = "", ttft_ms: float = 0.0, tpot_ms: float = 0.0,
    usd_per_hour: float = 0.0,
) -> pd.DataFrame:  # fmt: skip
    """Return one row per configuration of the settled runs, beside its closest official result.

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
    spread = {"runs": by.transform("size"), "rate_low": by.transform("min"), "rate_high": by.transform("max")}
    middle = by.cumcount().eq((spread["runs"] - 1) // 2)
    rows = order.assign(**spread)[middle].sort_index().to_dict("records")
    frame = pd.DataFrame([row | _beside(row, scenario, round, ttft_ms, tpot_ms) for row in rows])
    other = frame["other_tokens_per_second"] / frame["accelerator_count"]
    sure = frame["rate_per_accelerator"].mask(other.notna())
    return frame.assign(
        rate_low=np.fmin(frame["rate_low"], other), rate_high=np.fmax(frame["rate_high"], other),
        goodput_per_accelerator=frame["within"] * sure, usd_per_million=(usd_per_hour or NAN) / sure / 0.0036,
    )  # fmt: skip


def compared(assessed: pd.DataFrame) -> pd.DataFrame:
    """Return each configuration against the first one of its load, or both of two.

    Columns name, baseline, `ratio` of the rates per accelerator with `low` and `high` over repeated runs (NaN without),
    ttft_ratio and tpot_ratio (P99), `verdict` (difference, within noise, same, not comparable), and `why`: the columns
    in which runs must not differ, or whose value decides.
    """
    rows = assessed.reset_index(drop=True)
    places = rows.index.to_series()
    first = places.groupby(rows["load"]).transform("first") if len(rows) != 2 else places * 0
    found = [_compared(rows.loc[at], rows.loc[base]) for at, base in first.items() if at != base]
    columns = ["name", "baseline", "ratio", "low", "high", "ttft_ratio", "tpot_ratio", "verdict", "why"]
    return pd.DataFrame(found, columns=columns)


def _compared(run: pd.Series, base: pd.Series) -> dict[str, Any]:
    why = [name for name in ("model", "traffic", "load") if run[name] != base[name]]
    lengths = [name for name in ("input_length", "output_length") if abs(np.log(run[name] / base[name])) > SAME]
    rated = all(each["requests_per_second"] >= 0.9 * each["request_rate"] for each in (run, base))
    doubted = any(each["other_tokens_per_second"] > 0 for each in (run, base))
    why += lengths + ["request_rate"] * rated + ["other_tokens_per_second"] * doubted
    ratio, low, high = run["rate_per_accelerator"] / base["rate_per_accelerator"], NAN, NAN
    if max(run["runs"], base["runs"]) > 1:
        low, high = run["rate_low"] / base["rate_high"], run["rate_high"] / base["rate_low"]
    verdict = "same" if abs(ratio - 1) < LEAST_DIFFERENCE else "difference"
    verdict = "within noise" if low <= 1 <= high else verdict
    if why:
        ratio, low, high, verdict = NAN, NAN, NAN, "not comparable"
    return {
        "name": run["name"], "baseline": base["name"], "ratio": ratio, "low": low, "high": high,
        "ttft_ratio": run["ttft_p99_ms"] / base["ttft_p99_ms"], "tpot_ratio": run["tpot_p99_ms"] / base["tpot_p99_ms"],
        "verdict": verdict, "why": ", ".join(why),
    }  # fmt: skip


def best(assessed: pd.DataFrame) -> pd.Series:
    """Return the run with the highest share of its closest official rate; without any, of the highest sure rate."""
    known = assessed.assign(sure=assessed["other_tokens_per_second"].isna())
    keys = ["share", "sure", "rate_per_accelerator"]
    return assessed.loc[known.sort_values(keys, ascending=False).index[0]]


def _beside(run: dict[str, Any], scenario: str, round: str, ttft_ms: float, tpot_ms: float) -> dict[str, Any]:
    rules = limits_strictest_first(run["benchmark"])
    chosen, why = (scenario, "as asked") if scenario or not run["benchmark"] else scenario_of(run, rules)
    limit = rules.reindex([chosen]).iloc[0].to_dict()
    limit |= {name: value for name, value in (("ttft_ms", ttft_ms), ("tpot_ms", tpot_ms)) if value}
    said = [*run["said"], f"{chosen}: {why}"] if chosen else [*run["said"]]
    said += [f"{run['runs']} runs with the same fields: taken for repetitions of one setting"] * (run["runs"] > 1)
    beside = {"scenario": chosen, "within": within(run, **limit), "share": NAN, "said": said}
    beside |= dict.fromkeys(OFFICIAL, NAN) | {f"limit_{name}": value for name, value in limit.items()}
    if not run["benchmark"]:
        said.append(f"the model {run['model'] or '(not stated)'} is of no benchmark; give benchmark to compare with")
        return beside
    if run["traffic"].startswith("agent"):
        said.append("requests of agents share their prompts: no MLPerf result is like them")
        return beside
    try:
        near = closest(run, chosen, round)
    except NoData as error:
        said.append(str(error))
        return beside
    beside |= {name: near[column] for name, column in OFFICIAL.items()}
    if run["other_tokens_per_second"] > 0:
        said.append("the file states two rates and nothing tells which holds: neither is set beside MLPerf")
        return beside
    beside["share"] = run["rate_per_accelerator"] / near["rate_per_accelerator"]
    if near["accelerator"] != run["accelerator"]:
        said += [f"no result of {run['accelerator']}: compared with the nearest, {near['accelerator']}"]
    elif beside["share"] > MOST_OF_OFFICIAL:
        raise ValueError(
            f"{_where(run)}: the rate is {beside['share']:,.0f} times the official one: another unit or count"
        )
    if run["requests_per_second"] >= 0.9 * run["request_rate"]:
        said += ["throughput is the request rate asked for: the run shows its load, not what the accelerators can do"]
    fastest = np.fmin(run["tpot_mean_ms"], run["tpot_p50_ms"])
    if fastest < 1e3 / steps_per_second(run, 0.5) / MOST_DRAFTED:
        raise ValueError(
            f"{_where(run)}: TPOT is {fastest:.2g} ms, less than reading the weights takes: is it in seconds?"
        )
    return beside


def _where(run: Mapping[str, Any]) -> str:
    return f"{run['file']} {run['place']}".strip()


def _bandwidth() -> pd.Series:
    return tables.accelerators.drop_duplicates("label").set_index("label")["memory_bandwidth_gb_per_s"]


def steps_per_second(run: Mapping[str, Any], bytes_per_weight: float) -> float:
    """Return how often the accelerators of a run together can read the active weights of its model in a second."""
    model = tables.benchmarks.set_index("benchmark").loc[run["benchmark"]]
    active = model[["active_parameters_billion", "parameters_billion"]].dropna().iloc[0]
    return run["accelerator_count"] * _bandwidth().get(run["accelerator"], NAN) / (active * bytes_per_weight)


def losses(row: Mapping[str, Any]) -> pd.DataFrame:
    """Return what lies between the official Offline rate and an assessed run, as factors that multiply to its share.

    Columns label, factor: the scenario's limits (of the official system), low concurrency (each request in flight gives
    at most one token per reading of the weights), software and setup (the rest), and answers beyond the limits. Without
    an official result beside the run there are no rows.
    """
    if not row["share"] > 0:
        return pd.DataFrame({"label": [], "factor": []})
    steps = steps_per_second(row, tables.WEIGHT_BYTES.get(row["precision"].lower(), 2.0))
    ceiling = row["concurrency"] * steps / row["accelerator_count"]
    few = np.fmin(ceiling / row["official_rate"], 1.0)
    factors = {
        f"{row['scenario']} limits": row["official_rate"] / row["official_offline"], "low concurrency": few,
        "software and setup": row["share"] / few, "answers beyond the limits": row["within"],
    }  # fmt: skip
    return pd.DataFrame({"label": list(factors), "factor": list(factors.values())}).dropna(ignore_index=True)
