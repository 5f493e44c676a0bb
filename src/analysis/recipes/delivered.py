"""Make data/burst_factors.csv and data/delivered.csv: what the derating reads of traces and of results."""

from __future__ import annotations

import pandas as pd

from analysis import bursts, derating, tables
from analysis.paths import DATA, replacing
from analysis.results import rule_limits


def make_bursts() -> None:
    """Write data/burst_factors.csv anew: `bursts.simulated` for each pair of limits of a benchmark, in minutes."""
    limits = {name: rule_limits(f"{name}_p99_limit") for name in ("tpot", "ttft")}
    pairs = pd.DataFrame(limits).dropna().drop_duplicates().sort_values(["tpot", "ttft"])
    _write("burst_factors", pd.concat([bursts.simulated(*pair) for pair in pairs.to_numpy()]), "%.6g")


def make_delivered() -> None:
    """Write data/delivered.csv anew, with the factors of data/burst_factors.csv."""
    _write("delivered", derating.computed.__wrapped__(), "%.4f")


def _write(name: str, rows: pd.DataFrame, numbers: str) -> None:
    with replacing(DATA / f"{name}.csv") as beside:
        rows.to_csv(beside, index=False, float_format=numbers, lineterminator="\n")
    tables.LOADED.pop(name, None)
