"""Python code as a tree, for threads that work in parallel."""

import ast
import threading

# CPython 3.11 keeps the depth of a tree under construction per interpreter, not per thread: two threads that parse at
# once can fail with "AST constructor recursion depth mismatch".
_PARSING = threading.Lock()


def tree(code: str) -> ast.Module:
    """What `ast.parse` makes of code, of one thread at a time. Raises SyntaxError."""
    with _PARSING:
        return ast.parse(code)
