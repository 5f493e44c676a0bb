"""Which hypervisor, and which serving software, a system's name or description names; no word of the text is kept."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from analysis._core.vocabulary import HYPERVISORS, SERVING_SOFTWARE, named


@lru_cache(maxsize=1024)
def hypervisor(*texts: str) -> str:
    """The product of HYPERVISORS that the texts name; of several the one that is built on the others; "" for none."""
    return next(iter(_named(HYPERVISORS, "\n".join(texts))), "")


@lru_cache(maxsize=1024)
def serving(*texts: str) -> str:
    """The product of SERVING_SOFTWARE that the first text names which names any, "" for none.

    "" also where that text names several: which of them served is not said.
    """
    products = next(filter(None, (_named(SERVING_SOFTWARE, text) for text in texts)), [])
    return products[0] if len(products) == 1 else ""


def _named(products: Iterable[str], text: str) -> list[str]:
    return [name for name in products if named(name).search(text)]
