"""One result to its row: names, counts, units, log, power, and each reason why it cannot be used."""

import math
import time

import pandas as pd
import pytest

from analysis.recipes.official import hardware, logs, rows, units

RESULT = {
    "fault": "", "origin": "official", "doubt": "", "evidence": "summary", "folder": "", "round": "v9.9",
    "result_id": "v9.9-0007", "submitter": "Acme", "division": "Closed", "availability": "Available",
    "suite": "Edge, datacenter", "system": "Acme 8x H100", "platform": "acme", "accelerator": "NVIDIA H100-SXM-80GB",
    "per_node": 4.0, "nodes": 2, "processor": "X", "processors_per_node": 2, "model": "llama2-70b-99.9",
    "model_run": "llama2-70b-99.9", "scenario": "offline", "value": 24000.5, "label": "Tokens/s", "weights": "fp8",
    "accuracy": "ROUGE1: 44.5  TOKENS_PER_SAMPLE: 300.0",
}  # fmt: skip
LOG = {
    "recomputed": 24000.5, "recomputed_key": "result_tokens_per_second", "unit": "tokens/s", "validity": "VALID",
    "samples_per_second": 80.0, "tokens_per_second": 24000.5, "tokens_per_sample": 300.006,
}  # fmt: skip
NONE = pytest.approx(math.nan, nan_ok=True)
NEW = {"model": "new-model", "model_run": "new-model"}
IMAGES = {"model": "resnet", "model_run": "resnet50", "label": "Samples/s", "accuracy": "acc: 76.1"}
STREAM = IMAGES | {"scenario": "SingleStream", "label": "Latency (s)", "value": 0.002}
ALONE = {"evidence": "log", "folder": "f", "value": None, "label": None}
MI355X = "AMD Instinct MI355X 288GB HBM3e"


@pytest.fixture
def shaped(monkeypatch):
    """Shape RESULT with changes, of a run whose log says what is given."""

    def shape(changes, log=None):
        monkeypatch.setattr(rows, "read_run_log", lambda run: logs.UNKNOWN | (log or {}))
        return rows.shaped(RESULT | changes)

    return shape


ROWS = [  # changes of the result, what its log says, and the cells
    ({}, {}, {"benchmark": "llama2-70b", "accuracy_target": "99.9", "scenario": "Offline", "result_id": "9.9-0007",
              "suite": "datacenter,edge", "division": "closed", "availability": "available", "accelerator": "H100 SXM",
              "accelerator_count": 8, "nodes": 2, "low": 24000.5, "high": 24000.5, "unit": "tokens/s", "corrected": "",
              "metric": "throughput", "printed_unit": "Tokens/s", "range_basis": "exact", "precision": "fp8",
              "samples_per_second": NONE, "tokens_per_second": 24000.5, "tokens_per_sample": 300.0,
              "evidence": "summary", "power_measured": False, "doubted": False, "note": ""}),
    ({"system": "", "accuracy": "N/A"}, {}, {"system": "acme", "accuracy": "", "tokens_per_sample": NONE}),
    ({"label": "Samples/s"}, {}, {"unit": "tokens/s", "corrected": "labeled Samples/s, but llama2-70b counts tokens"}),
    ({"label": "Apples/s"}, {}, {"unit": "tokens/s", "corrected": "labeled Apples/s, but llama2-70b counts tokens"}),
    (IMAGES, {}, {"unit": "samples/s", "corrected": "", "samples_per_second": 24000.5, "tokens_per_second": NONE}),
    ({**IMAGES, "value": 4.0, "accuracy": "TOKENS_PER_SAMPLE: 30"}, {}, {"tokens_per_second": 120.0}),
    ({**IMAGES, "model": "rgat", "scenario": "Server", "label": "Queries/s"}, {}, {"unit": "queries/s"}),
    ({**NEW, "label": "Samples/s"}, {}, {"unit": "tokens/s",
                                         "corrected": "labeled Samples/s, but new-model counts tokens"}),
    ({**NEW, "label": "Tasks/s", "accuracy": "acc: 1"}, {}, {"unit": "samples/s", "corrected": ""}),
    (STREAM, {}, {"low": 2.0, "unit": "ms", "metric": "latency", "samples_per_second": NONE}),
    ({"printed": "24,000.50"}, {}, {"low": 24000.45, "high": 24000.55, "range_basis": "rounded"}),
    ({**IMAGES, "model": "gptj-99", "accuracy": ""}, {}, {"tokens_per_sample": 69.0}),
    # Counts of accelerators.
    ({"accelerator": "Acme X1"}, {}, {"accelerator": "Acme X1", "is_known": False,
                                      "note": "accelerator not in data/accelerator_aliases.csv"}),
    ({"accelerator": "N/A", "per_node": "", "processor": "INTEL(R) XEON(R) PLATINUM 8592+"}, {},
     {"accelerator": "Xeon Platinum 8592+", "accelerator_count": 4,
      "note": "processor-only system; sockets counted"}),
    ({"per_node": None, "total": 6}, {}, {"accelerator_count": 6}),
    ({"accelerator": f"{MI355X} (x87)", "per_node": 8, "nodes": 11}, {},
     {"accelerator_count": 87,
      "note": "87 accelerators by its name, where nodes times accelerators per node are 88"}),
    ({"accelerator": f"{MI355X} (x80)", "per_node": 8, "nodes": 11}, {}, {"accelerator_count": 88, "note": ""}),
    ({"accelerator": f"AMD Instinct MI300X 192GB HBM3 (x2x8) and {MI355X} (x2x8)", "total": 30}, {},
     {"accelerator": "mixed", "accelerator_count": 30, "note": "cluster of several accelerator types"}),
    ({"system": "x-1-node"}, {}, {"doubted": True,
                                  "note": "its name says other than 2 nodes; if its file is wrong, correct it"}),
    ({"system": "H100-2N", "per_node": 8}, {}, {"doubted": False, "note": ""}),
    ({"nodes": 1, "per_node": 9}, {}, {"doubted": True,
                                       "note": "9 accelerators on 1 nodes are more than SXM boards hold"}),
    # What a log adds.
    ({}, LOG, {"recomputed_difference": 0.0, "samples_per_second": 80.0, "tokens_per_sample": 300.006, "note": "",
               "validity": "VALID", "evidence": "log"}),
    (ALONE, LOG, {"low": 24000.5, "unit": "tokens/s", "printed_unit": "", "recomputed_difference": NONE, "note": ""}),
    ({"value": 25000.0}, LOG, {"recomputed_difference": 24000.5 / 25000 - 1, "low": 25000.0,
                               "note": "published 25000, log 24000.5 tokens/s"}),
    ({"value": 24000.51}, LOG, {"note": ""}),
    ({"value": 24000.6}, LOG, {"note": "published 24000.6, log 24000.5 tokens/s"}),
    ({"folder": "f"}, {}, {"note": "not recomputed: no LoadGen log of it in the tree"}),
    ({"folder": "f"}, {"inferred": True}, {"inferred": True, "note": ""}),
    ({**NEW, "label": "Samples/s", "accuracy": ""}, LOG,
     {"unit": "tokens/s", "corrected": "the figure is result_tokens_per_second of its log"}),
    ({"inferred": 1}, {}, {"inferred": False}),  # from v6.0 on the flag says how a folder is spelled
    ({"inferred": 1, "round": "v5.1"}, {}, {"inferred": True}),
    # Power.
    ({"power": 400.0, "power_label": "Watts"}, {}, {"power_watts_low": 400.0, "power_watts_high": 400.0,
                                                    "energy_millijoules_per_query": NONE, "power_measured": True}),
    ({"power": "400"}, {}, {"power_watts_low": 400.0}),
    ({"power": 2.0, "power_label": "millijoules"}, {}, {"energy_millijoules_per_query": 2.0, "power_watts_low": NONE}),
    ({**STREAM, "power": 2.0}, {}, {"energy_millijoules_per_query": 2.0, "power_watts_low": NONE}),
    ({"power": 401.0}, LOG | {"power": 400.0}, {"power_watts_low": 401.0, "recomputed_power": 400.0,
                                                "recomputed_power_difference": 400 / 401 - 1,
                                                "note": "published power 401, its samples 400"}),
    (ALONE, LOG | {"power": 400.0, "power_remark": "two dropped"}, {"power_watts_low": 400.0, "note": "two dropped"}),
    ({}, LOG | {"power": 400.0}, {"power_watts_low": NONE, "power_measured": False}),  # published without power
    ({}, LOG | {"power_fault": "why"}, {"power_watts_low": NONE, "power_measured": True,
                                        "note": "its power is left out: why"}),
    ({"has_power": "True", "system": "a MaxQ"}, {}, {"power_measured": True, "note": "power-capped system"}),
    # Descriptions.
    ({"described": "served by vLLM on VMware ESXi; power cap 300 W"}, {},
     {"serving_software": "vLLM", "hypervisor": "VMware vSphere", "power_limit_watts": 300.0}),
    ({"described": "vLLM and SGLang on KVM, OpenShift Virtualization"}, {},
     {"serving_software": "", "hypervisor": "Red Hat OpenShift Virtualization", "power_limit_watts": NONE}),
    ({"weights": "bf16", "round": "v4.1"}, {},
     {"precision": "", "note": "declared bf16 is the type of the starting weights, not what ran"}),
    ({**IMAGES, "weights": "fp16", "round": "v4.1"}, {}, {"precision": "fp16", "note": ""}),
    ({**STREAM, "model": "gptj-99", "weights": "fp16", "round": "v4.1"}, {},
     {"precision": "", "note": "declared fp16 is the type of the starting weights, not what ran"}),
    ({**STREAM, "accuracy": 80.6, "model": "agentic edge", "model_run": "x", "round": "v6.1"}, {},
     {"note": "figure of MLPerf Endpoints logs; mean latency, where LoadGen gives a percentile"}),
    ({"scenario": "Server", "accuracy": 80.6}, {},
     {"note": "figure of MLPerf Endpoints logs; tokens over the window of LoadGen, not over the whole run"}),
    ({"accuracy": 80.6, "round": "v6.0"}, {}, {"note": ""}),
    (ALONE, LOG | {"recomputed_key": "tps"}, {"note": "figure of MLPerf Endpoints logs"}),
    # The ends of what is possible.
    ({"value": 8e7}, {}, {"low": 8e7}), ({"value": 1e-4}, {}, {"low": 1e-4}),
    ({"power": 4e5}, {}, {"power_watts_low": 4e5}), ({"power": 0.1}, {}, {"power_watts_low": 0.1}),
    ({"round": "v4.1"}, {}, {"age": 4.1}), ({"weights": "a" * 20_000}, {}, {"precision": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "log", "cells"), ROWS)
def test_a_result_gives_its_row(shaped, changes, log, cells):
    row = shaped(changes, log)
    assert row["fault"] == "" and {name: row[name] for name in cells} == cells


FAULTS = {
    "which no system reaches": [{"value": value} for value in (-1, "fast", 8.1e7, 9e-5, True, math.inf, "1_0", None)],
    "which no system draws": [{"power": value} for value in (0.09, 4.1e5, "much", [])]
    + [{"power": 1.1e12, "power_label": "millijoules"}],
    "its power is labeled 'kW'; expected watts, millijoules": [{"power": 0.5, "power_label": "kW"}],
    "is a power entry without its result": [{"label": "Watts"}],
    "nodes is not a whole number above 0": [{"nodes": 0}, {"nodes": None}],
    "expected a whole number": [{"nodes": 1.5}, {"nodes": True}, {"per_node": "1_0"}, {"processors_per_node": "many"}],
    "names no accelerator, but has an accelerator count": [{"accelerator": ""}],
    "names neither an accelerator nor a processor": [{"accelerator": "", "per_node": 0, "processor": ""}],
    "total accelerators do not equal nodes times": [{"total": 3}],
    "its unit 'Apples' is unknown": [NEW | {"label": "Apples", "accuracy": ""}],
    "SingleStream is labeled 'Tokens/s'; expected ms": [{"scenario": "SingleStream"}],
    "scenario 'Sideways' is not one of": [{"scenario": "Sideways"}],
    "rounds before v4.1 are not supported": [{"round": "v3.1"}],
    "states no round": [{"round": ""}, {"round": "v9.99"}],
    "who says so?": [{"origin": "", "doubt": "who says so?"}],
    "has no Submitter": [{"fault": "has no Submitter", "value": -1}],
    "more than 20,000 characters in weights": [{"weights": "(" * 20_001}],
}  # fmt: skip


@pytest.mark.parametrize(("fault", "changes"), [(fault, changes) for fault in FAULTS for changes in FAULTS[fault]])
def test_a_result_that_cannot_be_says_why(shaped, fault, changes):
    assert fault in shaped(changes)["fault"]


def test_a_fault_of_its_log_is_one_of_the_result(shaped):
    assert shaped(ALONE, {"fault": "the log is missing"})["fault"] == "the log is missing"


def test_a_number_that_no_integer_column_holds_is_missing():
    errors = rows.columns(pd.DataFrame({"errors": [1e17, 5.4, None]}))["errors"]
    assert errors.fillna(-1).tolist() == [-1, 5, -1]


@pytest.mark.parametrize(
    ("declared", "round", "counts_tokens", "found"),
    [
        ("fp16", "v4.1", True, ("", "unknown")),
        ("fp16", "v4.1", False, ("fp16", "declared")),
        ("fp16", "v5.1", True, ("fp16", "declared")),
        ("fp8", "v4.1", True, ("fp8", "declared")),
        ("mxfp4", "v5.1", True, ("fp4", "declared")),
        ("UNSET", "v5.1", False, ("", "unknown")),
        ("{'clip1': 'fp16', 'unet': 'fp8'}", "v5.1", False, ("", "mixed")),
        ("fp8 (static per-tensor PTQ, by a tool)", "v6.1", True, ("fp8", "declared")),
        ("NVFP4, FP8 (KV cache)", "v6.1", True, ("fp4", "declared")),
        ("NVFP4 weights with FP8 KV cache", "v6.1", True, ("fp4", "declared")),
        ("fp8 KV cache", "v6.1", True, ("", "unknown")),
    ],
)
def test_precision_is_what_ran_or_unknown(declared, round, counts_tokens, found):
    assert hardware.precision(declared, round, counts_tokens)[:2] == found


def test_a_declaration_of_any_length_is_read_in_no_time():
    started = time.monotonic()
    for text in ("a" * 32_000, "(" * 32_000, "fp8 (" * 6_000, "a-" * 16_000, "fp8 with " * 3_000):
        hardware.precision(text, "v6.1", True)
    assert time.monotonic() - started < 1


@pytest.mark.parametrize(
    ("name", "canonical", "known"),
    [
        ("nvidia  h100-sxm-80gb", "H100 SXM", True),
        ("NVIDIA H200-SXM-141GB-CTS", "H200 SXM CTS", True),
        ("NVIDIA L4 (x8)", "L4", True),
        ("Acme X1", "Acme X1", False),
    ],
)
def test_names_of_accelerators(name, canonical, known):
    assert hardware.known_accelerator(name) == (canonical, known)


@pytest.mark.parametrize(
    ("model", "run", "benchmark"),
    [
        ("llama2-70b-interactive-99", "llama2-70b-interactive-99", ("llama2-70b", "99")),
        ("VLM", "qwen3-vl-235b-a22b", ("qwen3-vl-235b-a22b", "")),
        ("llama3.1-8b-datacenter", "", ("llama3.1-8b", "")),
        ("yolo-95", "yolo-95", ("yolo", "95")),
        ("a-class", "kimi-k9", ("a-class", "")),
    ],
)
def test_names_of_benchmarks(model, run, benchmark):
    assert units.official_benchmark(model, run) == benchmark
