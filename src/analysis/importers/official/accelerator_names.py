"""Accelerator names: from what a source prints to the one name of data/accelerators.csv."""

from __future__ import annotations

import re
from functools import cache

from analysis.core import facts

MIXED = "mixed"
_COUNT = re.compile(r"\s*\(x\d+\)\s*$")


@cache
def aliases() -> dict[str, str]:
    """The canonical name of every known string, by the string without case and repeated blanks."""
    return {_plain(row["as_published"]): row["accelerator"] for row in facts.rows("accelerator_aliases")}


def canonical(name: str) -> tuple[str, bool]:
    """The canonical name and whether it is known; an unknown name stays as it is.

    A list of parts of more than one type is `mixed`: such a system has no figure per accelerator.
    """
    known = aliases()
    alias = known.get(_plain(name))
    if alias:
        return alias, True
    parts = {known.get(_plain(_COUNT.sub("", part)), part.strip()) for part in re.split(r",|;|\s\+\s", name)}
    several = len(parts) > 1 and (len(_COUNT.findall(name)) or all(part in known.values() for part in parts))
    if several or len(re.findall(r"\(x\d+\)", name)) > 1:
        return MIXED, True
    only = next(iter(parts))
    return (only, True) if only in known.values() else (name, False)


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
