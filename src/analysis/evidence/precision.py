"""Quality and size by number format, from public evaluations, as shares of a wider format."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis import tables

FAILED = 90  # percent of GSM8K below which an evaluation of InferenceX failed; the others reach 93 or more
SIZES = {10: "below 10B", 70: "10B to 69B", np.inf: "70B and more"}  # parameters in billions, upper ends
WIDEST = ["BF16", "FP8", "INT4"]  # what InferenceX's scores of a model are compared with, the first there is
LEAST_VARIANCE = 1e-3  # of a right answer: a score near 100% of few questions is not without noise
UNIT = ["format", "models", "model", "task"]


def size_class(billions: pd.Series) -> pd.Series:
    """Return the class of a model by its billions of parameters, one of SIZES; "size unknown" where missing."""
    classes = pd.cut(billions, [0, *SIZES], right=False, labels=list(SIZES.values()))
    return classes.astype("str").where(billions.notna(), "size unknown")


def parameters(models: pd.Series) -> pd.Series:
    """Return the parameters of models in billions, from data/gsm8k_accuracy.csv or their names ("8x7B": 56)."""
    known = tables.gsm8k_accuracy.drop_duplicates("model").set_index("model")["parameters_billion"]
    named = models.str.extract(r"(?:(\d+)x)?(\d+(?:\.\d+)?)\s*[bB]\b").astype("float64")
    return models.map(known).fillna(named[0].fillna(1) * named[1])


def recovery() -> pd.DataFrame:
    """Return the share of its baseline's score that a number format keeps, one row per format, model, and task.

    The baseline is BF16, or FP8 (Kimi: INT4) where a source has none; several recipes, tests, and sources count by
    their median. `low` and `high` are 95% limits, in percent as `percent`: from the spread over runs, a stated or
    paired standard error, or the number of questions. Columns: format, models (class of size), model, task, percent,
    error (one standard error), low, high.
    """
    rows = tables.quality_scores[tables.quality_scores["task"].ne("")]
    right = rows["score_percent"] / 100
    variance = (right * (1 - right)).clip(lower=LEAST_VARIANCE) / (rows["questions"] * rows["runs"])
    error = (rows["spread_points"] / np.sqrt(rows["runs"])).where(rows["runs"].gt(1)).fillna(100 * np.sqrt(variance))
    rows = rows.assign(score=rows["score_percent"], error=rows["standard_error_points"].fillna(error))
    same, base = ["source_id", "model", "test"], rows["baseline"]
    pairs = rows[~base].merge(rows.loc[base, [*same, "score", "error"]], on=same, suffixes=("", "_base"))
    pairs = pd.concat([pairs, _gsm8k()], ignore_index=True)
    share = pairs["score"] / pairs["score_base"]
    pairs["error"] = 100 * np.hypot(pairs["error"], share * pairs["error_base"]) / pairs["score_base"]
    pairs = pairs.assign(percent=100 * share, models=size_class(pairs["parameters_billion"]))
    found = pairs.groupby(UNIT)[["percent", "error"]].median()
    half = 1.96 * found["error"]
    return found.assign(low=found["percent"] - half, high=found["percent"] + half).reset_index()


def _gsm8k() -> pd.DataFrame:
    """Return InferenceX's GSM8K scores by model and format, with the widest format on GPUs of the same vendor."""
    rows = tables.gsm8k_accuracy[tables.gsm8k_accuracy["accuracy_percent"].gt(FAILED)]
    vendor = rows["accelerator"].map(tables.accelerators.set_index("label")["vendor"]).rename("vendor")
    groups = rows.groupby(["model", "parameters_billion", vendor, "format"])["accuracy_percent"]
    found = groups.agg(score="mean", error="sem").reset_index()
    found["width"] = found["format"].map({name: place for place, name in enumerate(WIDEST)})
    same = ["model", "vendor"]
    base = found.dropna(subset="width").sort_values("width").drop_duplicates(same)
    pairs = found.merge(base, on=same, suffixes=("", "_base"))
    pairs = pairs[pairs["format"].ne(pairs["format_base"]) & pairs["format"].ne("INT4")]
    return pairs.assign(task="GSM8K")


def pooled(units: pd.DataFrame, by: Sequence[str] = ("format", "models")) -> pd.DataFrame:
    """Return the percent lost by format and class of size (or `by`), pooled over units of `recovery`.

    Random effects (DerSimonian and Laird): units differ by more than their own noise. Columns: `lost`, its 95% limits
    `low` and `high`, n (units), distinct_models.
    """
    rows = []
    for key, part in units.groupby(list(by), sort=False):
        weight = part["error"] ** -2
        mean = np.average(part["percent"], weights=weight)
        excess = (weight * (part["percent"] - mean) ** 2).sum() - (len(part) - 1)
        between = max(excess, 0) / (weight.sum() - (weight**2).sum() / weight.sum() or 1)
        weight = 1 / (part["error"] ** 2 + between)
        mean = np.average(part["percent"], weights=weight)
        half = 1.96 / np.sqrt(weight.sum())
        lost = 100 - mean
        rows.append((*key, lost, lost - half, lost + half, len(part), part["model"].nunique()))
    return pd.DataFrame(rows, columns=[*by, "lost", "low", "high", "n", "distinct_models"])


def checkpoint_sizes() -> pd.DataFrame:
    """Return sizes of public checkpoints over BF16 (`median`), one row per model and format."""
    rows = tables.precision_effects
    rows = rows[rows["metric"].eq("checkpoint size") & rows["precision"].isin(["bf16", "fp8", "fp4", "int4"])]
    rows = rows[~rows["format"].str.contains("mx")]
    wide = rows.groupby(["model", "precision"])["value"].median().unstack()
    found = wide.drop(columns="bf16").div(wide["bf16"], axis=0).stack().dropna().reset_index(name="median")
    return found.assign(format=found["precision"].str.upper().replace("FP4", "NVFP4"))
