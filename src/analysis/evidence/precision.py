"""Quality and size by precision, from public evaluations, as shares of the wider precision."""

from __future__ import annotations

import pandas as pd

from analysis import tables

FAILED = 90  # percent of GSM8K below which an evaluation failed; the others reach 93 or more
SMALL = 10  # billion parameters below which a model counts as small
PUBLIC = [
    "row", "precision", "printed_precision", "percent", "small", "source_id", "evidence_class", "model", "test",
    "method",
]  # fmt: skip


def gsm8k_by_precision() -> pd.DataFrame:
    """Return GSM8K accuracy by model and precision in percent of the model's widest precision, medians of evaluations.

    Columns: model, printed_precision, percent, error (one standard error), low, high, n, row. Models in one
    precision and evaluations below FAILED percent are left out.
    """
    rows = tables.load("gsm8k_accuracy")
    rows = rows[rows["accuracy_percent"].gt(FAILED)].assign(printed_precision=rows["precision"].str.upper())
    of = rows.groupby(["model", "printed_precision"])
    found = of.agg(score=("accuracy_percent", "median"), error=("standard_error_points", "median"), n=("model", "size"))
    found = found.reset_index()
    width = found["printed_precision"].map({"BF16": 0, "FP8": 1, "INT4": 2, "FP4": 3})
    found = found.assign(width=width).sort_values(["model", "width"])
    found = found[found.groupby("model")["model"].transform("size").gt(1)]
    widest = found.groupby("model")["score"].transform("first")
    found = found.assign(percent=100 * found["score"] / widest, error=100 * found["error"] / widest)
    found = found.assign(low=found["percent"] - found["error"], high=found["percent"] + found["error"])
    found["row"] = found["model"] + "  " + found["printed_precision"]
    return found.drop(columns="width").reset_index(drop=True)


def public_scores() -> pd.DataFrame:
    """Return scores of public evaluations in percent of BF16 or FP16, or of FP8 where a source has neither.

    One row per source, model, test, and method. Columns: row ("NVFP4, below 10B"), precision ("FP4"),
    printed_precision ("NVFP4"), percent, small (model below ten billion parameters), source_id, evidence_class, model,
    test, method. Where a source has an average over tests, it stands for them.
    """
    rows = tables.load("precision_effects")
    rows = rows[rows["precision"].ne("") & ~rows["source_id"].eq("accelmark")]
    said = rows[rows["metric"].isin(["recovery", "quality loss"]) & rows["source_id"].ne("tensorrt-llm-quantization")]
    said = said.assign(percent=said["value"].where(said["metric"].eq("recovery"), 100 - said["value"]))
    scores = rows[rows["metric"].isin(["score", "score pass@1"]) & rows["value"].gt(0)]
    parts = scores["source_id"].str.startswith("auto-round") & ~scores["test"].str.contains("avg", case=False)
    scores = scores[~parts]
    same = ["source_id", "model", "test"]
    scores = scores.assign(rank=scores["precision"].map({"bf16": 0, "fp16": 0, "fp8": 1}))
    base = scores.dropna(subset="rank").sort_values("rank", kind="stable").drop_duplicates(same)
    scores = scores.merge(base[[*same, "rank", "value"]], on=same, suffixes=("", "_base"))
    scores = scores[scores["rank"].ne(scores["rank_base"])]
    scores = scores.assign(percent=100 * scores["value"] / scores["value_base"])
    found = pd.concat([scores, said], ignore_index=True)
    size = found["model"].str.extract(r"(\d+(?:\.\d+)?)\s*[bB]\b")[0].astype(float)
    printed = found["precision"].str.upper().mask(found["format"].str.contains("MXFP4"), "MXFP4")
    printed = printed.mask(found["format"].str.contains("nvfp4", case=False), "NVFP4")
    found = found.assign(small=size.lt(SMALL), printed_precision=printed, precision=found["precision"].str.upper())
    found["row"] = printed + found["small"].map({True: f", below {SMALL}B", False: ""})
    order = pd.Categorical(printed, ["INT8", "FP8", "INT4", "NVFP4", "MXFP4"])
    found = found.assign(order=order).sort_values(["order", "small"], ignore_index=True)
    return found[PUBLIC]


def checkpoint_sizes() -> pd.DataFrame:
    """Return sizes of public checkpoints in percent of BF16, one row per model and precision."""
    rows = tables.load("precision_effects")
    rows = rows[rows["metric"].eq("checkpoint size") & rows["precision"].isin(["bf16", "fp8", "fp4", "int4"])]
    rows = rows[~rows["format"].str.contains("mx")]
    wide = rows.groupby(["model", "precision"])["value"].median().unstack()
    percent = 100 * wide.drop(columns="bf16").div(wide["bf16"], axis=0)
    found = percent.stack().dropna().reset_index(name="percent")
    printed = found["precision"].str.upper().replace("FP4", "NVFP4")
    return found.assign(printed_precision=printed).sort_values("percent", ascending=False, ignore_index=True)
