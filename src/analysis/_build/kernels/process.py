"""The process that warm kernels are forked from, and each of these kernels, as their owner sees them."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

SOURCE = str(Path(__file__).resolve().parents[3])
PROGRAM = (
    "import sys; sys.path[0] = {!r};"
    "from analysis._build.kernels import forkserver; del sys.path[0]; forkserver.main(drawing={})"
)


class ForkServer:
    """A process that loads libraries and then forks kernels (`forkserver.main`), until `close` or this one's end.

    `drawing`: those that draw figures too.
    """

    def __init__(self, env: Mapping[str, str], cwd: str, drawing: bool) -> None:
        self._lock = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(SOURCE, drawing)], env=dict(env), cwd=cwd,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def fork(self, argv: list[str], cwd: str, log: Path) -> "ForkedProcess":
        """A kernel with these arguments that writes to `log`. Raises OSError where the server has ended."""
        return ForkedProcess(self, self.ask(argv=argv, cwd=cwd, log=str(log)))

    def ask(self, **request: Any) -> Any:
        """What the server answers. Raises OSError where it has ended."""
        with self._lock:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            if not (line := self.process.stdout.readline()):
                raise BrokenPipeError("the process that kernels are forked from has ended")
            return json.loads(line)

    def close(self) -> None:
        """End the server and with it all kernels; callable twice."""
        with suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:  # It hangs in a library that it loads.
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class ForkedProcess:
    """A kernel process as `subprocess.Popen` would show it, though it is not this process's child."""

    stdin = stdout = stderr = None

    def __init__(self, server: ForkServer, pid: int) -> None:
        self._server, self.pid, self.returncode = server, pid, None

    def poll(self) -> int | None:
        """The exit status, negative for a signal, or None while the kernel runs."""
        if self.returncode is None:
            try:
                self.returncode = self._server.ask(ended=self.pid)
            except (OSError, ValueError):  # The server has ended, or is closed: its kernels end with it.
                self.returncode = -signal.SIGKILL
        return self.returncode

    def wait(self) -> int:
        """The exit status, when the kernel has ended."""
        while self.poll() is None:
            time.sleep(0.01)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process, if it is there."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)
