"""Curves of throughput over user speed, and pairs of rows that differ in one column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis import names

SPEED = "tokens_per_second_per_user"
THROUGHPUT = "output_tokens_per_second_per_gpu"
MOST_APART = 2.0  # interactivity of two points of an envelope, between which a value is interpolated


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
    `column` count once: their "median", "min", "max", or "last" in the order of `frame`. Columns: `by`, `first`,
    `second`, `ratio`.
    """
    names.choose(repeats, ("median", "min", "max", "last"), "way to count repeated rows once")
    rows = frame.loc[frame[column].isin(values), [*by, column, value]].dropna(subset=[value])
    groups = rows.groupby([*by, column], dropna=False, observed=True)[value]
    wide = groups.agg(repeats).unstack(column).reindex(columns=list(values)).dropna()
    wide.columns = pd.Index(["first", "second"])
    return wide.assign(ratio=wide["second"] / wide["first"]).reset_index()
