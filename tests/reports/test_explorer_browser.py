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

from analysis import comparable, current, explorer, load_results, over
from analysis.explorer import page as source

HOSTILE = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"
ONE = {"benchmark": "gpt-oss-120b", "scenario": "Offline", "division": "closed", "power": "without"}
OLD = ONE | {"benchmark": "llama2-70b"}
HOLLOW = "marks => marks.map(m => m.classList.contains('hollow'))"
VIEWS = list(source.layout()["views"])
FAST, LOADED = 300, 1000  # milliseconds from a click to the content of a tab, and from opening to the first view


@pytest.fixture(scope="module")
def rows():
    return explorer.rows()


@pytest.fixture(scope="module")
def curves():
    """Of the models whose curves are asked for: each takes a second."""
    return explorer.curves(load_results().query("benchmark in ['gpt-oss-120b', 'llama2-70b']"))


@pytest.fixture(scope="module")
def now():
    benchmarks = ["gpt-oss-120b", "llama2-70b", "llama3.1-8b", "whisper"]
    return current(comparable(benchmark=benchmarks, scenario=["Offline", "Server", "Interactive"]))


@pytest.fixture(scope="module")
def document(rows, curves, now, tmp_path_factory):
    """The explorer of all rows as a file of its own."""
    return _document(rows, curves, now, tmp_path_factory.mktemp("explorer"), explorer.link("ranked", **ONE))


def _document(rows, curves, now, folder, start):
    held = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "display", lambda data, metadata, raw: held.update(metadata["analysis"]["data"]))
        explorer.show(rows, curves, now, start)
    path = folder / "explorer.html"
    path.write_text(source.document(held), "utf-8")
    return path


@pytest.fixture
def opened(tab, document):
    """Opens the explorer at a view, when all of its data is read."""

    def open_(view="", width=1440, path=document, base="", options=None, **chosen):
        address = path.as_uri() + (f"#{explorer.link(view, **chosen).partition('#')[2]}&base={base}" if view else "")
        page = tab(address, width, **(options or {}))
        page.locator("body[data-ready=all]").wait_for(timeout=30_000)
        return page

    return open_


@pytest.fixture
def built(pages, tab):
    """The page of the report."""
    page = tab(pages / "explorer.html")
    page.locator("body[data-ready=all]").wait_for(timeout=30_000)
    return page


def press(page, view):
    page.locator(f"#views button[value={view}]").click()


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


def names_and_figures(page):
    """The accelerators of the first drawing and what stands beside them."""
    first = page.locator("#drawing svg").first
    names, figures = (first.locator(f"text.{kind}").all_text_contents() for kind in ("row-name", "figure"))
    return pd.Series([float(words.strip("$x").replace(",", "")) for words in figures], names)


@pytest.mark.parametrize("width", [1440, 400])
def test_each_tab_has_content_at_once_whatever_stood_before(opened, width):
    page = opened(width=width)
    drawn = """view => new Promise(done => { const from = performance.now();
        document.querySelector(`#views button[value=${view}]`).click();
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - from))) })"""
    times = []
    for view in [*VIEWS, *reversed(VIEWS), *VIEWS]:
        times.append((view, page.evaluate(drawn, view)))
        assert page.locator("#drawing .mark, #drawing tbody th").count() > 2, view
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    assert pd.DataFrame(times).groupby(0)[1].median().max() < FAST


def test_each_tab_s_own_selection_has_content_and_no_caution(opened):
    page = opened("table", benchmark="resnet50", scenario="Server", division="open")
    for view in VIEWS:
        page.evaluate("view => change({ view, chosen: new Map(Object.entries(about.views[view].start)"
                      ".map(([name, values]) => [name, new Set(values)])) })", view)  # fmt: skip
        assert page.locator("#drawing .mark, #drawing tbody th").count() > 2, view
        expect(page.locator("#banner")).to_be_hidden()


def test_a_tab_frees_what_it_compares_and_the_next_begins_from_what_was_chosen_by_hand(opened):
    page = opened()
    for view, gone in [("scenarios", "scenario"), ("matrix", "benchmark")]:
        press(page, view)
        kept = {name: [value] for name, value in ONE.items() if name != gone}
        assert address(page) == {"view": [view], **kept}
    press(page, "energy")
    assert address(page)["power"] == ["with"]
    press(page, "ranked")
    assert {name: values[0] for name, values in address(page).items()} == {"view": "ranked", **ONE}


def test_a_link_to_an_empty_view_says_so_and_leads_out(opened):
    page = opened("energy", **ONE)
    expect(page.locator("#drawing .nothing")).to_contain_text("No selected result has the data of this view.")
    page.locator("#drawing .nothing button").click()
    assert page.locator("#drawing .mark").count() > 2


@pytest.mark.parametrize(("view", "column"), [("ranked", "rate_per_accelerator"), ("kilowatt", "per_kilowatt")])
def test_rates_are_the_best_as_measured_and_their_order_that_of_the_present(opened, rows, now, view, column):
    shown = names_and_figures(opened(view, **OLD))
    best = taken(rows, **OLD).dropna(subset=column).sort_values(column).groupby("accelerator").tail(1)
    best = best.set_index("accelerator")
    assert set(shown.index) == set(best.index)
    assert shown.to_numpy() == pytest.approx(best.loc[shown.index, column].to_numpy(), rel=0.006)
    rates = now.query("benchmark == 'llama2-70b' and scenario == 'Offline'").set_index("accelerator")["rate"]
    order = best[column] / best["rate_per_accelerator"] * rates
    known = order[shown.index][best.loc[shown.index, "availability"].eq("available")]
    assert len(known) > 9 and known.is_monotonic_decreasing


def test_the_order_of_one_round_is_that_of_its_results(opened):
    assert names_and_figures(opened("ranked", round="v5.0", **OLD)).is_monotonic_decreasing


@pytest.mark.parametrize("scenario", ["Offline", "Interactive"])
@pytest.mark.parametrize("base", ["H100", "B200"])
def test_each_ratio_is_that_of_the_present(opened, now, scenario, base):
    asked = {**OLD, "scenario": scenario}
    page = opened("ranked", base=base, **asked)
    table = now.query("benchmark == 'llama2-70b' and scenario == @scenario")
    ratios = over(table, base).set_index("accelerator")
    shown = names_and_figures(page)
    assert shown.to_dict() == pytest.approx(ratios.loc[shown.index, "speedup"].to_dict(), rel=0.006)
    assert len(shown) == min(len(ratios), 24) and shown[base] == 1 and shown.is_monotonic_decreasing
    hollow = page.locator("#drawing .mark").evaluate_all(HOLLOW)
    assert hollow == (~ratios.loc[shown.index, "measured"]).tolist()
    press(page, "table")
    ends = page.evaluate(
        "name => { const r = ratioOf(table.rows.find(r => text('accelerator', r) === name && presentOf(r)))\n"
        "return [r.value, r.low, r.high] }", shown.index[0])  # fmt: skip
    assert ends == pytest.approx(ratios.loc[shown.index[0], ["speedup", "speedup_low", "speedup_high"]].tolist())
    row = page.locator(".grid tbody tr").first
    first = ratios.at[row.locator("th").inner_text(), "speedup"]
    assert row.locator("td").first.inner_text().startswith(f"{first:#.3g}x")
    expect(page.locator("#rule")).to_contain_text("Throughput is as measured")


@pytest.mark.parametrize(("view", "frees"), [("matrix", "benchmark"), ("scenarios", "scenario")])
def test_a_grid_and_lines_over_a_baseline_are_of_the_present(opened, now, view, frees):
    asked = {name: value for name, value in OLD.items() if name != frees} | {"benchmark": "llama2-70b"}
    page = opened(view, base="H100", **asked)
    of_mark = (
        "m => [text('scenario', m.row), text('accelerator', m.row), (m.label || m.ariaLabel).match(/: ([\\d.]+)/)[1]]"
    )
    marks = page.evaluate(f"[...document.querySelectorAll('.mark')].map({of_mark})")
    ratios = over(now.query("benchmark == 'llama2-70b'"), "H100").set_index(["scenario", "accelerator"])["speedup"]
    assert len(marks) > 15
    for scenario, accelerator, figure in marks:
        assert float(figure) == pytest.approx(ratios[scenario, accelerator], rel=0.006)


def test_where_nothing_compares_rates_stay_and_the_note_says_so(opened):
    page = opened("ranked", base="H100", **OLD | {"division": "open"})
    expect(page.locator("#note")).to_contain_text("no ratio to H100")
    press(page, "rounds")
    expect(page.locator("#base")).to_be_disabled()


def test_the_matrix_is_sorted_by_speed_and_counts_videos_by_the_hour(built):
    press(built, "matrix")
    heads = built.locator("#drawing text.tick").all_text_contents()
    units = dict(zip(heads, built.locator("#drawing text.unit").all_text_contents(), strict=True))
    assert units["Wan 2.2 T2V A14B"] == "videos/hour"
    names = built.locator("#drawing text.row-name").all_text_contents()
    assert len(names) == 40
    assert built.locator("[data-key]:visible").all_inner_texts() == [
        "Shade: share of the fastest on the benchmark. Click a cell for details."
    ]
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
    own, shown = own.set_index("accelerator"), names_and_figures(page)
    assert shown.to_dict() == pytest.approx(own[column].to_dict(), rel=0.006)
    estimated = own.loc[shown.index, "evidence"].eq("estimated")
    hollow = page.locator("#drawing svg").first.locator(".mark").evaluate_all(HOLLOW)
    assert hollow == estimated.tolist() == sorted(estimated)
    assert (shown[~estimated].diff().dropna() * (1 if view == "cost" else -1) >= 0).all()
    label = page.locator("#drawing .mark").first.get_attribute("aria-label")
    assert own["evidence"][shown.index[0]] in label and shown.index[0] in label and "dollars" not in label


def test_the_built_page_loads_in_a_second_with_all_rounds_and_finds_power_in_one_step(pages, tab):
    times = []
    for _ in range(3):
        page = tab(pages / "explorer.html")
        page.locator("body[data-ready=all]").wait_for(timeout=30_000)
        times.append(page.evaluate("performance.getEntriesByName('first view')[0].startTime"))
    assert min(times) < LOADED
    assert "round" not in parse_qs(page.evaluate("about.start"))
    press(page, "energy")
    assert page.locator("#drawing .mark").count() > 2
    expect(page.locator("#drawing text.axis", has_text="joules per token").first).to_be_visible()


def test_each_filter_counts_and_chooses_and_going_back_goes_back(opened, rows):
    page = opened("table")
    page.evaluate("document.querySelectorAll('#filters, #facets details').forEach(each => each.open = true)")
    page.evaluate("document.querySelectorAll('#facets .more').forEach(each => each.click())")
    place = "([name, value]) => options.get(name).findIndex(o => columns.get(name).values[o.at] === value)"
    for name in ("round", "benchmark", "division", "precision", "software"):
        page.locator("#everything").click()
        assert count(page) == len(rows)
        first, second = rows[name].value_counts().index[:2]
        for value in (first, second):
            page.locator(f"#facet-{name} input[type=checkbox]").nth(page.evaluate(place, [name, str(value)])).check()
        assert count(page) == len(taken(rows, **{name: [first, second]}))
        page.go_back()
        assert count(page) == len(taken(rows, **{name: first}))


def test_a_search_says_what_the_filters_hide(opened, rows):
    page, found = opened("table", **ONE), rows["result_id"].eq("6.0-0078")
    page.locator("#search").fill("6.0-0078")
    here = len(taken(rows[found], **ONE))
    hidden = f"Filters hide {found.sum() - here} more results of this search."
    expect(page.locator("#count small").last).to_have_text(hidden)
    assert count(page) == here > 0


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
    page, own = opened("table", **OLD), taken(rows, **OLD)
    heads = page.locator(".grid thead th").all_inner_texts()
    assert {"Precision", "Accuracy (%)"} <= set(heads)
    page.get_by_role("button", name="Accuracy (%)").click()
    got = page.evaluate("table.rows.map(row => number('accuracy_percent', row))")
    want = own["accuracy_percent"].sort_values(ascending=False).dropna()
    assert got[: len(want)] == pytest.approx(want.tolist())
    row = own.loc[own["id"].eq(page.evaluate("text('id', table.rows[0])"))].iloc[0]
    assert row["precision_label"] in page.locator(".grid tbody tr").first.inner_text()


def test_a_row_opens_to_all_that_is_known_and_two_are_compared(opened, rows, now):
    own = taken(rows, **OLD)
    one, other = (own[own["accelerator"].eq(name) & own["excluded"].eq("")].iloc[0] for name in ("GB300", "H100"))
    page = opened("table", **OLD)
    row = page.locator(".grid tbody tr").first.element_handle()
    page.evaluate("""new Promise(done => { const box = document.querySelector('.grid'); box.scrollLeft = 1e6
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))) })""")
    assert row.evaluate("row => row.isConnected && row.closest('.grid').scrollLeft > 0")  # or its click would be lost
    page.locator(".grid tbody tr").first.locator("td").last.click()  # anywhere in a row
    dialog = page.locator("#row[open]")
    expect(dialog).to_contain_text(one["location"])
    assert f"{one['value']:,.12g}"[:6] in dialog.locator("textarea").input_value()
    dialog.get_by_role("button", name="Compare as A").click()
    page.evaluate(f"openRow(rowOf('{other['id']}'))")
    page.locator("#row[open]").get_by_role("button", name="Compare as B").click()
    ratio = over(now.query("benchmark == 'llama2-70b' and scenario == 'Offline'"), "H100").set_index("accelerator")
    expect(page.locator("#pair .ratio")).to_contain_text(f"GB300: {ratio.at['GB300', 'speedup']:#.3g}x (")
    same = own[own["accelerator"].eq("GB300")].iloc[1]
    page.evaluate(f"change({{b: '{same['id']}'}})")  # of one accelerator there is no ratio
    expect(page.locator("#pair")).to_contain_text("No ratio")
    expect(page.locator("#pair .ratio")).to_have_count(0)


def test_a_copied_link_is_the_address_of_the_view(opened):
    page = opened("table", options={"permissions": ["clipboard-read", "clipboard-write"]}, **ONE)
    page.locator("#link").click()
    expect(page.locator("#link")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    expect(page.locator("#link")).to_have_text("Copy link")


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
    assert "Sources: MLPerf Inference results" in svg and "these differ: rounds" in svg
    assert "var(" not in svg and "class=" not in svg
    with page.expect_download() as saved:
        page.locator("#take-png").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")


def test_print_has_the_drawing_and_what_it_shows_without_the_controls(opened):
    page = opened("ranked", **ONE)
    page.emulate_media(media="print")
    for seen in ("#drawing svg", "#count", "#note"):
        expect(page.locator(seen).first).to_be_visible()
    for hidden in ("#filters", "#views", "#search", "#take-csv"):
        expect(page.locator(hidden)).to_be_hidden()


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


def test_text_of_the_record_is_only_ever_text(opened, rows, curves, now, tmp_path):
    hostile = taken(rows, **ONE).reset_index(drop=True)
    columns = ["system", "submitter", "note", "software", "location", "accelerator"]
    hostile = hostile.assign(**dict.fromkeys(columns, HOSTILE))
    page = opened(path=_document(hostile, curves, now, tmp_path, explorer.link("table")))
    for view in ("table", "ranked", "matrix"):
        press(page, view)
        page.evaluate("openRow(0)")
        expect(page.locator("#row[open]")).to_contain_text("onerror")
        page.keyboard.press("Escape")
    assert page.title() == "MLPerf Inference explorer"
    assert page.locator("main img, main script").count() == 0


def test_the_built_page_is_small_and_keeps_nobody_out(pages, built, axe):
    assert (pages / "explorer.html").stat().st_size < 3_000_000
    assert axe(built) == []
    built.emulate_media(color_scheme="dark")
    assert axe(built, "color-contrast") == []
