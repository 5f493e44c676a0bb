"""Result ids in words: by round, those that follow each other as a range."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from analysis._core.vocabulary import round_age


class Results(NamedTuple):
    """The result ids of one round: how many, and the ids, those that follow each other as the first to the last."""

    round: str
    results: int
    ids: str


def by_round(ids: Iterable[str]) -> list[Results]:
    """Result ids such as 4.1-0043 by round, the oldest first, each once."""
    numbers: dict[str, set[int]] = {}
    for round, _, number in (id.removeprefix("v").rpartition("-") for id in ids):
        numbers.setdefault(round, set()).add(int(number))
    return [
        Results(f"v{round}", len(found_numbers), ", ".join(_runs(round, sorted(found_numbers))))
        for round, found_numbers in sorted(numbers.items(), key=lambda item: round_age(item[0]))
    ]


def _runs(round: str, numbers: list[int]) -> Iterable[str]:
    for _, neighbors in groupby(enumerate(numbers), key=lambda place: place[1] - place[0]):
        first, *later = (f"{round}-{number:04}" for _, number in neighbors)
        yield f"{first} to {later[-1]}" if len(later) > 1 else ", ".join([first, *later])
