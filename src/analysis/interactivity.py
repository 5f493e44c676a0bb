"""Interactivity of official runs: the output tokens/s that each user sees at p99, and the throughput reached at it.

Interactivity is what a run guarantees, 1000 / TPOT p99 in ms: of its own log, else of its scenario's limit (the column
`tokens_per_second_per_user`). A run shows that its throughput is reached at its interactivity and at any lower one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from analysis import evidence, names, tables
from analysis.compare import RATED, USUAL_SIZE, NoData, bare_metal, comparable, of_tokens, racks
from analysis.present import last_results
from analysis.results import load_results, rule_limits

NO_LIMIT = 0.0  # the interactivity of Offline, which has no latency limit
LENGTH, MOST = 1024, 5  # of InferenceX: tokens in and out, and pairs of accelerator and precision that are shown
ROUNDING = 0.005  # relative tolerance, so that 66.67 tokens/s meets a limit printed as 66.7


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
    rows = of_tokens(comparable(results, benchmark=benchmark, scenario=RATED, **asked))
    speed = rows["tokens_per_second_per_user"].mask(rows["scenario"].eq("Offline"), NO_LIMIT)
    return rows.assign(interactivity=speed)


@tables.cached  # asked for each scenario
def limits(benchmark: str) -> pd.DataFrame:
    """Return the p99 limits of a benchmark: scenario, ttft_ms, tpot_ms, interactivity (tokens/s per user).

    No rows for a benchmark whose rules limit no time per output token.
    """
    benchmark = names.benchmark(benchmark)
    rules = pd.DataFrame({f"{name}_ms": rule_limits(f"{name}_p99_limit") for name in ("ttft", "tpot")})
    rules = rules.reindex([(benchmark, scenario) for scenario in RATED[1:]]).dropna(subset="tpot_ms").droplevel(0)
    return rules.assign(interactivity=1000 / rules["tpot_ms"]).rename_axis("scenario").reset_index()


def speeds(benchmark: str) -> list[float]:
    """Return the interactivities that a benchmark's rules ask for: 0 (Offline), then those of the limits, rounded."""
    return [NO_LIMIT, *limits(benchmark)["interactivity"].round(1)]


def of_rented_size(rows: pd.DataFrame) -> pd.Series:
    """Return a mask of the systems in a size that is rented: eight accelerators, or a rack."""
    count = rows["accelerator_count"]
    return count.eq(USUAL_SIZE) | count.eq(rows["accelerator"].map(racks()))


def sized(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the `bare_metal` runs in a size that is rented: eight accelerators, or a rack.

    Other sizes are returned if there is none.
    """
    rows = bare_metal(rows[rows["interactivity"].notna() & rows["rate_per_accelerator"].gt(0)])
    rented = of_rented_size(rows)
    some = rented.groupby([rows["accelerator"], rows["scenario"]]).transform("any")
    return rows[rented | ~some.astype(bool)]


def usual(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the `sized` runs, with throughput capped at the highest of the newest round.

    Older runs contribute their logged interactivity, but not throughput above what the newest round reaches.
    """
    rows = sized(rows)
    by = [rows["accelerator"], rows["scenario"]]
    newest = rows["round"].eq(rows["round"].groupby(by).transform("max"))
    highest = rows["rate_per_accelerator"].where(newest).groupby(by).transform("max")
    return rows[rows["rate_per_accelerator"].le(highest)]


def frontier(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of each accelerator that none beats in both interactivity and throughput, slowest first.

    `rows` as `runs` returns them; those under a limit of the `usual` size. The Offline result used by `current` also
    stays, even if a faster run has more throughput.
    """
    offline = rows["scenario"].eq("Offline")
    rows = pd.concat([last_results(rows[offline]), usual(rows[~offline])])
    rows = rows.sort_values(["interactivity", "rate_per_accelerator"], ascending=False, kind="stable")
    by = rows["accelerator"]
    best_of_faster = rows["rate_per_accelerator"].groupby(by).cummax().groupby(by).shift(fill_value=-np.inf)
    kept = rows["rate_per_accelerator"].gt(best_of_faster) | rows["scenario"].eq("Offline")
    return rows[kept].iloc[::-1].sort_values("accelerator", kind="stable", ignore_index=True)


def bounds(frontier: pd.DataFrame, interactivity: Iterable[float]) -> pd.DataFrame:
    """Return bounds on each accelerator's throughput at each interactivity, from all its runs of the `frontier`.

    Columns: accelerator, interactivity, lower (the highest throughput among runs at this interactivity or above), upper
    (the highest among slower runs, but not below `lower`): tokens/s per accelerator, of the software submitted; NaN
    where there is no such run.
    """
    speeds = pd.DataFrame({"asked": sorted({float(speed) for speed in interactivity})})
    pairs = frontier[["accelerator", "interactivity", "rate_per_accelerator"]].merge(speeds, how="cross")
    fast, rate = pairs["interactivity"].ge(pairs["asked"] * (1 - ROUNDING)), pairs["rate_per_accelerator"]
    pairs = pairs.assign(interactivity=pairs["asked"], lower=rate.where(fast), upper=rate.where(~fast))
    found = pairs.groupby(["accelerator", "interactivity"], as_index=False)[["lower", "upper"]].max()
    return found.assign(upper=found["upper"].clip(lower=found["lower"].fillna(-np.inf)))


def ranked(at: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `planner.curve.throughput_at` that have a throughput, the fastest accelerator first.

    The order is that at the lowest interactivity. Added columns: order (place of the accelerator) and estimated. Raises
    NoData, with the reason, where no row has a throughput.
    """
    if at["throughput"].isna().all():
        why = at["reason"].mode().iloc[0]
        raise NoData(f"no accelerator has a throughput at any requested interactivity: {why}")
    at = at.dropna(subset="throughput")
    first = at[at["interactivity"].eq(at["interactivity"].min())].set_index("accelerator")["throughput"]
    order = first.rank(ascending=False).reindex(at["accelerator"]).to_numpy()
    at = at.assign(order=order, estimated=at["evidence"].eq("estimated"))
    return at.sort_values(["order", "interactivity"], ignore_index=True)


def supported(at: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Add the evidence behind each throughput of `throughput_at`, from the runs `rows` as `runs` returns them.

    `submitters`: how many have a `sized` run of the accelerator that is as fast or faster, 0 beyond the fastest.
    `p99_over_median`: of the time per output token in the logs of the runs that it rests on, the highest; NaN without.
    """
    size = ["accelerator", "interactivity"]
    behind = at[size].merge(sized(rows)[[*size, "submitter"]], on="accelerator", suffixes=("", "_of_run"))
    behind = behind[behind["interactivity_of_run"].ge(behind["interactivity"] * (1 - ROUNDING))]
    submitters = behind.groupby(size)["submitter"].nunique().rename("submitters")
    far = (rows["tpot_p99_ms"] / rows["tpot_p50_ms"]).set_axis(rows["id"])
    found = at.merge(submitters.reset_index(), on=size, how="left").fillna({"submitters": 0})
    highest = found[["slower_id", "id"]].apply(lambda ids: ids.map(far)).max(axis=1)
    return found.assign(p99_over_median=highest)


def first_tokens(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the time to first token under one limit: that of the tightest scenario in which these `runs` ran.

    One run per accelerator: the highest throughput of the `sized` ones, a logged one where there is one. Added columns:
    seconds_p50 and seconds_p99 (the limit where there is no log), limit_seconds, and `no log`. No rows
    where no run is under a limit.
    """
    allowed = limits(rows["benchmark"].iloc[0]).set_index("scenario")["ttft_ms"] / 1000
    tightest = allowed.index[allowed.index.isin(rows["scenario"])][-1:]
    best = sized(rows[rows["scenario"].isin(tightest)])
    best = best.assign(**{"no log": best["ttft_p99_ms"].isna()})
    best = best.sort_values(["no log", "rate_per_accelerator"], ascending=[True, False]).drop_duplicates("accelerator")
    limit = best["scenario"].map(allowed).astype(float)
    slowest = (best["ttft_p99_ms"] / 1000).fillna(limit)
    median = (best["ttft_p50_ms"] / 1000).fillna(slowest)
    best = best.assign(seconds_p50=median, seconds_p99=slowest, limit_seconds=limit)
    return best.sort_values("seconds_p99", ignore_index=True)


def inferencex_envelopes(model: str, accelerators: Iterable[str] = ()) -> pd.DataFrame:
    """Return the upper envelope of a model's InferenceX runs at FP4 and FP8, for the accelerators with most runs.

    With LENGTH tokens in and out; at most MOST pairs of accelerator and precision. Not MLPerf results.
    """
    runs = _inferencex_runs(model, accelerators)
    runs = runs[runs["prompt_tokens"].eq(LENGTH) & runs["answer_tokens"].eq(LENGTH)]
    parts = ["accelerator", "precision"]
    top = runs[parts].value_counts().head(MOST).index
    return evidence.envelope(runs[pd.MultiIndex.from_frame(runs[parts]).isin(top)], parts)


def inferencex_at(model: str, speeds: Iterable[float], accelerators: Iterable[str] = ()) -> pd.DataFrame:
    """Return the envelope of a model's InferenceX runs at each interactivity above 0, by accelerator and lengths.

    Columns: accelerator, precision, prompt_tokens, answer_tokens, throughput (output tokens/s per GPU), interactivity.
    """
    runs, by = _inferencex_runs(model, accelerators), ["accelerator", "precision", "prompt_tokens", "answer_tokens"]
    found = {speed: evidence.value_at(runs, speed, by) for speed in speeds if speed > NO_LIMIT}
    if not found or runs.empty:
        return pd.DataFrame(columns=[*by, "throughput", "interactivity"])
    found = pd.concat(found, names=["interactivity"]).rename("throughput").reset_index()
    return found.dropna()[[*by, "throughput", "interactivity"]]


def _inferencex_runs(model: str, accelerators: Iterable[str]) -> pd.DataFrame:
    """Return the runs of a model at FP4 and FP8 in one pool, of `accelerators` (names or vendors), all by default."""
    runs = evidence.inferencex_runs(disaggregated=False)
    kept = runs["model"].eq(model) & runs["precision"].isin(["fp4", "fp8"])
    if accelerators:
        kept &= runs["accelerator"].isin(names.accelerators(accelerators, load_results()))
    return runs[kept].assign(precision=runs["precision"].str.upper())
