"""The front page and the pages that list the reports of a run file."""

import json
import re
from collections import Counter

import pytest

from analysis.pages.records import MADE
from tests.reports.plain import ROOT, shipped

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text>matrix drawn</text></svg>'


@pytest.fixture
def reports(project, say):
    """Add a notebook of a group, with a headline."""

    def add(name, group="", order=9, *cells, headline=None):
        parameters = "#: parameters\ngpu: str = 'H100'"
        said = [f"say('headline', 'answer', f'{headline or name + ' is fast'}')"] if headline != "" else []
        project.add(
            name, f"# What about {name}?", parameters, say, *said, *cells, analysis={"group": group, "order": order}
        )

    return add


def headings_and_cards(html):
    found = re.findall(r"<h2>(.*?)</h2>|<h3><a href=\"(.*?)\">(.*?)</a></h3>\s*<p>(.*?)</p>", html)
    return [heading or (href, title, answer) for heading, href, title, answer in found]


def test_cards_by_group_and_order_of_the_notebooks(project, reports):
    reports("power", "answers", 2)
    reports("speed", "answers", 1)
    reports("cost", "decisions", 1)
    reports("mine", "", 1)
    reports("own", "yours", 1)
    reports("silent", "answers", 3, headline="")
    reports("nothing", "answers", 4, "class NoData(Exception): ...\nraise NoData('none')")
    assert project.build() == 0
    html = project.page("index")
    assert headings_and_cards(html) == [
        "Four answers",
        ("speed.html", "What about speed?", "speed is fast"),
        ("power.html", "What about power?", "power is fast"),
        "Decisions",
        ("cost.html", "What about cost?", "cost is fast"),
        "More reports",
        ("mine.html", "What about mine?", "mine is fast"),
    ]
    assert '<a href="own.html">Compare your own run</a>' in html


def test_the_figure_named_matrix_comes_first(project, reports):
    reports("overview", "evidence", 1, f"say('figure', 'matrix', 'The alt', **{{'image/svg+xml': {SVG!r}}})")
    assert project.build() == 0
    html = project.page("index")
    assert html.index("matrix drawn") < html.index("<h2>") and 'href="overview.html#matrix"' in html
    draw = f"say('figure', 'matrix', 'The alt', **{{'image/svg+xml': {SVG!r}}})"
    reports("overview", "evidence", 1, f"if gpu == 'B200':\n    {draw}")  # not on the page of a run file
    project.run("several", "notebook: overview\nparameters:\n  gpu: [B200, B300]\n")
    assert project.build() == 0 and "matrix drawn" not in project.page("index")
    assert 'aria-label="The alt"' in html and "no latency limit" not in html


def test_a_matrix_of_offline_results_says_what_offline_is(project, reports):
    reports("overview", "evidence", 1, f"say('figure', 'matrix', 'All, Offline', **{{'image/svg+xml': {SVG!r}}})")
    assert project.build() == 0
    html = project.page("index")
    assert "Offline: all requests at once, no latency limit." in html
    assert "<strong>All, Offline</strong>" in html[: html.index("matrix drawn")]


def test_the_explorer_is_linked_at_the_top(project, reports):
    record = {"application/vnd.mlperf.report+json": {"kind": "explorer"}, "text/html": "<p>1</p>"}
    reports("explorer", "evidence", 9, f"display({record!r}, raw=True)")
    assert project.build() == 0
    html = project.page("index")
    assert '<a href="explorer.html">Explore all results</a>' in html[: html.index("<main")]


def test_each_shipped_notebook_has_a_group_and_four_are_answers():
    texts = {name: (ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8") for name in shipped()}
    groups = {name: json.loads(text)["metadata"].get("analysis", {}) for name, text in texts.items()}
    assert [name for name, each in groups.items() if not each.get("group")] == []
    assert Counter(each["group"] for each in groups.values())["answers"] == 4


def test_pages_of_run_files_are_listed_under_their_notebook(project, reports):
    reports("speed", "answers", 1, headline="{gpu} leads")
    project.run("fast", "notebook: speed\ntitle: The newest\nparameters: {gpu: B300}\n")
    project.run("each", "notebook: speed\nparameters: {gpu: [A100, L40S]}\n")
    assert project.build() == 0
    html = project.page("index")
    assert len(headings_and_cards(html)) == 2
    assert '<a href="each.html">each</a>, <a href="fast.html">The newest</a>' in html
    rows = re.findall(r"<tr><td>(.*?)</td><td><a href=\"(.*?)\">(.*?)</a></td></tr>", project.page("each"))
    assert rows == [("A100", "each-a100.html", "A100 leads"), ("L40S", "each-l40s.html", "L40S leads")]
    assert '<a href="each.html">each</a>' in project.page("each-a100")


def test_texts_of_records_are_escaped(project, reports):
    reports("speed", "answers", 1, headline="<script>1</script>")
    assert project.build() == 0
    assert "<script" not in project.page("index") and "&lt;script&gt;1" in project.page("index")


def test_reports_of_notebooks_that_are_gone_are_not_listed_but_named(project, reports, capsys):
    reports("speed", "answers", 1)
    reports("cost", "answers", 2)
    assert project.build() == 0
    (project.notebooks / "cost.ipynb").unlink()
    assert project.build() == 0
    assert "cost" not in project.page("index") and project.exists("cost")
    assert "of no notebook or run file any more: cost; make clean removes pages\n" in capsys.readouterr().out


def test_a_run_file_that_cannot_be_read_is_among_those_that_failed(project, reports):
    reports("speed", "answers", 1)
    project.run("fast", "notebook: speed\nparameters: {gpus: B300}\n")
    assert project.build() == 1
    assert "Failed in the last build: fast</p>" in project.page("index")


def test_without_reports_the_page_says_how_to_make_them(project):
    assert project.build() == 0
    assert "make reports" in project.page("index")


@pytest.mark.parametrize("said", [{"order": "x"}, {"order": {}}, {"group": ["x"]}, {"group": 5}, [1], "x"])
def test_what_a_notebook_says_of_its_card_stops_no_front_page(project, say, said):
    for name, own in {"fine": {"order": 1}, "odd": said}.items():
        project.add(name, f"# {name}", say, "say('headline', 'answer', 'A')", analysis=own)
    assert project.build() == 0
    assert [card for card in headings_and_cards(project.page("index")) if card[0] == "odd.html"]


def test_the_record_of_an_earlier_version_stops_no_front_page(project, reports, capsys):
    reports("power", "answers", 2)
    assert project.build() == 0
    project.add("speed", "# Speed", "1 / 0")
    (project.reports / "speed.json").write_text('{"name": "speed", "headline": null}')
    (project.reports / "speed.html").write_text(f"an earlier page {MADE}")
    assert project.build() == 1
    assert "power.html" in project.page("index") and "ZeroDivisionError" in capsys.readouterr().out
