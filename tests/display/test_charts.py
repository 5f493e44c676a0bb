"""Charts: identical bytes, alt text and tables with the numbers, marks where they belong, names that hide nothing."""

import re
from functools import cache
from itertools import combinations

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

from analysis import charts
from analysis._core import mime
from analysis._core.notes import NONE, note, worded
from analysis.charts import colors, style
from analysis.charts.style import Drawing

matplotlib.use("agg")
pytestmark = pytest.mark.filterwarnings("error")  # what a library warns of is a fault of a later version
EVIL = '<script>alert("1")</script><img src=x onerror=alert(1)>'
PREVIEW, EDGE, UNSTATED = note("preview"), note("edge_suite"), note("precision_unstated")
NAMES = {"title": "B200 leads.", "subtitle": "LLM Offline."}
AXES = {"x_axis": "loss", "y_axis": "rate"} | NAMES
FRAME = pd.DataFrame(
    {
        "part": ["B200 SXM", "L40S", "B200 SXM"],
        "basis": ["official v4.1", "official v4.1", "Paper"],
        "origin": ["official", "official", "published"],
        "day": pd.to_datetime(["2024-08-28", "2024-08-28", "2025-09-09"]),
        "on": pd.Categorical(["llm", "llm", "images"], ["llm", "images"]),
        "count": [8, 8, 16],
        "x_low": [2.0, 0.25, 3.0],
        "x_high": [2.5, 0.25, 4.0],
        "y_low": [1.0, 5.0, 9.0],
        "y_high": [1.5, 6.0, 9.0],
        "derived": [True, False, False],
        "words": ["one", "", "three"],
    }
)
ROOFS = pd.DataFrame({"part": ["B200 SXM", "L40S"], "precision": "fp8", "at_batch_1": 2.0, "flat": 64.0, "ridge": 32.0})
INKS = {"Paper": "#000000", "official v4.1": "#595959"}
PARTS = {"counts": {"x_low": "logs", "y_low": "none"}, "inks": {"x_low": colors.POINT, "y_low": colors.LIGHT}}
CURVES = {"series": "basis", "bound": "derived", "lines": {"limit": 3.0}, "ticks": [2.0, 10.0]} | AXES
ROWS = {"label": "part", "name": "x", "axis": "ratio"} | NAMES
BESIDE = {"others": {"y": "stated"}, "legend": "computed", "note": "words"} | ROWS
MARKERS = {"official v4.1": "o", "Paper": "^"}
CELLS = {"label": "part", "column": "on", "name": "x", "note": "words"} | NAMES


def ranges(frame=FRAME, **more):
    return charts.ranges(frame, **{"series": "basis"} | ROWS | more)


CHARTS = {
    "ranges": lambda f: ranges(f, hollow="derived", note="words", reference=1, log=True),
    "beside": lambda f: charts.beside(f, **BESIDE),
    "stacked": lambda f: charts.stacked(f, label="part", axis="rows", **PARTS, **NAMES),
    "over_time": lambda f: charts.over_time(f, date="day", when="basis", **ROWS),
    "by_size": lambda f: charts.by_size(
        f, label="part", name="x", size="count", series="basis", markers=MARKERS, **AXES
    ),
    "curves": lambda f: charts.curves(f.sort_values("part"), f, f.tail(1), label="part", x="y_low", y="x", **CURVES),
    "stairs": lambda f: charts.stairs(
        f.sort_values(["part", "count"]), f.head(1).assign(y_median=1.2), label="part", x="count", y="y", **AXES
    ),
    "scatter": lambda f: charts.scatter(f, x="x", y="y", label="part", front="derived", **AXES),
    "roofs": lambda f: charts.roofs(
        ROOFS, f.assign(above=f["derived"], label=f["part"]), panel="part", line="precision", **AXES
    ),
    "strips": lambda f: charts.strips(
        f, strip="part", value="x_low", group="basis", inks=INKS, tooltip="words", axis="ratio", **NAMES
    ),
    "heatmap": lambda f: charts.heatmap(f, **CELLS),
    "bars_at": lambda f: charts.bars_at(
        f, label="part", at="y_low", name="x", unit="per user", missing="no run", axis="ratio", **NAMES
    ),
    "distributions": lambda f: charts.distributions(f[["x_low", "y_low"]], **NAMES),
}
KINDS = ("ranges", "curves", "strips", "heatmap")  # one of each module that draws
FRAME_OF_STEPS = FRAME.assign(y=[8, 8, 16])
TOLD = {  # the alt text, and the first row of the table
    "ranges": ("Ranges, ratio: B200 SXM (official v4.1) 2 to 2.5; L40S (official v4.1) 0.25; B200 SXM (Paper) 3 to 4.",
               {"Part": "B200 SXM", "Basis": "official v4.1", "Ratio": "2 to 2.5", "What": "one"}),
    "beside": ("Ranges, ratio: B200 SXM: computed 2 to 2.5, stated 1 to 1.5; L40S: computed 0.25, stated 5 to 6;",
               {"Part": "B200 SXM", "Computed (ratio)": "2 to 2.5", "Stated (ratio)": "1 to 1.5", "What": "one"}),
    "stacked": ("Stacked bars, rows: B200 SXM: 2 logs, 1 none; L40S: 0 logs, 5 none; B200 SXM: 3 logs, 9",
                {"Part": "B200 SXM", "Logs": "2", "None": "1"}),
    "over_time": ("Lines over time, ratio: B200 SXM (official v4.1) 2 to 2.5; L40S (official v4.1) 0.25; B200 SXM (P",
                  {"Part": "B200 SXM", "Basis": "official v4.1", "Ratio": "2 to 2.5"}),
    "by_size": ("Lines over loss, rate: B200 SXM 8 (official v4.1) 2 to 2.5; L40S 8 (official v4.1) 0.25; B200 SXM 16",
                {"Part": "B200 SXM", "Loss": "8", "Basis": "official v4.1", "Rate": "2 to 2.5"}),
    "curves": ("Curves, rate over loss: B200 SXM (official v4.1) 1: 2 to 2.5; B200 SXM (Paper) 9: 3 to 4; L40S",
               {"Part": "B200 SXM", "Basis": "official v4.1", "Loss": "1", "Rate": "2 to 2.5"}),
    "stairs": ("Staircases, rate over loss. B200 SXM 1 to 1.5 at 8 loss.",
               {"Part": "B200 SXM", "Loss from": "8", "Rate": "8"}),
    "scatter": ("Points, loss and rate: B200 SXM 2 to 2.5 and 1 to 1.5; L40S 0.25 and 5 to 6; B200 SXM 3 to 4 and 9.",
                {"Part": "B200 SXM", "Loss": "2 to 2.5", "Rate": "1 to 1.5", "Derived": "yes"}),
    "roofs": ("Limits: B200 SXM fp8: 2 at 1, flat at 64 from 32; L40S fp8: 2 at 1, flat at 64 from 32. "
              "Points: B200 SXM 1 to 1.5 (above); L40S 5 to 6 (below); B200 SXM 9 (below).",
              {"What": "B200 SXM fp8 limit", "Loss": "1 to 32", "Rate": "2 to 64", "Compared with the limit": ""}),
    "strips": ("3 dots, ratio: B200 SXM: Paper, 1 at 3; B200 SXM: official v4.1, 1 at 2; L40S: official v4.1, 1 at 0",
               {"Part": "B200 SXM", "Basis": "Paper", "Dots": "1", "Ratio": "3"}),
    "heatmap": ("Heat map of 3 cells: B200 SXM, llm 2–2.5; B200 SXM, images 3–4; L40S, llm 0.25.",
                {"Row": "B200 SXM", "llm": "2–2.5", "images": "3–4"}),
    "bars_at": ("Bars, ratio: B200 SXM: 2 to 2.5 at 1 per user, no run at 5 per user, 3 to 4 at 9 per user; L40S: no",
                {"Part": "B200 SXM", "1 per user": "2 to 2.5", "5 per user": "no run", "9 per user": "3 to 4"}),
    "distributions": ("Histograms of 3 draws. x_low: P10 0.6, P50 2, P90 2.8; y_low: P10 1.8, P50 5, P90 8.2.",
                      {"Quantity": "x_low", "P10": "0.6", "P50": "2", "P90": "2.8"}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def theme(monkeypatch):
    monkeypatch.setenv("ANALYSIS_CACHE", "off")
    charts.apply()
    yield
    plt.close("all")


@pytest.fixture
def displayed(monkeypatch):
    """What was displayed, with its options."""
    shown = []
    monkeypatch.setattr(style, "display", lambda what, **options: shown.append((what, options)))
    return shown


def draw(name, **changes):
    return CHARTS[name](FRAME_OF_STEPS.assign(**changes))


@cache
def drawn(name):
    return style.svg(draw(name).figure)


def first(drawing):
    return drawing.figure.axes[0]


def texts(drawing):
    return [text.get_text() for text in first(drawing).texts]


def points(drawing):
    """The markers, which say something when they are pointed at."""
    lines = first(drawing).lines
    return [line for line in lines if line.get_marker() not in ("None", "", None) and line.get_gid()]


def hovers(drawing):
    return [point.get_gid().removeprefix(style.HOVER) for point in points(drawing)]


def legend(drawing):
    return [text.get_text() for box in drawing.figure.legends for text in box.get_texts()]


# What holds for every chart.


@pytest.mark.parametrize("name", KINDS)
def test_the_same_data_are_the_same_bytes_and_others_others(name):
    assert drawn(name).startswith("<?xml")
    assert drawn(name) == style.svg(draw(name).figure) != style.svg(draw(name, x_low=[1.9, 0.2, 2.9], y=9).figure)


@pytest.mark.parametrize("name", KINDS)
def test_it_is_drawn_for_a_page_with_a_header_and_for_a_phone_without(name):
    drawing = draw(name)
    assert [text.get_text() for text in drawing.figure.texts] == ["B200 leads", "LLM Offline."]
    assert drawing.narrow.texts == []
    assert drawing.narrow.get_figwidth() == style.NARROW < drawing.figure.get_figwidth() == style.WIDTH
    assert not style.is_narrow()  # what comes next is drawn wide again


@pytest.mark.parametrize("name", CHARTS)
def test_of_no_rows_a_sentence_is_left(name):
    drawing = CHARTS[name](FRAME_OF_STEPS.head(0))
    assert drawing.figure is None
    assert drawing.alt == "B200 leads. No comparable row for these parameters: nothing to draw."


@pytest.mark.parametrize("name", TOLD)
def test_alt_text_and_table_tell_the_numbers(name):
    alt, row = TOLD[name]
    drawing = draw(name)
    assert drawing.alt.startswith(f"B200 leads. {alt}")
    assert drawing.numbers.cells.iloc[0].to_dict() == row
    words = {"Part", "Basis", "What", "Derived", "Quantity", "Row", "Compared with the limit"}
    heads = re.findall('<th scope="col" class="number">(.*?)</th>', drawing.numbers.markup)
    assert heads == [head for head in row if head not in words]


@pytest.mark.parametrize(
    "name", [name for name in CHARTS if name not in ("roofs", "strips", "stairs", "distributions")]
)
def test_notes_of_rows_and_those_beside_them_are_those_of_the_drawing(name):
    notes = [frozenset({PREVIEW}), NONE, frozenset({PREVIEW, EDGE})]
    own = draw(name, accelerator=["A", "B", "C"], notes=notes).notes
    assert name == "stacked" or own == {note("preview", about=["A", "C"]), note("edge_suite", about=["C"])}
    more = frozenset({note("prices_undated")})
    assert ranges(notes=more).notes == more


def test_a_mark_says_its_row_when_it_is_pointed_at():
    """Each bar and its marker; what is markup in data is text in the drawing."""
    who = {"accelerator": ["B200 SXM", "L40S", "B200 SXM"], "system": ["Big <box>", "", "Big <box>"]}
    svg = style.svg(draw("ranges", **who, submitter="Ann", software="vLLM").figure)
    told = re.findall("<title>(.*?)</title>", svg)
    assert told.count("B200 SXM · Big &lt;box&gt; · Ann · official v4.1 · vLLM · 2 to 2.5 · one") == 2
    assert told.count("L40S · Ann · official v4.1 · vLLM · 0.25") == 1
    assert hovers(draw("scatter"))[0] == "B200 SXM · official v4.1 · loss 2 to 2.5 · rate 1 to 1.5"


def test_preview_and_derived_are_hollow():
    faces = [point.get_markerfacecolor() for point in points(ranges(hollow="derived"))]
    assert faces == ["white", style.color("L40S"), style.color("B200 SXM")]
    for name in ("ranges", "over_time", "by_size", "curves"):
        preview = draw(name, derived=False, notes=[NONE, frozenset({PREVIEW}), NONE])
        assert [point.get_markerfacecolor() == "white" for point in points(preview)].count(True) == 1, name


# What is shown of a drawing.


def test_figure_is_shown_as_svg_with_alt_text_and_source_line(displayed):
    style.figure(draw("ranges"), "Sources: a page.")
    (output, options), (table, marked) = displayed
    told = options["metadata"]["image/svg+xml"]
    assert output["image/svg+xml"].startswith("<?xml") and options["raw"]
    assert (told["caption"], told["alt"]) == ("Sources: a page.", output["text/plain"])
    assert (told["title"], told["subtitle"]) == ("B200 leads", "LLM Offline.") and 0.05 < told["header"] < 0.5
    assert re.findall('<td class="number">(.*?)</td>', table["text/html"]) == ["2 to 2.5", "0.25", "3 to 4"]
    assert table["text/html"].startswith('<details class="table"><summary>The same numbers as a table (3 rows)')
    assert marked["metadata"][mime.NUMBERS]
    assert marked["metadata"][mime.CSV].splitlines()[1].startswith("B200 SXM,official v4.1,2,2.5,one")
    assert plt.get_fignums() == []


@pytest.mark.parametrize("layout", ["none", "constrained"])
def test_a_plain_figure_is_shown_by_its_axes_with_the_alt_text_given(displayed, layout):
    figure = Figure(layout=layout)
    axes = figure.subplots()
    axes.bar(["A", "B"], [1, 2])
    style.figure(axes, "Sources: a page.", alt="A has 1, B has 2.")
    ((output, options),) = displayed
    assert "<svg" in output["image/svg+xml"] and output["text/plain"] == "A has 1, B has 2."
    assert options["metadata"]["image/svg+xml"] == {"alt": "A has 1, B has 2.", "caption": "Sources: a page."}
    with pytest.raises(ValueError, match=r"needs alt text.*figure\(axes, source, alt="):
        style.figure(axes, "Sources: a page.")


def test_drawing_of_nothing_is_shown_as_a_sentence_and_its_markup_not_run(displayed):
    style.figure(style.nothing(EVIL), "")
    ((output, _),) = displayed
    assert output.data.startswith('<p class="nothing">&lt;script&gt;') and "<img" not in output.data


@pytest.mark.parametrize(
    ("alt", "source", "why"), [("A picture.", "Sources: a page.", "alt text"), ("2 apples", " ", "source line")]
)
def test_figure_without_numbers_in_words_or_without_source_is_refused(alt, source, why):
    with pytest.raises(ValueError, match=f"needs .*{why}"):
        style.figure(Drawing(Figure(), alt), source)


# Rows.


def test_numbers_and_marks_of_notes_stand_behind_bars_and_words_in_the_table():
    """What holds for a document as a whole has no sign behind a number."""
    notes = [frozenset({PREVIEW, UNSTATED}), frozenset({UNSTATED}), NONE]
    drawing = draw("ranges", notes=notes)
    assert texts(drawing) == ["2 to 2.5 · one \u25cb", "0.25", "3 to 4 · three"]
    assert drawing.numbers.cells["Caveat"].tolist() == [worded(own) for own in notes]
    assert "Caveat" not in draw("ranges", notes=[NONE] * 3).numbers.cells
    assert draw("beside", notes=notes).numbers.cells["Caveat"].tolist()[1] == worded(notes[1])


def test_a_band_and_a_reference_are_no_numbers_and_the_axes_reach_them():
    drawing = ranges(FRAME.head(1), reference=1, band=(0.6, 0.8), band_label="assumed")
    assert drawing.alt == ranges(FRAME.head(1)).alt and legend(drawing) == ["official v4.1", "assumed"]
    assert [line.get_xdata()[0] for line in first(drawing).lines if line.get_linestyle() == "--"] == [1]
    assert first(drawing).get_xlim()[0] < 0.6


def shapes(**columns):
    return [point.get_marker() for point in points(ranges(FRAME.assign(**columns)))]


def test_markers_tell_origins_and_rounds_apart_whatever_a_basis_is_called():
    three = ["one", "official looking", "three"]
    assert shapes(basis=three, origin=["official", "published", "measured"]) == ["s", "o", "^"]
    assert shapes(basis=three, origin=["measured", "official", "published"]) == ["^", "s", "o"]
    rounds = ["v5.1", "v4.1", "v5.1"]
    assert shapes(basis=rounds, origin="official", round=rounds) == ["D", "s", "D"]
    assert shapes(basis=rounds, origin="official", rounds=[(name,) for name in rounds]) == ["D", "s", "D"]
    old = shapes(basis=["v2.0", "v2.1", "v2.0"], origin="official", round=["v2.0", "v2.1", "v2.0"])
    assert old[0] == old[2] != old[1]
    assert all(len(set(shapes(basis=three, origin=origin))) == 3 for origin in style.MARKERS)


def test_rows_of_a_label_are_put_together_in_order_of_appearance():
    assert charts.grouped(FRAME, "part")["basis"].tolist() == ["official v4.1", "Paper", "official v4.1"]


def test_a_range_that_is_missing_is_drawn_as_nothing():
    drawing = draw("beside", y_low=[1.0, float("nan"), 9.0], y_high=[1.5, float("nan"), 9.0])
    assert "L40S: computed 0.25, stated not known" in drawing.alt and len(points(drawing)) == 5


def test_stacked_parts_lie_one_behind_the_other_with_their_sum_at_the_end():
    """2 + 1, 0.25 + 5 and 3 + 0; a part of nothing has no bar, a white one an outline."""
    drawing = draw("stacked", y_low=[1.0, 5.0, 0.0])
    bars = [bar for bar in first(drawing).patches if bar.get_width() > 0]
    assert [(bar.get_x(), bar.get_width()) for bar in bars] == [(0, 2), (0, 0.25), (0, 3), (2, 1), (0.25, 5)]
    to_hex = matplotlib.colors.to_hex
    assert [to_hex(bar.get_facecolor()) for bar in bars] == [colors.POINT] * 3 + [colors.LIGHT] * 2
    assert [to_hex(bar.get_edgecolor()) for bar in bars] == [colors.POINT] * 3 + [colors.QUIET] * 2
    assert texts(drawing) == ["3.0", "5.25", "3.0"] and legend(drawing) == ["logs", "none"]


# Lines.


@pytest.mark.parametrize("name", ["over_time", "by_size", "curves"])
def test_names_of_lines_that_end_together_hide_no_point_and_no_other_name(name):
    more = [FRAME.tail(2).assign(part=f"Part {place}", x_high=lambda f: f["x_high"] * 1.01) for place in range(4)]
    drawing = CHARTS[name](pd.concat([FRAME, *more], ignore_index=True))
    for figure in (drawing.figure, drawing.narrow):
        (axes,) = figure.axes
        figure.draw_without_rendering()
        names = [text for text in axes.texts if re.match("B200|Part", text.get_text())]
        boxes = [text.get_window_extent() for text in names]
        assert len(names) == 5 and not any(one.overlaps(other) for one, other in combinations(boxes, 2))
        marks = [axes.transData.transform(line.get_xydata()[0]) for line in axes.lines if line.get_gid()]
        assert not any(box.contains(*mark) for box in boxes for mark in marks)


def test_a_mark_of_a_note_stands_at_its_point_of_a_line():
    small = note("different_sizes", sizes="4x", other_sizes="8x")
    drawing = draw("over_time", notes=[frozenset({small}), NONE, NONE])
    (mark,) = [text for text in first(drawing).texts if text.get_text() == "*"]
    assert mark.xy[0] == points(drawing)[0].get_xdata()[0]


def curves(estimates=None, **changes):
    rows = pd.DataFrame(
        {
            "part": ["B200 SXM"] * 3 + ["L40S"] * 2,
            "basis": ["Offline", "Server", "Interactive", "Offline", "Server"],
            "speed": [float("nan"), 10.0, 40.0, float("nan"), 5.0],
            "x_low": [100.0, 80.0, 20.0, 10.0, 8.0],
            "derived": [False, False, False, False, True],
        }
    )
    rows = rows.assign(**changes).assign(x_high=lambda f: f["x_low"])
    fast = rows.dropna(subset="speed")
    front = fast[fast["part"].eq("B200 SXM")]
    own = CURVES | {"ticks": [10.0, 60.0, 100.0], "estimates": estimates}
    return charts.curves(rows, fast, front, label="part", x="speed", y="x", **own)


def test_what_promises_no_speed_stands_at_the_left_edge_and_a_bound_points_on():
    marks = points(curves())
    places = [(float(mark.get_xdata()[0]), float(mark.get_ydata()[0])) for mark in marks]
    assert places == [(0, 100), (10, 80), (40, 20), (0, 10), (5, 8)]
    assert [mark.get_marker() for mark in marks] == ["o", "o", "o", "o", ">"]
    assert hovers(curves())[0] == "B200 SXM · Offline · Loss no latency limit · Rate 100"
    explained = ["Pareto frontier", "not measured (between runs)", "other systems", "lower bound of interactivity"]
    assert legend(curves()) == explained and legend(curves(derived=False)) == explained[:3]


def test_what_was_not_measured_between_runs_is_dotted():
    lines = [line for line in first(curves()).lines if len(line.get_xdata()) > 1 and line.get_marker() == "None"]
    joined = [line for line in lines if line.get_color() in (style.color("B200 SXM"), style.color("L40S"))]
    assert len(joined) == 2 and all(line.is_dashed() for line in joined)


@pytest.mark.parametrize(("rates", "edge"), [([100.0, 80.0, 20.0, 10.0, 8.0], 1), ([10.0, 20.0, 90.0, 10.0, 8.0], 0)])
def test_the_words_beyond_the_fastest_run_stand_clear_of_its_label(rates, edge):
    (words,) = [text for text in first(curves(x_low=rates)).texts if "faster" in text.get_text()]
    assert words.xy == (1, edge)


def test_an_estimate_is_a_dashed_line_in_a_band_as_far_up_as_measured_points():
    """At 80 and 160 of B200, of which 100 is the most measured; A100, estimated alone, has its name at its line."""
    estimates = pd.DataFrame({"part": ["B200 SXM"] * 2 + ["A100 SXM 80GB"] * 2, "speed": [40.0, 60.0] * 2})
    estimates = estimates.assign(x_low=[80.0, 160.0, 40.0, 10.0], x_high=[80.0, 160.0, 90.0, 10.0])
    drawing = curves(estimates)
    lines = [line.get_xydata().tolist() for line in first(drawing).lines if line.get_linestyle() == "--"]
    assert [[40.0, 80.0]] in lines and [[40.0, 60.0], [60.0, 10.0]] in lines
    assert "A100 SXM 80GB" in [text.get_text() for text in first(drawing).texts]
    assert len(first(drawing).collections) == 2
    assert legend(drawing)[-1] == "estimate (dashed), no MLPerf result"


def test_the_pareto_front_goes_down_in_steps_and_ends_where_the_record_ends():
    """80 up to 10, 20 from there to 40; behind it the ground is gray, and the axis reaches a tick that is not far."""
    ax = first(curves())
    assert [[0, 80], [10, 80], [10, 20], [40, 20]] in [line.get_xydata().tolist() for line in ax.lines]
    (ground,) = ax.patches
    assert ground.get_x() == 40 and ax.get_xlim()[1] == pytest.approx(60 * 1.06)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["no latency\nlimit", "10", "60"]


def stairs(**more):
    steps = pd.DataFrame({"part": "B200", "users": [100, 4000], "sooner": [100, 3000], "nodes": [8, 16]})
    today = pd.DataFrame({"part": ["B200"], "users": 1000, "nodes_low": 8.0, "nodes_median": 8.0, "nodes_high": 16.0})
    return charts.stairs(steps, today, label="part", x="users", y="nodes", **AXES | more)


def test_a_step_is_flat_until_the_next_one_begins_and_the_choice_is_marked_on_it():
    drawing = stairs()
    line, span, mark, _ = first(drawing).lines
    assert line.get_drawstyle() == "steps-post" and line.get_xydata().tolist()[:2] == [[100, 8], [4000, 16]]
    assert line.get_xdata()[-1] > 4000 and line.get_ydata()[-1] == 16
    assert span.get_xydata().tolist() == [[1000, 8], [1000, 16]] and mark.get_xydata().tolist() == [[1000, 8]]
    assert hovers(drawing) == ["B200 · 1,000 loss · 8 to 16 rate"]
    assert legend(drawing) == [] and legend(stairs(others={"sooner": "P10"})) == ["B200", "P10"]


# Points.


# Grids.


def test_a_cell_of_a_heat_map_has_its_range_or_its_median_with_its_marks():
    """Columns in the order of their categories; in a narrow drawing one mark stands beside a number."""
    crossed = note("different_rounds", rounds="v5.1", other_rounds="v6.0")
    notes = [frozenset({PREVIEW, crossed}), frozenset({PREVIEW}), NONE]
    drawing = draw("heatmap", x_median=[2.0, 0.5, 3.0], notes=notes)
    shown = [[text.get_text() for text in own.axes[0].texts] for own in (drawing.figure, drawing.narrow)]
    assert shown == [["2○‡", "3", "0.5○"], ["2\n○‡", "3", "0.5○"]]
    assert list(drawing.numbers.cells) == ["Row", "llm", "images"]
    assert {text.get_color() for text in first(drawing).texts} == {colors.CELL_INK}


def test_bars_are_dark_up_to_what_is_proven_and_light_beyond_on_one_scale():
    """Their numbers stand above them with marks, words in place of what is missing."""
    drawing = draw("bars_at", notes=[frozenset({PREVIEW}), NONE, NONE])
    panels = drawing.figure.axes
    bars = [[(bar.get_x(), bar.get_width(), bar.get_alpha()) for bar in ax.patches] for ax in panels]
    assert [[bar[:2] for bar in own] for own in bars] == [[(2, 0.5), (0, 2)], [(0.25, 0), (0, 0.25)], [(3, 1), (0, 3)]]
    assert bars[0][0][2] < bars[0][1][2] and len({ax.get_xlim() for ax in panels}) == 1
    assert [[text.get_text() for text in ax.texts] for ax in panels] == [
        ["2 \u25cb", "no run"], ["no run", "0.25"], ["3", "no run"]
    ]  # fmt: skip
    assert draw("bars_at", x_low=float("nan"), x_high=float("nan")).figure is None


# Colors.


@pytest.mark.parametrize("ground", [colors.LIGHT, colors.DARK])
def test_colors_are_told_from_their_ground(ground):
    shades = [colors.readable(color, ground) for color in style.COLORS.values()]
    assert min(colors.contrast(shade, ground) for shade in shades) >= colors.LEAST
    assert ground == colors.DARK or shades == list(style.COLORS.values())


def test_words_can_be_read_on_dark_ground_and_in_every_cell_of_a_heat_map():
    said = [colors.ON_DARK[color] for color in (colors.INK, colors.QUIET)]
    assert min(colors.contrast(color, colors.DARK) for color in said) > 7
    palette = first(draw("heatmap")).collections[0].get_cmap()
    shades = [matplotlib.colors.to_hex(palette(step / 255)) for step in range(256)]
    assert min(colors.contrast(shade, colors.CELL_INK) for shade in shades) > 4.5
    assert round(colors.contrast("#000000", "#ffffff"), 9) == 21


def test_verdicts_are_told_from_both_grounds_and_from_each_other():
    """Each color has contrast 3 with white; what stands in for it on dark ground has it there."""
    assert min(colors.contrast(ink, colors.LIGHT) for ink in colors.JUDGED.values()) >= colors.LEAST
    rules = colors.dark_style("".join(f'<path style="fill: {ink}; stroke: {ink}"/>' for ink in colors.JUDGED.values()))
    dark = [re.search(f'fill: {ink}"\\]{{fill:(#\\w+)!', rules) for ink in colors.JUDGED.values()]
    shades = [found[1] if found else ink for found, ink in zip(dark, colors.JUDGED.values(), strict=True)]
    assert min(colors.contrast(shade, colors.DARK) for shade in shades) >= colors.LEAST
    assert len(set(shades)) == len(set(colors.JUDGED.values())) == 4
