"""Warm kernels: forked, and in every respect that a notebook can see an ordinary kernel of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from analysis._build.kernels import forkserver, process, warm
from analysis._build.kernels.pool import Kernels
from analysis._build.kernels.process import ForkedProcess
from analysis._build.kernels.provisioner import NAME
from analysis._build.runs.folders import Places
from analysis._core import paths

SWITCH = "JUPYTER_DEFAULT_PROVISIONER_NAME"

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Project = Callable[..., dict[str, str]]

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kernels are forked on Linux only")

SEEN = """
import json, logging, os, signal, sys, threading, warnings
import matplotlib, numpy, pandas, seaborn
import matplotlib.pyplot as plt
hidden = {"JPY_PARENT_PID", "PYDEVD_USE_FRAME_EVAL"}  # the other is a debugger's, which warm kernels go without
threads = [type(t).__name__ for t in threading.enumerate()]  # Warm kernels go without subshells, too.
print(json.dumps({
    "path": sys.path, "argv": [a for a in sys.argv if not a.endswith(".json")], "flags": list(sys.flags),
    "folder": os.getcwd(), "environment": {k: v for k, v in sorted(os.environ.items()) if k not in hidden},
    "backend": matplotlib.get_backend(), "interactive": matplotlib.is_interactive(), "figures": plt.get_fignums(),
    "rc": {k: str(v) for k, v in matplotlib.rcParams.items()},
    "pandas": [pandas.get_option("display." + o) for o in ("max_columns", "max_rows", "width")],
    "filters": sorted([f[0], str(f[1]), f[2].__name__, str(f[3]), f[4]] for f in warnings.filters),
    "signals": [str(signal.getsignal(s)) for s in (signal.SIGINT, signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP)],
    "loggers": [type(h).__name__ for h in logging.getLogger().handlers],
    "threads": sorted(name for name in threads if name != "ShellChannelThread"),
    "main": [sys.modules["__main__"].__name__, sys.stdin.read()], "session": os.getsid(0) == os.getpid(),
    "hooks": [sys.excepthook.__name__, sys.displayhook.__class__.__name__],
    "builtin": hasattr(__import__("builtins"), "get_ipython"),
}))
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A function that makes a copy of the package, with figures kept or without: the environment of its kernels."""
    made: list[dict[str, str]] = []

    def make(kept: bool, cache: str = "on") -> dict[str, str]:
        folder = tmp_path / f"project-{len(made)}"
        shutil.copytree(process.SOURCE, folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(paths.DATA, folder / "data", ignore=shutil.ignore_patterns("official"))
        if kept:
            (folder / ".cache" / "figures").mkdir(parents=True)
        made.append(os.environ | {"PYTHONPATH": str(folder / "src"), "ANALYSIS_CACHE": cache})
        return made[-1]

    yield make
    for env in made:
        warm.close(env)


@pytest.mark.parametrize("kept", [True, False])
def test_a_notebook_sees_the_same_in_both_kinds(
    start: Callable[..., Any], project: Project, tmp_path: Path, kept: bool
) -> None:
    environment = project(kept) | {"ANALYSIS_TEST": "1", "TZ": "Asia/Tokyo"}
    try:
        warmed, ordinary = (
            json.loads(start(kind, cwd=str(tmp_path), env=dict(environment)).run(SEEN)) for kind in (True, False)
        )
    finally:
        warm.close(environment)
    differing = {key: (warmed[key], ordinary[key]) for key in ordinary if warmed[key] != ordinary[key]}
    assert differing == {}
    assert warmed["folder"] == str(tmp_path) and warmed["environment"]["ANALYSIS_TEST"] == "1"


def test_no_thread_hands_requests_on_to_subshells(start: Callable[..., Any]) -> None:
    threads = start().run("import threading; print([type(thread).__name__ for thread in threading.enumerate()])")
    assert "ShellChannelThread" not in threads and "ControlThread" in threads


def test_a_kernel_words_no_record_that_its_log_would_drop(start: Callable[..., Any]) -> None:
    said = start().run("log = get_ipython().kernel.log; print([log.isEnabledFor(level) for level in (10, 20, 30)])")
    assert said == "[False, False, True]"


def test_it_is_forked(start: Callable[..., Any]) -> None:
    kernel = start()
    assert isinstance(kernel.manager.provisioner.process, ForkedProcess)
    assert kernel.run("import sys; print('pandas' in sys.modules)") == "True"
    assert kernel.run("import os; print(os.getppid())") == str(next(iter(warm._servers.values())).process.pid)


def test_the_package_is_loaded_before_and_anew_once_a_file_that_it_rests_on_was_edited(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    source = tmp_path / "src"
    shutil.copytree(process.SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(paths.DATA, tmp_path / "data", ignore=shutil.ignore_patterns("official"))
    env = os.environ | {"PYTHONPATH": str(source)}
    loaded = "import sys; print('analysis._display.notebook' in sys.modules, end=' ')\n"
    module = (
        loaded + "from analysis._core import cell_lists; print(cell_lists.__file__, getattr(cell_lists, 'ADDED', None))"
    )
    table = loaded + "from analysis.charts import colors; print('B200 SXM' in colors.COLORS)"
    file, accelerators = source / "analysis" / "_core" / "cell_lists.py", tmp_path / "data" / "accelerators.csv"
    try:
        assert start(env=env).run(module) == f"True {file} None"
        assert start(env=env).run(table) == "True True"
        accelerators.write_text(accelerators.read_text().replace("B200 SXM", "B200 XXX"))
        assert start(env=env).run(table) == "False False"
        file.write_text(file.read_text() + "ADDED = 1\n")
        assert start(env=env).run(module) == f"False {file} 1"
    finally:
        warm.close(env)


def test_a_package_that_cannot_be_loaded_is_left_to_each_kernel(start: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "analysis").mkdir()
    (tmp_path / "analysis" / "__init__.py").write_text("raise SystemError")
    env = os.environ | {"PYTHONPATH": str(tmp_path)}
    try:
        kernel = start(env=env)
        assert kernel.run("import os; print(os.getppid())") == str(warm._servers[warm._key(env)].process.pid)
        assert "SystemError" in kernel.run("import analysis")
    finally:
        warm.close(env)


@pytest.mark.parametrize(("kept", "cache"), [(True, "on"), (False, "on"), (True, "off")])
def test_what_figures_are_drawn_with_is_loaded_before_where_none_is_kept(
    start: Callable[..., Any], project: Project, kept: bool, cache: str
) -> None:
    loaded = "import sys; print('matplotlib' in sys.modules, 'analysis.charts.row_charts' in sys.modules)"
    assert start(env=project(kept, cache)).run(loaded) == f"{not kept or cache == 'off'} True"


def test_what_enough_kernels_had_to_load_by_themselves_is_loaded_before(
    start: Callable[..., Any], project: Project
) -> None:
    env, loaded = project(True), "import sys; print('matplotlib' in sys.modules, 'seaborn' in sys.modules)"
    for _ in range(forkserver.ENOUGH):
        kernel = start(env=env)
        assert kernel.run(loaded) == "False False"
        kernel.run("import matplotlib")
        kernel.end()
    assert start(env=env).run(loaded) == "True False"


def test_what_few_kernels_need_is_loaded_where_there_is_time_for_it(
    start: Callable[..., Any], project: Project
) -> None:
    env = project(True)
    warm.start(env, ".")
    server, end = warm._servers[warm._key(env)].process.pid, time.monotonic() + 60
    while "/matplotlib/" not in Path(f"/proc/{server}/maps").read_text() and time.monotonic() < end:
        time.sleep(0.05)
    assert start(env=env).run("import sys; print('matplotlib' in sys.modules)") == "True"


def test_it_starts_without_a_debugger_which_notebooks_can_import(start: Callable[..., Any]) -> None:
    kernel = start()
    assert kernel.run("import sys; print('debugpy' in sys.modules)") == "False"
    assert kernel.run("import debugpy; print(debugpy.__name__)") == "debugpy"


def test_tables_are_read_before_and_again_once_a_file_of_them_is_another(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    shutil.copytree(process.SOURCE, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(paths.DATA, tmp_path / "data")
    env = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "ANALYSIS_TEST": "tables"}
    env.pop("ANALYSIS_CACHE", None)
    read = "from analysis._tables import derived_tables as m; print(sorted(p.stem for p in m._held or ()), end=' ')\n"
    read += "from analysis._display import notebook; results = notebook.catalog().results; print(len(results))\n"
    read += "results['id'] = ''; print(notebook.catalog().results['id'].eq('').any())"
    try:
        unkept = start(env=env).run(read)  # Here they are made, and kept on disk.
        warm.close(env)
        held = start(env=env).run(read)
        (tmp_path / "data" / "official" / "v2.0.parquet").unlink()
        changed = start(env=env).run(read)
    finally:
        warm.close(env)
    assert "joined" in held and held.splitlines()[1:] == ["False"]
    assert held.partition("] ")[2] == unkept.partition("] ")[2]
    assert "joined" in changed and changed.endswith("TableError")


def test_nothing_of_one_kernel_shows_in_another(start: Callable[..., Any]) -> None:
    first, second = start(), start()
    first.run("import pandas, string, os, matplotlib.pyplot as plt; pandas.DataFrame = string.capwords = 'patched'")
    first.run("plt.rcParams['lines.linewidth'] = 99; plt.figure(); os.environ['A'] = '1'; os.chdir('/')")
    seen = "import pandas, string, os, matplotlib.pyplot as plt; print(pandas.DataFrame == 'patched', "
    seen += "string.capwords == 'patched', plt.rcParams['lines.linewidth'], plt.get_fignums(), "
    seen += "'A' in os.environ, os.getcwd() == '/')"
    for kernel in (second, start()):
        assert kernel.run(seen) == "False False 1.5 [] False False"


def test_each_kernel_draws_its_own_random_numbers(start: Callable[..., Any]) -> None:
    draw = "import random, numpy; print(random.random(), numpy.random.rand(), numpy.random.default_rng().random())"
    drawn = [start().run(draw).split() for _ in range(2)]
    assert all(mine != others for mine, others in zip(*drawn, strict=True))


def test_an_interrupt_ends_the_cell_and_not_the_kernel(start: Callable[..., Any], tmp_path: Path) -> None:
    kernel, mark = start(), tmp_path / "running"
    sleep = f"import pathlib, time; pathlib.Path({str(mark)!r}).touch(); time.sleep(60)"
    asked = kernel.client.execute(sleep, stop_on_error=False)  # Else a kernel drops what is asked just after an error.
    while not mark.exists():
        time.sleep(0.02)
    kernel.manager.interrupt_kernel()
    assert kernel.client._recv_reply(asked, timeout=10)["content"]["ename"] == "KeyboardInterrupt"
    assert kernel.run("print('alive')", timeout=10) == "alive"


def test_an_orderly_end_runs_exit_functions_and_flushes(start: Callable[..., Any], tmp_path: Path) -> None:
    kernel = start()
    kernel.run(f"import atexit, threading, time; folder = {str(tmp_path)!r}")
    kernel.run("atexit.register(lambda: open(folder + '/exit', 'w').write('ran')); late = open(folder + '/late', 'w')")
    kernel.run("late.write('unflushed'); atexit.register(late.close)")
    kernel.run("import threading, time, pathlib")
    kernel.run("threading.Thread(target=lambda: (time.sleep(0.3), pathlib.Path(folder, 'thread').touch())).start()")
    process = kernel.manager.provisioner.process
    kernel.end()
    assert process.wait(timeout=5) == 0
    assert (tmp_path / "exit").read_text() == "ran" and (tmp_path / "late").read_text() == "unflushed"
    assert (tmp_path / "thread").exists()


def test_what_the_notebook_started_ends_with_it(start: Callable[..., Any]) -> None:
    kernel = start()
    started = kernel.run("import subprocess; print(subprocess.Popen(['sleep', '60']).pid)")
    kernel.end(now=True)
    assert gone(int(started))


@pytest.mark.parametrize(("code", "status"), [("import os; os._exit(7)", 7), ("import os; os.abort()", -6)])
def test_the_exit_status_comes_back(start: Callable[..., Any], code: str, status: int) -> None:
    kernel = start()
    kernel.client.execute(code)
    assert kernel.manager.provisioner.process.wait(timeout=10) == status


def test_a_multiprocessing_child_can_be_terminated(start: Callable[..., Any]) -> None:
    kernel = start()
    code = "import multiprocessing as m, time, atexit; atexit.register(print, 'twice')\n"
    code += "p = m.get_context('fork').Process(target=time.sleep, args=(60,)); p.start(); time.sleep(0.2)\n"
    code += "p.terminate(); p.join(5); print(p.exitcode)"
    assert kernel.run(code) == "-15"


def test_without_the_parent_kernels_are_ordinary_and_that_is_said_once(
    start: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    before, parent = start(), next(iter(warm._servers.values()))
    parent.process.kill()
    assert before.manager.provisioner.process.wait(timeout=5) == -signal.SIGKILL
    assert gone(before.pid)
    for _ in range(2):
        kernel = start()
        assert kernel.run("print(1)") == "1"
        assert not isinstance(kernel.manager.provisioner.process, ForkedProcess)
    assert capfd.readouterr().err.count("Ordinary kernels instead of warm ones") == 1
    warm.close()


def test_where_forking_cannot_be_had_kernels_are_ordinary(
    start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    warm.close()
    monkeypatch.setattr(process.sys, "platform", "darwin")
    assert start().run("print(1)") == "1"
    assert "on darwin a process cannot be forked safely" in capfd.readouterr().err


def test_a_build_ends_what_its_kernels_are_forked_from(tmp_path: Path) -> None:
    places = Places.under(tmp_path)
    places.notebooks.mkdir()
    before = psutil.Process().children()
    with Kernels(places):
        (parent,) = set(psutil.Process().children()) - set(before)
        assert parent.is_running()
    assert not parent.is_running()


def test_nothing_outlives_a_killed_orchestrator(tmp_path: Path) -> None:
    program = f"""
import os, sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from conftest import Kernel
from analysis._build.kernels import provisioner, warm
provisioner.register()
kernel = Kernel(provisioner.NAME, Path({str(tmp_path)!r}))
print(next(iter(warm._servers.values())).process.pid, kernel.pid, kernel.run("import subprocess; "
      "print(subprocess.Popen(['sleep', '60']).pid)"), flush=True)
time.sleep(60)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True) as made:
        pids = [int(pid) for pid in made.stdout.readline().split()]
        made.kill()
    assert len(pids) == 3
    assert all(gone(pid) for pid in pids)


def test_nothing_outlives_an_orchestrator_that_is_killed_while_libraries_load(tmp_path: Path) -> None:
    """The libraries here never finish to load, so it is not their end that ends the process."""
    (tmp_path / "numpy.py").write_text(
        f"import os, pathlib, time\n"
        f"pathlib.Path({str(tmp_path / 'loading')!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n"
    )
    program = f"""
import os, time
from analysis._build.kernels import warm
warm.start(dict(os.environ, PYTHONPATH={str(tmp_path)!r} + os.pathsep + os.environ["PYTHONPATH"]), {str(tmp_path)!r})
time.sleep(600)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment) as made:
        while not ((loading := tmp_path / "loading").exists() and loading.read_text()):
            time.sleep(0.02)
        made.kill()
    assert gone(int(loading.read_text()))


def test_a_kernel_ends_whose_server_was_killed_while_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a group of processes is killed: nobody is left then who knows of a kernel that has no parent."""
    late = """
import os, time
from analysis._build.kernels import child
start = child._run
def run(*arguments):
    while os.getppid() == server:
        time.sleep(0.01)
    start(*arguments)
child._run, server = run, os.getpid()
"""
    monkeypatch.setattr(process, "PROGRAM", process.PROGRAM.replace("del ", f"exec({late!r}); del "))
    server = process.ForkServer(dict(os.environ), str(tmp_path))
    with (tmp_path / "said").open("w") as said:
        kernel = server.fork(["-f", str(tmp_path / "kernel.json")], {}, str(tmp_path), (said.fileno(), said.fileno()))
    server.process.kill()
    try:
        assert gone(kernel.pid)
    finally:
        kernel.kill()
        server.close()


def gone(pid: int, within: float = 5.0) -> bool:
    """Whether a process ends within some seconds."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":  # Ended; whoever inherited it has yet to fetch its status.
            return True
        time.sleep(0.02)
    return False


def test_any_tool_gets_warm_kernels_by_the_environment_alone(tmp_path: Path) -> None:
    program = """
import os
from analysis._build.kernels import provisioner
provisioner.register()  # As the installed package's entry point would.
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="python3")
print(type(manager.provisioner.process).__name__, manager.transport)
client.stop_channels(); manager.shutdown_kernel()
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), SWITCH: NAME}
    said = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["ForkedProcess", "ipc"]
