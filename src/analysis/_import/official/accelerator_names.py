"""Accelerator names: from what a source prints to the one name of data/accelerators.csv."""

from __future__ import annotations

import re
from functools import cache

from analysis._core import table_text
from analysis._core.vocabulary import MIXED

_COUNT = re.compile(r"\s*\(x(\d{1,9})\)\s*$")
_GROUP = re.compile(r"(\d{1,9}) Nodes?: [^,]*?x(\d{1,9})\s*(?:,|$)")
_COUNTS = re.compile(r"\(x(\d{1,9})(?:x(\d{1,9}))?\)")  # (x87), or nodes and accelerators of each: (x2x8)


@cache
def aliases() -> dict[str, str]:
    """The canonical name of every known string, by the string without case and repeated blanks.

    A name that means a part with low confidence only is not known: it stays as printed.
    """
    rows = table_text.rows("accelerator_aliases")
    sure = (row for row in rows if row["accelerator"] and row["confidence"] != "low")
    return {_plain(row["as_published"]): row["accelerator"] for row in sure}


@cache
def _no_parts() -> set[str]:
    rows = table_text.rows("accelerator_aliases")
    return {_plain(row["as_published"]) for row in rows if not row["accelerator"]}


def is_no_part(name: str) -> bool:
    """Whether a name is known to be that of no part, such as `undefined`; it stays as it is."""
    return _plain(name) in _no_parts()


def canonical(name: str) -> tuple[str, bool]:
    """The canonical name and whether it is known; an unknown name stays as it is.

    A list of parts of more than one type is `mixed`: such a system has no figure per accelerator.
    """
    by_alias = aliases()
    if accelerator := by_alias.get(_plain(name)):
        return accelerator, True
    parts = {by_alias.get(_plain(_COUNT.sub("", part)), part.strip()) for part in re.split(r",|;|\s\+\s", name)}
    several = len(parts) > 1 and (bool(_COUNT.search(name)) or all(part in by_alias.values() for part in parts))
    if several or len(counts(name)) > 1 or len(_GROUP.findall(name)) > 1:
        return MIXED, True
    only = next(iter(parts))
    return (only, True) if only in by_alias.values() else (name, False)


def counts(name: str) -> list[int]:
    """The numbers of accelerators that a name holds: 87 in `MI355X (x87)`, 16 in `MI300X (x2x8)`."""
    return [int(count) * int(per_node or 1) for count, per_node in _COUNTS.findall(name)]


def of_groups(name: str) -> int:
    """The accelerators of a cluster whose name counts them by node: `2 Nodes: A100x8, 4 Nodes: A30x4` are 32."""
    return sum(int(nodes) * int(count) for nodes, count in _GROUP.findall(name))


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
