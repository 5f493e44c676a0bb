"""Recount the numbers of the page on quantization by plain pandas, importing nothing of the package."""

import numpy as np
import pandas as pd
import pytest

from tests.reports import plain
from tests.reports.plain import DATA, data, record, table

PAGE = "quantization_tradeoffs"
LARGE = "70B and more"
SAME = [
    "source_id", "model", "accelerator", "engine", "speculative", "prompt_tokens", "answer_tokens", "gpus",
    "concurrency", "tensor_parallel", "pipeline_parallel", "data_parallel", "moe_tensor_parallel", "expert_parallel",
]  # fmt: skip


@pytest.fixture(scope="module")
def page():
    """What headline, findings, and figures say, by name."""
    return plain.said(PAGE)


@pytest.fixture(scope="module")
def runs():
    rows = data("inferencex_runs").query("not unfinished and not disaggregated and gpus <= 8")
    rows = rows[~rows["engine_version"].str.contains("nightly")].copy()
    rows["build"] = rows["engine_version"] + rows["image"].where(rows["engine_version"].eq(""), "")
    rows["build"] = rows["build"].where(rows["build"].ne(""), rows["measured"])
    return rows


def ratio(rows, same, column, narrow, wide, value, how="median"):
    """Return the value of one kind over that of another, of rows that are the same else."""
    values = rows.groupby([*same, column], dropna=False)[value].agg(how).unstack()
    return (values[narrow] / values[wide]).dropna()


def by_unit(pairs, by=("model", "accelerator")):
    """Return middle, lowest, highest, and number of the medians of units."""
    return pairs.groupby(list(by)).median().agg(["median", "min", "max", "size"]).tolist()


def said(low, middle, high, n):
    """Return a value with n and its range; a single one has none."""
    return f"{middle:.2f}, n = {n:.0f}" + f" ({low:.2f} to {high:.2f})" * (f"{low:.2f}" != f"{high:.2f}")


def decided(models, form):
    return table(PAGE, "decisions").set_index(["models", "format"]).fillna("").loc[(models, form)]


def source_row(*key):
    rows = table(PAGE, "speed_by_source").set_index(["source", "step", "format", "models"])
    return rows.loc[key, ["middle", "low", "high", "n"]].astype(float).tolist()


@pytest.mark.parametrize("wide", ["fp16", "fp8"])
def test_bert_pairs(wide):
    rows = record().query("benchmark == 'bert' and division == 'closed' and metric == 'throughput'")
    rows = rows[~rows["power_measured"] & rows["duplicate_of"].eq("")]
    score = rows["accuracy"].str.extract(r"([\d.]+)$")[0].astype(float) / 90.874 * 100
    rows = rows[~(rows["precision"].eq("fp16") & score.gt(100.05))]
    system = ["round", "submitter", "system", "accelerator", "accelerator_count", "scenario"]
    kind = (rows["precision"].fillna("") + " " + rows["accuracy_target"].fillna("")).rename("kind")
    found = ratio(rows, system, kind, "int8 99", f"{wide} 99.9", "low", "max")
    expected = by_unit(found, ["accelerator"])
    assert source_row("MLPerf", f"{wide} to int8", "INT8", "size unknown") == pytest.approx(expected, rel=1e-3)


def test_fp4_over_fp8_at_equal_load_by_unit(page, runs):
    found = ratio(runs, [*SAME, "build"], "precision", "fp4", "fp8", "output_tokens_per_second_per_gpu")
    assert len(found) == 281
    middle, low, high, n = by_unit(found)
    assert [middle, low, high, n] == pytest.approx([1.33, 1.09, 1.43, 6], abs=0.005)
    assert f"equal load {middle:.2f}x ({low:.2f}x to {high:.2f}x), n = {n:.0f}" in page["speed_by_unit"]["title"]
    amd = found.index.get_level_values("accelerator").str.startswith("MI")
    for form, part in (("MXFP4", found[amd]), ("NVFP4", found[~amd])):
        middle, low, high, n = by_unit(part)
        assert decided(LARGE, form)["speed"] == said(low, middle, high, n)
        ends = [low, high] if n > 1 else [np.nan] * 2  # one unit has no range
        shown = source_row("InferenceX", "fp8 to fp4", form, LARGE)
        assert shown == pytest.approx([middle, *ends, n], nan_ok=True)
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


def test_fp4_over_fp8_at_equal_speed(page, runs):
    same = ["model", "accelerator", "engine", "prompt_tokens", "answer_tokens"]
    keys = [*same, "source_id", "build", "precision"]
    rows = runs.query("speculative == '' and precision in ['fp8', 'fp4']")
    rates = pd.Series({key: best_at(part, 50) for key, part in rows.groupby(keys)}).rename_axis(keys).unstack()
    found = (rates["fp4"] / rates["fp8"]).dropna().groupby(same).median()
    middle, low, high, n = by_unit(found)
    assert [middle, low, high, n] == pytest.approx([1.86, 1.32, 3.17, 7], abs=0.005)
    per_unit = found.groupby(["model", "accelerator"]).size()
    assert per_unit.max() > 1 and per_unit.size == n  # lengths and engines of one model on one GPU are repeats
    text = f"50 tokens/s per user {middle:.2f}x ({low:.2f}x to {high:.2f}x), n = {n:.0f}"
    assert text in page["speed_by_unit"]["title"]
    middle, low, high, n = by_unit(found[found.index.get_level_values("accelerator").str.startswith("B")])
    assert decided(LARGE, "NVFP4")["speed at user speed"] == said(low, middle, high, n)


@pytest.mark.parametrize(
    ("name", "layout", "expected"),
    [("same layout", ["gpus", "expert_parallel"], (0.84, 4, 23)), ("any layout", [], (0.61, 5, 70))],
)
def test_joules_of_fp4_over_fp8(page, name, layout, expected):
    same = ["model", "accelerator", "engine", "speculative", "prompt_tokens", "concurrency", *layout]
    pairs = ratio(plain.energy(), same, "precision", "fp4", "fp8", "joules_per_output_token", "min")
    middle, low, high, n = by_unit(pairs)
    assert (round(middle, 2), n, len(pairs)) == expected
    assert f"{name} {middle:.2f} ({low:.2f} to {high:.2f}), n = {n:.0f}" in page["joules"]["text"]
    middle, low, high, n = by_unit(pairs[pairs.index.get_level_values("accelerator").str.startswith("B")])
    assert layout or decided(LARGE, "NVFP4")["joules"] == said(low, middle, high, n)


@pytest.fixture(scope="module")
def scores():
    """One row per format, class of size, model, and task: share of the baseline's score, and its error, in percent."""
    rows = data("quality_scores", texts=True).query("task != ''")
    for name in ("parameters_billion", "questions", "spread_points", "standard_error_points"):
        rows[name] = pd.to_numeric(rows[name])
    right = rows["score_percent"] / 100
    counted = 100 * ((right * (1 - right)).clip(lower=0.001) / (rows["questions"] * rows["runs"])) ** 0.5
    repeated = (rows["spread_points"] / rows["runs"] ** 0.5).where(rows["runs"].gt(1))
    rows["error"] = rows["standard_error_points"].fillna(repeated).fillna(counted)
    rows["base"] = rows["baseline"].astype(str).str.lower().eq("true")
    measured = [
        (row.format, row.parameters_billion, row.model, row.task, row.score_percent, row.error,
         *part.loc[part["base"], ["score_percent", "error"]].iloc[0])
        for _, part in rows.groupby(["source_id", "model", "test"])
        for row in part.drop(part.index[part["base"]][0]).itertuples()
    ]  # fmt: skip
    gsm = data("gsm8k_accuracy").query("accuracy_percent > 90")
    gsm = gsm.assign(amd=gsm["accelerator"].str.startswith("MI"))
    for (model, size, _), part in gsm.groupby(["model", "parameters_billion", "amd"]):
        of = part.groupby("format")["accuracy_percent"].agg(["mean", "sem"])
        wide = next(name for name in ("BF16", "FP8", "INT4", "NVFP4", "MXFP4") if name in of.index)
        others = of.drop(index=[wide, "INT4"], errors="ignore")
        measured += [(row.Index, size, model, "GSM8K", row.mean, row.sem, *of.loc[wide]) for row in others.itertuples()]
    names = ["format", "size", "model", "task", "score", "error", "base", "base_error"]
    found = pd.DataFrame(measured, columns=names)
    share = found["score"] / found["base"]
    found["error"] = 100 * np.hypot(found["error"], share * found["base_error"]) / found["base"]
    sizes = pd.cut(found["size"], [0, 10, 70, np.inf], right=False, labels=["below 10B", "10B to 69B", LARGE])
    found = found.assign(percent=100 * share, models=sizes.astype(object).fillna("size unknown"))
    return found.groupby(["format", "models", "model", "task"])[["percent", "error"]].median().reset_index()


def pooled(part):
    """Return percent lost and half of its interval of 95%, by a random-effects mean."""
    weight = 1 / part["error"] ** 2
    mean = (weight * part["percent"]).sum() / weight.sum()
    excess = (weight * (part["percent"] - mean) ** 2).sum() - (len(part) - 1)
    between = max(0, excess / (weight.sum() - (weight**2).sum() / weight.sum())) if len(part) > 1 else 0
    weight = 1 / (part["error"] ** 2 + between)
    return 100 - (weight * part["percent"]).sum() / weight.sum(), 1.96 / weight.sum() ** 0.5


def test_what_a_format_loses(page, scores):
    shown = table(PAGE, "decisions").set_index(["format", "models"])["score lost"]
    for key, part in scores.groupby(["format", "models"]):
        lost, half = pooled(part)
        assert key not in shown or shown[key] == said(lost - half, lost, lost + half, len(part))
    large = scores.query("format == 'NVFP4' and models == @LARGE")
    lost, half = pooled(large)
    assert (round(lost, 1), round(half, 1), len(large), large["model"].nunique()) == (0.4, 0.3, 13, 7)
    assert f"scores {lost:.1f}% ± {half:.1f}% lower" in page["answer"]["text"]
    without = pooled(large[large["model"].ne("AliceAI-Foundation-80B-A3B")])
    assert without == pytest.approx((0.14, 0.08), abs=0.005)
    assert page["left_out"]["value"] == pytest.approx(without[0])
    mx = {models: pooled(part)[0] for models, part in scores.query("format == 'MXFP4'").groupby("models")}
    assert mx == pytest.approx({LARGE: 0.1, "10B to 69B": 5.8, "below 10B": 10.1}, abs=0.05)


def test_tests_that_cannot_show_a_loss(page, scores):
    noise = 1.96 * scores.groupby("task")["error"].median()
    assert noise[["AIME", "GPQA", "LiveCodeBench"]].gt(5).all() and noise[["GSM8K", "MMLU-Pro"]].lt(5).all()
    assert ", ".join(noise.index[noise.gt(5)]) in page["left_out"]["text"]


def test_other_formats_by_source():
    tensorrt = data("tensorrt_llm_throughput").query("version == '0.14.0' and accelerator == 'H100' and gpus >= 4")
    shape = ["model", "gpus", "prompt_tokens", "answer_tokens"]
    effects = data("precision_effects")
    stream = effects.query("source_id == 'nvfp4-benchmark' and metric == 'decode throughput'")
    queue = effects.query("source_id == 'accelmark' and metric == 'throughput'")
    for found, by, *row in (
        (ratio(tensorrt, shape, "precision", "fp8", "fp16", "printed", "max"), "model",
         "TensorRT-LLM", "fp16 to fp8", "FP8", LARGE),
        (ratio(stream, ["model", "workload"], "precision", "fp4", "fp8", "value"), "model",
         "RTX PRO 6000, one stream", "fp8 to fp4", "NVFP4", "10B to 69B"),
        (ratio(stream, ["model", "workload"], "precision", "int4", "bf16", "value"), "model",
         "RTX PRO 6000, one stream", "bf16 to int4", "INT4", "10B to 69B"),
        (ratio(queue, ["accelerator", "engine"], "format", "W4A16", "BF16", "value"), "accelerator",
         "Llama 3.1 8B, full queue", "bf16 to int4", "INT4", "below 10B"),
    ):  # fmt: skip
        assert source_row(*row) == pytest.approx(by_unit(found, [by]), rel=1e-3)


@pytest.mark.parametrize(("form", "precision"), [("FP8", "fp8"), ("NVFP4", "fp4"), ("INT4", "int4")])
def test_checkpoints_over_bf16(form, precision):
    rows = data("precision_effects").query("metric == 'checkpoint size'")
    share = ratio(rows[~rows["format"].str.contains("mx")], ["model"], "precision", precision, "bf16", "value")
    assert decided(LARGE, form)["checkpoint"] == said(share.min(), share.median(), share.max(), len(share))


def test_accuracy_of_mlperf_results():
    targets = pd.read_csv(DATA / "accuracy_targets.csv", keep_default_na=False, na_values={"reference": [""]})
    keys = ["round", "benchmark", "metric"]
    reference = targets.query("scenario == ''").drop_duplicates(keys).set_index(keys)["reference"]
    models = {"llama2-70b": "Llama 2 70B", "llama3.1-8b": "Llama 3.1 8B", "mixtral-8x7b": "Mixtral 8x7B"}
    rows = record().query("division == 'closed' and duplicate_of == '' and benchmark in @models")
    rows = rows[rows["precision"].fillna("").ne("") & rows["accuracy"].fillna("").str.contains(":")]
    parts = rows["accuracy"].str.extractall(r"(?P<metric>\w+): (?P<score>[\d.]+)").droplevel("match")
    parts = parts[~parts["metric"].isin(["TOKENS_PER_SAMPLE", "GEN_LEN", "gen_len", "gen_num"])]
    parts = parts.join(rows[["round", "benchmark"]]).join(reference, on=keys)
    percent = (100 * parts["score"].astype(float) / parts["reference"]).groupby(level=0).min()
    rows = rows.assign(percent=percent).query("percent > 90")
    medians = rows.groupby(["precision", "benchmark"])["percent"].median()
    shown = table(PAGE, "accuracy").set_index(["precision", "model"])["median"]
    for (precision, name), median in medians[["fp8", "fp4"]].items():
        assert shown[precision, models[name]] == pytest.approx(median, abs=0.01)
    assert len(medians[["fp8", "fp4"]]) == 6


def test_labels_left_out():
    shown = table(PAGE, "labels").query("action == 'left out'").set_index("model")["results"]
    own = record().query("duplicate_of == ''")
    assert shown["GPT-OSS 120B"] == len(own.query("benchmark == 'gpt-oss-120b' and precision == 'fp8'"))
    assert shown["Qwen3-VL 235B"] == len(own.query("benchmark == 'qwen3-vl-235b-a22b' and precision == 'fp32'"))


def test_gigabytes_of_weights_name_their_model(page):
    """Llama 2 70B: 140 GB in FP16, 70 in FP8, 39 in NVFP4, 37 in INT4, in 90% of 80 and 192 GB."""
    parameters = data("benchmarks").set_index("label").at["Llama 2 70B", "parameters_billion"]
    weights = parameters * np.array([16, 8, 4.5, 4.25]) / 8
    assert weights.round().tolist() == [140, 70, 39, 37]
    fit = sum((weights < 0.9 * size).sum() for size in (80, 192))
    assert page["memory"]["title"] == f"Llama 2 70B, formats and GPUs that fit: {fit}"
    assert not any("140 GB" in part.get("text", "") for part in page.values())
    claims = table(PAGE, "published_claims")
    assert claims.loc[claims["printed"].str.contains("140 GB"), "claim"].str.contains("Llama 2 70B").all()
