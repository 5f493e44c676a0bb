"""A name that is not among the valid ones, said with the nearest of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def folded(name: str) -> str:
    """A name as it is looked up: without case and repeated blanks."""
    return " ".join(name.split()).casefold()


def choose(value: str, valid: Iterable[str], what: str) -> str:
    """`value` if it is one of `valid`; else ValueError naming `what` it is not, the nearest and all of them."""
    names = list(valid)
    if value not in names:
        raise ValueError(f"no {what} {not_among(value, names)}")
    return value


def not_among(value: str, valid: Iterable[str]) -> str:
    """`value`, the nearest of the valid ones, and all of them, for an error message."""
    names = list(valid)
    near = difflib.get_close_matches(value, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{value!r}: {hint}valid: {', '.join(names) or 'none, for there are none yet'}"
