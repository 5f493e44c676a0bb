"""Charts: what a reader sees is the frame's numbers, in one look, as an image that stands alone."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.patches import Rectangle

from analysis import charts, tables
from analysis.charts import grids, image, parts, phone, theme


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture
def speedups():
    return pd.DataFrame(
        {
            "accelerator": ["GB300", "B200", "H200"],
            "speedup": [4.07, 3.16, 1.13],
            "low": [3.7, np.nan, 1.1],
            "high": [4.4, np.nan, 1.2],
            "modeled": [True, False, False],
            "note": ["1 link", "v5.0", ""],
        }
    )


def written(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def bar_widths(ax):
    return [patch.get_width() for patch in ax.patches if isinstance(patch, Rectangle)]


def test_bars_begin_at_zero_in_the_order_of_the_frame_with_colors_of_accelerators(speedups):
    ax = charts.bars(speedups, "accelerator", "speedup", label=("{:.1f}x", "note"))
    assert bar_widths(ax) == [4.07, 3.16, 1.13]
    assert [patch.get_x() for patch in ax.patches] == [0, 0, 0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["GB300", "B200", "H200"]
    assert list(np.diff(ax.get_yticks()) < 0) == [True, True]
    assert written(ax) == ["4.1x", "1 link", "3.2x", "v5.0", "1.1x"]
    color = tables.accelerators.set_index("label")["color"]["GB300"]
    assert ax.patches[0].get_facecolor() == pytest.approx(plt.matplotlib.colors.to_rgba(color))


def test_hatched_bars_are_named_in_the_legend_by_their_column(speedups):
    ax = charts.bars(speedups, "accelerator", "speedup", hatched="modeled")
    assert [bool(patch.get_hatch()) for patch in ax.patches] == [True, False, False]
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["measured", "modeled"]


def test_a_range_reaches_from_low_to_high_and_passes_below_its_value(speedups):
    one = {"accelerator": ["B300"], "speedup": [3.5], "low": [3.5], "high": [3.5]}  # a range of one value is no mark
    ax = charts.bars(pd.concat([speedups, pd.DataFrame(one)]), "accelerator", "speedup", low="low", high="high")
    assert [list(ends[:, 0]) for ends in ax.collections[0].get_segments()] == [[3.7, 4.4], [1.1, 1.2]]
    assert all(line.get_zorder() > ax.patches[0].get_zorder() for line in ax.collections)  # seen on its bar
    assert ax.texts[0].xy[0] == 4.07
    assert ax.texts[0].xy[1] > 0 > ax.collections[0].get_segments()[0][0, 1]
    assert ax.get_xlim()[0] == 0
    assert ax.get_xlim()[1] > 4.4


def test_a_note_stands_behind_the_value_and_above_a_range(speedups):
    figure, axes = charts.panels(3)
    ax = charts.bars(speedups, "accelerator", "speedup", low="low", high="high", label=("{:.1f}x", "note"), ax=axes[0])
    image.lay_out(figure)
    value, note = (text.get_window_extent() for text in ax.texts[:2])
    assert note.x0 > value.x1 and note.y0 > ax.transData.transform((0, -0.27))[1]


def test_panels_are_below_each_other_on_a_phone():
    figure, axes = charts.panels(4, columns=2, height=3)
    for ax in axes:
        charts.bars(pd.DataFrame({"gpu": ["a", "b"], "rate": [1, 2]}), "gpu", "rate", ax=ax)
    assert phone.narrow(figure).get_figheight() == pytest.approx(4 * 3, rel=0.1)


def test_changes_below_zero_have_their_label_on_the_left():
    ax = charts.bars(pd.DataFrame({"gpu": ["a", "b"], "change": [-0.17, 0.3]}), "gpu", "change", label="{:+.0%}")
    assert ax.get_xlim()[0] < -0.17
    assert [text.get_ha() for text in ax.texts if text.get_text()] == ["right", "left"]


@pytest.mark.parametrize("log", [False, True])
def test_words_beside_marks_lie_inside_their_axes_wide_and_narrow(speedups, log):
    ax = charts.bars(speedups, "accelerator", "speedup", label=("{:.1f}x throughput", "note"))
    if log:
        ax.set(xscale="log", xlim=(1, 4.07))
    for figure in (charts.compose(ax, "Title"), charts.compose(phone.narrow(ax), "")):
        charts.svg(figure)  # which draws in another resolution
        pen, room = figure.canvas.get_renderer(), ax.get_window_extent()
        assert all(text.get_window_extent(pen).x1 <= room.x1 + 1 for text in ax.texts)
        assert all(text.get_window_extent(pen).x0 >= room.x0 - 1 for text in ax.texts)
    assert (ax.get_xlim()[0] == 0) != log


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
    frame = pd.DataFrame(
        {"gpu": ["B200", "B200", "H200"], "scenario": ["Offline", "Interactive", "Offline"], "rate": [7.5, 4.5, 2.6]}
    )
    ax = charts.bars(frame, "gpu", "rate", hue="scenario")
    middles = [patch.get_y() + patch.get_height() / 2 for patch in ax.patches]
    assert np.diff(middles) == pytest.approx([-1, -1 - 0.5])
    assert [patch.get_facecolor()[3] for patch in ax.patches] == [1, 0.6, 1]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["B200", "H200"]


def test_dots_of_one_line_show_each_value_and_their_median():
    frame = pd.DataFrame({"model": ["a", "a", "a", "b"], "accuracy": [99.1, 99.5, 100.4, 100.0]})
    ax = charts.dots(frame, "model", "accuracy")
    assert written(ax) == ["99.5", "n = 3", "100.0"]
    assert written(charts.dots(frame[:2], "model", "accuracy", label="{:.0f}%")) == ["99%", "n = 2"]
    assert [99.1, 99.5, 100.4] in [list(line.get_xdata()) for line in ax.lines]
    assert [list(ends[:, 0]) for each in ax.collections for ends in each.get_segments()] == [[99.5, 99.5]]
    assert ax.texts[0].xy[0] == 100.4


def test_a_precision_has_one_mark_in_all_panels():
    formats = ["other", "FP8", "NVFP4"]  # one that is no precision changes nothing
    frame = pd.DataFrame({"row": list("abc"), "kept": [99.0, 98.0, 97.0], "format": formats})
    ax, other = (charts.dots(part, "row", "kept", hue="format") for part in (frame, frame[1:]))
    whole, part = (dict(zip(rows, [line.get_marker() for line in each.lines], strict=False))
                   for rows, each in ((formats, ax), (formats[1:], other)))  # fmt: skip
    assert part["FP8"] == whole["FP8"] != whole["NVFP4"] == part["NVFP4"]


def test_hollow_dots_have_the_color_of_the_page_inside(speedups):
    ax = charts.dots(speedups, "accelerator", "speedup", low="low", high="high", hollow="modeled")
    assert [mark.get_marker() for mark in ax.figure.legends[0].legend_handles] == ["o", "o"]
    faces = [line.get_markerfacecolor() for line in ax.lines if line.get_marker() == "o"]
    assert faces == [theme.SURFACE, charts.color("B200"), charts.color("H200")]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([4.07, 0.534], ["4.07", "0.53"]),
        ([15872, 949], ["15,900", "950"]),
        ([99.12, 100.44], ["99.1", "100.4"]),
        ([np.nan, 16.74], ["", "16.7"]),
    ],
)
def test_numbers_have_one_precision(values, texts):
    assert list(parts.number_labels(pd.Series(values))) == texts


def factors(kinds, values):
    return pd.DataFrame({"step": list("abcdefgh")[: len(values)], "factor": values, "kind": kinds})


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
    ax = charts.waterfall(factors(kinds, values), "step", "factor", kind="kind")
    assert [(bar.get_y(), bar.get_y() + bar.get_height()) for bar in ax.patches] == [pytest.approx(end) for end in ends]
    assert written(ax) == words
    baseline = 1 in [line.get_ydata()[0] for line in ax.lines if line.get_color() == theme.INK]
    assert ax.get_yscale() == ("log" if baseline else "linear") and baseline == (words[0] == "1x")


def test_a_factor_has_its_range_in_words_and_a_total_as_a_line():
    frame = factors(["total", "measured", "total"], [1, 0.5, np.nan])
    frame = frame.assign(low=[np.nan, 0.4, 0.3], high=[np.nan, 0.6, 0.6])
    ax = charts.waterfall(frame, "step", "factor", kind="kind", low="low", high="high")
    assert "0.40–0.60" in written(ax) and "0.30–0.60" not in written(ax)
    assert ax.collections[0].get_segments()[0][:, 1].tolist() == [30, 60]


def test_a_waterfall_that_rises_above_all_before_it_falls_has_room():
    ax = charts.waterfall(factors(["total", "measured", "assumed"], [1, 1.5, 0.4]), "step", "factor", kind="kind")
    assert 150 <= ax.get_ylim()[1] < 200


def test_a_waterfall_of_eight_factors_fits_a_phone_from_top_to_bottom():
    ax = charts.waterfall(factors(["total", *["measured"] * 7], [1, *[0.9] * 7]), "step", "factor", kind="kind")
    narrow = phone.narrow(ax)
    assert narrow.get_figwidth() == phone.NARROW and 3 < narrow.get_figheight() < 5
    assert narrow.axes[0].yaxis_inverted() and narrow.axes[0].patches[0].get_width() == 100


def test_guides_are_a_line_or_a_band():
    frame = pd.DataFrame({"gpu": ["a", "b"], "rate": [1.0, 2.0]})
    line, band = (charts.bars(frame, "gpu", "rate", reference=each) for each in (1.5, (1.2, 1.6)))
    assert 1.5 in [each.get_xdata()[0] for each in line.lines]
    assert [each.get_x() for each in band.patches][-1] == 1.2 and len(band.patches) == len(line.patches) + 1


def test_an_unknown_kind_of_factor_names_the_valid_ones():
    with pytest.raises(ValueError, match=r"measured.*assumed"):
        charts.waterfall(factors(["measurd"], [0.5]), "step", "factor", kind="kind")


def test_heatmap_shows_what_is_missing_in_gray_and_words_that_can_be_read():
    values = pd.DataFrame([[1.0, 4.0], [0.25, np.nan]], ["B200", "H100"], ["Llama", "Wan"])
    ax = charts.heatmap(values, values.map("{:.2f}\nFP4".format), center=1)
    fills = [plt.matplotlib.colors.to_hex(patch.get_facecolor()) for patch in ax.patches]
    for fill, color in zip(fills, [grids.MIDDLE, grids.HIGHER, grids.LOWER, theme.MISSING], strict=True):
        assert plt.matplotlib.colors.to_rgb(fill) == pytest.approx(plt.matplotlib.colors.to_rgb(color), abs=0.01)
    assert written(ax) == ["1.00", "FP4", "4.00", "FP4", "0.25", "FP4"]
    for text, fill in zip([t for t in ax.texts if t.get_text() == "FP4"], fills, strict=False):
        assert theme.contrast(text.get_color(), fill) >= 4.0


@pytest.mark.parametrize("models", [10, 20])
def test_a_grid_of_more_columns_than_rows_is_turned_on_a_phone(models):
    """Of 10 models and 22 accelerators, as wide as a phone; each word lies in its cell."""
    values = pd.DataFrame(1.0, [f"model {place}" for place in range(models)], [f"GPU {place}" for place in range(22)])
    narrow = phone.narrow(charts.heatmap(values, values.map("{:.0%}\nv6.0".format)))
    figure = charts.compose(narrow, "")
    [ax] = figure.axes
    assert narrow.get_figwidth() == phone.NARROW or models > 10
    assert [label.get_text() for label in ax.get_yticklabels()] == list(values.columns)
    cell = ax.patches[0].get_window_extent()
    words = [text.get_window_extent() for text in ax.texts]
    assert len(words) == 44 * models and max(each.width for each in words) <= cell.width
    assert max(words[0].y1, words[1].y1) - min(words[0].y0, words[1].y0) <= cell.height


def test_heatmap_of_two_levels_has_air_between_groups_and_their_names():
    columns = pd.MultiIndex.from_tuples([("Offline", "a"), ("Offline", "b"), ("Interactive", "a")])
    values = pd.DataFrame([[1, 2, 3]], ["B200"], columns)
    ax = charts.heatmap(values, values.map(str))
    assert list(ax.get_xticks()) == pytest.approx([0, 1, 2 + grids.APART])
    assert written(ax)[-2:] == ["Offline", "Interactive"]


def series(names):
    frames = [
        pd.DataFrame({"round": ["v5.0", "v5.1", "v6.0"], "rate": [1.0, 2.0, 3 + i / 100]}) for i in range(len(names))
    ]
    return pd.concat(frames, keys=names, names=["gpu"]).reset_index("gpu")


def test_five_lines_are_named_at_their_ends_without_overlap_and_six_in_a_legend():
    ax = charts.lines(series(["H100", "H200", "B200", "B300", "GB300"]), "round", "rate", "gpu")
    image.lay_out(ax)
    assert ax.figure.legends == []
    boxes = sorted((text.get_window_extent() for text in ax.texts if text.get_text()), key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))
    six = charts.lines(series(["H100", "H200", "B200", "B300", "GB300", "MI355X"]), "round", "rate", "gpu")
    names = ["H100", "H200", "B200", "B300", "GB300", "MI355X"]  # in the order of the frame
    assert [text.get_text() for text in six.figure.legends[0].get_texts()] == names


def test_names_of_lines_that_end_far_apart_stand_at_their_ends():
    frame = pd.DataFrame({"x": [1, 2] * 2, "rate": [1.0, 2.0, 1.0, 8.0], "gpu": ["H100", "H100", "B200", "B200"]})
    ax = charts.lines(frame, "x", "rate", "gpu")
    ends = ax.transAxes.inverted().transform(ax.transData.transform([(2, 2), (2, 8)]))[:, 1]
    assert [text.xy[1] for text in ax.texts] == pytest.approx(ends, abs=0.01)


def test_lines_of_two_styles_are_named_once_and_the_legend_tells_the_dashes():
    frame = pd.DataFrame(
        {"x": [1, 2, 2, 3], "y": [4, 3, 3, 2], "gpu": "B200", "basis": ["runs", "runs", "estimate", "estimate"]}
    )
    ax = charts.lines(frame, "x", "y", "gpu", style="basis")
    assert written(ax) == ["B200"]
    assert [text.get_text() for text in ax.figure.legends[0].get_texts()] == ["runs", "estimate"]
    assert [line.get_linestyle() for line in ax.lines[:2]] == ["-", "--"]


def test_lines_follow_an_ordered_category_not_the_frame():
    rounds = pd.Categorical(["v6.0", "v5.0"], ["v4.0", "v5.0", "v6.0"], ordered=True)
    ax = charts.lines(pd.DataFrame({"round": rounds, "rate": [3.0, 1.0], "gpu": "B200"}), "round", "rate", "gpu")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["v5.0", "v6.0"]
    assert list(ax.lines[0].get_ydata()) == [1.0, 3.0]


def test_labels_follow_limits_that_are_changed_later():
    ax = charts.lines(series(["H100"]), "round", "rate", "gpu")
    before = ax.texts[0].xy[1]
    ax.set_ylim(0, 30)
    image.lay_out(ax)
    assert before > 0.9
    assert ax.texts[0].xy[1] == pytest.approx(3 / 30)


def test_names_of_close_points_do_not_cover_each_other():
    frame = pd.DataFrame(
        {"kw": [1.0, 1.01, 1.02, 3], "rate": [5.0, 5.05, 5.1, 9], "gpu": ["H100", "H200", "B200", "B300"]}
    )
    ax = charts.scatter(frame, "kw", "rate", label="gpu")
    image.lay_out(ax)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])


def test_a_misspelled_column_names_the_one_that_is_meant(speedups):
    with pytest.raises(ValueError, match="did you mean 'speedup'"):
        charts.bars(speedups, "accelerator", "speedups")
    with pytest.raises(ValueError, match="did you mean 'note'"):
        charts.bars(speedups, "accelerator", "speedup", label="notes")


def test_a_chart_of_no_rows_says_so_and_a_misspelled_column_is_still_an_error(speedups):
    ax = charts.dots(speedups[:0], "accelerator", "speedup")
    assert not ax.has_data() and written(ax) == ["nothing to show"]
    with pytest.raises(ValueError, match="did you mean 'speedup'"):
        charts.dots(speedups[:0], "accelerator", "speedups")


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
    assert canvas.y0 < boxes["source"].y0
    assert boxes["title"].y1 < canvas.y1


def test_compose_again_replaces_the_texts():
    figure, _ = plt.subplots()
    charts.compose(figure, "First", "", "here")
    charts.compose(figure, "Second", "", "there")
    assert sorted(text.get_text() for text in figure.texts) == ["Second", "there"]


def test_svg_is_deterministic_valid_and_colored_by_variables(speedups):
    def drawn():
        ax = charts.bars(speedups, "accelerator", "speedup", hatched="modeled", low="low", high="high")
        return charts.svg(charts.compose(ax, "GB300: 4x", "Offline", "MLPerf"))

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


@pytest.mark.parametrize("center", [None, 1.0])
def test_on_a_dark_page_high_cells_are_bright_and_words_on_them_dark(center):
    values = pd.DataFrame([[1.0, 2.0, 4.0, 9.0]], ["B200"], list("abcd"))
    ax = charts.heatmap(values, values.map(str), center=center)
    rules = dict(re.findall(r"--on-(\w{6}):(#\w{6})", charts.svg(ax)))
    dark = [rules[plt.matplotlib.colors.to_hex(patch.get_facecolor())[1:]] for patch in ax.patches]
    light = [theme.luminance(hue) for hue in dark]
    assert light == sorted(light) and light[0] < 0.05 < 0.5 < light[-1]
    for text, ground in zip(ax.texts, dark, strict=True):
        assert theme.contrast(rules.get(text.get_color()[1:], text.get_color()), ground) >= 4.0


def test_a_users_own_matplotlibrc_changes_nothing(tmp_path):
    (tmp_path / "matplotlibrc").write_text(
        "font.size: 30\naxes.facecolor: red\nsvg.fonttype: none\nytick.major.pad: 40\naxes.xmargin: 0.4\n"
    )
    code = """
import hashlib, pandas as pd
from analysis import charts
ax = charts.bars(pd.DataFrame({"a": ["H100"], "b": [1.0]}), "a", "b")
print(hashlib.sha256(charts.svg(charts.compose(ax, "Title", "", "")).encode()).hexdigest())
"""
    run = {"capture_output": True, "text": True, "check": True, "cwd": tmp_path}
    plain = {**os.environ, "MPLBACKEND": "agg"}
    own = subprocess.run([sys.executable, "-c", code], env={**plain, "MATPLOTLIBRC": str(tmp_path)}, **run).stdout
    (tmp_path / "matplotlibrc").unlink()
    assert own == subprocess.run([sys.executable, "-c", code], env=plain, **run).stdout


def test_a_value_outside_its_range_is_refused():
    frame = pd.DataFrame({"name": ["a", "b"], "rate": [5.0, 0.4], "low": [4.0, 3.0], "high": [6.0, 7.0]})
    with pytest.raises(ValueError, match=r"rate of b is 0\.4, its range 3 to 7: are they"):
        charts.bars(frame, "name", "rate", low="low", high="high")
    thousands = frame.assign(rate=1000 * frame["low"])
    with pytest.raises(ValueError, match=r"rate of a is 4000, its range 4 to 4000: are they in one unit"):
        charts.bars(thousands, "name", "rate", low="low", high="rate")


def test_the_colors_of_series_can_be_seen_on_both_pages():
    for hue in [*theme.PALETTE, *theme.colors().values(), theme.OTHER]:
        assert theme.contrast(hue, "#ffffff") >= 3
        assert theme.contrast(theme.on_dark(hue), theme.DARK_PAGE) >= 3


def test_an_image_says_how_high_its_title_is():
    ax = charts.bars(pd.DataFrame({"a": ["H100"], "b": [1.0]}), "a", "b")
    bare, titled = (
        float(re.search(r"--head: ([\d.]+)", charts.svg(charts.compose(ax, title, "", "")))[1])
        for title in ("", "Title")
    )
    assert bare == 0 and 0.02 < titled < 0.06
