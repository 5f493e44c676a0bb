"""What may stand beside the shipped record, and that nothing of it is lost."""

import json
import threading
import time
from pathlib import Path

import pandas as pd
import pytest

from analysis import load_results
from analysis.paths import DATA
from analysis.recipes.official import importing, record
from tests.recipes.official.conftest import ROW

SHARED = Path(__file__).parents[4] / "shared" / "cases"
ID = "o-9.9-0007-llama2-70b-99.9-offline"


@pytest.fixture
def add():
    """Add paths to the record: exit status and all lines as one text."""

    def run(*paths, **choices):
        lines, status = [], 1
        try:
            status = importing.add_to_record(paths, say=lines.append, **choices)
        except importing.ImportFailed as failed:
            lines.append(str(failed))
        return status, "\n".join(lines)

    return run


RESULT = {
    "id": "o-1", "result_id": "9.9-0007", "location": "closed/Acme/results/acme/llama2-70b-99/Offline", "round": "v9.9",
    "benchmark": "llama2-70b", "accuracy_target": "99", "scenario": "Offline", "submitter": "Acme", "system": "8x H100",
    "division": "closed", "unit": "tokens/s", "low": 24000.0, "high": 24000.0, "evidence": "summary", "locator": "",
    "duplicate_of": "", "origin": "official", "fault": "",
}  # fmt: skip
UNNAMED = {"id": "o-2", "result_id": "", "location": ""}
SAME = {"submitter": "ACME", "system": "8x-h100"}


@pytest.mark.parametrize(
    ("changes", "id", "fault"),
    [
        (SAME, "o-1", ""),
        ({"id": "o-2"}, "o-1", ""),
        ({"id": "o-2", "result_id": "", "submitter": "ACME", "location": RESULT["location"].upper()}, "o-1", ""),
        (UNNAMED | SAME, "o-1", ""),
        (UNNAMED | {"division": "open"}, "o-2", ""),
        (UNNAMED | {"scenario": "Server"}, "o-2", ""),
        ({"id": "o-2", "result_id": "9.9-0008"}, "o-2", ""),  # another id in the folder of the first
        ({"origin": "measured", "low": 1.0}, "o-1", ""),
        ({"low": 24023.9, "high": 24030.0}, "o-1", ""),  # within a thousandth
        ({"low": 24024.1, "high": 24030.0}, "o-1", "Acme, 8x H100, 24,024.1 tokens/s, but the record's o-1 is Acme, "),
        ({"low": 12000.0, "high": 12000.0}, "o-1", "Acme, 8x H100, 12,000 tokens/s, but the record's o-1 is"),
        ({"submitter": "Other Lab"}, "o-1", "Other Lab, 8x H100, 24,000 tokens/s, but the record's o-1 is Acme"),
        (
            {"system": "trialbox"},
            "o-1",
            "Acme, trialbox, 24,000 tokens/s, but the record's o-1 is Acme, 8x H100, 24,000",
        ),
    ],
)
def test_a_result_is_held_against_the_same_one_of_the_record(shipped, changes, id, fault):
    shipped(pd.DataFrame([RESULT]).set_index("id"))
    found = record.held_against(pd.DataFrame([RESULT | changes])).iloc[0]
    assert found["id"] == id and (found["fault"] == "" if fault == "" else fault in found["fault"])


def test_only_stronger_evidence_adds_to_a_result_of_the_record_and_loses_nothing(shipped):
    shipped(pd.DataFrame([RESULT | {"precision": "fp4"}]).set_index("id"))
    for evidence, kept in (("table", 0), ("summary", 0), ("log", 1)):
        ours = pd.DataFrame([RESULT | {"evidence": evidence, "precision": "", "low": 23999.0}])
        found = record.completed(record.held_against(ours))
        assert len(found) == kept
    assert found[["precision", "evidence", "low"]].to_numpy().tolist() == [["fp4", "log", 23999.0]]


def own(folder, round="v9.9"):
    file = folder / f"{round}-own.parquet"
    return pd.read_parquet(file).set_index("id") if file.is_file() else None


def lone(path, *rows, **changes):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([ROW | changes | row for row in rows or ({},)]))
    return path


def test_a_new_round_lands_beside_the_shipped_files_and_grows(tree, bring, shipped, add):
    folder = shipped(bring(tree.summary()).head(0), "v9.8")
    assert add(tree.root)[0] == 0 and list(own(folder).index) == [ID]
    tree.summary(
        {"ID": "9.9-0008", "System": "another", "Platform": "b", "Location": "closed/Acme/results/b/m/Offline"}
    )
    status, said = add(tree.root)
    assert status == 0 and "2 rows supplement the shipped record" in said
    assert list(own(folder)["result_id"]) == ["9.9-0007", "9.9-0008"]
    assert {file.name for file in folder.iterdir()} == {"v9.8.parquet", "v9.9-own.parquet"}


def test_a_result_that_the_record_has_is_not_added_again(tree, bring, shipped, add):
    folder = shipped(bring(tree.summary()))
    status, said = add(tree.root)
    assert status == 0 and own(folder) is None and "1 results are already in the shipped record" in said


def test_a_row_that_contradicts_the_record_decides_about_itself_alone(tree, bring, shipped, add):
    folder = shipped(bring(tree.summary()).assign(evidence="table"))
    new = {"ID": "9.9-0999", "Platform": "b", "Location": "closed/Acme/results/b/llama2-70b-99.9/Offline"}
    tree.summary({"System": "trialbox"}, new)
    status, said = add(tree.root)
    assert status == 1 and list(own(folder)["result_id"]) == ["9.9-0999"]
    assert f"trialbox, 24,000.5 tokens/s, but the record's {ID} is Acme" in said and "import it with --origin" in said


@pytest.mark.parametrize(("origin", "rows", "status"), [("", 1, 1), ("official", 1, 1), ("measured", 2, 0)])
def test_a_renamed_system_of_a_clone_costs_itself_alone(bring, origin, rows, status):
    tree = SHARED / "31-clone-one-system-name" / "inference_results_v6.0"
    if not tree.exists():
        pytest.skip("the public cases are not at hand")
    found = bring(tree, origin=origin)
    assert (len(found), found.attrs["status"]) == (rows, status)
    assert ("closed/Supermicro/results/AS-8126GS-NB3RT_B300" in found.attrs["said"]) is (status == 1)
    assert found["origin"].eq(origin or "official").all()


def test_two_imports_at_once_lose_no_row(tree, bring, shipped, add, monkeypatch):
    """While one import is between reading and writing, a second one of another result waits."""
    folder = shipped(bring(tree.summary()).head(0), "v9.8")
    other = {"ID": "9.9-0008", "System": "another", "Platform": "b", "Location": "closed/Acme/results/b/m/Offline"}
    second = lone(folder.parent / "inference_results_v9.9" / "summary_results.json", other)
    write, threads = importing._write, []

    def slow(found, *to):
        if not threads:
            threads.append(threading.Thread(target=add, args=[second]))
            threads[0].start()
            time.sleep(1)
        write(found, *to)

    monkeypatch.setattr(importing, "_write", slow)
    add(tree.root)
    threads[0].join()
    assert sorted(own(folder)["result_id"]) == ["9.9-0007", "9.9-0008"]


def test_a_file_that_comes_to_be_while_an_import_reads_is_kept(tree, tmp_path, monkeypatch):
    out, read = tmp_path / "own.csv", importing._imported

    def slow(*arguments):
        out.write_text("mine")
        return read(*arguments)

    tree.summary()
    monkeypatch.setattr(importing, "_imported", slow)
    with pytest.raises(OSError, match="was changed in the meantime and was not replaced"):
        importing.import_results([tree.root], out=out, round="v9.9", origin="official")
    assert out.read_text() == "mine" and list(tmp_path.glob(".*")) == []


def test_a_log_beside_a_shipped_summary_completes_it_and_loses_nothing(tree, bring, shipped, add):
    known = bring(tree.summary()).assign(precision="fp4", precision_basis="configuration", power_limit_watts=500.0)
    folder = shipped(known)
    (tree.root / "summary_results.json").unlink()
    (tree.root / "closed/Acme/measurements/acme/llama2-70b-99.9/Offline/a.json").unlink()
    tree.run()
    status, said = add(tree.root)
    assert status == 0, said
    row = own(folder).loc[ID]
    assert (row["result_id"], row["evidence"], row["ttft_p99_ms"]) == ("9.9-0007", "log", 450.0)
    assert (row["precision"], row["precision_basis"], row["power_limit_watts"]) == ("fp4", "configuration", 500.0)


def test_a_round_that_is_shipped_whole_has_no_other_results_unless_somebody_says_so(tree, bring, shipped, add):
    folder = shipped(bring(tree.summary()))
    tree.summary({"ID": "9.9-0999", "Platform": "b", "System": "b", "Location": "closed/Acme/results/b/m/Offline"})
    status, said = add(tree.root)
    assert status == 1 and own(folder) is None and "is complete and lacks it" in said
    assert add(tree.root, origin="official")[0] == 0 and list(own(folder)["result_id"]) == ["9.9-0999"]


def test_measured_rows_do_not_enter_the_record(tree, add):
    with pytest.raises(ValueError, match="--origin measured"):
        add(tree.summary(), origin="measured")


def test_a_failed_write_leaves_what_was_there(tree, bring, shipped, add, monkeypatch):
    folder = shipped(bring(tree.summary()).head(0), "v9.8")
    add(tree.root)
    before = (folder / "v9.9-own.parquet").read_bytes()
    monkeypatch.setattr(importing.pq, "write_table", lambda *_, **__: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        add(tree.root)
    assert (folder / "v9.9-own.parquet").read_bytes() == before and len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_an_import_writes_through_a_link(tree, tmp_path, ending):
    (target := tmp_path / f"kept{ending}").write_text("old")
    (out := tmp_path / f"out{ending}").symlink_to(target)
    importing.import_results([tree.summary()], out=out, say=lambda _: None)
    assert out.is_symlink() and target.read_bytes() != b"old"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != tree.root.name) == [target.name, out.name]


def test_the_shipped_ids_are_those_of_one_result_each():
    ids = pd.concat([pd.read_parquet(file, columns=["id"]) for file in (DATA / "official").glob("v?.?.parquet")])["id"]
    assert ids.is_unique and ids.str.fullmatch(r"o-[a-z0-9.-]+").all()


def test_no_shipped_count_of_nodes_contradicts_the_name_of_its_system():
    results = load_results()
    told = results["system"].str.extract(r"(?i)(?<![a-z0-9])(\d{1,3})[- _]?(?:nodes?|N)(?![a-z0-9])")[0].astype(float)
    assert told.notna().sum() > 100 and told.dropna().eq(results["nodes"][told.notna()]).all()


def test_counts_of_the_public_case_are_halved_where_a_name_has_one_node_or_boards_hold_eight():
    """Of 41 rows 38 counted twice: 20,578.9 samples/s on 2 sockets are 10,289 each, 6,235.72 tokens/s on 16, 389.7."""
    file = SHARED / "39-socket-counts" / "rows.csv"
    if not file.is_file():
        pytest.skip("the public cases are not at hand")
    case, key = pd.read_csv(file, dtype={"accuracy_target": str}, keep_default_na=False), ["round", "submitter",
        "division", "system", "benchmark", "accuracy_target", "scenario"]  # fmt: skip
    results = load_results().astype({name: str for name in key})
    found = case.merge(results, on=key, suffixes=("_before", ""), validate="one_to_many")
    assert len(found) == len(case) == 41
    halved = found["accelerator_count"].eq(found["accelerator_count_before"] / 2)
    assert halved.sum() == 38 and found["accelerator_count"].eq(found["accelerator_count_before"])[~halved].all()
    assert halved.eq(found["round"].ne("v3.1")).all()
    each = found["low"] / found["accelerator_count"]
    assert found["rate_per_accelerator"].to_numpy() == pytest.approx(each.to_numpy(), rel=1e-9)
