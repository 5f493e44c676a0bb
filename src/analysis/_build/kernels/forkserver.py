"""The program that loads libraries once and then forks a kernel per request.

It inherits one socket for requests. A request is one byte with three file descriptors: the kernel's socket, its stdout
and its stderr. Over the kernel's socket come a line of JSON (argv, env, cwd), then, in return, a line with the pid and,
when the kernel has ended, one with its exit status. When a kernel's socket closes, that kernel is killed; when the
socket for requests closes, all are, and the server ends. So nothing outlives whoever holds the other ends.
"""

import atexit
import contextlib
import gc
import json
import mmap
import os
import select
import selectors
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

from analysis._build.kernels import child, preload

OBJECTS = 100_000  # that a kernel makes before it looks for garbage, of which notebooks make little
ENOUGH = 2  # kernels that had to load a library by themselves, after which those that come have it
IDLE = 3.0  # seconds without a kernel and without a request, as between two edits, in which there is time for it
DESCRIPTORS = 3  # the kernel's socket, its stdout, its stderr


def main(descriptor: int) -> None:
    """Serve requests from the inherited socket until it closes. Never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # A terminal's Ctrl-C goes to all: the other end decides.
    gc.disable()  # What is loaded stays, and to look for garbage in it takes an eighth of the time that loading takes.
    gc.set_threshold(OBJECTS)
    with _ending_with_the_other_end_of(descriptor):
        set_by_libraries = preload.load_libraries()
        child.application()
        package_versions = preload.load_own()
        if not preload.figures_are_kept():
            set_by_libraries |= preload.load_later("matplotlib")
    _ForkServer(socket.socket(fileno=descriptor), set_by_libraries, package_versions).serve()
    os._exit(0)  # What is loaded need not be taken apart.


@contextlib.contextmanager
def _ending_with_the_other_end_of(descriptor: int) -> Iterator[None]:
    """End this process at once if the socket's other end closes while libraries load and nobody reads the socket.

    A thread watches for that; it has ended with the block, because a process with threads must not be forked.
    """
    woken, wake = os.pipe()
    ends = select.poll()
    for end, event in ((descriptor, select.POLLRDHUP), (woken, select.POLLIN)):
        ends.register(end, event)

    def wait() -> None:
        if any(end == descriptor for end, _ in ends.poll()):
            os._exit(0)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    try:
        yield
    finally:
        os.write(wake, b"\0")
        thread.join()
        for end in (woken, wake):
            os.close(end)


class _ForkServer:
    """The loop: requests in, kernels out, exit statuses back."""

    def __init__(self, requests: socket.socket, environment: dict[str, str], package: preload.Versions) -> None:
        self.environment, self.requests, self.package_versions = environment, requests, package
        self.kernels, self.selector = {}, selectors.DefaultSelector()
        self.later = [name for name in preload.LATER if name not in sys.modules]
        # How many kernels had to load each of LATER by themselves: in memory that all of them share.
        self.needed = mmap.mmap(-1, len(preload.LATER))
        self.woken, self.wake = socket.socketpair()
        for end in (self.woken, self.wake):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self.wake.fileno(), warn_on_full_buffer=False)
        for readable in (requests, self.woken):
            self.selector.register(readable, selectors.EVENT_READ)

    def serve(self) -> None:
        """Handle requests, ended kernels and closed sockets until the socket for requests closes."""
        while True:
            events = self.selector.select(IDLE if self.later and not self.kernels else None)
            if not events:
                self._load(self.later[0])
            for key, _ in events:
                if key.fileobj is self.requests:
                    if not self._request():
                        return self._end()
                elif key.fileobj is self.woken:
                    self.woken.recv(4096)
                    self._reap()
                else:  # The holder of a kernel's socket is gone, or says something, which it must not.
                    self._kill(key.data)

    def _request(self) -> bool:
        data, descriptors, *_ = socket.recv_fds(self.requests, 1, DESCRIPTORS)
        if not data:
            return False
        kernel_socket = socket.socket(fileno=descriptors[0])
        with contextlib.suppress(OSError, ValueError), kernel_socket.makefile("rb") as lines:
            self._fork(kernel_socket, descriptors[1:], json.loads(lines.readline()))
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        return True

    def _load(self, name: str) -> None:
        self.later.remove(name)
        self.environment |= preload.load_later(name)

    def _count_loaded(self) -> None:
        """Count, in a kernel that ends, what it had to load by itself."""
        for place, name in enumerate(preload.LATER):
            if name in self.later and name in sys.modules:
                self.needed[place] = min(self.needed[place] + 1, ENOUGH)

    def _fork(self, kernel_socket: socket.socket, streams: list[int], request: dict[str, Any]) -> None:
        for place, name in enumerate(preload.LATER):
            if name in self.later and self.needed[place] == ENOUGH:
                self._load(name)
        gc.freeze()  # Objects that no collection touches stay in pages that all kernels share.
        server = os.getpid()
        with warnings.catch_warnings():  # Python warns of threads; those of OpenBLAS end and start by themselves.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            gc.enable()
            self._release()
            if preload.versions(self.package_versions) != self.package_versions:
                # Edited since: in a kernel nothing is older than it is.
                preload.forget_own()
            atexit.register(self._count_loaded)
            request["env"] = self.environment | request["env"]
            child.become(request, kernel_socket, streams, server)
        self.kernels[pid] = kernel_socket
        self.selector.register(kernel_socket, selectors.EVENT_READ, data=pid)

    def _release(self) -> None:
        """Close, in a new child, all that is the server's."""
        signal.set_wakeup_fd(-1)
        for resource in (self.selector, self.requests, self.woken, self.wake, *self.kernels.values()):
            resource.close()

    def _reap(self) -> None:
        for pid in list(self.kernels):
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                _kill_group(pid)  # What it started ends with it; before the pid is free for others.
                status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                kernel_socket = self.kernels.pop(pid)
                with contextlib.suppress(OSError):
                    kernel_socket.sendall(b"%d\n" % status)
                self._close(kernel_socket)

    def _kill(self, pid: int) -> None:
        if pid in self.kernels:  # Its status is still to be fetched: that comes with SIGCHLD.
            _kill_group(pid)
            with contextlib.suppress(KeyError):
                self.selector.unregister(self.kernels[pid])

    def _close(self, kernel_socket: socket.socket) -> None:
        with contextlib.suppress(KeyError):
            self.selector.unregister(kernel_socket)
        kernel_socket.close()

    def _end(self) -> None:
        for pid in self.kernels:
            _kill_group(pid)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):  # It may not have made its own group yet.
        os.kill(pid, signal.SIGKILL)
