"""Speed, memory, and accuracy by precision: pairs differ in precision alone; contradicted labels are left out."""

import numpy as np
import pandas as pd
import pytest

from analysis import NoData, evidence, load_results, quantization, tables
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
            int8(500.0, submitter="B"), fp16(100.0, submitter="C"),
            int8(300.0, system="other"), fp16(100.0, system="other", scenario="Server"),
            int8(300.0, division="open"), int8(900.0, duplicate_of="r1"), int8(900.0, power_measured=True),
        )
    )  # fmt: skip
    assert pairs["ratio"].tolist() == [2.0]
    assert pairs[["source", "step", "precision", "round"]].values.tolist() == [
        ["MLPerf", "FP16 to INT8", "INT8", "v4.0"]
    ]


def test_bert_int8_over_fp8():
    pairs = quantization.mlperf_pairs(bert(int8(115.0), fp16(100.0, precision="fp8", accuracy_percent=100.1)))
    assert pairs["group"].tolist() == ["BERT Offline: INT8 over FP8"]
    assert pairs["ratio"].tolist() == [1.15]


def test_the_open_pair_needs_one_framework_and_target():
    opened = {"benchmark": "llama2-70b", "model": "Llama 2 70B", "division": "open", "accuracy_target": "99.9"}
    frame = bert(
        {**opened, "precision": "fp8", "rate": 100.0, "system": "FP8"},
        {**opened, "precision": "int4", "rate": 80.0, "system": "INT4"},
        {**opened, "precision": "int4", "rate": 70.0, "accuracy_target": "99"},
    )
    assert quantization.mlperf_pairs(frame)["ratio"].tolist() == [0.8]


def test_fp16_that_scores_like_fp8_makes_no_pair():
    frame = bert(int8(200.0), fp16(100.0, accuracy_percent=100.11))
    assert quantization.doubts(frame).tolist() == ["", "scores like FP8 and not like FP16"]
    with pytest.raises(NoData, match="differ in precision alone"):
        quantization.mlperf_pairs(frame)
    with pytest.raises(NoData, match="of H100"):
        quantization.mlperf_pairs(bert(int8(200.0), fp16(100.0)), ["H100"])
    with pytest.raises(ValueError, match="H9000"):
        quantization.mlperf_pairs(frame, ["H9000"])


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


def test_spread_of_each_group():
    frame = pd.DataFrame({"step": ["b", "b", "a"], "ratio": [1.0, 2.0, 5.0]})
    assert quantization.spread(frame, ["step"]).values.tolist() == [["b", 2, 1.5, 1.1, 1.9], ["a", 1, 5.0, 5.0, 5.0]]


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
    monkeypatch.setattr(evidence, "inferencex", lambda **_: frame)
    pairs = quantization.inferencex_pairs()
    assert pairs[["group", "load", "ratio"]].values.tolist() == [["Llama 70B, 1 GPU", 8, 1.3]]
    moe = frame.assign(model="MiniMax M2.5", accelerator="MI355X", engine_version="")
    monkeypatch.setattr(evidence, "inferencex", lambda **_: moe)
    assert quantization.inferencex_pairs()["group"].unique().tolist() == ["MoE, AMD"]


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
    with pytest.raises(NoData, match="at 70 tokens/s per user"):
        quantization.at_equal_speed(70)


def test_tensorrt_llm_keeps_the_tight_case_apart():
    pairs = quantization.tensorrt_llm_pairs()
    full = pairs[pairs["load"].isna()].groupby("group")["ratio"].agg(["size", "median"]).round(2)
    assert full["size"].to_dict() == {"70B and 8x22B, 4 to 8 H100": 26, "70B, 2 H100": 8, "7B and 8B, 1 H100": 18}
    assert full["median"].tolist() == [1.84, 5.91, 2.01]
    batch = pairs[pairs["group"].eq("INT4")].set_index("load")["ratio"]
    assert batch.to_dict() == {1: 1.33, 8: 0.75, 64: 0.83}


def test_one_gpu_leaves_emulated_fp8_out():
    pairs = quantization.single_gpu_pairs()
    queue = pairs[pairs["source"].eq("Llama 3.1 8B, full queue")]
    assert queue.groupby("precision").size().to_dict() == {"FP8": 6, "INT4": 13, "INT8": 12}
    assert not queue.loc[queue["precision"].eq("FP8"), "accelerator"].str.contains("A100|A800|3090").any()


def test_mlperf_accuracy_in_order_of_model_and_precision():
    rows = {"benchmark": "llama2-70b", "accuracy_percent": 100.0}
    frame = results(
        {**rows, "precision": "fp4", "accuracy_percent": 99.0}, {**rows, "precision": "fp4", "submitter": "B"},
        {**rows, "precision": "fp8"}, {**rows, "precision": ""},
        {**rows, "precision": "int8", "accuracy_percent": 50.0},
        {**rows, "precision": "fp8", "duplicate_of": "r2"}, {**rows, "precision": "fp8", "division": "open"},
        {**rows, "benchmark": "gptj", "model": "GPT-J 6B", "precision": "int4"},
    )  # fmt: skip
    found = quantization.mlperf_accuracy(frame)
    assert found["row"].tolist() == ["GPT-J 6B  INT4", "Llama 2 70B  FP8", "Llama 2 70B  FP4", "Llama 2 70B  FP4"]
    assert found["median"].tolist()[-2:] == ["99.5", "99.5"]
    assert found["count"].tolist()[1:3] == ["1 results, 1 submitter", "2 results, 2 submitters"]
    with pytest.raises(NoData, match="mixtral"):
        quantization.mlperf_accuracy(frame, ["mixtral-8x7b"])
    with pytest.raises(ValueError, match="bert"):
        quantization.mlperf_accuracy(frame, ["bert"])


def test_answer_lengths_are_of_one_submitter():
    rows = {"benchmark": "llama2-70b", "accuracy_percent": 100.0}
    frame = results(
        {**rows, "precision": "fp8", "tokens_per_sample": 300.0},
        {**rows, "precision": "fp4", "tokens_per_sample": 270.0},
        {**rows, "precision": "fp4", "tokens_per_sample": 100.0, "submitter": "B"},
    )  # fmt: skip
    assert quantization.answer_lengths(quantization.mlperf_accuracy(frame))["ratio"].tolist() == [0.9]


def test_memory_of_llama_2_70b():
    found = quantization.memory("llama2-70b", [80, 192]).set_index(["gigabytes", "precision"])
    assert found["weights_gb"].tolist()[:4] == [140, 70, 39.375, 37.1875]
    assert not found.loc[(80, "FP16"), "fits"] and found.loc[(80, "FP16"), "note"] == "does not fit"
    per_token = 2 * 2 * 80 * 8 * 128  # keys and values, 16 bits, 80 layers, 8 heads of 128
    assert found.loc[(80, "FP8"), "kv_tokens"] == pytest.approx(2e9 / per_token)
    assert found.loc[(192, "NVFP4"), "kv_tokens"] == pytest.approx((0.9 * 192 - 39.375) * 1e9 / per_token)
    assert found.loc[(192, "FP16"), "note"] == "100,000 KV tokens (200,000 in FP8)"


def test_memory_of_other_shapes():
    latent = quantization.memory("deepseek-r1", [1500]).set_index("precision")
    shape = tables.benchmarks.set_index("benchmark").loc["deepseek-r1"]
    room = 0.9 * 1500 - shape["parameters_billion"]
    assert latent.loc["FP8", "kv_tokens"] == pytest.approx(room * 1e9 / (2 * shape["latent_size"] * shape["layers"]))
    with pytest.raises(NoData, match="layers and parameters of bert"):
        quantization.memory("bert", [80])
    with pytest.raises(ValueError, match="llama2-70b"):
        quantization.memory("llama2-80b", [80])


def evaluations(*rows):
    frame = pd.DataFrame(rows, columns=["model", "precision", "accuracy_percent"])
    return frame.assign(standard_error_points=0.5)


def test_gsm8k_in_percent_of_the_widest_precision(monkeypatch):
    rows = evaluations(
        ("A", "fp4", 93.0), ("A", "fp4", 97.0), ("A", "bf16", 95.0), ("A", "fp8", 96.0), ("A", "fp8", 20.0),
        ("B", "fp4", 95.0),
    )  # fmt: skip
    monkeypatch.setattr(tables, "load", lambda name: rows)
    found = evidence.gsm8k_by_precision()
    assert found["row"].tolist() == ["A  BF16", "A  FP8", "A  FP4"]
    assert found["percent"].tolist() == pytest.approx([100, 100 * 96 / 95, 100])
    assert found["n"].tolist() == [1, 1, 2]
    assert (found["high"] - found["low"]).tolist() == pytest.approx([100 / 95] * 3)


def test_public_scores_over_the_widest_of_a_source(monkeypatch):
    columns = ["source_id", "model", "test", "precision", "format", "metric", "value"]
    rows = pd.DataFrame([
        ("a", "Llama 8B", "MMLU", "bf16", "BF16", "score", 80.0),
        ("a", "Llama 8B", "MMLU", "fp4", "NVFP4", "score", 76.0),
        ("a", "Llama 8B", "MMLU", "fp8", "FP8", "score", 80.0), ("b", "R1", "AIME", "fp8", "FP8", "score", 50.0),
        ("b", "R1", "AIME", "fp4", "MXFP4", "score", 45.0), ("c", "70B", "MMLU", "int8", "W8A8", "recovery", 99.0),
        ("c", "70B", "MMLU", "int4", "W4A16", "quality loss", 2.0), ("d", "R1", "AIME", "fp4", "NVFP4", "score", 1.0),
        ("b", "R1", "GSM8K", "fp4", "MXFP4", "score", 0.0),
    ], columns=columns).assign(evidence_class="", method="")  # fmt: skip
    monkeypatch.setattr(tables, "load", lambda name: rows)
    found = evidence.public_scores()
    assert found[["row", "percent"]].values.tolist() == [
        ["INT8", 99.0], ["FP8, below 10B", 100.0], ["INT4", 98.0], ["NVFP4, below 10B", 95.0], ["MXFP4", 90.0],
    ]  # fmt: skip


def test_step_table_has_a_row_per_step():
    frame = load_results()
    pairs = pd.concat([quantization.mlperf_pairs(frame), quantization.inferencex_pairs()])
    table = quantization.step_table(
        pairs, quantization.mlperf_accuracy(frame, ["deepseek-r1"]), quantization.memory("llama2-70b", [80])
    )  # fmt: skip
    assert table["Step"].tolist() == ["FP16 to INT8", "FP16 to FP8", "FP8 to FP4", "FP16 to INT4 weights"]
    assert table["Speed, MLPerf"].tolist() == ["2.0x", "", "", ""]
    assert table["Speed, other sources"].tolist() == ["", "", "1.2x", ""]
    assert table["KV tokens, 80 GB"].tolist()[0] == "6k" and table["Weights, GB"].tolist()[2] == "70 to 39"
    assert table["Answer length"].tolist()[2] == ""
    assert table["GSM8K, large models"].tolist() == ["", "99.8", "99.8\u201399.9", ""]
    assert table["Public tests, below 10B"].tolist()[2] == "96.7"  # NVFP4


def test_speed_by_source_has_a_column_per_source():
    pairs = pd.DataFrame({"step": ["a", "a", "b"], "source": ["x", "x", "y"], "ratio": [1.0, 2.0, 3.0]})
    assert quantization.speed_by_source(pairs).values.tolist() == [
        ["a", "1.50 (1.10\u20131.90, n=2)", ""], ["b", "", "3.00 (3.00\u20133.00, n=1)"],
    ]  # fmt: skip


def test_by_load_keeps_loads_with_three_pairs():
    rows = [("InferenceX", "FP8 to FP4", "MoE, AMD", 8.0, ratio) for ratio in (1.0, 1.2, 1.4)]
    rows += [("InferenceX", "FP8 to FP4", "MoE, AMD", 16.0, 9.0), ("TensorRT-LLM", "FP16 to FP8", "FP8", 1.0, 1.4)]
    rows += [("TensorRT-LLM", "FP16 to FP8", "7B", np.nan, 2.0)]
    rows += [("InferenceX", "FP8 to FP4", "Llama 70B, 2 GPUs", 8.0, 1.1)] * 3
    found = quantization.by_load(pd.DataFrame(rows, columns=["source", "step", "group", "load", "ratio"]))
    columns = ["source", "requests in flight or batch size", "over the wider precision"]
    assert found[columns].values.tolist() == [["InferenceX", 8.0, 1.2], ["TensorRT-LLM", 1.0, 1.4]]
