"""Step curves: the same bytes, nothing drawn between points, Offline runs beside, and the numbers in words."""

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from analysis import charts
from analysis.charts import step_curves

matplotlib.use("agg")
pytestmark = pytest.mark.filterwarnings("error")
FRAME = pd.DataFrame(
    {
        "name": ["B300, Acme"] * 3 + ["H200, Bolt"] * 2,
        "accelerator": ["B300 SXM"] * 3 + ["H200 SXM"] * 2,
        "at": [120.0, 10.0, 40.0, 30.0, None],
        "rate": [400.0, 8000.0, 4000.0, 2000.0, 3000.0],
    }
)


def draw(frame=FRAME, title="B300 peaks."):
    asked = {"label": "name", "x": "at", "y": "rate", "ticks": [15, 25, 50, 500], "x_axis": "tokens/s per user"}
    return step_curves.steps(frame, **asked, y_axis="tokens/s", title=title, subtitle="LLM.", color="accelerator")


@pytest.fixture(autouse=True)
def theme():
    charts.apply()
    yield
    plt.close("all")


def test_a_curve_has_flat_and_upright_lines_alone():
    line = draw().figure.axes[0].lines[0]
    ends = list(zip(*line.get_data(), strict=True))
    assert ends == [(0, 8000), (10, 8000), (10, 4000), (40, 4000), (40, 400), (120, 400)]


def test_an_offline_run_is_a_ceiling_and_no_step_and_ticks_end_with_the_curves():
    axes = draw().figure.axes[0]
    assert [list(line.get_data()[0]) for line in axes.lines if line.get_marker() == "<"] == [[0]]
    assert axes.get_xticks().tolist() == [0, 15, 25, 50, 120]
    assert [text.get_text() for text in draw().figure.legends[0].get_texts()][-1] == "Offline run"


def test_its_numbers_are_a_table_of_points():
    cells = draw().numbers.cells
    assert cells.iloc[0].to_dict() == {"Name": "B300, Acme", "Tokens/s per user": "10", "Tokens/s": "8,000"}
    assert cells["Tokens/s per user"].tolist() == ["10", "40", "120", "30", "Offline"]
