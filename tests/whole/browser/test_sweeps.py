"""The index of a sweep in a real browser: its one script sorts and filters, by mouse and keyboard; no other runs."""

import shutil

import pytest
from filelock import FileLock
from playwright.sync_api import expect

from analysis._build.kernels.pool import Workers
from analysis._build.runs.folders import Places
from analysis._build.sweep import build_sweep

SWEEP = """notebook: power_efficiency
title: Energy by price
matrix:
  benchmark: [llama2-70b, resnet50]
  usd_per_kilowatt_hour: [0.4, 0.06]
"""
PRICE, FOUND = 2, "energy price"  # the column of the electricity's price, and the head of what it decides


@pytest.fixture(scope="session")
def swept(built, workspace):
    """A copy of the project with a sweep of two benchmarks and two prices built; by one worker for all."""
    root = workspace / "swept"
    with FileLock(workspace / "swept.lock"):
        if not root.exists():
            # With the tables that its reports have kept, which all others would have to make again.
            places = Places.under(shutil.copytree(built[0].root, workspace / "unswept"))
            (places.sweeps / "small.yml").write_text(SWEEP, "utf-8")
            outcome = build_sweep("small", places=places, workers=Workers(jobs=2), say=lambda line: None)
            assert outcome.failed == [] and len(outcome.built) == 4
            places.root.rename(root)
    return Places.under(root)


@pytest.fixture(params=[(1440, "light"), (400, "dark")], ids=["wide", "phone"])
def index(swept, tab, request):
    """The sweep's index, its policy in force."""
    width, scheme = request.param
    page = tab({"width": width, "height": 900}, scheme)
    page.goto((swept.reports / "small" / "index.html").as_uri())
    return page


def column(page, number):
    """The texts of a column's cells in the rows that are shown."""
    return [row.locator("th, td").nth(number).inner_text() for row in page.locator("tbody tr:visible").all()]


def test_it_asks_for_nothing_and_complains_of_nothing(index, watched):
    watched(index).reload()
    index.locator("thead button").first.click()


def test_a_click_on_a_head_sorts_and_a_second_one_turns_it_round(index):
    assert column(index, PRICE) == ["0.4", "0.06"] * 2
    head = index.locator("thead th").nth(PRICE)
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert column(index, PRICE) == ["0.06", "0.06", "0.4", "0.4"]
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert column(index, PRICE)[0] == "0.4"


def test_the_keyboard_sorts_by_a_finding(index):
    heads = index.locator("thead th").all_inner_texts()
    found = next(place for place, text in enumerate(heads) if text.lower().startswith(FOUND))
    head = index.locator("thead th").nth(found)
    button = head.get_by_role("button")
    index.locator("thead th").nth(found - 1).get_by_role("button").focus()
    index.keyboard.press("Tab")
    expect(button).to_be_focused()
    assert button.evaluate("e => getComputedStyle(e).outlineStyle") != "none"
    index.keyboard.press("Enter")
    said = column(index, found)
    costs = [float(cost.partition("–")[0]) for cost in said if cost != "–"]
    assert costs == sorted(costs) and len(set(costs)) >= 2
    assert said[len(costs) :] == ["–"] * (4 - len(costs))  # what is not known stands last, whichever way round
    expect(head).to_have_attribute("aria-sort", "ascending")


def test_filters_leave_what_matches_and_say_how_many(index):
    index.get_by_label("benchmark").select_option("resnet50")
    assert set(column(index, 1)) == {"resnet50"}
    expect(index.locator("#shown")).to_have_text("2 of 4 reports")
    index.get_by_label("any text").fill("0.06")
    expect(index.locator("#shown")).to_have_text("1 of 4 reports")
    index.locator("tbody tr:visible a").click()
    expect(index.locator("h1")).to_contain_text("joule")


def test_filters_are_there_again_after_a_reload_and_a_way_back(index):
    index.get_by_label("benchmark").select_option("resnet50")
    index.get_by_label("any text").fill("0.06")
    index.reload()
    expect(index.locator("#shown")).to_have_text("1 of 4 reports")
    expect(index.get_by_label("benchmark")).to_have_value("resnet50")
    index.locator("tbody tr:visible a").click()
    index.go_back()
    expect(index.locator("#shown")).to_have_text("1 of 4 reports")
    index.get_by_label("any text").fill("")
    index.get_by_label("benchmark").select_option("")
    expect(index.locator("#shown")).to_have_text("4 of 4 reports")


def test_no_other_script_runs(index):
    with index.expect_console_message() as blocked:
        index.evaluate("""() => { const planted = document.createElement('script')
            planted.textContent = "document.title = 'ran'"; document.body.append(planted) }""")
    assert "Content Security Policy" in blocked.value.text and index.title() == "Energy by price"


def test_it_keeps_nobody_out_and_fits(swept, tab, faults, screenshots):
    page = tab()
    for width, scheme in ((400, "dark"), (400, "light"), (1440, "dark"), (1440, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.goto((swept.reports / "small" / "index.html").as_uri())
        page.screenshot(path=screenshots / f"sweep-{scheme}-{width}.png", full_page=True)
        assert faults(page, scheme) == [], (width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
