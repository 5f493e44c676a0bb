"""A table that cannot be read is named as such, and never taken for a wrong parameter."""

import pytest

from analysis._core import parameters, table_text
from analysis._core.cell_lists import cell_values
from analysis._core.choices import folded, spelled
from analysis._core.table_text import UnusableTable


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A data folder with one table, in place of the project's own."""
    monkeypatch.setattr(table_text, "DATA", tmp_path)
    monkeypatch.setattr(table_text, "official_files", lambda: [])
    (tmp_path / "benchmarks.csv").write_text("benchmark,label\nbert,BERT\n", "utf-8")
    return tmp_path


def test_an_edited_table_is_read_again(folder):
    assert table_text.column("benchmarks", "benchmark") == ("bert",)
    (folder / "benchmarks.csv").write_text("benchmark,label\nbert,BERT\ngptj,GPT-J\n", "utf-8")
    assert table_text.column("benchmarks", "benchmark") == ("bert", "gptj")
    (folder / "results.csv").write_text("accelerator\nXPU 9\n", "utf-8")
    assert table_text.accelerators_of_results() == ("XPU 9",)
    (folder / "results.csv").write_text("accelerator\nXPU 10\n", "utf-8")
    assert table_text.accelerators_of_results() == ("XPU 10",)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("benchmark\nbert\n".encode("utf-8-sig"), r"data/benchmarks\.csv, line 1: begins with a byte order mark"),
        (b"name\nbert\n", r"data/benchmarks\.csv, line 1: has no column benchmark; found name"),
        (None, r"data/benchmarks\.csv: cannot be read: No such file"),
    ],
)
def test_a_table_at_fault_is_named_where_a_parameter_is_checked(folder, content, words):
    path = folder / "benchmarks.csv"
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(UnusableTable, match=words):
        parameters.validate("generational_speedup", {"benchmark": "bert"})


@pytest.mark.parametrize("name", ["Llama 2 70B", "llama2-70b-99.9", " llama  2 70b "])
def test_a_name_of_a_benchmark_is_that_benchmark(name):
    assert table_text.benchmark_named(name) == "llama2-70b"


@pytest.mark.parametrize(
    ("name", "benchmark"),
    [
        ("DeepSeek R1", "deepseek-r1"),
        ("deepseek-ai/DeepSeek-R1", "deepseek-r1"),
        ("llama_3.1_405b", "llama3.1-405b"),
    ],
)
def test_a_name_may_be_spelled_with_other_signs(name, benchmark):
    assert table_text.benchmark_named(name) == benchmark


def test_signs_tell_no_two_benchmarks_apart():
    """Without signs a name is that of the same benchmark as with them."""
    names = [
        (name, row["benchmark"])
        for row in table_text.rows("benchmarks")
        for name in (row["benchmark"], row["label"], *cell_values(row["aliases"]))
    ]
    with_signs, without = ({(plain(name), own) for name, own in names} for plain in (folded, spelled))
    shared = [{name for name, _ in own if sum(name == other for other, _ in own) > 1} for own in (with_signs, without)]
    assert shared == [{"dlrm"}, {"dlrm"}]


@pytest.mark.parametrize("name", ["", "Llama 2", "Llama 3.3 70B", "DeepSeek-R1-Distill-Llama-70B"])
def test_any_other_name_is_none(name):
    assert table_text.benchmark_named(name) == ""
