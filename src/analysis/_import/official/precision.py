"""The number format of the weights that ran, and where it is known from."""

from __future__ import annotations

import re

from analysis._core import vocabulary
from analysis._core.vocabulary import PRECISIONS, TOKENS
from analysis._import.official import units

MIXED = "mixed"  # the basis where several types are declared: no single precision is known
_UNSET = ("", "unset", "n/a", "none", "null")
_BRACKET = re.compile(r"\([^()]*\)")  # how the weights came to their type, or what the type is of
_BETWEEN = re.compile(r"[,;/]|\bwith\b", re.IGNORECASE)
_CACHE = re.compile(r"\bkv\b", re.IGNORECASE)  # keys and values are no weights
_OF_WEIGHTS = re.compile(r"\s*\bweights(?: and activations)?$", re.IGNORECASE)
_TYPE = re.compile(r"[a-z]+\d\w*", re.IGNORECASE)


def declared(text: str, benchmark: str, round: str, *, tokens: bool = False) -> tuple[str, str, str]:
    """Precision, its basis and a remark, from the declared `weight_data_types`.

    The type of the weights counts: one of the KV cache beside it, and an explanation in brackets, say nothing. Several
    types have the basis MIXED and no precision; nor has anything else that is not plainly one type. Until v4.1 what
    counts tokens declares the type of the starting weights, whatever ran: that says nothing. `tokens`: the result
    counts tokens, even where data/benchmarks.csv does not have the benchmark.
    """
    plain = _BRACKET.sub(lambda part: " kv " if _CACHE.search(part[0]) else " ", text)
    parts = [_OF_WEIGHTS.sub("", part.strip()) for part in _BETWEEN.split(plain) if not _CACHE.search(part)]
    if vocabulary.precision(text) in _UNSET:
        return "", "unknown", ""
    named = [part for part in parts if _TYPE.search(part)]
    types = set().union(*map(_words, named))
    name = vocabulary.precision(named[0]) if len(named) == 1 else next(iter(types)) if len(types) == 1 else ""
    if name not in PRECISIONS or any(vocabulary.precision(part) not in PRECISIONS for part in named):
        listed = ", ".join(precision for precision in PRECISIONS if precision in types)
        return "", MIXED if len(types) > 1 else "unknown", f"declared weight types that are known: {listed or 'none'}"
    if PRECISIONS[name].starting and (tokens or _in_tokens(benchmark)) and not _later(round):
        return "", "unknown", f"declared {name} is the type of the starting weights, not what ran"
    return name, "declared", "" if name == named[0].lower() else f"declared as {named[0]}"


def _in_tokens(benchmark: str) -> bool:
    """Whether the Offline rate of a benchmark is counted in tokens."""
    return units.counted().get(benchmark, units.UNKNOWN).offline_unit == TOKENS


def _later(round: str) -> bool:
    """Whether declarations of the round are of what ran: from v5.0 on."""
    major = re.match(r"v(\d{1,3})", round)
    return bool(major) and int(major[1]) >= 5


def _words(text: str) -> set[str]:
    """The precisions that a text names among other words: nothing else of a submitter's own words is kept."""
    return {vocabulary.precision(word) for word in _TYPE.findall(text)} & PRECISIONS.keys()
