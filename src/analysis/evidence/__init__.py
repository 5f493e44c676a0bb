"""Evidence outside MLPerf: public serving runs, and speed, memory, and quality by precision.

`analysis.tables` has the tables as they are, those of energy per token and traffic among them. None of it is an MLPerf
result: rates, ratios, and ranks never mix the two. docs/data.md gives each table's content, date, license, and what it
must not be compared with.
"""

from __future__ import annotations

import os

import pandas as pd

from analysis import names, tables
from analysis.evidence.curves import SPEED, THROUGHPUT, envelope, matched_pairs, value_at
from analysis.evidence.energy import CURVE, JOULES, energy, joules_at, part_load
from analysis.evidence.precision import SIZES, checkpoint_sizes, parameters, pooled, recovery, size_class
from analysis.paths import DATA, SHIPPED_ONLY, plain

__all__ = [
    "CURVE", "JOULES", "SIZES", "SPEED", "THROUGHPUT", "checkpoint_sizes", "energy", "envelope",
    "implausible", "inferencex_runs", "joules_at", "matched_pairs", "parameters", "part_load", "pooled",
    "precision_effects", "recovery", "size_class", "tensorrt_llm", "value_at",
]  # fmt: skip

OWN = DATA / "inferencex"  # runs of the user: `analysis data --inferencex`
SAME_RUN = [
    "accelerator", "engine", "precision", "prompt_tokens", "answer_tokens", "concurrency", "gpus", "ttft_ms", "tpot_ms",
]  # fmt: skip
CONFIGURATION = [
    "model", "accelerator", "engine", "precision", "speculative", "gpus", "tensor_parallel", "pipeline_parallel",
    "data_parallel", "moe_tensor_parallel", "expert_parallel", "prompt_tokens", "answer_tokens",
]  # fmt: skip
FAR_FASTER = (0.7, 2.5)  # below this share of the time per token, and above this multiple of the throughput


def inferencex_runs(*, disaggregated: bool | None = None) -> pd.DataFrame:
    """Return the finished runs of InferenceX, shipped and the user's own, one row each; identical runs once.

    `disaggregated` keeps only runs with (or without) separate accelerators for prompts.
    """
    shipped = tables.load("inferencex_runs")
    files = [] if os.environ.get(SHIPPED_ONLY) == "shipped" else sorted(OWN.glob("*.parquet"))
    own = [pd.read_parquet(plain(file), columns=list(shipped)) for file in files]
    runs = pd.concat([shipped, *own], ignore_index=True).drop_duplicates(SAME_RUN)
    runs = runs[~runs["unfinished"]]
    return runs if disaggregated is None else runs[runs["disaggregated"].eq(disaggregated)]


def implausible(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the runs that are too fast for their load: their concurrency or layout cannot be what is stated.

    Such a run has under 0.7 of the time per token and over 2.5 times the throughput of the best run of its layout, of
    any build, at half its concurrency or less. Disaggregated runs are not judged: the table has only a part of their
    layout.
    """
    known = runs[~runs["disaggregated"]].dropna(subset=["concurrency", "tpot_ms", THROUGHPUT])
    group = known.groupby(CONFIGURATION, dropna=False, sort=False).ngroup()
    known = known[["concurrency", "tpot_ms", THROUGHPUT]].astype("float64").assign(group=group)
    known = known.sort_values("concurrency")
    best = known[known[THROUGHPUT].eq(known.groupby("group")[THROUGHPUT].cummax())]
    half = known.assign(concurrency=known["concurrency"] / 2).reset_index(names="run")
    beside = pd.merge_asof(half, best, on="concurrency", by="group", suffixes=("", "_best"))
    share, multiple = FAR_FASTER
    far = beside["tpot_ms"].lt(share * beside["tpot_ms_best"])
    far &= beside[THROUGHPUT].gt(multiple * beside[f"{THROUGHPUT}_best"])
    return runs.loc[sorted(beside.loc[far, "run"])]


def tensorrt_llm(version: str = "") -> pd.DataFrame:
    """Return TensorRT-LLM's published throughput, of one version or of all. Compare rows of one version only."""
    rows = tables.load("tensorrt_llm_throughput")
    if version:
        rows = rows[rows["version"].eq(names.choose(version, rows["version"].unique(), "version of TensorRT-LLM"))]
    return rows.copy()


def precision_effects(source_id: str = "", metric: str = "") -> pd.DataFrame:
    """Return figures on speed, memory, and quality by precision from vendor tables, papers, and open benchmarks."""
    rows = tables.load("precision_effects")
    for column, wanted in (("source_id", source_id), ("metric", metric)):
        if wanted:
            rows = rows[rows[column].eq(names.choose(wanted, rows[column].unique(), column))]
    return rows.copy()
