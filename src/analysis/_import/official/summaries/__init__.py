"""The forms that summary files have had, one module each, and which form a row is of."""

from __future__ import annotations

from typing import Any

from analysis._import.official.entry import Entry, EntryError
from analysis._import.official.summaries import collective_mind, result_list, result_object
from analysis._import.official.summaries.form import Form

FORMS = (result_list.FORM, result_object.FORM, collective_mind.FORM)  # the first that knows a row counts


def form_of(raw: Any) -> Form:
    """The form of one row. Raises EntryError where it is of none."""
    if not isinstance(raw, dict):
        raise EntryError(f"is {type(raw).__name__}, not an object with the names of a result")
    for form in FORMS:
        if not form.known_by.isdisjoint(raw):
            return form
    keys = "; ".join(" or ".join(sorted(form.known_by)) for form in FORMS)
    raise EntryError(f"is of no known form: it has none of {keys}")


def entry(raw: Any, round: str = "") -> Entry:
    """The fields of one row; `round` where the row names none. Raises EntryError naming what is missing."""
    return form_of(raw).entry(raw, round)
