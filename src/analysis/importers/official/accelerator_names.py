"""Accelerator names: from what a source prints to the one name of data/accelerators.csv; no facts of parts here."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

from analysis.core.paths import DATA

MIXED = "mixed"
_COUNT = re.compile(r"\s*\(x\d+\)\s*$")


@cache
def aliases(folder: Path = DATA) -> dict[str, str]:
    """The canonical name of every known string, by the string without case and repeated blanks."""
    with (folder / "accelerator_aliases.csv").open(encoding="utf-8", newline="") as file:
        return {_plain(row["as_published"]): row["accelerator"] for row in csv.DictReader(file)}


def canonical(name: str, folder: Path = DATA) -> tuple[str, bool]:
    """The canonical name and whether it is known; an unknown name stays as it is.

    A list of parts of more than one type is `mixed`: such a system has no figure per accelerator.
    """
    known = aliases(folder)
    found = known.get(_plain(name))
    if found:
        return found, True
    parts = {known.get(_plain(_COUNT.sub("", part)), part.strip()) for part in re.split(r",|;|\s\+\s", name)}
    several = len(parts) > 1 and (len(_COUNT.findall(name)) or all(part in known.values() for part in parts))
    if several or len(re.findall(r"\(x\d+\)", name)) > 1:
        return MIXED, True
    only = next(iter(parts))
    return (only, True) if only in known.values() else (name, False)


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
