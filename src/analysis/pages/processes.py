"""Do pieces of work side by side, each in a process of its own that is forked from this one and ends with it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

# On macOS a fork of a process that has used system libraries may crash: each process starts anew there.
METHOD = "spawn" if sys.platform == "darwin" else "fork"


def side_by_side(
    work: Callable[..., Any], tasks: dict[str, tuple], jobs: int, timeout: float,
    meanwhile: Callable[[], Any] | None = None, then: Callable[..., Any] | None = None,
) -> Iterator[tuple[str, Any]]:  # fmt: skip
    """Yield the name and the result of each task, `work(*arguments)`, in the order in which they end.

    `jobs` run at a time, each for at most `timeout` seconds. `meanwhile` is called in this process while the first ones
    run. With `then`, what is yielded is the result of `then(*arguments, result)`, in a process forked after that. A
    process that fails or dies gives a RuntimeError that says why; none outlives this generator.
    """
    context, running = multiprocessing.get_context(METHOD), {}
    waiting = [(name, work, arguments) for name, arguments in tasks.items()]
    with tempfile.TemporaryDirectory() as logs:
        try:
            while waiting or running:
                while waiting and len(running) < max(jobs, 1):
                    task = waiting.pop(0)
                    answer, send = context.Pipe(duplex=False)
                    log = Path(logs, str(answer.fileno()))
                    log.write_bytes(b"")
                    process = context.Process(target=_run, args=(*task[1:], send, log))
                    process.start()
                    send.close()
                    running[answer] = (task, process, time.monotonic() + timeout, log)
                if meanwhile:
                    meanwhile()
                    meanwhile = None
                done, now = wait(list(running), timeout=0.5), time.monotonic()
                for answer, ((name, done_by, arguments), process, deadline, log) in list(running.items()):
                    if answer in done or deadline <= now:
                        late = RuntimeError(f"stopped after {timeout:.0f} s, the time limit of a report")
                        result = _result(answer, process, log) if answer in done else late
                        _kill(process)
                        del running[answer]
                        if then and done_by is work and not isinstance(result, RuntimeError):
                            waiting.insert(0, (name, then, (*arguments, result)))
                        else:
                            yield name, result
        finally:
            for _, process, _, _ in running.values():
                _kill(process)


def _result(answer: Connection, process: Any, log: Path) -> Any:
    """Return what the process sent, or how it ended without sending anything."""
    with contextlib.suppress(EOFError, OSError):
        return answer.recv()
    process.join(5)
    code = process.exitcode
    if code == -signal.SIGKILL:
        why = "its process was killed from outside (signal 9), most often because memory ran out"
    else:
        how = signal.Signals(-code).name if code and code < 0 else f"exit status {code}"
        why = f"its process ended by itself ({how})"
    lines = [line for line in log.read_text(errors="replace")[-4000:].splitlines() if line.strip()]
    return RuntimeError(f"{why}; its last line: {lines[-1][:500]}" if lines else why)


def _kill(process: Any) -> None:
    """End the process and what it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()


def _run(work: Callable[..., Any], arguments: tuple, send: Connection, log: Path) -> None:
    """Do one task in this process, whose standard streams go to a log, and send back the result."""
    os.setsid()  # leads a group, so that what a notebook starts ends with it, and which Ctrl-C does not reach
    out, nothing = os.open(log, os.O_WRONLY), os.open(os.devnull, os.O_RDONLY)
    for place, number in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(place, number)
    try:
        result = work(*arguments)
    except Exception as error:
        result = RuntimeError(f"{type(error).__name__}: {error}"[:2000])
    send.send(result)
    os._exit(0)
