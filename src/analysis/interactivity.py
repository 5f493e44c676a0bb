"""Interactivity of official runs: the output tokens/s that each user sees at p99, and the throughput reached at it.

Interactivity is what a run guarantees, 1000 / TPOT p99 in ms: of its own log, else of its scenario's limit (the column
`tokens_per_second_per_user`). A run shows that its throughput is reached at its interactivity and at any lower one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
import pandas as pd

from analysis import evidence, names
from analysis.compare import RACKS, USUAL_SIZE, NoData, bare_metal, comparable, latest, of_tokens
from analysis.results import load_results, rule_limits

SCENARIOS = ("Offline", "Server", "Interactive")  # from no latency limit to the tightest
NO_LIMIT = 0.0  # the interactivity that stands for Offline, which limits no latency
TOKENS = 1024  # in and out, of the InferenceX runs that are shown
ROUNDING = 0.005  # so that a run at a limit of 66.67 tokens/s counts at 66.7


def runs(
    benchmark: str | Iterable[str], *, rounds: Iterable[str] = (), accelerators: Iterable[str] = (),
    results: pd.DataFrame | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Return the comparable results of language models in Offline, Server, and Interactive, with `interactivity`.

    The arguments are those of `comparable`; all its columns are kept. `interactivity` is NO_LIMIT Offline and NaN where
    neither log nor limit is known. Raises NoData where no scenario has a result, and where results do not
    count tokens.
    """
    asked = {"rounds": rounds, "accelerators": accelerators}
    rows = of_tokens(comparable(results, benchmark=benchmark, scenario=SCENARIOS, **asked))
    speed = rows["tokens_per_second_per_user"].mask(rows["scenario"].eq("Offline"), NO_LIMIT)
    return rows.assign(interactivity=speed)


@cache
def limits(benchmark: str) -> pd.DataFrame:
    """Return the p99 limits of a benchmark: scenario, interactivity (tokens/s per user), ttft_ms, tpot_ms.

    No rows for a benchmark whose rules limit no time per output token.
    """
    benchmark = names.benchmark(benchmark)
    both = {"ttft_ms": rule_limits("ttft_p99_limit"), "tpot_ms": rule_limits("tpot_p99_limit")}
    rules = pd.DataFrame(both).reindex(pd.MultiIndex.from_product([[benchmark], SCENARIOS[1:]])).droplevel(0)
    rules.insert(0, "interactivity", 1000 / rules["tpot_ms"])
    return rules.dropna(subset="tpot_ms").rename_axis("scenario").reset_index()


def speeds(benchmark: str) -> list[float]:
    """Return the interactivities that a benchmark's rules ask for: 0 (Offline), then those of the limits, rounded.

    Raises NoData for a benchmark whose rules limit no time per output token.
    """
    found = limits(benchmark)["interactivity"].round(1).tolist()
    if not found:
        raise NoData(f"{names.label(benchmark)} limits no time per output token, so its runs have no interactivity")
    return [NO_LIMIT, *found]


def of_rented_size(rows: pd.DataFrame) -> pd.Series:
    """Return which systems have the size that is rented: eight accelerators, or a rack of RACKS."""
    count = rows["accelerator_count"]
    return count.eq(USUAL_SIZE) | count.eq(rows["accelerator"].map(RACKS))


def sized(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the `bare_metal` runs of the size that is rented: eight accelerators, or a rack of RACKS.

    Other sizes where there is none.
    """
    rows = bare_metal(rows[rows["interactivity"].notna() & rows["rate_per_accelerator"].gt(0)])
    rented = of_rented_size(rows)
    some = rented.groupby([rows["accelerator"], rows["scenario"]]).transform("any")
    return rows[rented | ~some.astype(bool)]


def usual(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the `sized` runs, none with more throughput than the newest round has.

    Older runs count for the interactivity that their logs state, not as a record that the newest round does not reach.
    """
    rows = sized(rows)
    by = [rows["accelerator"], rows["scenario"]]
    newest = rows["round"].eq(rows["round"].groupby(by).transform("max"))
    highest = rows["rate_per_accelerator"].where(newest).groupby(by).transform("max")
    return rows[rows["rate_per_accelerator"].le(highest)]


def frontier(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of each accelerator that none beats in both interactivity and throughput, slowest first.

    `rows` as `runs` returns them; those under a limit of the `usual` size. Offline is the run that `latest` takes, so
    that a comparison of Offline results and a curve begin with one number.
    """
    offline = rows["scenario"].eq("Offline")
    rows = pd.concat([latest(rows[offline]), usual(rows[~offline])], ignore_index=True)
    order = ["accelerator", "interactivity", "rate_per_accelerator"]
    rows = rows.sort_values(order, ascending=[True, False, False], kind="stable")
    by = rows["accelerator"]
    best_of_faster = rows["rate_per_accelerator"].groupby(by).cummax().groupby(by).shift(fill_value=-np.inf)
    kept = rows["rate_per_accelerator"].gt(best_of_faster) | rows["scenario"].eq("Offline")
    return rows[kept].iloc[::-1].sort_values("accelerator", kind="stable", ignore_index=True)


def bounds(frontier: pd.DataFrame, interactivity: float | Iterable[float]) -> pd.DataFrame:
    """Return bounds on each accelerator's throughput at each interactivity, from its runs.

    From all runs of the `frontier`: lower is the highest throughput of those as fast or faster, upper the highest of
    all slower ones (tokens/s per accelerator, of the software submitted; NaN for none).

    Columns: accelerator, interactivity, lower, upper.
    """
    speeds = pd.DataFrame({"asked": np.unique(np.atleast_1d(interactivity)).astype(float)})
    pairs = frontier[["accelerator", "interactivity", "rate_per_accelerator"]].merge(speeds, how="cross")
    fast, rate = pairs["interactivity"].ge(pairs["asked"] * (1 - ROUNDING)), pairs["rate_per_accelerator"]
    pairs = pairs.assign(interactivity=pairs["asked"], lower=rate.where(fast), upper=rate.where(~fast))
    return pairs.groupby(["accelerator", "interactivity"], as_index=False)[["lower", "upper"]].max()


def ranked(at: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `planner.curve.throughput_at` that have a throughput, the fastest accelerator first.

    The order is that at the lowest interactivity. Added columns: order (place of the accelerator), estimated, and
    `users at` (the interactivity in words). Raises NoData, with the reason, where no row has a throughput.
    """
    if at["throughput"].isna().all():
        why = at["reason"].mode().iloc[0]
        raise NoData(f"no accelerator has a throughput at any interactivity asked for: {why}")
    at = at.dropna(subset="throughput")
    first = at[at["interactivity"].eq(at["interactivity"].min())].set_index("accelerator")["throughput"]
    order = first.rank(ascending=False).reindex(at["accelerator"]).to_numpy()
    words = at["interactivity"].map("{:g} tokens/s".format).mask(at["interactivity"].eq(NO_LIMIT), "no limit (Offline)")
    at = at.assign(order=order, estimated=at["evidence"].eq("estimated"), **{"users at": words})
    return at.sort_values(["order", "interactivity"], ignore_index=True)


def highest_and_lowest(rows: pd.DataFrame, column: str, does: str, form: Callable[[float], str]) -> str:
    """Return which accelerators have the highest and the lowest value of a column: "GB300 serves 9,300, B200 ...".

    `does` is the verb and `form` writes a value. Of a single accelerator, its own.
    """
    ends = rows.sort_values(column, ascending=False).iloc[[0, -1]].drop_duplicates("accelerator")
    return ", ".join(ends["accelerator"] + f" {does} " + ends[column].map(form))


def first_tokens(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the time to first token under one limit: that of the tightest scenario in which these `runs` ran.

    One run per accelerator: the highest throughput of the `sized` ones, a logged one where there is one. Added columns:
    seconds_p50 and seconds_p99 (the limit where there is no log), limit_seconds, and `no log`.
    """
    allowed = limits(rows["benchmark"].iloc[0]).set_index("scenario")["ttft_ms"] / 1000
    scenarios = [name for name in allowed.index if rows["scenario"].eq(name).any()]
    if not scenarios:
        raise NoData("no run under a latency limit, so no time to first token is known")
    best = sized(rows[rows["scenario"].eq(scenarios[-1])])
    best = best.assign(**{"no log": best["ttft_p99_ms"].isna()})
    best = best.sort_values(["no log", "rate_per_accelerator"], ascending=[True, False]).drop_duplicates("accelerator")
    seconds = {f"seconds_{mark}": (best[f"ttft_{mark}_ms"] / 1000) for mark in ("p50", "p99")}
    best = best.assign(**seconds, limit_seconds=allowed[scenarios[-1]])
    best["seconds_p99"] = best["seconds_p99"].fillna(best["limit_seconds"])
    best["seconds_p50"] = best["seconds_p50"].fillna(best["seconds_p99"])
    return best.sort_values("seconds_p99", ignore_index=True)


def inferencex(model: str, accelerators: Iterable[str] = (), *, most: int = 5) -> pd.DataFrame:
    """Return the upper envelope of a model's InferenceX runs at FP4 and FP8, for the accelerators with most runs.

    Of `accelerators` (names or vendors), all by default, with TOKENS in and out. No disaggregated runs; `most` is the
    number of pairs of accelerator and precision. Not MLPerf results. Raises NoData where no run is left.
    """
    runs = evidence.inferencex(disaggregated=False)
    alike = runs["prompt_tokens"].eq(TOKENS) & runs["answer_tokens"].eq(TOKENS)
    runs = runs[runs["model"].eq(model) & alike & runs["precision"].isin(["fp4", "fp8"])]
    if named := names.accelerators(accelerators, load_results()):
        runs = runs[runs["accelerator"].isin(named)]
    if runs.empty:
        raise NoData(f"no InferenceX run of {names.listed([model, *named])} with {TOKENS} tokens in and out")
    parts = ["accelerator", "precision"]
    top = runs[parts].value_counts().head(most).index
    found = evidence.envelope(runs[pd.MultiIndex.from_frame(runs[parts]).isin(top)], parts)
    return found.assign(precision=found["precision"].str.upper())
