"""A page from an executed notebook: its order, its downloads, its policy, and what hostile outputs cannot do."""

import base64
import json
import re

import pytest

from analysis.pages.sanitize import TEMPLATES, script_hash

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 648 300"><text>drawn</text></svg>'
PNG = base64.b64encode(b"\x89PNG").decode()


@pytest.fixture
def page(project, say):
    """The page of a notebook of these cells, and its record."""

    def make(*cells, name="one"):
        project.add(name, "# How fast is **it**?\n\nThe `question` &c.\n\nMore of it.", say, *cells)
        assert project.build() == 0
        return project.page(name), project.record(name)

    return make


def places(html, *texts):
    """Where these texts are in the page's body, each after the one before."""
    found = [html.index(text, html.index("<body")) for text in texts]
    assert found == sorted(found), dict(zip(texts, found, strict=True))


def test_a_page_begins_with_question_and_answer_and_keeps_the_order_of_cells(page):
    html, record = page(
        "say('finding', 'first', 'It <b>follows</b>')",
        "## Rates",
        f"say('figure', 'rates', 'Rates', ['mlc'], **{{'image/svg+xml': {SVG!r}, 'image/png': {PNG!r}}})",
        "say('headline', 'answer', 'It is 2x faster', ['mlc'])",
        "import pandas as pd\npd.DataFrame({'a': ['<script>']})",
        "say('table', 'all', 'All', **{'text/csv': 'a,b\\n1,ü\\n', 'text/html': '<table><tr><td>1</td></tr></table>'})",
    )
    places(html, "How fast is <strong>it</strong>?", "It is 2x faster", "The <code>question</code> &amp;c.",
           "It &lt;b&gt;follows", "<h2>Rates</h2>", 'id="rates"', 'id="all"', "About this report", "MLCommons: ",
           "https://a.example/", "registered trademark", "not official MLPerf results")  # fmt: skip
    assert html.count('class="headline">It is 2x faster') == 1
    assert "<title>How fast is it?</title>" in html
    assert record["title"] == "How fast is it?" and record["question"] == "The question &c."
    assert record["headline"] == {
        "name": "answer", "text": "It is 2x faster", "title": "It is 2x faster",
        "value": 2.0, "unit": "x", "sources": ["mlc"],
    }  # fmt: skip
    assert [each["name"] for each in record["figures"] + record["tables"]] == ["rates", "all"]
    assert record["sources"] == ["mlc"]


def test_a_page_with_an_answer_says_what_it_lacks_where_it_stopped(page):
    html, _ = page(
        "say('headline', 'answer', 'It is 2x faster')",
        "## Other runs",
        "say('finding', 'first', 'Before')\nclass NoData(ValueError): ...\nraise NoData('no run of A100')",
        "## Limits\n\nOf what is not there",
        "say('finding', 'second', 'Never')",
    )
    places(html, "It is 2x faster", "Other runs", "Before", "No data:</strong> no run of A100", "About this report")
    assert html.count('class="no-data"') == 1
    assert "Limits" not in html and "Never" not in html


def test_a_page_without_an_answer_ends_at_its_message(page):
    html, _ = page("class NoData(ValueError): ...\nraise NoData('no run of A100')", "## Rates", "A rate is of a run.")
    places(html, "No data:</strong> no run of A100", "About this report")
    assert "Rates" not in html and "A rate" not in html


def test_downloads_hold_what_was_shown(page):
    html, _ = page(
        f"say('figure', 'rates', 'Rates', **{{'image/svg+xml': {SVG!r}}})",
        f"say('figure', 'photo', 'Photo', **{{'image/png': {PNG!r}}})",
        "say('table', 'all', 'All', **{'text/csv': 'a,b\\n1,ü\\n', 'text/html': '<table><tr><td>1</td></tr></table>'})",
    )
    assert re.findall(r'<button class="file" value="one-rates">(\w+)</button>', html) == ["PNG", "SVG"]
    links = dict(re.findall(r'<a download="([^"]+)" href="([^"]+)"', html))
    assert base64.b64decode(links["one-photo.png"].removeprefix("data:image/png;base64,")) == b"\x89PNG"
    assert base64.b64decode(links["one-all.csv"].partition("base64,")[2]).decode() == "a,b\n1,ü\n"


def test_plain_pictures_and_html_are_shown_and_prints_are_folded(page):
    html, _ = page(
        "print('printed')",
        f"display({{'image/png': {PNG!r}, 'text/plain': 'Figure(1)'}}, raw=True)",
        "from IPython.display import HTML, Markdown\ndisplay(HTML('<p>said</p>'), Markdown('**bold**'))",
    )
    shown = re.sub(r"<details class=\"code\">.*?</details>", "", html, flags=re.DOTALL)
    assert "<p>said</p>" in shown and "<strong>bold</strong>" in shown and f"base64,{PNG}" in shown
    assert "printed" in html and "printed" not in shown and "Figure(1)" not in shown
    assert 'alt="How fast is it?, figure"' in shown


SHEET = "<style>&lt;/style&gt;&lt;base href=//evil.example&gt;</style><text>"
HOSTILE = {
    "html": "display({'text/html': '<meta http-equiv=refresh content=0;url=//evil.example>'}, raw=True)",
    "form": "display({'text/html': '<form action=//evil.example>x</form>'}, raw=True)",
    "svg": f"display({{'image/svg+xml': {SVG.replace('<text>', SHEET)!r}}}, raw=True)",
    "no svg": "display({'image/svg+xml': '<svg><base href=//evil.example>'}, raw=True)",
    "png": "display({'image/png': '\" onerror=\"evil.example'}, raw=True)",
    "text": "print('<base href=//evil.example>')",
    "name": "say('finding', '\"><base href=//evil.example>', '<base href=//evil.example>')",
    "alt": "say('figure', 'n', '\"><base href=//evil.example>', **{'image/png': 'AAAA'})",
    "markdown": "Text <base href=//evil.example> <img src=x onerror=evil.example> [a](javascript:evil.example)",
    "error": "try:\n    raise ValueError('<base href=//evil.example>')\nexcept ValueError:\n"
    "    get_ipython().showtraceback()",
}


@pytest.mark.parametrize("cell", HOSTILE.values(), ids=HOSTILE)
def test_no_output_reaches_beyond_its_place(project, say, cell):
    project.add("one", "# Title \x00\x1b<base href=//evil.example>\n\nText", say, cell)
    project.build()
    html = project.page("one") if project.exists("one") else ""
    tags = re.findall(r"<(?:base|form|meta)\b[^>]*|<[^>]*\son\w+=[^>]*", html)
    assert [tag for tag in tags if "evil" in tag] == []
    assert (
        "\x00" not in html
        and "\x1b" not in html
        and "javascript:" not in re.sub(r"<pre.*?</pre>", "", html, flags=re.DOTALL)
    )


def test_no_script_runs_but_the_package_s_own(page, monkeypatch):
    own = {"html": "<p>explore</p>", "style": ".explorer{}", "script": "ours()"}
    monkeypatch.setattr("analysis.explorer.parts", lambda: own)
    record = {"kind": "explorer", "name": "e", "script": "evil()"}
    bundle = {"application/vnd.mlperf.report+json": record, "text/html": "<script>evil()</script>still"}
    bundle["text/plain"] = "Explorer of 3 <b>results"
    held = {"analysis": {"data": {"rows": "</script><script>evil()"}}}
    claim = f"display({bundle!r}, raw=True, metadata={held!r})"
    plain, _ = page("1")
    assert "script-src" not in plain and "<script" not in plain
    drawn, _ = page(f"display({{'image/svg+xml': {SVG!r}}}, raw=True)")
    (figures,) = re.findall(r"<script>(.*?)</script>", drawn, re.DOTALL)
    assert figures == (TEMPLATES / "figures.js").read_text("utf-8")
    assert f"script-src {script_hash(figures)}" in drawn and drawn.count("<script") == 1
    assert "default-src 'none'" in plain and "base-uri 'none'; form-action 'none'" in plain
    other, record = page(claim)
    assert "script-src" not in other and "<script" not in other and "still" in other and not record["live"]
    html, _ = page(claim, name="explorer")
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", html, re.DOTALL)
    assert scripts == [(' type="text/plain" id="rows"', "\\u003c/script>\\u003cscript>evil()"), ("", "ours()")]
    allowed = re.search(r"script-src '([^']+)'", html)[1]
    assert allowed == "sha256-" + base64.b64encode(__import__("hashlib").sha256(b"ours()").digest()).decode()
    assert "<noscript>" in html and "still" in html and '<p class="loading">Loading 3 &lt;b&gt;results</p>' in html
    assert 'href="explorer.html"' not in html and 'href="explorer.html"' in other


def test_the_fold_of_a_long_table_and_its_note_stand_outside_the_box_that_scrolls(page):
    table = "<details class='rows'></details><table><tbody><tr><td>1</td></tr></tbody></table><p class='note'>below</p>"
    html, _ = page(f"say('table', 'rates', 'Rates', **{{'text/csv': 'a', 'text/html': {table!r}}})")
    box = '<div class="scroll" tabindex="0" role="group" aria-label="Rates"><table>'
    assert f'<details class="rows"></details>{box}' in html
    assert '</table></div><p class="note">below</p>' in html


def test_what_there_is_not_is_one_line_of_the_page_and_named_in_the_record(page):
    html, record = page("say('figure', 'gaps', 'Gaps: <b>nothing', empty=True)")
    assert '<p class="finding" id="gaps">Gaps: &lt;b&gt;nothing</p>' in html and "<figure" not in html
    assert record["figures"][0]["name"] == "gaps"


def test_a_figure_has_its_title_in_words_for_a_narrow_screen(page):
    html, _ = page(f"say('figure', 'rates', 'Rates <i>', **{{'image/svg+xml': {SVG!r}}})")
    assert '<figcaption aria-hidden="true"><strong>Rates &lt;i&gt;</strong>' in html


def test_a_phone_shows_the_narrow_version_of_the_main_figure(page):
    kinds = {"image/svg+xml": SVG, "application/vnd.mlperf.narrow+svg": SVG}
    html, _ = page(f"say('figure', 'rates', 'Rates', **{kinds!r})")
    assert html.count('<div class="phone"><svg') == html.count('role="group" aria-label="Figure"') == 1


def test_a_picture_pasted_into_a_text_shows(project):
    project.add("one", "# One\n\n![map](attachment:my%20map.png)", "1")
    path = project.notebooks / "one.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"][0]["attachments"] = {"my map.png": {"image/png": PNG}}
    path.write_text(json.dumps(notebook))
    assert project.build() == 0
    assert f'<img src="data:image/png;base64,{PNG}" alt="map">' in project.page("one")


def test_a_page_too_large_is_refused(project, say, capsys):
    cell = "display({'text/html': '<p>' + 'x' * 7_900_000 + '</p>'}, raw=True)"
    project.add("one", "# One", cell, cell, cell, cell)
    assert project.build() == 1
    assert "at most 25,165,824 fit" in capsys.readouterr().out


def test_a_notebook_without_title_has_its_name_for_one(project):
    project.add("my_rates", "1 + 1")
    assert project.build() == 0
    assert "<h1>My rates</h1>" in project.page("my_rates")
