"""Pages with other parameters hold: what they say, draw, and rank (grid.py); each check is seen to fail."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from analysis import charts
from tests.reports import grid


def check(pages):
    """Assert that pages have no faults, and their ratios those of the raw record; return how many were counted."""
    assert {page.parameters: page.faults for page in pages.itertuples() if page.faults} == {}
    recounted = 0
    for page in pages[pages["notebook"].eq("generational_speedup") & pages["whole"]].itertuples():
        ratios = grid.recount(page.parameters, page.said)
        assert ratios["speedup"].to_numpy() == pytest.approx(ratios["each"].to_numpy(), rel=1e-5), page.parameters
        recounted += len(ratios) > 0
    return recounted


@pytest.mark.parametrize("notebook", grid.PAGES)
def test_some_pages_of_each_notebook_hold(notebook):
    check(grid.tried(notebook, grid.sample(notebook)))


@pytest.mark.slow
@pytest.mark.parametrize("notebook", grid.PAGES)
def test_all_other_pages_of_each_notebook_hold(notebook):
    others = [each for each in grid.parameter_sets(notebook) if each not in grid.sample(notebook)] or [{}]
    recounted = check(grid.tried(notebook, others, jobs=2))
    assert recounted >= 30 or notebook != "generational_speedup"


@pytest.fixture
def page():
    """What a page without a fault says, and the names of its figures."""
    figures = [part["name"] for part in grid.outputs("scaling") if part["kind"] == "figure"]
    said = {name: {"title": name, "csv": "accelerator,rate\nB200,1.5\n"} for name in figures}
    said["answer"] = {"text": "B200: 3.3x H100 per GPU", "value": 3.3, "low": 3.0, "high": 3.5}
    return {"said": said, "no_data": "", "error": "", "drawn": [], "ranks": {"answer": ["B200", "H200"]}}


def test_a_page_that_holds_has_no_fault(page):
    assert grid.faults("scaling", page, {}) == []
    assert grid.faults("scaling", {"said": {}, "no_data": "none", "error": ""}, {}) == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"error": "code 3: KeyError: 'x'"}, "code 3: KeyError"),
        ({"no_data": "code 7: no result"}, "NoData after 3 outputs"),
        ({"drawn": ["'a' overlaps 'b'"]}, "'a' overlaps 'b'"),
        ({"ranks": {"answer": ["H200", "B200"]}}, "answer names B200, but its frame begins with H200, B200"),
        ({"ranks": {"scaling": ["H200", "B200"]}, "title": "B200 4.1x, H200 1.1x"}, "scaling names B200, H200"),
        ({"high": 3.2}, "the answer 3.3 is outside 3.0 to 3.2"),
        ({"csv": "accelerator,rate\nB200,nan\n"}, "scaling: 'nan'"),
    ]
    + [({"text": "Median of bert on B200"}, "answer prints the key 'bert'")]
    + [
        ({"text": f"Median {wrong} on B200"}, "answer: ")
        for wrong in (
            "nan",
            "inf",
            "0 of 0",
            "1 users",
            "()",
            "None",
            "a H100",
            "B200, B200",
            "–%",
            "1.35 to 1.35",
            "100% to 100%",
        )
    ],
)
def test_a_fault_of_a_page_is_named(page, changed, words):
    for key, value in changed.items():
        part = page if key in page else page["said"]["scaling" if key in ("csv", "title") else "answer"]
        part[key] = value
    assert words in " ".join(grid.faults("scaling", page, {}))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("B200 over it: 4.1 / 2.2626 = 1.80.", True),
        ("GB300 over H100 v4.0: 1.45 x 4.10 = 5.93", True),
        ("GB300 over H100 v4.0: 1.447 x 4.101 = 5.93", False),
        ("3,913.3 tokens/s in v5.0 x 0.99785 (v5.1, n = 3) x 1.02390 (v6.0, n = 3) = 3,998 in v6.0", False),
        ("3,913.3 tokens/s in v5.0 x 0.998 (v5.1, n = 3) x 1.024 (v6.0, n = 3) = 4,031.1 in v6.0", True),
        ("20,050 tokens/s in v6.0 x 1.03024 (v6.1, n = 3) = 20,660 in v6.1", False),
    ],
)
def test_a_product_is_that_of_its_printed_factors(page, text, wrong):
    page["said"]["scaling"]["text"] = text
    found = grid.faults("scaling", page, {})
    assert len(found) == wrong and all("not " in each for each in found)


@pytest.mark.parametrize(("gone", "words"), [("answer", "no headline"), ("scaling", "without the figure scaling")])
def test_what_a_page_lacks_is_named(page, gone, words):
    del page["said"][gone]
    assert words in grid.faults("scaling", page | {"ranks": {}}, {})


@pytest.mark.parametrize(
    ("parameters", "text", "holds"),
    [
        ({}, "Scaling: nothing to show: no row is left.", False),
        ({"benchmark": "bert"}, "Scaling: nothing to show: no row is left.", True),
        ({"benchmark": "bert"}, "Scaling: nothing to show.", False),
    ],
)
def test_a_figure_without_content_says_why_and_is_none_of_the_defaults(page, parameters, text, holds):
    page["said"]["scaling"] |= {"empty": True, "text": text}
    found = grid.faults("scaling", page, parameters)
    assert found == ([] if holds else [f"nothing in scaling: {text!r}"])


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda ax: ax.annotate("far", (0.5, 1), (900, 0), textcoords="offset points"), "'far' leaves its axes"),
        (lambda ax: [ax.text(1, 0.5, words) for words in ("one", "two")], "'one' overlaps 'two'"),
        (lambda ax: ax.set_xlim(0, 1), "a bar leaves its axes"),
        (lambda ax: ax.set_xlabel("nan tokens/s"), "'nan tokens/s' is drawn"),
        (lambda ax: None, ""),
    ],
)
def test_a_fault_of_a_drawing_is_named(draw, words):
    ax = charts.bars(pd.DataFrame({"accelerator": ["B200", "H200"], "x": [3.0, 2.0]}), "accelerator", "x")
    figure = charts.compose(ax, "Title", "subtitle", "source")
    draw(ax)
    found = " ".join(grid.faults_of_drawing(figure))
    plt.close(figure)
    assert words in found and bool(words) == bool(found)


def test_a_ratio_that_the_raw_record_does_not_have_differs():
    page = "accelerator,round,speedup\nGB300,v6.1,4.2\nB300,v6.1,2.1\nB200,v6.0,2.0\n"
    ratios = grid.recount("{}", {"speedups": {"csv": page}})
    assert ratios["speedup"].to_dict() == {"B300": 0.5} and ratios["each"]["B300"] == pytest.approx(0.873, abs=0.002)
