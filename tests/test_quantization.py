"""Speed, memory, and accuracy by precision: pairs differ in precision alone; contradicted labels are left out."""

import numpy as np
import pandas as pd
import pytest

from analysis import evidence, load_results, quantization, tables
from tests.frames import results

BERT = {"benchmark": "bert", "model": "BERT", "scenario": "Offline", "round": "v4.0", "accelerator": "A100"}


def bert(*rows):
    frame = results(*({**BERT, "accuracy_percent": 100.0, **row} for row in rows))
    return frame.assign(framework="TensorRT", tokens_per_sample=np.nan)


def int8(rate, **more):
    return {"precision": "int8", "accuracy_target": "99", "accuracy_percent": 99.4, "rate": rate, **more}


def fp16(rate, **more):
    return {"precision": "fp16", "accuracy_target": "99.9", "rate": rate, **more}


def test_bert_pairs_are_of_one_system_round_and_scenario():
    pairs = quantization.mlperf_pairs(
        bert(
            int8(200.0), fp16(90.0), fp16(100.0),  # the faster FP16 run of the system
            int8(500.0, submitter="B"), fp16(100.0, submitter="C"), int8(900.0, accelerator_count=4.0),
            int8(300.0, system="other"), fp16(100.0, system="other", scenario="Server"),
            int8(300.0, division="open"), int8(900.0, duplicate_of="r1"), int8(900.0, power_measured=True),
        )
    )  # fmt: skip
    assert pairs["ratio"].tolist() == [2.0]
    assert pairs[["source", "step", "format"]].values.tolist() == [["MLPerf", "fp16 to int8", "INT8"]]


def test_bert_int8_over_fp8():
    pairs = quantization.mlperf_pairs(bert(int8(115.0), fp16(100.0, precision="fp8", accuracy_percent=100.1)))
    assert pairs["step"].tolist() == ["fp8 to int8"]
    assert pairs["ratio"].tolist() == [1.15]


def test_the_open_pair_needs_one_framework_and_target():
    opened = {"benchmark": "llama2-70b", "model": "Llama 2 70B", "division": "open", "accuracy_target": "99.9"}
    frame = bert(
        {**opened, "precision": "fp8", "rate": 100.0, "system": "FP8"},
        {**opened, "precision": "int4", "rate": 80.0, "system": "INT4"},
        {**opened, "precision": "int4", "rate": 70.0, "accuracy_target": "99"},
    )
    assert quantization.mlperf_pairs(frame)["ratio"].tolist() == [0.8]


def test_labels_that_models_contradict():
    frame = results(
        {"benchmark": "gpt-oss-120b", "model": "GPT-OSS", "precision": "fp8", "accuracy_percent": 100.5},
        {"benchmark": "gpt-oss-120b", "model": "GPT-OSS", "precision": "fp4", "accuracy_percent": 100.5},
        {"benchmark": "qwen3-vl-235b-a22b", "model": "Qwen3-VL", "precision": "fp32", "accuracy_percent": 99.7},
    )
    assert quantization.doubts(frame).ne("").tolist() == [True, False, True]
    problems = quantization.label_problems(frame)
    assert problems["label"].tolist() == ["FP8", "FP32"] and problems["action"].eq("left out").all()


def test_corrected_labels_are_listed_with_their_reason():
    problems = quantization.label_problems(load_results())
    fixed = problems[problems["action"].str.startswith("corrected to") & problems["submitters"].eq("Dell_MangoBoost")]
    assert fixed[["model", "label", "action", "results"]].values.tolist() == [
        ["Llama 2 70B", "FP8", "corrected to FP4", 8]
    ]
    assert fixed["reason"].str.contains("tokens per sample").all()


def test_inferencex_pairs_of_one_build(monkeypatch):
    runs = tables.load("inferencex_runs").iloc[:1]
    run = runs.assign(
        model="Llama 3.1 70B", accelerator="B200", gpus=1.0, disaggregated=False, precision="fp8", engine_version="1.0",
        unfinished=False, measured="2026-01-01", concurrency=8.0, output_tokens_per_second_per_gpu=100.0, image="",
    )  # fmt: skip
    fp4 = run.assign(precision="fp4", output_tokens_per_second_per_gpu=130.0)
    newer = fp4.assign(engine_version="2.0", output_tokens_per_second_per_gpu=170.0)
    nightly = fp4.assign(engine_version="nightly-2026", output_tokens_per_second_per_gpu=900.0)
    wide = fp4.assign(gpus=16.0)
    apart = fp4.assign(tensor_parallel=99.0)
    frame = pd.concat([run, fp4, newer, nightly, wide, apart], ignore_index=True)
    monkeypatch.setattr(evidence, "inferencex_runs", lambda **_: frame)
    pairs = quantization.inferencex_pairs()
    assert pairs[["format", "load", "ratio"]].values.tolist() == [["NVFP4", 8, 1.3]]
    amd = frame[~frame["engine_version"].str.contains("nightly")].assign(accelerator="MI355X", engine_version="")
    images = ["a:1", "a:1", "a:2", "a:1", "a:1"]  # an image is a build, one of a night is none
    monkeypatch.setattr(evidence, "inferencex_runs", lambda **_: amd.assign(image=images))
    assert quantization.inferencex_pairs()[["format", "ratio"]].values.tolist() == [["MXFP4", 1.3]]
    monkeypatch.setattr(evidence, "inferencex_runs", lambda **_: amd.assign(image="a:nightly-1"))
    assert quantization.inferencex_pairs().empty


def test_fp4_at_equal_speed_takes_the_best_layout_of_each_precision(monkeypatch):
    """At 50 tokens/s FP8 has 100 and 120 in two layouts; FP4 has 400 at 40 and 100 at 60, so 200 between them."""
    columns = ["precision", "build", "tokens_per_second_per_user", "output_tokens_per_second_per_gpu", "speculative"]
    runs = pd.DataFrame([
        ("fp8", "1", 50.0, 100.0, ""), ("fp8", "1", 50.0, 120.0, ""), ("fp4", "1", 40.0, 400.0, ""),
        ("fp4", "1", 60.0, 100.0, ""), ("fp8", "2", 50.0, 50.0, ""), ("fp4", "1", 50.0, 900.0, "mtp"),
    ], columns=columns)  # fmt: skip
    runs = runs.assign(model="R1", accelerator="B200", engine="x", prompt_tokens=1, answer_tokens=1, source_id="a")
    monkeypatch.setattr(quantization, "inferencex_builds", lambda: runs)
    assert quantization.at_equal_speed(50)["ratio"].tolist() == pytest.approx([200 / 120])
    assert quantization.at_equal_speed(70).empty


def test_memory_of_llama_2_70b():
    found = quantization.memory("llama2-70b", [80, 192]).set_index(["gigabytes", "precision"])
    assert found["weights_gb"].tolist()[:4] == [140, 70, 39.375, 37.1875]
    assert not found.loc[(80, "FP16"), "fits"] and found.loc[(80, "FP16"), "kv_tokens"] == 0
    per_token = 2 * 2 * 80 * 8 * 128  # keys and values, 16 bits, 80 layers, 8 heads of 128
    assert found.loc[(80, "FP8"), "kv_tokens"] == pytest.approx(2e9 / per_token)
    assert found.loc[(192, "NVFP4"), "kv_tokens"] == pytest.approx((0.9 * 192 - 39.375) * 1e9 / per_token)


def test_memory_of_other_shapes():
    latent = quantization.memory("deepseek-r1", [1500]).set_index("precision")
    shape = tables.benchmarks.set_index("benchmark").loc["deepseek-r1"]
    room = 0.9 * 1500 - shape["parameters_billion"]
    assert latent.loc["FP8", "kv_tokens"] == pytest.approx(room * 1e9 / (2 * shape["latent_size"] * shape["layers"]))
    windowed = quantization.memory("gpt-oss-120b", [192]).set_index("precision").loc["FP8"]
    shape = tables.benchmarks.set_index("benchmark").loc["gpt-oss-120b"]
    full = shape["layers"] - shape["windowed_layers"]
    per_token = 2 * 2 * full * shape["kv_heads"] * shape["head_size"]
    assert windowed["kv_tokens"] == pytest.approx((0.9 * 192 - shape["parameters_billion"]) * 1e9 / per_token)
    assert quantization.memory("bert", [80]).empty and quantization.memory("llama2-70b", []).empty
    with pytest.raises(ValueError, match="Llama 2 70B"):
        quantization.memory("llama2-80b", [80])


def test_a_label_that_the_record_contradicts_makes_no_pair():
    frame = bert(int8(200.0), fp16(100.0, accuracy_percent=100.11))
    assert quantization.doubts(frame).tolist() == ["", "scores like FP8 and not like FP16"]
    assert quantization.mlperf_pairs(frame).empty


def test_tensorrt_llm_leaves_fp16_without_room_for_a_cache_out():
    pairs = quantization.tensorrt_llm_pairs()
    full = pairs[pairs["load"].isna()]
    large = full["model"].str.contains("70B|8x22B")
    assert (full[large].shape[0], full[~large].shape[0]) == (26, 18) and full["ratio"].max() < 3
    batch = pairs[pairs["format"].eq("INT4")].set_index("load")["ratio"]
    assert batch.to_dict() == {1: 1.33, 8: 0.75, 64: 0.83}


def test_one_gpu_leaves_emulated_fp8_out():
    queue = quantization.single_gpu_pairs().query("source == 'Llama 3.1 8B, full queue'")
    assert queue.groupby("format").size().to_dict() == {"FP8": 6, "INT4": 13, "INT8": 12}
    assert not queue.loc[queue["format"].eq("FP8"), "accelerator"].str.contains("A100|A800|3090|A6000").any()


def test_pairs_of_one_model_on_one_gpu_count_once():
    """Two units: the median of (1, 2, 6) is 2, the other is 4; their middle is 3, their range 2 to 4."""
    rows = [("DeepSeek-R1", "B200", ratio) for ratio in (1.0, 2.0, 6.0)] + [("Llama 70B", "B200", 4.0)]
    pairs = pd.DataFrame(rows, columns=["model", "accelerator", "ratio"])
    pairs = pairs.assign(source="x", step="fp8 to fp4", format="NVFP4", load=1.0)
    units = quantization.units(pairs)
    assert units[["median", "pairs", "p10"]].values.tolist() == [[2.0, 3, 1.2], [4.0, 1, 4.0]]
    assert units["models"].tolist() == ["70B and more"] * 2
    assert quantization.over_units(units)[["middle", "low", "high", "n"]].values.tolist() == [[3.0, 2.0, 4.0, 2]]
    split = quantization.units(pairs.assign(format=["NVFP4", "NVFP4", "NVFP4", "MXFP4"]))
    alone = quantization.over_units(split)
    assert alone["n"].tolist() == [1, 1]  # two formats are never one
    assert alone[["low", "high"]].isna().all(axis=None)  # and one unit has no range


def test_joules_of_any_layout_and_of_the_same(monkeypatch):
    """FP4 needs 0.5 J on one GPU and 0.9 on two, FP8 1.0 on two: 0.5 at best, 0.9 on as many."""
    row = dict.fromkeys(quantization.SERVED, "") | {"model": "A 70B", "accelerator": "B200", "concurrency": 8}
    runs = [("fp4", 1, 1, 0.5), ("fp4", 2, 1, 0.9), ("fp8", 2, 1, 1.0), ("fp8", 2, 2, 2.0)]
    columns = ["precision", "gpus", "expert_parallel", evidence.JOULES]
    frame = pd.DataFrame(runs, columns=columns).assign(**row)
    monkeypatch.setattr(evidence, "energy", lambda: frame)
    assert quantization.joule_pairs()[["layout", "ratio"]].values.tolist() == [["any", 0.5], ["same", 0.9]]


def test_decisions_have_one_row_per_format_size_and_measure():
    pairs = quantization.inferencex_pairs()
    found = quantization.decisions(pairs, 50)
    keys = ["format", "models", "measure"]
    ranged = found["n"].gt(1) | found["measure"].eq("score lost")  # one unit has no range, a score has its limits
    assert not found.duplicated(keys).any() and found["low"].le(found["high"]).eq(ranged).all()
    assert found["format"].iloc[0] == "NVFP4" and found["models"].cat.codes.is_monotonic_increasing
    speed = found.set_index(keys).loc[("NVFP4", "70B and more", "speed")]
    assert speed["n"] == 5 and speed["low"] == pytest.approx(1.09, abs=0.005)
    kept = {"score lost": 1 - found["middle"] / 100, "joules": 1 / found["middle"], "checkpoint": 1 / found["middle"]}
    for measure, rows in found.groupby("measure", observed=True):
        assert rows["better"].tolist() == kept.get(measure, found["middle"])[rows.index].tolist()
    odd = quantization.decisions(pairs.assign(format="W4A8"), 50)
    assert "W4A8" in odd["format"].tolist()  # a format beyond FORMATS keeps its name
    assert "speed at user speed" not in set(quantization.decisions(pairs, 5000)["measure"])


def test_mlperf_accuracy_is_of_language_models_whose_label_holds():
    rows = {"benchmark": "llama2-70b", "accuracy_percent": 100.0}
    frame = results(
        {**rows, "precision": "fp4"}, {**rows, "precision": ""},
        {**rows, "precision": "int8", "accuracy_percent": 50.0},
        {**rows, "precision": "fp8", "duplicate_of": "r2"}, {**rows, "precision": "fp8", "division": "open"},
        {**rows, "benchmark": "gptj", "precision": "int4"}, {**rows, "benchmark": "bert", "precision": "int8"},
        {**rows, "benchmark": "gpt-oss-120b", "precision": "fp8"},
    )  # fmt: skip
    assert quantization.mlperf_accuracy(frame)["id"].tolist() == ["r0", "r5"]
    assert quantization.mlperf_accuracy(frame, ["GPT-J 6B"])["id"].tolist() == ["r5"]
    assert quantization.mlperf_accuracy(frame, ["mixtral-8x7b"]).empty
    with pytest.raises(ValueError, match=r"no language model 'BERT':.* valid: .*Llama 3.1 405B"):
        quantization.mlperf_accuracy(frame, ["bert"])
