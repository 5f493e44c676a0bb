"""`make data`, and how notebooks and reports take up what lies in data/official/."""

import json

import pandas as pd
import pytest

from analysis._core import agreement, paths
from analysis._import.official import own_rounds, shipped_rounds
from analysis._import.official.import_run import ImportFailed, import_results
from analysis._tables import check, dictionary, official_rows
from analysis._tables.catalog import Catalog
from analysis._tables.descriptor import read_tables
from analysis._tables.loading import TableError


@pytest.fixture
def data(tmp_path, documents_only):
    """A copy of data/ without the record, and without what somebody has imported."""
    return documents_only(tmp_path / "data")


def put(data, tree, name, *rows):
    import_results([tree.summary(*rows)], data / "official" / name, say=lambda line: None)


@pytest.fixture
def ship(data, tree):
    """Ships the rows of a summary as the record of v4.1 in the copy."""

    def make(*rows):
        describe(data, "v4.1")
        assert shipped_rounds.make([tree.summary(*rows)], folder=data, say=lambda line: None) == 0

    return make


def describe(data, *rounds):
    """Describe parts of the record, of which nothing is there yet."""
    package = json.loads((data / "datapackage.json").read_text("utf-8"))
    results = next(each for each in package["resources"] if each["name"] == "results")
    source = {"file": "summary.json", "path": "https://example.org", "commit": "c0ffee", "sha256": "0" * 64}
    results["parts"] = [
        {"round": name, "path": f"official/{name}.parquet", "rows": 0, "bytes": 0, "hash": "", "sources": [source]}
        for name in rounds
    ]
    (data / "datapackage.json").write_text(json.dumps(package), "utf-8")


KNOWN = "o-4.1-0007-llama2-70b-99.9-offline"


def test_imported_rows_join_the_results(data, tree):
    before = Catalog(data).results
    put(data, tree, "x.parquet", {})
    catalog = Catalog(data)
    after = catalog.results
    assert len(after) == len(before) + 1
    row = after.set_index("id").loc[KNOWN]
    assert (row["low"], row["accelerator_count"], row["source"], row["corrected"]) == (24000.5, 8, "official v4.1", "")
    assert "official/x.parquet" in catalog.used and check.faults(data) == []
    pd.testing.assert_frame_equal(after.loc[: len(before) - 1, list(before)], before)


def test_what_is_shipped_is_read_and_a_user_s_own_import_of_it_wins(data, tree, ship):
    ship({}, {"ID": "v4.1-0008", "Location": "closed/Other"})
    before = Catalog(data)
    assert before.results.set_index("id").at[KNOWN, "low"] == 24000.5 and "official/v4.1.parquet" in before.used
    put(data, tree, "mine.parquet", {"Performance_Result": 25000.0, "Software": ""},
        {"ID": "v4.1-0009", "Location": "closed/Third"})  # fmt: skip
    after = Catalog(data).results.set_index("id")
    assert len(after) == len(before.results) + 1 and after.at[KNOWN, "low"] == 25000.0
    assert after.at[KNOWN, "framework"] == before.results.set_index("id").at[KNOWN, "framework"] != ""
    assert check.faults(data) == []


def test_a_result_whose_log_is_known_stays_inferred_beside_a_summary_that_does_not_say_so(data, tree):
    tree.run()
    describe(data, "v4.1")
    shipped_rounds.make([tree.summary(), tree.root], folder=data, say=lambda line: None)
    record = official_rows.shipped(data, read_tables(data)["results"]).assign(inferred=True)
    mine = record.assign(inferred=False, recomputed=float("nan"), recomputed_difference=float("nan"))
    assert official_rows.with_own(record, [mine])["inferred"].tolist() == [True]


@pytest.mark.parametrize(("low", "high", "off"), [(24000.0, 24001.0, 0.0), (24000.0, 24000.25, 24000.5 / 24000.25 - 1)])
def test_a_log_agrees_with_a_rounded_figure_where_it_lies_within_its_range(data, tree, ship, low, high, off):
    tree.run()
    ship({})
    rounded = official_rows.shipped(data, read_tables(data)["results"]).assign(low=low, high=high)
    alone = data.parent / "tree.parquet"
    import_results([tree.root], alone, say=lambda line: None)
    joined = official_rows.with_own(rounded, [official_rows.load(alone, read_tables(data)["results"])])
    assert joined["recomputed_difference"].tolist() == [off] and agreement.off(24000.5, low, high) == off


def test_only_what_is_shipped_is_read_where_that_is_asked(data, tree, ship, monkeypatch):
    ship({})
    put(data, tree, "mine.parquet", {"Performance_Result": 25000.0})
    monkeypatch.setenv("ANALYSIS_OFFICIAL", "shipped")
    catalog = Catalog(data)
    assert catalog.results.set_index("id").at[KNOWN, "low"] == 24000.5
    assert "official/mine.parquet" not in catalog.used


def test_a_part_that_is_another_file_or_missing_is_named(data, tree, ship):
    ship({})
    part = data / "official" / "v4.1.parquet"
    put(data, tree, part.name, {"Performance_Result": 25000.0})
    with pytest.raises(TableError, match=r"official/v4\.1\.parquet: its sha256 is not .*git checkout data/official/v4"):
        _ = Catalog(data).results
    assert [fault.file for fault in check.faults(data)] == ["official/v4.1.parquet"]
    part.unlink()
    with pytest.raises(TableError, match=r"official/v4\.1\.parquet: is missing"):
        _ = Catalog(data).results


def test_a_part_is_held_to_the_round_and_the_rows_that_are_described(data, ship):
    ship({})
    package = (data / "datapackage.json").read_text("utf-8")
    (data / "datapackage.json").write_text(package.replace('"rows": 1', '"rows": 2'), "utf-8")
    assert [str(fault) for fault in check.faults(data)] == [
        "official/v4.1.parquet: is described as 2 rows of v4.1; it holds 1 of v4.1"
    ]


def test_an_official_row_is_put_right_by_a_correction_of_what_stands(data, ship):
    table = data / "corrections.csv"
    head = table.read_text("utf-8").splitlines()[0]
    fix = f"official,{KNOWN},precision_basis,unknown,calibration document,its document says so,mlcommons-v4.1,a page\n"
    table.write_text(f"{head}\n{fix}", "utf-8")
    ship({})
    assert Catalog(data).results.set_index("id").at[KNOWN, "precision_basis"] == "calibration document"
    assert check.faults(data) == []
    for wrong in (fix.replace("0007", "0070"), fix.replace("_basis", "_cause")):
        table.write_text(f"{head}\n{wrong}", "utf-8")
        dictionary.describe(data)
        with pytest.raises(TableError, match=r"corrections\.csv, row 2, column printed: the official record has"):
            _ = Catalog(data).results
        assert [fault.row for fault in check.faults(data)] == [2]


def test_the_record_is_the_same_bytes_from_the_same_files_in_any_order(data, tree):
    lines = []
    describe(data, "v4.1")
    file = tree.summary({"ID": "v4.1-0008", "Location": "closed/Other"}, {})
    assert shipped_rounds.make([file], folder=data, say=lines.append) == 0
    part = data / "official" / "v4.1.parquet"
    first = part.read_bytes()
    assert pd.read_parquet(part)["id"].tolist() == [KNOWN, KNOWN.replace("0007", "0008")]
    assert f"unknown   {file}: its SHA-256 is none of those that datapackage.json names" in lines
    assert lines[-1] == "written   official/v4.1.parquet: 2 rows" and check.faults(data) == []

    file = tree.summary({}, {"ID": "v4.1-0008", "Location": "closed/Other"})
    assert shipped_rounds.make([file], folder=data, check=True, say=lines.append) == 0
    assert lines[-1] == "the same  official/v4.1.parquet: 2 rows"
    assert shipped_rounds.make([tree.summary({})], folder=data, check=True, say=lines.append) == 1
    assert lines[-1] == "differs   official/v4.1.parquet: 1 rows, 1 fewer than are shipped"
    assert part.read_bytes() == first


@pytest.mark.parametrize(("what", "lost"), [("fp8", "1 fewer with a precision"), ("", "")])
def test_a_precision_that_is_said_no_more_is_a_loss(data, tree, what, lost):
    lines = []
    describe(data, "v4.1")
    assert shipped_rounds.make([tree.summary({"weight_data_types": what})], folder=data, say=lines.append) == 0
    before = (data / "official" / "v4.1.parquet").read_bytes()
    other = tree.summary({"weight_data_types": "", "Performance_Result": 25000.0})
    assert shipped_rounds.make([other], folder=data, say=lines.append) == int(bool(lost))
    assert ((data / "official" / "v4.1.parquet").read_bytes() == before) == bool(lost)
    if lost:
        assert lines[-2] == f"differs   official/v4.1.parquet: 1 rows, {lost}"
        assert shipped_rounds.make([other], folder=data, fewer=True, say=lines.append) == 0


def test_a_round_that_lost_rows_keeps_the_others_from_being_written(data, tree):
    """v5.1 has another figure, but v4.1 has lost a row: a record is one state of all its inputs."""
    describe(data, "v4.1", "v5.1")
    link = "https://github.com/mlcommons/inference_results_v5.1/tree/main/closed/Acme"
    later = {"version": "v5.1", "ID": "v5.1-0007", "Details": link}
    other = {"ID": "v4.1-0008", "Location": "closed/Other"}
    assert shipped_rounds.make([tree.summary({}, other, later)], folder=data, say=lambda line: None) == 0
    files = [data / "official" / f"{round}.parquet" for round in ("v4.1", "v5.1")]
    before = [file.read_bytes() for file in files]
    fewer = tree.summary({}, later | {"Performance_Result": 25000.0})
    assert shipped_rounds.make([fewer], folder=data, say=lambda line: None) == 1
    assert [file.read_bytes() for file in files] == before


FEW = ("v5.0", "v6.0", "v6.1")  # a table; a tree, a summary and facts; a summary alone


def test_a_round_without_a_described_part_is_not_shipped(data, tree):
    lines = []
    describe(data, "v5.1")
    (data / "official" / "v5.1.parquet").write_bytes((paths.OFFICIAL / "v6.0.parquet").read_bytes())
    assert shipped_rounds.make([tree.summary({})], folder=data, say=lines.append) == 0
    assert lines[-1] == "left out  v4.1: datapackage.json describes no part of this round"
    assert [path.name for path in (data / "official").iterdir()] == ["v5.1.parquet"]


@pytest.mark.parametrize("rounds", [FEW, pytest.param((), marks=pytest.mark.slow)], ids=["few", "all"])
def test_the_shipped_record_is_made_again_byte_for_byte(shared, rounds):
    """From the files that data/README.md names, as far as a maintainer has them all: the rounds made without clones."""
    parts = [part for part in read_tables(paths.DATA)["results"].parts if not rounds or part.round in rounds]
    whole = [part for part in parts if all("sha256" in source for source in part.sources)]
    names = {source["file"] for part in whole for source in part.sources}
    files = [folder / name for folder in (shared, shared / "trees", shared.parent / "facts") for name in names]
    lines = []
    shipped_rounds.make([file for file in files if file.is_file()], check=True, say=lines.append)
    same = {line.split()[2].rstrip(":") for line in lines if line.startswith("the same")}
    assert whole and same >= {part.path for part in whole}, lines
    assert not [line for line in lines if line.startswith("unknown   /")]


def test_the_record_with_its_summary_imported_beside_it_says_the_same(shared, tmp_path):
    """But for what a summary writes otherwise than a log: the accuracy, and remarks on what was computed again."""
    table = read_tables(paths.DATA)["results"]
    record = official_rows.shipped(paths.DATA, table)
    out = tmp_path / "mine.parquet"
    import_results([shared / "v6.0_summary_results.json", shared.parent / "facts" / "submitted_configurations.csv"],
                   out, say=lambda line: None)  # fmt: skip
    both = official_rows.with_own(record, [official_rows.load(out, table)])
    aside = ["accuracy", "note", "locator"]
    pd.testing.assert_frame_equal(both.drop(columns=aside), record.drop(columns=aside), check_exact=True)


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_a_tree_beside_a_summary_counts_once_and_brings_its_recomputation(data, tree, names):
    before, summary, alone = len(Catalog(data).results), *(f"{name}.parquet" for name in names)
    tree.run()
    loose = {"UsedModel": "llama2-70b-99", "Model": "llama2-70b-99", "Location": tree.run("llama2-70b-99").upper()}
    put(data, tree, summary, {"Performance_Result": 24000.0}, loose | {"Performance_Result": 24000.0})
    import_results([tree.root], data / "official" / alone, say=lambda line: None)
    catalog = Catalog(data)
    rows = catalog.results.set_index("id").drop(index=catalog.table("results")["id"])
    assert len(catalog.results) == before + 2 and set(rows["result_id"]) == {"4.1-0007"}
    assert set(rows["low"]) == {24000.0} and set(rows["recomputed"]) == {24000.5}
    assert rows["recomputed_difference"].tolist() == [24000.5 / 24000 - 1] * 2
    assert rows["duplicate_of"].tolist() == ["", "o-4.1-0007-llama2-70b-99.9-offline"]


def test_an_imported_file_that_is_not_sound_is_named(data, tree):
    put(data, tree, "x.csv")
    path = data / "official" / "x.csv"
    path.write_text(path.read_text().replace(",closed,", ",ajar,").replace("24000.5", "many"))
    with pytest.raises(TableError, match=r"official/x\.csv, row 2, column low: 'many' is not of type number"):
        _ = Catalog(data).results
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(TableError, match="import it again"):
        _ = Catalog(data).results
    (data / "official" / "y.parquet").write_bytes(b"PAR1")
    assert {fault.file for fault in check.faults(data)} == {"official/x.csv", "official/y.parquet"}


def test_files_of_one_s_own_are_imported_a_file_a_round(data, tree):
    folder = data / "official"
    assert own_rounds.bring([tree.summary({})], folder=folder, say=lambda line: None) == 0
    assert [path.name for path in folder.iterdir()] == ["v4.1_imported.parquet"]
    assert Catalog(data).results.set_index("id").at[KNOWN, "low"] == 24000.5
    with pytest.raises(ImportFailed, match="nothing to import"):
        own_rounds.bring([data / "nothing.json"], folder=folder, say=lambda line: None)
    assert [path.name for path in folder.iterdir()] == ["v4.1_imported.parquet"]
