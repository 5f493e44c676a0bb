"""Files of summaries to results, and what an import says, writes, and refuses."""

import json
from pathlib import Path

import pandas as pd
import pytest

from analysis.paths import DATA
from analysis.recipes.official import importing
from analysis.recipes.official.summary import FileError, clean, decoded, read_summary
from tests.recipes.official.conftest import ROW, V61

ID = "o-9.9-0007-llama2-70b-99.9-offline"
RATE = V61 | {"Scenario": "Offline", "Result": 100.0, "Units": "Samples/s"}
POWER = RATE | {"Result": 4597.2, "Units": " Watts"}


def test_both_forms_name_the_same_fields():
    (old,), (new,) = read_summary(json.dumps([ROW])), read_summary(json.dumps({"0": V61}))
    names = ["submitter", "division", "system", "model_run", "value", "label", "per_node", "nodes", "total", "fault"]
    assert [old[name] for name in names] == [
        "Acme", "closed", "Acme 8x H100", "llama2-70b-99.9", 24000.5, "Tokens/s", 4.0, 2, None, ""
    ]  # fmt: skip
    assert [new[name] for name in names] == ["Acme", "closed", "Acme", "resnet50", 0.002, "Latency (s)", 2, 3, 6, ""]


def test_what_a_result_lacks_is_named_and_a_dash_says_nothing():
    results = read_summary(json.dumps([ROW | {"Submitter": "-"}, 1, ROW | {"UsedModel": ""}]))
    assert [result["fault"] for result in results] == ["has no Submitter or Organization"] * 2 + [""]
    assert [result["place"] for result in results] == ["row 1", "row 2", "row 3"]
    assert results[2]["model_run"] == "llama2-70b-99.9"  # the next key that says something


@pytest.mark.parametrize(
    ("rows", "power"),
    [
        ([RATE, POWER, RATE], [4597.2, None]),
        ([RATE, POWER | {"Platform": "b"}], [None, None]),
        ([RATE, POWER, POWER], [4597.2, None]),
        ([RATE | {"Power_Result": 5.0}, POWER], [5.0, None]),
        ([POWER, POWER], [None, None]),
    ],
)
def test_power_in_a_row_of_its_own_joins_the_result_before_it_alone(rows, power):
    results = read_summary(json.dumps(rows))
    assert [result["power"] for result in results] == power
    assert [bool(result["has_power"]) for result in results] == [each == 4597.2 for each in power]


def test_the_csv_of_the_submission_checker_is_read_as_a_summary():
    (result,) = read_summary("Organization,Scenario,Result,Units\nAcme,Offline,4,Samples/s\n", is_table=True)
    assert (result["submitter"], result["value"], result["fault"]) == (
        "Acme",
        "4",
        "has no Category or Division or compliance",
    )


@pytest.mark.parametrize("text", ["", "[", "7", '{"a" 1}', "[]", "{}", '"text"', "[" * 5000, "\x00"])
def test_what_is_no_summary_is_refused(text):
    with pytest.raises(FileError, match="is not "):
        read_summary(text)


def test_bytes_of_other_encodings_and_texts_of_other_programs():
    assert [decoded(content) for content in (b"\xef\xbb\xbfa", "a\xe9".encode("utf-16"), b"Acm\xe9")] == [
        "a",
        "aé",
        "Acmé",
    ]
    assert clean("=1+1") == "'=1+1" and clean("-") == "-" and clean(float("nan")) == clean(None) == ""
    assert clean("a\x1b[31m\ud800\u200b\nb") == "a[31m b"


def test_a_summary_gives_typed_rows_under_their_ids(tree, bring):
    row = bring(tree.summary()).loc[ID]
    cells = {
        "source_id": "mlcommons-v9.9",
        "origin": "official",
        "low": 24000.5,
        "evidence": "summary",
        "per": "system",
    }
    assert row[list(cells)].to_dict() == cells and row["locator"] == "result 9.9-0007, llama2-70b-99.9, Offline"


def test_one_measurement_under_both_targets_counts_once(tree, bring):
    """Another figure is another measurement, and so is a result whose stricter target is left out."""
    loose = {"UsedModel": "llama2-70b-99", "Model": "llama2-70b-99",
             "Location": "closed/Acme/results/acme/llama2-70b-99/Offline"}  # fmt: skip
    for rows, duplicate in (
        ([loose, {}], ID),
        ([{}, loose], ID),
        ([loose | {"Performance_Result": 23999.0}, {}], ""),
        ([loose, {"Nodes": 0.5}], ""),
    ):
        found = bring(tree.summary(*rows)).set_index("accuracy_target")["duplicate_of"]
        assert found["99"] == duplicate and found.drop("99").eq("").all()


def test_what_is_left_out_and_unknown_is_said_once(tree, bring):
    """Results of one reason are one line; the same id again is left out, with another figure or the same."""
    wrong = [{"ID": f"9.9-{number:04}", "Performance_Result": -1} for number in range(30)]
    new = {"ID": "9.9-0999", "UsedModel": "new", "Model": "new", "Accelerator": "Acme X1", "Category": "ajar"}
    rows = bring(tree.summary(*wrong, {}, {}, {"Performance_Result": 7.0}, new, new | {"Category": "open"}))
    assert rows["low"].tolist() == [24000.5, 24000.5] and rows.attrs["status"] == 1
    for words in (
        "row 1 and 29 more: the result is -1 Tokens/s, which no system reaches", "row 32: is a duplicate",
        "row 33: is a duplicate with a different figure",
        "row 34: division: 'ajar' is not one of closed, open, network",
        "'Acme X1' in 1 rows: add it to data/accelerators.csv", "'new' in 1 rows: add it to data/benchmarks.csv (",
        "'v9.9' in 2 rows: add it to data/rounds.csv, by hand or with --new-rows",
    ):  # fmt: skip
        assert words in rows.attrs["said"]


def test_options_and_paths_are_checked_first(tree, bring, tmp_path, monkeypatch):
    path, prices = tree.summary(), (DATA / "prices.csv").read_bytes()
    for choices, words in (
        ({"origin": "mine"}, "--origin"), ({"round": "5.1"}, "expected a round"),
        ({"out": tmp_path / "a.txt"}, "file extension"),
        ({"out": tmp_path / "no" / "a.csv"}, "--out"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            bring(path, **choices)
    with pytest.raises(ValueError, match="is part of the project"):
        importing.import_results([path], out=DATA / "prices.csv", say=str)
    assert (DATA / "prices.csv").read_bytes() == prices
    (tmp_path / "a.tar.gz").write_bytes(b"")
    monkeypatch.setattr("analysis.recipes.official.sources.LARGEST", len(path.read_bytes()) - 1)
    said = bring(tmp_path / "absent.json", tmp_path / "a.tar.gz", path).attrs["said"]
    assert "does not exist" in said and "is an archive" in said and "is larger than 0 MiB" in said
    assert not (tmp_path / "out.parquet").exists()


def test_the_public_csv_of_the_checker(bring):
    path = Path(__file__).parents[4] / "shared" / "cases" / "38-checker-csv" / "summary.csv"
    if not path.exists():
        pytest.skip("the public cases are not at hand")
    found = bring(path, round="v7.0", origin="measured").sort_values("low")
    assert found["low"].tolist() == [107318, 112954, 754855] and found["accelerator_count"].tolist() == [8, 8, 72]
    assert found["location"].str.startswith(("closed/", "open/")).all()


def test_an_own_file_has_the_types_of_a_shipped_one(tree, bring):
    own, shipped = bring(tree.summary()), pd.read_parquet(DATA / "official" / "v6.1.parquet")
    assert own.reset_index()[list(shipped)].dtypes.to_dict() == shipped.dtypes.to_dict()
