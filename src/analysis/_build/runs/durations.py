"""How long each report took when it was built last, so that the longest is begun first."""

import contextlib
import json
import math
from collections.abc import Iterable, Mapping

from analysis._core.file_contents import write_whole
from analysis._build.runs.files import pretty
from analysis._build.runs.freshness import Plan
from analysis._build.runs.folders import Places


def longest_first(plans: Iterable[Plan], places: Places) -> list[Plan]:
    """The plans in the order in which in parallel they are done soonest; those never built come first."""
    seconds = _seconds_by_report(places)
    return sorted(plans, key=lambda plan: -seconds.get(plan.run.report, math.inf))


def remember(seconds: Mapping[str, float], places: Places) -> None:
    """Keep the seconds of the reports that were built; those of others stay."""
    if seconds:
        write_whole(places.pace, pretty(dict(sorted((_seconds_by_report(places) | seconds).items()))))


def _seconds_by_report(places: Places) -> dict[str, float]:
    """Seconds by report; none where the file is missing or was tampered with, for only the order is at stake."""
    with contextlib.suppress(OSError, ValueError):
        content = json.loads(places.pace.read_bytes())
        if isinstance(content, dict):
            return {name: float(value) for name, value in content.items() if isinstance(value, int | float)}
    return {}
