"""What is believed official, what may stand beside the shipped record, and that nothing of it is lost."""

import json
import shutil
import threading
import time
from pathlib import Path

import pandas as pd
import pytest

from analysis import load_results
from analysis.paths import DATA
from analysis.recipes.official import importing
from tests.recipes.official.conftest import ROW

SHARED = Path(__file__).parents[4] / "shared" / "cases"
LINK = "https://github.com/mlcommons/inference_results_v9.9/tree/main/closed/Acme/code"
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


def own(folder, round="v9.9"):
    file = folder / f"{round}-own.parquet"
    return pd.read_parquet(file).set_index("id") if file.is_file() else None


def lone(path, *rows, **changes):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([ROW | changes | row for row in rows or ({},)]))
    return path


@pytest.mark.parametrize("links", [LINK, None])
def test_links_make_nothing_official(tmp_path, bring, links):
    path = lone(tmp_path / "summary_results.json", Code=links, Details=links)
    rows = bring(path)
    assert rows.empty and "say --origin official, else --origin measured" in rows.attrs["said"]
    assert list(bring(path, origin="official")["origin"]) == ["official"]
    assert bring(path, origin="measured").index[0].startswith("m-9.9-0007")


def test_the_folder_or_the_remote_of_the_repository_does(tmp_path, bring):
    assert len(bring(lone(tmp_path / "inference_results_v9.9-main" / "summary_results.json"))) == 1
    clone = tmp_path / "clone"
    path = lone(clone / "summary_results.json")
    (clone / ".git").mkdir()
    (clone / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = https://github.com/mlcommons/inference_results_v9.9.git\n'
    )
    assert len(bring(path)) == 1
    (clone / ".git" / "config").write_text(
        '[remote "origin"]\n\turl = https://github.com/acme/inference_results_v9.9.git\n'
    )
    assert bring(path).empty


@pytest.mark.parametrize(
    ("folder", "changes", "why"),
    [
        ("inference_results_v9.9", {"Code": LINK.replace("v9.9", "v9.8")}, "links to v9.8, but says v9.9"),
        ("inference_results_v9.8", {}, "is of another round than its folder, v9.8"),
        ("downloads", {}, "only its links"),
        ("mlperf_inference_unofficial_submissions_v9.9", {"Code": LINK}, "trial submissions"),
        ("mlperf_inference_test_submissions_v9.9/inference_results_v9.9", {}, "trial submissions"),
        ("submissions_inference_9.9", {}, "trial submissions"),
    ],
)
def test_a_trial_is_refused_by_its_folder_or_by_what_contradicts_it(tmp_path, bring, folder, changes, why):
    rows = bring(lone(tmp_path / folder / "summary_results.json", **changes))
    assert rows.empty and why in rows.attrs["said"]


def test_the_public_case_of_a_trial_is_refused_and_the_record_stays(bring, tmp_path):
    file = next(iter(SHARED.glob("01-*/*/summary_results.json")), None)
    if file is None:
        pytest.skip("the public cases are not at hand")
    elsewhere = tmp_path / "inference_results_v5.0" / "summary_results.json"
    elsewhere.parent.mkdir()
    elsewhere.write_text(file.read_text().replace("submissions_inference_4.1", "inference_results_v5.0"))
    for path, choices in ((file, {}), (shutil.copy(file, tmp_path / "a.json"), {}), (elsewhere, {}),
                          (file, {"origin": "official"})):  # fmt: skip
        rows = bring(Path(path), **choices)
        assert rows.empty and rows.attrs["status"] == 1
    assert (
        "Example Lab, trialbox, 812.5 samples/s, but the record's o-5.0-0007-retinanet-offline is" in rows.attrs["said"]
    )
    assert "Broadcom_Supermicro" in rows.attrs["said"]


def test_a_new_round_lands_beside_the_shipped_files_and_grows(tree, bring, shipped, add):
    folder = shipped(bring(tree.summary()).head(0), "v9.8")
    assert add(tree.root)[0] == 0 and list(own(folder).index) == [ID]
    tree.summary(
        {"ID": "9.9-0008", "System": "another", "Platform": "b", "Location": "closed/Acme/results/b/m/Offline"}
    )
    status, said = add(tree.root)
    assert status == 0 and "2 rows beside the shipped record" in said
    assert list(own(folder)["result_id"]) == ["9.9-0007", "9.9-0008"]
    assert {file.name for file in folder.iterdir()} == {"v9.8.parquet", "v9.9-own.parquet"}


def test_a_result_that_the_record_has_is_not_added_again(tree, bring, shipped, add):
    folder = shipped(bring(tree.summary()))
    status, said = add(tree.root)
    assert status == 0 and own(folder) is None and "1 results are in the shipped record already" in said


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"Submitter": "Other Lab"}, "Other Lab, Acme 8x H100, 24,000.5 tokens/s"),
        ({"System": "trialbox"}, "Acme, trialbox, 24,000.5 tokens/s"),
        ({"Performance_Result": 30000.0}, "Acme, Acme 8x H100, 30,000 tokens/s"),
        ({"Performance_Result": 24000.5 / 2}, "Acme, Acme 8x H100, 12,000.2 tokens/s"),
    ],
)
def test_another_system_submitter_or_figure_never_takes_the_place_of_a_shipped_row(
    tree, bring, shipped, add, changes, words
):
    before = bring(tree.summary())
    folder = shipped(before)
    for rows, choices in (((changes,), {}), ((changes, changes), {"origin": "official"})):  # once, and twice
        tree.summary(*rows)
        status, said = add(tree.root, **choices)
        assert status == 1 and own(folder) is None
        assert f"{words}, but the record's {ID} is Acme, Acme 8x H100, 24,000.5 tokens/s" in said
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "v9.9.parquet").set_index("id"), before, check_like=True)


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
    with pytest.raises(OSError, match="was saved meanwhile; that is kept"):
        importing.import_results([tree.root], out=out, round="v9.9", origin="official")
    assert out.read_text() == "mine" and list(tmp_path.glob(".*")) == []


def test_spellings_of_one_submitter_and_a_rounded_figure_are_no_contradiction(tree, bring, shipped, add):
    folder = shipped(bring(tree.summary()).assign(evidence="table", low=24000.45, high=24000.55, accuracy=""))
    tree.summary({"Submitter": "ACME", "System": "Acme  8x-H100"})
    status, said = add(tree.root)
    assert status == 0 and "1 rows beside" in said
    assert own(folder).loc[ID, "low"] == 24000.5 and own(folder).loc[ID, "evidence"] == "summary"


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
    assert status == 1 and own(folder) is None and "is shipped whole and lacks it" in said
    assert add(tree.root, origin="official")[0] == 0 and list(own(folder)["result_id"]) == ["9.9-0999"]


def test_measured_rows_do_not_enter_the_record(tree, add):
    with pytest.raises(ValueError, match="--origin measured"):
        add(tree.summary(), origin="measured")


def test_an_own_file_has_the_types_of_a_shipped_one(tree, bring):
    own, shipped = bring(tree.summary()), pd.read_parquet(DATA / "official" / "v6.1.parquet")
    assert own.reset_index()[list(shipped)].dtypes.to_dict() == shipped.dtypes.to_dict()


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


def test_a_git_configuration_of_any_size_is_read_in_no_time(tree, bring):
    tree.write(".git/config", "")
    with (tree.root / ".git" / "config").open("rb+") as file:
        file.truncate(1 << 34)
    started = time.process_time()
    assert len(bring(tree.summary())) == 1 and time.process_time() - started < 3


def test_a_result_without_id_and_folder_is_known_by_submitter_and_system(tree, bring, shipped, add):
    folder = shipped(bring(tree.summary()))
    tree.summary({"ID": None, "Location": None, "Platform": None, "Submitter": "ACME", "System": "acme-8x-H100"})
    status, said = add(tree.root)
    assert status == 0 and own(folder) is None and "1 results are in the shipped record already" in said


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
