"""The front page and the pages that list the reports of a run file."""

import json
import re
from collections import Counter

import pytest

from analysis.pages import index
from analysis.pages.records import MADE
from tests.pages.conftest import RECORD
from tests.reports.plain import ROOT, shipped

FIGURE = '<figure id="matrix"><div class="canvas"><svg>{}</svg></div></figure>'


@pytest.fixture
def front(project):
    """Add notebooks whose pages were built with these facts, by `add`; `show` writes the front page and returns it."""

    def add(name, group="", order=9, answer="", html="", **facts):
        if facts.get("notebook", name) == name:
            project.add(name, "# One", "#: parameters\ngpu: str = 'H100'")
        record = RECORD | {"name": name, "title": f"What about {name}?", "notebook": name}
        record |= {"headline": {"text": answer or f"{name} is fast"}}
        record |= {"group": {"group": group, "order": order} if group else {}} | facts
        (project.reports / f"{name}.json").write_text(json.dumps(record))
        (project.reports / f"{name}.html").write_text(f"{MADE}{html}")

    def show():
        assert index.write_index(force=False) == {}
        return project.page("index")

    project.show, project.built = show, add
    return project


def headings_and_cards(html):
    found = re.findall(r"<h2>(.*?)</h2>|<h3><a href=\"(.*?)\">(.*?)</a></h3>\s*<p.*?>(.*?)</p>", html)
    return [heading or (href, title, answer) for heading, href, title, answer in found]


def test_cards_by_group_and_order_of_the_notebooks(front):
    front.built("power", "answers", 2)
    front.built("speed", "answers", 1)
    front.built("cost", "decisions", 1)
    front.built("mine", "", 1)
    front.built("own", "yours", 1, headline=None)
    front.built("silent", "answers", 3, headline=None)
    front.built("nothing", "answers", 4, no_data="none")
    front.built("all", "evidence", 1, headline=None, live=True)
    html = front.show()
    assert headings_and_cards(html) == [
        "Four answers",
        ("speed.html", "What about speed?", "speed is fast"),
        ("power.html", "What about power?", "power is fast"),
        "Decisions",
        ("cost.html", "What about cost?", "cost is fast"),
        "Evidence",
        ("all.html", "What about all?", "How."),
        "More reports",
        ("mine.html", "What about mine?", "mine is fast"),
    ]
    links = '<a href="all.html">Explore all results</a> <a href="own.html">Compare your own run</a>'
    assert links in html[: html.index("<main")]


def test_the_figure_named_matrix_comes_first_but_not_that_of_a_run_file(front):
    figures = [{"name": "matrix"}]
    front.built("each-a", notebook="overview", sweep="each", figures=figures, html=FIGURE.format("swept"))
    front.built("overview", "evidence", 1, figures=figures, html=FIGURE.format("matrix drawn"))
    front.run("each", "notebook: overview\nparameters: {gpu: [a]}\n")
    html = front.show()
    assert html.index("matrix drawn") < html.index("<h2>") and 'href="overview.html#matrix"' in html
    assert "swept" not in html and "no latency limit" not in html
    front.built("overview", "evidence", 1, figures=figures, html=FIGURE.format("Offline"))
    assert "Offline: all requests at once, no latency limit." in front.show()
    front.built("overview", "evidence", 1)
    assert "<figure" not in front.show()


def test_each_shipped_notebook_has_a_group_and_four_are_answers():
    texts = [(ROOT / "notebooks" / f"{name}.ipynb").read_text("utf-8") for name in shipped()]
    groups = Counter(json.loads(text)["metadata"]["analysis"]["group"] for text in texts)
    assert {*groups} < {*index.GROUPS, index.OWN} and groups["answers"] == 4 and not groups[""]


def test_pages_of_run_files_are_listed_under_their_notebook(front):
    front.built("speed", "answers", 1)
    front.run("fast", "notebook: speed\ntitle: The newest\nparameters: {gpu: B300}\n")
    front.run("each", "notebook: speed\nparameters: {gpu: [A100, L40S]}\n")
    front.built("fast", notebook="speed", subtitle="The newest", headline=None)
    for name in ("A100", "L40S"):
        facts = {"notebook": "speed", "sweep": "each", "parameters": {"gpu": name, "rounds": []}}
        front.built(f"each-{name.lower()}", answer=f"<b>{name} leads", **facts)
    html = front.show()
    assert len(headings_and_cards(html)) == 2
    assert '<a href="each.html">each</a>, <a href="fast.html">The newest</a>' in html
    rows = re.findall(r"<tr><td>(.*?)</td><td><a href=\"(.*?)\">(.*?)</a></td></tr>", front.page("each"))
    assert rows == [
        ("A100", "each-a100.html", "&lt;b&gt;A100 leads"), ("L40S", "each-l40s.html", "&lt;b&gt;L40S leads")
    ]  # fmt: skip


def test_reports_of_notebooks_that_are_gone_are_not_listed_but_named(front, capsys):
    front.built("speed")
    front.built("cost")
    (front.notebooks / "cost.ipynb").unlink()
    assert "cost" not in front.show() and front.exists("cost")
    assert "without a notebook or run file: cost; make clean removes these pages\n" in capsys.readouterr().out


def test_reports_that_failed_are_named(front, capsys):
    front.built("speed", answer="<script>1</script>")
    front.run("fast", "notebook: speed\nparameters: {gpus: B300}\n")
    (front.reports / "speed.failed.ipynb").write_text("{}")
    html = front.show()
    assert "Failed in the last build: fast, speed</p>" in html and "From an earlier build; the last one failed" in html
    assert "<script" not in html and "&lt;script&gt;1" in html and "any more" not in capsys.readouterr().out


def test_without_reports_the_page_says_how_to_make_them(front):
    assert "make reports" in front.show()


def test_the_record_of_an_earlier_version_stops_no_front_page(front):
    front.built("power")
    front.built("speed", group="answers", headline="text")
    assert [card[0] for card in headings_and_cards(front.show())[1:]] == ["power.html"]
