"""What a reader takes in: how much stands in sight, where the first figure begins, no id, no caveat said twice."""

import csv
import json
import re
from dataclasses import asdict, dataclass

import pytest
from filelock import FileLock

from analysis._core.notes import KINDS

SIZES = {"desk": (1440, 900), "phone": (400, 850)}
MOST_WORDS, MOST_NUMBERS, ANSWER_WORDS = 450, 40, 25
FIGURE_SHOWS = 40  # pixels of the first figure that the first screen holds at least
WORD = re.compile(r"\S*\w\S*")
NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*(?![\w.]*[a-zA-Z])")
LIVE = "explorer"  # its words and numbers are what its reader chooses: only question and answer are held to a length
UNSAID = ("at hand", "as printed", "officially so only", "Caveat:")
TOP = "() => document.querySelector('figure, .nothing')?.getBoundingClientRect().top ?? 1e9"
WITHOUT = """selector => {
    const hidden = document.querySelectorAll(selector)
    hidden.forEach(each => each.style.display = 'none')
    const text = document.body.innerText
    hidden.forEach(each => each.style.display = '')
    return text
}"""
FOOTNOTE = "#footnote"  # of fixed words, as MLCommons' messaging guidelines ask for
LABELS = "[...document.querySelectorAll('[aria-label]')].map(each => each.ariaLabel)"
UNFOLD = """() => {
    document.querySelectorAll('main details').forEach(each => each.open = true)
    document.querySelectorAll('footer').forEach(each => each.remove())
}"""


@dataclass(frozen=True)
class Read:
    """What one page gives its reader: the words in sight above the footnote, those outside tables and contents, where
    the first figure begins (pixels), and the words of all that can be unfolded, with those of its drawings."""

    words: str
    prose: str
    top: float
    unfolded: str


@pytest.fixture(scope="session")
def readings(built, chromium, drawn, workspace):
    """Each report on each screen, by the names of both; opened by one worker for all."""
    kept = workspace / "readings.json"
    with FileLock(workspace / "readings.lock"):
        if not kept.exists():
            found = _readings(built, chromium, drawn)
            kept.write_text(json.dumps({size: {name: asdict(read) for name, read in own.items()}
                                        for size, own in found.items()}), "utf-8")  # fmt: skip
    found = json.loads(kept.read_text("utf-8"))
    return {size: {name: Read(**read) for name, read in own.items()} for size, own in found.items()}


def _readings(built, chromium, drawn):
    context = chromium.new_context(bypass_csp=True)
    page, found = context.new_page(), {size: {} for size in SIZES}
    for report in sorted(built[1].built):
        seen = {}
        for size in SIZES:
            show(page, size)
            if not seen or page.locator("script").count():  # A script may set its page up by the size.
                page.goto((built[0].reports / f"{report}.html").as_uri())
                drawn(page)
            prose = page.evaluate(WITHOUT, f"table, nav, .behind, {FOOTNOTE}")
            seen[size] = " ".join(page.evaluate(WITHOUT, FOOTNOTE).split()), prose, page.evaluate(TOP)
        page.evaluate(UNFOLD)
        labels = " ".join(page.evaluate(LABELS))
        for size in reversed(seen):  # from the screen that it was last seen on to that of the next report
            show(page, size)
            found[size][report] = Read(*seen[size], said(page) + labels)
    context.close()
    return found


def show(page, size):
    """The page on a screen of SIZES."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})


@pytest.fixture(scope="session", params=SIZES)
def read(request, readings):
    """How high the screen is, and each report on it by its name."""
    return SIZES[request.param][1], readings[request.param]


def names(places):
    """The ids of benchmarks that no reader would say, and the names that hold a number."""
    with (places.data / "benchmarks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["benchmark"] for row in rows if row["benchmark"] != row["label"]], [row["label"] for row in rows]


def said(page):
    """The words in sight, on one line."""
    return " ".join(page.evaluate("document.body.innerText").split())


def test_a_page_can_be_read(built, read):
    """Words and numbers in sight, at the defaults of each report and under the other parameters of this project."""
    height, found = read
    labels, faults = names(built[0])[1], []
    for report, page in found.items():
        if report == LIVE:
            continue
        prose = page.prose
        for label in labels:
            prose = prose.replace(label, "")
        counts = {"words": len(WORD.findall(page.words)), "numbers": len(NUMBER.findall(prose))}
        faults += [f"{report}: {counts['words']} words"] * (counts["words"] > MOST_WORDS)
        faults += [f"{report}: {counts['numbers']} numbers"] * (counts["numbers"] > MOST_NUMBERS)
        faults += [f"{report}: its first figure begins at {page.top:.0f}"] * (page.top > height - FIGURE_SHOWS)
        faults += [f"{report}: says {word!r}" for word in UNSAID if word in page.words]
    assert faults == []


def test_names_and_never_ids_are_read(built, read):
    """In sentences, words of figures, and tables; parameters and code name ids, as some systems do."""
    ids = re.compile(r"(?<![\w./-])(?<!— )(" + "|".join(map(re.escape, names(built[0])[0])) + r")(?![\w/-])")
    found = {report: sorted(set(ids.findall(page.unfolded))) for report, page in read[1].items()}
    assert {report: hits for report, hits in found.items() if hits} == {}


def test_no_caveat_is_read_twice(built, read):
    """By the fixed words of each kind of note; that a precision is not known is said where precision is the matter."""
    carried = {"preview", "another_size", "different_sizes", "bridged", "different_rounds", "power_capped",
               "precision_unstated", "division_unstated", "tokens_assumed", "label_corrected",
               "prices_undated", "unofficial_ratio", "contradicts_record", "above_hardware"}  # fmt: skip
    fixed = {code: max(re.split(r"{[^}]*}", KINDS[code].words), key=len).strip() for code in sorted(carried)}
    twice = []
    for report, page in read[1].items():
        notebook = json.loads((built[0].reports / f"{report}.json").read_text("utf-8"))["notebook"]
        twice += [f"{report}: {words!r}" for words in fixed.values() if page.words.count(words) > 1]
        unstated = "precision not stated" in page.words and notebook != "quantization_tradeoffs"
        twice += [f"{report}: 'precision not stated'"] * unstated
    assert twice == []


def test_an_answer_is_short_and_rests_on_something(built):
    """The answer, one sentence of what follows from it, and the trust line."""
    places, outcome, _ = built
    faults = []
    for report in sorted(outcome.built):
        stated = json.loads((places.reports / f"{report}.json").read_text("utf-8"))
        faults += [f"{report}: {len(stated['answer'])} paragraphs"] * (len(stated["answer"]) != 2)
        faults += [f"{report}: {stated['answer'][0]}"] * (len(stated["answer"][0].split()) > ANSWER_WORDS)
        faults += [f"{report}: no trust line"] * (not stated["trust"] or not stated["trust"]["parts"])
    assert faults == []
