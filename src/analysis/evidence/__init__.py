"""Evidence outside MLPerf: public serving runs, and speed, memory, and quality by precision.

`analysis.tables` has the raw tables, including those of energy per token and traffic. None of these is an MLPerf
result: rates, ratios, and ranks never mix the two. docs/data.md gives each table's content, date, license, and what it
must not be compared with.
"""

from __future__ import annotations

import os

import pandas as pd

from analysis import tables
from analysis.evidence.curves import SPEED, THROUGHPUT, envelope, matched_pairs, value_at
from analysis.evidence.energy import JOULES, energy, joules_at, part_load
from analysis.evidence.precision import SIZES, checkpoint_sizes, parameters, pooled, recovery, size_class
from analysis.paths import DATA, SHIPPED_ONLY, plain

__all__ = [
    "JOULES", "SIZES", "SPEED", "THROUGHPUT", "checkpoint_sizes", "energy", "envelope", "inferencex_runs", "joules_at",
    "matched_pairs", "parameters", "part_load", "pooled", "recovery", "size_class", "value_at",
]  # fmt: skip

OWN = DATA / "inferencex"  # runs of the user: `analysis data --inferencex`
SAME_RUN = [
    "accelerator", "engine", "precision", "prompt_tokens", "answer_tokens", "concurrency", "gpus", "ttft_ms", "tpot_ms",
]  # fmt: skip


def inferencex_runs(*, disaggregated: bool = True) -> pd.DataFrame:
    """Return the finished runs of InferenceX, shipped and the user's own, one row each; identical runs once.

    `disaggregated=False` leaves out the runs with separate accelerators for prompts.
    """
    shipped = tables.load("inferencex_runs")
    files = [] if os.environ.get(SHIPPED_ONLY) == "shipped" else sorted(OWN.glob("*.parquet"))
    own = [pd.read_parquet(plain(file), columns=list(shipped)) for file in files]
    runs = pd.concat([shipped, *own], ignore_index=True).drop_duplicates(SAME_RUN)
    runs = runs[~runs["unfinished"]]
    return runs if disaggregated else runs[~runs["disaggregated"]]
