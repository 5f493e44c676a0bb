"""Refreshing notebooks in place, and stopping a build."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from analysis._build.refresh import UnknownNotebook, refresh


def test_refresh_is_complete_and_repeatable(project):
    path, lines = project.places.notebook("apples"), []
    edited = json.loads(path.read_text())
    edited["metadata"] |= {"vscode": {}, "widgets": {}}
    for cell in edited["cells"]:
        cell["metadata"] |= {"collapsed": True, "scrolled": True, "jupyter": {"outputs_hidden": True}, "execution": {}}
    path.write_text(json.dumps(edited))
    assert refresh(["notebooks/apples.ipynb"], places=project.places, say=lines.append) == 0
    content = json.loads(path.read_text())
    executed = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in executed] == list(range(1, len(executed) + 1))
    assert content["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert all(set(cell["metadata"]) <= {"tags"} for cell in content["cells"])
    assert not [cell for cell in executed if "injected-parameters" in cell["metadata"].get("tags", [])]
    assert [output["metadata"] for output in executed[-1]["outputs"]] == [{}], "digests of whole files are not stored"
    before = path.read_bytes()
    assert refresh(places=project.places, say=lines.append) == 0
    assert path.read_bytes() == before
    first, *changed = lines[0].splitlines()
    assert [first, lines[1]] == ["refreshed  apples", "the same   apples"]
    assert any(line.startswith("    ") and "not for the page" in line for line in changed)
    assert set(project.build().fresh) == {"apples", "apples_five"}


def test_a_failing_notebook_is_left_as_it_was(project):
    project.notebook("bad", project.cells(project.code("1 / 0")))
    before, lines = project.places.notebook("bad").read_bytes(), []
    assert refresh(["bad"], places=project.places, say=lines.append) == 1
    assert project.places.notebook("bad").read_bytes() == before
    assert "ZeroDivisionError: division by zero" in lines[-1] and "cell 8 of 10" in lines[-1]
    with pytest.raises(UnknownNotebook, match="did you mean 'apples'"):
        refresh(["aples"], places=project.places)


def test_two_findings_of_one_name_are_refused(project):
    again = "display({'application/vnd.analysis.finding+json': finding | {'low': 0}}, raw=True)"
    project.notebook("bad", project.cells(project.code(again)))
    before, lines = project.places.notebook("bad").read_bytes(), []
    assert refresh(["bad"], places=project.places, say=lines.append) == 1
    assert project.places.notebook("bad").read_bytes() == before
    assert "The finding 'apples' has another value than the one of that name above" in lines[-1]


def test_an_interrupt_leaves_nothing_half_done(project):
    mark = project.places.root / "running.txt"
    wait = f"import os, pathlib, time\npathlib.Path({str(mark)!r}).write_text(str(os.getpid()))\ntime.sleep(60)"
    project.report("slow", project.cells(project.code(wait)))
    before = project.tree()
    # Whoever started the tests in the background made SIGINT ignored, and programs inherit that.
    program = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from analysis.cli import main
sys.exit(main.main(["reports", "slow"]))
"""
    environment = os.environ | {"PYTHONPATH": ":".join(sys.path), "ANALYSIS_ROOT": str(project.places.root)}
    process = subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (mark.exists() and mark.read_text()):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Interrupted: nothing is half-written" in error and "Traceback" not in error
    assert not _alive(int(mark.read_text()))
    after = project.tree()
    assert after == before, set(after) ^ set(before)


def _alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
