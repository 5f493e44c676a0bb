"""The number format of the weights that ran, and where it is known from."""

from __future__ import annotations

import re

from analysis.core import vocabulary
from analysis.core.vocabulary import PRECISIONS, TOKENS
from analysis.importers.official import units

_UNSET = ("", "unset", "n/a", "none", "null")
_EXPLAINED = re.compile(r"\s*\([^()]*\)\s*$")  # how the weights came to it, in brackets behind the type


def declared(text: str, benchmark: str, round: str, *, tokens: bool = False) -> tuple[str, str, str]:
    """Precision, its basis and a remark, from the declared `weight_data_types`.

    Until v4.1 what counts tokens declares the type of the starting weights, whatever ran: that says nothing, and so
    does a list of several types. Unknown precision is "", never a guess. `tokens`: the result counts tokens, even where
    data/benchmarks.csv does not have the benchmark.
    """
    word = _EXPLAINED.sub("", text).strip()
    name = vocabulary.precision(word)
    if name in _UNSET:
        return "", "unknown", ""
    if name not in PRECISIONS:
        listed = ", ".join(precision for precision in PRECISIONS if precision in _words(text))
        return "", "unknown", f"declared weight types that are known: {listed or 'none'}"
    if PRECISIONS[name].starting and (tokens or _in_tokens(benchmark)) and not _later(round):
        return "", "unknown", f"declared {name} is the type of the starting weights, not what ran"
    return name, "declared", "" if name == word.lower() else f"declared as {word}"


def _in_tokens(benchmark: str) -> bool:
    """Whether the Offline rate of a benchmark is counted in tokens."""
    return units.counted().get(benchmark, units.UNKNOWN).offline_unit == TOKENS


def _later(round: str) -> bool:
    """Whether declarations of the round are of what ran: from v5.0 on."""
    major = re.match(r"v(\d{1,3})", round)
    return bool(major) and int(major[1]) >= 5


def _words(text: str) -> set[str]:
    """The precisions that a text names among other words: nothing else of a submitter's own words is kept."""
    return {vocabulary.precision(word) for word in re.findall(r"[a-z]+\d\w*", text.lower())}
