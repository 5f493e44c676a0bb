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


def by_unit(pairs, by=("model", "accelerator")):
    """Return middle, lowest, highest, and number of the medians of units."""
    medians = pairs.groupby(list(by)).median()
    return [medians.median(), medians.min(), medians.max(), len(medians)]


def said(low, middle, high, n):
    """Return a value with n and its range; a single one has none."""
    return f"{middle:.2f}, n = {n}" + f" ({low:.2f} to {high:.2f})" * (f"{low:.2f}" != f"{high:.2f}")


@pytest.fixture(scope="module")
def decided(page):
    return page["decisions"].set_index(["models", "format"])


SAME = [
    "source_id", "model", "accelerator", "engine", "speculative", "prompt_tokens", "answer_tokens", "gpus",
    "concurrency", "tensor_parallel", "pipeline_parallel", "data_parallel", "moe_tensor_parallel", "expert_parallel",
]  # fmt: skip


def source_row(page, source, step, form, models):
    table = page["speed_by_source"].set_index(["source", "step", "format", "models"])
    row = table.loc[(source, step, form, models), ["middle", "low", "high", "n"]]
    return row.replace("", np.nan).astype(float).tolist()


def test_bert_pairs(page, official):
    rows = official[official["benchmark"].eq("bert") & official["division"].eq("closed")]
    rows = rows[rows["metric"].eq("throughput") & ~rows["power_measured"]]
    score = rows["accuracy"].str.extract(r"([\d.]+)$")[0].astype(float) / 90.874 * 100
    rows = rows[~(rows["precision"].eq("fp16") & score.gt(100.05))]
    system = ["round", "submitter", "system", "accelerator", "accelerator_count", "scenario"]
    for wide in ("fp16", "fp8"):
        kinds = {"int8 99": "narrow", f"{wide} 99.9": "wide"}
        kind = (rows["precision"].fillna("") + " " + rows["accuracy_target"].fillna("")).map(kinds)
        best = rows.assign(kind=kind, submitter=rows["submitter"].str.casefold())
        best = best.dropna(subset="kind").groupby([*system, "kind"])["low"].max().unstack()
        expected = by_unit((best["narrow"] / best["wide"]).dropna(), ["accelerator"])
        assert source_row(page, "MLPerf", f"{wide} to int8", "INT8", "size unknown") == pytest.approx(
            expected, rel=1e-3
        )


def test_fp4_over_fp8_at_equal_load_by_unit(page, decided, runs):
    found = ratios(runs, [*SAME, "build"], "precision", "fp8", "fp4", "output_tokens_per_second_per_gpu")
    assert len(found) == 281
    middle, low, high, n = by_unit(found)
    assert [round(value, 2) for value in (middle, low, high, n)] == [1.33, 1.09, 1.43, 6]
    assert f"equal load {middle:.2f}x ({low:.2f}x to {high:.2f}x), n = {n}" in page["speed_by_unit"]["title"]
    amd = found.index.get_level_values("accelerator").str.startswith("MI")
    for form, part in (("NVFP4", found[~amd]), ("MXFP4", found[amd])):
        middle, low, high, n = by_unit(part)
        assert decided.loc[("70B and more", form), "speed"] == said(low, middle, high, n)
        row = source_row(page, "InferenceX", "fp8 to fp4", form, "70B and more")
        assert row[::3] == pytest.approx([middle, n])  # one unit has no range
        assert row[1:3] == pytest.approx([low, high] if n > 1 else [np.nan] * 2, nan_ok=True)
    middle, low, high, _ = by_unit(found[~amd])
    assert [page["answer"][name] for name in ("value", "low", "high")] == pytest.approx([middle, low, high])


def best_at(points, speed):
    """The highest throughput at a speed: log-linear between undominated points at most twice as fast as each other."""
    points = points[["tokens_per_second_per_user", "output_tokens_per_second_per_gpu"]].dropna().to_numpy()
    upper = sorted(p for p in map(tuple, points) if not any((q >= p).all() and (q > p).any() for q in points))
    for (slow, more), (fast, less) in zip([*upper[:1], *upper], upper, strict=False):
        if slow <= speed <= fast and (fast <= 2 * slow or speed == fast):
            share = (speed - slow) / (fast - slow) if fast > slow else 0
            return more ** (1 - share) * less**share
    return float("nan")


def test_fp4_over_fp8_at_equal_speed(page, decided, runs):
    same = ["model", "accelerator", "engine", "prompt_tokens", "answer_tokens"]
    rows = runs[runs["speculative"].eq("") & runs["precision"].isin(["fp8", "fp4"])]
    rates = {key: best_at(part, 50) for key, part in rows.groupby([*same, "source_id", "build", "precision"])}
    rates = pd.Series(rates).rename_axis([*same, "source_id", "build", "precision"]).unstack()
    found = (rates["fp4"] / rates["fp8"]).dropna().groupby(same).median()
    middle, low, high, n = by_unit(found)
    assert [round(value, 2) for value in (middle, low, high, n)] == [1.86, 1.32, 3.17, 7]
    per_unit = found.groupby(["model", "accelerator"]).size()
    assert per_unit.max() > 1 and per_unit.size == n  # lengths and engines of one model on one GPU are repeats
    assert f"50 tokens/s per user {middle:.2f}x ({low:.2f}x to {high:.2f}x), n = {n}" in page["speed_by_unit"]["title"]
    nvidia = found[found.index.get_level_values("accelerator").str.startswith("B")]
    middle, low, high, n = by_unit(nvidia)
    assert decided.loc[("70B and more", "NVFP4"), "speed at user speed"] == said(low, middle, high, n)


def test_joules_of_fp4_over_fp8(page, decided):
    """By any layout 0.61 of FP8's, at equal layout 0.84; rows that cannot be right are judged here once more."""
    rows = pd.read_csv(ROOT / "data" / "inferencex_energy.csv", keep_default_na=False)
    rated = rows["accelerator"].map({"H200": 700, "B200": 1000, "B300": 1100, "MI325X": 1000, "MI355X": 1400})
    watts = rows["joules_per_output_token"] * rows["output_tokens_per_second_per_gpu"] / rated
    flight = rows["output_tokens_per_second_per_gpu"] * rows["gpus"] * rows["tpot_ms"] / 1000
    wrong = watts.gt(1.05) | (rows["model"].eq("GPT-OSS 120B") & rows["accelerator"].eq("MI325X"))
    wrong |= (rows["concurrency"] / flight).gt(2.5)
    wrong |= rows["model"].eq("Kimi K2.5") & rows["accelerator"].eq("B300") & rows["concurrency"].le(16)
    assert (len(rows), wrong.sum()) == (595, 37)
    rows = rows[~wrong]
    same = ["model", "accelerator", "engine", "speculative", "prompt_tokens", "concurrency"]
    for layout, expected in ((["gpus", "expert_parallel"], (0.84, 4, 23)), ([], (0.61, 5, 70))):
        wide = rows.groupby([*same, *layout, "precision"])["joules_per_output_token"].min().unstack()
        pairs = (wide["fp4"] / wide["fp8"]).dropna()
        middle, low, high, n = by_unit(pairs)
        assert (round(middle, 2), n, len(pairs)) == expected
        name = "same layout" if layout else "any layout"
        assert f"{name} {middle:.2f} ({low:.2f} to {high:.2f}), n = {n}" in page["joules"]["text"]
    nvidia = pairs[pairs.index.get_level_values("accelerator").str.startswith("B")]
    middle, low, high, n = by_unit(nvidia)
    assert decided.loc[("70B and more", "NVFP4"), "joules"] == said(low, middle, high, n)


def scores():
    """Return one row per format, class of size, model, and task: share of the baseline's score, and its error."""
    rows = pd.read_csv(ROOT / "data" / "quality_scores.csv", keep_default_na=False)
    rows = rows[rows["task"].ne("")]
    for name in ("parameters_billion", "questions", "spread_points", "standard_error_points"):
        rows[name] = pd.to_numeric(rows[name])
    found = []
    for _, part in rows.groupby(["source_id", "model", "test"]):
        part = part.assign(error=[error_of(row) for row in part.itertuples()])
        base = part[part["baseline"].astype(str).str.lower().eq("true")].iloc[0]
        for row in part.drop(base.name).itertuples():
            share = row.score_percent / base["score_percent"]
            error = (row.error**2 + (share * base["error"]) ** 2) ** 0.5 / base["score_percent"]
            found.append((row.format, row.parameters_billion, row.model, row.task, 100 * share, 100 * error))
    gsm = pd.read_csv(ROOT / "data" / "gsm8k_accuracy.csv").query("accuracy_percent > 90")
    gsm = gsm.assign(amd=gsm["accelerator"].str.startswith("MI"))
    for (model, size, _), part in gsm.groupby(["model", "parameters_billion", "amd"]):
        of = part.groupby("format")["accuracy_percent"].agg(["mean", "sem"])
        wide = next(name for name in ("BF16", "FP8", "INT4", "NVFP4", "MXFP4") if name in of.index)
        for form in set(of.index) - {wide, "INT4"}:
            share = of.at[form, "mean"] / of.at[wide, "mean"]
            error = np.hypot(of.at[form, "sem"], share * of.at[wide, "sem"]) / of.at[wide, "mean"]
            found.append((form, size, model, "GSM8K", 100 * share, 100 * error))
    found = pd.DataFrame(found, columns=["format", "size", "model", "task", "percent", "error"])
    names = found["size"].map(lambda b: "below 10B" if b < 10 else "10B to 69B" if b < 70 else "70B and more")
    found["models"] = names.mask(found["size"].isna(), "size unknown")
    return found.groupby(["format", "models", "model", "task"])[["percent", "error"]].median().reset_index()


def error_of(row):
    if not np.isnan(row.standard_error_points):
        return row.standard_error_points
    if row.runs > 1 and not np.isnan(row.spread_points):
        return row.spread_points / row.runs**0.5
    right = row.score_percent / 100
    return 100 * (max(right * (1 - right), 0.001) / (row.questions * row.runs)) ** 0.5


def pooled(part):
    weight = 1 / part["error"] ** 2
    mean = (weight * part["percent"]).sum() / weight.sum()
    excess = (weight * (part["percent"] - mean) ** 2).sum() - (len(part) - 1)
    between = max(0, excess / (weight.sum() - (weight**2).sum() / weight.sum())) if len(part) > 1 else 0
    weight = 1 / (part["error"] ** 2 + between)
    return 100 - (weight * part["percent"]).sum() / weight.sum(), 1.96 / weight.sum() ** 0.5


def test_what_a_format_loses(page, decided):
    units = scores()
    for (form, models), part in units.groupby(["format", "models"]):
        lost, half = pooled(part)
        if (models, form) in decided.index:
            assert decided.loc[(models, form), "score lost"] == said(lost - half, lost, lost + half, len(part))
    large = units[units["format"].eq("NVFP4") & units["models"].eq("70B and more")]
    lost, half = pooled(large)
    assert (round(lost, 1), round(half, 1), len(large), large["model"].nunique()) == (0.4, 0.3, 13, 7)
    assert f"scores {lost:.1f}% ± {half:.1f}% lower" in page["answer"]["text"]
    without = pooled(large[large["model"].ne("AliceAI-Foundation-80B-A3B")])
    assert without == pytest.approx((0.14, 0.08), abs=0.005)
    assert page["left_out"]["value"] == pytest.approx(without[0])
    mx = {models: pooled(part)[0] for models, part in units[units["format"].eq("MXFP4")].groupby("models")}
    assert {name: round(value, 1) for name, value in mx.items()} == {
        "70B and more": 0.1, "10B to 69B": 5.8, "below 10B": 10.1,
    }  # fmt: skip


def test_tests_that_cannot_show_a_loss(page):
    noise = 1.96 * scores().groupby("task")["error"].median()
    assert noise[["AIME", "GPQA", "LiveCodeBench"]].gt(5).all() and noise[["GSM8K", "MMLU-Pro"]].lt(5).all()
    assert ", ".join(noise.index[noise.gt(5)]) in page["left_out"]["text"]


def test_fp8_by_source(page):
    rows = pd.read_csv(ROOT / "data" / "tensorrt_llm_throughput.csv", dtype={"version": str})
    rows = rows[rows["version"].eq("0.14.0") & rows["accelerator"].eq("H100") & rows["gpus"].ge(4)]
    best = rows.groupby(["model", "gpus", "prompt_tokens", "answer_tokens", "precision"])["printed"].max().unstack()
    expected = by_unit((best["fp8"] / best["fp16"]).dropna(), ["model"])
    assert source_row(page, "TensorRT-LLM", "fp16 to fp8", "FP8", "70B and more") == pytest.approx(expected, rel=1e-3)
    rows = pd.read_parquet(ROOT / "data" / "precision_effects.parquet")
    stream = rows[rows["source_id"].eq("nvfp4-benchmark") & rows["metric"].eq("decode throughput")]
    wide = stream.pivot(index=["model", "workload"], columns="precision", values="value")
    source = "RTX PRO 6000, one stream"
    for step, form, ratio in (
        ("fp8 to fp4", "NVFP4", wide["fp4"] / wide["fp8"]), ("bf16 to int4", "INT4", wide["int4"] / wide["bf16"]),
    ):  # fmt: skip
        assert source_row(page, source, step, form, "10B to 69B") == pytest.approx(by_unit(ratio, ["model"]), rel=1e-3)
    queue = rows[rows["source_id"].eq("accelmark") & rows["metric"].eq("throughput")]
    wide = queue.groupby(["accelerator", "engine", "format"])["value"].median().unstack()
    expected = by_unit((wide["W4A16"] / wide["BF16"]).dropna(), ["accelerator"])
    found = source_row(page, "Llama 3.1 8B, full queue", "bf16 to int4", "INT4", "below 10B")
    assert found == pytest.approx(expected, rel=1e-3)


def test_checkpoints_over_bf16(decided):
    rows = pd.read_parquet(ROOT / "data" / "precision_effects.parquet")
    rows = rows[rows["metric"].eq("checkpoint size") & ~rows["format"].str.contains("mx")]
    wide = rows.groupby(["model", "precision"])["value"].median().unstack()
    for form, precision in (("FP8", "fp8"), ("NVFP4", "fp4"), ("INT4", "int4")):
        share = (wide[precision] / wide["bf16"]).dropna()
        expected = said(share.min(), share.median(), share.max(), len(share))
        assert decided.loc[("70B and more", form), "checkpoint"] == expected


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
    table = page["accuracy"].set_index(["precision", "model"])["median"].astype(float)
    for name, label in (
        ("llama2-70b", "Llama 2 70B"),
        ("llama3.1-8b", "Llama 3.1 8B"),
        ("mixtral-8x7b", "Mixtral 8x7B"),
    ):
        for precision in ("fp8", "fp4"):
            assert table[precision, label] == pytest.approx(medians[precision, name], abs=0.01)


def test_labels_left_out(page, official):
    left_out = page["labels"][page["labels"]["action"].eq("left out")].set_index("model")["results"]
    assert (
        left_out["GPT-OSS 120B"] == (official["benchmark"].eq("gpt-oss-120b") & official["precision"].eq("fp8")).sum()
    )
    qwen = official["benchmark"].eq("qwen3-vl-235b-a22b") & official["precision"].eq("fp32")
    assert left_out["Qwen3-VL 235B"] == qwen.sum()


def test_gigabytes_of_weights_name_their_model(page):
    """Llama 2 70B: 140 GB in FP16, 70 in FP8, 39 in NVFP4, 37 in INT4, in 90% of 80 and 192 GB."""
    shapes = pd.read_csv(ROOT / "data" / "benchmarks.csv").set_index("label")
    weights = shapes.at["Llama 2 70B", "parameters_billion"] * np.array([16, 8, 4.5, 4.25]) / 8
    assert weights.round().tolist() == [140, 70, 39, 37]
    fit = sum((weights < 0.9 * size).sum() for size in (80, 192))
    assert page["memory"]["title"] == f"Llama 2 70B, formats and GPUs that fit: {fit}"
    said = [each.get("text", "") for each in page.values() if isinstance(each, dict)]
    assert not any("140 GB" in text for text in said)
    claims = page["published_claims"]
    assert claims.loc[claims["printed"].str.contains("140 GB"), "claim"].str.contains("Llama 2 70B").all()
