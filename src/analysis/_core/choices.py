"""A name that is not among the valid ones, said with the nearest of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

NEAR = 3  # names that an error suggests at most
ALIKE = 0.4  # of difflib's ratio: a name less alike is no help
MANY, NEAREST = 80, 8  # above so many names nobody reads them all, and so many of them are named


def folded(name: str) -> str:
    """A name as it is looked up: without case and repeated blanks."""
    return " ".join(name.split()).casefold()


def spelled(name: str) -> str:
    """The letters and digits of a name without case: the same for `GPT OSS` and `gpt-oss`."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _words(name: str) -> set[str]:
    """The words of a name without case, hyphens and underscores taken as blanks."""
    return set(name.casefold().replace("-", " ").replace("_", " ").split())


def choose(value: str, valid: Iterable[str], noun: str) -> str:
    """`value` if it is one of `valid`; else ValueError saying what it is not (`noun`), the nearest and all of them."""
    names = list(valid)
    if value not in names:
        raise ValueError(f"no {noun} {not_among(value, names)}")
    return value


def not_among(value: str, valid: Iterable[str], other_names: Mapping[str, str] | None = None) -> str:
    """`value`, the nearest of the valid ones, and all of them, of many only how many, for an error message.

    The nearest are those that begin with the value, else those that have all its words, else the longest that the value
    begins with in whole words, else the most alike; capitals do not count. `other_names` (as `folded`) each stand for a
    valid one in this.
    """
    names, spelling = list(valid), folded(value)
    near = [name for name in names if spelling and folded(name).startswith(spelling)][:NEAR]
    words = _words(value)
    near = near or [name for name in sorted(names, key=len) if words and words <= _words(name)][:NEAR]
    alike = {folded(name): name for name in reversed(names)}
    known = {other: name for other, name in (other_names or {}).items() if name in names} | alike
    begun = max((name for name in known if spelling.startswith(f"{name} ")), key=len, default="")
    near = near or [known[name] for name in [begun] if name]
    near = near or [known[name] for name in difflib.get_close_matches(spelling, known, n=1, cutoff=0.5)]
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    if len(names) > MANY:
        close = [alike[name] for name in difflib.get_close_matches(spelling, alike, n=NEAREST, cutoff=ALIKE)]
        nearest = list(dict.fromkeys([*near, *close]))[:NEAREST]
        nearest = f"the nearest of {len(names)} valid ones: {', '.join(nearest)}" if nearest else ""
        return f"{value!r}: {hint}{nearest or f'none of {len(names)} valid ones is like it'}"
    return f"{value!r}: {hint}valid: {', '.join(names) or 'none, for there are none yet'}"
