"""Charts: what a reader sees is the frame's numbers, in one look, as an image that stands alone."""

import colorsys
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.colors import to_hex, to_rgb, to_rgba

from analysis import charts, tables
from analysis.charts import grids, image, parts, phone, theme
from tests.reports.grid import faults_of_drawing

SPEEDUPS = pd.DataFrame({
    "accelerator": ["GB300", "B200", "H200"], "speedup": [4.07, 3.16, 1.13], "low": [3.7, np.nan, 1.1],
    "high": [4.4, np.nan, 1.2], "modeled": [True, False, False], "note": ["1 link", "v5.0", ""],
})  # fmt: skip
TWO = pd.DataFrame({"gpu": ["a", "b"], "rate": [1.0, 2.0]})
FACTORS = pd.DataFrame({
    "step": ["MLPerf Offline", "latency limit", "load over time", "delivered"], "factor": [1, 0.9, 0.5, np.nan],
    "kind": ["total", "measured", "assumed", "total"], "low": [np.nan, 0.8, 0.5, 0.3], "high": [np.nan, 0.95, 0.5, 0.6],
    "note": ["", "n = 5 models", "", ""],
})  # fmt: skip
FIVE = ["H100", "H200", "B200", "B300", "GB300"]
CLOSE = pd.DataFrame({"kw": [1.0, 1.01, 1.02, 3], "rate": [5.0, 5.05, 5.1, 9], "gpu": FIVE[:4]})


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def bars(frame=SPEEDUPS, **options):
    return charts.bars(frame, "accelerator", "speedup", **options)


def series(names):
    """Lines of three rounds that end close together."""
    frames = [
        pd.DataFrame({"round": ["v5.0", "v5.1", "v6.0"], "rate": [1.0, 2.0, 3 + i / 100]}) for i in range(len(names))
    ]
    return pd.concat(frames, keys=names, names=["gpu"]).reset_index("gpu")


def grid(rows, columns):
    names = pd.MultiIndex.from_product(
        [["Offline", "Interactive"], [f"model {place}" for place in range(columns // 2)]]
    )
    values = pd.DataFrame(1.0, [f"GPU {place}" for place in range(rows)], names)
    return charts.heatmap(values, values.map("{:.0%}\nv6.0".format))


def in_panels():
    figure, axes = charts.panels(3)
    for ax in axes:
        bars(low="low", high="high", label=("{:.1f}x", "note"), ax=ax)
    return figure


def on_a_log_axis():
    ax = bars(label=("{:.1f}x throughput", "note"))
    ax.set(xscale="log", xlim=(1, 4.07))
    parts.ticks(ax.xaxis)
    return ax


DRAWN = {
    "bars": lambda: bars(label=("{:.1f}x throughput", "note"), hue="modeled"),
    "bars with ranges": lambda: bars(low="low", high="high", label=("{:.1f}x", "note")),
    "panels": in_panels,
    "changes": lambda: bars(SPEEDUPS.assign(speedup=[-0.17, 0.3, -0.02]), label="{:+.0%}"),
    "a log axis": on_a_log_axis,
    "dots": lambda: charts.dots(SPEEDUPS, "accelerator", "speedup", low="low", high="high", label=("{:.1f}x", "note")),
    "waterfall": lambda: charts.waterfall(FACTORS, "step", "factor", low="low", high="high", kind="kind", note="note"),
    "lines": lambda: charts.lines(series(FIVE), "round", "rate", "gpu"),
    "scatter": lambda: charts.scatter(CLOSE, "kw", "rate", label="gpu"),
    "grid": lambda: grid(3, 4),
    "wide grid": lambda: grid(3, 20),
}  # fmt: skip


@pytest.mark.parametrize("kind", DRAWN)
def test_words_lie_inside_their_axes_and_not_on_each_other_wide_and_narrow(kind):
    drawn = DRAWN[kind]()
    wide = charts.compose(drawn, "Title", "Subtitle", "Source: own.")
    charts.svg(wide)  # which draws in another resolution
    assert faults_of_drawing(wide) == []
    narrow = charts.compose(phone.narrow(wide), "", "", "Source: own.")
    assert faults_of_drawing(narrow) == [] and narrow.get_figwidth() < 5


def written(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def ranges(ax):
    return [list(ends[:, 0]) for ends in ax.collections[0].get_segments()]


def legend(ax):
    return [text.get_text() for text in ax.figure.legends[0].get_texts()]


def test_bars_begin_at_zero_in_the_order_of_the_frame_with_colors_of_accelerators():
    ax = bars(label=("{:.1f}x", "note"))
    assert [(bar.get_x(), bar.get_width()) for bar in ax.patches] == [(0, 4.07), (0, 3.16), (0, 1.13)]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["GB300", "B200", "H200"]
    assert list(np.diff(ax.get_yticks()) < 0) == [True, True]
    assert written(ax) == ["4.1x", "1 link", "3.2x", "v5.0", "1.1x"]
    color = tables.accelerators.set_index("label")["color"]["GB300"]
    assert ax.patches[0].get_facecolor() == pytest.approx(to_rgba(color))


def test_marks_of_a_boolean_column_are_hatched_or_hollow_and_named_in_the_legend():
    ax = bars(hatched="modeled")
    assert [bool(patch.get_hatch()) for patch in ax.patches] == [True, False, False]
    assert legend(ax) == ["measured", "modeled"]
    assert legend(bars(SPEEDUPS[:1], hatched="modeled")) == ["modeled"]
    ax = charts.dots(SPEEDUPS, "accelerator", "speedup", hollow="modeled")
    assert legend(ax) == ["measured", "modeled"]
    handles = ax.figure.legends[0].legend_handles
    assert [(mark.get_marker(), mark.get_mfc()) for mark in handles] == [("o", theme.OTHER), ("o", theme.SURFACE)]
    assert [line.get_mfc() for line in ax.lines] == [theme.SURFACE, charts.color("B200"), charts.color("H200")]


def test_a_range_reaches_from_low_to_high_and_passes_below_the_value_and_its_note():
    one = {"accelerator": ["B300"], "speedup": [3.5], "low": [3.5], "high": [3.5]}  # a range of one value is no mark
    ax = bars(pd.concat([SPEEDUPS, pd.DataFrame(one)]), low="low", high="high", label=("{:.1f}x", "note"))
    assert ranges(ax) == [[3.7, 4.4], [1.1, 1.2]]
    assert all(line.get_zorder() > ax.patches[0].get_zorder() for line in ax.collections)  # seen on its bar
    value, note = ax.texts[:2]
    assert value.xy[0] == 4.07 and value.xy[1] > 0 > ax.collections[0].get_segments()[0][0, 1]
    assert note.get_window_extent().x0 > value.get_window_extent().x1
    assert ax.get_xlim()[0] == 0 and ax.get_xlim()[1] > 4.4


def test_notes_are_beside_their_values_or_below_in_three_columns_and_on_phones():
    def below(ax):
        value, note = (text.get_window_extent() for text in ax.texts[:2])
        return note.y1 <= value.y0 + 1

    ax = bars(label=("{:.1f}x", "note"))
    assert not below(ax) and below(phone.narrow(ax).axes[0])
    assert below(bars(label=("{:.1f}x", "note"), ax=charts.panels(3)[1][0]))
    ax = bars(low="low", high="high", label=("{:.1f}x", "note"), ax=charts.panels(3)[1][0])
    assert not below(ax)  # where the range is


def test_panels_are_below_each_other_on_a_phone():
    figure, axes = charts.panels(4, columns=2, height=3)
    for ax in axes:
        charts.bars(TWO, "gpu", "rate", ax=ax)
    assert figure.get_size_inches() == pytest.approx([theme.WIDTH, 6])
    assert phone.narrow(figure).get_figheight() == pytest.approx(4 * 3, rel=0.1)
    assert len(axes[0].get_xticks()) <= 5
    assert len(charts.panels(5)[1]) == len(charts.panels(5)[0].axes) == 5
    assert charts.panels(3)[0].get_figwidth() > theme.WIDTH


@pytest.mark.parametrize("size", [0.7, 3.0])
@pytest.mark.parametrize("most", [0.97, 8, 3e6])
def test_ticks_of_a_log_axis_have_room(size, most):
    """Also of one between two round numbers, such as shares from 90 to 97%."""
    figure, ax = plt.subplots(figsize=(4, size))
    ax.set(yscale="log", ylim=(0.9, most))
    parts.ticks(ax.yaxis)
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(low.y1 <= high.y0 for low, high in pairwise(boxes))
    assert sum(0.9 <= tick <= most for tick in ax.get_yticks()) > 1 or size < 1 < most


def test_rows_of_one_name_stand_together_and_opacity_tells_them_apart():
    frame = pd.DataFrame({"gpu": ["B200", "B200", "H200"], "scenario": ["Offline", "Server", "Offline"]})
    ax = charts.bars(frame.assign(rate=[7.5, 4.5, 2.6]), "gpu", "rate", hue="scenario")
    assert np.diff([bar.get_y() for bar in ax.patches]) == pytest.approx([-1, -1.5])
    assert [bar.get_facecolor()[3] for bar in ax.patches] == [1, 0.6, 1]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["B200", "H200"]
    assert [mark.get_facecolor() for mark in ax.figure.legends[0].legend_handles] == [
        to_rgba(theme.OTHER), to_rgba(theme.OTHER, 0.6),
    ]  # fmt: skip


def test_series_that_are_no_accelerators_have_the_colors_of_the_palette():
    ax = charts.bars(TWO, "gpu", "rate", hue="gpu")
    colors = [to_rgba(color) for color in theme.PALETTE[:2]]
    assert [bar.get_facecolor() for bar in ax.patches] == colors
    assert [mark.get_facecolor() for mark in ax.figure.legends[0].legend_handles] == colors


def test_dots_of_one_line_show_each_value_and_their_median():
    frame = pd.DataFrame({"model": ["a", "a", "a", "b"], "accuracy": [99.1, 99.5, 100.4, 100.0]})
    ax = charts.dots(frame, "model", "accuracy")
    assert written(ax) == ["99.5", "n = 3", "100.0"]
    assert written(charts.dots(frame[:2], "model", "accuracy", label="{:.0f}%")) == ["99%", "n = 2"]
    assert written(charts.dots(frame.assign(words="x"), "model", "accuracy", label="words")) == ["x", "x"]
    assert [99.1, 99.5, 100.4] in [list(line.get_xdata()) for line in ax.lines]
    assert [list(ends[:, 0]) for each in ax.collections for ends in each.get_segments()] == [[99.5, 99.5]]
    assert ax.texts[0].xy[0] == 100.4


def test_a_precision_has_one_mark_in_all_panels():
    frame = pd.DataFrame({"row": list("abc"), "kept": [99.0, 98.0, 97.0], "format": ["other", "FP8", "NVFP4"]})
    drawn = [charts.dots(each, "row", "kept", hue="format") for each in (frame, frame[1:])]
    whole, part = ([line.get_marker() for line in ax.lines] for ax in drawn)
    assert whole[1:] == part and part[0] != part[1]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([4.07, 0.534], ["4.07", "0.53"]),
        ([15872, 949], ["15,900", "950"]),
        ([99.12, 100.44], ["99.1", "100.4"]),  # close to each other: four digits
        ([98.0, 100.0], ["98", "100"]),
        ([99.5, 100.0], ["99.5", "100.0"]),
        ([100.0, 100.0], ["100", "100"]),
        ([-400.0, 0.534], ["-400", "0.53"]),
        ([0.5], ["0.500"]),
        ([np.nan, 16.74], ["", "16.7"]),
        ([0.0], ["0"]),
    ],
)
def test_numbers_have_one_precision(values, texts):
    assert list(parts.number_labels(pd.Series(values))) == texts


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("8x GB300, GPT-OSS 120B", 1.0, ["8x GB300,", "GPT-OSS", "120B"]),
        ("GPT-OSS 120B", 0.4, ["GPT-", "OSS", "120B"]),  # only a word that is too wide breaks at its hyphen
        ("two\nlines", 3.0, ["two", "lines"]),
        ("", 3.0, []),
    ],
)
def test_words_are_broken_at_the_width_that_they_are_drawn_with(text, width, lines):
    found = image.wrap(text, width, 10)
    assert found.splitlines() == lines
    assert all(image.text_width(line, 10) <= width for line in lines)


@pytest.mark.parametrize(
    ("kinds", "values", "ends", "words"),
    [
        (["total", "measured", "assumed", "total"], [1, 0.9, 0.5, np.nan],
         [(0, 100), (90, 100), (45, 90), (0, 45)], ["100%", "×0.900", "×0.500", "45%"]),
        (["total", "total", "assumed", "total"], [0.8, 0.5, 0.5, np.nan],  # of totals the first counts alone
         [(0, 80), (0, 80), (40, 80), (0, 40)], ["80%", "80%", "×0.500", "40%"]),
        (["total", "measured", "modeled", "total"], [1, 1.5, 2, np.nan],
         [(1, 1), (1, 1.5), (1.5, 3), (1, 3)], ["1x", "×1.5000", "×2.0000", "3x"]),
    ],
)  # fmt: skip
def test_a_waterfall_is_the_running_product(kinds, values, ends, words):
    frame = pd.DataFrame({"step": ["a", "b", "c", "c"], "factor": values, "kind": kinds})  # a name may repeat
    ax = charts.waterfall(frame, "step", "factor", kind="kind")
    assert [tuple(sorted(bar.get_bbox().intervalx)) for bar in ax.patches] == [pytest.approx(end) for end in ends]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c", "c"]
    assert written(ax) == words and legend(ax) == [kind for kind in kinds if kind != "total"]
    assert (ax.get_xscale(), ax.lines[0].get_xdata()[0]) == (("log", 1) if words[0] == "1x" else ("linear", 0))


def test_a_waterfall_that_rises_above_all_before_it_falls_has_room():
    ax = charts.waterfall(FACTORS[:3].assign(factor=[1, 1.6, 0.4]), "step", "factor", kind="kind")
    assert ax.get_xlim()[1] >= 160 and [label.get_text() for label in ax.get_xticklabels()][-1] == "150%"


@pytest.mark.parametrize(
    ("values", "center", "limits"),
    [
        ([1, 3], None, (0, 3)),
        ([-2, 3], None, (-2, 3)),
        ([0, 0], None, (0, 1)),
        ([np.nan], None, (0, 1)),
        ([np.nan], 1, (0, 2)),
        ([0, 2], 1, (0, 2)),
        ([0, 0], 0, (-1, 1)),
        ([1, 3], 0, (-3, 3)),
        ([0.1, 20], 1, (1 / 4, 4)),
        ([0.9, 1.2], 1, (1 / 1.5, 1.5)),  # small differences stay pale
        ([0.5, 3], 1, (1 / 3, 3)),
        ([0.2, 9], 1, (1 / 4, 4)),  # and one large one leaves color for others
        ([-1, 3], 1, (-1, 3)),
        ([0, 1], 1, (0, 2)),
        ([1, 1], -1, (-3, 1)),
    ],
)
def test_colors_span_the_values_or_the_same_on_both_sides_of_a_center(values, center, limits):
    norm = grids._scale(pd.DataFrame([values], dtype=float), center)[0].norm
    assert (norm.vmin, norm.vmax) == pytest.approx(limits)


@pytest.mark.parametrize("models", [10, 20])
def test_a_grid_of_more_columns_than_rows_is_turned_on_a_phone(models):
    """Of 10 models and 22 accelerators, as wide as a phone; each word lies in its cell."""
    values = pd.DataFrame(1.0, [f"model {place}" for place in range(models)], [f"GPU {place}" for place in range(22)])
    narrow = phone.narrow(charts.heatmap(values, values.map("{:.0%}\nv6.0".format)))
    [ax] = charts.compose(narrow, "").axes
    assert narrow.get_figwidth() == phone.NARROW or models > 10
    assert [label.get_text() for label in ax.get_yticklabels()] == list(values.columns)
    cell = ax.patches[0].get_window_extent()
    words = [text.get_window_extent() for text in ax.texts]
    assert len(words) == 44 * models and max(each.width for each in words) <= cell.width
    assert max(words[0].y1, words[1].y1) - min(words[0].y0, words[1].y0) <= cell.height


def test_five_lines_are_named_at_their_ends_and_six_in_a_legend_in_the_order_of_the_frame():
    ax = charts.lines(series(FIVE), "round", "rate", "gpu")
    assert ax.figure.legends == [] and written(ax) == FIVE
    six = charts.lines(series([*FIVE, "A100"]), "round", "rate", "gpu")
    assert legend(six) == [*FIVE, "A100"] and written(six) == []


def test_names_of_lines_stand_at_their_ends_by_the_limits_at_last():
    frame = pd.DataFrame({"x": [1, 2] * 2, "rate": [1.0, 2.0, 1.0, 8.0], "gpu": ["H100", "H100", "B200", "B200"]})
    ax = charts.lines(frame, "x", "rate", "gpu")
    ends = ax.transAxes.inverted().transform(ax.transData.transform([(2, 2), (2, 8)]))[:, 1]
    assert [text.xy for text in ax.texts] == [(1, pytest.approx(end, abs=0.01)) for end in ends] and ends[1] > 0.9
    begin, edge = ax.lines[-1].get_xdata()  # from the line to a dot before its name
    assert 0.9 < begin < 1 < edge and ax.transAxes.transform((edge, 0))[0] < ax.texts[1].get_window_extent().x0
    assert ax.lines[-1].get_ydata() == pytest.approx([ends[1]] * 2, abs=0.01)
    ax.set_ylim(0, 20)
    image.lay_out(ax)
    assert [text.xy[1] for text in ax.texts] == pytest.approx([0.1, 0.4])


def test_names_of_points_cover_no_point_and_stay_inside():
    ax = charts.scatter(CLOSE, "kw", "rate", label="gpu")
    image.lay_out(ax)
    for text in ax.texts:
        box = text.get_window_extent()
        assert ax.bbox.containsx(box.x0) and ax.bbox.containsx(box.x1) and ax.bbox.containsy(box.y1)
        assert not any(box.contains(*mark) for mark in ax.transData.transform(CLOSE[["kw", "rate"]]))
    assert [ax.texts[place].get_ha() for place in (0, 3)] == [
        "right",
        "left",
    ]  # away from its neighbors; the last has none


def test_lines_follow_an_ordered_category_not_the_frame():
    rounds = pd.Categorical(["v6.0", "v5.0"], ["v4.0", "v5.0", "v6.0"], ordered=True)
    ax = charts.lines(pd.DataFrame({"round": rounds, "rate": [3.0, 1.0], "gpu": "B200"}), "round", "rate", "gpu")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["v5.0", "v6.0"]
    assert list(ax.lines[0].get_ydata()) == [1.0, 3.0]


@pytest.mark.parametrize(("log", "bottom"), [("", 0), ("xy", 1)])
def test_axes_are_named_with_their_scale_and_a_linear_one_begins_at_zero(log, bottom):
    frame = pd.DataFrame({"user_speed": [1, 100], "rate": [2.0, 9.0], "gpu": "B200"})
    ax = charts.lines(frame, "user_speed", "rate", "gpu", log=log)
    assert ax.get_ylim()[0] == pytest.approx(bottom, abs=1) and (ax.get_ylim()[0] == 0) == (log == "")
    assert ax.get_xlabel() == "user speed" + ", log scale" * bool(log)
    assert (ax.get_xscale(), ax.get_yscale()) == (("log", "log") if log else ("linear", "linear"))
    changes = charts.lines(frame.assign(rate=[-2.0, 9.0]), "user_speed", "rate", "gpu")
    assert changes.get_ylim()[0] < -2


RATES = pd.DataFrame({"name": ["a", "b"], "rate": [0.5, 0.4], "low": [0.4, 3.0], "high": [6.0, 7.0]})


def rates(low="low", high="high", **changed):
    charts.bars(RATES.assign(**changed), "name", "rate", low=low, high=high)


WRONG = {
    "did you mean 'speedup'": lambda: charts.bars(SPEEDUPS, "accelerator", "speedups"),
    "did you mean 'note'": lambda: bars(label="notes"),
    "did you mean 'rate'": lambda: charts.dots(TWO[:0], "gpu", "rates"),  # also of no rows
    r"measured.*assumed": lambda: charts.waterfall(FACTORS.assign(kind="measurd"), "step", "factor", kind="kind"),
    r"rate of b is 0\.4, but its range is 3 to 7: are they": rates,
    r"rate of a is 40\.4, but its range is 0\.4 to 40\.4: are they in the same unit": lambda: rates(
        rate=101 * RATES["low"], high="rate"
    ),
    r"rate of a is 0\.5, but its range is 0\.5 to 50\.5: are they in": lambda: rates("rate", "most", most=[50.5, 0.4]),
    "text has 1 x 2 cells, but values has 2 x 2": lambda: charts.heatmap(TWO, TWO[:1]),
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_what_cannot_be_drawn_is_an_error_that_says_why(message):
    with pytest.raises(ValueError, match=message):
        WRONG[message]()


def test_a_range_of_a_hundredfold_from_zero_or_a_rounding_error_apart_is_drawn():
    bars(SPEEDUPS.assign(speedup=1.0, low=0.01, high=100.0), low="low", high="high")
    bars(SPEEDUPS.assign(speedup=[0, 1, 2], low=0, high=9), low="low", high="high")
    near = {"speedup": [0.001, 3e3, 3e3], "low": [0.001, 3e3 + 1e-7, 0], "high": [0.001, 3001, 3e3 - 1e-7]}
    bars(SPEEDUPS.assign(**near), low="low", high="high")


def test_an_unknown_accelerator_is_gray_and_each_known_one_has_its_own_color():
    assert charts.color("Z9000") == theme.OTHER
    colors = tables.accelerators["color"][tables.accelerators["color"].ne("")].tolist()
    assert len(set(colors)) == len(colors)


def test_compose_fits_long_texts_above_and_below_a_small_seaborn_figure():
    figure, ax = plt.subplots(figsize=(3, 2))
    sns.barplot(x=["a", "b"], y=[1, 2], ax=ax)
    figure.draw_without_rendering()
    drawn = figure.get_tightbbox()
    charts.compose(ax, "A title that is much longer than the figure is wide, so it wraps", "tokens/s", "MLPerf " * 40)
    figure.draw_without_rendering()
    boxes = {
        text.get_gid(): text.get_window_extent().transformed(figure.dpi_scale_trans.inverted()) for text in figure.texts
    }
    canvas = figure._analysis_canvas
    assert boxes["title"].y0 >= boxes["subtitle"].y1 > boxes["subtitle"].y0 > drawn.y1
    assert boxes["source"].y1 < drawn.y0
    assert all(canvas.x0 <= box.x0 and box.x1 <= canvas.x1 for box in boxes.values())
    assert canvas.y0 < boxes["source"].y0 and boxes["title"].y1 < canvas.y1


def test_compose_again_replaces_the_texts():
    figure, _ = plt.subplots()
    charts.compose(figure, "First", "", "here")
    charts.compose(figure, "Second", "", "there")
    assert sorted(text.get_text() for text in figure.texts) == ["Second", "there"]


def drawn():
    ax = bars(hatched="modeled", low="low", high="high")
    return charts.svg(charts.compose(ax, "GB300: 4x", "Offline", "MLPerf"))


def test_svg_is_deterministic_valid_and_colored_by_variables():
    first = drawn()
    assert first == drawn()
    assert ET.fromstring(first).tag == "{http://www.w3.org/2000/svg}svg"
    assert "<text" not in first and "<dc:" not in first
    for name, color in (("ink", theme.INK), ("muted", theme.MUTED), ("grid", theme.GRID), ("surface", theme.SURFACE)):
        assert f"{color}; " in first
        assert f"var(--{name}, {color})" in first
    colors = re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})(?!;? ?(?:fill|stroke)?:? ?var)(?=\")", first)
    assert theme.INK not in colors
    assert charts.color("GB300") in first
    lighter = re.search(rf"--on-{charts.color('GB300')[1:]}:(#\w+)", first)[1]
    assert theme.contrast(lighter, theme.DARK_PAGE) >= 4


def test_a_users_own_settings_of_matplotlib_change_nothing():
    first = drawn()
    own = {"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "none", "ytick.major.pad": 40, "axes.xmargin": 0.4}
    with mpl.rc_context(own):
        assert drawn() == first


@pytest.mark.parametrize("center", [None, 1.0])
def test_on_a_dark_page_high_cells_are_bright_and_words_on_them_dark(center):
    values = pd.DataFrame([[1.0, 2.0, 4.0, 9.0]], ["B200"], list("abcd"))
    ax = charts.heatmap(values, values.map(str), center=center)
    rules = dict(re.findall(r"--on-(\w{6}):(#\w{6})", charts.svg(ax)))
    dark = [rules[to_hex(patch.get_facecolor())[1:]] for patch in ax.patches]
    light = [theme.luminance(hue) for hue in dark]
    assert light == sorted(light) and light[0] < 0.05 < 0.5 < light[-1]
    for text, ground in zip(ax.texts, dark, strict=True):
        assert theme.contrast(rules.get(text.get_color()[1:], text.get_color()), ground) >= 4.0


def test_the_colors_of_series_can_be_seen_on_both_pages():
    for hue in [*theme.PALETTE, *theme.colors().values(), theme.OTHER]:
        assert theme.contrast(hue, "#ffffff") >= 3
        before, after = (theme.contrast(each, theme.DARK_PAGE) for each in (hue, theme.on_dark(hue)))
        least = 4 if before >= 2.7 else 6
        assert least <= after < least + 0.5 or after == before >= least
    blue, pale = (colorsys.rgb_to_hls(*to_rgb(each)) for each in ("#1d3f8f", theme.on_dark("#1d3f8f")))
    assert (pale[0], pale[2]) == pytest.approx((blue[0], 0.6 * blue[2]), abs=0.01)


def test_an_image_says_how_high_its_title_is():
    ax = charts.bars(TWO, "gpu", "rate")
    bare, titled = (
        float(re.search(r"--head: ([\d.]+)", charts.svg(charts.compose(ax, title)))[1]) for title in ("", "Title")
    )
    assert bare == 0 and 0.02 < titled < 0.06
