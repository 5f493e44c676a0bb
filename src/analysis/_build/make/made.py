"""A report that is made but not yet in its place, wherever it was made; and putting it there."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from analysis._build.runs import output_files
from analysis._build.runs.failures import Failure
from analysis._build.runs.freshness import Plan
from analysis._build.runs.folders import Places

Timed = tuple[Failure | None, float]  # what became of one report, None where it is in place, and seconds
Tell = Callable[[Plan, Timed], None]


@dataclass(frozen=True)
class Made:
    """A finished report (`stated` is its record), or a failure with the notebook as far as it ran, as text."""

    report: str
    stated: dict[str, Any] | None = None
    html: str = ""
    picture: str | None = None
    failure: Failure | None = None
    notebook: str | None = None


def publish(made: Made, places: Places, stopping: Callable[[], bool]) -> Failure | None:
    """Put a report's files in place, or keep its failure; neither once `stopping` says so. Returns the failure."""
    if stopping():
        return made.failure
    if made.failure is None:
        try:
            output_files.publish(made.stated, made.html, made.picture, places)
            return None
        except OSError as error:
            words = f"{type(error).__name__}: {error}".replace(f"{places.root}/", "")
            made = replace(made, failure=Failure(made.report, words, next="Next: make room or put right what is named"))
    with suppress(OSError):  # On a full disk it can still be reported, if not stored.
        output_files.remember(made.failure, places, made.notebook)
    return made.failure
