"""A page from an executed notebook: its order, its downloads, its policy, and what hostile outputs cannot do."""

import base64
import json
import re

import pytest
from nbformat import NotebookNode, v4

from analysis.pages import page as pages
from analysis.pages.execute import Executed
from analysis.pages.runs import Report
from analysis.pages.sanitize import TEMPLATES, script_hash

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 648 300"><text>drawn</text></svg>'
PNG = base64.b64encode(b"\x89PNG").decode()


def shown(data, **metadata):
    """An output of a cell."""
    return v4.new_output("display_data", data=NotebookNode(data), metadata=NotebookNode(metadata))


def said(kind, name, text="", **more):
    """An output with the record of `analysis.report`; `more` are keys of the record, or kinds of data."""
    data = {key: more.pop(key) for key in [*more] if "/" in key}
    record = {"kind": kind, "name": name, "text": text, "title": text, **more}
    return shown({"text/plain": text, "text/html": f"<p>{text}</p>", pages.REPORT: record} | data)


@pytest.fixture
def page(project):
    """The page of cells, Markdown as texts and code as lists of outputs, and its record; `no_data` ends the last."""

    def make(
        *cells, name="one", title="# How fast is **it**?\n\nThe `question` &c.\n\nMore of it.", no_data="", **metadata
    ):
        project.add(name, "1")
        notebook = v4.new_notebook(metadata=metadata)
        for each in [title, *cells]:
            is_code = isinstance(each, list)
            cell = v4.new_code_cell("source", outputs=each) if is_code else v4.new_markdown_cell(each)
            cell.metadata["papermill"] = NotebookNode(exception=bool(no_data) and each is cells[-1])
            notebook.cells.append(cell)
        report = Report(name, project.notebooks / f"{name}.ipynb")
        return pages.page(report, Executed(notebook, {}, no_data=no_data), {"date": "2026-11-01"})

    return make


def places(html, *texts):
    """Where these texts are in the page's body, each after the one before."""
    found = [html.index(text, html.index("<body")) for text in texts]
    assert found == sorted(found), dict(zip(texts, found, strict=True))


def test_a_page_begins_with_question_and_answer_and_keeps_the_order_of_cells(page):
    html, record = page(
        [said("finding", "first", "It <b>follows</b>")],
        "## Rates",
        [said("figure", "rates", "Rates", sources=["mlc"], **{"image/svg+xml": SVG, "image/png": PNG})],
        [said("headline", "answer", "It is 2x faster", sources=["mlc"], value=2.0)],
        [said("figure", "gaps", "Gaps: <b>nothing", empty=True)],
        [said("table", "all", "All")],
    )
    places(html, "How fast is <strong>it</strong>?", "It is 2x faster", "The <code>question</code> &amp;c.",
           "It &lt;b&gt;follows", "<h2>Rates</h2>", 'id="rates"',
           '<p class="finding" id="gaps">Gaps: &lt;b&gt;nothing</p>', 'id="all"', "About this report", "MLCommons: ",
           "https://a.example/", "registered trademark", "not official MLPerf results")  # fmt: skip
    assert html.count('class="headline">It is 2x faster') == html.count("<figure") == 1
    assert "<title>How fast is it?</title>" in html and record["title"] == "How fast is it?"
    assert record["question"] == "The question &c." and record["sources"] == ["mlc"]
    answer = {"name": "answer", "text": "It is 2x faster", "title": "It is 2x faster", "sources": ["mlc"], "value": 2.0}
    assert record["headline"] == answer
    assert [each["name"] for each in record["findings"] + record["figures"] + record["tables"]] == [
        "first", "rates", "gaps", "all"
    ]  # fmt: skip


def test_a_page_says_what_it_lacks_where_it_stopped_or_at_the_top(page):
    why, lacks = "no <b>run</b> of A100", "No data:</strong> no &lt;b&gt;run&lt;/b&gt; of A100"
    html, record = page([said("headline", "answer", "It is 2x faster")], "## Other runs", [], no_data=why)
    places(html, "It is 2x faster", "Other runs", lacks, "About this report")
    assert html.count('class="no-data"') == 1 and record["no_data"] == why
    places(page([], no_data=why)[0], lacks, "<main")


def test_figures_and_tables_are_saved_as_files_and_fit_narrow_screens(page):
    table = "<details class='rows'></details><table><tbody><tr><td>1</td></tr></tbody></table><p class='note'>below</p>"
    html, _ = page([
        said("figure", "rates", "Rates <i>", **{"image/svg+xml": SVG, pages.NARROW: SVG}),
        said("figure", "photo", "Photo", **{"image/png": PNG}),
        said("figure", "scan", "Scan", **{"image/jpeg": PNG}),
        said("table", "all", "All", **{"text/csv": "a,b\n1,ü\n", "text/html": table}),
    ])  # fmt: skip
    assert re.findall(r'<button class="file" value="one-rates">(\w+)</button>', html) == ["PNG", "SVG"]
    assert html.count('<div class="phone"><svg') == 1 and 'style="--width:864px"' in html  # 648 points
    assert '<figcaption aria-hidden="true"><strong>Rates &lt;i&gt;</strong>' in html
    links = dict(re.findall(r'<a download="([^"]+)" href="([^"]+)"', html))
    assert base64.b64decode(links["one-photo.png"].removeprefix("data:image/png;base64,")) == b"\x89PNG"
    assert links["one-scan.jpeg"] == f"data:image/jpeg;base64,{PNG}"
    assert base64.b64decode(links["one-all.csv"].partition("base64,")[2]).decode() == "a,b\n1,ü\n"
    box = '<div class="scroll" tabindex="0" role="group" aria-label="All"><table>'
    assert f'<details class="rows"></details>{box}' in html and '</table></div><p class="note">below</p>' in html


def test_plain_pictures_and_html_are_shown_and_prints_are_folded(page):
    html, _ = page([
        v4.new_output("stream", text="printed"),
        shown({"image/png": PNG, "text/plain": "Figure(1)"}),
        shown({"text/html": "<p>said</p>"}),
        shown({"text/markdown": "**bold** m<sup>2</sup>"}),
        shown({"text/html": "<p>odd", pages.REPORT: ["finding"]}),
        shown({"text/html": "<p>odder", pages.REPORT: {"kind": ["finding"]}}),
        shown({"image/svg+xml": SVG.replace(' viewBox="0 0 648 300"', "")}),
    ])  # fmt: skip
    folded = re.sub(r"<details class=\"code\">.*?</details>", "", html, flags=re.DOTALL)
    assert "<p>odd</p>" in folded and "<p>odder</p>" in folded and "m<sup>2</sup>" in folded
    assert "drawn</text>" in folded and "--width:" not in folded
    assert "<p>said</p>" in folded and "<strong>bold</strong>" in folded and f"base64,{PNG}" in folded
    assert "printed" in html and "printed" not in folded and "Figure(1)" not in folded
    assert 'alt="How fast is it?, figure"' in folded
    assert '<pre class="source"><code><span class="n">source</span>' in html


SHEET = "<style>&lt;/style&gt;&lt;base href=//evil.example&gt;</style><text>"
HOSTILE = {
    "html": shown({"text/html": "<meta http-equiv=refresh content=0;url=//evil.example>"}),
    "form": shown({"text/html": "<form action=//evil.example>x</form>"}),
    "svg": shown({"image/svg+xml": SVG.replace("<text>", SHEET)}),
    "no svg": shown({"image/svg+xml": "<svg><base href=//evil.example>"}),
    "png": shown({"image/png": '" onerror="evil.example'}),
    "text": v4.new_output("stream", text="<base href=//evil.example>"),
    "name": said("finding", '"><base href=//evil.example>', "<base href=//evil.example>"),
    "alt": said("figure", "n", '"><base href=//evil.example>', **{"image/png": "AAAA"}),
    "markdown": shown({"text/markdown": "<base href=//evil.example> <img src=x onerror=evil.example>"}),
    "link": shown({"text/markdown": "[a](javascript:evil.example)"}),
    "error": v4.new_output("error", ename="E", evalue="", traceback=["\x1b[0m<base href=//evil.example>"]),
}


@pytest.mark.parametrize("output", HOSTILE.values(), ids=HOSTILE)
def test_no_output_reaches_beyond_its_place(page, output):
    html, _ = page([output], title="# Title \x00\x1b<base href=//evil.example>\n\nText")
    tags = re.findall(r"<(?:base|form|meta)\b[^>]*|<[^>]*\son\w+=[^>]*", html)
    assert [tag for tag in tags if "evil" in tag] == []
    assert not re.search("[\x00\x1b]", html) and "javascript:" not in html


def test_no_script_runs_but_the_package_s_own(page, monkeypatch):
    own = {"html": "<p>explore</p>", "style": ".explorer{}", "script": "ours()"}
    monkeypatch.setattr("analysis.explorer.parts", lambda: own)
    bundle = {"text/html": "<script>evil()</script>still", "text/plain": "Explorer of 3 <b>results"}
    bundle[pages.REPORT] = {"kind": "explorer", "name": "e", "script": "evil()"}
    claim = shown(bundle, analysis={"data": {"rows": "</script><script>evil()"}})
    plain, _ = page([])
    assert "script-src" not in plain and "<script" not in plain
    assert "default-src 'none'" in plain and "base-uri 'none'; form-action 'none'" in plain
    drawn, _ = page([shown({"image/svg+xml": SVG})])
    (figures,) = re.findall(r"<script>(.*?)</script>", drawn, re.DOTALL)
    assert figures == (TEMPLATES / "figures.js").read_text("utf-8")
    assert f"script-src {script_hash(figures)}" in drawn and drawn.count("<script") == 1
    other, record = page([claim])
    assert "script-src" not in other and "<script" not in other and "still" in other and not record["live"]
    html, record = page([claim], name="explorer")
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", html, re.DOTALL)
    assert scripts == [(' type="text/plain" id="rows"', "\\u003c/script>\\u003cscript>evil()"), ("", "ours()")]
    assert record["live"] and f"script-src {script_hash('ours()')}" in html
    assert "<noscript>" in html and "still" in html and '<p class="loading">Loading 3 &lt;b&gt;results</p>' in html
    assert 'href="explorer.html"' not in html and 'href="explorer.html"' in other


def test_a_hash_is_that_of_a_policy():
    assert script_hash("alert(1)") == "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"


def test_a_picture_pasted_into_a_text_shows(project):
    project.add("one", "# One\n\n![map](attachment:my%20map.png) ![plan](attachment:plan(2).png)", "1")
    path = project.notebooks / "one.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"][0]["attachments"] = {name: {"image/png": PNG} for name in ("my map.png", "plan(2).png")}
    path.write_text(json.dumps(notebook))
    assert project.build() == 0
    assert f'<img src="data:image/png;base64,{PNG}" alt="map">' in project.page("one")
    assert f'<img src="data:image/png;base64,{PNG}" alt="plan">' in project.page("one")


def test_of_what_a_notebook_says_of_its_card_a_group_and_an_order_are_taken(page):
    taken = [{"group": "answers", "order": 1.5}, {"order": 2}, {}]
    odd = [{"order": "x"}, {"order": {}}, {"group": ["x"]}, {"group": 5}, {"other": "x"}, [1], "x", None]
    assert [page([], analysis=own)[1]["group"] for own in taken + odd] == taken + 8 * [{}]


def test_findings_of_one_name_and_two_headlines_are_refused(page):
    page([said("finding", "a"), said("table", "a")])
    long = "größe" + "n" * 1_000_000
    for kind, name, words in (("finding", long, "finding 'größen"), ("headline", "a", "headline 'a'")):
        with pytest.raises(ValueError, match=f"2 outputs are named {words}") as error:
            page([said(kind, name), said(kind, name)])
        assert len(str(error.value)) < 200


def test_a_notebook_without_title_has_its_name_for_one(page):
    assert "<h1>My rates</h1>" in page([], title="No title", name="my_rates")[0]
