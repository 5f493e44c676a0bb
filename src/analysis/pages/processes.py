"""Run tasks side by side, each in its own forked process that never outlives this one."""

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

# On macOS a fork of a process that has used system libraries may crash: so new interpreters are started there.
METHOD = "spawn" if sys.platform == "darwin" else "fork"
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def side_by_side(
    work: Callable[..., Any], tasks: dict[str, tuple], jobs: int, timeout: float,
    meanwhile: Callable[[], Any] | None = None, then: Callable[..., Any] | None = None,
) -> Iterator[tuple[str, Any]]:  # fmt: skip
    """Yield the name and the result of each task, `work(*arguments)`, in the order in which they end.

    `jobs` run at a time, each for at most `timeout` seconds. `meanwhile` is called in this process while the first ones
    run. With `then`, each result goes to `then(*arguments, result)` in a newly forked process, whose result is yielded.
    A process that fails or dies yields a RuntimeError with the reason. No process outlives this generator or this
    process, however it ends.
    """
    context = multiprocessing.get_context(METHOD)
    steps = [work, then] if then else [work]
    waiting = [(name, steps, arguments) for name, arguments in tasks.items()]
    running: dict[Connection, tuple] = {}
    watched, alive = context.Pipe(duplex=False)  # closes when this process ends: no other holds the other end
    inherited = [alive] if METHOD == "fork" else []
    guard = context.Process(target=_guard, args=(watched, inherited))
    _start(guard)
    with tempfile.TemporaryDirectory() as logs:
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    task = waiting.pop(0)
                    _, (step, *_), arguments = task
                    answer, send = context.Pipe(duplex=False)
                    log = Path(logs, str(answer.fileno()))
                    log.write_bytes(b"")
                    process = context.Process(target=_run, args=(step, arguments, send, log, inherited))
                    _start(process)
                    alive.send(process.pid)
                    send.close()
                    running[answer] = (task, process, time.monotonic() + timeout, log)
                if meanwhile:
                    meanwhile()
                    meanwhile = None
                done, now = wait(list(running), timeout=0.5), time.monotonic()
                for answer, ((name, (_, *rest), arguments), process, deadline, log) in list(running.items()):
                    if answer in done:
                        result = _result(answer, process, log)
                    elif deadline <= now:
                        result = RuntimeError(f"stopped after {timeout:.0f} s, the time limit of a report")
                    else:
                        continue
                    _kill(process)
                    alive.send(process.pid)
                    del running[answer]
                    if rest and not isinstance(result, RuntimeError):
                        waiting.insert(0, (name, rest, (*arguments, result)))
                    else:
                        yield name, result
        finally:
            for process in multiprocessing.active_children():  # one that was started just now is not in `running`
                if process is not guard:
                    _kill(process)
            alive.close()
            watched.close()
            guard.join()


def _result(answer: Connection, process: Any, log: Path) -> Any:
    """Return what the process sent, or how it ended without sending anything."""
    with contextlib.suppress(EOFError, OSError):
        return answer.recv()
    process.join(timeout=5)
    code = process.exitcode
    if code == -signal.SIGKILL:
        why = "its process was killed (signal 9), most likely because memory ran out"
    else:
        how = signal.Signals(-code).name if code is not None and code < 0 else f"exit status {code}"
        why = f"its process exited unexpectedly ({how})"
    with log.open("rb") as stream:
        stream.seek(max(log.stat().st_size - 4000, 0))
        lines = stream.read().decode(errors="replace").strip().splitlines()
    return RuntimeError(f"{why}; its last line: {lines[-1][:500]}" if lines else why)


def _start(process: Any) -> None:
    """Start a process with termination signals blocked, since Python ignores exceptions raised during a fork."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _kill(process: Any) -> None:
    """End the process and its descendants."""
    _end(process.pid)
    process.kill()
    process.join()


def _end(pid: int) -> None:
    """End a leader of a group, its group, and its descendants in other groups or sessions."""
    for kill, each in [*((os.kill, below) for below in _below(pid)), (os.killpg, pid)]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(each, signal.SIGKILL)


def _below(pid: int | str) -> Iterator[int]:
    """Yield all descendants of a process; none where there is no /proc."""
    with contextlib.suppress(OSError):
        for file in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in file.read_text().split():
                yield from (int(child), *_below(child))


def _guard(parent: Connection, inherited: list[Connection]) -> None:
    """Wait for the parent to end, then end its remaining children; it sends each one's id at its start and its end."""
    os.setsid()
    for each in inherited:
        each.close()
    running: set[int] = set()
    with contextlib.suppress(EOFError, OSError):
        while True:
            running ^= {parent.recv()}
    for pid in running:
        _end(pid)
    os._exit(0)


def _run(
    work: Callable[..., Any], arguments: tuple, send: Connection, log: Path, inherited: list[Connection]
) -> None:  # fmt: skip
    """Do one task in this process, whose standard streams go to a log, and send back the result."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
    os.setsid()  # starts a group: its members end together, and Ctrl-C does not reach it
    for each in inherited:  # pipe ends that only the parent may hold
        each.close()
    out, nothing = os.open(log, os.O_WRONLY), os.open(os.devnull, os.O_RDONLY)
    for place, number in ((nothing, 0), (out, 1), (out, 2)):
        os.dup2(place, number)
    try:
        result = work(*arguments)
    except Exception as error:
        result = RuntimeError(f"{type(error).__name__}: {error}"[:2000])
    send.send(result)
    signal.pause()  # until the parent ends this process and its children
