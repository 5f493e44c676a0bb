"""The warm parents of this process: which environment needs one of its own, and what happens where there is none."""

import atexit
import contextlib
import sys
import threading
from collections.abc import Mapping

from analysis.engine.kernels.process import ForkedProcess, NoFork, WarmParent

# What Python and its libraries read only while they start: kernels that differ in it have different parents.
AT_START = ("PYTHON", "MPL", "MATPLOTLIB", "OMP_", "OPENBLAS_", "MKL_")
Key = frozenset[tuple[str, str]]

_parents: dict[Key, WarmParent] = {}
_lock = threading.Lock()
_told: set[str] = set()


def start(env: Mapping[str, str], cwd: str) -> None:
    """Begin to load libraries, so that the first kernel need not wait for them; says why where it cannot."""
    with contextlib.suppress(NoFork):
        _parent(env, cwd)


def fork(argv: list[str], env: dict[str, str], cwd: str, streams: tuple[int, int]) -> ForkedProcess | None:
    """A forked kernel, or None where there is none to be had; that is said once."""
    parent = None
    try:
        parent = _parent(env, cwd)
        return parent.fork(argv, env, cwd, streams)
    except NoFork as error:
        if parent is None or _parents.get(_key(env)) is parent:  # Else it was closed: nobody waits for the kernel.
            _tell(error)
        return None


def close(env: Mapping[str, str] | None = None) -> None:
    """End the parent of an environment (all without one) and its kernels; a later kernel starts another."""
    with _lock:
        closing = [_parents.pop(key) for key in ([_key(env)] if env else list(_parents)) if key in _parents]
    for parent in closing:
        parent.close()


def _parent(env: Mapping[str, str], cwd: str) -> WarmParent:
    with _lock:
        if _key(env) not in _parents:
            try:
                _parents[_key(env)] = WarmParent(env, cwd)
            except (NoFork, OSError) as error:
                _tell(error)
                raise NoFork(str(error)) from error
        return _parents[_key(env)]


def _tell(error: Exception) -> None:
    if str(error) not in _told:
        _told.add(str(error))
        print(f"Ordinary kernels instead of warm ones: {error}", file=sys.stderr, flush=True)


def _key(env: Mapping[str, str]) -> Key:
    return frozenset((name, value) for name, value in env.items() if name.startswith(AT_START))


atexit.register(close)
