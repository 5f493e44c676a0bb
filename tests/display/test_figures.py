"""Figures: identical bytes, alt text with the numbers, a source line, a sentence where there is nothing to draw."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

from analysis._core import html_table, mime
from analysis._core.notes import NONE, Notes, note
from analysis._tables.catalog import Catalog
from analysis.charts import colors, roofline_chart, row_charts, strip_chart, style, timeline, tradeoffs
from analysis.charts.style import Drawing

matplotlib.use("agg")
pytestmark = pytest.mark.filterwarnings("error")  # what a library warns of is a fault of a later version
EVIL = '<script>alert("1")</script><img src=x onerror=alert(1)>'
NAMES = {"title": "B200 leads.", "subtitle": "LLM Offline."}
FRAME = pd.DataFrame(
    {
        "part": ["B200 SXM", "L40S", "B200 SXM"],
        "basis": ["official v4.1", "official v4.1", "Paper"],
        "origin": ["official", "official", "published"],
        "day": pd.to_datetime(["2024-08-28", "2024-08-28", "2025-09-09"]),
        "x_low": [2.0, 0.25, 3.0],
        "x_high": [2.5, 0.25, 4.0],
        "y_low": [1.0, 5.0, 9.0],
        "y_high": [1.5, 6.0, 9.0],
        "value": [0.5, -0.75, 0.1],
        "derived": [True, False, False],
        "words": ["one", "", "three"],
    }
)
CELLS = pd.DataFrame(
    {
        "part": ["B200 SXM", "B200 SXM", "L40S"],
        "on": pd.Categorical(["llm", "images", "llm"], ["llm", "images"]),
        "x_low": [2.0, 0.9, 0.5],
        "x_high": [2.0, 1.1, 0.5],
        "system": ["box", "box", "tower"],
        "of": ["3 pairs", "1 pair", "2 pairs"],
    }
)
PLACES = {"label": "part", "column": "on", "name": "x", "note": "of"} | NAMES
ROOFS = pd.DataFrame({"part": ["B200 SXM", "L40S"], "precision": "fp8", "at_batch_1": 2.0, "flat": 64.0, "ridge": 32.0})
INKS = {"Paper": "#000000", "official v4.1": "#595959"}
AXES = {"x_axis": "loss", "y_axis": "rate"} | NAMES
STACKED, PARTS = {"axis": "rows"} | NAMES, {"x_low": colors.POINT, "y_low": colors.LIGHT}
RANGES = {"label": "part", "name": "x", "axis": "ratio"} | NAMES
Draw = Callable[[pd.DataFrame], Drawing]
CHARTS: dict[str, Draw] = {
    "ranges": lambda f: row_charts.ranges(
        f, series="basis", hollow="derived", note="words", reference=1, log=True, **RANGES
    ),
    "band": lambda f: row_charts.ranges(f, series="basis", band=(0.6, 0.8), band_label="assumed", **RANGES),
    "beside": lambda f: row_charts.beside(f, others={"y": "stated"}, legend="computed", note="words", **RANGES),
    "over_time": lambda f: timeline.over_time(f, date="day", when="basis", **RANGES),
    "scatter": lambda f: row_charts.scatter(f, x="x", y="y", label="part", front="derived", **AXES),
    "distributions": lambda f: row_charts.distributions(f[["x_low", "y_low"]], **NAMES),
    "bars": lambda f: row_charts.bars(f, label="words", value="value", axis="correlation", **NAMES),
    "stacked": lambda f: row_charts.stacked(
        f, label="part", counts={"x_low": "logs", "y_low": "none"}, inks=PARTS, **STACKED
    ),
    "heatmap": lambda f: row_charts.heatmap(CELLS.head(len(f)), **PLACES),
    "strips": lambda f: strip_chart.strips(
        f, strip="part", value="x_low", group="basis", inks=INKS, told="words", axis="ratio", **NAMES
    ),
    "roofs": lambda f: roofline_chart.roofs(
        ROOFS, f.assign(above=f["derived"], label=f["part"]), panel="part", line="precision", **AXES
    ),
    "curves": lambda f: tradeoffs.curves(
        f.sort_values("part"),
        f,
        f.tail(1),
        label="part",
        x="y_low",
        y="x",
        series="basis",
        bound="derived",
        lines={"limit": 3.0},
        ticks=[2.0, 10.0],
        **AXES,
    ),
    "bars_at": lambda f: tradeoffs.bars_at(
        f, label="part", at="y_low", name="x", unit="per user", missing="no run", axis="ratio", **NAMES
    ),
}


@pytest.fixture(autouse=True)
def theme(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ANALYSIS_CACHE", "off")
    style.apply()
    yield
    plt.close("all")


@cache
def drawn(name: str) -> str:
    """The drawing of FRAME."""
    return style.svg(CHARTS[name](FRAME).figure)


@pytest.mark.parametrize("name", CHARTS)
def test_two_drawings_of_the_same_data_have_the_same_bytes(name: str) -> None:
    first, second = drawn(name), style.svg(CHARTS[name](FRAME).figure)
    assert first.startswith("<?xml")
    assert first == second


@pytest.mark.parametrize("name", [name for name in CHARTS if name != "heatmap"])
def test_another_number_changes_the_drawing(name: str) -> None:
    other = FRAME.assign(x_low=[1.9, 0.2, 2.9], value=[0.4, -0.7, 0.2])
    assert drawn(name) != style.svg(CHARTS[name](other).figure)


@pytest.mark.parametrize("name", CHARTS)
def test_empty_frame_gives_a_sentence_in_place_of_a_figure(name: str) -> None:
    drawing = CHARTS[name](FRAME.head(0))
    assert drawing.figure is None
    assert drawing.alt == "B200 leads. No comparable row for these parameters: nothing to draw."


@pytest.mark.parametrize("name", CHARTS)
def test_title_and_subtitle_stand_in_the_figure(name: str) -> None:
    texts = [text.get_text() for text in CHARTS[name](FRAME).figure.texts]
    assert texts == ["B200 leads", "LLM Offline."]


TOLD = {
    "ranges": "Ranges, ratio: B200 SXM (official v4.1) 2 to 2.5; L40S (official v4.1) 0.25; B200 SXM (Paper) 3 to 4.",
    "beside": "Ranges, ratio: B200 SXM: computed 2 to 2.5, stated 1 to 1.5; L40S: computed 0.25, stated 5 to 6;",
    "over_time": "Lines over time, ratio: B200 SXM (official v4.1) 2 to 2.5; L40S (official v4.1) 0.25; B200 SXM (P",
    "scatter": "Points, loss and rate: B200 SXM 2 to 2.5 and 1 to 1.5; L40S 0.25 and 5 to 6; B200 SXM 3 to 4 and 9.",
    "distributions": "Histograms of 3 draws. x_low: P10 0.6, P50 2, P90 2.8; y_low: P10 1.8, P50 5, P90 8.2.",
    "bars": "Bars, correlation: -0.75; one 0.50; three 0.10.",
    "stacked": "Stacked bars, rows: B200 SXM: 2.0 logs, 1.0 none; L40S: 0.25 logs, 5.0 none; B200 SXM: 3.0 logs, 9.0",
    "heatmap": "Heat map of 3 cells: B200 SXM, llm 2; B200 SXM, images 0.9–1.1; L40S, llm 0.5.",
    "curves": "Curves, rate over loss: B200 SXM (official v4.1) 1: 2 to 2.5; B200 SXM (Paper) 9: 3 to 4; L40S",
    "bars_at": "Bars, ratio: B200 SXM: 2 to 2.5 at 1 per user, no run at 5 per user, 3 to 4 at 9 per user; L40S: no",
    "strips": "3 dots, ratio: B200 SXM: Paper, 1 at 3; B200 SXM: official v4.1, 1 at 2; L40S: official v4.1, 1 at 0.25",
    "roofs": "Limits: B200 SXM fp8: 2 at 1, flat at 64 from 32; L40S fp8: 2 at 1, flat at 64 from 32. "
    "Points: B200 SXM 1 to 1.5 (above); L40S 5 to 6 (below); B200 SXM 9 (below).",
}


@pytest.mark.parametrize("name", TOLD)
def test_alt_text_tells_the_numbers(name: str) -> None:
    assert CHARTS[name](FRAME).alt.startswith(f"B200 leads. {TOLD[name]}")


def test_band_is_no_number_of_the_chart() -> None:
    assert CHARTS["band"](FRAME).alt == CHARTS["ranges"](FRAME).alt


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, dict]]:
    """What was displayed, with its options."""
    shown: list[tuple[Any, dict]] = []
    monkeypatch.setattr(style, "display", lambda what, **options: shown.append((what, options)))
    return shown


def test_figure_is_shown_as_svg_with_alt_text_and_source_line(displayed: list[tuple[Any, dict]]) -> None:
    style.show(CHARTS["ranges"](FRAME), "Sources: a page.")
    (output, options), (table, marked) = displayed
    told = options["metadata"]["image/svg+xml"]
    assert output["image/svg+xml"].startswith("<?xml")
    assert (told["caption"], told["alt"]) == ("Sources: a page.", output["text/plain"])
    assert (told["title"], told["subtitle"]) == ("B200 leads", "LLM Offline.")
    assert 0.05 < told["header"] < 0.5
    assert options["raw"]
    assert re.findall('<td class="number">(.*?)</td>', table["text/html"]) == ["2 to 2.5", "0.25", "3 to 4"]
    assert table["text/html"].startswith(
        '<details class="table"><summary>The same numbers as a table (3 rows)</summary>'
    )
    assert table["text/plain"].splitlines()[1:3] == [
        "Part | Basis | Ratio | What",
        "B200 SXM | official v4.1 | 2 to 2.5 | one",
    ]
    assert marked["raw"] and set(marked["metadata"]) == {mime.NUMBERS, mime.CSV}
    assert marked["metadata"][mime.CSV].splitlines()[1].startswith("B200 SXM,official v4.1,2,2.5,one")
    assert plt.get_fignums() == []


def test_a_fuller_table_takes_the_place_of_the_chart_s_own(displayed: list[tuple[Any, dict]]) -> None:
    own = html_table.render(pd.DataFrame({"Who": ["Ann"]}), "People")
    style.show(CHARTS["ranges"](FRAME), "Sources: a page.", own)
    ((table, options),) = displayed[1:]
    assert table == own.beside_figure()._repr_mimebundle_() and options["metadata"][mime.CSV] == "Who\nAnn\n"


NUMBERS = {
    "ranges": {"Part": "B200 SXM", "Basis": "official v4.1", "Ratio": "2 to 2.5", "What": "one"},
    "beside": {"Part": "B200 SXM", "Computed (ratio)": "2 to 2.5", "Stated (ratio)": "1 to 1.5", "What": "one"},
    "scatter": {"Part": "B200 SXM", "Loss": "2 to 2.5", "Rate": "1 to 1.5", "Derived": "yes"},
    "distributions": {"Quantity": "x_low", "P10": "0.6", "P50": "2", "P90": "2.8"},
    "bars": {"What": "", "Correlation": "-0.75"},
    "stacked": {"Part": "B200 SXM", "Logs": "2.0", "None": "1.0"},
    "heatmap": {"Row": "B200 SXM", "llm": "2", "images": "0.9–1.1"},
    "strips": {"Part": "B200 SXM", "Basis": "Paper", "Dots": "1", "Ratio": "3"},
    "roofs": {"What": "B200 SXM fp8 limit", "Loss": "1 to 32", "Rate": "2 to 64", "Compared with the limit": ""},
}
WORDS = {
    "Part",
    "Basis",
    "What",
    "Derived",
    "Quantity",
    "Row",
    "Compared with the limit",
}  # headings of what is no number


@pytest.mark.parametrize("name", NUMBERS)
def test_table_beside_a_figure_has_its_numbers(name: str) -> None:
    table = CHARTS[name](FRAME).numbers
    assert table.cells.iloc[0].to_dict() == NUMBERS[name]
    assert re.findall('<th scope="col" class="number">(.*?)</th>', table.markup) == [
        heading for heading in NUMBERS[name] if heading not in WORDS
    ]


@pytest.mark.parametrize("name", ["ranges", "beside", "bars"])
def test_numbers_stand_in_the_drawing_as_in_the_table(name: str) -> None:
    drawing = CHARTS[name](FRAME)
    (numbers, *_) = (drawing.numbers.cells[heading] for heading in NUMBERS[name] if heading not in WORDS)
    assert [text.get_text().partition(" ·")[0] for text in drawing.figure.axes[0].texts] == numbers.tolist()


def test_one_column_can_be_label_and_series_at_once() -> None:
    drawing = row_charts.ranges(FRAME.head(1), series="part", **RANGES)
    assert drawing.alt == "B200 leads. Ranges, ratio: B200 SXM (B200 SXM) 2 to 2.5."
    assert drawing.numbers.cells.iloc[0].tolist() == ["B200 SXM", "B200 SXM", "2 to 2.5"]


PREVIEW, EDGE, UNSTATED = note("preview"), note("edge_suite"), note("precision_unstated")


def subtitle(drawing: Drawing) -> str:
    """What stands below the title, as one line."""
    return " ".join(drawing.figure.texts[1].get_text().split())


@pytest.mark.parametrize("name", ["ranges", "beside", "scatter"])
def test_notes_of_the_rows_are_those_of_the_drawing_and_not_in_its_subtitle(name: str) -> None:
    notes = [frozenset({PREVIEW}), NONE, frozenset({PREVIEW, EDGE})]
    drawing = CHARTS[name](FRAME.assign(accelerator=["A", "B", "C"], notes=notes))
    assert drawing.notes == {note("preview", about=["A", "C"]), note("edge_suite", about=["C"])}
    assert subtitle(drawing) == "LLM Offline."


BESIDE_THE_ROWS: dict[str, Callable[[Notes], Drawing]] = {
    "ranges": lambda n: row_charts.ranges(FRAME, series="basis", notes=n, **RANGES),
    "beside": lambda n: row_charts.beside(FRAME, others={"y": "stated"}, legend="computed", notes=n, **RANGES),
    "scatter": lambda n: row_charts.scatter(
        FRAME, x="x", y="y", label="part", x_axis="a", y_axis="b", notes=n, **NAMES
    ),
    "distributions": lambda n: row_charts.distributions(FRAME[["x_low"]], notes=n, **NAMES),
    "bars": lambda n: row_charts.bars(FRAME, label="words", value="value", axis="correlation", notes=n, **NAMES),
    "stacked": lambda n: row_charts.stacked(
        FRAME, label="part", counts={"x_low": "logs"}, inks=PARTS, notes=n, **STACKED
    ),
    "heatmap": lambda n: row_charts.heatmap(CELLS, notes=n, **PLACES),
}


@pytest.mark.parametrize("name", BESIDE_THE_ROWS)
def test_notes_that_are_not_of_a_row_are_those_of_the_drawing_too(name: str) -> None:
    notes = frozenset({note("prices_undated"), note("preview", about=["A"])})
    drawing = BESIDE_THE_ROWS[name](notes)
    assert drawing.notes == notes
    assert subtitle(drawing) == "LLM Offline."


def test_stacked_parts_lie_one_behind_the_other_with_their_sum_at_the_end() -> None:
    """2 + 1, 0.25 + 5 and 3 + 0; a part of nothing has no bar, a white one an outline."""
    figure = CHARTS["stacked"](FRAME.assign(y_low=[1.0, 5.0, 0.0])).figure
    bars = [(bar.get_x(), bar.get_width(), bar.get_facecolor()) for bar in figure.axes[0].patches]
    starts, widths, faces = zip(*bars, strict=True)
    assert starts == (0, 0, 0, 2, 0.25) and widths == (2, 0.25, 3, 1, 5)
    assert [text.get_text() for text in figure.axes[0].texts] == ["3.0", "5.25", "3.0"]
    inks = [matplotlib.colors.to_hex(face) for face in faces]
    assert inks == [colors.POINT] * 3 + [colors.LIGHT] * 2
    edges = [matplotlib.colors.to_hex(bar.get_edgecolor()) for bar in figure.axes[0].patches]
    assert edges == [colors.POINT] * 3 + [colors.QUIET] * 2
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["logs", "none"]
    assert [matplotlib.colors.to_hex(mark.get_facecolor()) for mark in legend.get_patches()] == [
        colors.POINT, colors.LIGHT
    ]  # fmt: skip


@pytest.mark.parametrize("draw", [row_charts.ranges, row_charts.beside])
def test_a_note_that_is_of_the_rows_too_is_said_once(draw: Callable[..., Drawing]) -> None:
    more = {"series": "basis"} if draw is row_charts.ranges else {"others": {}, "legend": "computed"}
    every = FRAME.assign(notes=[frozenset({EDGE})] * 3)
    drawing = draw(every, notes=frozenset({EDGE, PREVIEW}), **more, **RANGES)
    assert drawing.notes == {EDGE, PREVIEW}


def test_note_is_a_mark_in_the_figure_and_words_in_its_table() -> None:
    """What holds for a document as a whole has no sign behind a number."""
    notes = [frozenset({PREVIEW, UNSTATED}), frozenset({UNSTATED}), NONE]
    drawing = CHARTS["ranges"](FRAME.assign(notes=notes))
    texts = [text.get_text() for text in drawing.figure.axes[0].texts]
    assert [text.endswith(" \u25cb") for text in texts] == [True, False, False]
    assert drawing.numbers.cells["Caveat"].tolist() == [html_table.noted(own) for own in notes]
    assert "Caveat" not in CHARTS["ranges"](FRAME.assign(notes=[NONE] * 3)).numbers.cells


@pytest.mark.parametrize("ground", [colors.LIGHT, colors.DARK])
def test_every_mark_can_be_told_from_its_ground(ground: str) -> None:
    shades = [colors.readable(color, ground) for color in style.COLORS.values()]
    assert min(colors.contrast(shade, ground) for shade in shades) >= colors.LEAST
    if ground == colors.LIGHT:
        assert shades == list(style.COLORS.values())


def test_words_can_be_read_on_dark_ground() -> None:
    said = [colors.ON_DARK[color] for color in (colors.INK, colors.QUIET)]
    assert min(colors.contrast(color, colors.DARK) for color in said) > 7
    assert round(colors.contrast("#000000", "#ffffff"), 9) == 21


def test_words_can_be_read_in_every_cell_of_a_heat_map() -> None:
    shades = [matplotlib.colors.to_hex(colors.around_one()(step / 255)) for step in range(256)]
    assert min(colors.contrast(shade, colors.CELL_INK) for shade in shades) > 4.5
    drawing = row_charts.heatmap(CELLS, **PLACES)
    assert {text.get_color() for text in drawing.figure.axes[0].texts} == {colors.CELL_INK}


def test_a_cell_of_a_heat_map_has_its_range_or_its_median_with_its_marks() -> None:
    """Columns in the order of their categories; in a narrow drawing one mark stands beside a number."""
    preview, crossed = note("preview"), note("different_rounds", rounds="v5.1", other_rounds="v6.0")
    cells = CELLS.assign(notes=[frozenset({preview, crossed}), NONE, frozenset({preview})])
    drawing = row_charts.heatmap(cells, **PLACES)
    texts = [[text.get_text() for text in own.axes[0].texts] for own in (drawing.figure, drawing.narrow)]
    assert texts == [["2○‡", "0.9–1.1", "0.5○"], ["2\n○‡", "0.9–1.1", "0.5○"]]
    assert list(drawing.numbers.cells) == ["Row", "llm", "images"]
    medians = row_charts.heatmap(CELLS.assign(x_median=[2.0, 1.0, 0.5]), **PLACES)
    assert [text.get_text() for text in medians.figure.axes[0].texts] == ["2", "1", "0.5"]


def test_a_cell_of_a_heat_map_says_what_it_is_of_where_it_is_pointed_at() -> None:
    """The square over each cell that is not blank, from the top left; it is there to be pointed at, not to be seen."""
    single = note("single", of="system")
    cells = CELLS.assign(accelerator=CELLS["part"], notes=[NONE, frozenset({single}), NONE])
    drawing = row_charts.heatmap(cells, **PLACES)
    squares = {patch.get_gid(): patch.get_xy() for patch in drawing.figure.axes[0].patches if patch.get_gid()}
    assert squares == {
        "hover:B200 SXM · box · llm · 2 · 3 pairs": (0, 0),
        "hover:B200 SXM · box · images · 0.9–1.1* · 1 pair": (1, 0),
        "hover:L40S · tower · llm · 0.5 · 2 pairs": (0, 1),
    }
    assert drawing.notes == {replace(single, about=("B200 SXM",))}
    told = style.svg(drawing.figure)
    square = told.partition("<title>L40S · tower · llm · 0.5 · 2 pairs</title>")[2].partition("</g>")[0]
    assert "<path" in square and "fill: none" not in square


def test_verdicts_are_told_from_both_grounds_and_from_each_other() -> None:
    """Each color has contrast 3 with white; what stands in for it on dark ground has it there."""
    assert min(colors.contrast(ink, colors.LIGHT) for ink in colors.JUDGED.values()) >= colors.LEAST
    used = "".join(f'<path style="fill: {ink}; stroke: {ink}"/>' for ink in colors.JUDGED.values())
    rules = colors.dark_style(used)
    dark = [re.search(f'fill: {ink}"\\]{{fill:(#\\w+)!', rules) for ink in colors.JUDGED.values()]
    shades = [found[1] if found else ink for found, ink in zip(dark, colors.JUDGED.values(), strict=True)]
    assert min(colors.contrast(shade, colors.DARK) for shade in shades) >= colors.LEAST
    assert len(set(shades)) == len(set(colors.JUDGED.values())) == 4


def test_dark_colors_stand_in_the_drawing_for_those_that_it_uses() -> None:
    rules = drawn("ranges").partition("prefers-color-scheme:dark")[2].partition("</style>")[0]
    assert f'[style*="fill: {colors.INK}"]{{fill:{colors.ON_DARK[colors.INK]}!important}}' in rules
    assert style.COLORS["H200 SXM CTS"] not in rules


def test_drawing_of_nothing_is_shown_as_a_sentence_and_its_markup_not_run(displayed: list[tuple[Any, dict]]) -> None:
    style.show(style.nothing(EVIL), "")
    ((output, _),) = displayed
    assert output.data.startswith('<p class="nothing">&lt;script&gt;')
    assert "<img" not in output.data


@pytest.mark.parametrize("alt", ["", "   ", "A picture of bars."])
def test_figure_without_numbers_in_its_alt_text_is_refused(alt: str) -> None:
    with pytest.raises(ValueError, match="needs alt text"):
        style.show(Drawing(Figure(), alt), "Sources: a page.")


@pytest.mark.parametrize("source", ["", " "])
def test_figure_without_source_line_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="needs a source line"):
        style.show(Drawing(Figure(), "2 apples"), source)


def test_svg_holds_no_date_and_no_random_id() -> None:
    svg = style.svg(CHARTS["ranges"](FRAME).figure)
    assert "<dc:date>" not in svg
    assert not re.search(r"20\d\d-\d\d-\d\d", svg)


def test_range_that_is_missing_is_drawn_as_nothing() -> None:
    frame = FRAME.assign(y_low=[1.0, float("nan"), 9.0], y_high=[1.5, float("nan"), 9.0])
    assert "L40S: computed 0.25, stated not known" in CHARTS["beside"](frame).alt


def test_a_marker_stands_at_the_median_where_the_rows_have_one() -> None:
    """Of 4 to 9 the middle is 6; a row's own median is 8."""
    row = FRAME.head(1).assign(x_low=4.0, x_high=9.0)
    places = [
        row_charts.ranges(frame, series="basis", **RANGES).figure.axes[0].lines[1].get_xdata()[0]
        for frame in (row, row.assign(x_median=8.0))
    ]
    assert places == [6.0, 8.0]


def test_derived_points_are_hollow() -> None:
    axes = row_charts.ranges(FRAME, series="basis", hollow="derived", **RANGES).figure.axes[0]
    faces = [line.get_markerfacecolor() for line in axes.lines if line.get_marker() not in ("None", "")]
    assert faces == ["white", style.color("L40S"), style.color("B200 SXM")]


def test_reference_is_a_line_and_the_axes_reach_it() -> None:
    axes = row_charts.ranges(FRAME.head(1), series="basis", reference=1, **RANGES).figure.axes[0]
    assert [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"] == [1]
    assert axes.get_xlim()[0] < 1


def markers(rows: pd.DataFrame) -> list[str]:
    """The markers of the rows, in their order."""
    axes = row_charts.ranges(rows, series="basis", **RANGES).figure.axes[0]
    return [line.get_marker() for line in axes.lines if line.get_marker() not in ("None", "")]


def test_origin_is_told_by_the_marker_and_not_by_what_a_basis_is_called() -> None:
    rows = FRAME.assign(basis=["one", "official looking", "measured looking"])
    assert markers(rows.assign(origin=["official", "published", "measured"])) == ["s", "o", "^"]
    assert markers(rows.assign(origin=["measured", "official", "published"])) == ["^", "s", "o"]


@pytest.mark.parametrize("column", ["round", "rounds"])
def test_a_round_of_the_record_has_its_own_marker_whichever_comes_first(column: str) -> None:
    rounds = ["v5.1", "v4.1", "v5.1"]
    given = rounds if column == "round" else [(name,) for name in rounds]
    rows = FRAME.assign(basis=[f"official {name}" for name in rounds], origin="official", **{column: given})
    assert markers(rows) == ["D", "s", "D"]
    assert markers(rows.iloc[:1]) == ["D"]


def test_rounds_without_a_marker_of_their_own_are_still_told_apart() -> None:
    rows = FRAME.assign(basis=["official v2.0", "official v2.1", "official v2.0"], origin="official")
    first, second, again = markers(rows.assign(round=["v2.0", "v2.1", "v2.0"]))
    assert first == again != second


def test_rows_without_an_origin_are_drawn_as_published_ones() -> None:
    assert markers(FRAME.drop(columns="origin").assign(basis="Paper")) == ["o", "o", "o"]


@pytest.mark.parametrize("origin", ["official", "published", "measured"])
def test_series_have_different_markers(origin: str) -> None:
    assert len(set(markers(FRAME.assign(basis=["one", "two", "three"], origin=origin)))) == 3


def test_rows_of_a_label_are_put_together_in_order_of_appearance() -> None:
    assert row_charts.grouped(FRAME, "part")["basis"].tolist() == ["official v4.1", "Paper", "official v4.1"]
    assert row_charts.grouped(FRAME.head(0), "part").empty


def test_accelerator_has_one_color_of_its_own_and_an_unknown_one_is_grey(data: Catalog) -> None:
    """Under its name and under what people call it, which may be the same."""
    assert style.color("nothing") == style.OTHER
    known = data.accelerators[data.accelerators["accelerator"].isin(style.COLORS)]
    own = [style.color(name) for name in known["accelerator"]]
    assert len(set(own)) == len(own) == len(set(style.COLORS.values()))
    assert [style.color(name) for name in known["label"]] == own
    assert set(style.COLORS) == {*known["accelerator"], *known["label"]}


def test_no_tick_stands_at_a_loss_below_zero() -> None:
    axes = CHARTS["scatter"](FRAME.assign(x_low=[0.0, 0.0, 1.0], x_high=[0.0, 1.0, 3.0])).figure.axes[0]
    left, right = axes.get_xlim()
    assert left < 0 < right and min(tick for tick in axes.get_xticks() if left <= tick <= right) == 0


def dots(drawing: Drawing) -> list[tuple[float, float]]:
    """Where the dots of a figure of strips stand on paper."""
    (axes,) = drawing.figure.axes
    drawing.figure.draw_without_rendering()
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    return [tuple(axes.transData.transform((line.get_xdata()[0], line.get_ydata()[0]))) for line in marks]


def strip_of(**columns: Any) -> Drawing:
    """A figure of one strip of forty dots."""
    frame = pd.DataFrame({"part": "A", "basis": "Paper", "words": [f"dot {place}" for place in range(40)]} | columns)
    return strip_chart.strips(
        frame, strip="part", value="off", group="basis", inks=INKS, told="words", axis="ratio", **NAMES
    )


def test_dots_of_one_value_are_piled_up_around_it_and_none_covers_another() -> None:
    places = dots(strip_of(off=[1.0] * 38 + [0.5, 4.0]))
    apart = [max(abs(i - x), abs(j - y)) for place, (i, j) in enumerate(places) for x, y in places[:place]]
    assert min(apart) > 3
    piled = [across for across, _ in places[:38]]
    assert abs(sum(piled) / 38 - piled[0]) < 3
    assert places[38][0] < min(piled) and places[39][0] > max(piled)


def test_a_dot_says_which_it_is_and_what_is_not_above_zero_is_left_out() -> None:
    drawing = strip_of(off=[0.0, -1.0, float("nan")] + [2.0] * 37)
    titles = re.findall("<title>(.*?)</title>", style.svg(drawing.figure))
    assert [title for title in titles if title.startswith("dot")] == [f"dot {place}" for place in range(3, 40)]
    assert "37 dots" in drawing.alt


@pytest.mark.parametrize("log", [False, True])
def test_words_behind_bars_end_inside_the_axes(log: bool) -> None:
    frame = FRAME.assign(words=["", "in one line with the longest of bars", "below the bound that was stated for it"])
    figure = row_charts.ranges(frame, series="basis", note="words", log=log, **RANGES).figure
    figure.draw_without_rendering()
    axes = figure.axes[0]
    ends = [text.get_window_extent().x1 for text in axes.texts]
    assert len(ends) == len(frame) and max(ends) <= axes.get_window_extent().x1


def test_numbers_beside_ratios_stand_in_a_column_right_of_every_mark() -> None:
    figure = CHARTS["beside"](FRAME).figure
    figure.draw_without_rendering()
    axes = figure.axes[0]
    starts = {round(text.get_window_extent().x0) for text in axes.texts}
    assert len(starts) == 1 and starts.pop() > axes.get_window_extent().x1
    assert max(text.get_window_extent().x1 for text in axes.texts) <= figure.bbox.width


def texts_of(frame: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """The names in a figure over time, with where each stands beside its point, in points."""
    figure = timeline.over_time(frame, date="day", when="basis", **RANGES).figure
    return {text.get_text(): text.xyann for text in figure.axes[0].texts}


def test_lines_over_time_are_named_where_they_end_apart_from_each_other() -> None:
    """B200 and its twin end together at 3.5, L40S ended a round before: it is named above where it began."""
    twin = FRAME.tail(1).assign(part="B300 SXM")
    named = texts_of(pd.concat([FRAME, twin], ignore_index=True))
    assert set(named) == {"B200 SXM", "B300 SXM", "L40S"}
    assert named["L40S"][0] == 0 < named["L40S"][1]
    assert named["B200 SXM"][0] == named["B300 SXM"][0] > 0
    assert named["B200 SXM"][1] - named["B300 SXM"][1] == pytest.approx(10.0)


def test_a_mark_stands_at_its_point_of_a_line_and_not_at_its_name() -> None:
    """B200 has two points, of which the first alone is of another size."""
    small = note("different_sizes", sizes="4x", other_sizes="8x")
    rows = FRAME.assign(notes=[{small}, NONE, NONE])
    figure = timeline.over_time(rows, date="day", when="basis", **RANGES).figure
    (mark,) = [text for text in figure.axes[0].texts if text.get_text() == "*"]
    first = rows.iloc[0]
    assert mark.xy[0] == first["day"] and {"B200 SXM", "L40S"} <= set(texts_of(rows))


@pytest.mark.parametrize("name", CHARTS)
def test_each_kind_is_drawn_once_more_for_a_phone_without_a_header(name: str) -> None:
    drawing = CHARTS[name](FRAME)
    assert drawing.narrow.get_figwidth() == style.NARROW < drawing.figure.get_figwidth() == style.WIDTH
    assert (len(drawing.narrow.texts), len(drawing.figure.texts)) == (0, 2)
    assert style.wrapped("a label", 3) == "a label"  # what comes next is drawn wide again
    plt.close("all")


def test_what_was_in_preview_is_hollow() -> None:
    drawing = CHARTS["ranges"](FRAME.assign(notes=[frozenset({PREVIEW}), frozenset({EDGE}), NONE]))
    markers = [line for line in drawing.figure.axes[0].lines if line.get_marker() not in ("None", "", None)]
    assert [line.get_markerfacecolor() == "white" for line in markers] == [True, False, False]
    plt.close("all")


def test_a_mark_says_its_row_when_it_is_pointed_at() -> None:
    rows = FRAME.assign(accelerator=["B200 SXM", "L40S", "B200 SXM"], system=["Big <box>", "", "Big <box>"],
                        submitter="Ann", software="vLLM")  # fmt: skip
    drawn = style.svg(CHARTS["ranges"](rows).figure)
    told = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}title")
    texts = [element.text for element in told]
    first = "B200 SXM \u00b7 Big <box> \u00b7 Ann \u00b7 official v4.1 \u00b7 vLLM \u00b7 2 to 2.5 \u00b7 one"
    assert [texts[0], texts[3]] == [first] * 2 and len(texts) == 6  # three bars, and their markers above them
    assert texts[1] == texts[4] == "L40S \u00b7 Ann \u00b7 official v4.1 \u00b7 vLLM \u00b7 0.25"
    plt.close("all")


@pytest.mark.parametrize(("high", "told"), [(20_000.0, "10,000"), (2.0, "1.0")])
def test_ticks_of_thousands_have_separators(high: float, told: str) -> None:
    drawing = row_charts.ranges(FRAME.assign(x_low=0.0, x_high=high), series="basis", **RANGES)
    drawing.figure.draw_without_rendering()
    assert told in [tick.get_text() for tick in drawing.figure.axes[0].get_xticklabels()]
