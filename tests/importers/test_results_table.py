"""MLCommons' results table as exported: its blocks, headings, counts and rounded figures become result rows."""

from pathlib import Path

import pandas as pd
import pytest

from analysis._core.paths import DATA
from analysis._import.official import results_table
from analysis._import.official.entry import EntryError
from analysis._import.official.import_run import ImportFailed, import_results

SHARED = Path(__file__).parents[3] / "shared" / "mlcommons" / "v5.0_results_table.csv"
TABLE = """,,,,,,,,Benchmark,,,,
,,,,,,,,llama2-70b-99.9,,llama2-70b-interactive-99.9,llama3.1-405b,gptj-99
,,,,,,,,Offline,Server,Server,Offline,Offline
Public ID,Organization,Availability,System Name (click + for details),Processor (click + for details),\
Accelerator (click + for details),Division/Power,,Tokens/s,Tokens/s,Tokens/s,Samples/s,Tokens/s
5.0-0001,ACME,available,8xA,CPU,NVIDIA H200-SXM-141GB,Closed ,# of Accelerators,8,8,8,4,
,,,,,,,# of Nodes,1,1,1,18,
,,,,,,,Avg. Result at System Name,"33,928.10","30,724.51",100.00,"13,886.40",
,,,,,,,Sum of # of  Processors ,2,2,2,2,
5.0-0002,ACME,Preview,plain,INTEL(R) XEON(R) 6787P,N/A,Closed ,# of Accelerators,,,,,0
,,,,,,,# of Nodes,,,,,1
,,,,,,,Avg. Result at System Name,,,,,315.39
,,,,,,,Sum of # of  Processors ,,,,,2
"""


@pytest.fixture
def imported(tmp_path):
    def rows(text):
        path, out = tmp_path / "table.csv", tmp_path / "rows.parquet"
        path.write_text(text, "utf-8")
        import_results([path], out, round="v5.0", origin="official", say=lambda _: None)
        return pd.read_parquet(out)

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
def test_six_significant_digits_count_and_zeros_behind_them_fill_up(imported, printed, low, high):
    row = imported(TABLE.replace("33,928.10", printed)).set_index("id").loc["o-5.0-0001-llama2-70b-99.9-offline"]
    assert row["printed"] == printed and (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-9)


def test_a_figure_stands_for_half_a_unit_of_its_last_digit_either_way(imported):
    row = imported(TABLE).set_index("id").loc["o-5.0-0001-llama2-70b-99.9-offline"]
    assert (row["printed"], row["range_basis"]) == ("33,928.10", "rounded")
    assert (row["low"], row["high"]) == pytest.approx((33_928.05, 33_928.15), abs=1e-9)
    assert (row["unit"], row["accelerator"], row["accelerator_count"]) == ("tokens/s", "H200 SXM", 8)
    assert (row["round"], row["division"], row["suite"], row["evidence"]) == ("v5.0", "closed", "datacenter", "table")
    assert (row["precision"], row["accuracy"]) == ("", "")


def test_interactive_accelerators_of_all_nodes_and_units_are_put_right(imported):
    rows = imported(TABLE).set_index(["benchmark", "scenario"])
    assert rows.loc[("llama2-70b", "Interactive"), "low"] == pytest.approx(99.995)
    large = rows.loc[("llama3.1-405b", "Offline")]
    assert (large["accelerator_count"], large["nodes"], large["unit"]) == (72, 18, "tokens/s")
    assert large["corrected"] == "labeled Samples/s, but llama3.1-405b counts tokens"


def test_a_system_without_accelerators_counts_its_sockets(imported):
    row = imported(TABLE).set_index("id").loc["o-5.0-0002-gptj-99-offline"]
    assert (row["accelerator"], row["accelerator_count"], row["availability"]) == ("Xeon 6787P", 2, "preview")


def test_a_block_without_id_or_result_costs_itself_alone(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE.replace("5.0-0002", "mine").replace('Avg. Result at System Name,"33', 'Best,"33'), "utf-8")
    found = list(results_table.entries(path))
    assert [(number, str(error)) for number, error in found] == [
        (5, "has no row 'Avg. Result'"),
        (9, "'mine' is no id such as 5.0-0001"),
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("\n".join(TABLE.splitlines()[3:]), "has no two rows above"),
        (TABLE.replace("Organization", "Who"), "row 4: has no column Organization"),
    ],
)
def test_another_table_is_refused_by_what_it_lacks(text, fault, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(EntryError, match=fault):
        list(results_table.entries(path))


def test_a_table_of_unknown_origin_needs_to_be_told_what_it_is(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE, "utf-8")
    with pytest.raises(ImportFailed, match="say what they are with --round and --origin"):
        import_results([path], tmp_path / "rows.csv", say=lambda _: None)


def test_best_rates_of_v5_0_are_those_of_the_table_read_a_second_way():
    """The best per accelerator of each column, straight from the cells, for systems of one accelerator type."""
    if not SHARED.is_file():
        pytest.skip("the results table of v5.0 is not at hand")
    cells = pd.read_csv(SHARED, header=None, dtype=str, keep_default_na=False, encoding="utf-8-sig")
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
