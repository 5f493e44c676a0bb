"""What notebooks show: bundles with a machine-readable part, escaped tables, and numbers in words."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from io import StringIO

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import seaborn as sns

from analysis import charts, paths, report
from tests.frames import results


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture
def shown(monkeypatch):
    bundles = []
    monkeypatch.setattr(report, "display", lambda data, raw: bundles.append(data))
    return bundles


def test_a_headline_is_recorded_with_its_value_and_systems(shown):
    report.headline("B200: 10 tokens/s", value=10.0, unit="tokens/s", rows=results({}, {"submitter": "B"}))
    part = shown[0][report.MIME]
    assert (part["kind"], part["name"], part["value"], part["unit"]) == ("headline", "answer", 10.0, "tokens/s")
    assert part["systems"] == ["A: node (8x, v6.1)", "B: node (8x, v6.1)"]
    assert part["sources"] == ["mlcommons-v6.1"]
    assert shown[0]["text/html"] == '<h2 class="headline mathjax_ignore">B200: 10 tokens/s</h2>'


def test_a_headline_that_does_not_fit_is_refused(shown):
    with pytest.raises(ValueError, match="19 words, at most 18"):
        report.headline("word " * 19)
    report.headline("RTX PRO 6000 on Llama 2 70B: " + "word " * 15)


def test_a_headline_is_recorded_with_its_range(shown):
    report.headline(f"GB300: 4.1x{report.span(3.7, 4.5)}", value=4.1, low=3.7, high=4.5)
    part = shown[0][report.MIME]
    assert (part["text"], part["low"], part["high"]) == ("GB300: 4.1x (3.7x to 4.5x)", 3.7, 4.5)
    assert report.span(2.0, 2.0) == report.span(2.01, 2.04) == report.span(1.0, 1.002, "{:.0%}".format) == ""
    assert report.span(0.3, 0.36, "{:.0%}".format) == " (30% to 36%)"
    assert report.ends(pd.Series([2.94, 2.1])) == "2.1 to 2.9" and report.ends([0.341, 0.339], report.percent) == "34%"


def test_what_has_no_rows_is_one_line_and_no_fault(shown):
    none, known = results({})[:0], results({})
    report.table(none, title="Previews")
    report.figure(charts.bars(none, "accelerator", "rate_per_accelerator"), title="Previews", rows=none)
    report.figure(charts.bars(none, "accelerator", "rate_per_accelerator"), title="Drawn of: ", rows=known)
    report.finding("nan % faster", name="gain", value=float("nan"), rows=none)
    parts = [bundle[report.MIME] for bundle in shown]
    assert [each["kind"] for each in parts] == ["table", "figure", "figure", "finding"]
    assert all(each["empty"] and "nan" not in each["text"] for each in parts)
    assert parts[2]["text"] == "Drawn of: nothing to show: no results match these parameters."
    assert not plt.get_fignums()


def test_a_panel_without_rows_leaves_the_others(shown):
    _, axes = charts.panels(2)
    charts.dots(results({}), "accelerator", "rate_per_accelerator", ax=axes[0])
    assert charts.dots(results({})[:0], "accelerator", "rate_per_accelerator", ax=axes[1]) is axes[1]
    report.figure(axes[0], title="Two panels", rows=results({}))
    assert "image/svg+xml" in shown[0]


@pytest.mark.parametrize("kind", ["bars", "panels", "heatmap", "waterfall", "lines"])
def test_a_main_figure_has_a_version_as_wide_as_a_phone(shown, kind):
    names = ["A long name of a system", "H100", "B200"]
    frame = pd.DataFrame({"name": names, "x": [3.0, 2.0, 0.5], "y": [1, 2, 3], "note": "a note of some length"})
    grid = pd.DataFrame([[1.0] * 12], ["a"], [f"name {n}" for n in range(12)])
    drawn = {
        "bars": lambda: charts.bars(frame, "name", "x", label=("{:.1f}x", "note")),
        "panels": lambda: max([charts.bars(frame, "name", "x", ax=ax) for ax in charts.panels(3)[1]], key=id),
        "heatmap": lambda: charts.heatmap(grid, grid.map("{:.0%}\nFP8".format)),
        "waterfall": lambda: charts.waterfall(frame, "name", "x"),
        "lines": lambda: charts.lines(frame, "y", "x", "name"),
    }[kind]()
    report.figure(drawn, title="A title", source="Source: own.", main=True)
    wide, narrow = (
        float(re.search(r'viewBox="0 0 ([\d.]+)', shown[0][kind])[1]) for kind in ("image/svg+xml", report.NARROW)
    )
    assert narrow < 72 * 5 < wide
    assert not plt.get_fignums()


def test_the_first_chart_of_a_notebook_is_its_main_figure_and_stays_so(shown, monkeypatch):
    monkeypatch.setattr(report, "FIRST", [])
    frame = pd.DataFrame({"name": ["H100"], "x": [1.0]})
    plot = plt.subplots()[1]
    plot.plot([1, 2])
    report.figure(plot, title="My own plot", source="Source: own.")
    for title in ("First", "Second", "First"):  # the last as a cell that runs again
        report.figure(charts.bars(frame, "name", "x"), title=title, source="Source: own.")
    assert [report.NARROW in bundle for bundle in shown] == [False, True, False, True]


def test_a_table_shows_ten_rows_and_folds_the_others(shown):
    for count in (10, 12):
        report.table(pd.DataFrame({"rank": range(count)}))
    whole, folded = (bundle["text/html"] for bundle in shown)
    assert whole.count("<tr>") == 11 and "rest" not in whole.partition("</style>")[2]
    before, after = folded.split('<tbody class="rest">')
    assert before.count("<tr>") == 11 and after.count("<tr>") == 2 and "2 more rows" in before
    assert len(shown[1]["text/csv"].splitlines()) == 13


def test_a_column_without_a_value_is_in_the_csv_alone(shown):
    frame = pd.DataFrame(
        {"rate": [1.5, None], "tokens": [float("nan")] * 2, "why": "", "caveats": [[], []], "more": False}
    )
    report.table(frame, columns=[*frame])
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', shown[0]["text/html"])
    assert heads == ["Rate", "More"]
    assert shown[0]["text/csv"].splitlines()[0] == "rate,tokens,why,caveats,more"


def test_what_is_meant_for_a_notebook_is_what_completion_lists():
    assert {"headline", "table", "span"} <= set(dir(report)) and "plt" not in dir(report)
    assert all(callable(getattr(module, name)) for module in (report, charts) for name in dir(module))


def test_importing_and_drawing_leave_the_settings_of_matplotlib_as_they_were():
    code = """
import matplotlib, pandas
before = dict(matplotlib.rcParams)
from analysis import charts, paths, report
frame = pandas.DataFrame({"a": ["H100"], "b": [1.0]})
report.figure(charts.bars(frame, "a", "b"), title="Title", source="own")
charts.panels(2)
assert dict(matplotlib.rcParams) == before, {k for k in before if before[k] != matplotlib.rcParams[k]}
"""
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "MPLBACKEND": "agg"})


def test_an_unknown_value_is_null_not_nan(shown):
    report.finding("Unknown.", name="unknown", value=float("nan"))
    assert shown[0][report.MIME]["value"] is None


def test_more_systems_than_four_are_counted(shown):
    report.finding("Many.", name="many", rows=results(*[{"submitter": name} for name in "ABCDEF"]))
    assert shown[0][report.MIME]["systems"][-1] == "and 2 more"


def test_a_table_shows_itself_escaped_with_full_precision_as_csv(shown):
    frame = pd.DataFrame(
        {"name": ["<script>"], "rate": [15227.25], "share": [0.5], "count": [12345], "caveats": [["preview"]]}
    )
    columns = {"name": "Name", "rate": "Rate", "share": "Share", "count": "Count", "caveats": "Caveats"}
    report.table(frame, title="A & B", columns=columns, formats={"share": "{:.0%}"})
    html = shown[0]["text/html"]
    assert "<td>&lt;script&gt;</td>" in html
    assert '<td class="number">15,200</td>' in html
    assert '<td class="number">50%</td>' in html
    assert '<td class="number">12,345</td>' in html
    assert "<caption>A &amp; B</caption>" in html
    assert "<td>preview</td>" in html
    assert shown[0]["text/csv"].splitlines()[1] == "<script>,15227.25,0.5,12345,preview"


def test_a_column_is_labeled_by_its_name_with_units_as_they_are_printed(shown):
    names = ["usd_per_million", "provisioned_kw", "vLLM node", "usd_left", "kw", "model", "MLPerf", "p99_over_median"]
    report.table(pd.DataFrame([range(len(names))], columns=names))
    labels = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', shown[0]["text/html"])
    assert labels == ["$ per million tokens", "Provisioned kW", "vLLM node", "$ left", "kW", "Model", "MLPerf",
                      "P99 over median"]  # fmt: skip


def test_a_column_that_a_table_lacks_is_named_with_the_nearest(shown):
    with pytest.raises(ValueError, match="no column of the table 'rates': did you mean 'rate'"):
        report.table(pd.DataFrame({"rate": [1]}), columns={"rates": "Rate"})


def test_a_figure_carries_its_texts_and_is_closed(shown):
    ax = plt.subplots()[1]
    ax.plot([1, 2])
    report.figure(ax, title="Throughput", subtitle="Offline", rows=results({}), name="throughput")
    bundle = shown[0]
    assert bundle["image/svg+xml"].startswith("<svg")
    assert bundle[report.MIME]["alt"] == "Throughput. Offline"
    assert not plt.get_fignums()


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (15227, 2, "15,000"),
        (0.774, 2, "0.77"),
        (9.96, 2, "10"),
        (0.0434, 3, "0.0434"),
        (0, 2, "0"),
        (float("nan"), 2, "–"),
    ],
)
def test_numbers_have_so_many_significant_digits(value, digits, text):
    assert report.number(value, digits) == text


def test_percent_and_times():
    assert report.percent(0.774) == "77%"
    assert report.times(3.271) == "3.3x"
    assert [report.times(ratio) for ratio in (0.958, 1.041, 1.14)] == ["0.96x", "1.04x", "1.1x"]


def test_the_source_line_names_rounds_division_and_suite():
    line = report.source_line(results({}, {"round": "v5.1"}))
    assert line.startswith("Source: MLPerf Inference v5.1 to v6.1, closed division, data center (MLCommons).")
    divisions = [results({"division": name}) for name in ("closed", "open", "network")]
    assert ", closed and open divisions, " in report.source_line(pd.concat(divisions[:2]))
    assert ", closed, network and open divisions, " in report.source_line(pd.concat(divisions))


def test_published_claims_of_an_unknown_topic_are_refused():
    with pytest.raises(ValueError, match="topic of published figures"):
        report.published("weather")


def test_published_claims_show_contradictions_first_and_repeats_once(shown):
    from analysis import load_published

    report.published("price")
    figures = load_published().query("topic == 'price' and duplicate_of == ''")
    rows = shown[0]["text/csv"].splitlines()[1:]
    assert len(rows) == len(figures)
    assert ",physically impossible," in rows[0]


def test_published_claims_of_one_model_have_those_of_no_model_beside_them(shown):
    from analysis import load_published

    report.published("price", benchmark="Llama 2 70B")
    figures = load_published().query("topic == 'price' and duplicate_of == ''")
    kept = figures[figures["benchmark"].isin(["llama2-70b", ""])]
    claims = pd.read_csv(StringIO(shown[0]["text/csv"]))["claim"]
    assert sorted(claims) == sorted(kept["claim"]) and kept["benchmark"].nunique() == 2 and len(kept) < len(figures)


def test_a_table_has_a_name_of_its_own_or_from_its_title(shown):
    frame = pd.DataFrame({"a": [1]})
    for named in ({"name": "own", "title": "Two words"}, {"title": "Two words"}, {}):
        report.table(frame, **named)
    assert [data[report.MIME]["name"] for data in shown] == ["own", "two_words", "table"]


def test_a_finding_on_no_rows_names_no_system(shown):
    needed = ["submitter", "system", "accelerator_count", "round", "result_id"]
    report.finding("None.", name="none", rows=pd.DataFrame(columns=needed))
    assert shown[0][report.MIME]["systems"] == []
    report.finding("None.", name="none", rows=results({})[:0])
    assert shown[1][report.MIME]["systems"] == []


@pytest.mark.parametrize("most", [30, 1e3, 1e9])
def test_log_axes_of_any_chart_are_in_plain_numbers(shown, most):
    drawing, ax = plt.subplots()
    ax.plot([1, most], [1, 2])
    ax.set_xscale("log")
    report.figure(drawing, title="Own chart", source="Source: own.")
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert "10" in labels and not any("$" in label for label in labels)


def test_a_figure_without_a_source_is_refused(shown):
    ax = plt.subplots()[1]
    with pytest.raises(ValueError, match=r"figure .Throughput. has no source: give rows=, .* or source="):
        report.figure(ax, title="Throughput")


def test_a_seaborn_grid_on_log_scales_keeps_its_width(shown):
    rows = pd.DataFrame({"x": [1.0, 1e6], "y": [1.0, 1e4], "panel": ["a", "b"]})
    grid = sns.relplot(rows, x="x", y="y", col="panel", height=3)
    grid.set(xscale="log", yscale="log")
    report.figure(grid, title="Log scales", source="Source: own.")
    left, right = (ax.get_position() for ax in grid.axes[0])
    assert left.width + right.width > 0.7


def test_titles_of_a_seaborn_grid_do_not_touch(shown):
    rows = pd.DataFrame({"x": [1, 2] * 4, "a_long_name": list("aabbaabb"), "another_long_name": list("aaaabbbb")})
    grid = sns.relplot(rows, x="x", y="x", row="a_long_name", col="another_long_name", height=3)
    report.figure(grid, title="A grid", source="Source: own.")
    left, right = (ax.get_tightbbox() for ax in grid.axes[0])
    below = grid.axes[1, 0].get_tightbbox()
    assert left.x1 < right.x0 and below.y1 < grid.axes[0, 0].get_window_extent().y0
    assert shown[0]["image/svg+xml"].startswith("<svg")


def test_a_shipped_headline_has_two_lines_at_most():
    words = {}
    for path in paths.NOTEBOOKS.glob("[!_]*.ipynb"):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                said = output.get("data", {}).get(report.MIME, {})
                if said.get("kind") == "headline":
                    words[path.name] = len(said["text"].split())
    assert {name: count for name, count in words.items() if count > 18} == {}
