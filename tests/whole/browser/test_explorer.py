"""The explorer in a real browser: what is chosen, drawn, warned of and taken away is what pandas says of it."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from analysis.compare import gate
from analysis.core import views
from analysis.data.catalog import Catalog
from analysis.engine.reports import Outcome
from analysis.engine.runs.places import Places
from analysis.show.explorer import columns, live
from analysis.themes import whole_record

Built = tuple[Places, Outcome, list[str]]
Open = Callable[..., Page]
HOSTILE = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"
FAULTS = """async () => {
    const run = await axe.run(document, {resultTypes: ['violations']})
    return run.violations.map(v => `${v.id} (${v.impact}): ${v.nodes.map(n => n.html.slice(0, 120)).join(' | ')}`)
}"""
ONE = {"round": ["v6.0"], "benchmark": ["deepseek-r1"], "scenario": ["Server"], "division": ["closed"]}


@pytest.fixture(scope="module")
def whole(data: Catalog) -> pd.DataFrame:
    """The rows that the explorer holds."""
    return whole_record.of(data, data.benchmark_limits)


@pytest.fixture
def explorer(built: Built, chromium: Browser) -> Iterator[Open]:
    """Opens the explorer at a view and waits for all of its data; nothing may be requested or complained of."""
    contexts, requested, complaints = [], [], []

    def opened(hash: str = "", width: int = 1440, page: Path | None = None, **options: object) -> Page:
        context = chromium.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        tab = context.new_page()
        tab.on("request", lambda request: requested.append(request.url))
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        return shown(tab, page or built[0].reports / "explorer.html", hash)

    yield opened
    for context in contexts:
        context.close()
    assert [url for url in requested if not url.startswith(("file:", "data:", "blob:"))] == []
    assert complaints == []


def shown(tab: Page, page: Path, hash: str) -> Page:
    """The page at a view, all of its data read."""
    tab.goto(f"{page.as_uri()}#{hash}" if hash else page.as_uri())
    tab.locator("body[data-ready=all]").wait_for(timeout=30_000)
    return tab


def counted(page: Page) -> int:
    """How many results the page says are chosen."""
    return int(page.locator("#count").inner_text().split()[0].replace(",", ""))


def taken(rows: pd.DataFrame, chosen: dict[str, list[str]]) -> pd.DataFrame:
    """The rows that are chosen, by pandas."""
    for name, values in chosen.items():
        cells = rows[name].map(lambda value: "" if pd.isna(value) else str(value))
        rows = rows[cells.isin(values)]
    return rows


def text(frame: pd.DataFrame, name: str) -> pd.Series:
    return frame[name].map(lambda value: "" if pd.isna(value) else str(value))


BESIDE = "name => Object.fromEntries(options.get(name).map(o => [columns.get(name).values[o.at], o.count.textContent]))"
PLACE = "([name, value]) => options.get(name).findIndex(o => columns.get(name).values[o.at] === value)"


def test_each_facet_counts_and_chooses_and_going_back_goes_back(explorer: Open, whole: pd.DataFrame) -> None:
    page = explorer("view=table")
    for facet in views.FACETS:
        page.locator("#everything").click()
        page.evaluate("document.querySelectorAll('#filters, #facets details').forEach(each => each.open = true)")
        counts = text(whole, facet).value_counts()
        beside = {value: int(count.replace(",", "")) for value, count in page.evaluate(BESIDE, facet).items()}
        assert beside == counts.to_dict(), facet
        for value in counts.index[:2]:
            place = page.evaluate(PLACE, [facet, value])
            page.locator(f"#facet-{facet} input[type=checkbox]").nth(place).check()
        assert counted(page) == counts.iloc[:2].sum(), facet
        assert set(parse_qs(page.url.partition("#")[2], keep_blank_values=True)[facet]) == set(counts.index[:2])
        page.go_back()
        assert counted(page) == counts.iloc[0], facet
        page.go_forward()
        assert counted(page) == counts.iloc[:2].sum(), facet


def test_each_view_is_a_link(explorer: Open, whole: pd.DataFrame) -> None:
    """The same address gives the same drawing, on a page that is opened with it and on one that is led there."""
    chosen = {"round": ["v6.0", "v5.1"], "benchmark": ["llama2-70b"], "division": ["closed"]}
    other = explorer("view=table")
    for view in views.VIEWS:
        own = chosen | ({"power": ["with"]} if view == "energy" else {})
        other.locator(f"#views button[value={view}]").click()
        other.evaluate("hash => { location.hash = hash }", views.address(own, view))
        other.wait_for_function(f"current.length === {len(taken(whole, own))}")
        expect(other.locator(f"#views button[value={view}]")).to_have_attribute("aria-pressed", "true")
        assert other.locator("#drawing tbody tr th" if view == "table" else "#drawing .mark").count() > 0, view
        assert other.evaluate("document.documentElement.scrollWidth") <= 1440
        page = explorer(views.address(own, view))
        assert page.locator("#drawing").inner_html() == other.locator("#drawing").inner_html(), view
        page.close()


def test_the_ranking_is_that_of_pandas(explorer: Open, whole: pd.DataFrame) -> None:
    page = explorer(views.address(ONE, "ranked"))
    best = taken(whole, ONE).groupby("accelerator")["per_accelerator"].max().sort_values(ascending=False)
    assert page.locator("#drawing text.row-name").all_text_contents() == list(best.index)
    drawn = page.evaluate("[...document.querySelectorAll('.mark')].map(m => number('per_accelerator', m.row))")
    assert set(drawn) <= set(taken(whole, ONE)["per_accelerator"]) and set(best) <= set(drawn)


def test_it_counts_systems_and_who_filed_them(explorer: Open, whole: pd.DataFrame) -> None:
    chosen = {"round": ["v5.1"], "scenario": ["Interactive"], "division": ["closed"]}
    page, rows = explorer(views.address(chosen, "table")), taken(whole, chosen)
    held = [rows[name].nunique() for name in ("system_key", "submitter", "accelerator")]
    words = "{} systems, {} submitters and {} accelerators".format(*held)
    expect(page.locator("#count small").first).to_have_text(words)
    expect(page.locator("#count small").last).to_be_hidden()


def test_a_search_says_what_the_filters_hide(explorer: Open, whole: pd.DataFrame) -> None:
    page, found = explorer(views.address(ONE, "table")), whole["result_id"].eq("6.0-0078").sum()
    page.locator("#search").fill("6.0-0078")
    shown = len(taken(whole[whole["result_id"].eq("6.0-0078")], ONE))
    assert found > shown > 0
    expect(page.locator("#count small").last).to_have_text(
        f"The filters hide {found - shown} more results of this search."
    )
    assert counted(page) == shown


def test_a_baseline_makes_ratios(explorer: Open, whole: pd.DataFrame) -> None:
    page = explorer(views.address(ONE, "ranked") + "&base=B200%20SXM")
    best = taken(whole, ONE).groupby("accelerator")["per_accelerator"].max()
    label = page.locator(".mark").evaluate_all("all => all.map(m => m.ariaLabel).filter(l => l.startsWith('GB300'))")
    largest = max(float(re.match(r"GB300: ([\d.]+) times B200 SXM", each)[1]) for each in label)
    assert largest == pytest.approx(best["GB300"] / best["B200 SXM"], rel=0.005)


def test_two_results_side_by_side(explorer: Open, whole: pd.DataFrame) -> None:
    rows = taken(whole, ONE | {"scenario": ["Offline"]}).sort_values("per_accelerator", ascending=False)
    one, other = rows.iloc[0], rows.iloc[-1]
    page = explorer(f"view=table&a={one['id']}&b={other['id']}")
    said = float(re.search(r"A does ([\d.,]+) times", page.locator("#pair .ratio").inner_text())[1])
    assert said == pytest.approx(one["per_accelerator"] / other["per_accelerator"], rel=0.005)
    heads = page.locator("#pair tbody th").all_inner_texts()
    differs = {
        column.head for column in columns.COLUMNS if column.head and text(rows, column.name).iloc[[0, -1]].nunique() > 1
    }
    assert {"Accelerator", "Published figure"} <= set(heads) <= differs


SAME = {"round": ["v6.0"], "benchmark": ["llama2-70b"], "scenario": ["Offline"], "division": ["closed"],
        "precision": ["fp4"], "power": ["without"], "suite": ["datacenter"]}  # fmt: skip
MIXES = {
    "rounds": {"round": ["v5.1", "v6.0"]},
    "divisions": {"division": ["closed", "open"]},
    "precisions": {"precision": ["fp4", "fp8"]},
    "runs with and without a power meter": {"round": ["v5.1"], "power": ["with", "without"]},
    "accuracy targets": {"round": ["v4.1"], "benchmark": ["dlrm-v2"], "precision": ["int8"]},
    "suites": {"round": ["v4.1"], "benchmark": ["resnet50"], "precision": ["int8"], "suite": ["datacenter", "edge"]},
}


def test_like_with_like_raises_no_banner(explorer: Open) -> None:
    page = explorer(views.address(SAME, "ranked"))
    assert counted(page) > 1
    expect(page.locator("#banner")).to_be_hidden()


def test_what_is_mixed_is_said(explorer: Open, whole: pd.DataFrame) -> None:
    page = explorer("view=table")
    for kind, mixed in MIXES.items():
        chosen = SAME | mixed
        page.evaluate("hash => { location.hash = hash }", views.address(chosen, "table"))
        page.wait_for_function(f"current.length === {len(taken(whole, chosen))}")
        assert counted(page) > 1
        expect(page.locator("#banner")).to_contain_text(kind)


def test_there_is_a_test_for_each_kind_of_mixing() -> None:
    assert set(MIXES) == {words for _, _, words in live.MIXED}
    assert {bits for bits, _, _ in live.MIXED} == {*(f"apart_{name}" for name in gate.ASPECTS), "apart_precision"}


def test_rows_are_taken_away_as_they_are(explorer: Open, whole: pd.DataFrame) -> None:
    chosen = {"round": ["v6.0"], "division": ["closed"]}
    page, rows = explorer(views.address(chosen, "table")), taken(whole, chosen)
    names = [column.name for column in columns.COLUMNS if not column.hidden]
    with page.expect_download() as saved:
        page.locator("#take-csv").click()
    read = pd.read_csv(saved.value.path(), dtype="str", keep_default_na=False)
    assert list(read) == [*names, "source", "source_address", "retrieved"] and set(read["retrieved"]) == {"2026-11-20"}
    with page.expect_download() as saved:
        page.locator("#take-json").click()
    told = json.loads(Path(saved.value.path()).read_text("utf-8"))
    assert list(told["sources"]) == ["mlcommons-v6.0"] and told["retrieved"] == "2026-11-20"
    listed = pd.DataFrame(told["results"])
    for name in set(names) - {"notes"}:
        own = rows[name].reset_index(drop=True)
        if pd.api.types.is_bool_dtype(own):
            assert read[name].eq("yes").tolist() == listed[name].eq("yes").tolist() == own.tolist(), name
        elif pd.api.types.is_numeric_dtype(own):
            numbers = [float("nan") if value is pd.NA else float(value) for value in own]
            assert pd.Series(numbers).equals(pd.to_numeric(read[name]).astype("float64")), name
            assert pd.Series(numbers).equals(pd.to_numeric(listed[name]).astype("float64")), name
        else:
            assert read[name].tolist() == listed[name].tolist() == own.tolist(), name


def test_a_view_is_taken_away_with_sources_and_date(explorer: Open) -> None:
    page = explorer(views.address(ONE, "ranked"))
    with page.expect_download() as saved:
        page.locator("#take-svg").click()
    svg = Path(saved.value.path()).read_text("utf-8")
    assert "MLPerf Inference results v6.0, MLCommons; retrieved 2026-11-20" in svg and "GB300" in svg
    assert "var(" not in svg and "class=" not in svg and 'fill="rgb' in svg
    with page.expect_download() as saved:
        page.locator("#take-png").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG") and saved.value.path().stat().st_size > 5000


def test_a_row_opens_to_all_that_is_known_and_a_citation(explorer: Open, whole: pd.DataFrame) -> None:
    row = taken(whole, ONE).iloc[0]
    page = explorer(f"view=table&row={row['id']}")
    dialog = page.locator("#row[open]")
    assert row["location"] in dialog.inner_text() and "Recomputed from the log" in dialog.inner_text()
    href = dialog.locator("a").get_attribute("href")
    assert href.startswith("https://github.com/mlcommons/inference_results_v6.0/tree/main/closed/")
    cited = dialog.locator("textarea").input_value()
    assert row["result_id"] in cited and "retrieved 2026-11-20" in cited and f"{row['low']:,.12g}"[:6] in cited
    page.keyboard.press("Escape")
    expect(page.locator("#row[open]")).to_have_count(0)
    assert "row=" not in page.url


def test_hands_on_the_keyboard_reach_everything(explorer: Open) -> None:
    page = explorer(views.address(ONE, "ranked"))
    page.locator("#views button[value=ranked]").focus()
    for _ in range(8):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.classList.contains('mark')")
    expect(page.locator("#tip")).to_be_visible()
    first = page.evaluate("document.activeElement.row")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.row") != first
    page.keyboard.press("Enter")
    expect(page.locator("#row[open]")).to_have_count(1)
    page.keyboard.press("Escape")
    page.locator("#views button[value=table]").focus()
    page.keyboard.press("Enter")
    page.locator(".grid tbody button[tabindex='0']").focus()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.closest('tr').ariaRowIndex") == str(counted(page) + 1)
    page.keyboard.press("Enter")
    expect(page.locator("#row[open]")).to_have_count(1)


def test_a_finger_near_a_mark_opens_it(explorer: Open) -> None:
    page = explorer(views.address(ONE, "ranked"), width=400, has_touch=True)
    page.locator(".mark").first.scroll_into_view_if_needed()
    box = page.locator(".mark").first.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2 + 3, box["y"] + box["height"] / 2 + 11)
    expect(page.locator("#row[open]")).to_have_count(1)


def test_typing_finds_without_a_new_entry_in_the_history(explorer: Open, whole: pd.DataFrame) -> None:
    page = explorer("view=table")
    before = page.evaluate("history.length")
    page.locator("#search").press_sequentially("gb300 deepseek", delay=10)
    found = whole["accelerator"].str.contains("GB300") | whole["system"].str.contains("GB300", case=False)
    expect(page.locator("#count")).to_contain_text(f"{(found & whole['benchmark'].eq('deepseek-r1')).sum():,} of")
    assert page.evaluate("history.length") == before and "q=gb300%20deepseek" in page.url


@pytest.mark.parametrize("column", [("submitter", "Submitter"), ("per_accelerator", "Rate per accelerator")])
def test_the_table_sorts_by_a_column(explorer: Open, whole: pd.DataFrame, column: tuple[str, str]) -> None:
    name, head = column
    page, rows = explorer(views.address(ONE, "table")), taken(whole, ONE)
    for way in ("ascending", "descending"):
        page.get_by_role("button", name=head, exact=False).first.click()
        cell = page.locator(f".grid th[aria-sort={way}]")
        assert cell.inner_text().startswith(head)
        got = page.evaluate("name => table.rows.map(row => cell(name, row))", name)
        key = (lambda value: value.casefold()) if name == "submitter" else None
        assert got == sorted(rows[name], key=key, reverse=way == "descending")


def test_strings_of_the_record_are_only_ever_text(
    explorer: Open, whole: pd.DataFrame, data: Catalog, tmp_path: Path
) -> None:
    rows = taken(whole, ONE).reset_index(drop=True)
    hostile = rows.assign(
        **{name: HOSTILE for name in ("system", "submitter", "note", "software", "location", "accelerator")}
    )
    page = tmp_path / "hostile.html"
    page.write_text(live.Explorer(data, hostile, "view=table").document, "utf-8")
    for view in views.VIEWS:
        tab = explorer(views.address({}, view), page=page)
        tab.evaluate("openRow(0)")
        tab.locator("#row[open]").wait_for()
        assert HOSTILE in tab.locator("#row").inner_text()
        assert tab.title() == "The official record" and tab.locator("img, .explorer script").count() == 0


def test_where_no_script_runs_a_table_stands(built: Built, chromium: Browser, whole: pd.DataFrame) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((built[0].reports / "explorer.html").as_uri())
    expect(page.locator("#still table")).to_be_visible()
    expect(page.locator("#tool")).to_be_hidden()
    cells = page.locator("#still tbody tr").evaluate_all("all => all.map(r => [...r.cells].map(c => c.textContent))")
    heads = page.locator("#still thead th").all_text_contents()
    closed = {row[0]: int(row[heads.index("Closed")].replace(",", "")) for row in cells}
    assert closed == whole[whole["division"].eq("closed")]["round"].value_counts().to_dict()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1440])
def test_nothing_keeps_anyone_out(built: Built, chromium: Browser, npm_packages: Path, width: int, scheme: str) -> None:
    chosen = {"round": ["v5.1"], "division": ["closed"]}
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    page = shown(context.new_page(), built[0].reports / "explorer.html", views.address(chosen, "ranked"))
    page.add_script_tag(path=npm_packages / "axe-core" / "axe.min.js")
    for view in views.VIEWS:
        page.evaluate("view => change({ view, row: '' })", view)
        assert page.evaluate(FAULTS) == [], view
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate(FAULTS) == []
    page.evaluate("openRow(current[0])")
    page.locator("#row[open]").wait_for()
    assert page.evaluate(FAULTS) == []
    page.evaluate("change({ row: '', a: text('id', current[0]), b: text('id', current[1]) })")
    page.locator("#pair table").wait_for()
    assert page.evaluate(FAULTS) == []
    context.close()


def test_each_report_leads_to_its_own_rows(built: Built, explorer: Open, whole: pd.DataFrame) -> None:
    places, page = built[0], None
    led = {}
    for path in sorted(places.reports.glob("[!.]*.json")):
        stated = json.loads(path.read_text("utf-8"))
        if not stated.get("live") and stated["trust"]["view"]:
            led[path.stem] = stated["trust"]["view"]
            assert stated["trust"]["view"].replace("&", "&amp;") in path.with_suffix(".html").read_text("utf-8")
    assert len(led) > 20
    for report, view in led.items():
        hash = view.partition("#")[2]
        page = shown(page, places.reports / "explorer.html", "view=table") if page else explorer("view=table")
        page.evaluate("hash => { location.hash = hash }", hash)
        page.wait_for_function(
            "hash => choice.chosen.size === new Set(new URLSearchParams(hash).keys()).size", arg=hash
        )
        assert counted(page) == len(taken(whole, parse_qs(hash))) > 0, report


def test_another_browser_shows_the_same(built: Built, firefox: Browser, explorer: Open) -> None:
    page = shown(firefox.new_page(), built[0].reports / "explorer.html", views.address(ONE, "ranked"))
    own = explorer(views.address(ONE, "ranked"))
    labels = "all => all.map(mark => mark.ariaLabel)"
    assert page.locator(".mark").evaluate_all(labels) == own.locator(".mark").evaluate_all(labels)
