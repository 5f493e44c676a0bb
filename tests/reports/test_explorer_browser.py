"""The explorer in a real browser: what is chosen, drawn, warned of, and downloaded is what pandas says of it."""

import csv
import io
import json
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from analysis import explorer
from analysis.explorer import page as source
from tests.reports.plain import table

HOSTILE = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"
ONE = {"benchmark": "gpt-oss-120b", "scenario": "Offline", "division": "closed", "power": "without"}
VIEWS = list(source.layout()["views"])
FAST = 300  # milliseconds from a click to the content of a tab


@pytest.fixture(scope="module")
def rows():
    return explorer.rows()


@pytest.fixture(scope="module")
def curves():
    return explorer.curves()


@pytest.fixture(scope="module")
def document(rows, curves, tmp_path_factory):
    """The explorer of all rows as a file of its own."""
    return _document(rows, curves, tmp_path_factory.mktemp("explorer"), explorer.link("ranked", **ONE))


def _document(rows, curves, folder, start):
    held = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "display", lambda data, metadata, raw: held.update(metadata["analysis"]["data"]))
        explorer.show(rows, curves, start)
    path = folder / "explorer.html"
    path.write_text(source.document(held), "utf-8")
    return path


@pytest.fixture
def opened(tab, document):
    """Opens the explorer at a view, when all of its data is read."""

    def open_(view="", width=1440, path=document, **chosen):
        address = path.as_uri() + (f"#{explorer.link(view, **chosen).partition('#')[2]}" if view else "")
        page = tab(address, width)
        page.locator("body[data-ready=all]").wait_for(timeout=30_000)
        return page

    return open_


def count(page):
    """How many results the page says are selected."""
    return int(page.locator("#count").inner_text().split()[0].replace(",", ""))


def taken(rows, **chosen):
    """The rows of these values, by pandas."""
    for name, value in chosen.items():
        rows = rows[rows[name].astype(str).isin([value] if isinstance(value, str) else value)]
    return rows


def address(page):
    return parse_qs(page.url.partition("#")[2])


@pytest.mark.parametrize("width", [1440, 400])
def test_each_tab_has_content_at_once_whatever_stood_before(opened, width):
    page = opened(width=width)
    for view in [*VIEWS, *reversed(VIEWS)]:
        page.locator(f"#views button[value={view}]").click()
        assert page.locator("#drawing .mark, #drawing tbody th").count() > 2, view
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view


@pytest.mark.parametrize("width", [1440, 400])
def test_each_tab_has_content_within_300_milliseconds(opened, width):
    page = opened(width=width)
    drawn = """view => new Promise(done => { const from = performance.now();
        document.querySelector(`#views button[value=${view}]`).click();
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - from))) })"""
    times = pd.DataFrame([[page.evaluate(drawn, view) for view in VIEWS] for _ in range(5)], columns=VIEWS).median()
    assert times.max() < FAST, times.round().to_dict()


def test_each_tab_s_own_selection_has_content_and_no_caution(opened):
    page = opened("table", benchmark="resnet50", scenario="Server", division="open")
    for view in VIEWS:
        page.evaluate("view => change({ view, chosen: new Map(Object.entries(about.views[view].start)"
                      ".map(([name, values]) => [name, new Set(values)])) })", view)  # fmt: skip
        assert page.locator("#drawing .mark, #drawing tbody th").count() > 2, view
        expect(page.locator("#banner")).to_be_hidden()


def test_a_tab_frees_what_it_compares_and_the_next_begins_from_what_was_chosen_by_hand(opened):
    page = opened()
    tab = lambda view: page.locator(f"#views button[value={view}]").click()  # noqa: E731
    tab("scenarios")
    assert "scenario" not in address(page)
    assert address(page)["benchmark"] == ["gpt-oss-120b"]
    tab("matrix")
    assert "benchmark" not in address(page)
    assert address(page)["scenario"] == ["Offline"]
    tab("energy")
    assert address(page)["power"] == ["with"]
    tab("ranked")
    assert {name: values[0] for name, values in address(page).items()} == {"view": "ranked", **ONE}


def test_a_link_to_an_empty_view_says_so_and_leads_out(opened):
    page = opened("energy", **ONE)
    expect(page.locator("#drawing .nothing")).to_contain_text("No selected result has the data of this view.")
    page.locator("#drawing .nothing button").click()
    assert page.locator("#drawing .mark").count() > 2


def test_the_ranking_is_that_of_pandas(opened, rows):
    page = opened("ranked", **ONE)
    best = taken(rows, **ONE).groupby("accelerator")["rate_per_accelerator"].max().dropna()
    assert page.locator("#drawing text.row-name").all_text_contents() == list(best.sort_values(ascending=False).index)
    drawn = page.evaluate("[...document.querySelectorAll('.mark')].map(m => number('rate_per_accelerator', m.row))")
    assert max(drawn) == pytest.approx(best.max())


def test_throughput_per_kilowatt_ranks_by_the_modeled_figure(opened, rows):
    page = opened("kilowatt", **ONE)
    best = taken(rows, **ONE).groupby("accelerator")["per_kilowatt"].max().dropna()
    assert page.locator("#drawing text.row-name").all_text_contents() == list(best.sort_values(ascending=False).index)
    expect(page.locator("#drawing text.axis", has_text="per all-in kilowatt, modeled")).to_be_visible()


def test_the_matrix_is_sorted_by_speed_and_counts_videos_by_the_hour(opened, rows):
    chosen = {"scenario": "Offline", "division": "closed", "power": "without", "availability": "available"}
    page = opened("matrix", suite=["datacenter", "datacenter,edge"], **chosen)
    heads = page.locator("#drawing text.tick").all_text_contents()
    units = dict(zip(heads, page.locator("#drawing text.unit").all_text_contents(), strict=True))
    assert units["Wan 2.2 T2V A14B"] == "videos/hour"
    best = taken(rows, suite=["datacenter", "datacenter,edge"], **chosen)
    best = best[best["model"].isin(heads)].groupby(["accelerator", "model"])["rate_per_accelerator"].max().unstack()
    cells = np.log(best).stack().rename("log").dropna().reset_index()
    fit = pd.get_dummies(cells[["accelerator", "model"]], prefix="", prefix_sep="", dtype=float)
    speed = pd.Series(np.linalg.lstsq(fit.to_numpy(), cells["log"], rcond=None)[0], fit.columns)
    names = page.locator("#drawing text.row-name").all_text_contents()
    assert len(names) == 40
    assert speed[names].tolist() == pytest.approx(sorted(speed[names], reverse=True), abs=0.01)
    assert names.index("GB300") < names.index("B200") < names.index("H200") < names.index("H100") < names.index("A100")


def test_interactivity_is_that_of_p99(opened, rows):
    page = opened("speed", benchmark="gpt-oss-120b", division="closed")
    drawn = page.evaluate(
        "[...document.querySelectorAll('#drawing svg:last-of-type .mark')].map(m => [text('id', m.row), m.at[0]])"
    )
    ids, across = zip(*drawn, strict=True)
    own = rows.set_index("id").loc[list(ids)]
    speeds = own["tokens_per_second_per_user"].mask(own["scenario"].eq("Offline"), 0)
    assert len(own) > 30 and speeds.max() > 66.7
    assert np.corrcoef(speeds, across)[0, 1] == pytest.approx(1)


@pytest.mark.parametrize(("view", "column"), [("speed", "throughput"), ("cost", "usd_per_million")])
@pytest.mark.parametrize("at", ["0", "66.7"])
def test_what_is_drawn_at_an_interactivity_is_the_curve(opened, curves, view, column, at):
    page = opened(view, benchmark="gpt-oss-120b", division="closed")
    page.locator("#at").select_option(at)
    assert address(page)["at"] == [at]
    own = curves.query(f"benchmark == 'gpt-oss-120b' and interactivity == {at}").dropna(subset=column)
    own = own.assign(estimated=own["evidence"].eq("estimated")).sort_values(
        column, ascending=view == "cost", kind="stable"
    )
    own = own.sort_values("estimated", kind="stable")
    first = page.locator("#drawing svg").first
    names = first.locator("text.row-name").all_text_contents()
    own = own.set_index("accelerator", drop=False).loc[names]  # ties are in either order
    assert own[[column, "estimated"]].equals(
        own[[column, "estimated"]].sort_values(["estimated", column], ascending=[True, view == "cost"], kind="stable")
    )
    shown = [float(words.strip("$").replace(",", "")) for words in first.locator("text.figure").all_text_contents()]
    assert shown == pytest.approx(own[column].tolist(), rel=0.006)
    hollow = first.locator(".mark").evaluate_all("marks => marks.map(m => m.classList.contains('hollow'))")
    assert hollow == own["estimated"].tolist()
    label = first.locator(".mark").first.get_attribute("aria-label")
    assert own["evidence"].iloc[0] in label and own["accelerator"].iloc[0] in label
    page.locator("#base").select_option("B200")
    ratio = own[column] / own.set_index("accelerator")[column]["B200"]
    shown = [float(words) for words in first.locator("text.figure").all_text_contents()]
    assert shown == pytest.approx(ratio.tolist(), rel=0.006)


def test_no_round_is_chosen_for_the_reader_and_h100_and_h200_have_their_colors(opened):
    page = opened("rounds", benchmark="llama2-70b", scenario="Offline", division="closed")
    inked = set(page.evaluate("[...document.querySelectorAll('.mark.inked')].map(m => text('accelerator', m.row))"))
    assert {"H100", "H200", "B200", "GB300"} <= inked
    assert {"H100", "H200"} <= set(page.locator("#drawing text.end").all_text_contents())


def test_the_built_page_begins_without_a_round_and_with_h100_and_h200(pages, tab):
    page = tab(pages / "explorer.html")
    page.locator("body[data-ready=all]").wait_for(timeout=30_000)
    assert "round" not in parse_qs(page.evaluate("about.start"))
    page.locator("#facet-accelerator summary").click()
    for name in ("H100", "H200"):
        label = page.locator("#facet-accelerator label", has=page.get_by_text(name, exact=True))
        assert "none" not in (label.get_attribute("class") or "")


def test_the_built_page_s_costs_are_those_of_price_performance(pages, tab):
    costs = table("price_performance", "costs").query("interactivity == 66.7").set_index("accelerator")
    page = tab(f"{(pages / 'explorer.html').as_uri()}#view=cost&benchmark=gpt-oss-120b&at=66.7")
    page.locator("body[data-ready=all]").wait_for(timeout=30_000)
    first = page.locator("#drawing svg").first
    names, figures = (first.locator(f"text.{kind}").all_text_contents() for kind in ("row-name", "figure"))
    shown = pd.Series([float(words.strip("$")) for words in figures], names)
    assert len(costs) >= 5
    assert shown[costs.index].to_numpy() == pytest.approx(costs["usd_per_million"].to_numpy(), rel=0.006)


def test_each_filter_counts_and_chooses_and_going_back_goes_back(opened, rows):
    page = opened("table")
    page.evaluate("document.querySelectorAll('#filters, #facets details').forEach(each => each.open = true)")
    page.evaluate("document.querySelectorAll('#facets .more').forEach(each => each.click())")
    place = "([name, value]) => options.get(name).findIndex(o => columns.get(name).values[o.at] === value)"
    for name in ("round", "benchmark", "division", "precision", "software"):
        page.locator("#everything").click()
        first, second = rows[name].value_counts().index[:2]
        for value in (first, second):
            page.locator(f"#facet-{name} input[type=checkbox]").nth(page.evaluate(place, [name, str(value)])).check()
        assert count(page) == len(taken(rows, **{name: [first, second]}))
        page.go_back()
        assert count(page) == len(taken(rows, **{name: first}))


def test_clear_filters_begins_with_the_newest_round_and_its_largest_benchmark(opened, rows):
    page = opened("table", benchmark="bert")
    page.locator("#everything").click()
    assert count(page) == len(rows)
    first = page.locator("#drawing tbody tr").first.inner_text()
    assert all(str(words) in first for words in rows.iloc[0][["accelerator", "round", "model", "scenario"]])


def test_a_search_says_what_the_filters_hide(opened, rows):
    page, found = opened("table", **ONE), rows["result_id"].eq("6.0-0078")
    page.locator("#search").fill("6.0-0078")
    here = len(taken(rows[found], **ONE))
    assert found.sum() > here > 0
    expect(page.locator("#count small").last).to_have_text(
        f"Filters hide {found.sum() - here} more results of this search."
    )
    assert count(page) == here


MIXES = {
    "divisions": {"division": ["closed", "open"]},
    "runs with and without measured power": {"benchmark": "llama2-70b", "power": ["with", "without"]},
    "accuracy targets": {"benchmark": "bert", "accuracy_target": ["99", "99.9"]},
    "suites": {"benchmark": "resnet50", "suite": ["datacenter", "edge"]},
    "versions of a benchmark": {"benchmark": "3d-unet"},
}


@pytest.mark.parametrize("kind", MIXES)
def test_what_keeps_results_apart_is_a_caution(opened, kind):
    page = opened("table", **ONE | {"suite": ["datacenter", "datacenter,edge"]} | MIXES[kind])
    expect(page.locator("#banner")).to_contain_text(kind)


def test_the_first_view_has_no_caution_and_says_that_rounds_differ(opened):
    page = opened()
    expect(page.locator("#banner")).to_be_hidden()
    expect(page.locator("#note")).to_contain_text("these differ: rounds (v6.0 and v6.1) and precisions (FP4 and FP8)")


def test_the_table_has_precision_and_accuracy_and_sorts(opened, rows):
    asked = {**ONE, "benchmark": "llama2-70b"}  # GPT-OSS has one precision, and what all rows share is no column
    page, own = opened("table", **asked), taken(rows, **asked)
    heads = page.locator(".grid thead th").all_inner_texts()
    assert {"Precision", "Accuracy (%)"} <= set(heads)
    page.get_by_role("button", name="Accuracy (%)").click()
    got = page.evaluate("table.rows.map(row => number('accuracy_percent', row))")
    want = own["accuracy_percent"].sort_values(ascending=False).dropna()
    assert got[: len(want)] == pytest.approx(want.tolist())
    row = own.loc[own["id"].eq(page.evaluate("text('id', table.rows[0])"))].iloc[0]
    assert row["precision_label"] in page.locator(".grid tbody tr").first.inner_text()


def test_a_baseline_makes_ratios(opened, rows):
    page = opened("ranked", **ONE)
    page.locator("#base").select_option("B200")
    best = taken(rows, **ONE).groupby("accelerator")["rate_per_accelerator"].max()
    expect(page.locator("#drawing text.axis", has_text="x B200")).to_be_visible()
    assert page.locator("#drawing text.figure").first.inner_html() == f"{best.max() / best['B200']:.2f}"


def test_a_row_opens_to_all_that_is_known_and_two_are_compared(opened, rows):
    own = taken(rows, **ONE)
    one = own.iloc[0]
    able = own[own["rate_per_accelerator"].notna()]
    other, older = able[able["round"].eq(one["round"])].iloc[-1], able[able["round"].ne(one["round"])].iloc[0]
    page = opened("ranked", **ONE)
    page.evaluate(f"openRow(rowOf('{one['id']}'))")
    dialog = page.locator("#row[open]")
    expect(dialog).to_contain_text(one["location"])
    assert f"{one['value']:,.12g}"[:6] in dialog.locator("textarea").input_value()
    dialog.get_by_role("button", name="Compare as A").click()
    page.evaluate(f"openRow(rowOf('{other['id']}'))")
    page.locator("#row[open]").get_by_role("button", name="Compare as B").click()
    ratio = one["rate_per_accelerator"] / other["rate_per_accelerator"]
    expect(page.locator("#pair .ratio")).to_contain_text(f"A: {ratio:#.3g}x B")
    page.evaluate(f"change({{b: '{older['id']}'}})")  # measured with other software
    expect(page.locator("#pair")).to_contain_text("No ratio")
    expect(page.locator("#pair .ratio")).to_have_count(0)


def test_csv_and_json_are_the_selected_rows(opened, rows):
    page, own = opened("ranked", **ONE), taken(rows, **ONE)
    with page.expect_download() as saved:
        page.locator("#take-csv").click()
    assert saved.value.suggested_filename == "mlperf-ranked_gpt-oss-120b_Offline.csv"
    read = list(csv.DictReader(io.StringIO(Path(saved.value.path()).read_text("utf-8"))))
    assert [row["id"] for row in read] == own["id"].tolist()
    assert pd.to_numeric(pd.Series([row["value"] for row in read])).tolist() == own["value"].tolist()
    with page.expect_download() as saved:
        page.locator("#take-json").click()
    told = json.loads(Path(saved.value.path()).read_text("utf-8"))
    assert [row["precision_label"] for row in told["results"]] == own["precision_label"].tolist()
    assert set(told["sources"]) == set(own["source_id"])


def test_svg_and_png_carry_sources_and_need_no_style(opened):
    page = opened("ranked", **ONE)
    with page.expect_download() as saved:
        page.locator("#take-svg").click()
    svg = Path(saved.value.path()).read_text("utf-8")
    assert "Sources: MLPerf Inference results" in svg
    assert "these differ: rounds" in svg
    assert "var(" not in svg
    assert "class=" not in svg
    with page.expect_download() as saved:
        page.locator("#take-png").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")


def test_keys_reach_marks_and_rows(opened):
    page = opened("ranked", **ONE)
    page.locator("#drawing .mark[tabindex='0']").first.focus()
    first = page.evaluate("document.activeElement.row")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.row") != first
    page.keyboard.press("Enter")
    expect(page.locator("#row[open]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#row[open]")).to_have_count(0)


def test_text_of_the_record_is_only_ever_text(opened, rows, curves, tmp_path):
    hostile = taken(rows, **ONE).reset_index(drop=True)
    hostile = hostile.assign(
        **dict.fromkeys(["system", "submitter", "note", "software", "location", "accelerator"], HOSTILE)
    )
    page = opened(path=_document(hostile, curves, tmp_path, explorer.link("table")))
    for view in ("table", "ranked", "matrix"):
        page.locator(f"#views button[value={view}]").click()
        page.evaluate("openRow(0)")
        expect(page.locator("#row[open]")).to_contain_text("onerror")
        page.keyboard.press("Escape")
    assert page.title() == "MLPerf Inference explorer"
    assert page.locator("main img, main script").count() == 0


def test_the_built_page_runs_its_own_script_alone_and_keeps_nobody_out(pages, tab, axe):
    path = pages / "explorer.html"
    assert path.stat().st_size < 3_000_000
    page = tab(path)
    page.locator("body[data-ready=all]").wait_for(timeout=30_000)
    assert page.locator("#drawing .mark").count() > 10
    assert axe(page) == []
    page.emulate_media(color_scheme="dark")
    assert axe(page, "color-contrast") == []
