"""Report tables: ranges in words, units in headers, numbers to the right, ids by content, markup shown, not run."""

import html.parser
import re
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from analysis._core import html_table
from analysis._core.choices import not_among
from analysis._core.notes import NONE, note
from analysis._display import tables
from analysis.comparability import selection
from analysis.comparability.selection import Comparison, Data, Question

EVIL = '<script>alert("1")</script><img src=x onerror=alert(1)>'
FRAME = pd.DataFrame(
    {
        "who": ["Ann", "Bob"],
        "size_low": [1.0, 2.0],
        "size_high": [1.5, 2.0],
        "count": pd.array([3, None], dtype="Int64"),
        "share": [0.333333, float("nan")],
        "ripe": [True, False],
    }
)
COLUMNS = {"who": "Who", "size": "Size (g)", "count": "Count", "share": "Share (ratio)", "ripe": "Ripe"}


class Elements(html.parser.HTMLParser):
    """The start tags of a page, each with its attributes, and the text of its cells."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.found.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict]:
        return [attributes for name, attributes in self.found if name == tag]


def test_cells_are_words_and_ranges() -> None:
    words = tables.show(FRAME, "Sizes", COLUMNS).cells
    assert words.to_dict("list") == {
        "Who": ["Ann", "Bob"],
        "Size (g)": ["1 to 1.5", "2"],
        "Count": ["3", ""],
        "Share (ratio)": ["0.333", "not known"],
        "Ripe": ["yes", "no"],
    }


def test_marks_stand_behind_numbers_and_a_blank_has_the_sign_asked_for() -> None:
    told = [frozenset({note("power_capped"), note("another_size")}), NONE]
    rows = FRAME.assign(size_notes=told, size_low=[1.0, float("nan")])
    table = tables.show(rows, "Sizes", {"who": "Who", "size": "Size (g)"}, blank="–")
    assert table.cells["Size (g)"].tolist() == ["1 to 1.5", "–"]
    assert '<td class="number">1 to 1.5<sup class="marks">*</sup></td>' in table.markup
    assert '<td class="number">–</td>' in table.markup
    assert list(table.values) == ["Who", "Size (g), low", "Size (g), high"]


def test_a_key_says_each_mark_once() -> None:
    sizes = note("different_sizes", sizes="8x", other_sizes="1x")
    key = tables.key(frozenset({note("another_size"), sizes}), ("–", "none <b>here</b>"))
    assert key.lines == [("*", f"{note('another_size').text}; {sizes.bare}"), ("–", "none <b>here</b>")]
    shown = key._repr_mimebundle_()
    assert shown["text/html"].count("<li>") == 2 and "none &lt;b&gt;here&lt;/b&gt;" in shown["text/html"]
    assert tables.key(NONE)._repr_mimebundle_()["text/html"] == ""


def test_a_long_table_can_be_left_in_sight() -> None:
    rows = pd.DataFrame({"count": range(tables.FOLD + 1)})
    folded = tables.show(rows, "Rows", {"count": "Count"})
    assert "<details" in folded.markup and "<details" not in folded.unfolded().markup
    assert folded.unfolded().csv() == folded.csv()


def test_counts_have_separators_of_thousands() -> None:
    rows = pd.DataFrame({"count": pd.array([31214, None], dtype="Int64"), "plain": [9474, 0]})
    table = tables.show(rows, "Rows", {"count": "Count", "plain": "Plain"})
    assert table.cells.to_dict("list") == {"Count": ["31,214", ""], "Plain": ["9,474", "0"]}
    assert table.markup.count('class="number"') == 6


def test_a_short_table_can_be_folded_away_behind_its_title() -> None:
    table = tables.show(FRAME, "Sizes", COLUMNS)
    folded = table.folded()
    assert folded.markup == f'<details class="table"><summary>Sizes (2 rows)</summary>{table.bare}</details>'
    assert tables.show(FRAME.head(1), "Sizes", COLUMNS).folded().markup.count("<summary>Sizes (1 row)</summary>") == 1
    empty = tables.show(FRAME.head(0), "Sizes", COLUMNS)
    assert empty.folded() is empty


def test_of_many_rows_the_first_are_shown_and_the_title_says_of_how_many() -> None:
    table = tables.show(FRAME, "Sizes", COLUMNS, most=1)
    assert (table.title, table.cells["Who"].tolist()) == ("Sizes, the first 1 of 2", ["Ann"])
    assert tables.show(FRAME, "Sizes", COLUMNS, most=2).title == "Sizes"


def test_only_named_columns_are_shown_in_their_order() -> None:
    assert list(tables.show(FRAME, "Sizes", {"ripe": "Ripe", "who": "Who"}).cells) == ["Ripe", "Who"]


def test_digits_are_those_of_a_range() -> None:
    frame = pd.DataFrame({"size_low": [123_456.0], "size_high": [123_456.0]})
    assert tables.show(frame, "Sizes", {"size": "Size"}).cells.iloc[0, 0] == "123,000"
    assert tables.show(frame, "Sizes", {"size": "Size"}, digits=None).cells.iloc[0, 0] == "123,456"


def test_header_cells_say_what_they_head() -> None:
    heads = Elements(tables.show(FRAME, "Sizes", COLUMNS).markup).of("th")
    assert len(heads) == len(COLUMNS)
    assert {head.get("scope") for head in heads} == {"col"}


def test_numbers_are_told_from_words_in_headers_and_rows() -> None:
    elements = Elements(tables.show(FRAME, "Sizes", COLUMNS).markup)
    marks = [cell.get("class") for cell in elements.of("th") + elements.of("td")]
    assert marks == [None, "number", "number", "number", None] * (1 + len(FRAME))


def test_caption_names_the_table() -> None:
    assert "<caption>Sizes</caption>" in tables.show(FRAME, "Sizes", COLUMNS).markup


def test_every_table_has_the_same_sheet_of_a_few_rules() -> None:
    sheets = [
        re.findall(r"<style>.*?</style>", tables.show(FRAME, title, COLUMNS).markup) for title in ("Sizes", "Weights")
    ]
    assert sheets[0] == sheets[1] == [html_table.SHEET]
    assert len(html_table.SHEET) < 400


def test_two_hundred_rows_are_rendered() -> None:
    words = pd.DataFrame({f"c{number}": ["<b> & words"] * 200 for number in range(8)})
    markup = html_table.render(words, "Sizes", ["c1"]).markup
    assert markup.count("&lt;b&gt; &amp; words") == 1600


def test_markup_in_cells_headers_and_title_is_shown_not_run() -> None:
    frame = pd.DataFrame({"who": [EVIL], "what": ["a"]})
    elements = Elements(tables.show(frame, EVIL, {"who": "Who", "what": EVIL}).markup)
    assert elements.of("script") == []
    assert elements.of("img") == []


def test_markup_in_the_title_of_an_empty_table_is_shown_not_run() -> None:
    elements = Elements(tables.show(FRAME.head(0), EVIL, COLUMNS).markup)
    assert elements.of("script") == []
    assert elements.of("img") == []


def test_id_is_that_of_title_and_headers() -> None:
    first, same = (tables.show(FRAME, "Sizes", COLUMNS).markup for _ in range(2))
    assert first == same
    identity = Elements(first).of("table")[0]["id"]
    assert identity.startswith("t")
    others = [tables.show(FRAME, "Weights", COLUMNS), tables.show(FRAME, "Sizes", {"who": "Who"})]
    assert identity not in {Elements(other.markup).of("table")[0]["id"] for other in others}


def test_empty_frame_says_that_there_is_nothing() -> None:
    table = tables.show(FRAME.head(0), "Sizes", COLUMNS)
    assert table.markup == '<p class="nothing">Sizes: nothing to show for these parameters.</p>'
    assert table._repr_mimebundle_()["text/plain"].strip() == "Sizes: nothing to show for these parameters."


def test_unknown_column_is_refused() -> None:
    with pytest.raises(KeyError, match=re.escape(f"no column {not_among('sise', COLUMNS)}")):
        tables.show(FRAME, "Sizes", {"sise": "Size (g)"})


def test_plain_text_has_title_header_and_rows() -> None:
    plain = tables.show(FRAME, "Sizes", {"who": "Who", "size": "Size (g)"})._repr_mimebundle_()["text/plain"]
    assert plain == "Sizes\nWho | Size (g)\nAnn | 1 to 1.5\nBob | 2"


def test_long_table_is_folded_and_its_title_shown_not_run() -> None:
    frame = pd.DataFrame({"who": ["Ann"] * (tables.FOLD + 1)})
    long = tables.show(frame, EVIL, {"who": "Who"}).markup
    assert long.startswith("<details")
    assert Elements(long).of("script") == []
    assert not tables.show(frame.head(tables.FOLD), EVIL, {"who": "Who"}).markup.startswith("<details")


@pytest.fixture
def chosen(results: Callable[..., pd.DataFrame], tables: Callable[..., Data]) -> Comparison:
    """Two comparable rows, the slower first, and one of another round."""
    rows = results({"result_id": "4.1-0001"}, {"low": 24_524.5, "high": 24_525.5}, {"round": "v5.1"})
    return selection.select(tables(rows), Question("llm", "Offline", rounds=("v4.1",)))


def test_rows_compared_come_fastest_first_with_unit_and_result_id(chosen: Comparison) -> None:
    table = tables.results(chosen)
    assert table.title == "Compared: LLM Offline"
    assert table.cells["System (tokens per second)"].tolist() == ["24,525", "800"]
    assert table.cells["Per accelerator (tokens per second)"].tolist()[1] == "100"
    assert table.cells["Result id"].tolist() == ["", "4.1-0001"]


def test_rows_left_out_come_with_their_reason(chosen: Comparison) -> None:
    assert tables.left_out(chosen).cells.to_numpy().tolist() == [["another round", "1", "H100 SXM"]]


def test_notes_stand_in_words_and_none_is_an_empty_cell() -> None:
    own = frozenset({note("edge_suite"), note("preview")})
    frame = pd.DataFrame({"notes": [own, NONE], "result_id": ["one", "other"]})
    shown = tables.show(frame, "Sizes", {"notes": "Caveat", "result_id": "Id"}).cells
    assert shown["Caveat"].tolist() == ["preview system; edge suite", ""]
    assert html_table.noted(own) == shown["Caveat"].iloc[0]
    assert html_table.noted(NONE) == ""


def test_notes_of_compared_rows_stand_in_the_column_of_caveats(chosen: Comparison) -> None:
    own = [frozenset({note("power_capped")}), NONE]
    shown = tables.results(replace(chosen, rows=chosen.rows.assign(notes=own))).cells
    assert shown["Caveat"].tolist() == ["", html_table.noted(own[0])]


def test_markup_in_a_note_is_shown_not_run() -> None:
    frame = pd.DataFrame({"notes": [frozenset({note("preview", about=[EVIL])})]})
    table = tables.show(frame, "Sizes", {"notes": "Caveat"})
    assert EVIL in table.cells.iloc[0, 0]
    assert Elements(table.markup).of("script") == Elements(table.markup).of("img") == []


def test_reason_of_most_results_comes_first(chosen: Comparison) -> None:
    rows = pd.DataFrame({"reason": ["few", "many"], "results": [1, 9], "accelerators": ["", ""]})
    assert tables.left_out(replace(chosen, left_out=rows)).cells["Why"].tolist() == ["many", "few"]


def test_csv_has_the_ends_of_a_range_as_numbers_and_words_as_they_stand() -> None:
    frame = pd.DataFrame({"who": ["A, B", "C"], "x_low": [1 / 3, 2.0], "x_high": [0.5, 2.0], "count": [3, 40_000]})
    table = tables.show(frame, "Sizes", {"who": "Who", "x": "Rate (1/s)", "count": "Count"})
    lines = ['Who,"Rate (1/s), low","Rate (1/s), high",Count', '"A, B",0.333333333,0.5,3', "C,2,2,40000"]
    assert table.csv().splitlines() == table.folded().csv().splitlines() == lines
