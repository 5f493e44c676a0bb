"""Figures: identical bytes, alt text with the numbers, a source line, a sentence where there is nothing to draw."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

from analysis.data.catalog import Catalog
from analysis.show import cells
from analysis.show.figures import charts, colours, loglog, style
from analysis.show.figures.style import Drawing

matplotlib.use("agg")
pytestmark = pytest.mark.filterwarnings("error")  # what a library warns of is a fault of a later version
EVIL = '<script>alert("1")</script><img src=x onerror=alert(1)>'
NAMES = {"title": "B200 leads.", "subtitle": "LLM Offline."}
FRAME = pd.DataFrame(
    {
        "part": ["B200 SXM", "L40S", "B200 SXM"],
        "basis": ["official v4.1", "official v4.1", "Paper"],
        "x_low": [2.0, 0.25, 3.0],
        "x_high": [2.5, 0.25, 4.0],
        "y_low": [1.0, 5.0, 9.0],
        "y_high": [1.5, 6.0, 9.0],
        "value": [0.5, -0.75, 0.1],
        "derived": [True, False, False],
        "words": ["one", "", "three"],
    }
)
GRID = pd.DataFrame({"llm": [2.0, 0.5], "images": [1.0, None]}, index=["B200 SXM", "L40S"])
RANGES = {"label": "part", "name": "x", "axis": "ratio"} | NAMES
Draw = Callable[[pd.DataFrame], Drawing]
CHARTS: dict[str, Draw] = {
    "ranges": lambda f: charts.ranges(
        f, series="basis", hollow="derived", note="words", reference=1, log=True, **RANGES
    ),
    "band": lambda f: charts.ranges(f, series="basis", band=(0.6, 0.8), band_label="assumed", **RANGES),
    "beside": lambda f: charts.beside(f, others={"y": "stated"}, legend="computed", note="words", **RANGES),
    "scatter": lambda f: charts.scatter(
        f, x="x", y="y", label="part", x_axis="loss", y_axis="rate", front="derived", **NAMES
    ),
    "distributions": lambda f: charts.distributions(f[["x_low", "y_low"]], **NAMES),
    "bars": lambda f: charts.bars(f, label="words", value="value", axis="correlation", **NAMES),
    "heatmap": lambda f: charts.heatmap(GRID if len(f) else GRID.head(0), GRID.astype(str), **NAMES),
}


@pytest.fixture(autouse=True)
def theme() -> Iterator[None]:
    style.apply()
    yield
    plt.close("all")


@pytest.mark.parametrize("name", CHARTS)
def test_two_drawings_of_the_same_data_have_the_same_bytes(name: str) -> None:
    first, second = (style.svg(CHARTS[name](FRAME).figure) for _ in range(2))
    assert first.startswith("<?xml")
    assert first == second


@pytest.mark.parametrize("name", [name for name in CHARTS if name != "heatmap"])
def test_another_number_changes_the_drawing(name: str) -> None:
    other = FRAME.assign(x_low=[1.9, 0.2, 2.9], value=[0.4, -0.7, 0.2])
    assert style.svg(CHARTS[name](FRAME).figure) != style.svg(CHARTS[name](other).figure)


@pytest.mark.parametrize("name", CHARTS)
def test_empty_frame_gives_a_sentence_in_place_of_a_figure(name: str) -> None:
    drawing = CHARTS[name](FRAME.head(0))
    assert drawing.figure is None
    assert drawing.alt == "B200 leads. No comparable row for these parameters: nothing to draw."


@pytest.mark.parametrize("name", CHARTS)
def test_title_and_subtitle_stand_in_the_figure(name: str) -> None:
    texts = [text.get_text() for text in CHARTS[name](FRAME).figure.texts]
    assert texts == ["B200 leads.", "LLM Offline."]


TOLD = {
    "ranges": "Ranges, ratio: B200 SXM (official v4.1) 2 to 2.5; L40S (official v4.1) 0.25; B200 SXM (Paper) 3 to 4.",
    "band": "Ranges, ratio: B200 SXM (official v4.1) 2 to 2.5; L40S (official v4.1) 0.25; B200 SXM (Paper) 3 to 4.",
    "beside": "Ranges, ratio: B200 SXM: computed 2 to 2.5, stated 1 to 1.5; L40S: computed 0.25, stated 5 to 6;",
    "scatter": "Points, loss and rate: B200 SXM 2 to 2.5 and 1 to 1.5; L40S 0.25 and 5 to 6; B200 SXM 3 to 4 and 9.",
    "distributions": "Histograms of 3 draws. x_low: P10 0.6, P50 2, P90 2.8; y_low: P10 1.8, P50 5, P90 8.2.",
    "bars": "Bars, correlation:  -0.75; one 0.50; three 0.10.",
    "heatmap": "Heat map of 4 cells: B200 SXM, llm 2.0; B200 SXM, images 1.0; L40S, llm 0.5; L40S, images nan.",
}


@pytest.mark.parametrize("name", CHARTS)
def test_alt_text_tells_the_numbers(name: str) -> None:
    assert CHARTS[name](FRAME).alt.startswith(f"B200 leads. {TOLD[name]}")


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
    assert (told["title"], told["subtitle"]) == ("B200 leads.", "LLM Offline.")
    assert 0.05 < told["header"] < 0.5
    assert options["raw"]
    assert table.cells["Ratio"].tolist() == ["2 to 2.5", "0.25", "3 to 4"]
    assert table.markup.startswith('<details class="table"><summary>The same numbers as a table (3 rows)</summary>')
    assert marked["metadata"] == {cells.BESIDE: True}
    assert plt.get_fignums() == []


def test_a_fuller_table_takes_the_place_of_the_chart_s_own(displayed: list[tuple[Any, dict]]) -> None:
    own = cells.render(pd.DataFrame({"Who": ["Ann"]}), "People")
    style.show(CHARTS["ranges"](FRAME), "Sources: a page.", own)
    assert [table.cells.columns.tolist() for table, _ in displayed[1:]] == [["Who"]]


NUMBERS = {
    "ranges": {"Part": "B200 SXM", "Basis": "official v4.1", "Ratio": "2 to 2.5", "What": "one"},
    "beside": {"Part": "B200 SXM", "Computed (ratio)": "2 to 2.5", "Stated (ratio)": "1 to 1.5", "What": "one"},
    "scatter": {"Part": "B200 SXM", "Loss": "2 to 2.5", "Rate": "1 to 1.5", "Derived": "yes"},
    "distributions": {"Quantity": "x_low", "P10": "0.6", "P50": "2", "P90": "2.8"},
    "bars": {"What": "", "Correlation": "-0.75"},
    "heatmap": {"Row": "B200 SXM", "llm": "2.0", "images": "1.0"},
}


@pytest.mark.parametrize("name", NUMBERS)
def test_table_beside_a_figure_has_its_numbers(name: str) -> None:
    table = CHARTS[name](FRAME).numbers
    assert table.cells.iloc[0].to_dict() == NUMBERS[name]


@pytest.mark.parametrize("name", ["ranges", "beside", "scatter"])
def test_subtitle_says_every_caveat_of_the_rows(name: str) -> None:
    rows = FRAME.assign(accelerator=["A", "B", "C"], caveat=["preview", "", "preview; edge suite"])
    subtitle = CHARTS[name](rows).figure.texts[1].get_text()
    assert " ".join(subtitle.split()).endswith("\u26a0 Caveats: preview (A, C); edge suite (C).")


def test_caveat_is_a_sign_in_the_figure_and_words_in_its_table() -> None:
    drawing = CHARTS["ranges"](FRAME.assign(caveat=["preview; precision not stated", "precision not stated", ""]))
    said = [text.get_text() for text in drawing.figure.axes[0].texts]
    assert [text.endswith("\u26a0") for text in said] == [True, False, False]
    assert drawing.numbers.cells["Caveat"].tolist() == [
        f"{cells.SIGN} preview; precision not stated",
        f"{cells.SIGN} precision not stated",
        "",
    ]


@pytest.mark.parametrize("ground", [colours.LIGHT, colours.DARK])
def test_every_mark_can_be_told_from_its_ground(ground: str) -> None:
    shades = [colours.readable(colour, ground) for colour in style.COLOURS.values()]
    assert min(colours.contrast(shade, ground) for shade in shades) >= colours.LEAST
    if ground == colours.LIGHT:
        assert shades == list(style.COLOURS.values())


def test_words_can_be_read_on_dark_ground() -> None:
    said = [colours.ON_DARK[colour] for colour in (colours.INK, colours.QUIET)]
    assert min(colours.contrast(colour, colours.DARK) for colour in said) > 7
    assert round(colours.contrast("#000000", "#ffffff"), 9) == 21


def test_words_can_be_read_in_every_cell_of_a_heat_map() -> None:
    shades = [matplotlib.colors.to_hex(colours.AROUND_ONE(step / 255)) for step in range(256)]
    assert min(colours.contrast(shade, colours.CELL_INK) for shade in shades) > 4.5
    drawing = charts.heatmap(GRID, GRID.astype(str), **NAMES)
    assert {text.get_color() for text in drawing.figure.axes[0].texts} == {colours.CELL_INK}


def test_verdicts_are_told_from_both_grounds_and_from_each_other() -> None:
    """Each colour has contrast 3 with white; what stands in for it on dark ground has it there."""
    assert min(colours.contrast(ink, colours.LIGHT) for ink in colours.JUDGED.values()) >= colours.LEAST
    used = "".join(f'<path style="fill: {ink}; stroke: {ink}"/>' for ink in colours.JUDGED.values())
    rules = colours.dark_style(used)
    dark = [re.search(f'fill: {ink}"\\]{{fill:(#\\w+)!', rules) for ink in colours.JUDGED.values()]
    shades = [found[1] if found else ink for found, ink in zip(dark, colours.JUDGED.values(), strict=True)]
    assert min(colours.contrast(shade, colours.DARK) for shade in shades) >= colours.LEAST
    assert len(set(shades)) == len(set(colours.JUDGED.values())) == 4


def test_dark_colours_stand_in_the_drawing_for_those_that_it_uses() -> None:
    drawn = style.svg(CHARTS["ranges"](FRAME).figure)
    rules = drawn.partition("prefers-color-scheme:dark")[2].partition("</style>")[0]
    assert f'[style*="fill: {colours.INK}"]{{fill:{colours.ON_DARK[colours.INK]}!important}}' in rules
    assert style.COLOURS["H200 SXM CTS"] not in rules


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


def test_derived_points_are_hollow() -> None:
    axes = charts.ranges(FRAME, series="basis", hollow="derived", **RANGES).figure.axes[0]
    faces = [line.get_markerfacecolor() for line in axes.lines if line.get_marker() not in ("None", "")]
    assert faces == ["white", style.colour("L40S"), style.colour("B200 SXM")]


def test_reference_is_a_line_and_the_axes_reach_it() -> None:
    axes = charts.ranges(FRAME.head(1), series="basis", reference=1, **RANGES).figure.axes[0]
    assert [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"] == [1]
    assert axes.get_xlim()[0] < 1


def test_origin_is_told_by_the_marker() -> None:
    assert [style.marker(basis) for basis in ("official v4.1", "A page", "measured")] == ["s", "o", "^"]


def test_series_have_different_markers() -> None:
    frame = FRAME.assign(basis=["official v4.1", "Paper", "Page"])
    axes = charts.ranges(frame, series="basis", **RANGES).figure.axes[0]
    markers = [line.get_marker() for line in axes.lines if line.get_marker() not in ("None", "")]
    assert len(set(markers)) == 3


def test_rows_of_a_label_are_put_together_in_order_of_appearance() -> None:
    assert charts.grouped(FRAME, "part")["basis"].tolist() == ["official v4.1", "Paper", "official v4.1"]
    assert charts.grouped(FRAME.head(0), "part").empty


def test_accelerator_has_one_colour_of_its_own_and_an_unknown_one_is_grey() -> None:
    assert style.colour("nothing") == style.OTHER
    assert len(set(style.COLOURS.values())) == len(style.COLOURS)


def test_every_coloured_accelerator_is_in_the_tables(data: Catalog) -> None:
    assert set(style.COLOURS) <= set(data.accelerators["accelerator"])


def test_no_tick_stands_at_a_loss_below_zero() -> None:
    axes = CHARTS["scatter"](FRAME.assign(x_low=[0.0, 0.0, 1.0], x_high=[0.0, 1.0, 3.0])).figure.axes[0]
    left, right = axes.get_xlim()
    assert left < 0 < right and min(tick for tick in axes.get_xticks() if left <= tick <= right) == 0


def test_words_beside_points_that_lie_together_do_not_cover_each_other() -> None:
    ends = {"x_low": 10.0, "x_high": 10.0, "y_low": [90.0, 100.0, 101.0, 1.0], "y_high": [90.0, 100.0, 101.0, 1.0]}
    frame = pd.DataFrame({"part": "A", "group": "off", "words": ["first", "second", "third", "below"], **ends})
    axes = {"x_axis": "expected", "y_axis": "printed", "title": "Figures.", "subtitle": ""}
    given = {"series": "part", "group": "group", "inks": {"off": "#000000"}, "label": "words"}
    figure = loglog.against(frame, x="x", y="y", **given, **axes).figure
    figure.draw_without_rendering()
    texts = figure.axes[0].texts
    boxes = [text.get_window_extent() for text in texts]
    assert [text.get_text() for text in texts] == ["below", "first", "second", "third"]
    assert not any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[:place])


@pytest.mark.parametrize("log", [False, True])
def test_words_behind_bars_end_inside_the_axes(log: bool) -> None:
    frame = FRAME.assign(words=["", "in one line with the longest of bars", "below the bound that was stated for it"])
    figure = charts.ranges(frame, series="basis", note="words", log=log, **RANGES).figure
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
