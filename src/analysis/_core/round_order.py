"""The rounds of a column by their age. A column has tens of thousands of rows, and two dozen rounds at most."""

from __future__ import annotations

import pandas as pd

from analysis._core.vocabulary import round_age


def newest(rounds: pd.Series) -> str:
    """The newest round in a column, "" where there is none."""
    return max(rounds.unique(), key=round_age, default="")


def of(rounds: pd.Series) -> pd.Series:
    """Of each cell the place of its round among those of the column, the newer the higher: whole numbers from 0."""
    places = {name: place for place, name in enumerate(sorted(rounds.unique(), key=round_age))}
    return rounds.map(places).astype("int64")


def newest_first(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows by their round, the newest first."""
    return rows.sort_values("round", key=of, ascending=False, kind="stable")


def of_newest_round(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the newest round among them."""
    return rows[rows["round"].eq(newest(rows["round"]))]
