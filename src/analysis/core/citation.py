"""Which sources stand behind rows; looking a source up and wording it do not belong here."""

from __future__ import annotations

import pandas as pd


def cited(*frames: pd.DataFrame | pd.Series) -> list[str]:
    """The source ids behind rows, each once, sorted: of columns `source_id` and `source_ids` (joined by commas)."""
    return sorted({source for frame in frames for text in _stated(frame) for source in text.split(", ") if source})


def _stated(rows: pd.DataFrame | pd.Series) -> list[str]:
    frame = rows.to_frame().T if isinstance(rows, pd.Series) else rows
    return [text for column in ("source_id", "source_ids") if column in frame for text in frame[column]]
