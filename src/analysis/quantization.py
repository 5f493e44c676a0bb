"""What lower precision gains in speed and memory, and what it costs in accuracy.

Speed is a ratio of two runs that are equal but for their precision, within one source: MLPerf results, InferenceX, or
published tables never meet in one ratio. MLPerf has such pairs for BERT alone, whose INT8 runs are submitted at the 99%
target and whose FP16 or FP8 runs at 99.9%.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from analysis import evidence, names, tables
from analysis.compare import NoData

INT8, FP8, FP4, INT4 = "FP16 to INT8", "FP16 to FP8", "FP8 to FP4", "FP16 to INT4 weights"
STEPS = {  # printed precision after the step, and columns of data/accelerators.csv whose ratio is that of peak compute
    INT8: ("INT8", "int8_dense_tops", "fp16_dense_tflops", "Turing, MI100"),
    FP8: ("FP8", "fp8_dense_tflops", "fp16_dense_tflops", "Ada, Hopper, MI300"),
    FP4: ("FP4", "fp4_dense_tflops", "fp8_dense_tflops", "Blackwell, MI350"),
    INT4: ("INT4", "fp16_dense_tflops", "fp16_dense_tflops", "any"),
}
WEIGHTS = {"FP16": "fp16", "FP8": "fp8", "NVFP4": "fp4", "INT4": "int4"}  # as printed, and as in a result; INT8 as FP8
TIGHT = "70B, 2 H100"  # FP16 weights take most of the memory
PAIR = ["source", "step", "precision", "group", "load", "round", "model", "accelerator", "ratio"]
LANGUAGE_MODELS = (
    "gptj", "llama3.1-8b", "llama2-70b", "mixtral-8x7b", "llama3.1-405b", "deepseek-r1", "gpt-oss-120b",
    "qwen3-vl-235b-a22b",
)  # fmt: skip
FP8_SCORE = 100.05  # percent of BERT's reference: FP16 runs score 99.99 to 100.02, FP8 runs 100.04 to 100.15
EMULATED = ["A100", "A100 SXM 40GB", "A800-SXM4-80GB", "RTX 3090", "RTX A6000"]  # FP8 without units for it

DOUBTS = {  # why a declared precision is left out; the first rule that applies is reported
    "scores like FP8 and not like FP16": lambda rows: (
        rows["benchmark"].eq("bert") & rows["precision"].eq("fp16") & rows["accuracy_percent"].gt(FP8_SCORE)
    ),
    "the model is published with MXFP4 weights": lambda rows: (
        rows["benchmark"].eq("gpt-oss-120b") & rows["precision"].eq("fp8")
    ),
    "scores like FP4; weights in FP32 would fill or exceed the memory of its four accelerators": lambda rows: (
        rows["benchmark"].eq("qwen3-vl-235b-a22b") & rows["precision"].eq("fp32")
    ),
}


def doubts(results: pd.DataFrame) -> pd.Series:
    """Return why the declared precision of each result cannot be right, "" where nothing contradicts it."""
    broken = [rule(results) for rule in DOUBTS.values()]
    return pd.Series(np.select(broken, list(DOUBTS), ""), results.index, dtype="str")


def label_problems(results: pd.DataFrame) -> pd.DataFrame:
    """Return precision labels that are left out or corrected: model, label, action, reason, and whose results."""
    fixes = tables.corrections
    fixes = fixes[fixes["table"].eq("official") & fixes["column"].eq("precision")].set_index("key")
    reason, precision = doubts(results), results["precision"].str.upper()
    rows = results.assign(reason=reason, action="left out", label=precision)
    left_out, corrected = rows[reason.ne("")], rows[results["id"].isin(fixes.index)]
    printed = corrected["id"].map(fixes["printed"]).replace("", "none").str.upper()
    now = corrected["label"].replace("", "none")
    corrected = corrected.assign(
        reason=corrected["id"].map(fixes["reason"]), label=printed, action="corrected to " + now
    )
    rows = pd.concat([left_out, corrected])
    groups = rows.groupby(["model", "label", "action", "reason"], observed=True)
    listed = groups.agg(
        submitters=("submitter", lambda each: ", ".join(sorted(set(each)))),
        accelerators=("accelerator", lambda each: ", ".join(sorted(set(each)))), results=("id", "size"),
    )  # fmt: skip
    columns = ["model", "label", "action", "results", "reason", "submitters", "accelerators"]
    order = ["action", "results", "model"]
    return listed.reset_index()[columns].sort_values(order, ascending=[False, False, True], ignore_index=True)


def mlperf_pairs(results: pd.DataFrame, accelerators: Iterable[str] = ()) -> pd.DataFrame:
    """Return pairs of one system in one round and scenario that differ in precision, of BERT and in the open division.

    BERT: INT8 at the 99% target over FP16, or FP8, at 99.9%. Labels that accuracy contradicts are left out. The one
    open pair is Llama 2 70B in INT4 over FP8. Columns: `PAIR`. Raises NoData where `accelerators` have no pair.
    """
    system = ["round", "submitter", "system", "accelerator", "accelerator_count", "scenario", "model"]
    read = [*system, "benchmark", "division", "framework", "accuracy_target", "accuracy_percent", "precision", "rate"]
    once = results["metric"].eq("throughput") & ~results["power_measured"] & results["duplicate_of"].eq("")
    rows = results.loc[once & results["benchmark"].isin(["bert", "llama2-70b"]), read]
    rows = rows[doubts(rows).eq("")]
    if accelerators:
        rows = rows[rows["accelerator"].isin(names.accelerators(accelerators, results))]
    kind = rows["precision"] + " " + rows["accuracy_target"]
    bert = rows.assign(kind=kind)[rows["benchmark"].eq("bert") & rows["division"].eq("closed")]
    found = []
    for step, wider in ((INT8, "fp16"), ("FP8 to INT8", "fp8")):
        pairs = evidence.matched_pairs(bert, system, "kind", (f"{wider} 99.9", "int8 99"), "rate", repeats="max")
        found.append(pairs.assign(step=step, group="BERT " + pairs["scenario"] + f": INT8 over {wider.upper()}"))
    opened = rows[rows["benchmark"].eq("llama2-70b") & rows["division"].eq("open")]
    system = [*system[:2], *system[3:], "framework", "accuracy_target"]
    pairs = evidence.matched_pairs(opened, system, "precision", ("fp8", "int4"), "rate")
    found.append(pairs.assign(step="FP8 to INT4 weights", group="Llama 2 70B (open): INT4 over FP8"))
    pairs = pd.concat(found, ignore_index=True)
    if pairs.empty:
        asked = f" of {', '.join(accelerators)}" if accelerators else ""
        raise NoData(f"no two results{asked} differ in precision alone")
    return _pairs(pairs.assign(source="MLPerf", load=np.nan))


def inferencex_builds() -> pd.DataFrame:
    """Return InferenceX runs on up to eight accelerators of one kind, with the `build` of their engine.

    A build is a version or an image, else a day. Nightly builds name no version and are left out.
    """
    runs = evidence.inferencex(disaggregated=False)
    runs = runs[runs["gpus"].le(8) & ~runs["engine_version"].str.contains("nightly")]
    version = runs["engine_version"].where(runs["engine_version"].ne(""), runs["image"])
    return runs.assign(build=version.where(version.ne(""), "on " + runs["measured"]))


def at_equal_speed(interactivity: float) -> pd.DataFrame:
    """Return InferenceX' FP4 over FP8 at one interactivity (tokens/s per user), each precision in its best layout.

    One row per model, accelerator, engine, and lengths: `interactivity`, `ratio` of output tokens/s per GPU, the median
    over builds that have both. Runs that speculate are left out. Raises NoData where no build has both.
    """
    runs = inferencex_builds()
    runs = runs[runs["speculative"].eq("") & runs["precision"].isin(["fp8", "fp4"])]
    same = ["model", "accelerator", "engine", "prompt_tokens", "answer_tokens"]
    builds = [*same, "source_id", "build"]
    rates = evidence.value_at(runs, interactivity, [*builds, "precision"]).reset_index()
    pairs = evidence.matched_pairs(rates, builds, "precision", ("fp8", "fp4"), evidence.THROUGHPUT)
    if pairs.empty:
        raise NoData(f"no build of InferenceX has FP8 and FP4 at {interactivity:g} tokens/s per user")
    return pairs.groupby(same, as_index=False)["ratio"].median().assign(interactivity=interactivity)


def equal_in_words(equal: pd.DataFrame) -> str:
    """Return the median of `at_equal_speed` with its P10, P90, and number of rows as a sentence."""
    low, middle, high = equal["ratio"].quantile([0.1, 0.5, 0.9]).map("{:.1f}x".format)
    family = equal["model"].where(equal["model"].str.contains("Llama"), "MoE models")
    each = equal.groupby(family)["ratio"].median().map("{:.1f}x".format)
    return (
        f"At {equal['interactivity'].iloc[0]:g} tokens/s per user, each in its best layout, FP4 serves {middle} what "
        f"FP8 does (median of {len(equal)} InferenceX configurations, P10 to P90 {low} to {high}; "
        f"{', '.join(each + ' on ' + each.index)})."
    )


def inferencex_pairs(precisions: tuple[str, str] = ("fp8", "fp4")) -> pd.DataFrame:
    """Return pairs of InferenceX runs that differ in precision: one model, accelerator, build, layout, and load.

    The runs are those of `inferencex_builds`. `load` is the number of requests in flight.
    """
    same = ["source_id", "model", "accelerator", "engine", "speculative", "prompt_tokens", "answer_tokens", "gpus"]
    same += ["concurrency", "tensor_parallel", "pipeline_parallel", "data_parallel", "moe_tensor_parallel"]
    same += ["expert_parallel", "build"]
    pairs = evidence.matched_pairs(inferencex_builds(), same, "precision", precisions, evidence.THROUGHPUT)
    size = pairs["gpus"].map("{:.0f} GPU".format) + np.where(pairs["gpus"].gt(1), "s", "")
    parts = tables.accelerators.set_index("label")["vendor"]
    moe = "MoE, " + pairs["accelerator"].map(parts)
    group = ("Llama 70B, " + size).where(pairs["model"].str.contains("Llama"), moe)
    step = {("fp8", "fp4"): FP4, ("bf16", "fp8"): FP8}.get(precisions, " to ".join(precisions).upper())
    return _pairs(pairs.assign(source="InferenceX", step=step, group=group, load=pairs["concurrency"]))


def tensorrt_llm_pairs() -> pd.DataFrame:
    """Return ratios to FP16 or BF16 of NVIDIA's tables: at full load on H100, and by batch size for 6B to 8B models.

    Llama 70B on two H100 is a group of its own: its FP16 weights leave little room for a KV cache. `load` is the batch.
    """
    full = evidence.tensorrt_llm("0.14.0")
    full = full[full["accelerator"].eq("H100")]
    same = ["model", "accelerator", "gpus", "prompt_tokens", "answer_tokens"]
    full = evidence.matched_pairs(full, same, "precision", ("fp16", "fp8"), evidence.THROUGHPUT, repeats="max")
    tight = full["model"].str.contains("70B") & full["gpus"].eq(2)
    group = pd.Series("70B and 8x22B, 4 to 8 H100", full.index).mask(full["gpus"].eq(1), "7B and 8B, 1 H100")
    full = full.assign(step=FP8, group=group.mask(tight, TIGHT), load=np.nan)
    rows = evidence.precision_effects("model-optimizer-benchmark")
    by_batch = rows[rows["metric"].eq("speedup per GPU") & rows["model"].eq("Llama3.1-8B")]
    rows = pd.concat([by_batch, evidence.precision_effects("tensorrt-llm-quantization", "speedup")])
    words = {"FP8": "FP8", "W4A16": "INT4", "W4A8": "INT4, FP8 math", "W8A8-INT": "INT8"}
    step = rows["precision"].map({"fp8": FP8, "int8": INT8, "int4": INT4})
    step = step.mask(rows["format"].eq("W4A8"), "FP16 to INT4 with FP8")
    batch = rows["workload"].str.extract(r"batch (\d+)")[0].astype(float)
    rows = rows.assign(step=step, group=rows["format"].map(words), load=batch, ratio=rows["value"])
    return _pairs(pd.concat([full, rows], ignore_index=True).assign(source="TensorRT-LLM"))


def single_gpu_pairs() -> pd.DataFrame:
    """Return ratios to BF16 on one accelerator: one stream on RTX PRO 6000, and a full queue of Llama 3.1 8B (vLLM)."""
    found = []
    stream = evidence.precision_effects("nvfp4-benchmark", "decode throughput")
    queue = evidence.precision_effects("accelmark", "throughput")
    emulated = queue["precision"].eq("fp8") & queue["accelerator"].isin(EMULATED)
    queue = queue[queue["format"].isin(["BF16", "FP8", "W8A8", "W4A16"]) & ~emulated]
    for narrow, step in (("fp8", FP8), ("fp4", "FP16 to FP4"), ("int8", INT8), ("int4", INT4)):
        words = narrow.upper() + (" weights" if narrow == "int4" else "")
        same = ["model", "workload", "accelerator"]
        pairs = evidence.matched_pairs(stream, same, "precision", ("bf16", narrow), "value")
        kind = np.where(pairs["model"].str.contains("dense"), "dense, ", "MoE, ")
        found.append(pairs.assign(source="RTX PRO 6000, one stream", step=step, group=kind + words))
        same = ["model", "accelerator", "engine"]
        pairs = evidence.matched_pairs(queue, same, "precision", ("bf16", narrow), "value")
        found.append(pairs.assign(source="Llama 3.1 8B, full queue", step=step, group=words))
    return _pairs(pd.concat(found, ignore_index=True).assign(load=np.nan))


def speed_pairs(results: pd.DataFrame, accelerators: Iterable[str] = ()) -> pd.DataFrame:
    """Return the pairs of all sources, without Llama 70B on two H100; `accelerators` are those of the MLPerf pairs.

    There FP16 weights leave little room for a KV cache: the ratio is of memory, not of arithmetic.
    """
    inferencex = [inferencex_pairs(), inferencex_pairs(("bf16", "fp8"))]
    pairs = pd.concat(
        [mlperf_pairs(results, accelerators), *inferencex, tensorrt_llm_pairs(), single_gpu_pairs()], ignore_index=True
    )
    return pairs[pairs["group"].ne(TIGHT)]


def by_load(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the median of each group by load, one row per source, group, and load, in columns that a figure can print.

    InferenceX: FP4 over FP8, loads with three pairs or more, without Llama 70B on two GPUs, which is like four.
    """
    loads = spread(pairs[pairs["load"].notna()], ["source", "step", "group", "load"])
    few = loads["step"].ne(FP4) | loads["n"].lt(3) | loads["group"].str.endswith(" 2 GPUs")
    words = {"load": "requests in flight or batch size", "median": "over the wider precision"}
    return loads[~few | loads["source"].eq("TensorRT-LLM")].rename(columns=words)


def _pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    of_round = pairs["round"].astype("str") if "round" in pairs else ""
    return pairs.assign(precision=pairs["step"].str.extract(r" to (\w+)")[0], round=of_round)[PAIR]


def spread(frame: pd.DataFrame, by: Sequence[str] = ("source", "step", "group"), value: str = "ratio") -> pd.DataFrame:
    """Return number, median, P10, and P90 of `value` in each group of `by`, in the order of the frame."""
    groups = frame.groupby(list(by), sort=False, observed=True, dropna=False)[value]
    found = groups.agg(n="size", median="median")
    return found.assign(p10=groups.quantile(0.1), p90=groups.quantile(0.9)).reset_index()


def mlperf_accuracy(results: pd.DataFrame, benchmarks: Iterable[str] = ()) -> pd.DataFrame:
    """Return closed results of language models whose precision and accuracy are known, in order of model and precision.

    Added columns: `printed_precision` ("FP8"), `row` ("Llama 2 70B  FP8"), and of each row the texts `median` and
    `count` ("176 results, 22 submitters"). Runs submitted for two targets count once. `accuracy_percent` is the lowest
    of a result's metrics over its reference. Raises NoData where none is left.
    """
    benchmarks = [names.choose(name, LANGUAGE_MODELS, "language model") for name in benchmarks or LANGUAGE_MODELS]
    rows = results[results["benchmark"].isin(benchmarks) & results["division"].eq("closed")]
    stated = rows["duplicate_of"].eq("") & rows["precision"].ne("") & rows["accuracy_percent"].gt(90)
    rows = rows[stated & doubts(rows).eq("")]
    if rows.empty:
        raise NoData(f"no closed result of {', '.join(benchmarks)} states precision and accuracy")
    rows = rows.assign(printed_precision=rows["precision"].str.upper())
    order = {name: place for place, name in enumerate([*benchmarks, *_order(rows)])}
    rows = rows.sort_values(["benchmark", "printed_precision"], key=lambda column: column.map(order))
    rows = rows.assign(row=rows["model"] + "  " + rows["printed_precision"])
    results_of, submitters = (rows.groupby("row")["submitter"].transform(kind) for kind in ("size", "nunique"))
    many = submitters.map("{} submitters".format).mask(submitters.eq(1), "1 submitter")
    median = rows.groupby("row")["accuracy_percent"].transform("median").map("{:.1f}".format)
    return rows.assign(median=median, count=results_of.map("{} results, ".format) + many)


def _order(rows: pd.DataFrame) -> list[str]:
    usual = ["FP32", "BF16", "FP16", "INT8", "FP8", "INT4", "FP4"]
    return usual + sorted(set(rows["printed_precision"]) - set(usual))


def answer_lengths(accuracy: pd.DataFrame) -> pd.DataFrame:
    """Return tokens per answer in FP4 over FP8 of submitters that have both, one row per model and submitter.

    `accuracy` is of `mlperf_accuracy`.
    """
    return evidence.matched_pairs(accuracy, ["model", "submitter"], "precision", ("fp8", "fp4"), "tokens_per_sample")


def memory(benchmark: str, gigabytes: Sequence[float], *, used: float = 0.9) -> pd.DataFrame:
    """Return weights and room for the KV cache on accelerators with `gigabytes`, one row per size and precision.

    `used` is the share of memory that a server takes. Columns: gigabytes, precision, weights_gb, cache_gb, kv_tokens
    (cache in 16 bits), fits, note, model. Layers with a window are left out of a token's size. Raises NoData for a
    benchmark whose shape is not known.
    """
    names.number(used, "memory used", 0.01, 1)
    for size in gigabytes:
        names.number(size, "memory in GB", 1, 100_000)
    shapes = tables.benchmarks.set_index("benchmark")
    shape = shapes.loc[names.benchmark(benchmark)]
    per_layer = shape["latent_size"] if shape["latent_size"] > 0 else 2 * shape["kv_heads"] * shape["head_size"]
    layers = shape["layers"] - np.nan_to_num(shape["windowed_layers"])
    if not (shape["parameters_billion"] > 0 and per_layer * layers > 0):
        known = shapes.index[shapes["layers"].gt(0) & shapes["parameters_billion"].gt(0)]
        raise NoData(f"data/benchmarks.csv has no layers and parameters of {benchmark}; it has of {', '.join(known)}")
    grid = pd.MultiIndex.from_product([gigabytes, WEIGHTS], names=["gigabytes", "precision"]).to_frame(index=False)
    weights = shape["parameters_billion"] * grid["precision"].map(WEIGHTS).map(tables.WEIGHT_BYTES)
    room = used * grid["gigabytes"] - weights
    tokens = room.clip(lower=0) * 1e9 / (2 * per_layer * layers)
    grid = grid.assign(weights_gb=weights, cache_gb=room.clip(lower=0), kv_tokens=tokens, fits=room.gt(0))
    note = tokens.round(-3).map("{:,.0f} KV tokens".format) + (2 * tokens).round(-3).map(" ({:,.0f} in FP8)".format)
    return grid.assign(note=note.where(grid["fits"], "does not fit"), model=shape["label"])


def step_table(pairs: pd.DataFrame, accuracy: pd.DataFrame, room: pd.DataFrame) -> pd.DataFrame:
    """Return one row per step of precision with headings and cells as a page prints them.

    Speed as range of the medians of sources (MLPerf apart), peak compute, memory, accuracy in percent, answer length,
    and hardware. `pairs` have the columns `PAIR`, `accuracy` is of `mlperf_accuracy`, `room` of `memory`.
    """
    speed, found = spread(pairs, ["step", "source"]), pd.DataFrame(index=list(STEPS))
    for heading, rows in (
        ("Speed, MLPerf", speed["source"].eq("MLPerf")),
        ("Speed, other sources", speed["source"].ne("MLPerf")),
    ):
        medians = speed[rows].groupby("step")["median"]
        found[heading] = _span(medians.min(), medians.max(), "{:.1f}x")
    after = [narrow for narrow, *_ in STEPS.values()]
    medians = accuracy.groupby(["printed_precision", "model"])["accuracy_percent"].median().groupby("printed_precision")
    found["Accuracy, MLPerf"] = _span(medians.min(), medians.max(), "{:.1f}").reindex(after).to_numpy()
    gsm8k, scores = evidence.gsm8k_by_precision(), evidence.public_scores()
    changed = gsm8k[gsm8k.duplicated("model")].groupby("printed_precision")["percent"]  # a model's widest comes first
    found["GSM8K, large models"] = _span(changed.min(), changed.max(), "{:.1f}").reindex(after).to_numpy()
    for heading, rows in (("Public tests", ~scores["small"]), ("Public tests, below 10B", scores["small"])):
        tested = scores[rows].groupby("printed_precision")["percent"].median().map("{:.1f}".format)
        found[heading] = tested.rename({"NVFP4": "FP4"}).reindex(after).to_numpy()
    steps = {INT8: ("FP16", "FP8"), FP8: ("FP16", "FP8"), FP4: ("FP8", "NVFP4"), INT4: ("FP16", "INT4")}
    weights = room.drop_duplicates("precision").set_index("precision")["weights_gb"].map("{:,.0f}".format)
    found["Weights, GB"] = [f"{weights[wide]} to {weights[narrow]}" for wide, narrow in steps.values()]
    tokens = room.set_index(["gigabytes", "precision"])["kv_tokens"].div(1000).map("{:,.0f}".format)
    tokens = (tokens + "k").replace("0k", "none")
    sizes = room["gigabytes"].unique()
    heading = "KV tokens, " + " / ".join(map("{:g}".format, sizes)) + " GB"
    found[heading] = [" / ".join(tokens[size, narrow] for size in sizes) for _, narrow in steps.values()]
    parts = tables.accelerators[tables.accelerators["kind"].eq("gpu")]
    peak = [f"{(parts[over] / parts[under]).median():.1f}x" for _, over, under, _ in STEPS.values()]
    found.insert(2, "Peak compute", peak)
    lengths, measured = answer_lengths(accuracy), evidence.precision_effects("ml-energy").iloc[0]
    found["Answer length"] = pd.Series({FP8: f"{measured['value']:.2f}x"})
    if len(lengths):
        medians = spread(lengths, ["model"])["median"]
        found.loc[FP4, "Answer length"] = f"{medians.min():.2f}x\u2013{medians.max():.2f}x"
    found["Hardware since"] = [hardware for *_, hardware in STEPS.values()]
    return found.fillna("").rename_axis(index="Step", columns=None).reset_index()


def speed_by_source(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return median, P10 to P90, and number of pairs as text, one row per step and one column per source."""
    speed = spread(pairs, ["step", "source"])
    wide = speed.assign(cell=_cells(speed, "{:.2f}")).pivot(index="step", columns="source", values="cell")
    wide = wide.reindex(index=speed["step"].unique(), columns=speed["source"].unique())
    return wide.fillna("").rename_axis(index="Step", columns=None).reset_index()


def _span(low: pd.Series, high: pd.Series, form: str) -> pd.Series:
    low, high = (each.dropna().map(form.format) for each in (low, high))
    return low.where(low.eq(high), low + "\u2013" + high)


def _cells(spreads: pd.DataFrame, form: str) -> pd.Series:
    median, low, high = (spreads[column].map(form.format) for column in ("median", "p10", "p90"))
    return median + " (" + low + "\u2013" + high + ", n=" + spreads["n"].astype("str") + ")"
