"""Parts of a frame that share its memory."""

from __future__ import annotations

import numpy as np
import pandas as pd


def where(rows: pd.DataFrame, condition: pd.Series | np.ndarray) -> pd.DataFrame:
    """The rows where `condition` is true, as `rows[condition]` has them; where they are together, nothing is copied.

    So do the rows of one origin or round in the table of results, of which a copy takes 40 MB.
    """
    places = np.flatnonzero(condition)
    if len(places) and places[-1] - places[0] + 1 == len(places):
        return rows.iloc[places[0] : places[-1] + 1]
    return rows.iloc[places]
