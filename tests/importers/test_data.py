"""`make data` against a local server, and how notebooks and reports take up what lies in data/official/."""

import hashlib
import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from analysis.core import paths
from analysis.data import check, official_rows
from analysis.data.catalog import Catalog
from analysis.data.loading import TableError
from analysis.importers.official import download
from analysis.importers.official.download import DownloadFailed, Pinned
from analysis.importers.official.intake import import_results


class Handler(http.server.SimpleHTTPRequestHandler):
    """A folder over HTTP that cuts connections, or answers with an error, as often as the test says."""

    cuts = errors = 0

    def do_GET(self) -> None:
        if type(self).errors > 0:
            type(self).errors -= 1
            self.send_error(503)
        elif type(self).cuts > 0:
            type(self).cuts -= 1
            content = Path(self.translate_path(self.path)).read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            self.connection.close()
        else:
            super().do_GET()

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path, type[Handler]]]:
    """The address of a folder on loopback, the folder, and the handler to be set."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = type("Set", (Handler,), {})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as httpd:
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}", folder, handler
        httpd.shutdown()
        thread.join()


@pytest.fixture
def made(tree: Any, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A served summary with its pin, and `fetch` with every place in the temporary folder."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # pooch waits before it tries again
    address, folder, handler = server
    content = json.dumps([tree.row, tree.row | {"Scenario": "Server", "Performance_Result": 20000.0}]).encode()
    pin = Pinned("v4.1", f"{address}/summary.json", hashlib.sha256(content).hexdigest())
    for name in ("summary.json", pin.name):
        (folder / name).write_bytes(content)
    imported = tmp_path / "data" / "official"
    fetch = partial(download.fetch, pinned=(pin,), folder=imported, cache=tmp_path / "cache", environment={},
                    say=lambda line: None)  # fmt: skip
    return fetch, imported, folder, handler, address, pin


def test_it_downloads_and_imports_and_fetches_only_once(made: Any) -> None:
    fetch, imported, _, handler, *_ = made
    assert fetch() == 0
    assert [path.name for path in imported.iterdir()] == ["v4.1.parquet"]
    assert len(pd.read_parquet(imported / "v4.1.parquet")) == 2
    handler.errors = 99
    assert fetch() == 0  # from the cache


def test_a_cut_connection_is_tried_again(made: Any) -> None:
    fetch, imported, _, handler, *_ = made
    handler.cuts = 2
    assert fetch() == 0 and handler.cuts == 0 and (imported / "v4.1.parquet").is_file()


@pytest.mark.parametrize("name", ["cuts", "errors"])
def test_a_server_that_never_answers_whole_leaves_everything_as_it_was(made: Any, name: str) -> None:
    fetch, imported, _, handler, *_ = made
    imported.mkdir(parents=True)
    (imported / "v4.1.parquet").write_bytes(b"as it was")
    setattr(handler, name, 99)
    with pytest.raises(DownloadFailed, match=r"Nothing was changed\. Next: try again"):
        fetch()
    assert {path.name: path.read_bytes() for path in imported.iterdir()} == {"v4.1.parquet": b"as it was"}


def test_a_corrupted_file_is_refused(made: Any) -> None:
    fetch, imported, folder, *_ = made
    (folder / "summary.json").write_bytes(b"[]")
    with pytest.raises(DownloadFailed, match="is not the file that is pinned"):
        fetch()
    assert not imported.exists()


def test_a_damaged_cache_is_fetched_again(made: Any, tmp_path: Path) -> None:
    fetch, _, _, _, _, pin = made
    fetch()
    (tmp_path / "cache" / pin.name).write_bytes(b"{")
    assert fetch() == 0


def test_offline_it_says_what_to_do(made: Any) -> None:
    fetch, imported, *_, pin = made
    nowhere = Pinned("v4.1", "http://127.0.0.1:9/x.json", pin.sha256)
    with pytest.raises(DownloadFailed, match=r"--mirror URL or ANALYSIS_MIRROR; or put the file there yourself"):
        fetch(pinned=(nowhere,))
    assert not imported.exists()


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_a_mirror_stands_in_for_the_source(made: Any, how: str) -> None:
    fetch, imported, _, _, address, pin = made
    gone = Pinned("v4.1", "http://127.0.0.1:9/x.json", pin.sha256)
    given = {"mirror": address} if how == "argument" else {"environment": {"ANALYSIS_MIRROR": f"{address}/"}}
    assert fetch(pinned=(gone,), **given) == 0 and (imported / "v4.1.parquet").is_file()


def test_one_of_two_files_missing_changes_nothing(made: Any) -> None:
    fetch, imported, *_, pin = made
    with pytest.raises(DownloadFailed):
        fetch(pinned=(pin, Pinned("v5.1", "http://127.0.0.1:9/x.json", "0" * 64)))
    assert not imported.exists()


def test_the_pins_are_those_of_the_files_at_hand(shared: Path) -> None:
    for pin in download.pinned_files():
        assert hashlib.sha256((shared / pin.name).read_bytes()).hexdigest() == pin.sha256


REPORTS = ("generational_speedup", "real_world_derating", "power_efficiency", "quantization_tradeoffs")


@pytest.mark.parametrize("rounds", [["v5.1"], ["v4.1", "v5.1"]])
@pytest.mark.parametrize("report", REPORTS)
def test_every_report_on_the_record_has_a_run_file_that_needs_just_its_rounds(report: str, rounds: list[str]) -> None:
    files = [yaml.safe_load(path.read_text("utf-8")) for path in paths.RUNS.glob(f"{report}*.yml")]
    asked = [each for each in files if each["parameters"].get("rounds") == rounds]
    assert asked and all(each["parameters"]["origins"] == ["official"] for each in asked)
    assert all(each["needs"] == [f"data/official/{round}.parquet" for round in rounds] for each in asked)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of data/ without what somebody has imported."""
    folder = tmp_path / "data"
    shutil.copytree(paths.DATA, folder, ignore=shutil.ignore_patterns("official"))
    (folder / "official").mkdir()
    return folder


def put(data: Path, tree: Any, name: str, *rows: dict[str, Any]) -> None:
    import_results([tree.summary(*rows)], data / "official" / name, say=lambda line: None)


STANDS = {"ID": "v4.1-0043", "UsedModel": "llama2-70b-99.9", "Performance_Result": 24524.9}  # in results.csv too


@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
def test_imported_rows_join_the_results_each_once(data: Path, tree: Any, name: str) -> None:
    before = Catalog(data).results
    put(data, tree, name, {}, STANDS)
    catalog = Catalog(data)
    after = catalog.results
    assert len(after) == len(before) + 1
    row = after[after["id"].eq("o-4.1-0007-llama2-70b-99.9-offline")].iloc[0]
    assert (row["low"], row["accelerator_count"], row["source"], row["corrected"]) == (24000.5, 8, "official v4.1", "")
    kept = after[after["id"].eq("o-4.1-0043-llama2-70b-99.9-offline")]
    assert len(kept) == 1 and kept.iloc[0]["submitter"] == "NVIDIA" and kept.iloc[0]["samples_per_second"] > 0
    assert f"official/{name}" in catalog.used and check.faults(data) == []
    pd.testing.assert_frame_equal(after.loc[: len(before) - 1, list(before)], before)


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_a_tree_beside_a_summary_counts_once_and_brings_its_recomputation(
    data: Path, tree: Any, names: tuple[str, str]
) -> None:
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


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_a_summary_with_its_tree_counts_before_the_summary_alone(data: Path, tree: Any, names: tuple[str, str]) -> None:
    before, alone, both = len(Catalog(data).results), *(f"{name}.parquet" for name in names)
    tree.run()
    put(data, tree, alone, {})
    import_results([tree.summary(), tree.root], data / "official" / both, say=lambda line: None)
    results = Catalog(data).results
    assert len(results) == before + 1 and results["recomputed"].dropna().tolist() == [24000.5]


def test_one_folder_for_several_results_of_a_file_does_not_join_them(data: Path, tree: Any) -> None:
    before = len(Catalog(data).results)
    put(data, tree, "x.parquet", {"Location": "closed/Acme"}, {"ID": "v4.1-0008", "Location": "closed/Acme"})
    assert len(Catalog(data).results) == before + 2


def test_a_row_of_results_learns_from_the_whole_round_which_row_says_the_same(data: Path, tree: Any) -> None:
    """results.csv has 4.1-0014 under 99 alone; the official record files the same figure under 99.9."""
    known = Catalog(data).results.set_index("id").loc["o-4.1-0014-gptj-99-offline"]
    assert known["duplicate_of"] == ""
    same = {"ID": "v4.1-0014", "Performance_Result": known["low"], "Performance_Units": "Tokens/s", "Accuracy": ""}
    place = "closed/Acme/results/acme/{}/Offline"
    names = [{"UsedModel": name, "Model": name, "Location": place.format(name)} for name in ("gptj-99", "gptj-99.9")]
    put(data, tree, "x.parquet", *(same | name for name in names))
    assert Catalog(data).results.set_index("id").at["o-4.1-0014-gptj-99-offline", "duplicate_of"] == (
        "o-4.1-0014-gptj-99.9-offline"
    )


def test_an_empty_cell_is_filled_and_a_full_one_kept(data: Path, tree: Any) -> None:
    table = Catalog(data).tables["results"]
    put(data, tree, "x.parquet", STANDS)
    imported = official_rows.load(data / "official" / "x.parquet", table)
    results = Catalog(data).table("results")
    at = results.index[results["id"].eq("o-4.1-0043-llama2-70b-99.9-offline")][0]
    results.loc[at, ["tokens_per_sample", "framework"]] = [float("nan"), ""]
    row = official_rows.joined(results, [imported]).loc[at]
    assert (row["tokens_per_sample"], row["framework"]) == (300.0, "TensorRT 10")
    assert row["system"] == results.at[at, "system"] != imported.at[2, "system"]


def test_what_is_imported_can_be_turned_off(data: Path, tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Catalog(data).results
    put(data, tree, "x.parquet")
    monkeypatch.setenv("ANALYSIS_OFFICIAL", "off")
    pd.testing.assert_frame_equal(Catalog(data).results, before)


def test_an_imported_file_that_is_not_sound_is_named(data: Path, tree: Any) -> None:
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


def test_a_result_filed_under_both_suites_is_compared_in_each(data: Path, tree: Any) -> None:
    from analysis.audit.doubts import catalog
    from analysis.compare.gate import Question, select

    put(data, tree, "x.parquet", {"Suite": "datacenter,edge"})
    judged = catalog(data)
    for suite in ("datacenter", "edge"):
        asked = Question("llama2-70b", "Offline", ("official",), ("v4.1",), suite=suite)
        found = select(judged, asked).rows
        assert "o-4.1-0007-llama2-70b-99.9-offline" in set(found["id"]), suite
