"""The staircase: the same bytes, steps where they begin, the choice marked, and its numbers in words."""

from collections.abc import Iterator
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from analysis.charts import staircase, style
from analysis.charts.style import Drawing

matplotlib.use("agg")
pytestmark = pytest.mark.filterwarnings("error")
FRAME = pd.DataFrame(
    {
        "part": ["B200", "B200", "H200", "H200", "H200"],
        "accelerator": ["B200 SXM"] * 2 + ["H200 SXM"] * 3,
        "users": [100, 4000, 100, 800, 1600],
        "sooner": [100, 3000, 100, 700, 1400],
        "count": [8, 16, 8, 16, 24],
    }
)
POINTS = pd.DataFrame(
    {
        "part": ["B200", "H200"],
        "accelerator": ["B200 SXM", "H200 SXM"],
        "system": "a system",
        "users": 1000,
        "count_low": [8.0, 16.0],
        "count_median": [8.0, 16.0],
        "count_high": [8.0, 24.0],
    }
)


def draw(frame: pd.DataFrame = FRAME, points: pd.DataFrame = POINTS, **other: Any) -> Drawing:
    asked = {"label": "part", "x": "users", "y": "count", "x_axis": "users", "y_axis": "accelerators"}
    words = {"title": "B200 leads.", "subtitle": "LLM Server.", "color": "accelerator"}
    return staircase.stairs(frame, points, **asked, **words, **other)


@pytest.fixture(autouse=True)
def theme() -> Iterator[None]:
    style.apply()
    yield
    plt.close("all")


def test_two_drawings_have_the_same_bytes_and_another_step_others() -> None:
    first, second = (style.svg(draw().figure) for _ in range(2))
    assert first == second != style.svg(draw(FRAME.assign(users=[100, 4000, 100, 900, 1600])).figure)


def test_a_step_is_flat_until_the_next_one_begins() -> None:
    line = draw().figure.axes[0].lines[0]
    assert line.get_drawstyle() == "steps-post"
    assert list(zip(*line.get_data(), strict=True))[:2] == [(100.0, 8), (4000.0, 16)]
    assert line.get_xdata()[-1] > 4000 and line.get_ydata()[-1] == 16


def test_the_choice_is_marked_from_low_to_high_where_its_users_are() -> None:
    ax = draw().figure.axes[0]
    marks = [line for line in ax.lines if (line.get_gid() or "").startswith(style.HOVER)]
    assert [list(line.get_xdata()) for line in marks] == [[1000, 1000], [1000]] * 2
    assert [list(line.get_ydata()) for line in marks] == [[8, 8], [8], [16, 24], [16]]
    assert marks[2].get_gid() == "hover:H200 SXM \u00b7 a system \u00b7 1,000 users \u00b7 16 to 24 accelerators"


def test_further_lines_stand_in_the_legend() -> None:
    drawing = draw(FRAME.tail(3), POINTS.tail(1), others={"sooner": "P10"})
    told = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert told == ["H200", "P10"]
    assert draw(FRAME.tail(3), POINTS.tail(1)).figure.legends == []


def test_the_alt_text_tells_the_choice_and_the_table_each_step() -> None:
    drawing = draw()
    assert drawing.alt == (
        "B200 leads. Staircases, accelerators over users. B200 8 at 1,000 users; H200 16 to 24 at 1,000 users."
    )
    assert drawing.numbers.cells.iloc[1].to_dict() == {"Part": "B200", "Users from": "4,000", "Accelerators": "16"}


def test_it_is_drawn_once_more_for_a_phone_but_not_for_a_slider() -> None:
    asked = {"label": "part", "x": "users", "y": "count", "x_axis": "users", "y_axis": "accelerators"}
    once = staircase.drawn_once(FRAME, POINTS, **asked, title="B200 leads.", subtitle="")
    assert draw().narrow.get_figwidth() == style.NARROW and once.narrow is None


@pytest.mark.parametrize("frames", [(FRAME.head(0), POINTS), (FRAME, POINTS.head(0))])
def test_of_nothing_a_sentence_is_left(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    drawing = draw(*frames)
    assert drawing.figure is None and drawing.alt.startswith("B200 leads. No comparable row")
