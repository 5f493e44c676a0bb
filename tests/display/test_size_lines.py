"""The figure over the size of systems: the same bytes, the numbers in words, names that hide no point."""

from collections.abc import Iterator
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from analysis._core.notes import NONE, note
from analysis.charts import style
from analysis.charts.size_lines import by_size
from analysis.charts.style import Drawing

matplotlib.use("agg")
pytestmark = pytest.mark.filterwarnings("error")
MARKERS = {"box": "o", "cluster": "^"}
FRAME = pd.DataFrame(
    {
        "part": ["MI355X", "MI355X", "B200", "H200"],
        "accelerator": ["MI355X", "MI355X", "B200 SXM", "H200 SXM"],
        "count": [8, 87, 8, 8],
        "layout": ["box", "cluster", "box", "box"],
        "system": "a system",
        "x_low": [100.0, 93.0, 101.0, 40.0],
        "x_high": [100.0, 93.0, 101.0, 40.0],
    }
)


def draw(frame: pd.DataFrame, **other: Any) -> Drawing:
    asked = {
        "label": "part",
        "name": "x",
        "size": "count",
        "series": "layout",
        "markers": MARKERS,
        "color": "accelerator",
    }
    axes = {"x_axis": "accelerators", "y_axis": "rate", "title": "B200 leads.", "subtitle": "LLM Offline."}
    return by_size(frame, **asked, **axes, **other)


@pytest.fixture(autouse=True)
def theme() -> Iterator[None]:
    style.apply()
    yield
    plt.close("all")


def test_two_drawings_have_the_same_bytes_and_another_number_others() -> None:
    first, second = (style.svg(draw(FRAME).figure) for _ in range(2))
    assert first == second
    assert first != style.svg(draw(FRAME.assign(x_high=[110.0, 93.0, 101.0, 40.0])).figure)


def test_it_is_drawn_once_more_for_a_phone_without_a_header() -> None:
    drawing = draw(FRAME)
    assert drawing.narrow.get_figwidth() == style.NARROW
    assert [text.get_text() for text in drawing.figure.texts] == ["B200 leads", "LLM Offline."]
    assert drawing.narrow.texts == []


def test_alt_text_and_table_tell_the_numbers_by_size() -> None:
    drawing = draw(FRAME)
    assert drawing.alt == (
        "B200 leads. Lines over accelerators, rate: MI355X 8 (box) 100; B200 8 (box) 101; H200 8 (box) 40; "
        "MI355X 87 (cluster) 93."
    )
    assert drawing.numbers.cells.iloc[0].to_dict() == {
        "Part": "MI355X", "Accelerators": "8", "Layout": "box", "Rate": "100"
    }  # fmt: skip


def test_an_empty_frame_gives_a_sentence() -> None:
    drawing = draw(FRAME.head(0))
    assert drawing.figure is None
    assert drawing.alt == "B200 leads. No comparable row for these parameters: nothing to draw."


def test_each_layout_has_its_marker_and_only_those_drawn_are_explained() -> None:
    figure = draw(FRAME).figure
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["box", "cluster"]
    assert draw(FRAME[FRAME["layout"].eq("box")]).figure.legends == []
    shapes = {line.get_marker() for line in figure.axes[0].lines} - {"None", ""}
    assert shapes == {"o", "^"}


def test_what_is_pointed_at_says_system_size_and_number() -> None:
    svg = style.svg(draw(FRAME).figure)
    assert "<title>MI355X \u00b7 a system \u00b7 87 accelerators \u00b7 93</title>" in svg


def test_names_hide_no_point_and_no_other_name() -> None:
    """B200 and H200 stand beside their points at 8, below it where MI355X's own point would be hidden."""
    close = pd.concat([FRAME, FRAME.tail(1).assign(part="H100", accelerator="H100 SXM", x_low=39.9, x_high=39.9)])
    figure = draw(close).figure
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert sorted(text.get_text() for text in figure.axes[0].texts) == ["B200", "H100", "H200", "MI355X"]
    assert not any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[:place])
    assert max(box.x1 for box in boxes) <= figure.bbox.width
    at = figure.axes[0].transData.transform(close[["count", "x_low"]].astype(float).to_numpy())
    assert not any(box.contains(*point) for box in boxes for point in at)


def test_notes_of_the_rows_are_those_of_the_drawing() -> None:
    notes = [frozenset({note("preview")}), NONE, NONE, NONE]
    assert draw(FRAME.assign(notes=notes)).notes == {note("preview", about=["MI355X"])}
