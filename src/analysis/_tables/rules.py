"""What makes one cell acceptable, by the rules of its column: of a table, and of a row that comes alone.

Nothing here needs a frame, so that an import, which makes one row at a time, starts without the libraries of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from analysis._tables.descriptor import Field

MISSING = "is missing"
Check = Callable[[Any], list[str]]
RowCheck = Callable[[Mapping[str, Any]], list[str]]


def check(field: Field) -> Check:
    """What is wrong with one value of a column, in words; nothing, most of the time."""
    pattern = re.compile(field.pattern)
    listed = ", ".join(map(str, field.choices))

    def wrong(value: Any) -> list[str]:
        if value is None or value == "" or value != value:
            return [MISSING] if field.required else []
        words = []
        if field.choices and value not in field.choices:
            words.append(f"{value!r} is not one of {listed}")
        if field.minimum is not None and value < field.minimum:
            words.append(f"{value!r} is below {field.minimum}")
        if field.more_than is not None and value <= field.more_than:
            words.append(f"{value!r} is not above {field.more_than}")
        if field.maximum is not None and value > field.maximum:
            words.append(f"{value!r} is above {field.maximum}")
        if field.pattern and not pattern.match(str(value)):
            words.append(f"{value!r} does not match {field.pattern}")
        return words

    return wrong


def above(field: Field, value: Any, most: Any) -> str:
    """That a value is more than the one of its row that it may not exceed, in words."""
    return f"{value!r} is above {field.not_above}, which is {most!r}"


def checks(fields: list[Field]) -> dict[str, RowCheck]:
    """The check of each column that has one, for rows that come one at a time (see row_faults)."""
    return {field.name: _in_row(field) for field in fields if ruled(field) or field.not_above}


def row_faults(row: Mapping[str, Any], columns: Mapping[str, RowCheck]) -> list[str]:
    """What keeps a row from being one of the table, in words; a column that the row lacks is an empty cell."""
    return [f"{name} {words}" for name, wrong in columns.items() for words in wrong(row)]


def _in_row(field: Field) -> RowCheck:
    wrong = check(field)

    def found(row: Mapping[str, Any]) -> list[str]:
        value, most = row.get(field.name), row.get(field.not_above)
        beyond = value not in (None, "") and most not in (None, "") and value > most
        return [*wrong(value), *([above(field, value, most)] if beyond else [])]

    return found


def ruled(field: Field) -> bool:
    """Whether a column has a rule that a cell of its type can break."""
    ends = field.minimum, field.more_than, field.maximum
    return bool(field.required or field.choices or field.pattern) or any(end is not None for end in ends)
