"""The tables of data/ as shipped: without a fault by their description, and what is written of them is true."""

import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest

from analysis import paths, tables
from analysis.paths import DATA, ROOT
from analysis.recipes.descriptor import readme


def test_the_project_s_dictionary_is_up_to_date():
    assert (DATA / "README.md").read_text("utf-8") == readme(), "run `analysis describe`"


def test_a_table_without_a_column_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "DATA", tmp_path)
    for name in ("corrections.csv", paths.DESCRIPTOR):
        shutil.copy(DATA / name, tmp_path)
    for name in ("prediction_errors", "prices"):
        rows = pd.read_csv(DATA / f"{name}.csv", dtype=str)
        rows.drop(columns=rows.columns[1]).to_csv(tmp_path / f"{name}.csv", index=False)
        with pytest.raises(ValueError, match=rf"{name}.csv: no column '{rows.columns[1]}', which datapackage.json"):
            tables.load(name)
    tables.forget()


def test_a_weight_of_four_bits_has_its_share_of_the_scale_of_its_block():
    """NVFP4: a scale of 8 bits for 16 weights; INT4: of 16 bits for 64."""
    sizes = {"fp16": 2, "fp8": 1, "int8": 1, "int4": (64 * 4 + 16) / 64 / 8, "fp4": (16 * 4 + 8) / 16 / 8}
    assert sizes == tables.WEIGHT_BYTES


@pytest.mark.parametrize(
    ("text", "words"),
    [("a,b\n1,2\n\n1\n", "line 4 has 1 cells; expected 2"), ("a,b\n1,2,3\n", "line 2 has 3 cells"),
     ("a,b,a\n1,2,3\n", "the column 'a' is duplicated")],
)  # fmt: skip
def test_rows_of_another_length_are_not_cut_or_filled(tmp_path, text, words):
    (path := tmp_path / "own.csv").write_text(text)
    with pytest.raises(ValueError, match=words):
        tables.read_rows(path)
    path.write_text("a,b\n1,2\n\n")
    assert tables.read_rows(path).values.tolist() == [[1, 2]]


def test_an_edit_of_any_table_clears_what_was_read(tmp_path, monkeypatch):
    cleared = []
    for name, value in {"DATA": tmp_path, "FILES": {}, "forget": lambda: cleared.append(len(tables.FILES))}.items():
        monkeypatch.setattr(tables, name, value)
    for name in ("a.csv", "b.json", "c.parquet", "d.txt"):
        (tmp_path / name).touch()
        tables.follow_edits()
        tables.follow_edits()
    assert cleared == [1, 2]  # not by the first call, nor by what is no table


def test_results_of_all_rounds_are_not_the_table_of_one():
    with pytest.raises(ValueError, match=r"load_results\(\)"):
        tables.load("results")
    assert not hasattr(tables, "nothing")


def test_a_file_of_the_user_is_read_as_text_by_its_lines(tmp_path):
    """A blank line counts, so that an error names the line of the file."""
    (path := tmp_path / "own.csv").write_text("\ufeffname,usd\nNA,1.5\n\n,\nb\n", encoding="utf-8")
    rows = tables.read_own(path, ["name", "usd"])
    assert rows.to_dict("index") == {0: {"name": "NA", "usd": "1.5"}, 3: {"name": "b", "usd": ""}}
    assert tables.numbers(rows[:1], ["usd"], 1.5, 1.5, "x")["usd"].tolist() == [1.5]
    for least, most, words in ((2, 3, "x, row 2, usd: '1.5' is not a number from 2 to 3"), (0, 2, "row 5, usd: ''")):
        with pytest.raises(ValueError, match=words):
            tables.numbers(rows, ["usd"], least, most, "x")
    for content, words in (
        ("a;usd\n1;2\n", "no column 'name'; .*separate cells by commas"),
        ("a\n1,2\n", "more cells"),
        ("", "not a CSV file"),
        ("name,usd,name\n", "the column 'name' is duplicated"),
        ("name\n1;2\n", r"no column 'usd'; expected name, usd; found 'name'$"),
    ):
        path.write_text(content)
        with pytest.raises(ValueError, match=rf"own\.csv: .*{words}"):
            tables.read_own(path, ["name", "usd"])


def test_a_correction_replaces_a_cell_and_its_reason_is_said_once(monkeypatch):
    fixes = [("t", "a", "n", "2"), ("t", "a", "text", "y"), ("t", "a", "precision", "fp4"), ("t", "b", "n", "1"),
             ("t", "a", "n", "2"), ("other", "z", "n", "3")]  # fmt: skip
    fixes = pd.DataFrame(fixes, columns=["table", "key", "column", "corrected"]).assign(
        reason=["why", "why", "none", "", "how", ""]
    )
    monkeypatch.setattr(tables, "load", lambda name: fixes)
    frame = pd.DataFrame({"id": ["a", "b"], "n": [1.0, 1.0], "text": "x", "precision": "fp8"}, index=[5, 6])
    found = tables.corrected(frame, "t", ["id", "text"])
    assert found.values.tolist() == [["a", 2.0, "y", "fp4", "why; how"], ["b", 1.0, "x", "fp8", ""]]
    assert tables.corrected(frame, "none", "id") is frame
    with pytest.raises(ValueError, match=r"corrections\.csv: other has no row 'z'"):
        tables.corrected(frame, "other", "id")


def test_a_limit_that_sources_dispute_says_so():
    """GPT-OSS Interactive: 15 ms in LoadGen, checker, and logs, 20 ms in the text of the rules."""
    limits = tables.benchmark_limits.set_index("id")
    row = limits.loc["rules-gpt-oss-120b-interactive-tpot-p99-limit-time-per-output-token"]
    assert (row["high"], row["confidence"]) == (15.0, "medium")
    assert "15 ms" in row["note"] and "20 ms" in row["note"]


def test_notes_on_one_latency_limit_are_not_about_the_other():
    """A first token takes 300 ms and more, one further token less."""
    limits = tables.benchmark_limits
    for quantity, fits in (("ttft_p99_limit", lambda ms: ms >= 300), ("tpot_p99_limit", lambda ms: ms < 300)):
        notes = limits.loc[limits["quantity"].eq(quantity), "note"].str.extractall(r"([0-9.]+) ms")[0].astype(float)
        assert len(notes) and fits(notes).all(), quantity


def test_a_rule_holds_in_no_round_in_which_its_benchmark_was_not_run():
    """RetinaNet ended with v5.1, by the compatibility table of MLCommons."""
    order = {name: place for place, name in enumerate(tables.rounds["round"])}
    spans = tables.compatibility.query("scenario == '' and benchmark != ''")
    spans = spans.assign(first=spans["since"].map(order), last=spans["until"].map(order).fillna(len(order)))
    rules = tables.benchmark_limits[["id", "benchmark", "rounds"]]
    rules = rules.assign(round=rules["rounds"].str.split(";")).explode("round").query("round != ''")
    rules = rules[rules["benchmark"].isin(spans["benchmark"])].assign(place=lambda rows: rows["round"].map(order))
    held = rules.merge(spans, on="benchmark").query("first <= place and place <= last")
    assert set(zip(rules["id"], rules["round"], strict=True)) == set(zip(held["id"], held["round"], strict=True))
    assert set(rules.loc[rules["benchmark"].eq("retinanet"), "round"]) == {"v3.1", "v4.0", "v4.1", "v5.0", "v5.1"}


def test_the_trap_of_dates_names_the_rounds_whose_date_is_from_memory():
    rounds = tables.rounds
    unsure = rounds.loc[rounds["confidence"].eq("low"), "round"].tolist()
    (trap,) = tables.descriptor()["rounds"]["traps"]  # none says that a round has no date
    assert unsure == ["v2.0", "v3.1"] and all(name in trap for name in unsure)
    assert rounds["published"].notna().all()


def test_b300_has_the_fp4_peak_of_its_newest_datasheet():
    """Eight have 108 PFLOPS dense, three times FP8, where earlier pages had 105."""
    b300 = tables.accelerators.set_index("label").loc["B300"]
    assert b300["fp4_dense_tflops"] == 108_000 / 8 == 3 * b300["fp8_dense_tflops"]


def test_prices_that_their_source_calls_provisional_are_none_that_pages_rank_by():
    """B300 and GB300 of April 2026; the newest quotations, by which pages rank, are of August and September."""
    prices = tables.prices
    provisional = prices[prices["note"].str.contains("provisional")]
    assert set(provisional["accelerator"]) == {"B300 SXM", "GB300"}
    assert set(provisional["quoted"]) == {"2026-04-03"}
    newest = prices[prices["quoted"].ne("")].groupby(["accelerator", "cost_model"])["quoted"].max()
    assert newest.loc[["B300 SXM", "GB300"]].min() > "2026-04-03"
    (trap,) = [trap for trap in tables.descriptor()["prices"]["traps"] if "provisional" in trap]
    assert "B300 and GB300 of April 2026" in trap


def test_a_running_kernel_sees_an_edited_table_and_what_follows_from_it(tmp_path):
    """A kernel of JupyterLab goes on for hours: names, results, and tables follow the files of data/."""
    data = shutil.copytree(DATA, tmp_path / "data")
    code = f"""
from pathlib import Path
from analysis import load_results, names, tables
data = Path({str(data)!r})
load_results(), names.accelerator("MI355X"), len(tables.prices)
(data / "prices.csv").write_text("".join((data / "prices.csv").read_text().splitlines(keepends=True)[:2]))
prices = len(tables.prices)
parts = (data / "accelerators.csv").read_text()
(data / "accelerators.csv").write_text(parts.replace("MI355X,MI355X,", "MI355X,MI355Y,"))
print(prices, {{"MI355X", "MI355Y"}} & {{*load_results()["accelerator"]}}, names.accelerator("MI355Y"))
"""
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"ANALYSIS_DATA": str(data)},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.stdout == "1 {'MI355Y'} MI355Y\n", done.stderr[-800:]


def test_each_table_of_evidence_has_its_row_in_the_documentation():
    """What it is, from where and when, its licence, its loader, and what it must not be compared with."""
    section = (ROOT / "docs/data.md").read_text("utf-8").split("## Evidence beside MLPerf")[1].split("Known traps:")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "| `" in line]
    assert all(len(row) == 7 and all(cell not in ("", "-") for cell in row) for row in cells)
    beside = set(tables.sources.query("kind in ['measurement', 'market', 'data set']")["id"])
    gathered = [item for item in tables.descriptor().items() if "derived by" not in item[1]["description"]]
    evidence = {name for name, of in gathered if beside & {source["title"] for source in of.get("sources", [])}}
    assert len(evidence) > 15 and evidence <= {row[0].strip("`") for row in cells}
