"""Report tables: ranges in words, units in headers, numbers to the right, ids by content, markup shown, not run."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from analysis._core.choices import not_among
from analysis._core.notes import NONE, note, worded
from analysis._display import tables
from analysis.comparability import selection
from analysis.comparability.selection import Question

EVIL = '<script>alert("1")</script><img src=x onerror=alert(1)>'
FRAME = pd.DataFrame(
    {
        "who": ["Ann", "Bob"],
        "size_low": [1.0, 2.0],
        "size_high": [1.5, 2.0],
        "count": pd.array([31_214, None], dtype="Int64"),
        "share": [0.333333, float("nan")],
        "ripe": [True, False],
    }
)
COLUMNS = {"who": "Who", "size": "Size (g)", "count": "Count", "share": "Share (ratio)", "ripe": "Ripe"}
TABLE = tables.table(FRAME, "Sizes", COLUMNS)
EMPTY = tables.table(FRAME.head(0), "Sizes", COLUMNS)


def sizes(low, high, **how):
    frame = pd.DataFrame({"size_low": [low], "size_high": [high]})
    return tables.table(frame, "Sizes", {"size": "Size"}, **how).cells.iloc[0, 0]


def test_cells_are_words_and_ranges_with_separators_of_thousands():
    assert TABLE.cells.to_dict("list") == {
        "Who": ["Ann", "Bob"],
        "Size (g)": ["1 to 1.5", "2"],
        "Count": ["31,214", ""],
        "Share (ratio)": ["0.333", "not known"],
        "Ripe": ["yes", "no"],
    }
    assert list(tables.table(FRAME, "Sizes", {"ripe": "Ripe", "who": "Who"}).cells) == ["Ripe", "Who"]
    assert (sizes(123_456.0, 123_456.0), sizes(123_456.0, 123_456.0, digits=None)) == ("123,000", "123,456")


def test_header_cells_say_what_they_head_and_numbers_are_told_from_words():
    assert "<caption>Sizes</caption>" in TABLE.markup
    assert TABLE.markup.count('<th scope="col"') == TABLE.markup.count("<th") - TABLE.markup.count("<thead") == 5
    kinds = re.findall(r'<t[hd](?: scope="col")?( class="number")?>', TABLE.markup)
    assert [bool(kind) for kind in kinds] == [False, True, True, True, False] * 3


def test_marks_stand_behind_numbers_and_a_blank_has_the_sign_asked_for():
    told = [frozenset({note("power_capped"), note("another_size")}), NONE]
    rows = FRAME.assign(size_notes=told, size_low=[1.0, float("nan")])
    table = tables.table(rows, "Sizes", {"who": "Who", "size": "Size (g)"}, blank="–")
    assert table.cells["Size (g)"].tolist() == ["1 to 1.5", "–"]
    assert '<td class="number">1 to 1.5<sup class="marks">*</sup></td>' in table.markup
    assert list(table.values) == ["Who", "Size (g), low", "Size (g), high"]


def test_a_key_says_each_mark_once_and_what_has_none_with_its_rows():
    of_sizes = (note("another_size", about=["A"]), note("different_sizes", about=["B"]))
    key = tables.key(frozenset({*of_sizes, note("single", about=["C"], of="system")}), ("–", "none <b>here</b>"))
    assert key.lines == [("*", "different system size"), ("", "single system (C)"), ("–", "none <b>here</b>")]
    shown = key._repr_mimebundle_()
    assert shown["text/html"].count("<li>") == 3 and "none &lt;b&gt;here&lt;/b&gt;" in shown["text/html"]
    assert tables.key(NONE)._repr_mimebundle_()["text/html"] == ""


def test_a_long_table_is_folded_unless_left_in_sight_and_a_short_one_can_be():
    frame = pd.DataFrame({"who": ["Ann"] * (tables.FOLD + 1)})
    long = tables.table(frame, EVIL, {"who": "Who"})
    assert long.markup.startswith("<details") and "<script" not in long.markup
    assert "<details" not in long.unfolded().markup and long.unfolded().csv() == long.csv()
    assert "<details" not in tables.table(frame.head(tables.FOLD), EVIL, {"who": "Who"}).markup
    folded = TABLE.folded().markup
    assert folded == f'<details class="table"><summary>Sizes (2 rows)</summary>{TABLE.bare}</details>'
    assert "<summary>Sizes (1 row)</summary>" in tables.table(FRAME.head(1), "Sizes", COLUMNS).folded().markup
    assert EMPTY.folded() is EMPTY


def test_of_many_rows_the_first_are_shown_and_the_title_says_of_how_many():
    table = tables.table(FRAME, "Sizes", COLUMNS, most=1)
    assert (table.title, table.cells["Who"].tolist()) == ("Sizes, the first 1 of 2", ["Ann"])
    assert tables.table(FRAME, "Sizes", COLUMNS, most=2).title == "Sizes"


def test_markup_in_cells_headers_notes_and_title_is_shown_not_run():
    frame = pd.DataFrame({"who": [EVIL] * 200, "notes": [frozenset({note("preview", about=[EVIL])})] * 200})
    markup = tables.table(frame, EVIL, {"who": EVIL, "notes": "Caveat"}).markup
    for shown in (markup, tables.table(frame.head(0), EVIL, {"who": "Who"}).markup):
        assert "<script" not in shown and "<img" not in shown
    assert markup.count("&lt;script&gt;") >= 400


def test_empty_frame_says_that_there_is_nothing():
    assert EMPTY.markup == '<p class="nothing">Sizes: nothing to show for these parameters.</p>'
    assert EMPTY._repr_mimebundle_()["text/plain"].strip() == "Sizes: nothing to show for these parameters."


def test_unknown_column_is_refused():
    with pytest.raises(KeyError, match=re.escape(f"no column {not_among('sise', COLUMNS)}")):
        tables.table(FRAME, "Sizes", {"sise": "Size (g)"})


def test_plain_text_and_csv_have_header_and_rows():
    """As CSV the ends of a range are numbers, and words stand as they are."""
    plain = tables.table(FRAME, "Sizes", {"who": "Who", "size": "Size (g)"})._repr_mimebundle_()["text/plain"]
    assert plain == "Sizes\nWho | Size (g)\nAnn | 1 to 1.5\nBob | 2"
    frame = pd.DataFrame({"who": ["A, B", "C"], "x_low": [1 / 3, 2.0], "x_high": [0.5, 2.0], "count": [3, 40_000]})
    table = tables.table(frame, "Sizes", {"who": "Who", "x": "Rate (1/s)", "count": "Count"})
    lines = ['Who,"Rate (1/s), low","Rate (1/s), high",Count', '"A, B",0.333333333,0.5,3', "C,2,2,40000"]
    assert table.csv().splitlines() == table.folded().csv().splitlines() == lines


@pytest.fixture
def chosen(results, tables):
    """Two comparable rows, the slower first, and one of another round."""
    rows = results({"result_id": "4.1-0001"}, {"low": 24_524.5, "high": 24_525.5}, {"round": "v5.1"})
    return selection.select(tables(rows), Question("llm", "Offline", rounds=("v4.1",)))


def test_rows_compared_come_fastest_first_with_unit_result_id_and_caveats(chosen):
    own = frozenset({note("edge_suite"), note("preview")})
    table = tables.results(replace(chosen, rows=chosen.rows.assign(notes=[own, NONE])))
    assert table.title == "Compared: LLM Offline"
    assert table.cells["System (tokens per second)"].tolist() == ["24,525", "800"]
    assert table.cells["Per accelerator (tokens per second)"].tolist()[1] == "100"
    assert table.cells["Result id"].tolist() == ["", "4.1-0001"]
    assert table.cells["Caveat"].tolist() == ["", "preview system; edge suite"] == [worded(NONE), worded(own)]


def test_rows_left_out_come_with_their_reason_that_of_most_results_first(chosen):
    assert tables.excluded(chosen).cells.to_numpy().tolist() == [["another round", "1", "H100 SXM"]]
    rows = pd.DataFrame({"reason": ["few", "many"], "results": [1, 9], "accelerators": ["", ""]})
    assert tables.excluded(replace(chosen, excluded=rows)).cells["Why"].tolist() == ["many", "few"]
