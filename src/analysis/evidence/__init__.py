"""Evidence beside MLPerf: public serving runs, accuracy by precision, energy per token, and production traffic.

None of it is an MLPerf result: a rate, ratio, or rank never crosses from one to the other. docs/data.md says of each
table what it is, from when, under which licence, and what it must not be compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.evidence.inferencex_files import append_inferencex, own_runs, read_inferencex
from analysis.evidence.precision import checkpoint_sizes, gsm8k_by_precision, public_scores

__all__ = [
    "accuracy_targets", "append_inferencex", "checkpoint_sizes", "demand_over_time", "energy_per_token", "envelope",
    "gsm8k", "gsm8k_by_precision", "inferencex", "matched_pairs", "peak_over_mean", "precision_effects",
    "public_scores", "read_inferencex", "tensorrt_llm", "traffic_rates", "traffic_trace", "value_at",
]  # fmt: skip

SPEED = "tokens_per_second_per_user"
THROUGHPUT = "output_tokens_per_second_per_gpu"
SAME_RUN = [
    "accelerator", "engine", "precision", "prompt_tokens", "answer_tokens", "concurrency", "gpus", "ttft_ms", "tpot_ms",
]  # fmt: skip


@lru_cache(maxsize=1)
def _inferencex() -> pd.DataFrame:
    return pd.concat([tables.load("inferencex_runs"), own_runs()], ignore_index=True).drop_duplicates(SAME_RUN)


def inferencex(*, unfinished: bool = False, disaggregated: bool | None = None) -> pd.DataFrame:
    """Return the runs of InferenceX, shipped and the user's own, one row each; identical runs once.

    Runs that their source marks unfinished are left out unless `unfinished`. `disaggregated` keeps only runs with (or
    without) separate accelerators for prompts.
    """
    runs = _inferencex()
    keep = runs["unfinished"].le(unfinished)
    if disaggregated is not None:
        keep &= runs["disaggregated"].eq(disaggregated)
    return runs[keep].copy()


def gsm8k() -> pd.DataFrame:
    """Return the GSM8K accuracy of models that InferenceX serves, with standard errors, one row per evaluation."""
    return tables.load("gsm8k_accuracy").copy()


def tensorrt_llm(version: str = "") -> pd.DataFrame:
    """Return TensorRT-LLM's published throughput, of one version or of all. Compare rows of one version only."""
    rows = tables.load("tensorrt_llm_throughput")
    if version:
        rows = rows[rows["version"].eq(names.choose(version, rows["version"].unique(), "version of TensorRT-LLM"))]
    return rows.copy()


def precision_effects(source_id: str = "", metric: str = "") -> pd.DataFrame:
    """Return figures on speed, memory, and quality by precision from vendor tables, papers, and open benchmarks."""
    rows = tables.load("precision_effects")
    for column, wanted in (("source_id", source_id), ("metric", metric)):
        if wanted:
            rows = rows[rows[column].eq(names.choose(wanted, rows[column].unique(), column))]
    return rows.copy()


def energy_per_token() -> pd.DataFrame:
    """Return watts and joules per token by load: runs of InferenceX PowerX, and medians over runs of ML.ENERGY."""
    return tables.load("energy_per_token").copy()


def accuracy_targets() -> pd.DataFrame:
    """Return the lowest valid score and the reference of each MLPerf round, benchmark, target, and metric."""
    return tables.load("accuracy_targets").copy()


def traffic_rates(service: str = "", *, gaps: bool = False) -> pd.DataFrame:
    """Return requests per second of production services in windows of ten minutes; of one service or of all.

    Windows in which no client was recorded are left out unless `gaps`.
    """
    rows = _of_service("traffic_rates", service)
    return rows if gaps else rows[rows["active_clients"].gt(0)]


def traffic_trace(service: str = "") -> pd.DataFrame:
    """Return arrivals and tokens of each request of an hour of production services; of one service or of all."""
    return _of_service("traffic_traces", service)


def _of_service(table: str, service: str) -> pd.DataFrame:
    rows = tables.load(table)
    if service:
        rows = rows[rows["service"].eq(names.choose(service, rows["service"].unique(), "service"))]
    return rows.copy()


def envelope(points: pd.DataFrame, by: Sequence[str] = (), *, x: str = SPEED, y: str = THROUGHPUT) -> pd.DataFrame:
    """Return the points of each group of `by` that no other point beats in both `x` and `y`, by rising `x`.

    Points without `x` or `y` are left out, as are those that another equals in both.
    """
    by = list(by)
    points = points.dropna(subset=[x, y]).sort_values([*by, x, y], ascending=[True] * len(by) + [False, False])
    groups = points.groupby(by, dropna=False, sort=False)[y] if by else points[y]
    before = groups.cummax().groupby([points[c] for c in by], dropna=False).shift() if by else groups.cummax().shift()
    return points[points[y].gt(before.fillna(-np.inf))].sort_values([*by, x], ignore_index=True)


def value_at(
    points: pd.DataFrame, speed: float, by: Sequence[str] = (), *, x: str = SPEED, y: str = THROUGHPUT
) -> float | pd.Series:
    """Return the upper envelope of `y` at `x` = `speed`, or a Series of it by group of `by`.

    The logarithm of `y` is linear in `x` between points of the envelope; NaN outside of them.
    """
    if by:
        groups = points.groupby(list(by), observed=True)[[x, y]]
        return groups.apply(lambda group: value_at(group, speed, x=x, y=y)).rename(y)
    upper = envelope(points, x=x, y=y)
    if upper.empty:
        return np.nan
    return float(np.exp(np.interp(speed, upper[x], np.log(upper[y]), left=np.nan, right=np.nan)))


def matched_pairs(
    frame: pd.DataFrame, by: Sequence[str], column: str, values: tuple[str, str], value: str, *, repeats: str = "median"
) -> pd.DataFrame:
    """Return pairs of rows that are equal in all of `by` and differ in `column`, with the ratio of their `value`.

    `values` are the two entries of `column`: the ratio is the second over the first. Rows that are alike in `by` and
    `column` count once: their "median", "max", or "last" in the order of `frame`. Columns: `by`, `first`, `second`,
    `ratio`.
    """
    names.choose(repeats, ("median", "max", "last"), "way to count repeated rows once")
    rows = frame[frame[column].isin(values)].dropna(subset=[value])
    groups = rows.groupby([*by, column], dropna=False, observed=True)[value]
    wide = groups.agg(repeats).unstack(column).reindex(columns=list(values)).dropna()
    wide.columns = pd.Index(["first", "second"])
    return wide.assign(ratio=wide["second"] / wide["first"]).reset_index()


def demand_over_time(
    trace: pd.DataFrame, window: float, value: str = "", *, time: str = "arrival_seconds"
) -> pd.Series:
    """Return requests per second of a trace in windows of `window` seconds, indexed by the start of each window.

    `value` names a column, such as tokens, to add up instead of requests. The last window is left out unless the trace
    fills it.
    """
    if not window > 0:
        raise ValueError(f"window is {window}; expected seconds above 0")
    whole = max(int(trace[time].max() // window), 1)
    amounts = trace[value] if value else pd.Series(1.0, trace.index)
    sums = amounts.groupby((trace[time] // window).astype("int64")).sum().reindex(range(whole), fill_value=0.0)
    return sums.set_axis(pd.Index(np.arange(whole) * window, name="seconds")) / window


def peak_over_mean(rates: pd.Series, window: float = 0, *, quantile: float = 1.0) -> float:
    """Return the highest of `rates` over their mean; with `quantile` 0.99 the 99th percentile over the mean.

    `rates` are indexed by the seconds at which each window starts. With `window` they are first averaged over windows
    of that many seconds.
    """
    if window:
        rates = rates.groupby(rates.index // window).mean()
    return float(rates.quantile(quantile) / rates.mean())
