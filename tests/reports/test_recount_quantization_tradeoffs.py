"""Recount the numbers of the page on quantization by plain pandas, importing nothing of the package."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
MIME = "application/vnd.mlperf.report+json"


@pytest.fixture(scope="module")
def page():
    """Return texts of headline and findings, and tables as frames, of the notebook's stored outputs, by name."""
    notebook = json.loads((ROOT / "notebooks" / "quantization_tradeoffs.ipynb").read_text(encoding="utf-8"))
    found = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if MIME in data:
                csv = "".join(data.get("text/csv", []))
                record = data[MIME]
                found[record["name"]] = pd.read_csv(io.StringIO(csv), keep_default_na=False) if csv else record
    return found


@pytest.fixture(scope="module")
def official():
    files = sorted((ROOT / "data" / "official").glob("v?.?.parquet"))
    rows = pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)
    fixes = pd.read_csv(ROOT / "data" / "corrections.csv", keep_default_na=False)
    for fix in fixes[fixes["table"].eq("official") & fixes["column"].eq("precision")].itertuples():
        rows.loc[rows["id"].eq(fix.key), "precision"] = fix.corrected
    return rows[rows["duplicate_of"].fillna("").eq("")]


@pytest.fixture(scope="module")
def runs():
    rows = pd.read_parquet(ROOT / "data" / "inferencex_runs.parquet")
    rows = rows[~rows["unfinished"] & ~rows["disaggregated"] & rows["gpus"].le(8)]
    rows = rows[~rows["engine_version"].str.contains("nightly")].copy()
    rows["build"] = rows["engine_version"] + rows["image"].where(rows["engine_version"].eq(""), "")
    rows["build"] = rows["build"].where(rows["build"].ne(""), rows["measured"])
    return rows


def ratios(rows, same, column, first, second, value):
    wide = rows.groupby([*same, column], dropna=False)[value].median().unstack()
    return (wide[second] / wide[first]).dropna()


def check(row, values, digits=4):
    assert int(row["n"]) == len(values)
    expected = [values.median(), values.quantile(0.1), values.quantile(0.9)]
    assert [round(row[name], digits) for name in ("median", "p10", "p90")] == pytest.approx(expected, abs=10**-digits)


SAME = [
    "source_id", "model", "accelerator", "engine", "speculative", "prompt_tokens", "answer_tokens", "gpus",
    "concurrency", "tensor_parallel", "pipeline_parallel", "data_parallel", "moe_tensor_parallel", "expert_parallel",
]  # fmt: skip


def test_bert_pairs(page, official):
    rows = official[official["benchmark"].eq("bert") & official["division"].eq("closed")]
    rows = rows[rows["metric"].eq("throughput") & ~rows["power_measured"]]
    score = rows["accuracy"].str.extract(r"([\d.]+)$")[0].astype(float) / 90.874 * 100
    rows = rows[~(rows["precision"].eq("fp16") & score.gt(100.05))]
    system = ["round", "submitter", "system", "accelerator", "accelerator_count", "scenario"]
    table = page["speed_pairs"].set_index("group")
    for wide in ("fp16", "fp8"):
        kinds = {"int8 99": "narrow", f"{wide} 99.9": "wide"}
        kind = (rows["precision"].fillna("") + " " + rows["accuracy_target"].fillna("")).map(kinds)
        best = rows.assign(kind=kind, submitter=rows["submitter"].str.casefold())
        best = best.dropna(subset="kind").groupby([*system, "kind"])["low"].max().unstack()
        pairs = (best["narrow"] / best["wide"]).dropna()
        for scenario in ("Offline", "Server"):
            of = pairs[pairs.index.get_level_values("scenario") == scenario]
            check(table.loc[f"BERT {scenario}: INT8 over {wide.upper()}"], of, 3)


def test_inferencex_fp4_over_fp8(page, runs):
    found = ratios(runs, [*SAME, "build"], "precision", "fp8", "fp4", "output_tokens_per_second_per_gpu").reset_index(
        name="r"
    )
    llama = found["model"].str.contains("Llama")
    table = page["speed_pairs"]
    table = table[table["source"].eq("InferenceX") & table["step"].eq("FP8 to FP4")].set_index("group")
    for gpus in (1, 2, 4, 8):
        name = f"Llama 70B, {gpus} GPU" + "s" * (gpus > 1)
        check(table.loc[name], found.loc[llama & found["gpus"].eq(gpus), "r"])
    amd = found["accelerator"].str.startswith("MI")
    check(table.loc["MoE, AMD"], found.loc[~llama & amd, "r"])
    check(table.loc["MoE, NVIDIA"], found.loc[~llama & ~amd, "r"])
    low, high = found["r"].quantile([0.1, 0.9])
    assert f"FP4 over FP8 at equal load: {low:.1f}x to {high:.1f}x throughput" in page["answer"]["text"]
    assert page["answer"]["value"] == pytest.approx(found["r"].median())


def best_at(points, speed):
    """The highest throughput at a speed: log-linear between undominated points at most twice as fast as each other."""
    points = points[["tokens_per_second_per_user", "output_tokens_per_second_per_gpu"]].dropna().to_numpy()
    upper = sorted(p for p in map(tuple, points) if not any((q >= p).all() and (q > p).any() for q in points))
    for (slow, more), (fast, less) in zip([*upper[:1], *upper], upper, strict=False):
        if slow <= speed <= fast and (fast <= 2 * slow or speed == fast):
            share = (speed - slow) / (fast - slow) if fast > slow else 0
            return more ** (1 - share) * less**share
    return float("nan")


def test_fp4_over_fp8_at_equal_speed(page, runs):
    same = ["model", "accelerator", "engine", "prompt_tokens", "answer_tokens"]
    rows = runs[runs["speculative"].eq("") & runs["precision"].isin(["fp8", "fp4"])]
    rates = {key: best_at(part, 50) for key, part in rows.groupby([*same, "source_id", "build", "precision"])}
    rates = pd.Series(rates).rename_axis([*same, "source_id", "build", "precision"]).unstack()
    found = (rates["fp4"] / rates["fp8"]).dropna().groupby(same).median()
    low, high = found.quantile([0.1, 0.9])
    assert page["equal_speed"]["value"] == pytest.approx(found.median())
    said = f"(median of {len(found)} InferenceX configurations, P10 to P90 {low:.1f}x to {high:.1f}x; "
    llama = found.index.get_level_values("model").str.contains("Llama")
    said += f"{found[llama].median():.1f}x on Llama 3.1 70B, {found[~llama].median():.1f}x on MoE models)"
    assert said in page["equal_speed"]["text"]


def test_tensorrt_llm_at_full_load(page):
    rows = pd.read_csv(ROOT / "data" / "tensorrt_llm_throughput.csv", dtype={"version": str})
    rows = rows[rows["version"].eq("0.14.0") & rows["accelerator"].eq("H100")]
    same = ["model", "gpus", "prompt_tokens", "answer_tokens"]
    best = rows.groupby([*same, "precision"])["printed"].max().unstack()
    pairs = (best["fp8"] / best["fp16"]).dropna().reset_index(name="r")
    table = page["speed_pairs"].set_index("group")
    check(table.loc["7B and 8B, 1 H100"], pairs.loc[pairs["gpus"].eq(1), "r"])
    check(table.loc["70B and 8x22B, 4 to 8 H100"], pairs.loc[pairs["gpus"].ge(4), "r"])


def test_one_gpu(page):
    rows = pd.read_parquet(ROOT / "data" / "precision_effects.parquet")
    stream = rows[rows["source_id"].eq("nvfp4-benchmark") & rows["metric"].eq("decode throughput")]
    wide = stream.pivot(index=["model", "workload"], columns="precision", values="value")
    table = page["speed_pairs"]
    of = table[table["source"].str.contains("one stream")].set_index("group")
    dense = wide.index.get_level_values("model").str.contains("dense")
    check(of.loc["dense, INT4 weights"], (wide["int4"] / wide["bf16"])[dense])
    check(of.loc["MoE, FP8"], (wide["fp8"] / wide["bf16"])[~dense])
    queue = rows[rows["source_id"].eq("accelmark") & rows["metric"].eq("throughput")]
    wide = queue.groupby(["accelerator", "engine", "format"])["value"].median().unstack()
    of = table[table["source"].str.contains("full queue")].set_index("group")
    check(of.loc["INT4 weights"], (wide["W4A16"] / wide["BF16"]).dropna())
    check(of.loc["INT8"], (wide["W8A8"] / wide["BF16"]).dropna())


def test_gsm8k_loses_less_than_its_error(page):
    rows = pd.read_csv(ROOT / "data" / "gsm8k_accuracy.csv")
    of = rows[rows["accuracy_percent"].gt(90)].groupby(["model", "precision"])
    scores, errors = of["accuracy_percent"].median().unstack(), of["standard_error_points"].median().unstack()
    scores = scores[scores.notna().sum(axis=1).gt(1)][["bf16", "fp8", "int4", "fp4"]]
    loss = scores.sub(scores.bfill(axis=1).iloc[:, 0], axis=0).mul(-1)
    assert loss.lt(errors.reindex_like(loss)).where(loss.notna(), True).all().all()
    relative = scores["fp4"].div(scores.bfill(axis=1).iloc[:, 0]).sub(1).abs().max()
    assert f"GSM8K of large models changes by at most {relative:.1%}" in page["answer"]["text"]


def test_fp8_over_fp16_by_source(page):
    speed = page["speed_pairs"]
    of = speed[speed["step"].eq("FP16 to FP8")]
    single = of[of["group"].isin(["MoE, NVIDIA", "FP8"]) & ~of["source"].eq("TensorRT-LLM")]
    lowest = single.loc[single["source"].eq("InferenceX"), "median"].iloc[0]
    assert lowest == pytest.approx(1.07, abs=0.01)  # the second count


def test_accuracy_of_mlperf_results(page, official):
    targets = pd.read_csv(ROOT / "data" / "accuracy_targets.csv", keep_default_na=False, na_values={"reference": [""]})
    references = targets.drop_duplicates(["round", "benchmark", "metric", "scenario"])
    reference = references.set_index(["round", "benchmark", "metric", "scenario"])["reference"]
    rows = official[official["division"].eq("closed") & official["precision"].fillna("").ne("")]
    rows = rows[rows["benchmark"].isin(["llama2-70b", "llama3.1-8b", "llama3.1-405b", "mixtral-8x7b"])]
    rows = rows[rows["accuracy"].fillna("").str.contains(":")]
    parts = rows["accuracy"].str.extractall(r"(\w+): ([\d.]+)").droplevel("match")
    parts = parts[~parts[0].isin(["TOKENS_PER_SAMPLE", "GEN_LEN", "gen_len", "gen_num"])].join(
        rows[["round", "benchmark"]]
    )
    keys = pd.MultiIndex.from_arrays([parts["round"], parts["benchmark"], parts[0], [""] * len(parts)])
    percent = (100 * parts[1].astype(float) / reference.reindex(keys).to_numpy()).groupby(level=0).min()
    rows = rows.assign(percent=percent)[percent.reindex(rows.index).gt(90)]
    medians = rows.groupby(["precision", "benchmark"])["percent"].median()
    printed = page["steps"].set_index("Step")["Accuracy, MLPerf"]
    low, high = map(float, printed["FP16 to INT8"].split("\u2013"))
    assert [low, high] == [round(medians["int8"].min(), 1), round(medians["int8"].max(), 1)]
    low, high = map(float, printed["FP8 to FP4"].split("\u2013"))
    assert [low, high] == [round(medians["fp4"].min(), 1), round(medians["fp4"].max(), 1)]


def test_memory(page):
    shape = pd.read_csv(ROOT / "data" / "benchmarks.csv").set_index("benchmark").loc["llama2-70b"]
    per_token = 2 * 2 * shape["layers"] * shape["kv_heads"] * shape["head_size"]
    steps = page["steps"].set_index("Step")
    for step, bits in (("FP16 to FP8", 8), ("FP8 to FP4", 4.5), ("FP16 to INT4 weights", 4.25)):
        weights = shape["parameters_billion"] * bits / 8
        assert steps.loc[step, "Weights, GB"].endswith(f" to {weights:.0f}")
        tokens = [np.round((0.9 * size - weights) * 1e9 / per_token, -3) for size in (80, 192)]
        assert steps.loc[step, "KV tokens, 80 / 192 GB"] == " / ".join(f"{count / 1000:,.0f}k" for count in tokens)


def test_speed_by_source(page, runs):
    speed, cells = page["speed_pairs"], page["speed_by_source"].set_index("Step")
    for step, source in (
        ("FP16 to INT8", "MLPerf"),
        ("FP8 to FP4", "InferenceX"),
        ("FP16 to FP8", "TensorRT-LLM"),
    ):
        total = speed[speed["step"].eq(step) & speed["source"].eq(source)]["n"].sum()
        assert cells.loc[step, source].endswith(f"n={total})")
    found = ratios(runs, [*SAME, "build"], "precision", "fp8", "fp4", "output_tokens_per_second_per_gpu")
    low, high = found.quantile([0.1, 0.9])
    expected = f"{found.median():.2f} ({low:.2f}\u2013{high:.2f}, n={len(found)})"
    assert cells.loc["FP8 to FP4", "InferenceX"] == expected
    steps = page["steps"].set_index("Step")["Speed, other sources"]
    assert steps["FP8 to FP4"] == f"{found.median():.1f}x"
    assert page["answer"]["value"] == pytest.approx(found.median())


def test_labels_left_out(page, official):
    left_out = page["labels"][page["labels"]["action"].eq("left out")].set_index("model")["results"]
    assert (
        left_out["GPT-OSS 120B"] == (official["benchmark"].eq("gpt-oss-120b") & official["precision"].eq("fp8")).sum()
    )
    qwen = official["benchmark"].eq("qwen3-vl-235b-a22b") & official["precision"].eq("fp32")
    assert left_out["Qwen3-VL 235B"] == qwen.sum()


def test_the_title_on_speed_holds(page):
    """Llama 70B gains more from FP4 on one GPU than on eight; INT4 weights help one stream and slow a full queue."""
    speed = page["speed_pairs"].set_index(["source", "group"])["median"].astype(float)
    assert speed["InferenceX", "Llama 70B, 1 GPU"] > speed["InferenceX", "Llama 70B, 8 GPUs"] + 0.1
    stream = speed["RTX PRO 6000, one stream"].filter(like="INT4 weights")
    assert len(stream) == 2 and stream.gt(1.1).all()
    assert speed["Llama 3.1 8B, full queue"]["INT4 weights"] < 0.9
