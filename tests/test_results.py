"""The frame of results: each rule on rows written by hand, and the record against its files by plain pandas."""

from __future__ import annotations

import os
from io import StringIO

import pandas as pd
import pytest

from analysis import load_results, results, tables
from analysis.paths import DATA
from analysis.results import _caveats, _comparable_since, _stacks, accuracy_percent

NAN = float("nan")
PLAIN = {
    "submitter": "A", "system": "node", "accelerator": "H100 SXM", "accelerator_count": 8.0, "nodes": 1.0,
    "benchmark": "llama2-70b", "scenario": "Offline", "metric": "throughput", "unit": "tokens/s", "low": 79.0,
    "high": 81.0, "precision": "fp8", "precision_basis": "declared", "accuracy": "", "framework": "",
}  # fmt: skip
NO_TOKENS = {"unit": "samples/s", "low": 2.0, "high": 2.0}


@pytest.fixture(scope="module")
def record():
    return load_results().set_index("id")


@pytest.fixture(scope="module")
def raw():
    files = [part["path"] for part in tables.descriptor()["results"]["parts"]]
    return pd.concat([pd.read_parquet(DATA / name) for name in files]).set_index("id")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Make a record of one file in a folder, of one row by default."""
    (tmp_path / "official").mkdir()
    first = pd.read_parquet(DATA / "official/v6.1.parquet").head(1)
    monkeypatch.setattr(results, "DATA", tmp_path)
    monkeypatch.setitem(tables.descriptor()["results"], "parts", [{"path": "official/shipped.parquet"}])
    monkeypatch.setattr(tables, "corrected", lambda rows, *_: rows)
    monkeypatch.setattr(tables, "follow_edits", lambda: None)
    monkeypatch.delenv("ANALYSIS_RECORD", raising=False)

    def write(*rows, name="shipped"):
        rows = [first.assign(**({"id": f"r{place}"} | PLAIN | row)) for place, row in enumerate(rows)]
        pd.concat(rows).to_parquet(tmp_path / f"official/{name}.parquet")
        results._loaded.cache_clear()
        return tmp_path / "official"

    write({})
    yield write
    results._loaded.cache_clear()


@pytest.fixture
def loaded(folder):
    """Load a record of rows of which only what is given differs from PLAIN."""
    return lambda *rows: folder(*rows) and load_results()


def test_each_result_of_the_record_is_there_once_in_single_numbers(record, raw):
    assert record.index.is_unique and set(raw.index) == set(record.index)
    assert not {"low", "high", "power_watts_low", "power_watts_high", "tokens_assumed", "printed"} & {*record}
    assert record["round"].min() == "v0.5" and list(record["round"].cat.categories[-2:]) == ["v6.0", "v6.1"]


@pytest.mark.parametrize(
    ("row", "rate", "unit", "assumed"),
    [
        ({}, 80, "tokens/s", False),
        ({**NO_TOKENS, "tokens_per_sample": 100.0}, 200, "tokens/s", False),
        ({**NO_TOKENS}, 2 * (274.0 + 300.5) / 2, "tokens/s", True),
        ({"benchmark": "whisper", "tokens_per_sample": 40.0}, 2, "samples/s", False),  # rules count tokens
        ({"benchmark": "whisper", "scenario": "Server"}, 80 / ((63.46 + 76.7) / 2), "samples/s", True),
        ({"benchmark": "resnet50", "unit": "samples/s"}, 80, "samples/s", False),
        ({"benchmark": "resnet50", "unit": "queries/s", "scenario": "Server"}, 80, "queries/s", False),
        ({"benchmark": "3d-unet", "unit": "samples/s", "scenario": "Server"}, 80, "samples/s", False),
        ({"metric": "latency", "unit": "ms", "tokens_per_sample": 2.0}, NAN, "ms", False),
        ({"benchmark": "own", "unit": "images/s"}, 80, "images/s", False),
    ],
)
def test_a_rate_is_in_the_unit_in_which_its_benchmark_is_compared(loaded, row, rate, unit, assumed):
    found = loaded(row).iloc[0]
    assert found[["rate", "rate_per_accelerator"]].tolist() == pytest.approx([rate, rate / 8], nan_ok=True)
    assert (found["rate_unit"], "tokens_assumed" in found["caveats"]) == (unit, assumed)
    assert found["value"] == (2 if "low" in row else 80)


def test_a_rate_per_accelerator_needs_one_kind_and_a_count(loaded):
    found = loaded({}, {"accelerator": "mixed"}, *({"accelerator_count": count} for count in (0.0, NAN, 1.0)))
    assert found["rate_per_accelerator"].fillna(0).tolist() == [10, 0, 0, 0, 80]


def test_interactivity_is_the_p99_of_the_log_else_the_limit(loaded):
    """DeepSeek-R1 Server may take 80 ms per token; Offline has no limit, and a rate of images no tokens."""
    server = {"benchmark": "deepseek-r1", "scenario": "Server"}
    found = loaded({**server, "tpot_p99_ms": 40.0}, server, {"tpot_p99_ms": 40.0}, {**server, "metric": "latency"},
                   {**server, "scenario": "Interactive", "tpot_p99_ms": 10.0})  # fmt: skip
    assert found["tokens_per_second_per_user"].fillna(0).tolist() == [25, 12.5, 0, 0, 100]
    assert found["interactivity_basis"].tolist() == ["log", "limit", "", "", "log"]


def test_power_is_the_middle_and_an_answer_as_long_as_its_log_says(loaded):
    logged = {"tokens_per_second": 80.0, "samples_per_second": 2.0, "evidence": "log"}
    watts = {"power_watts_low": 400.0, "power_watts_high": 500.0}
    found = loaded(logged | watts, logged | {"evidence": "summary"}, logged | {"metric": "latency"})
    assert found["tokens_per_answer"].fillna(0).tolist() == [40, 0, 0]
    assert found["power_watts"].fillna(0).tolist() == [450, 0, 0]


def test_names_are_those_of_the_tables_and_others_stay_as_printed(loaded):
    own = {"accelerator": "FutureChip 1", "benchmark": "future-model", "round": "v7.0"}
    found = loaded({"round": "v6.0"}, own)
    names = found[["accelerator", "vendor", "kind", "model", "rated_watts"]].fillna(0)
    assert names.values[0].tolist() == ["H100", "NVIDIA", "gpu", "Llama 2 70B", 700]
    assert names.values[1].tolist() == ["FutureChip 1", "", "", "future-model", 0]
    assert found["published"].dt.year.fillna(0).tolist() == [2026, 0]


def test_rounds_sort_as_versions(loaded):
    found = loaded(*({"id": name, "round": name} for name in ("v10.0", "v9.0", "v9.10", "v9.2")))
    assert list(found["round"].cat.categories[-4:]) == ["v9.0", "v9.2", "v9.10", "v10.0"]
    assert found["round"].cat.ordered and found.sort_values("round")["id"].iloc[-1] == "v10.0"


def test_a_submitter_has_its_most_common_spelling_and_of_two_the_last(loaded):
    spelled = ["Dell", "Dell", "DELL", "amd", "AMD"]
    assert loaded(*({"submitter": name} for name in spelled))["submitter"].tolist() == [*["Dell"] * 3, "amd", "amd"]


def test_a_machine_is_the_system_without_its_serving_software(loaded):
    found = loaded({"system": "R760 (8x H100, TensorRT)", "serving_software": "TensorRT"}, {"system": "R760 (8x)"})
    assert found["machine"].tolist() == ["r7608xh100", "R760 (8x)"]


@pytest.mark.parametrize(
    ("row", "capped"),
    [
        ({"system": "DGX, MaxQ"}, True),
        ({"system": "R282 (8x EE)"}, True),
        ({"system": "R (Power Cap 300W)"}, True),
        ({"system": "R282 (PP), FREE"}, False),
        ({"power_limit_watts": 699.0}, True),
        ({"power_limit_watts": 700.0}, False),
    ],
)
def test_a_cap_is_in_the_name_of_a_system_or_a_limit_below_the_rated_one(loaded, row, capped):
    assert loaded(row)["power_capped"].tolist() == [capped]


def test_a_precision_is_labeled_with_its_basis_and_published_weights_by_their_format(loaded):
    found = loaded({}, {"precision_basis": "unknown"}, {"precision": ""}, {"benchmark": "gpt-oss-120b"},
                   {"benchmark": "gpt-oss-120b", "precision": ""})  # fmt: skip
    labels = ["FP8 (declared)", "FP8", "not stated", "MXFP4 weights", "not stated"]
    assert found["precision_label"].tolist() == labels


def test_a_correction_replaces_a_declared_precision(record):
    corrected = record.loc["o-4.1-0074-llama2-70b-99-offline"]
    assert (corrected["precision"], corrected["precision_label"]) == ("fp4", "FP4 (calibration document)")


def table(text):
    """Return the cells of a text as a frame; its first line names the columns."""
    return pd.read_csv(StringIO(text), sep=r" *\| *", engine="python", keep_default_na=False)


def test_results_are_compared_since_the_version_of_their_benchmark_and_scenario():
    """3D U-Net got another data set in v2.0, MultiStream another rule; a round that no table has is the newest."""
    asked = table("""benchmark | scenario | round | since
        3d-unet  | Offline      | v1.1  | v0.7
        3d-unet  | Offline      | v2.0  | v2.0
        resnet50 | Offline      | v2.0  | v0.5
        resnet50 | MultiStream  | v1.1  | v0.5
        resnet50 | MultiStream  | v2.0  | v2.0
        bert     | SingleStream | v6.1  | v0.7
        dlrm-v2  | Server       | v5.1  | v3.1
        own      | Offline      | v6.1  |
        resnet50 | Offline      | v99.0 | v0.5""").apply(lambda column: column.str.strip())
    asked.index = [*"abcdefghi"]
    assert _comparable_since(asked).to_dict() == asked["since"].to_dict()


def test_of_two_versions_that_apply_the_later_one_counts(monkeypatch):
    spans = [("resnet50", "", "v5.0", ""), ("", "", "v1.0", "v6.0"), ("resnet50", "Server", "v6.0", "v6.0")]
    spans = pd.DataFrame(spans, columns=["benchmark", "scenario", "since", "until"])
    monkeypatch.setattr(tables, "compatibility", spans, raising=False)
    asked = [("resnet50", "Offline", "v6.0"), ("resnet50", "Server", "v6.0"), ("bert", "Server", "v6.0"),
             ("resnet50", "Server", "v6.1"), ("bert", "Server", "v6.1"), ("bert", "Server", "v1.0")]  # fmt: skip
    found = _comparable_since(pd.DataFrame(asked, columns=["benchmark", "scenario", "round"]))
    assert found.tolist() == ["v5.0", "v6.0", "v1.0", "v5.0", "", "v1.0"]


def test_accuracy_is_the_lowest_metric_in_percent_of_its_reference(monkeypatch):
    """A reference of the scenario counts first; a score up to 1 is a fraction where the reference is in percent."""
    targets = table("""round | benchmark | scenario | metric | reference
v6.1 | a |        | ACC | 80
v6.1 | a | Server | ACC | 40
v6.1 | a |        | F1  | 50
v6.0 | a |        | ACC | 1.5
v6.1 | b |        | ACC | 0.5
v6.0 | b |        | ACC | 2""")
    targets = pd.concat([targets.assign(quantity="quality"), targets.assign(quantity="length", reference=1.0)])
    monkeypatch.setattr(tables, "accuracy_targets", targets, raising=False)
    rows = table("""round | benchmark | scenario | accuracy | expected
v6.1 | a | Offline | ACC: 60 F1: 40 OTHER: 1 | 75
v6.1 | a | Server  | ACC: 60 F1: 60          | 120
v6.1 | a | Offline | 40                      | 50
v6.1 | a | Server  | F1: 1 ACC: 40.0         | 100
v6.0 | a |         | 1                       | 66.6666667
v6.1 | b |         | ACC: 5e-1               | 100
v6.1 | c |         | ACC: 1                  | nan
v6.1 | a |         |                         | nan
v6.1 | a | Offline | ACC: 1.01               | 1.2625
v6.1 | a | Offline | F1: 1                   | 200
v6.0 | b | Server  | 1                       | 5000""").astype({"expected": float})
    rows.index = [*"abcdefghijk"]
    assert accuracy_percent(rows).to_dict() == pytest.approx(rows["expected"].to_dict(), nan_ok=True)


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


def test_a_cloud_profile_is_virtual_in_each_of_its_results(record):
    """One description of IBM's gx3d-160x1792x8h200 names KVM, so the others run on it too."""
    profile = record[record["system"].str.contains("x3d-160x1792x8h200")]
    assert len(profile) == 5 and set(profile["hypervisor"]) == {"KVM"}


def test_a_file_of_the_users_own_adds_rows_and_replaces_those_of_its_ids(folder, monkeypatch):
    folder({"id": "r0", "low": 9.0, "high": 9.0}, {"id": "own"}, name="own")
    assert load_results()[["id", "rate"]].to_dict("index") == {0: {"id": "r0", "rate": 9}, 1: {"id": "own", "rate": 80}}
    monkeypatch.setenv("ANALYSIS_RECORD", "shipped")
    results._loaded.cache_clear()
    assert load_results()["id"].tolist() == ["r0"]


@pytest.mark.parametrize(
    "make",
    [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.write_text("x"),
     lambda path: pd.DataFrame({"a": [1]}).to_parquet(path),
     lambda path: path.write_bytes(b"PAR1xxxx\4\0\0\0PAR1")],
    ids=["pipe", "endless", "garbage", "other columns", "broken"],
)  # fmt: skip
def test_a_file_beside_the_record_that_holds_no_results_is_named(folder, make):
    make(folder({}) / "v9.9-own.parquet")
    with pytest.raises(ValueError, match=r"own\.parquet: cannot be read as results; remove it or import it"):
        load_results()


def test_a_stack_is_the_first_that_a_result_states_and_no_other_model_s():
    """ResNet-50 is no language model; a spelling inside another word is none."""
    rows = table("""benchmark | serving_software | framework | system | expected
gpt-oss-120b | | TensorRT 10.14, TensorRT-LLM feat/1.2, Dynamo v0.8.0, vLLM CentML:q3vl-v6.0 | GB300 | TensorRT-LLM
qwen3-vl-235b-a22b | | TensorRT 10.14, TensorRT-LLM feat/1.2, Dynamo v0.8.0, vLLM CentML:q3vl-v6.0 | GB300 | vLLM
resnet50 | | TensorRT 9.0.0 | |
llama2-70b | | | DGX B200 (8x B200-SXM-180GB TensorRT) | TensorRT-LLM
llama2-70b | Triton | TensorRT 10.2.0 | | TensorRT-LLM
llama2-70b | LLMBoost | Mango LLMBoost AI Enterprise Platform, vllm-0.9.0.2 | | LLMBoost
gpt-oss-120b | llm-d | LLM-D v0.5.0 ,OpenShift 4.21, RHEL 9.6 | | vLLM
deepseek-r1 | | PyTorch 2.10.0, ROCm 7.2.2 | PowerEdge XE9785 |
deepseek-r1 | | | mytensorrtish, avllm |
deepseek-r1 | | TRTLLM-rubin, vLLM-CentML:mlperf | | TensorRT-LLM
deepseek-r1 | | vLLM-CentML:mlperf, TRTLLM-rubin | | vLLM""")
    rows.index = [*"abcdefghijk"]
    pd.testing.assert_series_equal(_stacks(rows), rows["expected"], check_names=False)


def test_stacks_of_language_models_since_v5_0(record):
    """Of 1,116 closed results on GPUs."""
    models = ["llama2-70b", "deepseek-r1", "gpt-oss-120b", "llama3.1-405b", "llama3.1-8b", "mixtral-8x7b"]
    rows = record[record["kind"].eq("gpu") & record["benchmark"].isin(models) & record["round"].ge("v5.0")]
    rows = rows.query("division == 'closed' and duplicate_of == '' and metric == 'throughput'")
    counts = rows[rows["suite"].str.contains("datacenter")].groupby(["vendor", "stack"]).size()
    assert counts["NVIDIA"].to_dict() == {"": 22, "TensorRT-LLM": 853, "vLLM": 10}
    assert counts["AMD"].to_dict() == {"": 42, "LLMBoost": 22, "SGLang": 2, "vLLM": 127}
    assert counts["Intel"].to_dict() == {"": 14, "vLLM": 24}
