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

from analysis import charts, load_published, paths, report
from tests.frames import results

NAN = float("nan")
OWN = {"source": "Source: own."}
HEAD = r'<th scope="col"[^>]*>([^<]*)</th>'


@pytest.fixture
def shown(monkeypatch):
    bundles = []
    monkeypatch.setattr(report, "display", lambda data, raw: raw and bundles.append(data | data[report.MIME]))
    yield bundles
    plt.close("all")


def drawn():
    """Return the axes of a plot that is no chart of the package."""
    ax = plt.subplots()[1]
    ax.plot([1, 2])
    return ax


def test_a_headline_is_recorded_with_its_range_and_its_evidence(shown):
    rows = results({"result_id": "6.1-1"}, {"submitter": "B"}, {"submitter": "B"})
    rows = rows.assign(source_id=["b", "", "a"])
    report.headline("B200: <10 tokens/s", value=10, low=9, high=NAN, unit="tokens/s", rows=rows)
    recorded = {
        "kind": "headline", "name": "answer", "text": "B200: <10 tokens/s", "value": 10.0, "low": 9.0, "high": None,
        "unit": "tokens/s", "systems": ["A: node (8x, v6.1, 6.1-1)", "B: node (8x, v6.1)"], "sources": ["a", "b"],
    }  # fmt: skip
    assert shown[0][report.MIME] == recorded
    assert shown[0]["text/html"] == '<h2 class="headline mathjax_ignore">B200: &lt;10 tokens/s</h2>'


@pytest.mark.parametrize(("count", "last"), [(4, "D: node (8x, v6.1)"), (5, "and 1 more")])
def test_more_systems_than_four_are_counted(shown, count, last):
    report.finding("Many.", name="many", rows=results(*[{"submitter": name} for name in "ABCDE"[:count]]))
    assert (shown[0]["systems"][0], shown[0]["systems"][-1]) == ("A: node (8x, v6.1)", last)
    assert len(shown[0]["systems"]) == count
    assert shown[0]["text/html"] == '<p class="finding mathjax_ignore">Many.</p>'


def test_a_headline_that_does_not_fit_is_refused(shown):
    with pytest.raises(ValueError, match="19 words; the limit is 18"):
        report.headline("word " * 19)
    report.headline("RTX PRO 6000 on Llama 2 70B: " + "word " * 15)
    report.headline("H100 PCIe " * 18)  # which begins with another's name


def test_what_has_no_rows_is_one_line_and_no_fault(shown):
    none, known = results({})[:0], results({})
    report.table(none)
    report.figure(drawn(), title="Previews", rows=none)
    report.figure(
        charts.bars(none, "accelerator", "rate_per_accelerator"), title="Of <x>: ", rows=known, empty="no one"
    )
    report.finding("nan % faster", name="a_gain", value=NAN, rows=none)
    assert [each["kind"] for each in shown] == ["table", "figure", "figure", "finding"]
    assert all(each["empty"] and "nan" not in each["text"] for each in shown)
    assert shown[0]["text"] == "Table: nothing to show: no results match these parameters."
    assert shown[3]["text"] == "A gain: nothing to show: no results match these parameters."
    assert shown[2]["text/html"] == "<p>Of &lt;x&gt;: nothing to show: no one.</p>"
    assert not plt.get_fignums()
    for rows, value in ((none, None), (none, 1.0), (known, NAN), (None, NAN)):
        report.finding("Said.", name="said", value=value, rows=rows)
    assert [(each["text"], each["value"]) for each in shown[4:]] == [
        ("Said.", value) for value in (None, 1.0, None, None)
    ]


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
    chart = {
        "bars": lambda: charts.bars(frame, "name", "x", label=("{:.1f}x", "note")),
        "panels": lambda: max([charts.bars(frame, "name", "x", ax=ax) for ax in charts.panels(3)[1]], key=id),
        "heatmap": lambda: charts.heatmap(grid, grid.map("{:.0%}\nFP8".format)),
        "waterfall": lambda: charts.waterfall(frame, "name", "x"),
        "lines": lambda: charts.lines(frame, "y", "x", "name"),
    }[kind]()
    report.figure(chart, title="A title", main=True, **OWN)
    widths = [re.search(r'viewBox="0 0 ([\d.]+)', shown[0][each])[1] for each in (report.NARROW, "image/svg+xml")]
    assert float(widths[0]) < 72 * 5 < float(widths[1])
    assert not plt.get_fignums()


def test_one_figure_of_each_page_is_its_main_one():
    for path in paths.NOTEBOOKS.glob("*.ipynb"):
        outputs = [each for cell in json.loads(path.read_text("utf-8"))["cells"] for each in cell.get("outputs", [])]
        drawn = [data for each in outputs if "image/svg+xml" in (data := each.get("data", {}))]
        assert sum(report.NARROW in data for data in drawn) == bool(drawn), path.name


@pytest.mark.parametrize("kind", ["own axes", "colorbar", "colorbar in the grid"])
def test_a_main_figure_may_have_axes_outside_a_grid(shown, kind):
    if kind == "own axes":
        plt.figure().add_axes((0.1, 0.1, 0.8, 0.8)).plot([1, 2])
    else:
        figure, ax = plt.subplots(layout="constrained" if kind == "colorbar" else None)
        figure.colorbar(ax.imshow([[1, 2]]))
    report.figure(plt.gcf(), title="A title", main=True, **OWN)
    assert report.NARROW in shown[0]


def test_a_figure_carries_its_texts_and_is_closed(shown):
    report.figure(drawn(), title="Throughput, offline", subtitle="Of H100", rows=results({}))
    report.figure(drawn(), title="Title", alt="Numbers", name="own", **OWN)
    for options in ({"source": report.source_line(results({}))}, OWN | {"rows": results({})}, OWN):
        report.figure(drawn(), title="Throughput, offline", subtitle="Of H100", **options)
    by_rows, _, by_line, own, alone = [each["image/svg+xml"] for each in shown]
    assert by_rows == by_line != own == alone
    del shown[2:]
    assert shown[0]["image/svg+xml"].startswith("<svg") and not plt.get_fignums() and report.NARROW not in shown[0]
    assert [each["alt"] for each in shown] == ["Throughput, offline. Of H100", "Numbers"]
    assert [each["name"] for each in shown] == ["throughput_offline", "own"]
    assert (shown[0]["subtitle"], shown[0]["systems"]) == ("Of H100", ["A: node (8x, v6.1)"])
    with pytest.raises(ValueError, match=r"figure .Throughput. has no source: pass rows=, .* or source="):
        report.figure(drawn(), title="Throughput")


@pytest.mark.parametrize("most", [30, 1e3, 1e9])
def test_log_axes_of_any_chart_are_in_plain_numbers(shown, most):
    drawing, ax = plt.subplots()
    ax.plot([1, most], [1, most])
    ax.set(xscale="log", yscale="log")
    report.figure(drawing, title="Own chart", **OWN)
    for ticks in (ax.get_xticklabels(), ax.get_yticklabels()):
        labels = [label.get_text() for label in ticks]
        assert {"10", "1,000"} & {*labels} and not any("$" in label for label in labels)


def test_a_seaborn_grid_on_log_scales_keeps_its_width(shown):
    rows = pd.DataFrame({"x": [1.0, 1e6], "y": [1.0, 1e4], "panel": ["a", "b"]})
    grid = sns.relplot(rows, x="x", y="y", col="panel", height=3)
    grid.set(xscale="log", yscale="log")
    report.figure(grid, title="Log scales", **OWN)
    left, right = (ax.get_position() for ax in grid.axes[0])
    assert left.width + right.width > 0.7


def test_titles_of_a_seaborn_grid_do_not_touch(shown):
    rows = pd.DataFrame({"x": [1, 2] * 4, "a_long_name": list("aabbaabb"), "another_long_name": list("aaaabbbb")})
    grid = sns.relplot(rows, x="x", y="x", row="a_long_name", col="another_long_name", height=3)
    report.figure(grid, title="A grid", **OWN)
    left, right = (ax.get_tightbbox() for ax in grid.axes[0])
    below = grid.axes[1, 0].get_tightbbox()
    assert left.x1 < right.x0 and below.y1 < grid.axes[0, 0].get_window_extent().y0


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


def test_what_is_meant_for_a_notebook_is_what_completion_lists():
    for module, names in (
        (report, "ends figure finding headline number percent published source_line span table times"),
        (charts, "bars color compose dots heatmap lines look panels scatter svg waterfall"),
    ):
        assert dir(module) == names.split() and all(callable(getattr(module, name)) for name in dir(module))


@pytest.mark.parametrize(("count", "rows", "folded"), [(10, {}, 0), (12, {}, 2), (12, {"rows": 3}, 9)])
def test_a_table_shows_ten_rows_or_as_many_as_asked_and_folds_the_others(shown, count, rows, folded):
    report.table(pd.DataFrame({"rank": range(count)}), **rows)
    before, _, after = shown[0]["text/html"].partition('<tbody class="rest">')
    assert (before.count("<tr>") - 1, after.count("<tr>")) == (count - folded, folded)
    assert (f"{folded} more rows" in before) == bool(folded)
    assert len(shown[0]["text/csv"].splitlines()) == count + 1 and shown[0]["rows"] == count


def test_a_table_shows_itself_escaped_with_full_precision_as_csv(shown):
    frame = pd.DataFrame({
        "name": ["<b>", None], "rate": [15227.25, 3], "share": [0.5, 0.25], "count": [12345.0, NAN], "tokens": NAN,
        "why": "", "day": pd.to_datetime(["2026-04-01"] * 2), "more": [False, True],
        "caveats": [["preview", "own"], []],
    })  # fmt: skip
    report.table(frame, title="A & B", formats={"share": "{:.0%}"}, note="a < b")
    html = shown[0]["text/html"]
    assert re.findall(HEAD, html) == ["Name", "Rate", "Share", "Count", "Day", "More", "Caveats"]
    cells = re.findall(r'<td( class="number")?>(.*?)</td>', html)
    words = ["&lt;b&gt;", "15,200", "50%", "12,345", "2026-04-01", "no", "preview, own"]
    assert [text for _, text in cells] == [*words, "–", "3.00", "25%", "–", "2026-04-01", "yes", ""]
    assert [bool(number) for number, _ in cells[:7]] == [False, True, True, True, False, True, False]
    assert "<caption>A &amp; B</caption>" in html and html.endswith('<p class="note">a &lt; b</p>')
    csv = shown[0]["text/csv"].splitlines()
    assert csv[:2] == [
        "name,rate,share,count,tokens,why,day,more,caveats",
        "<b>,15227.25,0.5,12345.0,,,2026-04-01,False,preview own",
    ]


def test_a_column_is_labeled_by_its_name_with_units_as_they_are_printed(shown):
    names = ["usd_per_million", "provisioned_kw", "vLLM node", "usd_left", "kw", "model", "MLPerf", "p99_over_median"]
    frame = pd.DataFrame([range(len(names))], columns=names)
    report.table(frame)
    report.table(frame, columns=["kw", "model"])
    report.table(frame, columns={"model": "Name"})
    labels = [re.findall(HEAD, each["text/html"]) for each in shown]
    assert labels[0] == ["$ per million tokens", "Provisioned kW", "vLLM node", "$ left", "kW", "Model", "MLPerf",
                         "P99 over median"]  # fmt: skip
    assert labels[1:] == [["kW", "Model"], ["Name"]]
    with pytest.raises(ValueError, match="no column of the table 'models': did you mean 'model'"):
        report.table(frame, columns=["models"])


def test_columns_of_a_table_may_be_numbers_or_an_index(shown):
    frame = pd.DataFrame({2024: [1], 2025: [2]})
    report.table(frame)
    report.table(frame, columns=frame.columns[:1])
    assert [re.findall(HEAD, each["text/html"]) for each in shown] == [["2024", "2025"], ["2024"]]
    with pytest.raises(ValueError, match="no column of the table '2026': did you mean"):
        report.table(frame, columns=[2026])


def test_a_table_has_a_name_of_its_own_or_from_its_title(shown):
    for named in ({"name": "own", "title": "Two words"}, {"title": "Two words"}, {}):
        report.table(pd.DataFrame({"a": [1]}), **named)
    assert [(each["name"], each["text/plain"]) for each in shown] == [
        ("own", "Two words: 1 rows"), ("two_words", "Two words: 1 rows"), ("table", "Table: 1 rows"),
    ]  # fmt: skip


def test_numbers_in_words():
    values = [15227, 0.774, 9.96, 0, NAN, -3.27]
    assert [report.number(each) for each in values] == ["15,000", "0.77", "10", "0", "–", "-3.3"]
    assert (report.number(0.0434, 3), report.percent(0.774), report.percent(0.774, 3)) == ("0.0434", "77%", "77.4%")
    ratios = [3.271, 0.958, 0.999, 1.0, 1.041, 1.1]
    assert [report.times(each) for each in ratios] == ["3.3x", "0.96x", "1.0x", "1.00x", "1.04x", "1.1x"]


def test_ranges_in_words():
    assert (report.span(3.7, 4.5), report.span(2.01, 2.04)) == (" (3.7x to 4.5x)", "")
    assert report.span(0.3, 0.36, "{:.0%}".format) == " (30% to 36%)"
    assert (
        report.ends(pd.Series([2.94, 2.1, NAN])) == "2.1 to 2.9"
        and report.ends([0.341, 0.339], report.percent) == "34%"
    )


def test_the_source_line_names_rounds_division_and_suite():
    line = report.source_line(
        results({"suite": "edge"}, {"round": "v5.1", "suite": "datacenter,edge"}, {"suite": ""}, {})
    )
    start = "Source: MLPerf Inference v5.1 to v6.1, closed division, edge and data center (MLCommons). Per-"
    assert line.startswith(start) and "Inference v6.1, closed" in report.source_line(results({}))
    divisions = [results({"division": name}) for name in ("closed", "open", "network")]
    assert ", closed and open divisions, " in report.source_line(pd.concat(divisions[:2]))
    assert ", closed, network and open divisions, " in report.source_line(pd.concat(divisions))


def test_published_claims_show_contradictions_first_and_repeats_once(shown):
    """Those of one model have those of no model with them."""
    report.published("price")
    report.published("price", benchmark="Llama 2 70B")
    figures = load_published().query("topic == 'price' and duplicate_of == ''")
    kept = figures[figures["benchmark"].isin(["llama2-70b", ""])]
    for each, expected in zip(shown, (figures, kept), strict=True):
        table = pd.read_csv(StringIO(each["text/csv"]))
        assert (
            sorted(table["claim"]) == sorted(expected["claim"]) and table["verdict"].iloc[0] == "physically impossible"
        )
    assert 0 < len(kept) < len(figures) and "4 physically impossible, 8 within" in shown[1]["text/html"]
    with pytest.raises(ValueError, match="topic of published figures"):
        report.published("weather")


def test_a_shipped_headline_has_two_lines_at_most():
    cells = [
        cell for path in paths.NOTEBOOKS.glob("[!_]*.ipynb") for cell in json.loads(path.read_text("utf-8"))["cells"]
    ]
    said = [each.get("data", {}).get(report.MIME, {}) for cell in cells for each in cell.get("outputs", [])]
    headlines = [each["text"] for each in said if each.get("kind") == "headline"]
    assert len(headlines) > 10 and [text for text in headlines if len(text.split()) > 18] == []
