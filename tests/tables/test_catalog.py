"""Reading, typing and correcting tables: what comes out, and that nothing but a TableError ever does."""

import pandas as pd
import pytest

from analysis._core.file_contents import sha256_of
from analysis._tables import descriptor, loading
from analysis._tables.catalog import Catalog, NotJudged, kept_with
from analysis._tables.descriptor import DescriptorError
from analysis._tables.loading import TableError

HEADER = "id,sort,printed,low,high,unit,range_basis,crates,ripe,note\n"


def apples(package):
    return loading.load(package, descriptor.read_tables(package)["apples"])


def test_cells_come_typed(package):
    frame = apples(package)
    assert frame["low"].tolist()[0] == 109.5
    assert frame["low"].isna().tolist() == [False, True]
    assert str(frame["crates"].dtype) == "Int64"
    assert frame["crates"].tolist() == [2, pd.NA]
    assert frame["ripe"].tolist() == [True, False]
    assert frame["note"].tolist() == ["", "green, sour"]


def test_words_that_look_missing_stay_words(package):
    (package / "apples.csv").write_text(HEADER + "NA,None,,,,g,,,true,NULL\n", encoding="utf-8")
    assert apples(package).iloc[0][["id", "sort", "note"]].tolist() == ["NA", "None", "NULL"]


BROKEN = {
    "other header": (b"id,sort\n", "apples.csv, row 1: the header must be id,sort,printed"),
    "swapped header": (HEADER.replace("low,high", "high,low").encode(), "apples.csv, row 1: the header must be"),
    "empty file": (b"", "apples.csv, row 1: the header must be id,sort,printed,low"),
    "ragged row": (HEADER.encode() + b"a1,boskoop\n", "apples.csv, row 2: 2 cells where the header has 10"),
    "one cell too many": (HEADER.encode() + b"a,b,,,,g,,,true,,\n", "apples.csv, row 2: 11 cells where the header"),
    "BOM": (b"\xef\xbb\xbf" + HEADER.encode(), "apples.csv, row 1: begins with a byte order mark; save it as UTF-8"),
    "UTF-16": (HEADER.encode("utf-16"), "apples.csv, row 1: is UTF-16 text; save it as UTF-8"),
    "Latin-1": (HEADER.encode() + b"a1,b\xf6skoop,,,,g,,,true,\n", "apples.csv, row 2: is not UTF-8"),
    "open quote": (HEADER.encode() + b'a1,"boskoop', "apples.csv, row 2: is not a comma-separated table"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_file_is_refused_with_its_place(package, case):
    content, message = BROKEN[case]
    (package / "apples.csv").write_bytes(content)
    with pytest.raises(TableError) as error:
        apples(package)
    assert str(error.value).startswith(message)


def test_missing_file_is_a_table_error(package):
    (package / "apples.csv").unlink()
    with pytest.raises(TableError, match=r"apples\.csv: cannot be read"):
        apples(package)


@pytest.mark.parametrize(("faults", "last"), [(20, "kg"), (21, "... and 1 more"), (25, "... and 5 more")])
def test_error_lists_twenty_faults_and_counts_the_rest(package, faults, last):
    rows = "".join(f"a{n},boskoop,,,,lb,,,true,\n" for n in range(faults))
    (package / "apples.csv").write_text(HEADER + rows, encoding="utf-8")
    with pytest.raises(TableError) as error:
        apples(package)
    assert len(error.value.faults) == faults
    assert str(error.value).count("'lb'") == 20
    assert str(error.value).endswith(last)


@pytest.mark.parametrize("content", [b"{", b"[]", b"{}", b'{"resources": [{"name": "apples"}]}', b"[" * 100_000])
def test_broken_descriptor_is_refused_by_name(package, content):
    (package / "datapackage.json").write_bytes(content)
    with pytest.raises(DescriptorError, match=r"datapackage\.json"):
        descriptor.read_tables(package)


def test_missing_descriptor_is_refused_by_name(tmp_path):
    with pytest.raises(DescriptorError, match=r"datapackage\.json: cannot be read"):
        descriptor.read_tables(tmp_path)


def test_unknown_table_is_refused_with_the_tables_there_are(package):
    with pytest.raises(KeyError, match="no table 'pears'; there are sorts, apples, corrections"):
        Catalog(package).table("pears")


def test_used_tables_are_remembered_with_their_hash(package):
    data = Catalog(package)
    assert data.used == {}
    data.table("sorts")
    assert data.used["sorts.csv"] == sha256_of(package / "sorts.csv")
    assert "apples.csv" not in data.used


def test_corrections_that_were_applied_are_among_the_tables_used(package):
    data = Catalog(package)
    data.table("apples")
    assert set(data.used) == {"apples.csv", "corrections.csv"}


def test_without_a_judge_the_tables_can_be_read_and_doubts_are_an_error(package):
    data = Catalog(package)
    assert len(data.table("apples")) == 2
    with pytest.raises(NotJudged, match=r"without a judge: open it by analysis\.audit\.flags\.catalog\(\)"):
        _ = data.doubts


def test_the_judge_is_asked_once_and_of_this_catalog_only_where_doubts_are_wanted(package):
    asked = []
    told = pd.DataFrame({"doubt": ["", "preview"], "checked": True}, index=["a1", "a2"])

    def judge(tables):
        asked.append(tables)
        return told

    data = Catalog(package, judge)
    data.table("apples")
    assert asked == []
    assert data.doubts is data.doubts is told
    assert asked == [data]


def test_what_follows_from_a_catalog_is_kept_and_from_other_frames_made_anew(package, tmp_path):
    made = []

    @kept_with("corrections")
    def texts(data, *texts):
        made.append(data)
        return pd.DataFrame({"text": texts}, dtype="str")

    for text in ("one", "one", "two"):
        data = Catalog(package, place=tmp_path / "kept")
        assert texts(data, text, "more")["text"].tolist() == [text, "more"]
        assert "corrections.csv" in data.used
    assert len(made) == 2
    for _ in range(2):
        texts(None, "one", "more")
    assert made[2:] == [None, None]


def corrected(package, *fixes):
    text = "table,key,column,printed,corrected,reason\n" + "".join(f"{fix}\n" for fix in fixes)
    (package / "corrections.csv").write_text(text, encoding="utf-8")
    return Catalog(package).table("apples")


def test_correction_is_applied_and_its_reason_kept(package):
    frame = corrected(package, "apples,a2,unit,kg,g,weighed again", "apples,a2,sort,granny,boskoop,looked again")
    assert frame["unit"].tolist() == ["g", "g"]
    assert frame["sort"].tolist() == ["boskoop", "boskoop"]
    assert frame["corrected"].tolist() == ["", "weighed again; looked again"]


@pytest.mark.parametrize(
    "fix",
    ["apples,a9,unit,kg,g,no such row", "apples,a2,size,kg,g,no such column", "apples,a2,unit,lb,g,other printed"],
)
def test_correction_of_what_does_not_stand_is_refused(package, fix):
    with pytest.raises(TableError) as error:
        corrected(package, fix)
    _, key, column, printed, *_ = fix.split(",")
    expected = f"corrections.csv, row 2, column printed: apples.csv has no row '{key}' whose {column} is '{printed}'"
    assert str(error.value) == expected


@pytest.mark.parametrize(
    ("column", "printed", "now", "value"), [("crates", "2", "3", 3), ("high", "110.5", "111.5", 111.5)]
)
def test_number_is_corrected_to_a_number(package, column, printed, now, value):
    assert corrected(package, f"apples,a1,{column},{printed},{now},why")[column].iloc[0] == value


@pytest.mark.parametrize(
    "fix", ["apples,a1,high,110.5,many,why", "apples,a1,unit,g,lb,why", "apples,a1,high,110.5,1,why"]
)
def test_correction_to_what_the_table_does_not_accept_is_refused(package, fix):
    with pytest.raises(TableError):
        corrected(package, fix)


def test_a_system_with_a_lowered_power_limit_is_told_by_a_column(data):
    capped = data.results[data.results["power_capped"]]
    named = capped["system"].str.lower().str.contains("maxq|power cap")
    by_limit = capped[~named]  # 450 W where the datasheet says 600, which the same server is filed at too
    assert named.sum() and set(zip(by_limit["accelerator"], by_limit["power_limit_watts"], strict=True)) == {
        ("RTX PRO 6000 Blackwell SE", 450.0)
    }
    limits = data.accelerators.set_index("accelerator")["power_limit_w"]
    assert (by_limit["power_limit_watts"] < by_limit["accelerator"].map(limits)).all()
    others = data.results.loc[~data.results["power_capped"], "system"].str.lower()
    assert not others.str.contains("maxq|power cap").any()
    assert capped["system"].str.contains("Power Cap 1000W").sum() == 4  # of a summary that was not metered


def test_a_machine_is_the_same_with_and_without_serving_software_in_its_name(data):
    rows = data.results[data.results["serving_software"].eq("Triton") & data.results["round"].eq("v3.0")]
    spelled = rows[rows["system"].isin(["H3C UniServer R4950 G6 (2x A2, TensorRT,Triton)",
                                        "NVIDIA DGX A100 (8x A100-SXM-80GB, TensorRT, Triton)"])]  # fmt: skip
    machines = {"h3cuniserverr4950g62xa2tensorrt", "nvidiadgxa1008xa100sxm80gbtensorrt"}
    assert set(spelled["machine"]) == machines
    bare = data.results[data.results["machine"].isin(machines) & data.results["serving_software"].eq("")]
    assert bare["system"].str.endswith("TensorRT)").all() and "v3.0" in set(bare["round"])


def test_a_submitter_has_one_mix_of_capitals(data):
    names = set(data.results.loc[data.results["origin"].eq("official"), "submitter"])
    assert len({name.casefold() for name in names}) == len(names)


def test_an_accelerator_has_a_short_name_or_is_called_as_its_row_has_it(data):
    assert [data.short_name(name) for name in ("H100 SXM", "mixed", "")] == ["H100", "mixed", ""]


def test_a_benchmark_that_the_table_lacks_is_called_as_it_is_printed(data):
    assert [data.label(name) for name in ("gptj", "neuralmagic_Llama-2-7b")] == ["GPT-J 6B", "neuralmagic_Llama-2-7b"]
