"""Locate the project's folders, whatever the current folder is."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
NOTEBOOKS = ROOT / "notebooks"
REPORTS = ROOT / "reports"
SHIPPED_ONLY = "ANALYSIS_RECORD"  # set to "shipped" where a user's own imports must not change outputs, as in tests


def official_files(shipped: list[str]) -> list[Path]:
    """Return the Parquet files of official results: those `shipped` (paths from data/), then the user's own imports."""
    files = [DATA / name for name in shipped]
    if os.environ.get(SHIPPED_ONLY) == "shipped":
        return files
    return files + sorted(path for path in (DATA / "official").glob("*.parquet") if path not in files)
