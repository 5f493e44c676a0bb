"""Cells in a forked process: the outputs of an ordinary kernel, limits, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

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
    assert len(outputs(forked)) == 14
    assert forked.failure.splitlines() == ordinary.failure.splitlines() == [
        'cell 14 of 15, under "Kinds", line 3: broken()', "KeyError: 'no'"
    ]  # fmt: skip


def test_a_notebook_runs_in_its_folder_and_imports_what_lies_beside_it(project, shown):
    (project.notebooks / "beside.py").write_text("import os\nhere = os.getcwd(), os.path.exists('one.ipynb')")
    assert eval(shown("import beside\nbeside.here")) == (str(project.notebooks), True)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (
            "print('x' * 9_000_000)",
            "OutputTooLarge: an output of 9,000,000 characters; at most 8,388,608 fit on a page",
        ),
        ("import sys\nfor _ in range(99): print('x' * 1_000_000); print('y', file=sys.stderr)", "the outputs of 34,"),
    ],
)
def test_outputs_that_no_page_carries_are_refused(project, cell, words):
    project.add("large", "# Large", cell)
    assert words in run(Report("large", project.notebooks / "large.ipynb")).failure


def gone(pids):
    def runs(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except OSError:
            return False

    deadline = time.monotonic() + 5
    while any(map(runs, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(map(runs, pids))


def test_a_process_that_dies_or_hangs_fails_alone_and_leaves_nothing(project, capsys):
    project.add(
        "crash", "# Crash", "import faulthandler, os\nfaulthandler.disable()\nos.write(2, b'last words')\nos.abort()"
    )
    project.add("fine", "# Fine", "1")
    project.add("hang", "# Hang", "import subprocess, pathlib\nchild = subprocess.Popen(['sleep', '600'])\n"
                "pathlib.Path('../pid').write_text(str(child.pid))\nchild.wait()")  # fmt: skip
    assert project.build(timeout=4) == 1
    said = capsys.readouterr().out
    assert "its process exited unexpectedly (SIGABRT); its last line: last words" in said
    assert "stopped after 4 s, the time limit of a report" in said
    assert [project.exists(name) for name in ("crash", "fine", "hang")] == [False, True, False]
    assert gone([int((project.root / "pid").read_text())])


def test_what_a_notebook_starts_in_a_session_of_its_own_ends_with_it(shown):
    start = "import subprocess\nprint(subprocess.Popen(['sleep', '60'], start_new_session=True).pid)"
    assert gone([int(shown(start))])


def test_a_result_is_taken_further_in_a_process_of_its_own_and_its_end_is_told():
    order = []
    steps = (lambda: order.append("meanwhile"), lambda number, square: (number, square, 1 / number, os.getpid()))
    results = dict(side_by_side(lambda number: number**2, {"fine": (3,), "broken": (0,)}, 2, 30, *steps))
    assert order == ["meanwhile"]
    assert results["fine"][:3] == (3, 9, 1 / 3) and results["fine"][3] != os.getpid()
    assert str(results["broken"]) == "ZeroDivisionError: division by zero"


def test_no_more_run_at_a_time_than_jobs():
    started = time.monotonic()
    assert len(list(side_by_side(time.sleep, {name: (0.3,) for name in "abc"}, 1, 30))) == 3
    assert time.monotonic() - started > 0.9


def test_jsonschema_is_imported_without_checkers_that_others_find_as_before():
    code = """import sys
from analysis.pages import schema
assert "jsonschema" in sys.modules and not {*schema.CHECKERS} & {*sys.modules}
import rfc3986_validator"""
    subprocess.run([sys.executable, "-c", code], check=True)


# What nohup and a shell ignore of what they start in the background, tests may have inherited.
PRELUDE = """import os, pathlib, re, signal, subprocess, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
from analysis.cli import main
from analysis.pages.processes import side_by_side
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc on this system")
@pytest.mark.parametrize("ending", ["SIGKILL", "SIGHUP", "SIGTERM", "SIGINT"])
def test_nothing_outlives_a_build_however_it_ends(tmp_path, ending):
    """One worker sleeps, one holds Python's lock, and one started a process in a session of its own."""
    code = f"""{PRELUDE}
def work(kind):
    pathlib.Path({str(tmp_path)!r}, str(os.getpid())).touch()
    if kind == "holds":
        re.match("(a*)*b", "a" * 40)
    if kind == "starts":
        pid = subprocess.Popen(["sleep", "60"], start_new_session=True).pid
        pathlib.Path({str(tmp_path)!r}, str(pid)).touch()
    time.sleep(60)
main.app = lambda *_, **__: [*side_by_side(work, {{kind: (kind,) for kind in ("sleeps", "holds", "starts")}}, 3, 100)]
sys.exit(main.main(["reports"]))
"""
    build = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    deadline = time.monotonic() + 20
    while len(list(tmp_path.iterdir())) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    pids = [int(path.name) for path in tmp_path.iterdir()]
    build.send_signal(getattr(signal, ending))
    assert build.wait(10) in (130, -9) and len(pids) == 4 and gone(pids)


@pytest.mark.parametrize("ending", ["SIGHUP", "SIGTERM", "SIGINT"])
def test_a_signal_that_comes_while_a_process_is_forked_ends_the_build(ending):
    code = f"""{PRELUDE}
os.register_at_fork(before=lambda: os.kill(os.getpid(), signal.{ending}))
main.app = lambda *_, **__: [*side_by_side(time.sleep, {{"one": (5,)}}, 1, 100)]
sys.exit(main.main(["reports"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "analysis: interrupted; no file is partially written\n")


def test_a_notebook_may_catch_and_show_that_there_are_no_data(shown):
    raised = "from analysis import NoData\ntry:\n    raise NoData('none')\nexcept NoData as error:\n    caught = error"
    assert shown(raised, "caught._render_traceback_()") == "['No data: none']"


def test_notebooks_share_nothing_and_draw_other_numbers_at_random(shown):
    """numpy and random were seeded in this process, from which both are forked."""
    draw = "import random, numpy, builtins\nbefore = getattr(builtins, 'mark', 0)\nbuiltins.mark = 1\n"
    draw += "before, random.random(), float(numpy.random.rand())"
    first, second = eval(shown(draw)), eval(shown(draw))
    assert first[0] == second[0] == 0 and first[1] != second[1] and first[2] != second[2]
