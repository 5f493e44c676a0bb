"""What a reader takes in: how much stands in sight, where the first figure begins, no id, no caveat said twice."""

import csv
import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from analysis.core.notes import KINDS
from analysis.engine.reports import Outcome
from analysis.engine.runs.places import Places

Built = tuple[Places, Outcome, list[str]]
Screens = tuple[Places, list[str], Page, int]
SIZES = {"desk": (1440, 900), "phone": (400, 850)}
MOST_WORDS, MOST_NUMBERS, ANSWER_WORDS = 450, 40, 25
FIGURE_SHOWS = 40  # pixels of the first figure that the first screen holds at least
WORD = re.compile(r"\S*\w\S*")
NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*(?![\w.]*[a-zA-Z])")
LIVE = (
    "explorer"  # its words and numbers are what its reader chooses: only its question and answer are held to a length
)
UNSAID = ("at hand", "as printed", "officially so only", "Caveat:")
PROSE = """() => {
    document.querySelectorAll('table, nav, .behind').forEach(each => each.style.display = 'none')
    return document.body.innerText
}"""


@pytest.fixture(params=SIZES)
def screens(
    request: pytest.FixtureRequest, built: Built, chromium: Browser
) -> Iterator[tuple[Places, list, Page, int]]:
    """The project, its reports' names, a page of this size, and how high its screen is."""
    width, height = SIZES[request.param]
    context = chromium.new_context(viewport={"width": width, "height": height}, bypass_csp=True)
    page = context.new_page()
    yield built[0], built[1].built, page, height
    context.close()


def names(places: Places) -> tuple[list[str], list[str]]:
    """The ids of benchmarks that no reader would say, and the names that hold a number."""
    with (places.data / "benchmarks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["benchmark"] for row in rows if row["benchmark"] != row["label"]], [row["label"] for row in rows]


def said(page: Page) -> str:
    """The words in sight, on one line."""
    return " ".join(page.evaluate("document.body.innerText").split())


def test_a_page_can_be_read(screens: Screens) -> None:
    """Words and numbers in sight, at the defaults of each report and under the other parameters of this project."""
    places, reports, page, height = screens
    faults = []
    for report in sorted(reports):
        page.goto((places.reports / f"{report}.html").as_uri())
        if report == LIVE:
            continue
        words = said(page)
        top = page.evaluate("document.querySelector('figure, .nothing')?.getBoundingClientRect().top ?? 1e9")
        prose = page.evaluate(PROSE)
        for label in names(places)[1]:
            prose = prose.replace(label, "")
        counts = {"words": len(WORD.findall(words)), "numbers": len(NUMBER.findall(prose))}
        faults += [f"{report}: {counts['words']} words"] * (counts["words"] > MOST_WORDS)
        faults += [f"{report}: {counts['numbers']} numbers"] * (counts["numbers"] > MOST_NUMBERS)
        faults += [f"{report}: its first figure begins at {top:.0f}"] * (top > height - FIGURE_SHOWS)
        faults += [f"{report}: says {word!r}" for word in UNSAID if word in words]
    assert faults == []


def test_names_and_never_ids_are_read(screens: Screens) -> None:
    """In sentences, figures' words and tables; parameters and code name what a notebook takes."""
    places, reports, page, _ = screens
    ids = re.compile(r"(?<![\w./-])(" + "|".join(map(re.escape, names(places)[0])) + r")(?![\w/-])")
    found = {}
    for report in sorted(reports):
        page.goto((places.reports / f"{report}.html").as_uri())
        page.evaluate("document.querySelectorAll('main details').forEach(each => each.open = true)")
        page.evaluate("document.querySelectorAll('footer').forEach(each => each.remove())")
        words = said(page) + " ".join(page.locator("[aria-label]").evaluate_all("all => all.map(e => e.ariaLabel)"))
        if hits := sorted(set(ids.findall(words))):
            found[report] = hits
    assert found == {}


def test_no_caveat_is_read_twice(screens: Screens) -> None:
    """By the fixed words of each kind of note; that a precision is not known is said where precision is the matter."""
    places, reports, page, _ = screens
    fixed = {code: max(re.split(r"{[^}]*}", kind.words), key=len).strip() for code, kind in KINDS.items()}
    twice = []
    for report in sorted(reports):
        page.goto((places.reports / f"{report}.html").as_uri())
        words = said(page)
        notebook = json.loads((places.reports / f"{report}.json").read_text("utf-8"))["notebook"]
        carried = {"preview", "another_size", "different_sizes", "bridged", "different_rounds", "power_capped",
                   "precision_unstated", "division_unstated", "tokens_assumed", "label_corrected",
                   "prices_undated", "unofficial_ratio", "contradicts_record", "above_hardware"}  # fmt: skip
        twice += [f"{report}: {fixed[code]!r}" for code in sorted(carried) if words.count(fixed[code]) > 1]
        unstated = "precision not stated" in words and notebook != "quantization_tradeoffs"
        twice += [f"{report}: 'precision not stated'"] * unstated
    assert twice == []


def test_an_answer_is_short_and_rests_on_something(built: Built) -> None:
    """The answer, one sentence of what follows from it, and the trust line."""
    places, outcome, _ = built
    faults = []
    for report in sorted(outcome.built):
        stated = json.loads((places.reports / f"{report}.json").read_text("utf-8"))
        faults += [f"{report}: {len(stated['answer'])} paragraphs"] * (len(stated["answer"]) != 2)
        faults += [f"{report}: {stated['answer'][0]}"] * (len(stated["answer"][0].split()) > ANSWER_WORDS)
        faults += [f"{report}: no trust line"] * (not stated["trust"] or not stated["trust"]["parts"])
    assert faults == []
