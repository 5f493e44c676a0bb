"""Warm kernels for this process: forked from one fork server per environment, or ordinary ones where there is none."""

import atexit
import contextlib
import sys
import threading
from collections.abc import Mapping

from analysis._build.kernels.process import ForkedProcess, ForkServer, NoFork

# What Python, its libraries and ours read only while they start: kernels that differ in it have different servers.
AT_START = ("PYTHON", "MPL", "MATPLOTLIB", "OMP_", "OPENBLAS_", "MKL_", "ANALYSIS_")
Key = frozenset[tuple[str, str]]

_servers: dict[Key, ForkServer] = {}
_lock = threading.Lock()
_reported: set[str] = set()


def start(env: Mapping[str, str], cwd: str) -> None:
    """Begin to load libraries, so that the first kernel need not wait for them; says why where it cannot."""
    with contextlib.suppress(NoFork):
        _server(env, cwd)


def fork(argv: list[str], env: dict[str, str], cwd: str, streams: tuple[int, int]) -> ForkedProcess | None:
    """A forked kernel, or None where there is none to be had; that is said once."""
    server = None
    try:
        server = _server(env, cwd)
        return server.fork(argv, env, cwd, streams)
    except NoFork as error:
        if server is None or _servers.get(_key(env)) is server:  # Else it was closed: nobody waits for the kernel.
            _report(error)
        return None


def close(env: Mapping[str, str] | None = None) -> None:
    """End the server of an environment (all without one) and its kernels; a later kernel starts another."""
    with _lock:
        closing = [_servers.pop(key) for key in ([_key(env)] if env else list(_servers)) if key in _servers]
    for server in closing:
        server.close()


def _server(env: Mapping[str, str], cwd: str) -> ForkServer:
    with _lock:
        if _key(env) not in _servers:
            try:
                _servers[_key(env)] = ForkServer(env, cwd)
            except (NoFork, OSError) as error:
                _report(error)
                raise NoFork(str(error)) from error
        return _servers[_key(env)]


def _report(error: Exception) -> None:
    if str(error) not in _reported:
        _reported.add(str(error))
        print(f"Ordinary kernels instead of warm ones: {error}", file=sys.stderr, flush=True)


def _key(env: Mapping[str, str]) -> Key:
    return frozenset((name, value) for name, value in env.items() if name.startswith(AT_START))


atexit.register(close)
