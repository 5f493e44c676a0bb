"""Estimate the share of output tokens/s that an engine retains with long prompts, with and without a prefix cache.

The share is of the same engine's output at 1,024 tokens in and out in InferenceX, not of MLPerf. The time of an
output token is decoding, attention over the context, and prefill of the uncached prompt, spread over the
answer. Three shapes of runs (1k/1k, 8k/1k, 1k/8k) give the three. Longer prompts and shorter answers are extrapolated.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.evidence import THROUGHPUT

SHAPES = [(1024, 1024), (8192, 1024), (1024, 8192)]  # tokens in and out of the three runs
KEYS = ["model", "accelerator", "engine", "precision"]
RATIO = 8  # prompt tokens per answer token that the runs reach


@tables.cached  # a fit over many runs
def timings() -> pd.DataFrame:
    """Return the time of an output token by part, one row per model, accelerator, engine, and precision.

    `decode`, `context` (per 1,000 tokens in context), and `prefill` (per prompt token over answer token), as shares of
    the whole at 1,024 tokens in and out.
    """
    runs = _runs()
    runs = runs[runs["gpus"].le(8)]
    best = runs.groupby([*KEYS, "prompt_tokens", "answer_tokens"])[THROUGHPUT].max()
    best = best.unstack([-2, -1])[SHAPES].dropna()
    seconds = best[[SHAPES[0]]].to_numpy() / best.to_numpy()
    solved = np.linalg.solve(_load(*np.array(SHAPES).T), seconds.T).T
    found = pd.DataFrame(solved, best.index, ["decode", "context", "prefill"])
    found = found[found["prefill"].gt(0)]
    found["context"] = found["context"].clip(lower=0)
    return found.div(found @ _load(*SHAPES[0]), axis=0)


def _load(prompt: float | np.ndarray, answer: float | np.ndarray, reused: float = 0.0) -> np.ndarray:
    """Return the multipliers of the three times of `timings` for these lengths, along the last axis."""
    parts = np.broadcast_arrays(1.0, (prompt + answer / 2) / 1024, prompt / answer * (1 - reused))
    return np.stack(parts, axis=-1)


def kept(prompt: float, answer: float, reused: float = 0.0) -> pd.Series:
    """Return output tokens/s over those at 1,024 in and out, one value per row of `timings`.

    `prompt` and `answer` are mean tokens, `reused` is the share of prompt tokens that a perfect cache holds: an upper
    bound, for caches are limited and loads from them cost. Raises ValueError for a share outside 0 to 1.
    """
    names.bounded(reused, "prompt_reuse", 0, 1)
    return 1 / (timings() @ _load(prompt, answer, reused))


def traffic(reuse: float = 0.0, trace: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the share that each workload of known lengths retains at each share of reuse, one row each.

    Columns: workload, prompt_tokens, answer_tokens, own (share of its prompt tokens seen before, NaN if unknown),
    prompt_reuse, `median`, `p10`, `p90` over the rows of `timings`, n. Each workload has no cache (0), its own reuse,
    and `reuse`. `trace` is your own, as `bursts.read_trace` returns it.
    """
    known = tables.prefix_reuse.dropna(subset="prompt_tokens").rename(columns={"reused_low": "own"})
    code = tables.load("traffic_traces").query("service == 'code'").assign(workload="Azure code")
    others = [code] if trace is None else [code, trace.assign(workload="your trace")]
    means = pd.concat(others).groupby("workload", sort=False)[["prompt_tokens", "answer_tokens"]].mean().reset_index()
    rows = []
    for row in pd.concat([known, means]).itertuples():
        for share in sorted({0.0, reuse, *([row.own] if row.own > 0 else [])}):
            values = kept(row.prompt_tokens, row.answer_tokens, share)
            marks = values.quantile([0.5, 0.1, 0.9])
            rows.append((row.workload, row.prompt_tokens, row.answer_tokens, row.own, share, *marks, len(values)))
    columns = ["workload", "prompt_tokens", "answer_tokens", "own", "prompt_reuse", "median", "p10", "p90", "n"]
    return pd.DataFrame(rows, columns=columns)


def errors() -> pd.Series:
    """Return predicted over measured throughput of runs with more than RATIO prompt tokens per answer token.

    Predicted by least squares over the other lengths of the same engine's version, accelerator, and model (four or
    more). Indexed by KEYS: runs of one engine are repeats, so n counts the values of the index.
    """
    runs = _runs()
    runs = runs[~runs["prompt_tokens"].isin([1024, 8192])]
    found = []
    for key, own in runs.groupby([*KEYS, "engine_version", "gpus"]):
        best = own.groupby(["prompt_tokens", "answer_tokens"])[THROUGHPUT].max().dropna().reset_index()
        prompt, answer, rate = best.to_numpy(float).T
        short = prompt / answer <= RATIO
        if short.sum() < 4 or short.all():
            continue
        load = _load(prompt, answer) * rate[:, None]
        time = np.linalg.lstsq(load[short], np.ones(short.sum()), rcond=None)[0]
        found += [(*key[: len(KEYS)], error) for error in 1 / (load[~short] @ time)]
    errors = pd.DataFrame(found, columns=[*KEYS, "error"]).set_index(KEYS)["error"]
    return errors[errors.gt(0)]


def _runs() -> pd.DataFrame:
    """Return finished aggregated runs of InferenceX without speculation."""
    runs = tables.load("inferencex_runs")
    return runs[~runs["disaggregated"] & ~runs["unfinished"] & runs["speculative"].eq("")]
