"""Warm kernels: forked, in every respect that a notebook can see an ordinary kernel, and ended with their build."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from analysis._build.kernels.pool import Kernels
from analysis._build.kernels.process import SOURCE, ForkedProcess
from analysis._build.runs.folders import Places
from analysis._core import paths

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kernels are forked on Linux only")

SEEN = """
import json, logging, os, signal, sys, warnings
import matplotlib, numpy, pandas, seaborn
import matplotlib.pyplot as plt
formatters = get_ipython().display_formatter.formatters
hidden = {"JPY_PARENT_PID", "PYTEST_CURRENT_TEST", "IPYTHONDIR"}
hidden |= {"PYDEVD_USE_FRAME_EVAL"}  # a debugger's, which warm kernels go without
print(json.dumps({
    "path": sys.path, "argv": [a for a in sys.argv if not a.endswith(".json")], "flags": list(sys.flags),
    "folder": os.getcwd(), "environment": {k: v for k, v in sorted(os.environ.items()) if k not in hidden},
    "backend": matplotlib.get_backend(), "interactive": matplotlib.is_interactive(), "figures": plt.get_fignums(),
    "rc": {k: str(v) for k, v in matplotlib.rcParams.items()},
    "pandas": [pandas.get_option("display." + o) for o in ("max_columns", "max_rows", "width")],
    "filters": sorted([f[0], str(f[1]), f[2].__name__, str(f[3]), f[4]] for f in warnings.filters),
    "signals": [str(signal.getsignal(s)) for s in (signal.SIGINT, signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP)],
    "loggers": [type(h).__name__ for h in logging.getLogger().handlers],
    "main": [sys.modules["__main__"].__name__, sys.stdin.read()], "session": os.getsid(0) == os.getpid(),
    "figure formats": [str(kind) for kind, of in formatters.items() if matplotlib.figure.Figure in of.type_printers],
    "hooks": [sys.excepthook.__name__, sys.displayhook.__class__.__name__],
}))
"""


def test_a_running_event_loop_of_the_caller_is_left_to_it():
    async def used():
        with Kernels(Places()) as kernels, kernels.one():
            pass
        return asyncio.get_running_loop().is_closed()

    with ThreadPoolExecutor(1) as thread:  # which has no loop yet
        assert not thread.submit(asyncio.run, used()).result()


class Kernel:
    """A running kernel: `run` executes code and returns what it printed, or the name of the error that it raised."""

    def __init__(self, kernels, stack):
        from nbclient.util import run_sync

        self._sync = run_sync
        self.manager = stack.enter_context(kernels.one())
        run_sync(self.manager.start_kernel)()
        self.client = self.manager.client()
        self.client.start_channels()
        run_sync(self.client.wait_for_ready)(timeout=60)
        self.process = self.manager.provisioner.process

    def run(self, code):
        """What the code prints, or the name of its error."""
        said = []
        hook = lambda message: said.append(message["content"].get("text") or message["content"].get("ename") or "")  # noqa: E731
        self._sync(self.client.execute_interactive)(code, timeout=60, output_hook=hook, allow_stdin=False)
        return "".join(said).strip()


@pytest.fixture
def start():
    """A function that starts a kernel of a pool."""
    with ExitStack() as stack:
        yield lambda kernels: Kernel(kernels, stack)


@pytest.fixture(scope="module")
def warm():
    with Kernels(Places()) as kernels:
        yield kernels


def test_a_notebook_sees_the_same_in_both_kinds(warm, start):
    with Kernels(Places(), "ordinary") as kernels, ExitStack() as stack:
        ordinary = json.loads(Kernel(kernels, stack).run(SEEN))
    with Kernels(Places(), edited=True) as kernels, ExitStack() as stack:
        forked = Kernel(kernels, stack)
        same = json.loads(forked.run(SEEN))
    assert {key: (same[key], ordinary[key]) for key in ordinary if same[key] != ordinary[key]} == {}
    assert isinstance(forked.process, ForkedProcess) and same["folder"] == str(paths.NOTEBOOKS)
    assert start(warm).run("import sys; print('pandas' in sys.modules, 'debugpy' in sys.modules)") == "True False"


@pytest.fixture
def copy(tmp_path):
    """A copy of the package and its tables, without results of rounds."""
    shutil.copytree(SOURCE, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(paths.DATA, tmp_path / "data", ignore=shutil.ignore_patterns("official"))
    (tmp_path / "notebooks").mkdir()
    return Places.under(tmp_path)


def test_the_package_is_loaded_before_and_anew_once_a_file_that_it_rests_on_was_edited(copy):
    loaded = "import sys; print('analysis._display.notebook' in sys.modules, end=' ')\n"
    module = loaded + "from analysis._core import mime; print(mime.__file__, getattr(mime, 'ADDED', None))"
    table = loaded + "from analysis.charts import colors; print('B200 SXM' in colors.COLORS)"
    file, accelerators = copy.source / "analysis" / "_core" / "mime.py", copy.data / "accelerators.csv"
    with Kernels(copy) as kernels, ExitStack() as stack:
        run = lambda code: Kernel(kernels, stack).run(code)  # noqa: E731
        assert run(module) == f"True {file} None"
        assert run(table) == "True True"
        accelerators.write_text(accelerators.read_text().replace("B200 SXM", "B200 XXX"))
        assert run(table) == "False False"
        file.write_text(file.read_text() + "ADDED = 1\n")
        assert run(module) == f"False {file} 1"


def test_a_package_that_cannot_be_loaded_is_left_to_each_kernel(tmp_path):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "src" / "analysis").mkdir(parents=True)
    (tmp_path / "src" / "analysis" / "__init__.py").write_text("raise SystemError")
    with Kernels(Places.under(tmp_path)) as kernels, ExitStack() as stack:
        assert "SystemError" in Kernel(kernels, stack).run("import analysis")


@pytest.mark.parametrize("edited", [True, False])
def test_what_figures_are_drawn_with_is_loaded_before_unless_they_are_kept(edited, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "cache", lambda kind: tmp_path)
    with Kernels(Places(), edited=edited) as kernels, ExitStack() as stack:
        assert Kernel(kernels, stack).run("import sys; print('matplotlib' in sys.modules)") == str(edited)


def test_nothing_of_one_kernel_shows_in_another(warm, start):
    first, second = start(warm), start(warm)
    first.run("import pandas, string, os, matplotlib.pyplot as plt; pandas.DataFrame = string.capwords = 'patched'")
    first.run("plt.rcParams['lines.linewidth'] = 99; plt.figure(); os.environ['A'] = '1'; os.chdir('/')")
    seen = "import pandas, string, os, matplotlib.pyplot as plt; print(pandas.DataFrame == 'patched', "
    seen += "string.capwords == 'patched', plt.rcParams['lines.linewidth'], plt.get_fignums(), "
    seen += "'A' in os.environ, os.getcwd() == '/')"
    draw = "import random, numpy; print(random.random(), numpy.random.rand(), numpy.random.default_rng().random())"
    assert second.run(seen) == start(warm).run(seen) == "False False 1.5 [] False False"
    assert not set(first.run(draw).split()) & set(second.run(draw).split())


def test_an_orderly_end_runs_exit_functions_and_flushes(warm, start, tmp_path):
    kernel = start(warm)
    kernel.run(f"import atexit; folder = {str(tmp_path)!r}; late = open(folder + '/late', 'w')")
    kernel.run("atexit.register(lambda: open(folder + '/exit', 'w').write('ran'))")
    kernel.run("late.write('unflushed'); atexit.register(late.close)")
    child = kernel.run("import subprocess; print(subprocess.Popen(['sleep', '60']).pid)")
    kernel.manager.ask_to_end()
    assert kernel.process.wait() == 0 and gone(int(child))
    assert (tmp_path / "exit").read_text() == "ran" and (tmp_path / "late").read_text() == "unflushed"


def test_the_exit_status_comes_back(warm, start):
    kernel = start(warm)
    kernel.client.execute("import os; os._exit(7)")
    assert kernel.process.wait() == 7 == kernel.manager.exit_status()


@pytest.mark.parametrize("count", [12, pytest.param(400, marks=pytest.mark.slow)])
def test_kernels_live_and_end_side_by_side(warm, count):
    def life(number):
        with ExitStack() as stack:
            kernel = Kernel(warm, stack)
            said = kernel.run(f"import pandas; print(pandas.Series([{number}]).sum())")
            kernel.manager.ask_to_end()
        return f"{said} {kernel.process.wait()}"

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(life, range(count))) == [f"{number} 0" for number in range(count)]
    assert psutil.Process(warm._server.process.pid).children() == []


def test_without_the_process_to_fork_from_kernels_end_and_others_are_ordinary():
    with Kernels(Places()) as kernels, ExitStack() as stack:
        before = Kernel(kernels, stack)
        kernels._server.process.kill()
        assert before.process.wait() == -signal.SIGKILL and gone(before.process.pid)
        after = Kernel(kernels, stack)
        assert after.run("print(1)") == "1" and not isinstance(after.process, ForkedProcess)


def test_a_build_ends_what_its_kernels_are_forked_from_and_its_folder():
    with Kernels(Places()) as kernels:
        server, folder = psutil.Process(kernels._server.process.pid), kernels._scratch
        assert server.is_running() and folder.is_dir()
    assert not server.is_running() and not folder.exists()


def test_nothing_outlives_a_killed_build_and_the_next_removes_its_folder():
    program = f"""
import sys, time
from contextlib import ExitStack
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_kernels import Kernel
from analysis._build.kernels.pool import Kernels
from analysis._build.runs.folders import Places
kernels = Kernels(Places())
stack = ExitStack()
kernel = Kernel(kernels, stack)
print(kernels._scratch, kernels._server.process.pid, kernel.process.pid, kernel.run("import subprocess; "
      "print(subprocess.Popen(['sleep', '60']).pid)"), flush=True)
time.sleep(60)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True) as made:
        folder, *pids = made.stdout.readline().split()
        with Kernels(Places(), "ordinary"):
            assert Path(folder).is_dir()
        made.kill()
    assert len(pids) == 3 and all(gone(int(pid)) for pid in pids)
    with Kernels(Places(), "ordinary"):
        assert not Path(folder).exists()


def gone(pid):
    """Whether a process ends within some seconds; one that nobody has fetched the status of has ended."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False
