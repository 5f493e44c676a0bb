"""What an object has computed, kept in it for the next time."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Object = TypeVar("Object")
Asked = ParamSpec("Asked")
Value = TypeVar("Value")


def cached_method(method: Callable[Concatenate[Object, Asked], Value]) -> Callable[Concatenate[Object, Asked], Value]:
    """A method that is computed once for each object and arguments, as functools.cached_property is without arguments.

    What it gave is kept in the object, which may be a frozen dataclass, and goes with it; `replace` copies none of it.
    """
    attribute = f"_{method.__name__}_by_arguments"

    @wraps(method)
    def cached(self: Object, *arguments: Any) -> Value:
        values = vars(self).setdefault(attribute, {})
        if arguments not in values:
            values[arguments] = method(self, *arguments)
        return values[arguments]

    return cached
