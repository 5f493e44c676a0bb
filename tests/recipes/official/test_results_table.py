"""MLCommons' results table as exported for v5.0, v5.1, and v6.0: blocks, headings, counts, and rounded figures."""

from pathlib import Path

import pandas as pd
import pytest

from analysis.paths import DATA
from analysis.recipes.official.results_table import read_table, rounding
from analysis.recipes.official.summary import FileError

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


def cells(text, *names):
    """The named fields of each result of a table, by its model and scenario."""
    return {(row["model"], row["scenario"]): tuple(row[name] for name in names) for row in read_table(text)}


@pytest.mark.parametrize(("printed", "half"), [("344,052.00", 0.5), ("30,724.51", 0.005), ("17.10", 0.005), ("7", 0.5)])
def test_six_significant_digits_count_and_zeros_behind_them_fill_up(printed, half):
    assert rounding(printed) == pytest.approx(half)


def test_a_block_of_v5_0():
    assert cells(V50, "result_id", "printed", "value", "per_node", "nodes", "processors_per_node", "label") == {
        ("llama2-70b-99.9", "Offline"): ("9.9-0001", "33,928.10", "33928.10", "8", "1", "2", "Tokens/s"),
        ("llama2-70b-99.9", "Server"): ("9.9-0001", "30,724.51", "30724.51", "8", "1", "2", "Tokens/s"),
        ("llama2-70b-interactive-99.9", "Server"): ("9.9-0001", "100.00", "100.00", "8", "1", "2", "Tokens/s"),
        ("llama3.1-405b", "Offline"): ("9.9-0001", "13,886.40", "13886.40", "4", "18", "2", "Samples/s"),
        ("gptj-99", "Offline"): ("9.9-0002", "315.39", "315.39", "0", "1", "2", "Tokens/s"),
    }
    found = cells(V50, "submitter", "system", "accelerator", "processor", "availability", "division", "round", "suite")
    assert found["gptj-99", "Offline"] == (
        "ACME", "plain", "N/A", "INTEL(R) XEON(R) 6787P", "Preview", "Closed", "v9.9", "datacenter"
    )  # fmt: skip


def test_a_block_of_v5_1_has_other_headings_and_names():
    found = [(row["system"], row["scenario"], row["printed"], row["per_node"]) for row in read_table(V51)]
    assert found == [
        ("gpu box", "Offline", "61,500.50", "8"), ("gpu box", "Server", "58,250.30", "8"),
        ("cpu box", "Offline", "820.55", ""), ("cpu box", "Server", "260.75", ""),
    ]  # fmt: skip
    assert {row["link"] for row in read_table(V51)} == {CODE}


@pytest.mark.parametrize("text", [V60, V60.replace(",", "\t")])
def test_a_row_per_result_of_v6_0(text):
    assert cells(text, "result_id", "printed", "nodes", "per_node", "label", "suite", "place") == {
        ("llama2-70b-99", "Offline"): ("v9.9-0005", "101500", "2", "8", "Tokens/s", "datacenter", "row 2"),
        ("llama2-70b-99", "Server"): ("v9.9-0005", "98250.5", "2", "8", "Tokens/s", "datacenter", "row 3"),
        ("resnet", "SingleStream"): ("v9.9-0006", "0.52", "1", "", "Latency (ms)", "edge", "row 4"),
    }


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("\n".join(V50.splitlines()[3:]), "expected two rows above it"),
        ("\n".join(V50.splitlines()[2:]), "expected two rows above it"),
        (V50.replace("Organization", "Who"), "row 4: has no column Organization"),
        (V60.replace("Units", "Unit"), "has no column Units"),
        ("Public ID\n", "has no column"),
        ("Public ID,a\n" + '"', "has no column"),
        ("A Public ID is,here\n", "no row of column names"),
        (V50.replace(",Closed ,# of Acc", ',"Closed ,# of Acc'), "contains no result"),
    ],
)
def test_cut_headings_are_named(text, fault):
    with pytest.raises(FileError, match=fault):
        read_table(text)


def test_a_row_without_an_id_costs_itself_alone():
    faults = [row["fault"] for row in read_table(V60.replace("v9.9-0006", "mine"))]
    assert faults == ["", "", "'mine' is not an id such as 5.0-0001"]


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
