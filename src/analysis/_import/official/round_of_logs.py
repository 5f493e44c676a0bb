"""The round of a submission tree whose path names none, from its own logs.

Two clocks must agree: no run is of a round whose LoadGen is older than its own, and none was made after the round was
published. Either alone misleads: submitters run old versions, and old trees hold late corrections.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from analysis._core import table_text
from analysis._import.official import tree

HEAD = 1 << 16  # bytes at the start of a log, where LoadGen says what it is and when it ran
_VERSION = re.compile(rb'"key": "loadgen_version", "value": "(\d{1,3})\.(\d{1,3})')
_RAN = re.compile(rb'"key": "test_datetime", "value": "(\d{4}-\d\d-\d\d)')


def of_tree(root: str) -> tuple[str, str]:
    """The round of the tree at `root`, or "" with the reason, in words that follow "and"."""
    versions, days = set(), set()
    for run in tree.walk(Path(root)):
        name = "performance/run_1/mlperf_log_detail.txt"
        if isinstance(run, tree.Run) and not tree.refused(run.folder, name, run.root):
            head = _head(f"{run.folder}/{name}")
            versions |= {(int(major), int(minor)) for major, minor in _VERSION.findall(head)}
            days |= {day for text in _RAN.findall(head) if (day := _day(text.decode()))}
    if not versions or not days:
        return "", "no log in it says which LoadGen ran and when"
    newest, last = "v{}.{}".format(*max(versions)), max(days)
    by_day = _of_day(last)
    if newest != by_day:
        return "", f"its logs disagree: the newest LoadGen is that of {newest}, the last run of {last} that of {by_day}"
    return newest, ""


def _day(text: str) -> date | None:
    """The day that a log names; None for one that no calendar has."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _of_day(day: date) -> str:
    """The first round that was published after a day; the newest one where none was."""
    rounds = [(row["published"], row["round"]) for row in table_text.rows("rounds")]
    later = [name for published, name in rounds if published and date.fromisoformat(published) > day]
    return later[0] if later else rounds[-1][1]


def _head(log: str) -> bytes:
    try:
        return tree.head(log, HEAD)
    except OSError:
        return b""
