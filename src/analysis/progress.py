"""Compute what software alone gained: one accelerator, size, and submitter from round to round."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

SAME = ["accelerator", "accelerator_count", "submitter"]


def software_gains(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the gain of each accelerator, size, and submitter from one of its rounds to its next one.

    `rows` are comparable results of one benchmark and scenario. Columns: accelerator, accelerator_count, submitter,
    round, next_round, gain (ratio of the best throughputs per accelerator). Precision and settings may differ.
    """
    best = rows[rows["hypervisor"].eq("")].groupby([*SAME, "round"], observed=True)["rate_per_accelerator"].max()
    best = best.reset_index().sort_values([*SAME, "round"])
    following = best.groupby(SAME)[["round", "rate_per_accelerator"]].shift(-1)
    gains = best.assign(next_round=following["round"], gain=following["rate_per_accelerator"])
    gains["gain"] = gains["gain"] / gains["rate_per_accelerator"]
    return gains.dropna(subset="gain").drop(columns="rate_per_accelerator").reset_index(drop=True)


def software_chain(rows: pd.DataFrame, accelerators: Iterable[str], first_round: str = "") -> pd.DataFrame:
    """Return the software gain as a chain of steps: the first accelerator while it is submitted, then the next ones.

    A step is the median over submitters and sizes (`gain`; `low`, `high`: its range; `pairs`: how many) from `round`
    to `next_round` on one accelerator. The product of `gain` is the gain over all rounds.
    """
    gains = software_gains(rows)
    at = first_round or rows.loc[rows["accelerator"].isin(accelerators), "round"].min()
    steps = []
    for accelerator in accelerators:
        mine = gains[gains["accelerator"].eq(accelerator)]
        while not (here := mine[mine["round"].eq(at)]).empty:
            at = here["next_round"].mode().iloc[0]
            step = here.loc[here["next_round"].eq(at), "gain"]
            steps.append((accelerator, here["round"].iloc[0], at, step.median(), step.min(), step.max(), len(step)))
    columns = ["accelerator", "round", "next_round", "gain", "low", "high", "pairs"]
    return pd.DataFrame(steps, columns=columns)
