"""Trees of code: one thread at a time makes one, and what is no code is refused."""

import ast
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pytest

from analysis._core import notebook_cells


def test_two_threads_never_parse_at_once(monkeypatch):
    alone, parse = Lock(), ast.parse

    def slow(code):
        assert alone.acquire(blocking=False), "two threads parse at once"
        time.sleep(0.01)
        alone.release()
        return parse(code)

    monkeypatch.setattr(ast, "parse", slow)
    with ThreadPoolExecutor(4) as threads:
        trees = list(threads.map(notebook_cells.tree, [f"x = {number}" for number in range(8)]))
    assert [tree.body[0].value.value for tree in trees] == list(range(8))


def test_what_is_no_code_is_refused():
    with pytest.raises(SyntaxError):
        notebook_cells.tree("def broken(:")
