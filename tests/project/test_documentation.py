"""The snippets of the guide run as the cells of one notebook, and the README names what there is."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pytest

from analysis.paths import NOTEBOOKS, ROOT


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


def test_the_readme_lists_each_shipped_notebook():
    listed = set(re.findall(r"\(notebooks/(\w+)\.ipynb\)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert listed == {path.stem for path in NOTEBOOKS.glob("[!_]*.ipynb")}


@pytest.mark.parametrize(
    "path", ["README.md", "CONTRIBUTING.md", *[f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")]]
)
def test_links_lead_somewhere(path):
    page = ROOT / path
    targets = re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
