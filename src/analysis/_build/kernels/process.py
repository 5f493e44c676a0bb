"""The build's ends of the sockets to a fork server and to each kernel forked from it."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path

SOURCE = str(Path(__file__).resolve().parents[3])
PROGRAM = (
    "import sys; sys.path[0] = {!r};"
    "from analysis._build.kernels import forkserver; del sys.path[0]; forkserver.main({})"
)


class NoFork(RuntimeError):
    """A kernel cannot be forked; the text says why."""


class ForkServer:
    """A process that forks kernels; it starts at once, and ends with `close` or with this process."""

    def __init__(self, env: Mapping[str, str], cwd: str) -> None:
        if not sys.platform.startswith("linux"):
            raise NoFork(f"on {sys.platform} a process cannot be forked safely")
        self._lock, self._errors = threading.Lock(), tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._requests, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM.format(SOURCE, theirs.fileno())], env=dict(env), cwd=cwd,
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._errors,
            )  # fmt: skip

    def fork(self, argv: list[str], env: dict[str, str], cwd: str, streams: tuple[int, int]) -> "ForkedProcess":
        """A kernel with these arguments, its stdout and stderr on the given descriptors. Raises NoFork."""
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._lock:
                socket.send_fds(self._requests, [b"k"], [theirs.fileno(), *streams])
            ours.sendall(json.dumps({"argv": argv, "env": env, "cwd": cwd}).encode() + b"\n")
            return ForkedProcess(ours)
        except OSError as error:
            ours.close()
            raise NoFork(f"the process to fork from has ended: {self._last_words() or error}") from error

    def close(self) -> None:
        """Kill all kernels and end the server; callable twice, and from any thread."""
        with contextlib.suppress(OSError):
            self._requests.shutdown(socket.SHUT_RDWR)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:  # It hangs in a library that it loads.
            self.process.kill()
            self.process.wait()
        self._requests.close()
        self._errors.close()

    def _last_words(self) -> str:
        if self._errors.closed:
            return ""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


class ForkedProcess:
    """A kernel process as `subprocess.Popen` would show it, though it is not this process's child."""

    stdin = stdout = stderr = None

    def __init__(self, kernel_socket: socket.socket) -> None:
        """Wait for the pid. Raises ConnectionResetError where no process comes of the request."""
        self._socket, self.returncode = kernel_socket, None
        self._lines = kernel_socket.makefile("rb")
        if not (line := self._lines.readline()):
            raise ConnectionResetError("no answer")
        self.pid = int(line)

    def poll(self) -> int | None:
        """The exit status, negative for a signal, or None while the kernel runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(timeout=0.0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, when the kernel has ended. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        if self.returncode is None:
            ready, _, _ = select.select([self._socket], [], [], timeout)
            if not ready:
                raise subprocess.TimeoutExpired("kernel", timeout or 0.0)
            self.returncode = self._status()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process, if it is there."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)

    def _status(self) -> int:
        line = ""
        with contextlib.suppress(OSError):
            line = self._lines.readline()
        self._lines.close()
        self._socket.close()
        return int(line) if line else -signal.SIGKILL  # The server was killed, and its kernels end with it.
