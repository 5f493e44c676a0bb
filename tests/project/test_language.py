"""The words of docs/glossary.md: those that it replaces occur nowhere, those that it prescribes do."""

import argparse
import ast
import json
import re

import pytest

from analysis._core import mime
from analysis._core.paths import NOTEBOOKS, ROOT
from analysis.cli import main

GLOSSARY = ROOT / "docs" / "glossary.md"
SOURCE = ROOT / "src" / "analysis"
CODE = re.compile(r"```.*?```|`[^`]*`|\b\w+(?:\.\w+)+|\b[A-Z_]{3,}\b", re.DOTALL)  # names and commands
TAGS = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL)
TEMPLATE = re.compile(r"{#.*?#}|{%.*?%}|{{.*?}}", re.DOTALL)
SHOWN = ("text/html", "text/markdown", "text/plain")  # outputs of cells that are words
NAME = re.compile(r"""\bname=f?"([a-z_{}]+)\"""")
PRESCRIBED = ("tokens/s per", "available", "break-even", "interactivity", "latency limit", "pareto", "power-capped")
PRESCRIBED += (
    "cross-round",
    "single submitter",
    "median",
    "recomputed",
    "baseline",
    "comparable",
    "retain",
    "submitter",
)


def replaced():
    """The phrases in the third column of the glossary."""
    rows = [line.split("|") for line in GLOSSARY.read_text("utf-8").splitlines() if line.startswith("| ")]
    return [phrase for row in rows for phrase in re.findall(r'"([^"]+)"', row[3])]


FORBIDDEN = re.compile(
    r"\b(?:" + "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in replaced()) + r")\b", re.I
)


def found(text):
    """The replaced words of a text, each with what is around it."""
    return [" ".join(text[max(0, hit.start() - 40) : hit.end() + 20].split()) for hit in FORBIDDEN.finditer(text)]


def words(markup):
    """The text of HTML."""
    return TAGS.sub(" ", markup)


def docstrings(path):
    """The docstrings of a module, each with its line."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False)
            if text:
                yield node.body[0].lineno, text


def cells(notebook):
    return json.loads((NOTEBOOKS / f"{notebook}.ipynb").read_text("utf-8"))["cells"]


def shown(notebook):
    """All words of a notebook: its text, and what its stored outputs say."""
    texts = []
    for cell in cells(notebook):
        if cell["cell_type"] != "code":
            texts.append("".join(cell["source"]))
        for output in cell.get("outputs", []):
            texts += [words("".join(output.get("data", {}).get(kind, []))) for kind in SHOWN]
            texts.append("".join(output.get("text", [])))
    return "\n".join(texts)


def unscoped(text):
    """The number of words of a text, without those in parentheses."""
    return len(re.findall(r"\S*\w\S*", re.sub(r"\([^)]*\)", "", text)))


def helps(parser):
    """The help of a command and of all commands below it."""
    yield parser.format_help()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from helps(command)


def test_the_glossary_names_what_it_replaces():
    assert len(replaced()) > 20
    hits = FORBIDDEN.findall("An H200 gives most and is worth\nits price.")
    assert hits == ["gives most", "worth"]
    assert found("throughput, filename, standard, unproven") == []
    assert unscoped("B200: 5.9x = 1.3x software × 4.4x others (Offline, v5.1)") == 6


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        *sorted(f"docs/{each.name}" for each in GLOSSARY.parent.glob("*.md")),
    ],
)
def test_documents_use_the_words_of_the_field(path):
    text = (ROOT / path).read_text("utf-8")
    if path == "docs/glossary.md":
        text = "\n".join("|".join(line.split("|")[:3]) if line.startswith("|") else line for line in text.splitlines())
    assert found(CODE.sub("", text)) == []


def test_docstrings_use_the_words_of_the_field():
    hits = {
        f"{path.relative_to(SOURCE)}:{line}": hit
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in docstrings(path)
        if (hit := found(CODE.sub("", text)))
    }
    assert hits == {}


def test_notebooks_use_the_words_of_the_field(shipped_notebook):
    assert found(shown(shipped_notebook)) == []


def test_titles_are_short_and_headlines_little_longer(shipped_notebook):
    """Words before the scope in parentheses: a title has at most 14; a headline, which has its conditions, 20."""
    outputs = [output for cell in cells(shipped_notebook) for output in cell.get("outputs", [])]
    titles = [output["metadata"].get(mime.SVG, {}).get("title", "") for output in outputs if "metadata" in output]
    headlines = [found["headline"] for output in outputs if (found := output.get("data", {}).get(mime.FINDING))][:1]
    long = [text for texts, most in ((titles, 14), (headlines, 20)) for text in texts if unscoped(text) > most]
    assert headlines and long == []


def test_templates_and_help_use_the_words_of_the_field():
    pages = [*sorted(SOURCE.rglob("*.j2")), *sorted(SOURCE.rglob("*.html"))]
    said = {path.name: found(words(TEMPLATE.sub(" ", path.read_text("utf-8")))) for path in pages}
    assert len(pages) > 5 and not any(said.values()), said
    texts = list(helps(main._parser()))
    assert len(texts) > 5 and [hit for text in texts for hit in found(text)] == []


def test_findings_are_named_in_the_words_of_the_field(shipped_notebook):
    source = "\n".join("".join(cell["source"]) for cell in cells(shipped_notebook) if cell["cell_type"] == "code")
    names = NAME.findall(source)
    assert [name for name in names if found(name.replace("_", " "))] == []


def test_the_prescribed_words_are_used(shipped):
    """On the pages together, so that the glossary describes what is read."""
    pages = " ".join(shown(path.stem) for path in shipped if path.suffix == ".ipynb").lower()
    assert [word for word in PRESCRIBED if word not in pages] == []
