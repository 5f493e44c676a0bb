"""MLCommons' results table as exported for v5.0, v5.1, and v6.0: blocks, headings, counts, and rounded figures."""

from pathlib import Path

import pandas as pd
import pytest

from analysis.paths import DATA

SHARED = Path(__file__).parents[4] / "shared"
CODE = "https://github.com/mlcommons/inference_results_v9.9/tree/main/closed/ACME/code"
V50 = """,,,,,,,,Benchmark,,,,
,,,,,,,,llama2-70b-99.9,,llama2-70b-interactive-99.9,llama3.1-405b,gptj-99
,,,,,,,,Offline,Server,Server,Offline,Offline
Public ID,Organization,Availability,System Name (click + for details),Processor (click + for details),\
Accelerator (click + for details),Division/Power,,Tokens/s,Tokens/s,Tokens/s,Samples/s,Tokens/s
9.9-0001,ACME,available,8xA,CPU,NVIDIA H200-SXM-141GB,Closed ,# of Accelerators,8,8,8,4,
,,,,,,,# of Nodes,1,1,1,18,
,,,,,,,Avg. Result at System Name,"33,928.10","30,724.51",100.00,"13,886.40",
,,,,,,,Sum of # of  Processors ,2,2,2,2,
9.9-0002,ACME,Preview,plain,INTEL(R) XEON(R) 6787P,N/A,Closed ,# of Accelerators,,,,,0
,,,,,,,# of Nodes,,,,,1
,,,,,,,Avg. Result at System Name,,,,,315.39
,,,,,,,Sum of # of  Processors ,,,,,2
"""
V51 = f""",,,,,,,Benchmark,
,,,,,,,Inference,
,,,,,,,llama3.1-8b-datacenter,
,,,,,,,Offline,Server
Public ID,Organization,Availability,System Name (click + for details),Accelerator,Code,Processor,Division/Power,\
,Samples/s,Queries/s
9.9-0003,ACME,available,gpu box,NVIDIA H200-SXM-141GB,{CODE},CPU,Closed ,# of  Processors ,2,2
,,,,,,,,# of Accelerators,8,8
,,,,,,,,# of Nodes,1,1
,,,,,,,,Avg. Result at System Name,"61,500.50","58,250.30"
9.9-0004,ACME,available,cpu box,,{CODE},INTEL(R) XEON(R) 6787P,Closed ,# of  Processors ,2,2
,,,,,,,,# of Nodes,1,1
,,,,,,,,Avg. Result at System Name,820.55,260.75
""".replace(",Benchmark", ",,Benchmark").replace(",Inference", ",,Inference").replace(
    ",,,,,,,llama3", ",,,,,,,,,llama3").replace(",,,,,,,Offline", ",,,,,,,,,Offline")  # fmt: skip
V60 = f"""Public ID,Organization,Availability,System Name (click + for details),Processor,# of  Processors ,\
Accelerator (click + for details),Accelerators per node,Code,Benchmark,Model MLC,Scenario,Units,Division/Power,\
# of Nodes,Avg. Result at System Name
v9.9-0005,ACME,available,box,AMD EPYC 9575F,2,NVIDIA B200-SXM-180GB,8,{CODE},Inference,llama2-70b-99,Offline,\
Tokens/s,Closed,2,101500
v9.9-0005,ACME,available,box,AMD EPYC 9575F,2,NVIDIA B200-SXM-180GB,8,{CODE},Inference,llama2-70b-99,Server,\
Tokens/s,Closed,2,98250.5
v9.9-0006,ACME,available,plain,INTEL(R) XEON(R) 6787P,2,,,{CODE},Inference,resnet,SingleStream,\
Latency (ms),Closed,1,0.52
"""


@pytest.fixture
def table(tmp_path, bring):
    def rows(text, encoding="utf-8", **choices):
        path = tmp_path / "table.csv"
        path.write_bytes(text.encode(encoding))
        return bring(path, **choices)

    return rows


@pytest.mark.parametrize(
    ("printed", "low", "high"),
    [
        ("344,052.00", 344_051.5, 344_052.5),
        ("30,724.51", 30_724.505, 30_724.515),
        ("17.10", 17.095, 17.105),
        ("0.80", 0.795, 0.805),
    ],
)
def test_six_significant_digits_count_and_zeros_behind_them_fill_up(table, printed, low, high):
    rows = table(V50.replace("33,928.10", printed), origin="official")
    row = rows.loc["o-9.9-0001-llama2-70b-99.9-offline"]
    assert row["printed"] == printed and (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-9)
    assert row["range_basis"] == "rounded"


def test_a_block_of_v5_0(table):
    rows = table(V50, origin="official").set_index(["benchmark", "scenario"])
    assert rows.loc[("llama2-70b", "Interactive"), "low"] == pytest.approx(99.995)
    large = rows.loc[("llama3.1-405b", "Offline")]
    assert (large["accelerator_count"], large["nodes"], large["unit"]) == (72, 18, "tokens/s")
    assert large["corrected"] == "labeled Samples/s, but llama3.1-405b counts tokens"
    plain = rows.loc[("gptj", "Offline")]
    assert (plain["accelerator"], plain["accelerator_count"], plain["availability"]) == ("Xeon 6787P", 2, "preview")
    assert (plain["round"], plain["division"], plain["suite"]) == ("v9.9", "closed", "datacenter")
    assert set(rows["evidence"]) == {"table"}


def test_a_block_of_v5_1_has_other_headings_and_names(table):
    rows = table(V51).set_index(["system", "scenario"])
    assert len(rows) == 4 and set(rows["unit"]) == {"tokens/s"} and set(rows["benchmark"]) == {"llama3.1-8b"}
    assert rows.loc[("gpu box", "Offline"), "accelerator_count"] == 8
    plain = rows.loc[("cpu box", "Server")]
    assert (plain["accelerator"], plain["accelerator_count"]) == ("Xeon 6787P", 2)
    assert (plain["low"], plain["high"]) == pytest.approx((260.745, 260.755))


@pytest.mark.parametrize(("encoding", "tabs"), [("utf-8", False), ("utf-8-sig", True), ("utf-16", True)])
def test_a_row_per_result_of_v6_0_in_any_encoding(table, encoding, tabs):
    rows = table(V60.replace(",", "\t") if tabs else V60, encoding).set_index(["system", "scenario"])
    server = rows.loc[("box", "Server")]
    assert (server["accelerator_count"], server["low"], server["high"]) == (16, 98250.45, 98250.55)
    assert (server["result_id"], server["unit"], server["suite"]) == ("9.9-0005", "tokens/s", "datacenter")
    edge = rows.loc[("plain", "SingleStream")]
    assert (edge["suite"], edge["unit"], edge["accelerator_count"]) == ("edge", "ms", 2)
    assert set(rows["origin"]) == {"official"}  # its links are of its own round


def test_a_table_whose_links_are_of_another_round_needs_to_be_told_what_it_is(table):
    rows = table(V60.replace("inference_results_v9.9", "inference_results_v9.8"))
    assert rows.empty and "links to v9.8, but says v9.9" in rows.attrs["said"]
    said = table(V50).attrs["said"]
    assert "say --origin official" in said and "table.csv: row 5 and 4 more: " in said


def test_a_table_of_trial_submissions_is_not_official(tmp_path, bring):
    path = tmp_path / "unofficial_v9.9" / "table.csv"
    path.parent.mkdir()
    path.write_text(V60)
    assert "trial submissions" in bring(path).attrs["said"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("\n".join(V50.splitlines()[3:]), "has no two rows above it"),
        ("\n".join(V50.splitlines()[2:]), "has no two rows above it"),
        (V50.replace("Organization", "Who"), "row 4: has no column Organization"),
        (V60.replace("Units", "Unit"), "has no column Units"),
        ("Public ID\n", "has no column"),
        ("Public ID,a\n" + '"', "has no column"),
        (V50.replace(",Closed ,# of Acc", ',"Closed ,# of Acc'), "holds no result"),
    ],
)
def test_cut_headings_are_named(table, text, fault):
    assert fault in table(text, origin="official").attrs["said"]


def test_a_row_without_an_id_costs_itself_alone(table):
    rows = table(V60.replace("v9.9-0006", "mine"))
    assert len(rows) == 2 and "'mine' is no id such as 5.0-0001" in rows.attrs["said"]


@pytest.mark.parametrize("text", ["round,division,submitter,file\nv5.1,closed,ACME,a\n", "A Public ID is,here\n"])
def test_another_csv_is_no_table(table, text):
    rows = table(text, origin="official")
    assert rows.empty and ("is no JSON" in rows.attrs["said"] or "no row of column names" in rows.attrs["said"])


def test_best_rates_of_v5_0_are_those_of_the_table_read_a_second_way():
    """The best per accelerator of each column, straight from the cells, for systems of one accelerator type."""
    file = SHARED / "mlcommons" / "v5.0_results_table.csv"
    if not file.is_file():
        pytest.skip("the results table of v5.0 is not at hand")
    cells = pd.read_csv(file, header=None, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    benchmarks, scenarios = cells.iloc[2, 16:].replace("", pd.NA).ffill(), cells.iloc[3, 16:]
    expected = {}
    starts = cells.index[cells[0].str.match(r"5\.0-\d{4}$")]
    for start in starts:
        for column in range(16, cells.shape[1]):
            if figure := cells.iat[start + 2, column]:
                count = int(cells.iat[start, column]) or int(cells.iat[start + 3, column])
                rate = float(figure.replace(",", "")) / (count * int(cells.iat[start + 1, column]))
                key = (benchmarks[column], scenarios[column])
                expected[key] = max(expected.get(key, 0), rate)
    shipped = pd.read_parquet(DATA / "official" / "v5.0.parquet")
    rate = (shipped["low"] + shipped["high"]) / 2 / shipped["accelerator_count"]
    scenario = shipped["scenario"].replace("Interactive", "Server")
    found = rate.groupby([shipped["model_run"], scenario]).max().to_dict()
    assert len(shipped) == 859 and len(starts) == 69 and len(expected) == 29
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("case", "rows"), [("05", 6), ("06", 2)])
def test_public_cases_are_read(bring, case, rows):
    files = sorted(file for folder in SHARED.glob(f"cases/{case}-*") for file in folder.glob("*.csv"))
    if not files:
        pytest.skip("the public cases are not at hand")
    for file in files:
        found = bring(file)
        assert len(found) == rows and set(found["unit"]) == {"tokens/s"} and set(found["origin"]) == {"official"}
