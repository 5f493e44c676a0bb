"""Cells in a forked process: the outputs of an ordinary kernel, limits, and nothing left behind."""

import subprocess
import sys

import papermill.engines as engines
import pytest

from analysis.pages.execute import execute
from analysis.pages.processes import METHOD, side_by_side
from analysis.pages.runs import Report

pytestmark = pytest.mark.skipif(METHOD != "fork", reason="no fork on this system")

KINDS = [
    "#: parameters\nscale = 1",
    "print('one'); print('two')\nimport sys\nprint('error', file=sys.stderr)",
    "import pandas as pd\npd.DataFrame({'a': [scale, 2]})",
    "print(pd.DataFrame({f'column {n}': [1.5] for n in range(30)}))\npd.DataFrame({c * 30: [1] for c in 'abcdef'})",
    "from IPython.display import HTML, Markdown, clear_output, display\nshown = display(HTML('1'), display_id=True)",
    "shown.update(HTML('2'))\ndisplay(Markdown('*3*'))\n_",
    "print('gone'); clear_output(wait=True); print('stays')",
    "!echo from a shell",
    "%%capture caught\nprint('caught')",
    "caught.stdout, __name__, In[1]",
    "",
    "sys.path[sys.path.index('') + 1][-9:], sys.stdout.writable()",
    "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
    "await __import__('asyncio').sleep(0, 'awaited')",
    "def broken():\n    raise KeyError('no')\nbroken()",
    "print('never')",
]


def run(report):
    [(_, result)] = side_by_side(execute, {report.name: (report,)}, jobs=1, timeout=60)
    return result


@pytest.fixture
def shown(project):
    """Run a notebook of these cells; the text of the last output."""

    def show(*cells, name="one"):
        project.add(name, "# One", *cells)
        output = run(Report(name, project.notebooks / f"{name}.ipynb")).notebook.cells[-1].outputs[0]
        return output.get("text") or output.data["text/plain"]

    return show


def outputs(done):
    """What the cells show, but for pictures and tracebacks, which differ from run to run."""
    shown = [(cell.execution_count, out) for cell in done.notebook.cells[1:] for out in cell.outputs]
    for _, output in shown:
        output.pop("traceback", None)
        output.get("data", {}).pop("image/png", None)
    return shown


def test_outputs_are_those_of_an_ordinary_kernel(project, monkeypatch):
    import analysis.charts  # noqa: F401 - as in the process that all reports are forked from

    project.add("kinds", "# Kinds", *KINDS)
    report = Report("kinds", project.notebooks / "kinds.ipynb", {"scale": 7})
    forked = run(report)
    monkeypatch.setitem(engines.papermill_engines._engines, "forked", engines.NBClientEngine)
    ordinary = run(report)
    assert outputs(forked) == outputs(ordinary)
    assert len(outputs(forked)) == 15
    assert forked.failure.splitlines() == ordinary.failure.splitlines() == [
        'cell 16 of 17, under "Kinds", line 3: broken()', "KeyError: 'no'"
    ]  # fmt: skip


def test_a_notebook_runs_in_its_folder_and_imports_what_lies_beside_it(project, shown):
    (project.notebooks / "neighbor.py").write_text("import os\nhere = os.getcwd(), os.path.exists('one.ipynb')")
    assert eval(shown("import neighbor\nneighbor.here")) == (str(project.notebooks), True)


@pytest.mark.parametrize(
    ("large", "words"),
    [("'x' * 8_388_609", "an output of 8,388,609 characters; at most 8,388,608 fit on a page"),
     ("'y'", "the outputs of 33,554,433 characters; at most 33,554,432 fit on a page")],
)  # fmt: skip
def test_outputs_that_no_page_carries_are_refused(project, large, words):
    fill = "import sys\nfor place in 'abcd': print('x' * 8_388_608, end='', file=sys.stderr if place in 'ac' else None)"
    project.add("large", "# Large", *([fill] if large == "'y'" else []), f"print({large})")
    assert run(Report("large", project.notebooks / "large.ipynb")).failure.splitlines()[1] == f"OutputTooLarge: {words}"


def test_jsonschema_is_imported_without_checkers_that_others_find_as_before():
    code = """import sys
from analysis.pages import schema
assert "jsonschema" in sys.modules and not {*schema.CHECKERS} & {*sys.modules}
import rfc3986_validator"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_notebook_may_catch_and_show_that_there_are_no_data(shown):
    raised = "from analysis import NoData\ntry:\n    raise NoData('none')\nexcept NoData as error:\n    caught = error"
    assert shown(raised, "caught._render_traceback_()") == "['No data: none']"
    assert shown("get_ipython().history_manager.enabled") == "False"


def test_notebooks_share_nothing_and_draw_other_numbers_at_random(shown):
    """numpy and random were seeded in this process, from which both are forked."""
    draw = "import random, numpy, builtins\nbefore = getattr(builtins, 'mark', 0)\nbuiltins.mark = 1\n"
    draw += "before, random.random(), float(numpy.random.rand())"
    first, second = eval(shown(draw)), eval(shown(draw))
    assert first[0] == second[0] == 0 and first[1] != second[1] and first[2] != second[2]
