"""The program that loads libraries once and then forks a kernel per request.

Requests come as lines of JSON on stdin, and each is answered by one on stdout: {"argv", "cwd", "log"} by the pid of a
new kernel, {"ended": pid} by its exit status, or null while it runs. When stdin closes, all kernels are killed and the
server ends: so nothing outlives whoever asks.
"""

import atexit
import gc
import json
import os
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn

from analysis._build.kernels import preload

OBJECTS = 100_000  # that a kernel makes before it looks for garbage, of which notebooks make little


def main(drawing: bool) -> NoReturn:
    """Load libraries, `drawing`: those that draw too; then answer requests until stdin closes."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What a library prints is no answer.
    gc.disable()  # What is loaded stays, and to look for garbage in it takes an eighth of the time that loading takes.
    gc.set_threshold(OBJECTS)
    versions = preload.load(drawing)
    application()
    kernels: set[int] = set()
    for line in requests:
        request = json.loads(line)
        if "ended" in request:
            answer = _status(request["ended"])
            kernels -= {request["ended"]} if answer is not None else set()
        else:
            gc.freeze()  # Objects that no collection touches stay in pages that all kernels share.
            answer = os.fork()
            if answer == 0:
                os.close(requests.fileno())
                os.close(answers.fileno())
                _become_kernel(request, os.getppid(), versions)
            kernels.add(answer)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()
    for pid in kernels:
        _kill_group(pid)
    os._exit(0)  # What is loaded need not be taken apart.


def _status(pid: int) -> int | None:
    """The exit status of a kernel that has ended, negative for a signal; what it started ends with it."""
    if not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        return None
    _kill_group(pid)  # Before the pid is free for others.
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _kill_group(pid: int) -> None:
    for kill in (os.killpg, os.kill):  # It may not have made its own group yet.
        with suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def application() -> type[Any]:
    """ipykernel's application, but for the thread that hands requests on to subshells, of which a report has none."""
    from ipykernel.kernelapp import IPKernelApp

    class Application(IPKernelApp):
        def init_control(self, context: Any) -> None:
            super().init_control(context)
            self.shell_channel_thread = None

    return Application


def _become_kernel(request: dict[str, Any], server: int, versions: preload.Versions) -> NoReturn:
    """Be an ordinary ipykernel in this forked process, then exit; it ends with the server, whose pid is given."""
    status = 1
    try:
        os.setsid()  # Leads a group, by which what it starts ends with it; Linux may share its processors by session.
        _detach(request)
        gc.enable()
        if preload.versions(versions) != versions:  # Edited since: in a kernel nothing is older than it is.
            preload.forget_own()
        _run(request["argv"], server)
        status = 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        _leave(status)


def _detach(request: dict[str, Any]) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in (1, 2):
        os.dup2(log, number)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(request["cwd"])
    if "numpy" in sys.modules:  # `random` sees to itself after a fork, numpy's old generator does not.
        sys.modules["numpy"].random.seed()


def _run(arguments: list[str], server: int) -> None:
    import ipykernel_launcher

    sys.argv = [ipykernel_launcher.__file__, *arguments]
    app = application().instance(parent_handle=server)
    app.initialize(arguments)
    app.log.setLevel(app.log_level)  # Its handler drops the others, which are made for each message (ipykernel 7.4).
    # Closing its sockets in order can wait for ever (ipykernel 7.4), and the system closes them anyway.
    for close in (app.close, app.iopub_thread.stop):
        atexit.unregister(close)
    if (matplotlib := sys.modules.get("matplotlib")) and os.environ.get("MPLBACKEND"):
        matplotlib.rcParams["backend"] = os.environ["MPLBACKEND"]  # As its import does, once ipykernel has set it.
    kernel = os.getpid()  # What the notebook forks ends by the signal as any process does.
    signal.signal(signal.SIGTERM, lambda *_: _leave(0) if os.getpid() == kernel else os._exit(128 + signal.SIGTERM))
    app.start()


def _leave(status: int) -> NoReturn:
    """End this process as Python would: run exit functions and flush; but leave the sockets alone."""
    gc.freeze()  # IPython looks for garbage once more when it ends: the system takes it all back at once.
    with suppress(BaseException):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with suppress(Exception):
            stream.flush()
    os._exit(status)
