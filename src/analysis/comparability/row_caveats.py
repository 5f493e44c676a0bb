"""What must be said beside each compared row: the rules of _core.notes applied to rows of a comparison."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

import pandas as pd

from analysis._core.notes import KINDS, READ, Kind, Notes, Row, Setting, note


def of_each(rows: pd.DataFrame, suite: str, division: str) -> pd.Series:
    """The notes of each row, a set of _core.notes.Note: of a comparison within a suite ("": all) and a division.

    Reads READ of the rows and `doubt`, the code of what the audit doubts ("" for nothing). Rows of one benchmark are
    compared with each other.
    """
    settings, rules = _settings(rows, suite, division), [rule for rule in KINDS.values() if rule.holds]
    names = ["benchmark", "doubt", *READ]
    known = {name: rows[name].fillna(0) for name in ("power_limit_watts", "nodes")}  # NaN is no key
    columns = (known.get(name, rows[name]) for name in names)
    keys = list(zip(*(column.tolist() for column in columns), strict=True))
    facts = {key: dict(zip(names, key, strict=True)) for key in dict.fromkeys(keys)}
    notes_of = {key: _of_row(row, settings[row["benchmark"]], rules) for key, row in facts.items()}
    return pd.Series([notes_of[key] for key in keys], index=rows.index, dtype="object")


def usual(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """By name, what it is most often paired with; the greater of two that are as frequent."""
    counts = Counter(pairs)
    return dict(sorted(counts, key=lambda pair: (counts[pair], pair[1])))


def _of_row(row: Row, setting: Setting, rules: Iterable[Kind]) -> Notes:
    judged = ((rule.code, rule.holds(row, setting)) for rule in rules)
    return frozenset(_note(code, **values) for code, values in judged if values is not None) | _doubt(row["doubt"])


_note = lru_cache(maxsize=None, typed=True)(note)  # Many rows have the same few. 8 and 8.0 are equal, but not in words.


@cache
def _doubt(code: str) -> Notes:
    return frozenset({note(code)}) if code else frozenset()


def _settings(rows: pd.DataFrame, suite: str, division: str) -> dict[str, Setting]:
    """By benchmark; the usual size is the number of accelerators that most systems have, the least of several such."""
    columns = ["benchmark", "per", "accelerator_count", "basis", "accelerator"]
    facts = list(zip(*(rows[name].tolist() for name in columns), strict=True))
    least = usual((benchmark, -count) for benchmark, per, count, *_ in facts if per == "system" and pd.notna(count))
    sizes = {benchmark: -count for benchmark, count in least.items()}
    sized = defaultdict(set)
    for benchmark, _, count, *pair in facts:
        if count == sizes.get(benchmark):
            sized[benchmark].add(tuple(pair))
    targets: dict[str, str] = {}
    for benchmark, target in dict.fromkeys(
        zip(rows["benchmark"].tolist(), rows["accuracy_target"].tolist(), strict=True)
    ):
        targets[benchmark] = max(target, targets.get(benchmark, ""), key=lambda name: float(name or 0))
    return {
        name: Setting(suite, division, sizes.get(name, 0), frozenset(sized[name]), target)
        for name, target in targets.items()
    }
