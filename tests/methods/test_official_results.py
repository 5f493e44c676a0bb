"""The whole record as one frame: rates, energy, speeds, software by its name, and the bits of precisions."""

import pandas as pd
import pytest

from analysis.methods import official_results

EXTRA = {"framework": "", "serving_software": "", "tpot_p99_ms": None, "energy_millijoules_per_query": None,
         "location": "", "model_run": "", "evidence": ""}  # fmt: skip
LIMITS = pd.DataFrame(
    [("llm", "Server", "tpot_p99_limit", 200.0, "v4.1"), ("llm", "Server", "ttft_p99_limit", 2000.0, "v4.1")],
    columns=["benchmark", "scenario", "quantity", "high", "rounds"],
).assign(confidence="high")


@pytest.fixture
def whole(results, tables):
    """The frame of rows given as dicts of what differs from eight H100; more than a comparison's columns are known."""

    def make(*rows, **asked):
        frame = results(*({name: row[name] for name in row if name not in EXTRA} for row in rows))
        for name, usual in EXTRA.items():
            kind = "str" if usual == "" else "float64"
            frame[name] = pd.Series([row.get(name, usual) for row in rows], index=frame.index, dtype=kind)
        return official_results.of(tables(frame), LIMITS, **asked)

    return make


def test_rates_energy_and_speed_of_a_run(whole):
    """800 tokens/s on eight at 1,600 W: 100 each, 2 J a token; 40 ms a token at the 99th percentile: 25 tokens/s."""
    (row,) = whole(
        {"power_watts_low": 1600.0, "power_watts_high": 1600.0, "power_measured": True, "tpot_p99_ms": 40.0}
    ).to_dict("records")
    assert (row["rate"], row["per_accelerator"], row["joules"], row["speed"]) == (800.0, 100.0, 2.0, 25.0)
    assert (row["power"], row["rate_unit"], row["excluded"]) == ("with", "tokens/s", "")


def test_a_run_without_a_log_has_the_speed_of_its_limit(whole):
    rows = whole({"scenario": "Server"}, {"scenario": "Offline"})
    assert rows.set_index("scenario")["speed"].to_dict() == {
        "Server": 5.0,
        "Offline": pytest.approx(float("nan"), nan_ok=True),
    }
    assert rows.set_index("scenario").at["Server", "ttft_limit_ms"] == 2000.0


def test_a_stream_has_a_latency_and_the_energy_of_a_query(whole):
    (row,) = whole(
        {
            "scenario": "SingleStream",
            "metric": "latency",
            "unit": "ms",
            "low": 7.5,
            "energy_millijoules_per_query": 1500.0,
        }
    ).to_dict("records")
    assert (row["latency_ms"], row["joules"]) == (7.5, 1.5)
    assert pd.isna(row["rate"]) and pd.isna(row["per_accelerator"])


def test_what_the_gate_leaves_out_has_no_rate(whole):
    rows = whole({"id": "one"}, {"id": "two", "duplicate_of": "one"}, {"id": "three", "accelerator": "mixed"})
    assert rows.set_index("id")["excluded"].to_dict() == {"one": "", "two": "duplicate", "three": "several_types"}
    assert rows.set_index("id")["rate"].notna().to_dict() == {"one": True, "two": False, "three": False}


def test_software_is_named_without_its_version_in_one_spelling(whole):
    names = ["TensorRT 10.8.0, CUDA 12.9", "tensorrt 9", "TensorRT", "TFLite vmaster (xnnpack)", ""]
    rows = whole(*({"framework": name} for name in names), {"framework": "PyTorch 2.3", "serving_software": "vLLM"})
    own = dict(zip(rows["version"], rows["software"], strict=True))
    assert own == {
        names[0]: "TensorRT", names[1]: "TensorRT", names[2]: "TensorRT", names[3]: "TFLite", "": "not stated",
        "PyTorch 2.3": "vLLM",
    }  # fmt: skip


def test_a_precision_that_is_not_known_is_told_from_none(whole):
    rows = whole({"precision": "fp8"}, {"precision": "fp4"}, {"precision": ""})
    bits = rows.set_index("precision")["apart_precision"]
    assert bits["fp8"] & bits["fp4"] == 0 and bits["not stated"] & bits["fp8"] and bits["not stated"] & bits["fp4"]
