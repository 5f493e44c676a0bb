"""What the log of a run says, whichever tool wrote it: LoadGen (loadgen) or MLPerf Endpoints (endpoints)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from analysis._import.official.entry import EntryError


class LogError(EntryError):
    """A log cannot be trusted; the text names the file and the reason."""


@dataclass(frozen=True)
class Logged:
    """The official figure of a run in `unit` (milliseconds for a latency), and the `key` that it was read from.

    `columns` are cells of a result row that the log gives, `figures` what else a published figure may be (by key: value
    and unit), `remarks` what the row must say of the figure, `raw` the values of a LoadGen log by key.
    """

    value: float
    unit: str
    key: str
    columns: Mapping[str, Any]
    figures: Mapping[str, tuple[Any, str]]
    remarks: tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict)
