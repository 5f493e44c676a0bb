"""The index in a real browser: what stands on the first screens, its table sorted by keyboard, pictures to be read."""

import re
import shutil
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from analysis._build.index import front

SCREENS = {"desk": (1440, 900), "phone": (400, 850)}
MOST_CARD_WORDS, FURTHER_SCREENS = 32, 3  # of a card on average, and down to the end of the last
OFFLINE, INTERACTIVE = 1, 3  # columns of the table


@pytest.fixture(scope="session")
def front_page(built, shipped, tmp_path_factory):
    """The address of the index of the reports that are shipped, without those under other parameters."""
    runs = tmp_path_factory.mktemp("runs")
    for path in (path for path in shipped if path.suffix == ".yml" and path.parent.name == "runs"):
        shutil.copy(path, runs)
    page = runs / "index.html"
    page.write_text(front.render(replace(built[0], runs=runs)), "utf-8")
    return page.as_uri()


@pytest.fixture(params=SCREENS)
def index(front_page, tab, request):
    """The index on a screen of this size, its policy in force."""
    width, height = SCREENS[request.param]
    page = tab({"width": width, "height": height})
    page.goto(front_page)
    return page


def column(page, number):
    """The texts of a column's cells, without the marks behind them."""
    texts = page.locator(".sortable tbody tr").evaluate_all(
        "(rows, n) => rows.map(row => { const cell = row.cells[n].cloneNode(true); "
        "cell.querySelectorAll('.marks').forEach(each => each.remove()); return cell.textContent })",
        number,
    )
    return [str(text) for text in texts]


def values(texts):
    """The first number of each text that has one."""
    return [float(text.split(" to ")[0].replace(",", "")) for text in texts if text != "\u2013"]


def test_the_first_screen_has_the_record_the_explorer_and_the_leading_chart(index):
    height = index.viewport_size["height"]
    expect(index.locator("header")).to_contain_text("rounds")
    expect(index.get_by_role("link", name="Open the explorer")).to_be_in_viewport()
    assert index.locator("main .picture, main figure").first.bounding_box()["y"] < height - 100
    assert index.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_cards_are_short_and_near(index):
    words = " ".join(" ".join(index.locator(".cards").all_inner_texts()).split())
    cards = index.locator(".cards > *").count()
    assert cards > 10 and len(words.split()) <= MOST_CARD_WORDS * cards
    size = index.viewport_size
    if size["width"] > size["height"]:
        box = index.locator(".cards").last.bounding_box()
        assert box["y"] + box["height"] <= (1 + FURTHER_SCREENS) * size["height"]


def test_the_keyboard_sorts_numbers_and_blanks_stand_last(index):
    head = index.locator(".sortable thead th").nth(INTERACTIVE)
    index.locator(".sortable thead th").nth(INTERACTIVE - 1).get_by_role("button").focus()
    index.keyboard.press("Tab")
    button = head.get_by_role("button")
    expect(button).to_be_focused()
    assert button.evaluate("e => getComputedStyle(e).outlineStyle") != "none"
    for key, order, down in (("Enter", "ascending", False), ("Space", "descending", True)):
        index.keyboard.press(key)
        expect(head).to_have_attribute("aria-sort", order)
        texts = column(index, INTERACTIVE)
        known = values(texts)
        assert known == sorted(known, reverse=down) and len(set(known)) > 1
        assert set(texts[len(known) :]) == {"\u2013"}


def test_a_range_sorts_by_its_number_and_a_name_by_its_letters(index):
    heads = index.locator(".sortable thead th")
    multiple = next(place for place, text in enumerate(heads.all_inner_texts()) if text.startswith("Break-even"))
    for place in (OFFLINE, OFFLINE + 1, multiple):
        heads.nth(place).get_by_role("button").click()
        known = values(column(index, place))
        assert known == sorted(known) and len(known) > 10
    heads.first.get_by_role("button").click()
    names = column(index, 0)
    assert names[0].startswith("Arc") and names != sorted(names, reverse=True)
    assert index.locator("th[aria-sort]").count() == 1


def test_it_asks_for_nothing_and_complains_of_nothing(index, watched):
    watched(index).reload()
    index.locator(".sortable th button").first.click()


def test_no_other_script_runs(index):
    with index.expect_console_message() as blocked:
        index.evaluate("""() => { const planted = document.createElement('script')
            planted.textContent = "document.title = 'ran'"; document.body.append(planted) }""")
    assert "Content Security Policy" in blocked.value.text and index.title() != "ran"


def test_the_table_reads_without_a_script(front_page, tab):
    page = tab(java_script_enabled=False)
    page.goto(front_page)
    expect(page.locator(".sortable thead th").first).to_have_text("Accelerator")
    assert page.locator(".sortable th button").count() == 0


def test_pictures_of_cards_are_whole(index):
    hidden = index.locator(".cards .picture").evaluate_all(
        "boxes => boxes.map(box => Math.max(box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth, "
        "box.firstChild.getBoundingClientRect().bottom - box.closest('li').getBoundingClientRect().bottom))"
    )
    assert len(hidden) == index.locator(".cards img").count() > 5 and max(hidden) <= 1


def test_cards_carry_the_caveats_of_their_pages(built, index):
    """As words, with what they mean behind them."""
    carried = 0
    for name in ("generational_speedup", "power_efficiency", "interactivity"):
        page = (built[0].reports / f"{name}.html").read_text("utf-8")
        answer = page.split('<section class="answer"')[1].split("</section>")[0].split("</p>")[0]
        labels = re.findall(r'<(?:abbr|span) class="caveat"[^>]*>([^<]+)<', answer)
        shown = index.locator(f"li:has(a[href='{name}.html']) .caveat").all_inner_texts()
        assert shown == labels
        carried += len(shown)
    assert carried
