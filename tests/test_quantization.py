"""Speed, memory, and accuracy by precision: pairs differ in precision alone; contradicted labels are left out."""

import numpy as np
import pandas as pd
import pytest

from analysis import evidence, load_results, quantization
from tests.frames import results

BERT = {"benchmark": "bert", "model": "BERT", "round": "v4.0", "accelerator": "A100", "framework": "TensorRT"}
INT8 = BERT | {"precision": "int8", "accuracy_target": "99", "accuracy_percent": 99.4, "rate": 200.0}
FP16 = BERT | {"precision": "fp16", "accuracy_target": "99.9", "accuracy_percent": 100.0, "rate": 100.0}
FP8 = FP16 | {"precision": "fp8", "accuracy_percent": 100.1}
OPEN = FP8 | {"benchmark": "llama2-70b", "model": "Llama 2 70B", "division": "open"}


@pytest.mark.parametrize(
    ("rows", "pairs"),
    [
        ([INT8, FP16 | {"rate": 90.0}, FP16], [("fp16 to int8", "INT8", 2.0)]),  # the fastest of each
        ([INT8, FP8], [("fp8 to int8", "INT8", 2.0)]),
        ([INT8, FP16, FP8], [("fp16 to int8", "INT8", 2.0), ("fp8 to int8", "INT8", 2.0)]),
        *([[INT8 | other, FP16], []] for other in (
            {"submitter": "B"}, {"accelerator_count": 4.0}, {"system": "other"}, {"scenario": "Server"},
            {"round": "v4.1"}, {"accelerator": "H100"}, {"division": "open"}, {"duplicate_of": "r1"},
            {"power_measured": True}, {"metric": "latency"}, {"accuracy_target": "99.9"},
        )),
        ([INT8, FP16 | {"accuracy_percent": 100.11}], []),  # scores like FP8, not like FP16
        ([INT8, FP16 | {"accuracy_percent": 100.05}], [("fp16 to int8", "INT8", 2.0)]),
        ([OPEN, OPEN | {"precision": "int4", "rate": 80.0, "system": "INT4"}], [("fp8 to int4", "INT4", 0.8)]),
        *([[OPEN, OPEN | {"precision": "int4"} | other], []] for other in (
            {"framework": "vLLM"}, {"accuracy_target": "99"}, {"division": "closed"}, {"submitter": "B"},
        )),
    ],
)  # fmt: skip
def test_mlperf_pairs_are_of_one_system_round_and_scenario(rows, pairs):
    found = quantization.mlperf_pairs(results(*rows))
    assert [*found[["step", "format", "ratio"]].itertuples(index=False, name=None)] == pairs
    assert found["source"].eq("MLPerf").all() and found.index.is_unique


def test_labels_that_models_contradict():
    """GPT-OSS in FP8 and Qwen3-VL in FP32 whatever they score, BERT in FP16 where it scores like FP8."""
    gpt, qwen = {"benchmark": "gpt-oss-120b", "model": "G"}, {"benchmark": "qwen3-vl-235b-a22b", "model": "Q"}
    rows = [
        gpt | {"precision": "fp8", "accuracy_percent": 99.0},
        gpt | {"precision": "fp4", "accuracy_percent": 100.5},
        qwen | {"precision": "fp32", "accuracy_percent": np.nan},
    ]
    frame = results(
        *rows, rows[0] | {"submitter": "B", "accelerator": "A100"}, FP16 | {"accuracy_percent": 100.1, "model": "B"}
    )
    assert quantization.doubts(frame).ne("").tolist() == [True, False, True, True, True]
    problems = quantization.label_problems(frame)
    read = problems[["model", "label", "action", "results", "submitters", "accelerators"]].values.tolist()
    assert read == [
        ["G", "FP8", "left out", 2, "A, B", "A100, B200"], ["B", "FP16", "left out", 1, "A", "A100"],
        ["Q", "FP32", "left out", 1, "A", "B200"],
    ]  # fmt: skip
    assert problems.index.tolist() == [0, 1, 2]


def test_corrected_labels_are_listed_with_their_reason():
    problems = quantization.label_problems(load_results())
    fixed = problems[problems["action"].str.startswith("corrected to") & problems["submitters"].eq("Dell_MangoBoost")]
    assert fixed[["model", "label", "action", "results"]].values.tolist() == [
        ["Llama 2 70B", "FP8", "corrected to FP4", 8]
    ]
    assert fixed["reason"].str.contains("tokens per sample").all()
    assert problems["label"].eq("NONE").any()  # where none was printed
    assert problems["action"].str.startswith("corrected to").is_monotonic_increasing


RUN = dict.fromkeys([*quantization.SERVED, *quantization.LAYOUT], 1.0) | {
    "source_id": "a", "model": "Llama 3.1 70B", "accelerator": "B200", "engine": "x", "speculative": "",
    "engine_version": "1.0", "image": "", "measured": "2026-01-01", "concurrency": 8.0,
}  # fmt: skip


def runs(monkeypatch, *changes):
    """InferenceX has a run in FP8 of 100 tokens/s, and these in FP4 of 130 tokens/s."""
    rows = [{"precision": "fp8", evidence.THROUGHPUT: 100.0}]
    rows += [{"precision": "fp4", evidence.THROUGHPUT: 130.0, **change} for change in changes]
    frame = pd.DataFrame([RUN | row for row in rows])
    monkeypatch.setattr(evidence, "inferencex_runs", lambda disaggregated: frame if not disaggregated else None)
    return quantization.inferencex_pairs()


@pytest.mark.parametrize(
    "change",
    [
        {"engine_version": "2.0"}, {"engine_version": "nightly-2026"}, {"image": "a:nightly-1"}, {"gpus": 2.0},
        {"tensor_parallel": 99.0}, {"pipeline_parallel": 2.0}, {"data_parallel": 2.0}, {"moe_tensor_parallel": 2.0},
        {"expert_parallel": 2.0}, {"model": "Llama 3.1 8B"}, {"accelerator": "B300"}, {"prompt_tokens": 2.0},
        {"answer_tokens": 2.0}, {"concurrency": 16.0}, {"speculative": "mtp"}, {"engine": "y"}, {"source_id": "b"},
    ],
)  # fmt: skip
def test_inferencex_pairs_are_of_one_build_layout_and_load(monkeypatch, change):
    pairs = runs(monkeypatch, {}, change)
    assert pairs[["format", "load", "ratio"]].values.tolist() == [["NVFP4", 8, 1.3]]
    assert runs(monkeypatch, change).empty


@pytest.mark.parametrize(
    ("run", "pairs"),
    [
        ({"accelerator": "MI355X", "engine_version": "", "image": "a:1"}, [["MXFP4", 1.3]]),  # an image is a build
        ({"engine_version": ""}, [["NVFP4", 1.3]]),  # without any, a day is
        ({"gpus": 8.0}, [["NVFP4", 1.3]]),
        ({"gpus": 9.0}, []),
        ({"image": "a:nightly-1"}, []),
    ],
)
def test_a_build_is_a_version_an_image_or_a_day_on_up_to_eight_gpus(monkeypatch, run, pairs):
    monkeypatch.setitem(globals(), "RUN", RUN | run)
    assert runs(monkeypatch, {})[["format", "ratio"]].values.tolist() == pairs


def test_fp4_at_equal_speed_takes_the_best_layout_of_each_precision(monkeypatch):
    """At 50 tokens/s FP8 has 100 and 120 in two layouts; FP4 has 400 at 40 and 100 at 60, so 200 between them.

    Of three builds the middle counts, for each engine and each pair of lengths.
    """
    columns = ["precision", "build", evidence.SPEED, evidence.THROUGHPUT, "speculative"]
    frame = pd.DataFrame([
        ("fp8", "1", 50.0, 100.0, ""), ("fp8", "1", 50.0, 120.0, ""), ("fp4", "1", 40.0, 400.0, ""),
        ("fp4", "1", 60.0, 100.0, ""), ("fp8", "2", 50.0, 50.0, ""), ("fp4", "1", 50.0, 900.0, "mtp"),
        ("bf16", "1", 50.0, 10.0, ""), ("fp8", "4", 50.0, 100.0, ""), ("fp4", "4", 50.0, 101.0, ""),
        ("fp8", "3", 50.0, 100.0, ""), ("fp4", "3", 50.0, 300.0, ""),
    ], columns=columns)  # fmt: skip
    frame = frame.assign(model="R1", accelerator="B200", engine="x", prompt_tokens=1, answer_tokens=1, source_id="a")
    others = [frame[-2:].assign(**{key: 2}) for key in ("prompt_tokens", "answer_tokens")]
    others += [frame[-2:].assign(engine="y"), frame[-2:-1].assign(source_id="b", **{evidence.THROUGHPUT: 999.0})]
    monkeypatch.setattr(quantization, "inferencex_builds", lambda: pd.concat([frame, *others]))
    assert quantization.at_equal_speed(50)["ratio"].tolist() == pytest.approx([200 / 120, 3, 3, 3])
    assert quantization.at_equal_speed(70).empty


@pytest.mark.parametrize(
    ("benchmark", "gigabytes", "precision", "weights", "per_token"),
    [  # keys and values in 16 bits of 80 layers with 8 heads of 128; one latent vector; half of the layers have windows
        ("Llama 2 70B", 192, "NVFP4", 39.375, 2 * 2 * 80 * 8 * 128),
        ("llama2-70b", 80, "FP8", 70, 2 * 2 * 80 * 8 * 128),
        ("deepseek-r1", 1500, "FP8", 671, 2 * 61 * 576),
        ("gpt-oss-120b", 192, "FP16", 234, 2 * 2 * 18 * 8 * 64),
    ],
)
def test_memory_holds_the_weights_and_the_cache_of_so_many_tokens(benchmark, gigabytes, precision, weights, per_token):
    found = quantization.memory(benchmark, [1, gigabytes]).set_index(["gigabytes", "precision"])
    tokens = (0.9 * gigabytes - weights) * 1e9 / per_token
    assert found.loc[(gigabytes, precision)].tolist() == pytest.approx([weights, max(tokens, 0), tokens > 0])
    assert found.loc[(1, precision)].tolist() == pytest.approx([weights, 0, False])


def test_memory_of_an_unknown_shape_or_of_none_is_empty():
    full = quantization.memory("llama2-70b", [140], used=0.5).set_index("precision")
    assert not full.at["FP8", "fits"] and full.at["NVFP4", "fits"]  # 70 GB of weights leave nothing of 70 GB
    assert quantization.memory("bert", [80]).empty and quantization.memory("llama2-70b", []).empty
    with pytest.raises(ValueError, match="Llama 2 70B"):
        quantization.memory("llama2-80b", [80])


def test_tensorrt_llm_leaves_fp16_without_room_for_a_cache_out():
    pairs = quantization.tensorrt_llm_pairs()
    assert pairs.index.is_unique and pairs["accelerator"].notna().all()
    full = pairs[pairs["load"].isna()]
    large = full["model"].str.contains("70B|8x22B")
    assert (full[large].shape[0], full[~large].shape[0]) == (26, 18) and full["ratio"].max() < 3
    sizes = {"FP8": 51, "INT4": 3, "INT4 weights, FP8 arithmetic": 3, "INT8": 4}
    assert pairs["format"].value_counts().to_dict() == sizes
    batch = pairs[pairs["format"].eq("INT4")].set_index("load")["ratio"]
    assert batch.to_dict() == {1: 1.33, 8: 0.75, 64: 0.83}


def test_one_gpu_leaves_emulated_fp8_out():
    pairs = quantization.single_gpu_pairs()
    queue = pairs.query("source == 'Llama 3.1 8B, full queue'")
    assert queue.groupby("format").size().to_dict() == {"FP8": 6, "INT4": 13, "INT8": 12}
    stream = pairs.drop(queue.index)
    assert stream.groupby(["source", "format"]).size().droplevel(0).to_dict() == {"FP8": 20, "INT4": 20, "NVFP4": 20}
    assert not queue.loc[queue["format"].eq("FP8"), "accelerator"].str.contains("A100|A800|3090|A6000").any()


def test_pairs_of_one_model_on_one_gpu_count_once():
    """Three units: the median of (1, 2, 6) is 2, the others are 4 and 9; their middle is 4, their range 2 to 9."""
    rows = [("DeepSeek-R1", "B200", ratio) for ratio in (1.0, 2.0, 6.0)]
    rows = [("Llama 70B", "B200", 4.0), *rows, ("Llama 70B", "B300", 9.0)]
    pairs = pd.DataFrame(rows, columns=["model", "accelerator", "ratio"])
    pairs = pairs.assign(source="x", step="fp8 to fp4", format="NVFP4", load=1.0)
    units = quantization.units(pairs)
    assert units[["median", "pairs", "p10", "p90"]].values.tolist() == [
        [4, 1, 4, 4], [2, 3, 1.2, 5.2], [9, 1, 9, 9],
    ]  # fmt: skip
    assert units["models"].tolist() == ["70B and more"] * 3
    assert quantization.over_units(units)[["middle", "low", "high", "n"]].values.tolist() == [[4.0, 2.0, 9.0, 3]]
    alone = quantization.over_units(quantization.units(pairs[:4].assign(format=["NVFP4", *["MXFP4"] * 3])))
    assert alone[["format", "n"]].values.tolist() == [["NVFP4", 1], ["MXFP4", 1]]  # two formats are never one
    assert alone[["low", "high"]].isna().all(axis=None)  # and one unit has no range
    assert quantization.over_units(units.assign(models=["a", "b", "b"]))["n"].tolist() == [1, 2]
    for column in ("source", "step", "format", "accelerator", "load"):
        assert len(quantization.units(pairs.assign(**{column: ["x", "x", "x", "y", "y"]}), ["load"])) == 4


def test_joules_of_any_layout_and_of_the_same(monkeypatch):
    """FP4 needs 0.5 J on one GPU and 0.9 on two, FP8 1.0 on two and 0.8 with experts apart: 0.625 at best, else 0.9."""
    row = dict.fromkeys(quantization.SERVED, "") | {"model": "A 70B", "accelerator": "B200", "concurrency": 8}
    joules = [("fp4", 1, 1, 0.5), ("fp4", 2, 1, 0.9), ("fp8", 2, 1, 1.0), ("fp8", 2, 2, 0.8), ("fp8", 2, 1, 2.0)]
    frame = pd.DataFrame(joules, columns=["precision", "gpus", "expert_parallel", evidence.JOULES]).assign(**row)
    monkeypatch.setattr(evidence, "energy", lambda: frame)
    found = quantization.joule_pairs()[["layout", "ratio"]]
    assert found.reset_index().values.tolist() == [[0, "any", 0.625], [1, "same", 0.9]]


def test_pairs_of_all_sources_follow_each_other(monkeypatch):
    for name in ("inferencex_pairs", "mlperf_pairs", "tensorrt_llm_pairs", "single_gpu_pairs"):
        made = lambda *asked, name=name: pd.DataFrame({"made": [(name, *asked)]})  # noqa: E731
        monkeypatch.setattr(quantization, name, made)
    assert quantization.speed_pairs("rows")["made"].to_dict() == {
        0: ("inferencex_pairs",), 1: ("inferencex_pairs", ("bf16", "fp8")), 2: ("mlperf_pairs", "rows"),
        3: ("tensorrt_llm_pairs",), 4: ("single_gpu_pairs",),
    }  # fmt: skip


def test_decisions_have_one_row_per_format_size_and_measure():
    pairs = quantization.inferencex_pairs()
    odd = pairs.head(1).assign(format="W4A8")  # a format beyond FORMATS keeps its name
    wider = [
        odd.assign(step=f"{step} to {to}", format=step + to) for step in ("bf16", "fp16") for to in ("fp8", "int4")
    ]
    found = quantization.decisions(pd.concat([pairs, odd, odd.assign(step="other", format="W8A8"), *wider]), 50)
    order = ["NVFP4", "MXFP4", "FP8", "INT4", "FP8 KV"]  # then those beyond FORMATS
    assert found["format"].cat.categories.tolist()[:5] == order and found.index.is_monotonic_increasing
    assert {"bf16fp8", "bf16int4", "fp16fp8", "fp16int4"} <= set(found["format"])
    measures = ["speed", "speed at user speed", "joules", "checkpoint", "score lost"]
    assert found["measure"].cat.categories.tolist() == measures and found["measure"].nunique() == 5
    keys = ["format", "models", "measure"]
    ranged = found["n"].gt(1) | found["measure"].eq("score lost")  # one unit has no range, a score has its limits
    assert not found.duplicated(keys).any() and found["low"].le(found["high"]).eq(ranged).all()
    assert found[["models", "format"]].apply(lambda names: names.cat.codes).apply(tuple, axis=1).is_monotonic_increasing
    assert "W4A8" in set(found["format"]) and "W8A8" not in set(found["format"])
    speed = found.set_index(keys).loc[("NVFP4", "70B and more", "speed")]
    assert speed["n"] == 5 and speed["low"] == pytest.approx(1.09, abs=0.005)
    kept = {"score lost": 1 - found["middle"] / 100, "joules": 1 / found["middle"], "checkpoint": 1 / found["middle"]}
    for measure, rows in found.groupby("measure"):
        assert rows["better"].tolist() == kept.get(measure, found["middle"])[rows.index].tolist()
    assert "speed at user speed" not in set(quantization.decisions(pairs, 5000)["measure"])


def test_mlperf_accuracy_is_of_language_models_whose_label_holds():
    rows = {"benchmark": "llama2-70b", "accuracy_percent": 100.0}
    frame = results(
        {**rows, "precision": "fp4"}, {**rows, "precision": ""},
        {**rows, "precision": "int8", "accuracy_percent": 90.0},
        {**rows, "precision": "fp8", "duplicate_of": "r2"}, {**rows, "precision": "fp8", "division": "open"},
        {**rows, "benchmark": "gptj", "precision": "int4"}, {**rows, "benchmark": "bert", "precision": "int8"},
        {**rows, "benchmark": "gpt-oss-120b", "precision": "fp8"},
    )  # fmt: skip
    assert quantization.mlperf_accuracy(frame)["id"].tolist() == ["r0", "r5"]
    assert quantization.mlperf_accuracy(frame, ["GPT-J 6B"])["id"].tolist() == ["r5"]
    assert quantization.mlperf_accuracy(frame, ["mixtral-8x7b"]).empty
    with pytest.raises(ValueError, match=r"no language model 'BERT':.* valid: .*Llama 3.1 405B"):
        quantization.mlperf_accuracy(frame, ["bert"])
