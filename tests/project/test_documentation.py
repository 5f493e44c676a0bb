"""The snippets of the guide run as the cells of one notebook, and the README names what there is."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from analysis.paths import NOTEBOOKS, ROOT
from tests.reports.plain import shipped, table


def code_blocks(path: str, language: str = "python") -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("path", ["README.md", "docs/notebooks.md"])
def test_snippets_run_in_their_order(path, monkeypatch, capsys):
    monkeypatch.chdir(NOTEBOOKS)
    names: dict = {}
    blocks = code_blocks(path)
    assert blocks
    for block in blocks:
        exec(compile(block, path, "exec"), names)
    assert not plt.get_fignums()  # report.figure closes what it shows


def test_the_snippet_on_prices_has_the_dollars_of_the_page(monkeypatch, capsys):
    """Dollars per delivered token: those of the page for the same price, in its proportion for one of one's own."""
    monkeypatch.chdir(NOTEBOOKS)
    blocks = code_blocks("docs/notebooks.md")
    names: dict = {}
    for block in (next(each for each in blocks if "import charts" in each), *(b for b in blocks if "cost.prices" in b)):
        exec(block, names)
    own = names["costs"].set_index("accelerator")
    page = table("price_performance", "costs").query("interactivity == 0").set_index("accelerator")
    assert own["usd_per_hour"][["MI355X", "B300"]].tolist() == [2.20, page.at["B300", "usd_per_hour"]]
    assert own.at["B300", "usd_per_million"] == pytest.approx(page.at["B300", "usd_per_million"])
    mine, listed = own.loc["MI355X"], page.loc["MI355X"]
    assert mine["usd_per_million"] == pytest.approx(listed["usd_per_million"] * 2.20 / listed["usd_per_hour"])
    assert mine["served"] == pytest.approx(listed["served"])


def test_the_snippet_by_hand_has_the_number_of_the_page(monkeypatch):
    """And a rate where the highest raw figure is of a looser accuracy target."""
    monkeypatch.chdir(NOTEBOOKS)
    names: dict = {"pd": pd}
    exec(next(block for block in code_blocks("docs/notebooks.md") if "def by_hand" in block), names)
    page = table("generational_speedup", "speedups").set_index("accelerator")["speedup"]
    assert names["ratio"] == pytest.approx(page["GB300"] / page["B200"])
    assert names["by_hand"]("B200", "v5.1") == 102131 / 8


def test_the_snippets_on_derating_have_the_bars_of_the_page(monkeypatch):
    monkeypatch.chdir(NOTEBOOKS)
    blocks, names = code_blocks("docs/notebooks.md"), {}
    for word in ("import charts", "limit.median()", "stack.median()"):
        exec(next(block for block in blocks if word in block), names)
    bars = table("real_world_derating", "factors").query("Use != 'interactive'").set_index(["Step", "System"])
    own = {("latency limit", "TensorRT-LLM node"): names["limit"], ("serving stack", "node"): names["stack"]}
    for bar, values in own.items():
        assert bars.loc[[bar], ["Median", "N"]].to_numpy().tolist() == [[round(values.median(), 4), len(values)]]


def test_the_readme_lists_each_shipped_notebook():
    listed = set(re.findall(r"\(notebooks/(\w+)\.ipynb\)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert listed == set(shipped())


@pytest.mark.parametrize(
    "path", ["README.md", "CONTRIBUTING.md", *[f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")]]
)
def test_links_lead_somewhere(path):
    page = ROOT / path
    targets = re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
