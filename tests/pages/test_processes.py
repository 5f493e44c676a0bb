"""Tasks in forked processes: results, time limits, how one ended, and that nothing outlives a build."""

import faulthandler
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from analysis.cli import main
from analysis.pages.processes import side_by_side

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="no fork on this system")


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


ENDS = {
    "its process was killed (signal 9), most likely because memory ran out": lambda: os.kill(os.getpid(), 9),
    "its process exited unexpectedly (SIGABRT); its last line: last words": lambda: (
        faulthandler.disable(), os.write(2, b"last words\n"), os.abort()
    ),
    f"its process exited unexpectedly (exit status 0); its last line: {'a' * 500}": lambda: (
        os.write(1, b"b" * 5000 + b"a" * 4000), os._exit(0)
    ),
    "its process exited unexpectedly (exit status 3)": lambda: os._exit(3),
    "stopped after 1 s, the time limit of a report": lambda: time.sleep(60),
    "ZeroDivisionError: division by zero": lambda: 1 / 0,
}  # fmt: skip


def test_how_a_process_ended_is_told():
    found = {
        why: str(error)
        for why, error in side_by_side(lambda end: end(), {why: (end,) for why, end in ENDS.items()}, 9, 1)
    }
    assert found == {why: why for why in ENDS}


def test_a_task_reads_nothing_from_the_terminal(tmp_path):
    (tmp_path / "typed").write_text("typed")
    before, typed = os.dup(0), os.open(tmp_path / "typed", os.O_RDONLY)
    os.dup2(typed, 0)
    assert [*side_by_side(lambda: os.read(0, 9), {"reads": ()}, 1, 30)] == [("reads", b"")]
    os.dup2(before, 0)


@pytest.mark.parametrize("start", ["sleep 60 & echo $!", "sleep 60 & echo $!; wait"])
def test_what_a_task_starts_ends_with_it(start):
    """In its group, which it may leave to others, or in a session of its own, and what that starts."""

    def work():
        own_session = "wait" in start
        started = subprocess.Popen(["sh", "-c", start], start_new_session=own_session, stdout=subprocess.PIPE)
        return int(started.stdout.readline())

    [(_, pid)] = side_by_side(work, {"starts": ()}, 1, 30)
    assert gone([pid])


def test_a_result_is_taken_further_in_a_process_of_its_own_and_its_end_is_told():
    order = []
    steps = (lambda: order.append("meanwhile"), lambda number, square: (number, square, 1 / number, os.getpid()))
    results = dict(side_by_side(lambda number: number**2, {"fine": (3,), "broken": (0,)}, 2, 30, *steps))
    assert order == ["meanwhile"]
    assert results["fine"][:3] == (3, 9, 1 / 3) and results["fine"][3] != os.getpid()
    assert str(results["broken"]) == "ZeroDivisionError: division by zero"


def test_no_more_run_at_a_time_than_jobs_and_what_follows_a_result_comes_before_other_tasks(tmp_path):
    def note(*words):
        with (tmp_path / "log").open("a") as log:
            print(*words, end=", ", file=log)

    def work(name):
        note(name, "begins")
        time.sleep(0.2)
        note(name, "ends")

    assert dict(side_by_side(work, {"a": ("a",), "b": ("b",)}, 1, 30, then=note)) == {"a": None, "b": None}
    assert (tmp_path / "log").read_text() == "a begins, a ends, a None, b begins, b ends, b None, "


def command(tmp_path, work, *tasks, before=lambda: None):
    """Start tasks as the command `analysis reports` does, in a process of its own; its standard error is in a file."""

    def run():
        os.setsid()
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # what tests may have inherited from nohup or a shell
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stderr = (tmp_path / "said").open("w")
        main.app = lambda *_, **__: [*side_by_side(work, {task: (task,) for task in tasks}, 3, 100)]
        before()
        sys.exit(main.main(["reports"]))

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    return process


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc on this system")
@pytest.mark.parametrize("ending", ["SIGKILL", "SIGHUP", "SIGTERM", "SIGINT"])
def test_nothing_outlives_a_build_however_it_ends(tmp_path, ending):
    """One worker sleeps, one holds Python's lock, and one started a process in a session of its own."""

    def work(kind):
        (tmp_path / str(os.getpid())).touch()
        if kind == "holds":
            re.match("(a*)*b", "a" * 40)
        if kind == "starts":
            (tmp_path / str(subprocess.Popen(["sleep", "60"], start_new_session=True).pid)).touch()
        time.sleep(60)

    build = command(tmp_path, work, "sleeps", "holds", "starts")
    deadline, pids = time.monotonic() + 20, []
    while len(pids) < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
        pids = [int(path.name) for path in tmp_path.glob("[0-9]*")]
    os.kill(build.pid, getattr(signal, ending))
    build.join(10)
    assert build.exitcode in (130, -9) and len(pids) == 4 and gone(pids)


@pytest.mark.parametrize("ending", ["SIGHUP", "SIGTERM", "SIGINT"])
def test_a_signal_that_comes_while_a_process_is_forked_ends_the_build(tmp_path, ending):
    def before():
        os.register_at_fork(before=lambda: os.kill(os.getpid(), getattr(signal, ending)))

    build = command(tmp_path, lambda _: time.sleep(5), "one", before=before)
    build.join(10)
    assert build.exitcode == 130
    assert (tmp_path / "said").read_text() == "analysis: interrupted; no file is partially written\n"
