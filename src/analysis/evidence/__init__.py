"""Evidence beside MLPerf: public serving runs, and speed, memory, and quality by precision.

`analysis.tables` has the tables as they are, those of energy per token and traffic among them. None of it is an MLPerf
result: a rate, ratio, or rank never crosses from one to the other. docs/data.md says of each table what it is, from
when, under which licence, and what it must not be compared with.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.evidence.inferencex_files import append_inferencex, own_runs, read_inferencex
from analysis.evidence.precision import checkpoint_sizes, gsm8k_by_precision, public_scores

__all__ = [
    "append_inferencex", "checkpoint_sizes", "envelope", "gsm8k_by_precision", "implausible", "implausible_in_words",
    "inferencex", "matched_pairs", "precision_effects", "public_scores", "read_inferencex", "tensorrt_llm", "value_at",
]  # fmt: skip

SPEED = "tokens_per_second_per_user"
THROUGHPUT = "output_tokens_per_second_per_gpu"
SAME_RUN = [
    "accelerator", "engine", "precision", "prompt_tokens", "answer_tokens", "concurrency", "gpus", "ttft_ms", "tpot_ms",
]  # fmt: skip
CONFIGURATION = [
    "model", "accelerator", "engine", "precision", "speculative", "gpus", "tensor_parallel", "pipeline_parallel",
    "data_parallel", "moe_tensor_parallel", "expert_parallel", "prompt_tokens", "answer_tokens",
]  # fmt: skip
FAR_FASTER = (0.7, 2.5)  # below this share of the time per token, and above this multiple of the throughput
MOST_APART = 2.0  # interactivity of two points of an envelope, between which a value is interpolated


@cache
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
    return runs[keep]


def implausible(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that are too fast for their load: their concurrency or layout cannot be what is stated.

    Such a run has under 0.7 of the time per token and over 2.5 times the throughput of the best run of its layout, of
    any build, at half its concurrency or less. Disaggregated runs are not judged: the table has only a part of their
    layout.
    """
    known = runs[~runs["disaggregated"]].dropna(subset=["concurrency", "tpot_ms", THROUGHPUT])
    group = known.groupby(CONFIGURATION, dropna=False, sort=False).ngroup()
    known = known[["concurrency", "tpot_ms", THROUGHPUT]].astype("float64").assign(group=group)
    known = known.sort_values("concurrency")
    best = known[known[THROUGHPUT].eq(known.groupby("group")[THROUGHPUT].cummax())]
    half = known.assign(concurrency=known["concurrency"] / 2).reset_index(names="run")
    beside = pd.merge_asof(half, best, on="concurrency", by="group", suffixes=("", "_best"))
    share, multiple = FAR_FASTER
    far = beside["tpot_ms"].lt(share * beside["tpot_ms_best"])
    far &= beside[THROUGHPUT].gt(multiple * beside[f"{THROUGHPUT}_best"])
    return runs.loc[sorted(beside.loc[far, "run"])]


def implausible_in_words() -> list[str]:
    """Return a line for each `implausible` run, shipped or the user's own."""
    return [
        f"inferencex_runs, {run.locator} {run.measured}: {run.accelerator} x {run.gpus:.0f}, {run.model}, "
        f"{run.engine}, {run.prompt_tokens} in and {run.answer_tokens} out, {run.concurrency:.0f} in flight: "
        f"{run.tpot_ms:.1f} ms per token is far below this layout at half the load: concurrency or layout is wrong"
        for run in implausible(inferencex()).itertuples()
    ]


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


def envelope(points: pd.DataFrame, by: Sequence[str] = (), *, x: str = SPEED, y: str = THROUGHPUT) -> pd.DataFrame:
    """Return the points of each group of `by` that no other point beats in both `x` and `y`, by rising `x`.

    Points without `x` or `y` are left out, as are those that another equals in both.
    """
    by = list(by)
    points = points.dropna(subset=[x, y]).sort_values([*by, x, y], ascending=[True] * len(by) + [False, False])
    best = (points.groupby(by, dropna=False)[y] if by else points[y]).cummax()
    return points[points[y].eq(best)].drop_duplicates([*by, y]).sort_values([*by, x], ignore_index=True)


def value_at(
    points: pd.DataFrame,
    speed: float,
    by: Sequence[str] = (),
    *,
    x: str = SPEED,
    y: str = THROUGHPUT,
    most_apart: float = MOST_APART,
) -> float | pd.Series:
    """Return the upper envelope of `y` at `x` = `speed`, or a Series of it by group of `by`.

    The logarithm of `y` is linear in `x` between points of the envelope; NaN outside of them, and between two points
    whose `x` differ by more than a factor of `most_apart`.
    """
    if not by:
        return float(value_at(points.assign(all=""), speed, ["all"], x=x, y=y, most_apart=most_apart).get("", np.nan))
    by = list(by)
    upper = envelope(points[[*by, x, y]], by, x=x, y=y)
    upper["log"] = np.log(upper[y])
    before = upper[upper[x].le(speed)].groupby(by, observed=True).last()
    after = upper[upper[x].ge(speed)].groupby(by, observed=True).first()
    slope = (after["log"] - before["log"]) / (after[x] - before[x])
    value = np.exp(before["log"] + (slope * (speed - before[x])).where(before[x].lt(speed), 0))
    value = value.where(after[x].le(most_apart * before[x]) | before[x].eq(speed)).rename(y)
    return value.reindex(points.groupby(by, observed=True).size().index)


def matched_pairs(
    frame: pd.DataFrame, by: Sequence[str], column: str, values: tuple[str, str], value: str, *, repeats: str = "median"
) -> pd.DataFrame:
    """Return pairs of rows that are equal in all of `by` and differ in `column`, with the ratio of their `value`.

    `values` are the two entries of `column`: the ratio is the second over the first. Rows that are alike in `by` and
    `column` count once: their "median", "max", or "last" in the order of `frame`. Columns: `by`, `first`, `second`,
    `ratio`.
    """
    names.choose(repeats, ("median", "max", "last"), "way to count repeated rows once")
    rows = frame.loc[frame[column].isin(values), [*by, column, value]].dropna(subset=[value])
    groups = rows.groupby([*by, column], dropna=False, observed=True)[value]
    wide = groups.agg(repeats).unstack(column).reindex(columns=list(values)).dropna()
    wide.columns = pd.Index(["first", "second"])
    return wide.assign(ratio=wide["second"] / wide["first"]).reset_index()
