"""Report tables: ranges in words, units in headers, numbers to the right, ids by content, markup shown, not run."""

import html.parser
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from analysis.compare import gate
from analysis.compare.gate import Comparison, Question
from analysis.show import tables

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
    cells = tables.show(FRAME, "Sizes", COLUMNS).cells
    assert cells.to_dict("list") == {
        "Who": ["Ann", "Bob"],
        "Size (g)": ["1 to 1.5", "2"],
        "Count": ["3", ""],
        "Share (ratio)": ["0.333", "not known"],
        "Ripe": ["yes", "no"],
    }


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


def test_numbers_are_right_and_words_left() -> None:
    cells = Elements(tables.show(FRAME, "Sizes", COLUMNS).markup).of("td")
    sides = [
        next(side for side in ("left", "right") if f"gt_{side}" in cell["class"]) for cell in cells[-len(COLUMNS) :]
    ]
    assert sides[:4] == ["left", "right", "right", "right"]


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
    identity = Elements(first).of("div")[0]["id"]
    assert identity.startswith("t")
    others = [tables.show(FRAME, "Weights", COLUMNS), tables.show(FRAME, "Sizes", {"who": "Who"})]
    assert identity not in {Elements(other.markup).of("div")[0]["id"] for other in others}


def test_empty_frame_says_that_there_is_nothing() -> None:
    table = tables.show(FRAME.head(0), "Sizes", COLUMNS)
    assert table.markup == '<p class="nothing">Sizes: nothing to show for these parameters.</p>'
    assert table._repr_mimebundle_()["text/plain"].strip() == "Sizes: nothing to show for these parameters."


def test_unknown_column_is_refused() -> None:
    with pytest.raises(
        KeyError, match=r"no column 'sise': did you mean 'size'[?] valid: who, size, count, share, ripe"
    ):
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
def chosen(results: Callable[..., pd.DataFrame], benchmarks: pd.DataFrame) -> Comparison:
    """Two comparable rows, the slower first, and one of another round."""
    rows = results({"result_id": "4.1-0001"}, {"low": 24_524.5, "high": 24_525.5}, {"round": "v5.1"})
    return gate.select(rows, benchmarks, Question("llm", "Offline", rounds=("v4.1",)))


def test_rows_compared_come_fastest_first_with_unit_and_result_id(chosen: Comparison) -> None:
    table = tables.results(chosen)
    assert table.title == "Compared: LLM Offline"
    assert table.cells["System (tokens per second)"].tolist() == ["24,525", "800"]
    assert table.cells["Per accelerator (tokens per second)"].tolist()[1] == "100"
    assert table.cells["Result id"].tolist() == ["", "4.1-0001"]


def test_rows_left_out_come_with_their_reason(chosen: Comparison) -> None:
    assert tables.left_out(chosen).cells.to_numpy().tolist() == [["another round", "1", "H100 SXM"]]


def test_caveats_have_a_sign_and_empty_ones_none() -> None:
    frame = pd.DataFrame({"caveat": ["preview", ""], "doubt": ["", "above what its hardware can do"]})
    shown = tables.show(frame, "Sizes", {"caveat": "Caveat", "doubt": "Doubt"}).cells
    assert shown["Caveat"].tolist() == ["\u26a0\ufe0e preview", ""]
    assert shown["Doubt"].tolist() == ["", "\u26a0\ufe0e above what its hardware can do"]


def test_reason_of_most_results_comes_first(chosen: Comparison) -> None:
    rows = pd.DataFrame({"reason": ["few", "many"], "results": [1, 9], "accelerators": ["", ""]})
    assert tables.left_out(replace(chosen, left_out=rows)).cells["Why"].tolist() == ["many", "few"]
