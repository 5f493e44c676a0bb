"""Outputs at random, of a fixed seed: whatever cells show, the page is whole, runs no script, and is made in time."""

import random
import re
import time
from html.parser import HTMLParser

import pytest

PIECES = (
    "<script>evil()</script>",
    "<table>",
    "</table>",
    "<td rowspan=99999>",
    "<svg onload=evil()>",
    "</svg>",
    "<style>*{",
    "position:fixed",
    "</style>",
    "<a href='d&#9;ata:text/html,evil'>",
    "<img src=x onerror=evil()>",
    "&#x202E;",
    "\x00",
    "\x1b[31m",
    "<use href='#a'/>",
    "<g id='a'>",
    "</main></body></html>",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "]]>",
    "<!--",
    "\u202e",
    "\"'><meta http-equiv=refresh content=0>",
    "<iframe srcdoc=evil>",
    "<details open>",
    "<base href=//evil>",
)
KINDS = ("text/html", "image/svg+xml", "text/markdown", "text/plain", "text/csv", "application/vnd.mlperf.narrow+svg")
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'
ACTS = {"script", "iframe", "base", "form", "object", "embed", "meta", "foreignobject", "animate", "set"}


class Elements(HTMLParser):
    """The elements of a page's body and their attributes."""

    def __init__(self, page):
        super().__init__()
        self.all = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.all.append((tag, {name: re.sub(r"\s", "", value or "") for name, value in attributes}))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_page_of_outputs_at_random_is_whole_and_acts_on_nothing(project, say, seed):
    rng = random.Random(seed)
    texts = ["".join(rng.choice(PIECES) for _ in range(rng.randint(1, 40))) for _ in range(61)]
    cells = []
    for number in range(30):
        kind, said, text = rng.choice(KINDS), rng.choice(("finding", "figure", "table", "other")), texts[2 * number]
        data = {kind: SVG.replace("{}", text) if "svg" in kind else text}
        cells.append(f"say({said!r}, '{number}', {texts[2 * number + 1]!r}, **{data!r})")
    project.add("one", f"# One {texts[60]}", say, *cells, "raise ValueError('\\x1b')" if seed % 3 == 0 else "1")
    project.add("two", "# Two", "1")
    started = time.monotonic()
    status = project.build()
    assert time.monotonic() - started < 60 and project.exists("two") and status == (seed % 3 == 0)
    if status == 0:
        page = project.page("one")
        shown = re.sub(r"<script>.*?</script>|<style>.*?</style>", "", page[page.index("<body") :], flags=re.DOTALL)
        assert page.rstrip().endswith("</html>") and page.count("</html>") == page.count("<main") == 1
        for tag, attributes in Elements(shown).all:
            assert tag not in ACTS and not any(name.startswith("on") for name in attributes)
            assert not re.match("data:text/html|javascript:", attributes.get("href", ""))
            assert "position" not in attributes.get("style", "")
        assert not re.search("[\x00\x1b\u202e]", page)
