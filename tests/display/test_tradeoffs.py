"""Figures of a trade-off: where points, bounds, steps and bars stand, and what is said of them."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from analysis._core.notes import NONE, note
from analysis.charts import style, tradeoffs
from analysis.charts.style import Drawing

matplotlib.use("agg")
pytestmark = pytest.mark.filterwarnings("error")
NAN = float("nan")
POINTS = pd.DataFrame(
    {
        "accelerator": ["B200 SXM"] * 3 + ["L40S"] * 2,
        "name": ["B200"] * 3 + ["L40S"] * 2,
        "scenario": ["Offline", "Server", "Interactive", "Offline", "Server"],
        "speed": [NAN, 10.0, 40.0, NAN, 5.0],
        "rate_low": [100.0, 80.0, 20.0, 10.0, 8.0],
        "rate_high": [100.0, 80.0, 20.0, 10.0, 8.0],
        "bound": [False, False, False, False, True],
        "notes": [NONE, NONE, NONE, frozenset({note("preview")}), frozenset({note("preview")})],
    }
)


@pytest.fixture(autouse=True)
def theme() -> Iterator[None]:
    style.apply()
    yield
    plt.close("all")


def drawn(rows: pd.DataFrame = POINTS, **named: Any) -> Drawing:
    fast = rows.dropna(subset="speed")
    return tradeoffs.curves(
        rows, fast, fast[fast["accelerator"].eq("B200 SXM")], label="name", x="speed", y="rate", series="scenario",
        bound="bound", color="accelerator", title="It falls.", subtitle="LLM.", x_axis="per user", y_axis="rate",
        **{"lines": {"limit": 5.0}, "ticks": [10.0, 60.0, 100.0]} | named,
    )  # fmt: skip


def points(ax: Axes) -> list[Line2D]:
    """The points of curves, which are told when they are pointed at."""
    return [line for line in ax.lines if str(line.get_gid()).startswith(style.HOVER)]


def test_what_promises_no_speed_stands_at_the_left_edge_and_a_bound_points_on() -> None:
    marks = points(drawn().figure.axes[0])
    places = [(float(mark.get_xdata()[0]), float(mark.get_ydata()[0])) for mark in marks]
    assert places == [(0, 100), (10, 80), (40, 20), (0, 10), (5, 8)]
    assert [mark.get_marker() for mark in marks] == ["o", "o", "o", "o", ">"]
    assert [mark.get_markerfacecolor() == "white" for mark in marks] == [False, False, False, True, True]
    assert marks[0].get_color() == style.color("B200 SXM") != style.OTHER


def test_the_proven_most_goes_down_in_steps_and_ends_where_the_record_ends() -> None:
    """80 up to 10, 20 from there to 40; behind it the ground is gray, and the axis reaches a tick that is not far."""
    ax = drawn().figure.axes[0]
    assert any(np.array_equal(line.get_xydata(), [[0, 80], [10, 80], [10, 20], [40, 20]]) for line in ax.lines)
    (ground,) = ax.patches
    assert ground.get_x() == 40 and ax.get_xlim()[1] == pytest.approx(60 * 1.06)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["no latency\nlimit", "10", "60"]


def test_a_point_says_its_scenario_its_speed_and_its_rate() -> None:
    told = [mark.get_gid().removeprefix(style.HOVER) for mark in points(drawn().figure.axes[0])]
    assert told[0] == "B200 SXM \u00b7 Offline \u00b7 Per user no latency limit \u00b7 Rate 100"
    assert told[4] == "L40S \u00b7 Server \u00b7 Per user 5 \u00b7 Rate 8"


def test_the_key_says_what_a_bound_is_only_where_there_is_one() -> None:
    def words(drawing: Drawing) -> list[str]:
        return [text.get_text() for text in drawing.figure.legends[0].get_texts()]

    assert words(drawn()) == ["Pareto frontier", "other systems", "lower bound of interactivity"]
    assert words(drawn(POINTS.assign(bound=False))) == ["Pareto frontier", "other systems"]


def test_names_of_curves_that_end_together_do_not_cover_each_other() -> None:
    many = pd.concat(
        [POINTS.head(3).assign(name=f"Part {place}", rate_low=POINTS["rate_low"] + place) for place in range(6)]
    )
    for figure in (drawn(many).figure, drawn(many).narrow):
        boxes = [text.get_window_extent() for text in figure.axes[0].texts if text.get_text().startswith("Part")]
        assert len(boxes) == 6 and not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def bars(**named: Any) -> Drawing:
    rows = pd.DataFrame(
        {
            "name": ["B200", "B200", "L40S", "L40S"],
            "accelerator": ["B200 SXM", "B200 SXM", "L40S", "L40S"],
            "asked": [10.0, 50.0, 10.0, 50.0],
            "rate_low": [80.0, 20.0, 8.0, NAN],
            "rate_high": [100.0, 80.0, 8.0, NAN],
            "notes": [NONE, NONE, frozenset({note("preview")}), NONE],
        }
    )
    words = {"axis": "rate", "unit": "per user", "missing": "no run", "title": "Less.", "subtitle": "LLM."}
    return tradeoffs.bars_at(rows.assign(**named), label="name", at="asked", name="rate", color="accelerator", **words)


def test_bars_are_dark_up_to_what_is_proven_and_light_beyond_on_one_scale() -> None:
    """A hundred is as long as a bar may be."""
    widths = [bar.get_width() for bar in bars().figure.axes[0].patches]
    assert widths == pytest.approx([each * tradeoffs._LONG / 100 for each in (20, 80, 60, 20, 0, 8)])


def test_numbers_stand_over_bars_with_marks_and_missing_ones_are_words() -> None:
    texts = [text.get_text() for text in bars().figure.axes[0].texts]
    assert texts == ["80", "20", "8 \u25cb", "no run"]
    assert bars().numbers.cells.to_numpy().tolist() == [["B200", "80 to 100", "20 to 80"], ["L40S", "8", "no run"]]


def test_bars_of_nothing_are_a_sentence() -> None:
    drawing = bars(rate_low=NAN, rate_high=NAN)
    assert drawing.figure is None and drawing.alt.endswith("nothing to draw.")
