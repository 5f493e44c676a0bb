"""The accelerators that a word of a user's means: a name, a short name, a name that a source prints, or a vendor."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from analysis._core import table_text
from analysis._core.cell_lists import first_of
from analysis._core.choices import folded, not_among, spelled
from analysis._core.file_contents import file_version
from analysis._core.paths import DATA
from analysis._core.vocabulary import MIXED

FILES = [DATA / "accelerators.csv", DATA / "accelerator_aliases.csv"]
NAMED = 8  # accelerators of a vendor that an error names


def by_name(parts: Iterable[tuple[str, str, str]], printed: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The accelerator behind each name, keys as choices.folded; its own name counts most, then its short name.

    `parts` are accelerators with short name and vendor, and either name may follow that of the vendor. `printed` are
    names that sources print, each with its accelerator, "" where it means no part.
    """
    parts = list(parts)
    names = {f"{vendor} {name}": own for own, label, vendor in parts for name in (label, own)}
    names |= {name: own for name, own in printed if own}
    names |= {label: own for own, label, _ in parts} | {own: own for own, _, _ in parts}
    return {folded(name): own for name, own in names.items()}


def accelerator_named(word: str, others: Iterable[str] = ()) -> str:
    """Return the accelerator of a name that a page, a source, or you write: `B300 SXM` for `b300`.

    `others` are names that are valid as they are. Raises ValueError with the nearest names, and for a vendor with the
    accelerators that it has.
    """
    found = several(word, others)
    if folded(word) in _known().of_vendor:
        raise ValueError(f"{word!r} is a vendor, one accelerator is expected; valid: {first_of(found, NAMED)}")
    return found[0]


def several(word: str, others: Iterable[str] = ()) -> list[str]:
    """The accelerator of a name as a list, or all accelerators of a vendor; `h100-sxm` is `H100 SXM`.

    Raises ValueError with the nearest names and vendors.
    """
    if not isinstance(word, str):
        raise ValueError(f"{word!r} is no name of an accelerator")
    if not word.strip():
        raise ValueError("the name of an accelerator is empty")
    others, known = [name for name in others if name != MIXED], _known()
    if word in others:
        return [word]
    if (found := known.by_name.get(folded(word)) or known.by_spelling.get(spelled(word), MIXED)) != MIXED:
        return [found]
    if of_vendor := known.of_vendor.get(folded(word)):
        return of_vendor
    parts = table_text.rows("accelerators")
    own = [*(row["accelerator"] for row in parts), *others, *(row["vendor"] for row in parts)]
    no_part = {row["as_published"] for row in table_text.rows("accelerator_aliases") if not row["accelerator"]}
    raise ValueError(
        not_among(word, [name for name in dict.fromkeys(own) if name not in {"", MIXED, *no_part}], known.by_name)
    )


def each(words: Iterable[str], others: Iterable[str] = ()) -> list[str]:
    """The accelerators of names and vendors, each once, in the order of the words. Raises ValueError."""
    others = list(others)
    return list(dict.fromkeys(name for word in words for name in several(word, others)))


class _Known(NamedTuple):
    """The accelerators behind what people write; a spelling of two accelerators is not among them."""

    by_name: dict[str, str]  # keys as choices.folded
    by_spelling: dict[str, str]  # keys as choices.spelled
    of_vendor: dict[str, list[str]]  # keys as choices.folded


def _known() -> _Known:
    return _read(*map(file_version, FILES))


@lru_cache(maxsize=1)
def _read(*versions: tuple[int, ...]) -> _Known:
    """What is known by these versions of FILES."""
    parts, aliases = table_text.rows("accelerators"), table_text.rows("accelerator_aliases")
    names = by_name(
        ((row["accelerator"], row["label"], row["vendor"]) for row in parts),
        ((row["as_published"], row["accelerator"]) for row in aliases),
    )
    vendors: dict[str, list[str]] = {}
    for row in parts:
        if row["vendor"]:
            vendors.setdefault(folded(row["vendor"]), []).append(row["accelerator"])
    spellings: dict[str, set[str]] = {}
    for name, accelerator in names.items():
        spellings.setdefault(spelled(name), set()).add(accelerator)
    return _Known(names, {spelling: min(found) for spelling, found in spellings.items() if len(found) == 1}, vendors)
