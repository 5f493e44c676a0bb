"""Compare published figures with datasheets, other documents, arithmetic, and hardware limits."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd

from analysis import tables
from analysis.audit.verdicts import EXPECTED, FOUND, compare, difference
from analysis.published import factor, range_text
from analysis.tables import COMPUTE

FACTS = {
    "memory_capacity": "memory_gb",
    "memory_bandwidth": "memory_bandwidth_gb_per_s",
    "power_limit": "power_limit_w",
}
ALIKE = ["quantity", "accelerator", "baseline_accelerator", "benchmark", "scenario", "round"]
UNLESS = "unless speculative decoding, sparsity, or a larger batch was used."


def datasheets(figures: pd.DataFrame) -> pd.DataFrame:
    """Return what datasheets say about memory, bandwidth, and power limit, their ratios, and the size of models."""
    facts = tables.accelerators.rename(columns={column: quantity for quantity, column in FACTS.items()})
    facts = facts.melt(["label"], list(FACTS), "quantity", "expected").rename(columns={"label": "accelerator"})
    ratio = facts.merge(facts, on="quantity", suffixes=("", "_base"))
    ratio = ratio.assign(quantity=ratio["quantity"] + "_ratio", expected=ratio["expected"] / ratio["expected_base"])
    ratio = ratio.rename(columns={"accelerator_base": "baseline_accelerator"})
    models = tables.benchmarks.rename(columns={"parameters_billion": "expected"})[["benchmark", "expected"]]
    claims = figures[figures["duplicate_of"].eq("") & figures["bound"].eq("") & ~_together(figures)]
    single = claims[claims["quantity"].isin(FACTS)].merge(facts, on=["accelerator", "quantity"])
    double = claims.merge(ratio, on=["accelerator", "baseline_accelerator", "quantity"])
    sizes = claims[claims["quantity"].eq("model_parameters")].merge(models, on="benchmark")
    rows = pd.concat([single, double, sizes], ignore_index=True)
    rows = rows.assign(expected_low=rows["expected"], expected_high=rows["expected"])
    return _told(rows, "datasheet", "The datasheet says {record}{off}.")


def documents(figures: pd.DataFrame) -> pd.DataFrame:
    """Return what other documents print for the same memory, bandwidth, power limit, or ratio of two accelerators.

    A ratio that another document prints the other way round is inverted.
    """
    ratios = ["throughput_ratio", *(f"{name}_ratio" for name in FACTS)]
    rows = figures[
        figures["duplicate_of"].eq("") & figures["quantity"].isin([*FACTS, *ratios]) & figures["system"].eq("")
    ]
    rows = rows[rows["accelerator"].ne(rows["baseline_accelerator"]) & ~_together(rows)]
    sides = {"accelerator": "baseline_accelerator", "baseline_accelerator": "accelerator"}
    turned = rows[rows["baseline_accelerator"].ne("")].rename(columns=sides)
    others = pd.concat([rows, turned.assign(low=1 / turned["high"], high=1 / turned["low"])])
    others = others.rename(columns={"low": "expected_low", "high": "expected_high"})
    pairs = rows.merge(others[[*ALIKE, "source_id", "locator", *EXPECTED]], on=ALIKE, suffixes=("", "_other"))
    pairs = pairs[pairs["source_id"].ne(pairs["source_id_other"])]
    label = pairs["source_id_other"].map(tables.sources.set_index("id")["label"])
    return _told(pairs.assign(label=label), "documents", "{label} ({locator_other}) says {record}{off}.")


def formulas(figures: pd.DataFrame) -> pd.DataFrame:
    """Return what the formula of each figure gives, from the figures of its document that it names in braces."""
    rows = figures[figures["formula"].ne("")]
    values = figures.set_index("id")[["low", "high"]]
    ends = pd.DataFrame([evaluate(formula, values) for formula in rows["formula"]], rows.index, EXPECTED, "float64")
    rows = rows.join(ends)
    places = dict(zip(figures["id"], figures["printed"] + " " + figures["unit"], strict=True))
    words = rows["formula"].map(lambda text: re.sub(r"\{(.+?)\}", lambda name: places[name[1]].strip(), text))
    return _told(rows.assign(words=words), "arithmetic", "By the document's own numbers, {words} = {record}{off}.")


def evaluate(formula: str, values: pd.DataFrame) -> tuple[float, float]:
    """Return the lowest and highest value of a formula over the ends of the figures that it names.

    `values` are low and high by id. Raises KeyError for an unknown id. The formula is read by pandas.eval: numbers,
    + - * / and parentheses; ceil(...) around a part rounds it up.
    """
    names = list(dict.fromkeys(re.findall(r"\{(.+?)\}", formula)))
    corners = np.array(list(itertools.product(*(values.loc[name] for name in names))))
    columns = {f"x{place}": corners[:, place] for place in range(len(names))}
    text = re.sub(r"\{(.+?)\}", lambda name: f"x{names.index(name[1])}", formula)
    rounded = re.search(r"ceil\(([^()]*)\)", text)
    if rounded:
        columns["whole"] = np.ceil(np.round(pd.eval(rounded[1], local_dict=columns, engine="python"), 9))
        text = text.replace(rounded[0], "whole")
    result = np.atleast_1d(pd.eval(text, local_dict=columns, engine="python"))
    return float(result.min()), float(result.max())


def hardware_limits(figures: pd.DataFrame) -> pd.DataFrame:
    """Return the rates of language models that hardware does not allow: above its bandwidth or its compute.

    At batch 1 each token reads all active weights: accelerators x bandwidth / bytes. At any batch: accelerators x dense
    FLOP/s / (2 x active parameters). What a document does not state is taken in favor of the figure: weights of four
    bits, without scales, the fastest precision, and at batch 1 as many accelerators as hold the weights. A rate below
    its limits is not confirmed by them and has no row.
    """
    parts = tables.accelerators.drop(columns=["accelerator", "note"]).rename(columns={"label": "accelerator"})
    models = tables.benchmarks[["benchmark", "parameters_billion", "active_parameters_billion"]]
    rates = figures[figures["quantity"].eq("throughput") & figures["unit"].eq("tokens/s")]
    rows = rates[rates["duplicate_of"].eq("")].merge(parts, on="accelerator").merge(models, on="benchmark")
    active = rows["active_parameters_billion"].fillna(rows["parameters_billion"])
    width = rows["precision"].str.extract(r"(\d+)$", expand=False).astype(float).fillna(4) / 8
    least = 2 ** np.ceil(np.log2(rows["parameters_billion"] * width / rows["memory_gb"]).clip(lower=0))
    count = rows["accelerator_count"].where(rows["per"].eq("system"), 1)
    held = pd.concat([count, least], axis=1).max(axis=1)
    speed = rows[list(COMPUTE.values())].max(axis=1)
    for precision, column in COMPUTE.items():
        speed = speed.mask(rows["precision"].eq(precision), rows[column].fillna(rows["fp16_dense_tflops"]))
    by_bandwidth = (held * rows["memory_bandwidth_gb_per_s"] / (active * width)).where(rows["batch_size"].eq(1))
    at_one = rows.assign(
        expected_high=by_bandwidth, check="bandwidth limit", words="At batch 1 the bandwidth", held=held
    )
    by_compute = count * speed * 1000 / (2 * active)
    dense = rows.assign(expected_high=by_compute, check="compute limit", words="The dense compute", held=count)
    rows = pd.concat([at_one, dense], ignore_index=True).dropna(subset="expected_high")
    rows = rows.assign(expected_low=0.0, printed_low=rows["low"], printed_high=rows["high"], range_basis="range")
    rows = rows.assign(times=factor(rows), verdict="physically impossible")
    rows = rows[compare(rows).eq("contradicted")]
    rows["record"] = "at most " + range_text(rows["expected_high"], rows["expected_high"]) + " tokens/s"
    words = tell(rows, "{words} of {held:g}x {accelerator} allows {record}; the figure is {times:.3g}x that, " + UNLESS)
    return rows.assign(reason=words)[FOUND]


def tell(rows: pd.DataFrame, template: str) -> pd.Series:
    """Return one sentence per row: the template with the row's columns in place of their names in braces."""
    texts = [template.format_map(row) for row in rows.to_dict("records")]
    return pd.Series(texts, rows.index, dtype="str")


def _together(rows: pd.DataFrame) -> pd.Series:
    """Return which figures state the total memory of several accelerators."""
    return rows["quantity"].eq("memory_capacity") & rows["accelerator_count"].gt(1)


def _told(rows: pd.DataFrame, check: str, template: str) -> pd.DataFrame:
    """Return the rows in the columns of FOUND: the verdict on each expected range, and its sentence."""
    rows = rows.assign(printed_low=rows["low"], printed_high=rows["high"], check=check)
    text = range_text(rows["expected_low"], rows["expected_high"]) + " " + rows["unit"].replace("ratio", "")
    text = text.str.strip().str.replace(r"^1 (\w+)s$", r"1 \1", regex=True)
    rows = rows.assign(verdict=compare(rows), record=text, off=difference(rows))
    return rows.assign(reason=tell(rows, template))[FOUND]
