"""The explorer in a real browser: what is chosen, drawn, warned of and taken away is what pandas says of it."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from analysis._core import explorer_links, table_text
from analysis._core.interval import Interval
from analysis._core.notes import note
from analysis._display.explorer import columns, live
from analysis.charts import style
from analysis.comparability import selection
from analysis.methods import cost, official_results

HOSTILE = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"
ONE = {"round": ["v6.0"], "benchmark": ["deepseek-r1"], "scenario": ["Server"], "division": ["closed"]}


@pytest.fixture(scope="module")
def whole(data):
    """The rows that the explorer holds, with their cost at the defaults of the notebook."""
    prices = data.prices[data.prices["cost_model"].eq("neocloud")]
    retained = Interval(0.6, 0.8) * Interval(0.5, 1.0)
    return cost.of_results(official_results.of(data, data.benchmark_limits), prices, retained)


@pytest.fixture
def explorer(built, tab, watched):
    """Opens the explorer at a view and waits for all of its data; nothing may be requested or complained of."""

    def opened(hash="", width=1440, page=None, **options):
        empty = watched(tab({"width": width, "height": 900}, **options))
        return shown(empty, page or built[0].reports / "explorer.html", hash)

    return opened


def shown(tab, page, hash):
    """The page opened at a view, all of its data read."""
    tab.goto("about:blank")  # from one view to another nothing would be opened
    tab.goto(f"{page.as_uri()}#{hash}" if hash else page.as_uri())
    tab.locator("body[data-ready=all]").wait_for(timeout=30_000)
    return tab


def counted(page):
    """How many results the page says are chosen."""
    return int(page.locator("#count").inner_text().split()[0].replace(",", ""))


def taken(rows, chosen):
    """The rows that are chosen, by pandas."""
    for name, values in chosen.items():
        rows = rows[text(rows, name).isin(values)]
    return rows


def text(frame, name):
    """The cells of a column in letters, each different one put into them once."""
    places, values = pd.factorize(frame[name], use_na_sentinel=False)
    words = np.array(["" if pd.isna(value) else str(value) for value in values], dtype="object")
    return pd.Series(words[places], frame.index, dtype="object")


BESIDE = "name => Object.fromEntries(options.get(name).map(o => [columns.get(name).values[o.at], o.count.textContent]))"
PLACE = "([name, value]) => options.get(name).findIndex(o => columns.get(name).values[o.at] === value)"


def test_each_facet_counts_and_chooses_and_going_back_goes_back(explorer, whole):
    page = explorer("view=table")
    for facet in explorer_links.FACETS:
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


def test_each_view_is_a_link(built, explorer, whole):
    """The same address gives the same drawing, on a page that is opened with it and on one that is led there."""
    chosen = {"round": ["v6.0", "v5.1"], "benchmark": ["llama2-70b"], "division": ["closed"]}
    other, page = explorer("view=table"), explorer("view=table")
    for view in explorer_links.VIEWS:
        own = chosen | ({"power": ["with"]} if view == "energy" else {})
        other.locator(f"#views button[value={view}]").click()
        other.evaluate("hash => { location.hash = hash }", explorer_links.address(own, view))
        other.wait_for_function(f"current.length === {len(taken(whole, own))}")
        expect(other.locator(f"#views button[value={view}]")).to_have_attribute("aria-pressed", "true")
        assert other.locator("#drawing tbody tr th" if view == "table" else "#drawing .mark").count() > 0, view
        assert other.evaluate("document.documentElement.scrollWidth") <= 1440
        shown(page, built[0].reports / "explorer.html", explorer_links.address(own, view))
        assert page.locator("#drawing").inner_html() == other.locator("#drawing").inner_html(), view


def test_the_ranking_is_that_of_pandas(explorer, whole):
    page = explorer(explorer_links.address(ONE, "ranked"))
    best = taken(whole, ONE).groupby("accelerator")["per_accelerator"].max().sort_values(ascending=False)
    assert page.locator("#drawing text.row-name").all_text_contents() == [short_names()[name] for name in best.index]
    drawn = page.evaluate("[...document.querySelectorAll('.mark')].map(m => number('per_accelerator', m.row))")
    assert set(drawn) <= set(taken(whole, ONE)["per_accelerator"]) and set(best) <= set(drawn)


def test_it_counts_systems_and_who_filed_them(explorer, whole):
    chosen = {"round": ["v5.1"], "scenario": ["Interactive"], "division": ["closed"]}
    page, rows = explorer(explorer_links.address(chosen, "table")), taken(whole, chosen)
    systems = len(rows[["submitter", "system"]].drop_duplicates())
    submitters, accelerators = (rows[name].nunique() for name in ("submitter", "accelerator"))
    accelerators -= rows["accelerator"].eq("mixed").any()  # which is no accelerator
    words = f"{len(rows)} results of {systems} systems from {submitters} submitters"
    assert page.locator("#count").inner_text().splitlines() == [
        words,
        f"v5.1 \u00b7 Interactive \u00b7 closed \u00b7 {accelerators} accelerators \u00b7 {len(whole):,} in all",
    ]
    expect(page.locator("#count small").last).to_be_hidden()


def test_a_search_says_what_the_filters_hide(explorer, whole):
    page, found = explorer(explorer_links.address(ONE, "table")), whole["result_id"].eq("6.0-0078").sum()
    page.locator("#search").fill("6.0-0078")
    shown = len(taken(whole[whole["result_id"].eq("6.0-0078")], ONE))
    assert found > shown > 0
    expect(page.locator("#count small").last).to_have_text(f"Filters hide {found - shown} more results of this search.")
    assert counted(page) == shown


def test_a_baseline_makes_ratios(explorer, whole):
    page = explorer(explorer_links.address(ONE, "ranked") + "&base=B200%20SXM")
    best = taken(whole, ONE).groupby("accelerator")["per_accelerator"].max()
    label = page.locator(".mark").evaluate_all("all => all.map(m => m.ariaLabel).filter(l => l.startsWith('GB300'))")
    largest = max(float(re.match(r"GB300: ([\d.]+) x B200", each)[1]) for each in label)
    assert largest == pytest.approx(best["GB300"] / best["B200 SXM"], rel=0.005)


def test_two_results_side_by_side(explorer, whole):
    rows = taken(whole, ONE | {"scenario": ["Offline"]}).sort_values("per_accelerator", ascending=False)
    one, other = rows.iloc[0], rows.iloc[-1]
    page = explorer(f"view=table&a={one['id']}&b={other['id']}")
    said = float(re.search(r"A: ([\d.,]+)x B", page.locator("#pair .ratio").inner_text())[1])
    assert said == pytest.approx(one["per_accelerator"] / other["per_accelerator"], rel=0.005)
    heads = page.locator("#pair tbody th").all_inner_texts()
    differs = {
        column.head for column in columns.COLUMNS if column.head and text(rows, column.name).iloc[[0, -1]].nunique() > 1
    }
    assert {"Accelerator", "Published value"} <= set(heads) <= differs


SAME = {"round": ["v6.0"], "benchmark": ["llama2-70b"], "scenario": ["Offline"], "division": ["closed"],
        "precision": ["fp4"], "power": ["without"], "suite": ["datacenter"], "accuracy_target": ["99.9"]}  # fmt: skip
MIXES = {
    "rounds": {"round": ["v5.1", "v6.0"]},
    "divisions": {"division": ["closed", "open"]},
    "precisions": {"precision": ["fp4", "fp8"]},
    "runs with and without measured power": {"round": ["v5.1"], "power": ["with", "without"]},
    "accuracy targets": {"round": ["v4.1"], "benchmark": ["dlrm-v2"], "precision": ["int8"]},
    "suites": {"round": ["v4.1"], "benchmark": ["resnet50"], "precision": ["int8"], "suite": ["datacenter", "edge"]},
}


def test_like_with_like_raises_no_banner(explorer):
    page = explorer(explorer_links.address(SAME, "ranked"))
    assert counted(page) > 1
    expect(page.locator("#banner")).to_be_hidden()


def test_what_is_mixed_is_said(explorer, whole):
    page = explorer("view=table")
    for kind, mixed in MIXES.items():
        chosen = {name: values for name, values in SAME.items() if name != "accuracy_target"} | mixed
        page.evaluate("hash => { location.hash = hash }", explorer_links.address(chosen, "table"))
        page.wait_for_function(f"current.length === {len(taken(whole, chosen))}")
        assert counted(page) > 1
        expect(page.locator("#banner")).to_contain_text(kind)


def test_there_is_a_test_for_each_kind_of_mixing():
    assert set(MIXES) == {words for _, _, words in live.MIXED}
    assert {bits for bits, _, _ in live.MIXED} == {*(f"apart_{name}" for name in selection.ASPECTS), "apart_precision"}


def test_rows_are_taken_away_as_they_are(explorer, whole):
    chosen = {"round": ["v6.0"], "division": ["closed"]}
    page, rows = explorer(explorer_links.address(chosen, "table")), taken(whole, chosen)
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


def test_a_view_is_taken_away_with_sources_and_date(explorer):
    page = explorer(explorer_links.address(ONE, "ranked"))
    with page.expect_download() as saved:
        page.locator("#take-svg").click()
    svg = Path(saved.value.path()).read_text("utf-8")
    assert "MLPerf Inference results v6.0, MLCommons; retrieved 2026-11-20" in svg and "GB300" in svg
    assert "var(" not in svg and "class=" not in svg and 'fill="rgb' in svg
    with page.expect_download() as saved:
        page.locator("#take-png").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG") and saved.value.path().stat().st_size > 5000


def test_a_row_opens_to_all_that_is_known_and_a_citation(explorer, whole):
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
    page.wait_for_url(lambda address: "row=" not in address)


def test_hands_on_the_keyboard_reach_everything(explorer, whole):
    page = explorer(explorer_links.address(ONE, "ranked"))
    page.locator("#views button[value=ranked]").focus()
    for _ in explorer_links.VIEWS:  # the other views, and then the first mark
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.classList.contains('mark')")
    first = page.evaluate("document.activeElement.row")
    expect(page.locator("#tip")).to_contain_text(f"Result {whole['result_id'].iloc[first]}")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.row") != first
    pointed, drawn = page.evaluate_handle("document.activeElement"), "own => own === document.activeElement"
    page.keyboard.press("Enter")
    expect(page.locator("#row[open]")).to_have_count(1)
    assert "row=" in page.evaluate("location.hash")
    page.keyboard.press("Escape")
    assert page.evaluate("[location.hash.includes('row='), document.getElementById('row').open]") == [False, False]
    page.wait_for_timeout(100)  # what is drawn is not drawn again: the hands are where they were
    assert pointed.evaluate(drawn)
    page.go_back()
    expect(page.locator("#row[open]")).to_have_count(1)
    page.locator("#row .close").click()
    assert page.evaluate("[location.hash.includes('row='), document.getElementById('row').open]") == [False, False]
    page.locator("#views button[value=table]").focus()
    page.keyboard.press("Enter")
    page.locator(".grid tbody button[tabindex='0']").focus()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.closest('tr').ariaRowIndex") == str(counted(page) + 1)
    page.keyboard.press("Enter")
    expect(page.locator("#row[open]")).to_have_count(1)


def test_typing_finds_without_a_new_entry_in_the_history(explorer, whole):
    page = explorer("view=table")
    before = page.evaluate("history.length")
    page.locator("#search").press_sequentially("gb300 deepseek", delay=10)
    found = whole["accelerator"].str.contains("GB300") | whole["system"].str.contains("GB300", case=False)
    expect(page.locator("#count")).to_contain_text(
        f"{(found & whole['benchmark'].eq('deepseek-r1')).sum():,} results of"
    )
    assert page.evaluate("history.length") == before and "q=gb300%20deepseek" in page.url


@pytest.mark.parametrize("column", [("submitter", "Submitter"), ("per_accelerator", "Throughput per accelerator")])
def test_the_table_sorts_by_a_column(explorer, whole, column):
    name, head = column
    page, rows = explorer(explorer_links.address(ONE, "table")), taken(whole, ONE)
    ways = ("ascending", "descending") if name == "submitter" else ("descending", "ascending")
    for way in ways:
        page.get_by_role("button", name=head, exact=False).first.click()
        cell = page.locator(f".grid th[aria-sort={way}]")
        assert cell.inner_text().startswith(head)
        got = page.evaluate("name => table.rows.map(row => cell(name, row))", name)
        key = (lambda value: value.casefold()) if name == "submitter" else None
        assert got == sorted(rows[name], key=key, reverse=way == "descending")


HEADS = """() => [...document.querySelectorAll('.grid thead th')].map(head => ({words: head.textContent,
    left: head.offsetLeft, wide: head.offsetWidth, cut: head.scrollWidth > head.clientWidth}))"""


def test_the_table_fits_and_no_sort_moves_a_column(explorer, whole):
    page, rows = explorer(explorer_links.address(ONE, "table")), taken(whole, ONE)
    before = page.evaluate(HEADS)
    assert page.locator(".grid").evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert [head["words"] for head in before if head["cut"]] == []
    told = page.locator("#drawing .same").inner_text()
    alike = {
        name for name in ("rate_unit", "software", "availability", "suite", "submitter") if rows[name].nunique() == 1
    }
    assert 2 < len(alike) < 5
    assert alike == {name for name in rows if name in alike and rows[name].iloc[0] in told}
    for column in columns.COLUMNS:
        if column.name in alike:
            assert column.head not in [head["words"] for head in before]
    for head in ("Accelerator", "System", "System"):
        page.locator(".grid thead button", has_text=re.compile(f"^{head}$")).click()
        assert page.evaluate(HEADS) == before


def test_a_row_without_a_rate_says_why_in_its_place(explorer, whole):
    chosen = {"round": ["v5.1"], "scenario": ["Interactive"], "division": ["closed"]}
    page, rows = explorer(explorer_links.address(chosen, "table")), taken(whole, chosen)
    page.set_viewport_size({"width": 1440, "height": 3600})
    page.evaluate("fillTable()")
    reasons = page.locator(".grid .reason").all_inner_texts()
    assert len(reasons) == rows["per_accelerator"].isna().sum() > 0
    assert set(reasons) == {note("duplicate").text}
    places = page.locator(".grid tbody tr:first-child").evaluate(
        "r => [...r.cells].reduce((all, c) => all + c.colSpan, 0)"
    )
    assert places == page.locator(".grid thead th").count()


def test_a_view_that_draws_nothing_says_what_it_wants(explorer):
    page = explorer("view=table")
    for view, chosen, words in (
        ("ranked", {"accelerator": ["mixed"]}, "is comparable: 20 (several accelerator types in one system)"),
        ("scenarios", ONE, "Select a second one"),
        ("scaling", {"benchmark": ["resnet50"], "scenario": ["SingleStream"]}, "single-query latency only"),
        ("energy", {"round": ["v5.1"], "power": ["without"]}, "Select “with measured power” under Power measured"),
        ("energy", {"round": ["v6.0"]}, "has measured power. Select another round"),
        ("speed", {"benchmark": ["resnet50"]}, "Select Server or Interactive, and one of DeepSeek-R1"),
        ("cost", {"accelerator": ["L40S"]}, "has a cost. Select an accelerator with a price: B200"),
    ):
        page.evaluate("hash => { location.hash = hash }", explorer_links.address(chosen, view))
        expect(page.locator("#drawing .nothing")).to_contain_text(words)


def test_strings_of_the_record_are_only_ever_text(explorer, whole, data, tmp_path):
    rows = taken(whole, ONE).reset_index(drop=True)
    hostile = rows.assign(
        **{name: HOSTILE for name in ("system", "submitter", "note", "software", "location", "accelerator")}
    )
    page = tmp_path / "hostile.html"
    page.write_text(live.Explorer(data, hostile, "view=table").document, "utf-8")
    tab = explorer(page=page)
    for view in explorer_links.VIEWS:
        shown(tab, page, explorer_links.address({}, view))
        tab.evaluate("openRow(0)")
        tab.locator("#row[open]").wait_for()
        assert HOSTILE in tab.locator("#row").inner_text()
        assert tab.title() == "MLPerf Inference results explorer" and tab.locator("img, .explorer script").count() == 0


def test_where_no_script_runs_a_table_stands(built, tab, whole):
    page = tab(java_script_enabled=False)
    page.goto((built[0].reports / "explorer.html").as_uri())
    expect(page.locator("#still table")).to_be_visible()
    expect(page.locator("#tool")).to_be_hidden()
    cells = page.locator("#still tbody tr").evaluate_all("all => all.map(r => [...r.cells].map(c => c.textContent))")
    heads = page.locator("#still thead th").all_text_contents()
    closed = {row[0]: int(row[heads.index("Closed")].replace(",", "")) for row in cells}
    assert closed == whole[whole["division"].eq("closed")]["round"].value_counts().to_dict()


@pytest.mark.parametrize(("width", "schemes"), [(400, ["light"]), (1440, ["light", "dark"])])
def test_nothing_keeps_anyone_out(built, tab, faults, width, schemes):
    """A view is the stage's matter; what stands around it is the same in all, and colors are the same in all widths."""
    page = tab({"width": width, "height": 900})
    chosen = {"round": ["v5.1"], "benchmark": ["llama2-70b"], "division": ["closed"]}
    shown(page, built[0].reports / "explorer.html", explorer_links.address(chosen, "ranked"))

    def kept_out(within="html"):
        found = []
        for scheme in schemes:  # which no script asks for
            page.emulate_media(color_scheme=scheme)
            found += [(scheme, fault) for fault in faults(page, scheme, within)]
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found.append((scheme, "the page is wider than its window"))
        return found

    assert kept_out() == []
    for view in explorer_links.VIEWS if width == 1440 else ():
        page.evaluate("view => change({ view, row: '' })", view)
        assert kept_out("#stage") == [], view
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert kept_out() == []
    page.evaluate("openRow(current[0])")
    page.locator("#row[open]").wait_for()
    assert kept_out() == []
    page.evaluate("change({ row: '', a: text('id', current[0]), b: text('id', current[1]) })")
    page.locator("#pair table").wait_for()
    assert kept_out() == []


FOLLOWED = """hash => {
    const [held, asked] = [written(), hash].map(each => new URLSearchParams(each))
    for (const each of [held, asked]) { each.delete('view'); each.sort() }
    return held.toString() === asked.toString()
}"""


def test_each_report_leads_to_its_own_rows(built, explorer, whole):
    places, led = built[0], {}
    for path in sorted(places.reports.glob("[!.]*.json")):
        stated = json.loads(path.read_text("utf-8"))
        if not stated.get("live") and stated["trust"]["view"]:
            led[path.stem] = stated["trust"]["view"]
            assert stated["trust"]["view"].replace("&", "&amp;") in path.with_suffix(".html").read_text("utf-8")
    rests_on_none = {"endpoints", "explore", "explorer", "source_audit"}  # of the rows that the explorer shows
    assert {path.stem for path in places.notebooks.glob("[!_]*.ipynb")} - rests_on_none < led.keys()
    page = explorer("view=table")
    for report, view in led.items():
        hash = view.partition("#")[2]
        page.evaluate("hash => { location.hash = hash }", hash)
        page.wait_for_function(FOLLOWED, arg=hash)
        assert counted(page) == len(taken(whole, parse_qs(hash))) > 0, report


COLORS = """() => Object.fromEntries([...document.querySelectorAll('#drawing .mark.inked')]
    .map(own => [text('accelerator', own.row), getComputedStyle(own).stroke]))"""


def short_names():
    """What pages call each accelerator."""
    return {row["accelerator"]: row["label"] or row["accelerator"] for row in table_text.rows("accelerators")}


def test_an_accelerator_has_one_color_in_all_views_and_that_of_the_figures(explorer):
    chosen = {"benchmark": ["llama2-70b"], "scenario": ["Offline", "Server"], "division": ["closed"]}
    found = {}
    for view in ("ranked", "scenarios", "rounds", "scaling"):
        for name, color in explorer(explorer_links.address(chosen, view)).evaluate(COLORS).items():
            found.setdefault(name, set()).add(color)
    assert len(found) > 8
    for name, colors in found.items():
        own = style.COLORS.get(name)
        channels = own and ", ".join(str(int(own[at : at + 2], 16)) for at in (1, 3, 5))
        assert len(colors) == 1 and (not own or colors == {f"rgb({channels})"}), name


def test_it_opens_on_like_with_like_and_calls_accelerators_as_reports_do(explorer):
    page = explorer("")
    assert page.locator("#drawing text.name").first.inner_html().startswith("GPT-OSS 120B, Offline")
    cautions = [line for line in page.inner_text("body").splitlines() if "Caution" in line]
    assert cautions == ["Caution: this view mixes precisions (FP4 and FP8)."]  # which its figure tells apart
    names = page.locator("#drawing text.row-name").all_text_contents()
    assert "B300" in names and "B300 SXM" not in names
    page.locator("#drawing .mark").nth(2).click()
    full = page.locator("#row dl div").filter(has=page.get_by_text("Accelerator", exact=True)).locator("dd")
    assert full.inner_text() == page.evaluate("text('accelerator', rowOf(choice.row))")


def test_a_result_has_its_cost_or_says_why_not(explorer, whole):
    """Beside its throughput, at the price of the notebook's cost model; the axis of a view of its own."""
    chosen = {"round": ["v6.0"], "benchmark": ["llama2-70b"], "scenario": ["Server"], "division": ["closed"]}
    page, rows = explorer(explorer_links.address(chosen, "table")), taken(whole, chosen)
    able = rows[rows["per_accelerator"].notna()]
    page.set_viewport_size({"width": 1440, "height": 3600})
    page.evaluate("fillTable()")
    heads = page.locator(".grid thead th").all_inner_texts()
    place = next(place for place, head in enumerate(heads) if head.startswith("Cost"))
    cells = page.evaluate(f"[...document.querySelectorAll('.grid tbody tr')].map(row => row.cells[{place}].innerText)")
    assert cells.count("no price") == able["priced"].eq("no price").sum() > 0
    least = f"{able['usd_per_million'].min():.4g}"
    assert any(cell.startswith(least) for cell in cells)
    page.evaluate("hash => { location.hash = hash }", explorer_links.address(chosen, "cost"))
    expect(page.locator("#drawing text.axis", has_text="dollars per million tokens")).to_be_visible()
    assert page.locator("#drawing .mark").count() > 3
