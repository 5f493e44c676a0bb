"""Measured joules per output token of InferenceX by user speed, GPUs alone, without implausible rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis import names, tables
from analysis.evidence.curves import SPEED, THROUGHPUT, value_at

JOULES = "joules_per_output_token"
CURVE = ["model", "accelerator", "engine", "precision", "format", "speculative", "prompt_tokens", "locator"]
MOST_WATTS = 1.05  # joules x throughput over rated watts: more cannot be drawn
MOST_ABOVE = 0.25  # share of a model's rows on a GPU above rated watts, from which on none of them counts
MOST_REQUESTS = 2.5  # requests stated over those that throughput and time per token imply
MOST_APART = 2.5  # user speeds of two points of a curve, between which joules are interpolated
LOADS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)  # shares of the highest throughput of a curve
MOST_STEP = 1.6  # implied watts over those at half the load; rows before a larger step are too low


def energy(*, left_out: bool = False) -> pd.DataFrame:
    """Return the runs with measured joules per output token and their user speed (tokens/s, 1000 / TPOT in ms).

    With `left_out`, return the implausible rows instead, with `reason`. The product of joules and throughput
    is used for this check alone: the two are medians of different months.
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


def joules_at(rows: pd.DataFrame, *speeds: float) -> pd.DataFrame:
    """Return the least joules per output token at `speeds` (tokens/s per user) or faster, by model and accelerator.

    Where a curve spans the speed it is interpolated (`measured`); elsewhere the best faster run is used, an upper
    bound. `n` counts the runs of an accelerator. One without a run that fast is left out. `over_best` is the ratio to
    the least that is measured for the model at that speed, and `rivals` counts the accelerators measured there.
    """
    by, found = ["model", "accelerator"], []
    groups, rows = rows.groupby(by).size(), rows.assign(per_joule=1 / rows[JOULES])
    for speed in sorted(set(speeds)):
        names.bounded(speed, "tokens/s per user", 0.1, 100_000)
        curves = 1 / value_at(rows, speed, CURVE, y="per_joule", most_apart=MOST_APART)
        inside = curves.groupby(by).min()
        bound = rows[rows[SPEED].ge(speed)].groupby(by)[JOULES].min().reindex(inside.index)
        each = pd.DataFrame({"joules": np.fmin(inside, bound), "measured": inside.le(bound), "n": groups})
        found.append(each.assign(speed=speed).dropna(subset="joules").reset_index())
    found = pd.concat(found, ignore_index=True)
    of_model = found.assign(joules=found["joules"].where(found["measured"])).groupby(["speed", "model"])["joules"]
    return found.assign(over_best=found["joules"] / of_model.transform("min"), rivals=of_model.transform("count"))


def part_load() -> pd.DataFrame:
    """Return joules per output token at part load, relative to full load, by load and source.

    Curves are fixed layouts under rising load, of InferenceX (`energy`), InferenceX PowerX, and ML.ENERGY (aggregates,
    data/part_load.csv), that reach down to LOADS[0] in four points or more. Columns: source, load, median,
    curves, models.
    """
    powerx = tables.energy_per_token[tables.energy_per_token["source_id"].eq("inferencex-powerx")]
    powerx = powerx[~powerx["configuration"].str.contains("disagg")]
    powerx = powerx.assign(**{THROUGHPUT: powerx["watts_per_gpu"] / powerx[JOULES], "locator": powerx["configuration"]})
    curves = []
    for source, runs in {"InferenceX July 2026": energy(), "InferenceX PowerX": powerx}.items():
        for key, curve in runs.groupby([name for name in CURVE if name in runs]):
            curve = curve.sort_values(THROUGHPUT)
            load = np.log(curve[THROUGHPUT] / curve[THROUGHPUT].max())
            if len(curve) > 3 and load.iloc[0] <= np.log(LOADS[0]):
                joules = np.exp(np.interp(np.log(LOADS), load, np.log(curve[JOULES])))
                curves += [(source, key[0], *each) for each in zip(LOADS, joules / joules[-1], strict=True)]
    groups = pd.DataFrame(curves, columns=["source", "model", "load", "ratio"]).groupby(["source", "load"])
    found = groups.agg(median=("ratio", "median"), curves=("ratio", "size"), models=("model", "nunique")).reset_index()
    return pd.concat([tables.part_load.assign(source="ML.ENERGY v3"), found], ignore_index=True)
