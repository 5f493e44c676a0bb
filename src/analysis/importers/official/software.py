"""Which hypervisor, and which serving software, a system's name or description names; no word of the text is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from analysis.core.vocabulary import HYPERVISORS, SERVING_SOFTWARE


@lru_cache(maxsize=1024)
def hypervisor(*texts: str) -> str:
    """The product of HYPERVISORS that the texts name; of several the one that is built on the others; "" for none."""
    return next(iter(_named(HYPERVISORS, "\n".join(texts))), "")


@lru_cache(maxsize=1024)
def serving(*texts: str) -> str:
    """The product of SERVING_SOFTWARE that the first text names which names any, "" for none.

    "" also where that text names several: which of them served is not said.
    """
    named = next(filter(None, (_named(SERVING_SOFTWARE, text) for text in texts)), [])
    return named[0] if len(named) == 1 else ""


def _named(products: Mapping[str, str], text: str) -> list[str]:
    return [name for name, words in products.items() if _words(words).search(text)]


@cache
def _words(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{words})(?![a-z])", re.IGNORECASE)
