"""Which sources rows come from."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd


def cited(*frames: pd.DataFrame | pd.Series) -> list[str]:
    """The source ids behind rows, each once, sorted: of columns `source_id` (one) and `source_ids` (several)."""
    return sorted({source for frame in frames for source in _stated(frame) if source})


def several(ids: Iterable[str]) -> tuple[str, ...]:
    """The source ids of rows that become one, each once, sorted: a value of a column `source_ids`."""
    return tuple(sorted(set(ids) - {""}))


def _stated(rows: pd.DataFrame | pd.Series) -> list[str]:
    frame = rows.to_frame().T if isinstance(rows, pd.Series) else rows
    single = frame["source_id"].unique().tolist() if "source_id" in frame else []
    return [*single, *(source for ids in frame.get("source_ids", ()) for source in ids)]
