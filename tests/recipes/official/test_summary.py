"""Summaries of each shape to rows of the record: counts, units, precision, power, and what is refused."""

import json
import time
from pathlib import Path

import pytest

from analysis.paths import DATA
from analysis.recipes.official import hardware, importing, units
from tests.recipes.official.conftest import ROW, V61

ID = "o-9.9-0007-llama2-70b-99.9-offline"


def told(row, expected):
    assert {name: row[name] for name in expected} == expected


def v61(path, *changes):
    path.write_text(json.dumps({str(place): V61 | change for place, change in enumerate(changes)}))
    return path


def test_a_row_has_every_column_of_the_record(tree, bring):
    row = bring(tree.summary()).loc[ID]
    told(row, {"round": "v9.9", "result_id": "9.9-0007", "benchmark": "llama2-70b", "accuracy_target": "99.9",
               "accelerator": "H100 SXM", "accelerator_as_published": "NVIDIA H100-SXM-80GB", "accelerator_count": 8,
               "nodes": 2, "low": 24000.5, "high": 24000.5, "unit": "tokens/s", "printed_unit": "Tokens/s",
               "tokens_per_sample": 300.0, "tokens_per_second": 24000.5,
               "precision": "fp8", "precision_basis": "declared", "power_measured": False, "inferred": False,
               "source_id": "mlcommons-v9.9", "origin": "official", "corrected": "",
               "evidence": "summary"})  # fmt: skip
    assert row["samples_per_second"] != row["samples_per_second"]  # no log says how many


def test_a_row_of_v6_1_is_known_by_its_names(tmp_path, bring):
    rows = bring(v61(tmp_path / "summary.json", {}, {"Platform": "b", "Result": 7.5, "Units": "Latency (ms)"}),
                 round="v9.9", origin="official")  # fmt: skip
    told(rows.loc["o-9.9-closed-acme-acme-resnet50-singlestream"],
         {"submitter": "Acme", "division": "closed", "scenario": "SingleStream", "benchmark": "resnet50", "low": 2.0,
          "unit": "ms", "metric": "latency", "accelerator_count": 6, "nodes": 3, "note": ""})  # fmt: skip
    assert rows.loc["o-9.9-closed-acme-b-resnet50-singlestream", "low"] == 7.5


def test_power_in_a_row_of_its_own_joins_its_result(tmp_path, bring):
    rate = {"Scenario": "Offline", "Result": 100.0, "Units": "Samples/s"}
    path = v61(tmp_path / "summary.json", rate, rate | {"Result": 4597.2, "Units": "Watts"},
               rate | {"Platform": "b", "Location": "closed/Acme/results/b/resnet50/Offline"})  # fmt: skip
    rows = bring(path, round="v9.9", origin="official")
    assert sorted(rows["power_watts_low"].fillna(0)) == [0, 4597.2] and sorted(rows["power_measured"]) == [False, True]
    assert rows.attrs["status"] == 0 and set(rows["low"]) == {100.0}


def test_power_of_another_system_is_no_result(tmp_path, bring):
    rate = {"Scenario": "Offline", "Result": 100.0, "Units": "Samples/s"}
    alone = rate | {"Location": "elsewhere", "Platform": "b", "Result": 4597.2, "Units": "Watts"}
    rows = bring(v61(tmp_path / "summary.json", rate, alone), round="v9.9", origin="official")
    assert list(rows["low"]) == [100.0] and rows.attrs["status"] == 1
    assert "power without the result" in rows.attrs["said"]


NEW = {"Model": "new-model", "UsedModel": "new-model"}


LABELS = [
    ({"Performance_Units": "Samples/s"}, "tokens/s", "labeled Samples/s, but llama2-70b counts tokens"),
    ({"Performance_Units": "Queries/s"}, "tokens/s", "labeled Queries/s, but llama2-70b counts tokens"),
    ({"Model": "resnet", "UsedModel": "resnet50", "Performance_Units": "Samples/s"}, "samples/s", ""),
    ({"Performance_Units": "Apples/s"}, "tokens/s", "labeled Apples/s, but llama2-70b counts tokens"),
    ({"Model": "rgat", "UsedModel": "rgat", "Scenario": "Server", "Performance_Units": "Queries/s"}, "queries/s", ""),
    ({**NEW, "Performance_Units": "Samples/s"}, "tokens/s", "labeled Samples/s, but new-model counts tokens"),
    ({**NEW, "Performance_Units": "Tasks/s", "Accuracy": "acc: 1"}, "samples/s", ""),
]


def test_a_wrong_label_is_put_right_and_says_so(tree, bring):
    ids = [f"9.9-{number:04}" for number in range(len(LABELS))]
    rows = bring(tree.summary(*({"ID": id} | changes for id, (changes, *_) in zip(ids, LABELS, strict=True))))
    rows = rows.set_index("result_id").loc[ids]
    assert list(zip(rows["unit"], rows["corrected"], strict=True)) == [(unit, why) for _, unit, why in LABELS]


def test_a_new_round_with_a_new_benchmark_and_accelerator_is_imported_and_named(tree, bring):
    rows = bring(tree.summary(NEW | {"Accelerator": "Acme X1"}))
    told(rows.iloc[0], {"accelerator": "Acme X1", "benchmark": "new-model", "accelerator_count": 8, "round": "v9.9"})
    for words in ("'Acme X1' in 1 rows", "data/accelerators.csv", "'new-model' in 1 rows", "'v9.9' in 1 rows"):
        assert words in rows.attrs["said"]
    assert rows.attrs["status"] == 0


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
        ("fp8,fp4", "v6.1", True, ("", "mixed")),
        ("NVFP4, FP8 (KV cache)", "v6.1", True, ("fp4", "declared")),
        ("NVFP4 weights with FP8 KV cache", "v6.1", True, ("fp4", "declared")),
        ("fp8 KV cache", "v6.1", True, ("", "unknown")),
        ("float8_e4m3fn", "v6.1", True, ("fp8", "declared")),
    ],
)
def test_precision_is_what_ran_or_unknown(declared, round, counts_tokens, found):
    assert hardware.precision(declared, round, counts_tokens)[:2] == found


@pytest.mark.parametrize(
    ("name", "canonical", "known"),
    [
        ("nvidia  h100-sxm-80gb", "H100 SXM", True),
        ("NVIDIA H200-SXM-141GB-CTS", "H200 SXM CTS", True),
        ("NVIDIA L4 (x8)", "L4", True),
        ("AMD Instinct MI300X 192GB HBM3 (x2x8) and AMD Instinct MI355X 288GB HBM3e (x2x8)", "mixed", True),
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


def test_a_system_without_accelerators_counts_sockets(tree, bring):
    row = bring(tree.summary({"Accelerator": "", "a#": "", "Processor": "INTEL(R) XEON(R) PLATINUM 8592+"})).iloc[0]
    assert (row["accelerator"], row["accelerator_count"]) == ("Xeon Platinum 8592+", 4)


def test_the_name_counts_where_the_last_node_is_not_full(tree, bring):
    row = bring(tree.summary({"Accelerator": "AMD Instinct MI355X 288GB HBM3e (x87)", "a#": 8, "Nodes": 11})).iloc[0]
    assert row["accelerator_count"] == 87 and "87 accelerators by its name" in row["note"]


@pytest.mark.parametrize(("value", "duplicate"), [(24000.5, ID), (23999.0, "")])
@pytest.mark.parametrize("first", [True, False])
def test_one_measurement_under_both_targets_counts_once(tree, bring, value, duplicate, first):
    loose = {"UsedModel": "llama2-70b-99", "Model": "llama2-70b-99", "Performance_Result": value,
             "Location": "closed/Acme/results/acme/llama2-70b-99/Offline"}  # fmt: skip
    rows = bring(tree.summary(*([loose, {}] if first else [{}, loose]))).set_index("accuracy_target")
    assert rows["duplicate_of"].to_dict() == {"99": duplicate, "99.9": ""}


def test_a_result_whose_stricter_target_is_left_out_counts_itself(tree, bring):
    loose = {"UsedModel": "llama2-70b-99", "Model": "llama2-70b-99",
             "Location": "closed/Acme/results/acme/llama2-70b-99/Offline"}  # fmt: skip
    rows = bring(tree.summary(loose, {"Nodes": 0.5}))
    assert rows[["accuracy_target", "duplicate_of", "note"]].to_numpy().tolist() == [["99", "", ""]]


IMPOSSIBLE = {
    "which no system reaches": [
        {"Performance_Result": -1}, {"Performance_Result": "fast"}, {"Performance_Result": 1e17},
        {"Performance_Result": 1e300}, {"Performance_Result": 1e-300}, {"Performance_Result": True},
        {"Performance_Result": float("inf")}, {"Performance_Result": 4e8},
    ],
    "which no system draws": [
        {"Power_Result": 1e-300, "Power_Units": "Watts"}, {"Power_Result": 1e23, "Power_Units": "Watts"},
        {"Power_Result": 0.0, "Power_Units": "Watts"}, {"Power_Result": "much", "Power_Units": "Watts"},
        {"Power_Result": 1e30, "Power_Units": "millijoules"},
    ],
    "its power is labeled 'kW'": [{"Power_Result": 0.5, "Power_Units": "kW"}],
    "nodes is not a whole number above 0": [{"Nodes": 0}],
    "not a whole number": [{"Nodes": 1.5}, {"Nodes": True}, {"a#": "1_0"}],
    "names no accelerator, though it counts some": [{"Accelerator": ""}],
    "total accelerators are not nodes times": [{"total_accelerators": 3}],
    "its unit 'Apples' is not known": [NEW | {"Performance_Units": "Apples", "Accuracy": ""}],
    "ms expected": [{"Scenario": "SingleStream"}],
    "division: 'ajar' is not one of closed, open, network": [{"Category": "ajar"}],
    "scenario 'Sideways' is not one of": [{"Scenario": "Sideways"}],
    "has no Submitter or Organization": [{"Submitter": None}],
    "rounds before v4.1 are not read": [{"version": "v3.1"}],
    "more than 20,000 characters in weights": [{"weight_data_types": "(" * 32_000}],
}  # fmt: skip


def test_rows_that_cannot_be_are_left_out_alone_with_the_reason(tree, bring, monkeypatch):
    monkeypatch.setattr(importing, "SHOWN", 100)
    cases = [(reason, changes) for reason, rows in IMPOSSIBLE.items() for changes in rows]
    places = [
        {"ID": f"9.9-{number:04}", "Platform": f"p{number}", "System": f"p{number}"} for number in range(len(cases))
    ]
    started = time.monotonic()
    rows = bring(
        tree.summary({"ID": "9.9-1000"}, *(place | case for place, (_, case) in zip(places, cases, strict=True)))
    )
    assert list(rows["result_id"]) == ["9.9-1000"] and rows.attrs["status"] == 1
    for number, (reason, changes) in enumerate(cases, 2):
        (line,) = [line for line in rows.attrs["said"].splitlines() if f": row {number}: " in line]
        assert reason in line and len(line) < 500, changes
    assert time.monotonic() - started < 8


def test_long_declarations_take_no_time():
    started = time.monotonic()
    for text in ("a" * 32_000, "(" * 32_000, "fp8 (" * 6_000, "a-" * 16_000, "fp8 with " * 3_000):
        hardware.precision(text, "v6.1", True)
    assert time.monotonic() - started < 1


def test_a_flag_of_v6_0_on_says_how_a_folder_is_spelled(tree, bring):
    assert not bring(tree.summary({"inferred": 1}))["inferred"].any()
    assert bring(tree.summary({"inferred": 1, "version": "v5.1", "ID": "5.1-9007"}), origin="official")[
        "inferred"
    ].all()


POWERS = [
    ("Watts", "Offline", {"power_watts_low": 2.0}),
    (None, "Offline", {"power_watts_low": 2.0}),
    ("millijoules", "Offline", {"energy_millijoules_per_query": 2.0}),
    (None, "SingleStream", {"energy_millijoules_per_query": 2.0}),
]


def test_power_is_what_its_label_says(tree, bring):
    rows = [
        {"ID": f"9.9-{number:04}", "Model": "resnet", "UsedModel": "resnet50", "Scenario": scenario,
         "Power_Result": 2.0, "Power_Units": label,
         "Performance_Units": "Latency (ms)" if "Stream" in scenario else "Samples/s"}
        for number, (label, scenario, _) in enumerate(POWERS)
    ]  # fmt: skip
    found = bring(tree.summary(*rows)).sort_values("result_id")
    power = [row.dropna().to_dict() for _, row in found[["power_watts_low", "energy_millijoules_per_query"]].iterrows()]
    assert power == [each for *_, each in POWERS] and found["power_measured"].all()


def test_a_figure_of_endpoints_logs_says_what_it_is(tmp_path, bring):
    single = {"Accuracy": 80.6, "MlperfModel": "agentic edge", "Model": "qwen3.6-27b"}
    row = bring(v61(tmp_path / "summary.json", single), round="v9.9", origin="official").iloc[0]
    assert row["note"] == "figure of MLPerf Endpoints logs; mean latency, where LoadGen gives a percentile"


@pytest.mark.parametrize(
    "content", ["", "[", "7", '{"a" 1}', "[]", '"text"', "[" * 5000, "\x00", '[{"a": "\\ud800"}]', "[1, 2]"]
)
def test_what_is_no_summary_is_refused_by_name_and_nothing_is_written(tmp_path, bring, content):
    path, out = tmp_path / "x.json", tmp_path / "out.parquet"
    path.write_text(content)
    rows = bring(path, out=out)
    assert rows.empty and "x.json" in rows.attrs["said"] and not out.exists()
    assert [file.name for file in tmp_path.iterdir()] == ["x.json"]


def test_bytes_of_other_encodings_and_texts_of_other_programs(tree, bring):
    path = tree.summary({"System": "Acme @"})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert bring(path).iloc[0]["system"] == "Acme @"
    path.write_bytes(path.read_bytes()[3:].replace(b"Acme @", b"Acm\xe9"))
    assert bring(path).iloc[0]["system"] == "Acmé"
    row = bring(tree.summary({"System": "=1+1", "Software": "a\x1b[31m\ud800\u200b\nb"})).iloc[0]
    assert (row["system"], row["framework"]) == ("'=1+1", "a[31m b")


def test_rows_with_one_reason_are_one_line(tree, bring):
    rows = bring(tree.summary(*({"ID": f"9.9-{number:04}", "Performance_Result": -1} for number in range(30)), {}))
    (line,) = [line for line in rows.attrs["said"].splitlines() if line.startswith("left out")]
    assert "row 1 and 29 more: the result is -1 Tokens/s, which no system reaches" in line


def test_the_same_result_twice_counts_once_and_another_with_its_id_is_left_out(tree, bring):
    rows = bring(tree.summary({}, {}, {"Performance_Result": 7.0}))
    assert list(rows["low"]) == [24000.5]
    assert "row 2: stands twice, the same" in rows.attrs["said"]
    assert "row 3: stands twice, with another figure" in rows.attrs["said"]


def test_options_and_paths_are_checked_first(tree, bring, tmp_path):
    path = tree.summary()
    for choices, words in (
        ({"origin": "mine"}, "--origin"), ({"round": "5.1"}, "is not a round"), ({"out": tmp_path / "a.txt"}, "ending"),
        ({"out": tmp_path / "no" / "a.csv"}, "--out"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            bring(path, **choices)
    assert "no such file" in bring(tmp_path / "absent.json").attrs["said"]
    (tmp_path / "a.tar.gz").write_bytes(b"")
    assert "archives are not read" in bring(tmp_path / "a.tar.gz").attrs["said"]
    assert ROW["ID"] == "9.9-0007"


def test_a_summary_is_read_up_to_a_size(tree, bring, monkeypatch):
    path = tree.summary()
    monkeypatch.setattr("analysis.recipes.official.sources.LARGEST", len(path.read_bytes()) - 1)
    assert "is larger than 0 MiB" in bring(path).attrs["said"]


def test_a_count_that_the_name_or_the_board_contradicts_is_doubted(tree, bring):
    """A name of 1 node beside 2, and 16 SXM accelerators on a node; 2 nodes of 8 and a name of 2 are none."""
    names = [("x-1-node", 2, 8), ("H100-2N", 2, 8), ("plain", 1, 16), ("plain 16x", 2, 8)]
    rows = [{"ID": f"9.9-000{at}", "System": name, "Nodes": nodes, "a#": each, "Platform": f"p{at}",
             "Location": f"closed/Acme/results/p{at}/llama2-70b-99.9/Offline"}
            for at, (name, nodes, each) in enumerate(names)]  # fmt: skip
    found = bring(tree.summary(*rows)).set_index("result_id")
    assert found["note"].str.contains("its name says other than 2 nodes|more than SXM boards").tolist() == [
        True, False, True, False
    ]  # fmt: skip
    assert found.attrs["said"].count("doubtful") == 2


def test_the_csv_of_the_submission_checker_is_read_as_a_summary(tmp_path, bring):
    path = tmp_path / "summary.csv"
    rows = [
        V61,
        V61 | {"Platform": "b", "Result": 0.004, "Location": "build/closed/Acme/results/b/resnet50/SingleStream"},
    ]
    head = "Organization," + ",".join(name for name in V61 if name != "Organization")
    body = ["\n" + ",".join("" if row[name] is None else str(row[name]) for name in head.split(",")) for row in rows]
    path.write_text(head + "".join(body), "utf-8")
    found = bring(path, round="v6.1", origin="measured")
    assert found["low"].tolist() == [2, 4] and found["accelerator_count"].tolist() == [6, 6]
    assert found["location"].str.startswith("closed/Acme/results/").all()


def test_the_public_csv_of_the_checker(bring):
    path = Path(__file__).parents[4] / "shared" / "cases" / "38-checker-csv" / "summary.csv"
    if not path.exists():
        pytest.skip("the public cases are not at hand")
    found = bring(path, round="v7.0", origin="measured").sort_values("low")
    assert found["low"].tolist() == [107318, 112954, 754855] and found["accelerator_count"].tolist() == [8, 8, 72]


def test_an_import_overwrites_no_table_of_the_project(tree, bring):
    prices = DATA / "prices.csv"
    before = prices.read_bytes()
    with pytest.raises(ValueError, match="is a table of the project"):
        importing.import_results([tree.summary()], out=prices, say=str)
    assert prices.read_bytes() == before
