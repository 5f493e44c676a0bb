"""Outputs, run files, and tables at random, of fixed seeds.

Whatever cells show, the page is whole, runs no script, and is made in time. A run file gives reports with its values,
or an error that names it; a table its cells, or an error that names it.
"""

import csv
import json
import random
import re
import shutil
import time
from io import StringIO

import pytest
from bs4 import BeautifulSoup

from analysis import paths, tables
from analysis.pages import runs
from analysis.recipes import check
from tests.reports.conftest import chromium  # noqa: F401 - a fixture

PIECES = (
    "<script>evil()</script>",
    "<table>",
    "</table>",
    "<td rowspan=99999>",
    "<svg onload=evil()>",
    "</svg>",
    "<style>*{",
    "position:fixed",
    "</style>",
    "<a href='d&#9;ata:text/html,evil'>",
    "<img src=x onerror=evil()>",
    "&#x202E;",
    "\x00",
    "\x1b[31m",
    "<use href='#a'/>",
    "<g id='a'>",
    "</main></body></html>",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "]]>",
    "<!--",
    "\u202e",
    "\"'><meta http-equiv=refresh content=0>",
    "<iframe srcdoc=evil>",
    "<details open>",
    "<base href=//evil>",
)
KINDS = ("text/html", "image/svg+xml", "text/markdown", "text/plain", "text/csv", "application/vnd.mlperf.narrow+svg")
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'
ACTS = {"script", "iframe", "base", "form", "object", "embed", "meta", "foreignobject", "animate", "set"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_page_of_outputs_at_random_is_whole_and_acts_on_nothing(project, say, seed):
    rng = random.Random(seed)

    def text():
        return "".join(rng.choices(PIECES, k=rng.randint(1, 40)))

    cells = []
    for number in range(30):
        kind, said = rng.choice(KINDS), rng.choice(("finding", "figure", "table", "other"))
        data = {kind: SVG.replace("{}", text()) if "svg" in kind else text()}
        cells.append(f"say({said!r}, '{number}', {text()!r}, **{data!r})")
    fails = seed % 3 == 0
    project.add("one", f"# One {text()}", say, *cells, "raise ValueError('\\x1b')" if fails else "1")
    project.add("two", "# Two", "1")
    started = time.monotonic()
    assert project.build() == fails and project.exists("two") and project.exists("one") != fails
    assert time.monotonic() - started < 60
    page = project.page("two" if fails else "one")
    assert page.rstrip().endswith("</html>") and page.count("</html>") == page.count("<main") == 1
    assert not re.search("[\x00\x1b\u202e]", page)
    for tag in BeautifulSoup(page, "html.parser").body.find_all(
        lambda tag: not (tag.name == "script" and not tag.attrs)
    ):
        assert tag.name not in ACTS and not any(name.startswith("on") for name in tag.attrs)
        assert not re.match("data:text/html|javascript:", re.sub(r"\s", "", tag.get("href", "")))
        assert "position" not in tag.get("style", "")


SHAPES = "".join(f"<g id='a{n}'>" + f"<use href='#a{n - 1}'/>" * 10 + "</g>" for n in range(1, 9))
HEAVY = {  # what a browser, not the build, would take long for: kind of output and its text
    "shapes that multiply": ("image/svg+xml", SVG.format(f"<path id='a0' d='M1 1h7'/>{SHAPES}<use href='#a8'/>")),
    "a path of a megabyte": ("image/svg+xml", SVG.format(f"<path d='M1 1{'l1 1' * 250_000}'/>")),
    "a path again": ("image/svg+xml", SVG.format(f"<path id='p' d='{'M1 1' * 9999}'/>" + "<use href='#p'/>" * 999)),
    "patterns in patterns": ("image/svg+xml", SVG.format("".join(
        f"<pattern id='p{n}' width='.1' height='.1'><rect width='9' height='9' fill='url(#p{n - 1})'/></pattern>"
        for n in range(1, 20)))),
    "cells over cells": ("text/html", f"<table>{'<tr>' + '<td rowspan=100 colspan=100>1' * 1000}</table>"),
    "a table of 300,000 cells": ("text/html", f"<table>{('<tr>' + '<td>1</td>' * 10 + '</tr>') * 30_000}</table>"),
    "elements in elements": ("text/html", "<div>" * 300_000),
    "a word of two megabytes": ("text/plain", "w" * 2_000_000),
    "a list of 20,000": ("text/markdown", "- *a* `b`\n" * 20_000),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", HEAVY)
def test_a_page_of_a_hostile_output_is_seen_within_two_seconds(project, say, chromium, what):  # noqa: F811
    kind, text = HEAVY[what]
    project.add("one", "# One", say, f"say('other', 'a', 'heavy', **{{{kind!r}: {text!r}}})")
    assert project.build() == 0
    taken = []
    for _ in range(3):
        page, started = chromium.new_page(), time.monotonic()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        page.goto((project.reports / "one.html").as_uri(), timeout=60_000)
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        waited = time.monotonic() - started
        spent = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        taken.append(min(waited, spent["ProcessTime"]))  # of the processor, where other work makes it wait
        page.close()
    seconds = min(taken)
    print(f"{what}: {seconds:.2f} s, {len(project.page('one')):,} characters")
    assert seconds < 2 or "Cut here" in project.page("one")


RUN = """# A run file
notebook: one
title: "Own prices: B200"
parameters:
  name: B200
  scale: 2.5
  count: 4
  flag: false
  rounds: [v6.1, "v6.0"]
  prices: {B200: 2.95, H100: 1.5}
"""
OWN = "#: parameters\nname: str = 'H100'\nscale: float = 2.0\ncount = 3\nflag = True\nrounds: list = []\nprices = {}"
YAML = (
    "&a ", "*a", "<<: ", "!!int ", "[" * 30, "{", "]", ": ", "- ", "\t", "\x00", "\ufeff", "\u202e", "'", '"', "|\n",
    "#", "? ", "%YAML 1.1\n", "---\n", "1e999", ".nan", "0o17", "1:30", "9" * 400, "null", "~", "yes", "\r", "[1, 2]",
)  # fmt: skip
TYPES = {"name": str, "scale": int | float, "count": int | float, "flag": bool, "rounds": list, "prices": dict}
ODD = (
    "",
    "nan",
    "NA",
    "None",
    "-1",
    "1e400",
    "=1+1",
    "a,b",
    'a"b',
    "a\nb",
    "\x00",
    "\u202e",
    "0x10",
    "x" * 200_000,
    " B200 ",
    "é",
    '"',
    ",",
    "\n",
    "\r",
    "\ufeff",
    ";",
    "\t",
)


def mutated(rng, text, pieces):
    """A text with a few places cut out, doubled, exchanged, or filled with something else."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(text) + 1)
        end = min(start + rng.choice((0, 1, 5, 20)), len(text))
        text = text[:start] + rng.choice(("", 2 * text[start:end], rng.choice(pieces))) + text[end:]
    return text


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_run_file_at_random_gives_its_values_or_an_error_that_names_it(project, seed):
    rng = random.Random(seed)
    project.add("one", "# One", OWN)
    project.add("two", "# Two", "1")
    outcomes = set()
    for _ in range(100):
        text = mutated(rng, RUN, YAML)
        project.run("mine", text)
        started = time.monotonic()
        reports, wrong = runs.find()
        assert time.monotonic() - started < 5 and {"one", "two"} <= {*reports}
        made = [each for name, each in reports.items() if name not in ("one", "two")]
        assert bool(made) != bool(wrong), text
        outcomes.add(bool(made))
        for why in wrong.values():
            assert re.match(r"notebooks/runs/mine\.yml: \w.{10,}", why) and len(why) < 1000
        digits = re.findall(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?", text)
        numbers = {float(each) for each in digits if each.count(".") < 2 and each.strip("+-.")}
        for name, value in [pair for each in made for pair in each.parameters.items()]:
            assert isinstance(value, TYPES[name]) and isinstance(value, bool) == (name == "flag"), text
            assert name not in ("scale", "count") or value in numbers, text
    assert outcomes == {True, False}


KEPT = ("rounds", "sources", "component_power", "caveats", "precision_formats", "corrections")


@pytest.fixture
def data(tmp_path):
    """A folder with some of the tables of data/ and their description, in place of data/."""
    package = paths.parse_json((paths.DATA / paths.DESCRIPTOR).read_text("utf-8"))
    package["resources"] = [each for each in package["resources"] if each["name"] in KEPT]
    (tmp_path / paths.DESCRIPTOR).write_text(json.dumps(package), encoding="utf-8")
    for name in KEPT:
        shutil.copy(paths.DATA / f"{name}.csv", tmp_path)
    (tmp_path / "corrections.csv").write_text((paths.DATA / "corrections.csv").read_text("utf-8").partition("\n")[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "DATA", tmp_path)
        tables.forget()
        yield tmp_path
    tables.forget()  # only now: what another fixture read meanwhile is of these tables too


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_table_at_random_has_its_cells_or_an_error_that_names_it(data, seed):
    """A table that the check passes has each cell as the file has it, by Python's own reader."""
    rng = random.Random(seed)
    name = KEPT[seed % (len(KEPT) - 1)]
    path, described = data / f"{name}.csv", tables.descriptor()[name]["schema"]["fields"]
    types = {each["name"]: each["type"] for each in described}
    text = path.read_text("utf-8")
    before = check.faults(data)
    for _ in range(12):
        path.write_text(mutated(rng, text, [*ODD, *text.splitlines(keepends=True)[:3]]), encoding="utf-8", newline="")
        started, content = time.monotonic(), path.read_bytes()
        found = [line for line in check.faults(data) if line not in before]
        assert all(re.match(r"\w+\.csv(, row \d+, column \w+)?: \S", line) and len(line) < 1000 for line in found)
        assert content == text.encode() or any(line.startswith(path.name) for line in found), name
        tables.forget()
        try:
            frame = tables.load(name)
        except ValueError as error:
            assert path.name in str(error) and len(str(error)) < 1000
            assert any(line.startswith(path.name) for line in found)
            continue
        assert time.monotonic() - started < 10
        if all(check.CHANGED in line for line in found):
            header, *rows = filter(None, csv.reader(StringIO(content.decode("utf-8-sig"), newline="")))
            for column, cells in zip(header, zip(*rows, strict=True), strict=True):
                if types[column] in ("string", "date"):
                    assert frame[column].tolist() == [*cells]
                elif types[column] != "boolean":
                    assert frame[column].to_numpy() == pytest.approx(
                        [float(cell or "nan") for cell in cells], nan_ok=True
                    )
