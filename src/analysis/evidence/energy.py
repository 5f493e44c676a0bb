"""Measured joules per output token of InferenceX by user speed, GPUs alone, without rows that cannot be right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis import tables
from analysis.evidence.curves import SPEED, THROUGHPUT, value_at

JOULES = "joules_per_output_token"
CURVE = ["model", "accelerator", "engine", "precision", "format", "speculative", "prompt_tokens", "locator"]
MOST_WATTS = 1.05  # joules x throughput over rated watts: more cannot be drawn
MOST_ABOVE = 0.25  # share of a model's rows on a GPU above rated watts, from which on none of them counts
MOST_REQUESTS = 2.5  # requests stated over those that throughput and time per token imply
MOST_APART = 2.5  # user speeds of two points of a curve, between which joules are interpolated
MOST_STEP = 1.6  # implied watts over those at half the load; what stands before such a step is too low


def energy(*, left_out: bool = False) -> pd.DataFrame:
    """Return the runs with measured joules per output token and their user speed (tokens/s, 1000 / TPOT in ms).

    With `left_out` the rows that cannot be right instead, with `reason`. The product of joules and throughput is used
    for this check alone: the two are medians of different months.
    """
    rows = tables.load("inferencex_energy").sort_values([*CURVE, "concurrency"], ignore_index=True)
    rated = rows["accelerator"].map(tables.accelerators.set_index("label")["power_limit_w"])
    rows = rows.assign(**{SPEED: 1000 / rows["tpot_ms"]}, watts=rows[JOULES] * rows[THROUGHPUT] / rated)
    implied = rows[THROUGHPUT] * rows["gpus"] / rows[SPEED]
    above = rows["watts"].gt(1).groupby([rows["model"], rows["accelerator"]]).transform("mean")
    reasons = {
        "most of the curve implies more than rated watts": above.gt(MOST_ABOVE),
        "implies more than rated watts": rows["watts"].gt(MOST_WATTS),
        "throughput and time per token imply far fewer requests": rows["concurrency"].gt(MOST_REQUESTS * implied),
    }
    rows["reason"] = np.select([*reasons.values()], [*reasons], "")
    kept = rows[rows["reason"].eq("")]
    before = kept.groupby(CURVE)[["watts", "concurrency"]].shift()
    doublings = np.log2(kept["concurrency"] / before["concurrency"])
    step = (kept["watts"] / before["watts"]) ** (1 / doublings) > MOST_STEP
    later = step[::-1].groupby([kept[name] for name in CURVE]).cumsum()[::-1] - step
    rows.loc[later.index[later.gt(0)], "reason"] = "implied watts jump at a higher load"
    return rows[rows["reason"].ne("") == left_out]


def joules_at(rows: pd.DataFrame, speed: float, by: Sequence[str] = ("model", "accelerator")) -> pd.DataFrame:
    """Return the least joules per output token at `speed` tokens/s per user or faster, one row per group of `by`.

    Where a curve spans the speed it is interpolated (`measured`); elsewhere the best faster run stands in, an upper
    bound. `n` counts the runs of a group. Groups without a run that fast are left out.
    """
    by = list(by)
    curves = 1 / value_at(rows.assign(per_joule=1 / rows[JOULES]), speed, CURVE, y="per_joule", most_apart=MOST_APART)
    inside = curves.groupby(by).min()
    groups = rows.groupby(by)
    bound = rows[rows[SPEED].ge(speed)].groupby(by)[JOULES].min().reindex(inside.index)
    found = pd.DataFrame({"joules": np.fmin(inside, bound), "measured": inside.le(bound), "n": groups.size()})
    return found.dropna(subset="joules").reset_index()
