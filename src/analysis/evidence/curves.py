"""Curves of throughput over user speed, and pairs of rows that differ in one column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

SPEED = "tokens_per_second_per_user"
THROUGHPUT = "output_tokens_per_second_per_gpu"
MOST_APART = 2.0  # interactivity of two points of an envelope, between which a value is interpolated


def envelope(points: pd.DataFrame, by: Sequence[str], *, y: str = THROUGHPUT) -> pd.DataFrame:
    """Return the points of each group of `by` that no other beats in both user speed and `y`, by rising speed.

    Points without a speed or `y` are left out, as are those that another equals in both.
    """
    by = list(by)
    points = points.dropna(subset=[SPEED, y]).sort_values([*by, SPEED, y], ascending=[True] * len(by) + [False] * 2)
    best = points[points[y].eq(points.groupby(by)[y].cummax())]
    return best.drop_duplicates([*by, y]).sort_values([*by, SPEED], ignore_index=True)


def value_at(
    points: pd.DataFrame, speed: float, by: Sequence[str], *, y: str = THROUGHPUT, most_apart: float = MOST_APART
) -> pd.Series:
    """Return the upper envelope of `y` at a user speed, by group of `by`.

    The logarithm of `y` is linear in the speed between points of the envelope. The value is NaN outside of them, and
    between two points whose speeds differ by more than a factor of `most_apart`.
    """
    by = list(by)
    upper = envelope(points[[*by, SPEED, y]], by, y=y)
    upper["log"] = np.log(upper[y])
    before = upper[upper[SPEED].le(speed)].groupby(by).last()
    after = upper[upper[SPEED].ge(speed)].groupby(by).first()
    slope = (after["log"] - before["log"]) / (after[SPEED] - before[SPEED])
    value = np.exp(before["log"] + (slope * (speed - before[SPEED])).where(before[SPEED].lt(speed), 0))
    value = value.where(after[SPEED].le(most_apart * before[SPEED]) | before[SPEED].eq(speed)).rename(y)
    return value.reindex(points.groupby(by).size().index)


def matched_pairs(
    frame: pd.DataFrame, by: Sequence[str], column: str, values: tuple[str, str], value: str, *, repeats: str = "median"
) -> pd.DataFrame:
    """Return pairs of rows that are equal in all of `by` and differ in `column`, with the ratio of their `value`.

    `values` are the two entries of `column`: the ratio is the second over the first. Rows that are equal in `by` and
    `column` count once, by the pandas aggregation `repeats`. Columns: `by`, `first`, `second`, `ratio`.
    """
    rows = frame.loc[frame[column].isin(values), [*by, column, value]].dropna(subset=[value])
    groups = rows.groupby([*by, column], dropna=False)[value]
    wide = groups.agg(repeats).unstack(column).reindex(columns=list(values)).dropna()
    wide.columns = pd.Index(["first", "second"])
    return wide.assign(ratio=wide["second"] / wide["first"]).reset_index()
