"""How a forked child becomes an ordinary ipykernel, and how it ends."""

import atexit
import gc
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NoReturn

GRACE = 2.0  # seconds for a thread of the notebook that is still at work


def become(request: dict[str, Any], kernel_socket: socket.socket, streams: Sequence[int], server: int) -> NoReturn:
    """Be the kernel of the request (`argv` for ipykernel, `env`, `cwd`) on the given stdout and stderr; then exit.

    The pid goes out on `kernel_socket` once the process leads a session, and so a group, by which it can be killed.
    `server` is the pid of the process that it was forked from, with which it ends.
    """
    status = 1
    try:
        os.setsid()
        with kernel_socket:
            kernel_socket.sendall(b"%d\n" % os.getpid())
        _detach(request, streams)
        _run(request["argv"], server)
        status = 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        leave(status)


def _detach(request: dict[str, Any], streams: Sequence[int]) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    for number, descriptor in enumerate([null, *streams]):
        os.dup2(descriptor, number)
    for descriptor in {null, *streams} - {0, 1, 2}:
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    if "numpy" in sys.modules:  # `random` sees to itself after a fork, numpy's old generator does not.
        sys.modules["numpy"].random.seed()


@cache
def application() -> type[Any]:
    """ipykernel's application, but for the thread that hands requests on to subshells, of which a report has none."""
    from ipykernel.kernelapp import IPKernelApp

    class Application(IPKernelApp):
        def init_control(self, context: Any) -> None:
            super().init_control(context)
            self.shell_channel_thread = None

    return Application


def _run(arguments: list[str], server: int) -> None:
    import ipykernel_launcher

    sys.argv = [ipykernel_launcher.__file__, *arguments]
    app = application().instance(parent_handle=server)
    app.initialize(arguments)
    if os.getppid() != server:  # It was killed since the fork: ipykernel sees that its parent ends, not that it has.
        os._exit(1)
    app.log.setLevel(app.log_level)  # Its handler drops the others, which are made for each message (ipykernel 7.4).
    # Closing its sockets in order can wait for ever (ipykernel 7.4), and the system closes them anyway.
    for close in (app.close, app.iopub_thread.stop):
        atexit.unregister(close)
    if (matplotlib := sys.modules.get("matplotlib")) and os.environ.get("MPLBACKEND"):
        matplotlib.rcParams["backend"] = os.environ["MPLBACKEND"]  # As its import does, once ipykernel has set it.
    pid = os.getpid()
    signal.signal(signal.SIGTERM, lambda *_: leave(0) if os.getpid() == pid else _die())
    app.start()


def _die() -> NoReturn:
    """End a process that the notebook forked, as SIGTERM ends any other."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)
    os._exit(1)


def leave(status: int) -> NoReturn:
    """End this process as Python would: wait for threads, run exit functions, flush; but leave the sockets alone."""
    deadline = time.monotonic() + GRACE
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.main_thread():
            thread.join(max(0.0, deadline - time.monotonic()))
    gc.freeze()  # IPython looks for garbage once more when it ends: the system takes it all back at once.
    with suppress(BaseException):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with suppress(Exception):
            stream.flush()
    os._exit(status)
