"""A small project of its own in a temporary folder, whose notebooks are made from the text of their cells."""

import json
from types import SimpleNamespace

import pytest

import analysis.explorer  # noqa: F401 - what it imports reads DATA now, before a test puts another folder in its place
from analysis import paths
from analysis.pages import reports, schema  # noqa: F401 - schema before what checks notebooks

SOURCES = "id,label,title,publisher,url,published,accessed,license,kind,round,note\nmlc,MLC,Results,MLCommons,https://a.example/,,2026-01-01,,,,\n"
RECORD = {  # of a page, but for its name
    "title": "One", "subtitle": "", "question": "How. So.", "notebook": "one", "sweep": "", "group": {},
    "parameters": {}, "figures": [], "headline": None, "no_data": "", "live": False, "opened": {},
}  # fmt: skip


def cell(source, number):
    """A cell from its text: Markdown where it begins with "#" or a letter and a space, else code; "#:" is code too."""
    if source.startswith(("# ", "## ", "Text")):
        return {"cell_type": "markdown", "id": f"c{number}", "metadata": {}, "source": source}
    tags = ["parameters"] if source.startswith("#: parameters") else []
    return {
        "cell_type": "code", "id": f"c{number}", "metadata": {"tags": tags} if tags else {}, "source": source,
        "outputs": [], "execution_count": None,
    }  # fmt: skip


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Folders of a project, `add` for a notebook from cells, `run` for a run file, `record` and `page` of a report."""
    root = tmp_path / "a project"
    for folder in ("notebooks/runs", "reports", "data", "src/analysis"):
        (root / folder).mkdir(parents=True)
    (root / "data" / "sources.csv").write_text(SOURCES, encoding="utf-8")
    for name, folder in {"ROOT": "", "NOTEBOOKS": "notebooks", "REPORTS": "reports", "DATA": "data"}.items():
        monkeypatch.setattr(paths, name, root / folder)
    monkeypatch.chdir(root)

    def add(name, *cells, **metadata):
        content = [cell(source, number) for number, source in enumerate(cells)]
        notebook = {"cells": content, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        (root / "notebooks" / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")

    def run(name, text):
        (root / "notebooks" / "runs" / f"{name}.yml").write_text(text, encoding="utf-8")

    return SimpleNamespace(
        root=root, notebooks=root / "notebooks", reports=root / "reports", add=add, run=run,
        build=lambda names=(), **options: reports.build(names, **({"jobs": 2, "timeout": 300} | options)),
        record=lambda name: json.loads((root / "reports" / f"{name}.json").read_text("utf-8")),
        page=lambda name: (root / "reports" / f"{name}.html").read_text("utf-8"),
        exists=lambda name: (root / "reports" / f"{name}.html").exists(),
    )  # fmt: skip


SAY = """from IPython.display import display
def say(kind, name, text="", sources=(), empty=False, **data):
    record = {"kind": kind, "name": name, "text": text, "title": text, "value": 2.0, "unit": "x"}
    record |= {"sources": list(sources), **({"empty": True} if empty else {})}
    bundle = {"text/plain": text, "text/html": f"<p>{text}</p>", "application/vnd.mlperf.report+json": record}
    display({**bundle, **data}, raw=True)"""


@pytest.fixture
def say():
    """A cell that defines `say`, which shows what `analysis.report` would."""
    return SAY
