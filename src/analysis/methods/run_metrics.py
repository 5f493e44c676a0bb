"""What a measured run gave its users and cost: limits held, energy, dollars, place on the roofline and on the front.

All functions take frames of settled runs (see deployment.settle); rates are output tokens per second.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis._core import interval
from analysis._core.interval import Interval
from analysis._core.plain_values import as_dicts
from analysis._core.vocabulary import MS_PER_SECOND, SECONDS_PER_HOUR
from analysis.methods import roofline
from analysis.methods.memory import Model


def served(runs: pd.DataFrame, ttft_ms: float, tpot_ms: float) -> pd.DataFrame:
    """The runs with ttft_held and tpot_held (p99 within the limit; NA where either is not known) and good_share.

    good_share is the share of completed requests within both limits: counted over requests where the file holds them
    (good_basis `counted`), else the file's goodput over its own limits (`stated by the file`), else NaN.
    """
    held = {"ttft_held": _within(runs["ttft_p99_ms"], ttft_ms), "tpot_held": _within(runs["tpot_p99_ms"], tpot_ms)}
    shares = [_good(run, ttft_ms, tpot_ms) for run in as_dicts(runs)]
    return runs.assign(**held, good_share=[share for share, _ in shares], good_basis=[basis for _, basis in shares])


def energy(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs with joules: watts of the accelerators alone over output tokens/s; NaN unless all are metered."""
    all_metered = runs["metered"].eq(runs["accelerator_count"])
    return runs.assign(joules=(runs["accelerator_watts"] / runs["output_tokens_per_s"]).where(all_metered))


def money(runs: pd.DataFrame, price: Interval) -> pd.DataFrame:
    """The runs with what they cost at `price` per accelerator-hour (low, high), in US dollars.

    Added: usd_per_hour_low/high; usd_per_million_low/high (output tokens); usd_per_million_all_low/high (input and
    output; NaN where the input is not known); enough_low/high (accelerators that give the same tokens at the official
    rate, count x derate rounded up, never more than there are); saved_low/high (per hour, if the others were given
    back: accelerators are rented whole).
    """
    count = runs["accelerator_count"].astype(float)
    bill = Interval(count * price.low, count * price.high)
    million = runs["output_tokens_per_s"] * SECONDS_PER_HOUR / 1e6
    million_all = million * (1 + runs["input_tokens"] / runs["output_tokens"])
    costed = interval.put(runs, "usd_per_hour", bill)
    costed = interval.put(costed, "usd_per_million", Interval(bill.low / million, bill.high / million))
    costed = interval.put(costed, "usd_per_million_all", Interval(bill.low / million_all, bill.high / million_all))
    enough = Interval(*(interval.whole(count * runs[f"derate_{end}"]).clip(upper=count) for end in ("low", "high")))
    saved = Interval((count - enough.high) * price.low, (count - enough.low) * price.high)
    return interval.put(interval.put(costed, "saved", saved), "enough", enough)


def front(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs with interactivity_low/high (tokens/s to a user: 1000 / TPOT in ms at p99 and at the median) and `best`.

    `best` are the runs of the Pareto front: no other gives at least as much throughput per accelerator and as much
    interactivity at the median (else the mean), and more of one. Runs without a TPOT have neither.
    """
    middle = runs["tpot_p50_ms"].fillna(runs["tpot_mean_ms"])
    speed = MS_PER_SECOND / middle.where(middle > 0)
    slow = MS_PER_SECOND / runs["tpot_p99_ms"].where(runs["tpot_p99_ms"] > 0).fillna(middle)
    with_speed = interval.put(runs, "interactivity", Interval(np.minimum(slow, speed), speed))
    points = np.column_stack([runs["per_accelerator_low"], speed])
    beaten = [bool(((points >= point).all(axis=1) & (points > point).any(axis=1)).any()) for point in points]
    speed_known = speed.notna().tolist()
    return with_speed.assign(best=[has_speed and not lost for has_speed, lost in zip(speed_known, beaten, strict=True)])


def ceiling(runs: pd.DataFrame, identity: pd.Series, model: Model | None, facts: pd.DataFrame) -> pd.DataFrame:
    """The runs with their place on the roofline: ceiling (tokens/s per accelerator), bound, of_ceiling (a share).

    `identity` is the model's row of benchmarks.csv, `model` what it takes of memory, `facts` accelerators.csv. On
    average a request has its prompt and half of its answer in cache. The lower of the two ceilings of roofline.serving
    binds. NaN where a fact is not known.
    """
    rows, facts = [], facts.set_index("accelerator")
    for run in as_dicts(runs):
        answer, prompt = (run[f"{kind}_tokens"] / run["requests_completed"] for kind in ("output", "input"))
        datasheet = facts.loc[run["accelerator"]]
        cache_gb = model.cache_bytes(prompt + answer / 2) / 1e9 if model else float("nan")
        memory, compute = roofline.serving(
            datasheet, identity, run["precision"], run["concurrency"], prompt, answer, cache_gb
        )
        known = memory == memory and compute == compute
        least = min(memory, compute) if known else float("nan")
        bound = ("memory" if memory <= compute else "compute") if known else "not known"
        rows.append(run | {"ceiling": least, "bound": bound, "of_ceiling": run["per_accelerator_low"] / least})
    return pd.DataFrame(rows)


def _within(latency: pd.Series, limit: float) -> pd.Series:
    return latency.le(limit).astype("boolean").mask(latency.isna() | np.isnan(limit))


def _good(run: Mapping, ttft_ms: float, tpot_ms: float) -> tuple[float, str]:
    ttfts, tpots = run["request_ttft_ms"], run["request_tpot_ms"]
    if ttfts is not None and len(ttfts) and ttft_ms > 0 and tpot_ms > 0:
        return float(np.mean((ttfts <= ttft_ms) & ~(tpots > tpot_ms))), "counted"
    share = run["goodput_per_s"] / run["requests_per_s"] if run["requests_per_s"] else np.nan
    return (float(share), "stated by the file") if share == share else (float("nan"), "not known")
