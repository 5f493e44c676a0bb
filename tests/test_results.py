"""The frame of results against the raw record, read by plain pandas."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import pandas as pd
import pytest

from analysis import load_results, tables
from analysis.paths import DATA
from analysis.results import _caveats, _comparable_since, _stacks, accuracy_percent


@pytest.fixture(scope="module")
def results():
    return load_results()


@pytest.fixture(scope="module")
def raw():
    files = [part["path"] for part in tables.descriptor()["results"]["parts"]]
    return pd.concat([pd.read_parquet(DATA / name) for name in files], ignore_index=True)


def test_each_result_of_the_record_is_there_once(results, raw):
    assert results["id"].is_unique
    assert set(raw["id"]) <= set(results["id"])


def test_a_rate_is_the_published_one_over_the_accelerators(results, raw):
    tokens = raw[raw["unit"].eq("tokens/s") & raw["benchmark"].eq("llama2-70b") & raw["accelerator"].ne("mixed")]
    mine = results.set_index("id").loc[tokens["id"]]
    fixes = tables.corrections.query("table == 'official' and column == 'accelerator_count'")
    counts = tokens["id"].map(fixes.set_index("key")["corrected"].astype(float)).fillna(tokens["accelerator_count"])
    expected = ((tokens["low"] + tokens["high"]) / 2 / counts).to_numpy()
    assert mine["rate_per_accelerator"].to_numpy() == pytest.approx(expected, nan_ok=True)
    assert set(mine["rate_unit"]) == {"tokens/s"}


def test_samples_become_tokens_by_the_tokens_of_their_run(results, raw):
    raw = raw.set_index("id")
    converted = results[
        results["benchmark"].eq("llama2-70b") & results["unit"].ne("tokens/s") & results["rate"].notna()
    ]
    stated = raw.loc[converted["id"], "tokens_per_sample"].to_numpy()
    known = ~pd.isna(stated)
    assert converted["rate"].to_numpy()[known] == pytest.approx((converted["value"].to_numpy() * stated)[known])
    lengths = tables.benchmarks.set_index("benchmark").loc["llama2-70b"]
    middle = (lengths["tokens_per_sample_low"] + lengths["tokens_per_sample_high"]) / 2
    assert lengths["tokens_per_sample_low"] < middle and not known.all()
    assert converted["rate"].to_numpy()[~known] == pytest.approx((converted["value"] * middle).to_numpy()[~known])
    assumed = converted["caveats"].map(lambda codes: "tokens_assumed" in codes).to_numpy()
    assert (assumed == ~known).all()


@pytest.mark.parametrize(
    ("benchmark", "scenario", "round", "since"),
    [
        ("3d-unet", "Offline", "v1.1", "v0.7"),
        ("3d-unet", "Offline", "v2.0", "v2.0"),  # another data set
        ("resnet50", "Offline", "v2.0", "v0.5"),
        ("resnet50", "MultiStream", "v1.1", "v0.5"),
        ("resnet50", "MultiStream", "v2.0", "v2.0"),  # another rule for all that stream
        ("bert", "SingleStream", "v6.1", "v0.7"),
        ("dlrm-v2", "Server", "v5.1", "v3.1"),
    ],
)
def test_results_are_compared_since_the_version_of_their_benchmark_and_scenario(benchmark, scenario, round, since):
    asked = pd.DataFrame([{"benchmark": benchmark, "scenario": scenario, "round": round}], index=["any"])
    assert _comparable_since(asked).to_dict() == {"any": since}


def test_a_rate_is_in_the_unit_of_its_scenario(results):
    """Queries/s under a limit, samples/s Offline; Whisper in samples/s, though its rules count tokens."""
    rates = results[results["rate"].notna()]
    units = rates.groupby(["benchmark", "scenario"])["rate_unit"].unique().map(list)
    expected = {
        ("resnet50", "Offline"): "samples/s", ("resnet50", "Server"): "queries/s", ("whisper", "Offline"): "samples/s",
        ("llama2-70b", "Offline"): "tokens/s", ("llama2-70b", "Server"): "tokens/s",
    }  # fmt: skip
    assert {key: units[key] for key in expected} == {key: [unit] for key, unit in expected.items()}


def test_rounds_sort_in_time(results):
    assert results["round"].min() == "v0.5"
    assert list(results["round"].cat.categories[-2:]) == ["v6.0", "v6.1"]


def test_interactivity_is_the_p99_of_the_log_else_the_limit(results):
    server = results[results["benchmark"].eq("deepseek-r1") & results["scenario"].eq("Server")]
    logged = server["interactivity_basis"].eq("log")
    assert logged.any() and (~logged).any()
    expected = 1000 / server.loc[logged, "tpot_p99_ms"]
    assert server.loc[logged, "tokens_per_second_per_user"].to_numpy() == pytest.approx(expected.to_numpy())
    assert set(server.loc[~logged, "tokens_per_second_per_user"]) == {1000 / 80}  # 80 ms: the rules' limit
    assert results.loc[results["scenario"].eq("Offline"), "tokens_per_second_per_user"].isna().all()


def test_a_correction_replaces_a_declared_precision(results):
    corrected = results.set_index("id").loc["o-4.1-0074-llama2-70b-99-offline"]
    assert (corrected["precision"], corrected["precision_label"]) == ("fp4", "FP4 (calibration document)")


def test_gpt_oss_weights_are_labeled_by_their_checkpoint(results):
    """Whatever was declared: 14 throughputs of v6.1 declare FP8."""
    stated = results[results["benchmark"].eq("gpt-oss-120b") & results["precision"].ne("")]
    assert set(stated["precision"]) == {"fp4", "fp8"} and set(stated["precision_label"]) == {"MXFP4 weights"}


def test_which_model_has_weights_of_one_format_is_a_column_of_its_table(results, monkeypatch):
    import analysis.results as module

    benchmarks = module.tables.benchmarks
    other = benchmarks.assign(published_format=benchmarks["benchmark"].map({"whisper": "FP9"}).fillna(""))
    monkeypatch.setattr(module, "tables", SimpleNamespace(**{name: getattr(module.tables, name) for name in (
        "accelerators", "rounds", "compatibility")}, benchmarks=other))  # fmt: skip
    rows = results.loc[results["precision"].ne("") & results["benchmark"].isin(["whisper", "gpt-oss-120b"])]
    found = (
        module._identity(rows.assign(accelerator="H100 SXM", round=rows["round"].astype(str)))["precision_label"]
        .groupby(rows["benchmark"])
        .unique()
    )
    assert list(found["whisper"]) == ["FP9 weights"] and "MXFP4 weights" not in found["gpt-oss-120b"]


def test_accuracy_is_the_lowest_metric_in_percent_of_the_reference():
    text = "ROUGE1: 44.4312 ROUGE2: 22.0352 ROUGEL: 28.3300 TOKENS_PER_SAMPLE: 294.45"
    row = {"round": "v4.1", "benchmark": "llama2-70b", "model_run": "llama2-70b-99", "scenario": "Offline"}
    rows = pd.DataFrame([{**row, "accuracy": text}, {**row, "accuracy": ""}, {**row, "accuracy": "44.4312"}])
    assert accuracy_percent(rows).tolist() == pytest.approx([28.33 / 28.6162 * 100, float("nan"), 100], nan_ok=True)


def test_a_name_that_data_lacks_stays_as_printed_and_has_no_vendor(monkeypatch, tmp_path):
    import analysis.results as module

    shutil.copytree(module.DATA / "official", tmp_path / "official")
    own = pd.read_parquet(module.DATA / "official" / "v6.1.parquet").head(1)
    own = own.assign(id="own", accelerator="FutureChip 1", benchmark="future-model", round="v7.0")
    own.to_parquet(tmp_path / "official" / "own.parquet")
    monkeypatch.setattr(module, "DATA", tmp_path)
    monkeypatch.delenv("ANALYSIS_RECORD", raising=False)
    module._loaded.cache_clear()
    try:
        found = load_results()
    finally:
        module._loaded.cache_clear()
    found = found[found["id"].eq("own")]
    assert (found["accelerator"].iloc[0], found["vendor"].iloc[0], found["model"].iloc[0]) == (
        "FutureChip 1", "", "future-model",
    )  # fmt: skip
    assert found["round"].cat.categories[-1] == "v7.0"


@pytest.fixture
def with_rounds(monkeypatch, tmp_path):
    """Load the record with copies of its first row in further rounds."""
    import analysis.results as module

    def load(*rounds):
        shutil.copytree(module.DATA / "official", tmp_path / "official")
        own = pd.read_parquet(module.DATA / "official" / "v6.1.parquet").head(1)
        own = pd.concat([own.assign(id=round, round=round) for round in rounds])
        own.to_parquet(tmp_path / "official" / "own.parquet")
        monkeypatch.setattr(module, "DATA", tmp_path)
        monkeypatch.delenv("ANALYSIS_RECORD", raising=False)
        module._loaded.cache_clear()
        return load_results()

    yield load
    module._loaded.cache_clear()


def test_rounds_sort_as_versions(with_rounds):
    found = with_rounds("v10.0", "v9.0", "v9.10", "v9.2")
    assert list(found["round"].cat.categories[-4:]) == ["v9.0", "v9.2", "v9.10", "v10.0"]
    assert found["round"].max() == "v10.0" and found.sort_values("round")["id"].iloc[-1] == "v10.0"


def test_each_caveat_of_a_result_by_itself():
    plain = {"availability": "available", "power_capped": False, "hypervisor": "", "inferred": False, "corrected": "",
             "precision": "fp8", "precision_basis": "log", "tokens_assumed": False, "accelerator": "B200"}  # fmt: skip
    changed = {
        "preview": {"availability": "preview"}, "power_capped": {"power_capped": True},
        "virtualized": {"hypervisor": "KVM"}, "inferred": {"inferred": True},
        "precision_unstated": {"precision": "", "precision_basis": "declared"},
        "precision_declared": {"precision_basis": "declared"}, "tokens_assumed": {"tokens_assumed": True},
        "count_by_name": {"accelerator_count": 9.0, "nodes": 2.0}, "corrected": {"corrected": "precision"},
    }  # fmt: skip
    none = [
        {},
        {"accelerator_count": 9.0, "nodes": 2.0, "accelerator": "mixed"},
        {"accelerator_count": 9.0, "nodes": 0.0},
    ]
    rows = [plain | {"accelerator_count": 8.0, "nodes": 1.0} | change for change in [*changed.values(), *none]]
    assert _caveats(pd.DataFrame(rows)).tolist() == [[code] for code in changed] + [[], [], []]


def test_power_is_the_middle_of_its_range(results, raw):
    measured = raw[raw["power_watts_low"].notna()]
    middle = measured[["power_watts_low", "power_watts_high"]].mean(axis=1)
    assert len(measured) > 1000
    found = results.set_index("id").loc[measured["id"], "power_watts"]
    assert found.to_numpy() == pytest.approx(middle.to_numpy())


def test_a_power_mode_in_the_name_of_a_system_is_a_cap(results):
    capped = results.groupby("system")["power_capped"].any()
    for mode, is_capped in ((r"\bMaxQ\b", True), (r"\bEE\)", True), (r"\bPP\)", False)):
        assert capped[capped.index.str.contains(mode)].eq(is_capped).all()


def test_a_cloud_profile_is_virtual_in_each_of_its_results(results):
    """One description of IBM's gx3d-160x1792x8h200 names KVM, so the others run on it too."""
    profile = results[results["system"].str.contains("x3d-160x1792x8h200")]
    assert len(profile) == 5 and set(profile["hypervisor"]) == {"KVM"}
    assert profile["caveats"].map(lambda codes: "virtualized" in codes).all()


@pytest.mark.parametrize("kind", ["pipe", "endless", "garbage", "other columns"])
def test_a_file_beside_the_record_that_holds_no_results_is_named(tmp_path, monkeypatch, kind):
    import os

    import analysis.results as module

    path = tmp_path / "official" / "v9.9-own.parquet"
    shutil.copytree(module.DATA / "official", path.parent)
    make = {
        "pipe": os.mkfifo, "endless": lambda path: path.symlink_to("/dev/zero"),
        "garbage": lambda path: path.write_text("x"), "other columns": pd.DataFrame({"a": [1]}).to_parquet,
    }  # fmt: skip
    make[kind](path)
    monkeypatch.setattr(module, "DATA", tmp_path)
    monkeypatch.delenv("ANALYSIS_RECORD", raising=False)
    module._loaded.cache_clear()
    try:
        with pytest.raises(ValueError, match=r"own\.parquet: cannot be read as results; remove it or import it"):
            load_results()
    finally:
        module._loaded.cache_clear()


def test_a_stack_is_the_first_that_a_result_states_and_no_other_model_s():
    dynamo = "TensorRT 10.14, CUDA 13.1, TensorRT-LLM feat/1.2-mlpinf, NVIDIA Dynamo v0.8.0, vLLM CentML:q3vl-v6.0"
    stated = [
        ("gpt-oss-120b", "", dynamo, "GB300", "TensorRT-LLM"),
        ("qwen3-vl-235b-a22b", "", dynamo, "GB300", "vLLM"),
        ("resnet50", "", "TensorRT 9.0.0", "", ""),  # no language model
        ("llama2-70b", "", "", "DGX B200 (8x B200-SXM-180GB TensorRT)", "TensorRT-LLM"),
        ("llama2-70b", "Triton", "TensorRT 10.2.0", "", "TensorRT-LLM"),
        ("llama2-70b", "LLMBoost", "Mango LLMBoost AI Enterprise Platform, vllm-0.9.0.2", "", "LLMBoost"),
        ("gpt-oss-120b", "llm-d", "LLM-D v0.5.0 ,OpenShift 4.21, RHEL 9.6", "", "vLLM"),
        ("deepseek-r1", "", "PyTorch 2.10.0, ROCm 7.2.2", "PowerEdge XE9785", ""),
        ("deepseek-r1", "", "", "mytensorrtish, avllm", ""),
        ("deepseek-r1", "", "TRTLLM-rubin, vLLM-CentML:mlperf", "", "TensorRT-LLM"),
    ]
    columns = ["benchmark", "serving_software", "framework", "system", "expected"]
    rows = pd.DataFrame(stated, columns=columns, index=[*"abcdefghij"])
    pd.testing.assert_series_equal(_stacks(rows), rows["expected"], check_names=False)


def test_stacks_of_language_models_since_v5_0(results, raw):
    """Of 1,116 closed results on GPUs; frameworks alone name TensorRT 657 times, systems of v5.0 196 times more."""
    models = ["llama2-70b", "deepseek-r1", "gpt-oss-120b", "llama3.1-405b", "llama3.1-8b", "mixtral-8x7b"]
    rows = results[results["kind"].eq("gpu") & results["benchmark"].isin(models) & results["round"].ge("v5.0")]
    rows = rows[rows["division"].eq("closed") & rows["suite"].str.contains("datacenter") & rows["duplicate_of"].eq("")]
    rows = rows[rows["metric"].eq("throughput")]
    assert (len(rows), rows["hypervisor"].ne("").sum()) == (1116, 14)
    counts = rows.groupby(["vendor", "stack"]).size()
    assert counts["NVIDIA"].to_dict() == {"": 22, "TensorRT-LLM": 853, "vLLM": 10}
    assert counts["AMD"].to_dict() == {"": 42, "LLMBoost": 22, "SGLang": 2, "vLLM": 127}
    assert counts["Intel"].to_dict() == {"": 14, "vLLM": 24}
    named = rows["framework"].str.contains("vLLM") & rows["stack"].eq("TensorRT-LLM")
    assert named.sum() == 185
    texts = raw.set_index("id").loc[rows["id"], ["framework", "system"]]
    tensorrt = texts.apply(lambda text: text.str.contains("TensorRT|TRT"))
    assert (tensorrt["framework"].sum(), tensorrt.any(axis=1).sum()) == (657, 853)
