"""Measure what lower precision gains in speed, energy, and memory, and what it costs in quality.

Speed and energy are ratios of two runs that are equal but for their precision, within one source: a ratio never mixes
MLPerf results, InferenceX, and published tables. Pairs with the same model and accelerator are repeats: `units` merges
them into one row, and n counts these rows. NVFP4 and MXFP4 are kept separate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from analysis import evidence, names, tables
from analysis.present import language_models

WEIGHTS = {"FP16": "fp16", "FP8": "fp8", "NVFP4": "fp4", "INT4": "int4"}  # as printed, and as in a result; INT8 as FP8
STEPS = (("bf16", "fp8"), ("bf16", "int8"), ("bf16", "int4"), ("fp8", "fp4"))  # of runs on one GPU
MEASURES = ["speed", "speed at user speed", "joules", "checkpoint", "score lost"]  # of a decision, in this order
FORMATS = ["NVFP4", "MXFP4", "FP8", "INT4", "FP8 KV"]  # that a decision is about, in the order of a page
TIGHT = 2  # with FP16 weights, Llama 70B barely fits on two H100s, so the ratio reflects memory, not compute
PAIR = ["source", "step", "format", "model", "accelerator", "load", "ratio"]
SERVED = ["model", "accelerator", "engine", "speculative", "prompt_tokens", "answer_tokens", "concurrency"]
LAYOUT = ["gpus", "tensor_parallel", "pipeline_parallel", "data_parallel", "moe_tensor_parallel", "expert_parallel"]


def doubts(results: pd.DataFrame) -> pd.Series:
    """Return why the declared precision of each result cannot be right, "" where nothing contradicts it."""
    reason = pd.Series("", results.index, dtype="str")
    for rule in tables.doubted_labels.itertuples():
        broken = results["benchmark"].eq(rule.benchmark) & results["precision"].eq(rule.precision)
        if pd.notna(rule.accuracy_above):
            broken &= results["accuracy_percent"].gt(rule.accuracy_above)
        reason[broken & reason.eq("")] = rule.reason
    return reason


def label_problems(results: pd.DataFrame) -> pd.DataFrame:
    """Return precision labels that are left out or corrected: model, label, action, reason, and whose results."""
    fixes = tables.corrections
    fixes = fixes[fixes["table"].eq("official") & fixes["column"].eq("precision")]
    rows = results.assign(label=results["precision"].str.upper(), reason=doubts(results), action="left out")
    corrected = rows.drop(columns="reason").merge(fixes[["key", "printed", "reason"]], left_on="id", right_on="key")
    printed, right = (corrected[name].replace("", "none") for name in ("printed", "label"))
    corrected = corrected.assign(label=printed.str.upper(), action="corrected to " + right)
    rows = pd.concat([rows[rows["reason"].ne("")], corrected])

    def listed(names: pd.Series) -> str:
        return ", ".join(sorted(set(names)))

    groups = rows.groupby(["model", "label", "action", "reason"])
    found = groups.agg(results=("id", "size"), submitters=("submitter", listed), accelerators=("accelerator", listed))
    columns = ["model", "label", "action", "results", "reason", "submitters", "accelerators"]
    order = ["action", "results", "model"]
    return found.reset_index()[columns].sort_values(order, ascending=[False, False, True], ignore_index=True)


def mlperf_pairs(results: pd.DataFrame) -> pd.DataFrame:
    """Return pairs of one system in one round and scenario that differ in precision, of BERT and in the open division.

    BERT: INT8 at the 99% target over FP16, or FP8, at 99.9%. Labels that accuracy contradicts are left out. The one
    open pair is Llama 2 70B in INT4 over FP8. Columns: `PAIR`.
    """
    system = ["round", "submitter", "system", "accelerator", "accelerator_count", "scenario", "model"]
    once = results["metric"].eq("throughput") & ~results["power_measured"] & results["duplicate_of"].eq("")
    rows = results[once & results["benchmark"].isin(["bert", "llama2-70b"])]
    rows = rows[doubts(rows).eq("")]
    kind = rows["precision"] + " " + rows["accuracy_target"]
    bert = rows.assign(kind=kind)[rows["benchmark"].eq("bert") & rows["division"].eq("closed")]
    found = []
    for wider in ("fp16", "fp8"):
        pairs = evidence.matched_pairs(bert, system, "kind", (f"{wider} 99.9", "int8 99"), "rate", repeats="max")
        found.append(pairs.assign(step=f"{wider} to int8", format="INT8"))
    opened = rows[rows["benchmark"].eq("llama2-70b") & rows["division"].eq("open")]
    system = [*system[:2], *system[3:], "framework", "accuracy_target"]
    pairs = evidence.matched_pairs(opened, system, "precision", ("fp8", "int4"), "rate")
    found.append(pairs.assign(step="fp8 to int4", format="INT4"))
    return pd.concat(found, ignore_index=True).assign(source="MLPerf", load=np.nan)[PAIR]


def inferencex_builds() -> pd.DataFrame:
    """Return InferenceX runs on up to eight accelerators of one kind, with the `build` of their engine.

    A build is a version or an image, else a day. Nightly builds state no version and are left out.
    """
    runs = evidence.inferencex_runs(disaggregated=False)
    nightly = (runs["engine_version"] + runs["image"]).str.contains("nightly")
    runs = runs[runs["gpus"].le(8) & ~nightly]
    version = runs["engine_version"].where(runs["engine_version"].ne(""), runs["image"])
    return runs.assign(build=version.where(version.ne(""), "on " + runs["measured"]))


def at_equal_speed(interactivity: float) -> pd.DataFrame:
    """Return InferenceX's FP4 over FP8 at one interactivity (tokens/s per user), each precision in its best layout.

    One row per model, accelerator, engine, and lengths: the median over builds that have both. Runs that speculate are
    left out. Columns: `PAIR`.
    """
    names.bounded(interactivity, "interactivity", 0.1, 100_000)
    runs = inferencex_builds()
    runs = runs[runs["speculative"].eq("")]
    same = ["model", "accelerator", "engine", "prompt_tokens", "answer_tokens"]
    builds = [*same, "source_id", "build"]
    rates = evidence.value_at(runs, interactivity, [*builds, "precision"]).reset_index()
    pairs = evidence.matched_pairs(rates, builds, "precision", ("fp8", "fp4"), evidence.THROUGHPUT)
    return _inferencex(pairs.groupby(same, as_index=False)["ratio"].median(), ("fp8", "fp4"))


def inferencex_pairs(precisions: tuple[str, str] = ("fp8", "fp4")) -> pd.DataFrame:
    """Return pairs of InferenceX runs that differ in precision: one model, accelerator, build, layout, and load.

    The runs are those of `inferencex_builds`. `load` is the number of requests in flight. Columns: `PAIR`.
    """
    same = ["source_id", "build", *SERVED, *LAYOUT]
    pairs = evidence.matched_pairs(inferencex_builds(), same, "precision", precisions, evidence.THROUGHPUT)
    return _inferencex(pairs, precisions)


def joule_pairs() -> pd.DataFrame:
    """Return FP4 over FP8 in joules of GPU power per output token at equal load (InferenceX), by `layout`.

    "any": each precision in its most efficient layout (for FP4 mostly fewer GPUs). "same": equal GPU count and expert
    parallelism. Columns: `PAIR`, layout.
    """
    found = []
    for layout, same in {"any": SERVED, "same": [*SERVED, "gpus", "expert_parallel"]}.items():
        runs, asked = evidence.energy(), ("fp8", "fp4")
        pairs = evidence.matched_pairs(runs, same, "precision", asked, evidence.JOULES, repeats="min")
        found.append(_inferencex(pairs, ("fp8", "fp4")).assign(layout=layout))
    return pd.concat(found, ignore_index=True)


def _inferencex(pairs: pd.DataFrame, precisions: tuple[str, str]) -> pd.DataFrame:
    """Return pairs with the columns `PAIR`; data/precision_formats.csv says which FP4 format each vendor uses."""
    known = tables.precision_formats
    known = known[known["precision"].eq(precisions[1])].set_index("vendor")["format"]
    vendor = pairs["accelerator"].map(tables.accelerators.set_index("label")["vendor"])
    format = known.reindex(vendor, fill_value=precisions[1].upper()).to_numpy()
    pairs = pairs.assign(format=format, step=" to ".join(precisions))
    return pairs.assign(source="InferenceX", load=pairs.get("concurrency", np.nan))[PAIR]


def tensorrt_llm_pairs() -> pd.DataFrame:
    """Return ratios to FP16 or BF16 of NVIDIA's tables: at full load on H100, and by batch size (`load`).

    Llama 70B on TIGHT H100s is left out. Columns: `PAIR`.
    """
    full = tables.tensorrt_llm_throughput.query("version == '0.14.0' and accelerator == 'H100'")
    same = ["model", "accelerator", "gpus", "prompt_tokens", "answer_tokens"]
    full = evidence.matched_pairs(full, same, "precision", ("fp16", "fp8"), evidence.THROUGHPUT)
    full = full[~(full["model"].str.contains("70B") & full["gpus"].eq(TIGHT))]
    full = full.assign(step="fp16 to fp8", format="FP8", load=np.nan)
    effects = tables.precision_effects
    optimizer = "source_id == 'model-optimizer-benchmark' and metric == 'speedup per GPU' and model == 'Llama3.1-8B'"
    documented = "source_id == 'tensorrt-llm-quantization' and metric == 'speedup'"
    rows = pd.concat([effects.query(optimizer), effects.query(documented)])
    batch = rows["workload"].str.extract(r"batch (\d+)")[0].astype(float)
    printed = rows["precision"].str.upper().mask(rows["format"].eq("W4A8"), "INT4 weights, FP8 arithmetic")
    rows = rows.assign(step="fp16 to " + rows["precision"], format=printed, load=batch, ratio=rows["value"])
    return pd.concat([full, rows], ignore_index=True).assign(source="TensorRT-LLM")[PAIR]


def single_gpu_pairs() -> pd.DataFrame:
    """Return ratios on one accelerator: one stream on RTX PRO 6000, and a full queue of Llama 3.1 8B (vLLM).

    FP8 and integers are over BF16, NVFP4 over FP8. FP8 that is emulated is left out. Columns: `PAIR`.
    """
    found = []
    effects = tables.precision_effects
    stream = effects.query("source_id == 'nvfp4-benchmark' and metric == 'decode throughput'")
    queue = effects.query("source_id == 'accelmark' and metric == 'throughput'")
    queue = queue[queue["format"].isin(["BF16", "FP8", "W8A8", "W4A16"])]
    for step in STEPS:
        narrow = step[1].upper().replace("FP4", "NVFP4")
        for source, rows, same in (
            ("RTX PRO 6000, one stream", stream, ["model", "accelerator", "workload"]),
            ("Llama 3.1 8B, full queue", queue, ["model", "accelerator", "engine"]),
        ):
            pairs = evidence.matched_pairs(rows, same, "precision", step, "value")
            found.append(pairs.assign(source=source, step=" to ".join(step), format=narrow))
    return pd.concat(found, ignore_index=True).assign(load=np.nan)[PAIR]


def speed_pairs(results: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of all sources that differ in precision: InferenceX, MLPerf, TensorRT-LLM, and single GPUs."""
    inferencex = [inferencex_pairs(), inferencex_pairs(("bf16", "fp8"))]
    return pd.concat([*inferencex, mlperf_pairs(results), tensorrt_llm_pairs(), single_gpu_pairs()], ignore_index=True)


def units(pairs: pd.DataFrame, by: Sequence[str] = ()) -> pd.DataFrame:
    """Return one row per source, step, model, and accelerator of pairs: median, p10, p90, `pairs`, and class of size.

    Columns: `by`, source, step, format, model, accelerator, median, pairs, p10, p90, models.
    """
    by = [*by, "source", "step", "format", "model", "accelerator"]
    groups = pairs.groupby(by, sort=False)["ratio"]
    found = groups.agg(median="median", pairs="size")
    found = found.assign(p10=groups.quantile(0.1), p90=groups.quantile(0.9)).reset_index()
    return found.assign(models=evidence.size_class(evidence.parameters(found["model"])))


def over_units(units: pd.DataFrame, by: Sequence[str] = ("format", "models")) -> pd.DataFrame:
    """Return the median over units, their range (NaN of a single unit), and n, by the columns `by`."""
    groups = units.groupby(list(by), sort=False)["median"]
    found = groups.agg(middle="median", low="min", high="max", n="size").reset_index()
    found.loc[found["n"].eq(1), ["low", "high"]] = np.nan
    return found


def decisions(pairs: pd.DataFrame, interactivity: float) -> pd.DataFrame:
    """Return what a number format gains and costs by size of the model, one row per format, size, and measure.

    Measures: speed at equal load and at `interactivity`, joules at equal load, checkpoint over BF16 (one value
    for models of any size), and percent of the score lost with 95% limits. FP4 is over FP8, FP8 and INT4 are over 16
    bits, scores over BF16 or FP8. Columns: format, models, measure, middle, low, high, n (units), and `better`: the
    speed, the inverse of joules and size, or the share of the score that is kept.
    """
    wide = pairs["step"].isin(["fp8 to fp4", "bf16 to fp8", "fp16 to fp8", "bf16 to int4", "fp16 to int4"])
    known = units(pairs[wide]).query("models != 'size unknown'")
    parts = {
        "speed": over_units(known),
        "speed at user speed": over_units(units(at_equal_speed(interactivity))),
        "joules": over_units(units(joule_pairs().query("layout == 'any'"))),
        "score lost": evidence.pooled(evidence.recovery()).rename(columns={"lost": "middle"}),
    }
    rows = pd.concat(parts, names=["measure"]).reset_index("measure")
    sizes = over_units(evidence.checkpoint_sizes(), ["format"])
    each = rows[["format", "models"]].drop_duplicates().merge(sizes, on="format").assign(measure="checkpoint")
    rows = pd.concat([rows, each])[["format", "models", "measure", "middle", "low", "high", "n"]]
    better = (1 / rows["middle"]).mask(rows["measure"].eq("score lost"), 1 - rows["middle"] / 100)
    rows = rows.assign(
        better=better.mask(rows["measure"].str.startswith("speed"), rows["middle"]),
        measure=pd.Categorical(rows["measure"], MEASURES),
        format=pd.Categorical(rows["format"], list(dict.fromkeys([*FORMATS, *rows["format"]]))),
        models=pd.Categorical(rows["models"], [*reversed(evidence.SIZES.values()), "size unknown"]),
    )
    return rows.sort_values(["models", "format"], kind="stable", ignore_index=True)


def mlperf_accuracy(results: pd.DataFrame, benchmarks: Iterable[str] = ()) -> pd.DataFrame:
    """Return closed results of language models whose precision and accuracy are known, one row per run.

    Language models are the benchmarks with layers in data/benchmarks.csv; `benchmarks` are keys or labels of such.
    `accuracy_percent` is the lowest of a result's metrics over its reference; results that miss the accuracy target are
    never submitted.
    """
    known = {names.label(benchmark): benchmark for benchmark in language_models()}
    asked = [names.choose(names.label(names.benchmark(name)), known, "language model") for name in benchmarks]
    keys = [known[label] for label in asked or known]
    rows = results[results["benchmark"].isin(keys) & results["division"].eq("closed")]
    stated = rows["duplicate_of"].eq("") & rows["precision"].ne("") & rows["accuracy_percent"].gt(90)
    return rows[stated & doubts(rows).eq("")]


def memory(benchmark: str, gigabytes: Sequence[float], *, used: float = 0.9) -> pd.DataFrame:
    """Return weights and room for the KV cache on accelerators with `gigabytes`, one row per size and precision.

    `used` is the share of memory that a server takes. Columns: gigabytes, precision, weights_gb, kv_tokens (tokens of
    a cache in 16 bits), fits. KV cache per token excludes sliding-window layers. Empty if data/benchmarks.csv lacks the
    benchmark's layers or parameters.
    """
    names.bounded(used, "memory used", 0.01, 1)
    for size in gigabytes:
        names.bounded(size, "memory in GB", 1, 100_000)
    shapes = tables.benchmarks.set_index("benchmark")
    shape = shapes.loc[names.benchmark(benchmark)]
    per_layer = shape["latent_size"] if pd.notna(shape["latent_size"]) else 2 * shape["kv_heads"] * shape["head_size"]
    layers = shape["layers"] - np.nan_to_num(shape["windowed_layers"])
    grid = pd.MultiIndex.from_product([gigabytes, WEIGHTS], names=["gigabytes", "precision"]).to_frame(index=False)
    weights = shape["parameters_billion"] * grid["precision"].map(WEIGHTS).map(tables.WEIGHT_BYTES).astype("float64")
    room = used * grid["gigabytes"].astype("float64") - weights
    tokens = room.clip(lower=0) * 1e9 / (2 * per_layer * layers)
    return grid.assign(weights_gb=weights, kv_tokens=tokens, fits=room.gt(0)).dropna()
