"""The tables of data/ as they stand: valid, whole, true to the seeds and to the official record, in our own words."""

import csv
import re
from pathlib import Path

import pandas as pd
import pytest

from analysis._core.paths import DATA
from analysis._tables import descriptor, loading

TABLES = descriptor.read_tables()
KINDS = [
    "throughput",
    "throughput_per_watt",
    "power",
    "speedup_claim",
    "quantization",
    "price",
    "capacity",
    "spec",
    "latency",
    "quality",
    "derating",
]
SYSTEMS = """A100 SXM 80GB|H100 SXM|H100 PCIe|H100 NVL|H200 SXM|H200 SXM CTS|GH200 96GB|GH200 144GB|B200 SXM|L40S|A10|
MI300X|TPU v5e|TPU v6e|Xeon Platinum 8592+|Xeon 6980P|Jetson AGX Orin 64GB|speedAI 240|speedAI 240 Slim"""
NAMED_WITHOUT_FIGURE = {"A10": "document 004 lists it among offered instances and gives no figure"}
WITHOUT_NUMBER = {
    "F003-035": "2:4 is the name of the technique",
    "F004-026": "better than, with no number: the claim has no range",
    "F004-025": "the number of accelerators of the baseline stands in its name",
    "F004-110": "the number of accelerators of the baseline stands in its name",
}
PERCENT = {"ratio", "fraction"}
UNITS = {("%", "ratio"), ("%", "fraction"), ("TB/s", "GB/s"), ("TB", "GB"), ("s", "ms")}
EXEMPT = {"sources": {"title"}}


@pytest.fixture(scope="session")
def tables():
    """Every table as its file has it, before corrections."""
    return {name: loading.load(DATA, table) for name, table in TABLES.items()}


@pytest.fixture(scope="session")
def figures(shared):
    """The figures that our transcription of the seeds lists."""
    return pd.read_csv(shared / "facts" / "seed_figures.csv", keep_default_na=False)


@pytest.fixture(scope="session")
def homes():
    """Where each figure lives."""
    return pd.read_csv(Path(__file__).parent / "figure_homes.csv", keep_default_na=False)


@pytest.fixture(scope="session")
def reference(shared):
    """The official results of the systems that the seeds name."""
    return pd.read_csv(shared / "facts" / "official_reference.csv", keep_default_na=False)


@pytest.mark.parametrize("name", ["results", "claims", "quantization", "prices", "benchmark_limits"])
def test_every_correction_applies(data, name):
    fixes = data.corrections[data.corrections["table"].eq(name)]
    frame = data.table(name)
    told = ~fixes["column"].isin(loading.SELF_TOLD)
    assert set(fixes.loc[told, "key"]) == set(frame.loc[frame["corrected"].ne(""), "id"])
    cells = frame.set_index("id")
    assert all(str(cells.at[fix["key"], fix["column"]]) == fix["corrected"] for fix in fixes[~told].to_dict("records"))


def test_every_table_of_the_folder_is_described():
    files = {path.name for end in ("csv", "parquet") for path in DATA.glob(f"*.{end}")}
    assert files == {table.path for table in TABLES.values()}


def test_requests_have_the_mean_prompt_of_their_benchmark(data):
    """Two tables of one source: the sets' own requests, and the means that benchmarks.csv states to a digit."""
    means = data.request_lengths.groupby("benchmark")["prompt_tokens"].mean().astype("float64")
    stated = data.benchmarks.set_index("benchmark")["prompt_tokens"].dropna()
    assert means.to_dict() == pytest.approx(stated.to_dict(), rel=2e-4)


def test_every_column_has_a_unit_in_words_and_a_description():
    lacking = [
        f"{name}.{field.name}" for name, table in TABLES.items() for field in table.fields
        if not (field.unit and field.description)
    ]  # fmt: skip
    assert lacking == []


@pytest.mark.parametrize("name", SYSTEMS.replace("\n", "").split("|"))
def test_named_system_is_covered(tables, data, name):
    assert name in set(tables["accelerators"]["accelerator"])
    cited = {*data.results["accelerator"], *tables["claims"]["subject_accelerator"]}
    assert name in cited or name in NAMED_WITHOUT_FIGURE


@pytest.mark.parametrize(("prefix", "rows"), [("Offline", 28), ("Server", 25), ("Power", 17)])
def test_document_001_is_whole(tables, prefix, rows):
    own = tables["results"].query("source_id == 'doc001'")
    assert own["locator"].str.startswith(prefix).sum() == rows
    power = own["power_measured"]
    assert ((own["scenario"].eq(prefix) & ~power) | (power & (prefix == "Power"))).sum() == rows


def test_every_figure_has_a_home(figures, homes):
    wanted = set(figures.loc[figures["kind"].isin(KINDS), "fid"])
    assert wanted - set(homes["figure_id"]) == set()
    assert set(homes["figure_id"]) - set(figures["fid"]) == set()


def test_every_home_stands_and_is_of_the_figure_s_document(tables, homes):
    for home in homes.to_dict("records"):
        frame = tables[home["table"]]
        rows = frame[frame["id"].eq(home["row"])]
        assert len(rows) == 1, home
        assert rows["source_id"].iloc[0] == f"doc{home['figure_id'][1:4]}", home


def test_every_home_contains_its_figure(tables, homes, figures):
    known = figures.set_index("fid")
    wrong = []
    for home in homes.to_dict("records"):
        figure = known.loc[home["figure_id"]]
        frame = tables[home["table"]]
        row = frame[frame["id"].eq(home["row"])].iloc[0]
        if home["figure_id"] not in WITHOUT_NUMBER and not _contains(row, home["column"], figure):
            wrong.append(home["figure_id"])
    assert wrong == []


def test_figures_without_a_number_in_their_home_are_those_listed(tables, homes):
    without = set()
    for home in homes.to_dict("records"):
        frame = tables[home["table"]]
        value = frame.loc[frame["id"].eq(home["row"]), home["column"]].iloc[0]
        without |= {home["figure_id"]} if isinstance(value, str) or pd.isna(value) else set()
    assert without == set(WITHOUT_NUMBER)


def _contains(row, column, figure):
    """Whether the interval that starts in `column` holds the figure, in its own unit or one that we convert to."""
    end = column.removesuffix("low") + "high" if column.endswith("low") else column
    low, high = float(row[column]), float(row[end])
    unit = row["unit"] if column == "low" and "unit" in row else ("ratio" if "speedup" in column else "")
    unit = "fraction" if column == "quality_fraction_of_reference" else unit
    ends = [(float(figure["low"]), float(figure["high"]))]
    ends = _converted(*ends[0], figure["unit"], unit, figure["metric"]) if (figure["unit"], unit) in UNITS else ends
    return any(low * (1 - 1e-9) <= a and b <= high * (1 + 1e-9) for a, b in ends)


def _converted(low, high, unit, to, metric):
    if unit != "%":
        return [(low * 1000, high * 1000)]
    if "increase" in metric:
        return [(1 + low / 100, 1 + high / 100)]
    if "decrease" in metric:
        return [(1 - high / 100, 1 - low / 100)]
    return [(low / 100, high / 100)] if to in PERCENT else []


@pytest.fixture(scope="module")
def official(data, reference):
    """The shipped rows of the runs that the reference lists, as the record has them."""
    rows = data.results[data.results["origin"].eq("official")]
    listed = set(zip(reference["round"], reference["location"], strict=True))
    return rows[[place in listed for place in zip(rows["round"], rows["location"], strict=True)]]


def test_official_rows_are_the_reference_s(official, reference):
    assert len(official) == len(reference)
    mine = set(zip(official["round"], official["location"], official["low"], official["high"], strict=True))
    theirs = set(zip(reference["round"], reference["location"], reference["value"], reference["value"], strict=True))
    assert mine == theirs


@pytest.mark.parametrize(
    ("column", "given"),
    [("result_id", "result_id"), ("submitter", "submitter"), ("division", "division"), ("model_run", "benchmark"),
     ("availability", "availability"), ("scenario", "scenario"), ("accelerator_as_published", "accelerator")],
)  # fmt: skip
def test_official_row_says_what_the_record_says(official, reference, column, given):
    record = reference.set_index(["round", "location"])
    keyed = official.set_index(["id", "round", "location"])[column]
    pairs = {id: (cell, record.at[place, given]) for (id, *place), cell in keyed.items() for place in [tuple(place)]}
    assert {key: pair for key, pair in pairs.items() if pair[0] != pair[1]} == {}


def test_official_power_is_the_record_s(official, reference):
    record = reference.set_index(["round", "location"])
    for _, row in official.iterrows():
        given = record.loc[(row["round"], row["location"])]
        column = {"Watts": "power_watts_low", "millijoules": "energy_millijoules_per_query"}.get(given["power_unit"])
        assert row["power_measured"] == bool(given["power_value"]), row["id"]
        if column:
            assert row[column] == float(given["power_value"]), row["id"]
        else:
            assert pd.isna(row["power_watts_low"]), row["id"]


def test_official_count_and_tokens_are_the_record_s(official, reference):
    record = reference.set_index(["round", "location"])
    for _, row in official.iterrows():
        given = record.loc[(row["round"], row["location"])]
        assert given["accelerators_total"] in ("", str(row["accelerator_count"])), row["id"]
        tokens = float(given["raw_tokens_per_sample"]) if given["raw_tokens_per_sample"] else None
        # The reference has the tokens of the accuracy run, the record those of the measured run where its log has them.
        assert tokens is None or abs(row["tokens_per_sample"] / tokens - 1) < 2e-3, row["id"]


@pytest.mark.parametrize("name", [name for name, table in TABLES.items() if table.path.endswith(".csv")])
def test_no_cell_copies_a_run_of_words_from_a_document(shared, name):
    seeds = set().union(*(set(_runs(path.read_text("utf-8"))) for path in sorted((shared / "seeds").glob("*.txt"))))
    with (DATA / TABLES[name].path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    copied = [
        (line, column) for line, row in enumerate(rows, start=2) for column, cell in row.items()
        if column not in EXEMPT.get(name, ()) and not seeds.isdisjoint(_runs(cell))
    ]  # fmt: skip
    assert copied == []


def _runs(text, words=8):
    """Every run of eight words in lower-case letters; a name such as GH200-96GB_aarch64x1 is one word."""
    said = [letters for word in text.lower().split() if (letters := re.sub(r"[^a-z]", "", word))]
    return zip(*(said[start:] for start in range(words)), strict=False)
