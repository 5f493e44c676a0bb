"""The page: one self-contained file, in which data cannot become markup."""

from base64 import b64encode
from hashlib import sha256
from xml.etree import ElementTree

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from analysis._build.page import export, outputs
from analysis._build.page.drawing import inline
from analysis._build.page.errors import ReportFailed
from analysis._build.page.markup import Markup
from analysis._build.page.parameter_words import value_words, words
from analysis._build.runs.folders import Places
from analysis._core import mime

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"


def tags(page, name):
    """The attributes of each element of a name."""
    return [attributes for tag, attributes in Markup(page).tags if tag == name]


def test_pages_are_self_contained(built):
    for name in ("apples.html", "index.html"):
        page = (built.places.reports / name).read_text(encoding="utf-8")
        assert page.startswith('<!doctype html>\n<html lang="en">')
        assert {"http-equiv": "Content-Security-Policy", "content": POLICY} in tags(page, "meta")
        assert not tags(page, "script") and not tags(page, "link")
        assert all((image["src"] or "").startswith("data:") and image["alt"] for image in tags(page, "img"))


def test_hostile_data_is_shown_as_text(built):
    page = built.page("apples")
    assert "<script" not in page and "<img src=x" not in page
    assert Markup(page).text.count(built.hostile) == 1  # The table; the text output shows its repr.
    assert "Apple <b>census</b>" in Markup(page).text


def test_the_order_of_the_page(built):
    text = Markup(built.page("apples_five")).text
    parts = [
        "All reports",
        "How many apples?",
        "Ann has 10 apples.",
        "Contents",
        "What is compared",
        "About this report",
        " cells",
    ]
    text = text[text.index("Skip to the report") :]  # the question is the page's title too
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    assert text.count("Ann has 10 apples.") == 1
    assert "not for the page" not in text.replace('"text/plain": "not for the page"', "")


def test_code_is_folded_and_tables_have_scopes(built):
    page = built.page("apples")
    folds = {fold["class"]: "open" in fold for fold in tags(page, "details") if fold.get("class")}
    assert folds == {
        "code": True,
        "section": False,
        "section code": False,
    }  # a cell that hides nothing is read in place
    assert all(cell.get("scope") in {"col", "row"} for cell in tags(page, "th"))


def test_the_footer_says_where_it_comes_from(built):
    text = Markup(built.page("apples")).text
    parts = ["make reports/apples.html", "how many there are", "CC-BY-4.0", "published 2024-08-28", "v4.1-0001"]
    parts += ["not official MLPerf® Inference results", "trademarks of MLCommons", built.record("apples")["digest"]]
    assert [part for part in parts if part not in text] == []


FIGURE = """about = {"alt": "6 apples", "title": "Six <b>apples</b>.", "subtitle": "Us.", "header": 0.25}
size = {"code": "size", "mark": "+", "words": "of another <i>size</i>", "bare": "size"}
own = {"image/svg+xml": about, "analysis/key": [size], "analysis/narrow": svg.replace("72 36", "36 36")}
display({"image/svg+xml": svg}, metadata=own, raw=True)
numbers = {"analysis/numbers": True, "analysis/csv": "a\\n6\\n"}
display(HTML("<table id='n1'><tr><td>6</td></tr></table>"), metadata=numbers)
display(HTML("<table id='n2'><tr><td>7</td></tr></table>"))"""


def test_a_figure_s_claim_is_text_and_its_numbers_stand_beside_it(project):
    page = project.made("drawn", project.cells(project.code(FIGURE)))
    figure = page[page.rindex("<figure") : page.rindex("</figure>")]
    assert figure.startswith('<figure id="figure-2">') and '<a href="#figure-2">Link</a>' in figure
    assert '<p class="claim">Six &lt;b&gt;apples&lt;/b&gt;.</p>' in figure
    assert 'viewBox="0 9 72 27"' in figure  # the quarter of 36 points that is its header is cut off
    assert "<table id='n1'>" in figure and "n2" not in figure
    assert page.count("<table id='n1'>") == page.count("<table id='n2'>") == 1
    csv = b64encode(b"a\n6\n").decode()
    assert f'<a download="drawn-figure-2.csv" href="data:text/csv;charset=utf-8;base64,{csv}">CSV</a>' in figure
    assert '<li><span class="mark">+</span> of another &lt;i&gt;size&lt;/i&gt;</li>' in figure
    assert figure.count('class="drawing wide"') == figure.count('class="drawing narrow"') == 1


def test_a_mark_is_explained_below_the_first_figure_that_has_it(project):
    page = project.made("drawn", project.cells(project.code(FIGURE), project.code(FIGURE.replace("id='n", "id='m"))))
    size = '<span class="mark">+</span> of another'
    assert page.count(size) == 1
    assert page.index('id="figure-2"') < page.index(size) < page.index('id="figure-3"')


def test_a_mark_that_meant_something_else_in_the_figure_before_is_explained_again():
    size, pair = ({"mark": "*", "bare": words, "words": words} for words in ("different size", "single pair"))
    keys = [[size], [size], [pair], [size]]
    shown = [new_output("display_data", {"image/svg+xml": "<svg/>"}, metadata={mime.KEY: key}) for key in keys]
    assert outputs.explain([new_code_cell("", outputs=shown)], set()) == {"different size", "single pair"}
    assert [each.metadata["key"] for each in shown] == [[size], [], [pair], [size]]


NOTED = """notes = [{"code": "size", "bare": "size", "words": "another size", "scope": "row"},
         {"code": "old", "bare": "old", "words": "an <b>old</b> one", "scope": "background"}]
trust = {"parts": ["3 baskets", "<b>ripe</b>"], "notes": notes, "band": "SAMPLE & TEST"}
line = {"text/html": "<p>for notebooks</p>", "text/plain": "-"}
display({"application/vnd.analysis.trust+json": trust, **line}, raw=True)"""
BELOW = """told = [{"code": "few", "bare": "few", "words": "few of them", "scope": "row"},
        {"code": "few", "bare": "very few", "words": "very few of them", "scope": "row"},
        {"code": "quiet", "bare": "quiet", "words": "of nearly all", "scope": "background"}, notes[0]]
below = finding | {"name": "below", "notes": told}
display({"application/vnd.analysis.finding+json": below, "text/html": "<p>Below.</p>", "text/plain": ""}, raw=True)"""


def noted(project, *extra):
    """The page of a notebook with a trust line and a finding with notes."""
    cells = project.cells(project.code(BELOW, "hide-input"), *extra)
    cells[4].source += f"\n{NOTED}"
    page = project.made("noted", cells)
    return page[: page.index('<details class="section code">')]  # without the source of it all


def test_the_trust_line_stands_below_the_answer_and_its_band_over_the_page(project):
    page = noted(project)
    line = '<p class="trust">3 baskets, &lt;b&gt;ripe&lt;/b&gt;</p>'
    assert line in page and "for notebooks" not in page
    assert page.index("Ann has 6 apples.</p>") < page.index(line) < page.index("<main")
    assert '<aside class="band" aria-label="What kind of data">SAMPLE &amp; TEST</aside>' in page
    assert len(project.record("noted")["trust"]["notes"]) == 2
    assert project.record("noted")["answer"] == ["Ann has 6 apples."]


def test_notes_stand_once_on_a_page_of_nearly_all_rows_only_those_of_the_answer(project):
    page = noted(project)
    listed = ["Another size.", "An &lt;b&gt;old&lt;/b&gt; one.", "Few of them.", "Very few of them."]
    assert [page.count(f"<li>{words}</li>") for words in listed] == [1, 1, 1, 1], "two of one kind may differ in words"
    assert "of nearly all" not in Markup(page[: page.index("<footer")]).text


SIZED = """size = {"code": "another_size", "bare": "another size than most systems"}
size |= {"words": "another size than most systems, SIZEx"}
sized = below | {"name": "sizedSIZE", "notes": [*told, size]}
display({"application/vnd.analysis.finding+json": sized, "text/html": "<p>Sized.</p>", "text/plain": ""}, raw=True)"""


def test_notes_of_findings_in_a_fold_are_said_there(project):
    """Below the findings, also what the page explains elsewhere; each kind once in a fold, without what differs."""
    one, two, three = (SIZED.replace("SIZE", size) for size in "123")
    headings = [new_markdown_cell(f"## {name}", metadata={"tags": ["folded"]}) for name in ("Left out", "More")]
    both, alone = project.code(f"{one}\n{two}", "hide-input"), project.code(three, "hide-input")
    again = project.code(BELOW.replace('"below"', '"again"'), "hide-input")
    page = noted(project, headings[0], both, again, headings[1], alone).partition("<footer")[0]
    first, second = (fold.partition("</details>")[0] for fold in page.split('<details class="section">')[1:])
    few, size = "<li>Few of them.</li>", "<li>Another size than most systems{}.</li>"
    assert first.count(few) == second.count(few) == 1
    assert size.format("") in first and size.format(", 3x") in second
    assert "of nearly all" not in first + second


def test_a_section_tagged_folded_is_behind_its_heading_and_not_among_the_contents(project):
    heading = new_markdown_cell("## Left <i>out</i>\n\nFor those who ask.", metadata={"tags": ["folded"]})
    later = new_markdown_cell("## In sight\n\nAgain.")
    page = noted(project, heading, project.code("print(7)", "hide-input"), later)
    fold = page[page.index('<details class="section"><summary><h2') :]
    fold = fold[: fold.index("</details>")]
    assert Markup(fold).text == "Left <i>out</i> For those who ask. 7"
    assert page.index("Few of them.") < page.index('<details class="section">') < page.index("In sight</h2>")
    assert [a["href"] for a in tags(page, "a") if (a["href"] or "").startswith("#left")] == []
    facts = Markup(page)
    assert [name for name, _ in facts.tags].count("details") == page.count("</details>")


HOSTILE_DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 viewBox="0 0 9 9" onload="alert(1)"><style>.a { fill: red }</style><metadata>m</metadata><script>alert(2)</script>
<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="alert(3)"/></body></foreignObject>
<a xlink:href="https://example.org"><rect/></a><defs><path id="p" d="M0 0"/><path id="unused" d="M1 1"/></defs>
<g clip-path="url(#p)"><title>1 &lt; 2</title><use xlink:href="#p" onclick="alert(4)"/></g>
<image href="https://example.org/i.png"/><use href="javascript:alert(5)"/></svg>"""


def test_of_a_drawing_nothing_but_shapes_and_their_words_gets_into_a_page():
    shown, styles = inline(HOSTILE_DRAWING, "f1-", 'six "apples"')
    assert styles == (".a { fill: red }",)
    assert not any(word in shown for word in ("alert", "example.org", "script", "foreignObject", "metadata", "unused"))
    root = ElementTree.fromstring(shown)
    assert (root.get("role"), root.get("aria-label")) == ("img", 'six "apples"')
    assert 'id="f1-p"' in shown and 'href="#f1-p"' in shown and "url(#f1-p)" in shown
    assert [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")] == ["1 < 2"]


def test_numbers_ranges_and_zero_are_said_as_a_reader_would():
    assert (value_words(2000.0), value_words(20_000), value_words(0.12), value_words(0)) == (
        "2,000",
        "20,000",
        "0.12",
        "0",
    )
    assert value_words(0.0, "limit in milliseconds; zero: the scenario's") == "the scenario's"
    assert value_words(0, "output tokens of a request; 0: those of the benchmark") == "those of the benchmark"
    assert value_words([0.6, 0.8], "share that is left, low and high") == "0.6 to 0.8"
    assert value_words([0.6, 0.8], "which rounds") == "0.6, 0.8"
    assert value_words([f"part {place}" for place in range(65)]).endswith("part 10, part 11 and 53 more")
    assert words("usd_per_accelerator_hour") == "US dollars per accelerator hour" and words("cache_gb") == "cache (GB)"


def live(project, times=1):
    """What a build says of a report that shows `times` live outputs, each a button, a style, a script and its data."""
    parts = {"html": '<p id="still">Still</p><div id="tool"></div>', "style": "#tool { color: red }",
             "script": "document.title = '<b>'", "data": {"held": "a&b"}}  # fmt: skip
    shown = f'display({{"text/html": "<p>still</p>"}}, metadata={{"{mime.LIVE}": {parts!r}}}, raw=True)'
    cells = project.cells()
    project.notebook("apples", [*cells[:5], *[project.code(shown, "hide-input")] * times, *cells[5:]])
    project.build("apples")
    return project.said


def test_a_live_page_has_its_parts_and_allows_its_own_script_alone(project):
    live(project)
    page, stated = project.page("apples"), project.record("apples")
    script = "document.title = '<b>'"
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'; img-src data:" in page
    assert f"<script>{script}</script>" in page and '<script type="text/plain" id="held">a&b</script>' in page
    assert "#tool { color: red }" in page.partition("</style>")[0] and page.count('<p id="still">') == 1
    assert stated["live"] is True and project.record("apples_five")["live"] is False
    index = (project.places.reports / "index.html").read_text("utf-8")
    assert index.index('<p class="live"><a class="button" href="apples.html">') < index.index("</header>")
    assert index.count('href="apples.html"') == 1


def test_a_page_of_a_sweep_leads_up_to_the_reports(tmp_path):
    places = Places.under(tmp_path)
    assert (places.up, places.at(tmp_path / "reports" / "sweep").up, places.at(tmp_path / "other").up) == (
        "",
        "../",
        "",
    )


def test_an_id_twice_and_headings_out_of_order_are_refused():
    page = '<h1 id="question">q</h1><p id="a">1</p><script>let s = \'<p id="a"><h4>\'</script><!-- <p id="a"> -->'
    export._check(page)
    for twice in ('<p id="a">', "<p class=b id=question>"):
        with pytest.raises(ReportFailed, match="more than once"):
            export._check(page + twice)
    with pytest.raises(ReportFailed, match="out of order"):
        export._check(f"{page}<h3>skipped</h3>")
