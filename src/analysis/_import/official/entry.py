"""A result before it has the project's shape: what a summary row or a folder says, by one set of names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class EntryError(ValueError):
    """A file or a result in it cannot be used; the text says what is missing or wrong, to follow its name."""


@dataclass
class Entry:
    """The fields of one result as published, None where not said; numbers may still be text.

    `model` is the benchmark's official name, `model_run` what ran under it; `label` the printed unit of `value`;
    `per_node` and `total` count accelerators; `power` is in `power_label`, watts or millijoules per query.
    `repository` is that which the summary links to, as <owner>/<name> of GitHub. `described` is what the row's notes
    and the system's description say in words, to be searched for names and never kept; `endpoints` whether the figure
    is of MLPerf Endpoints logs, None where that must be read from the row. `printed` is the figure where it is
    rounded, "" where it is exact, `rounded` the same without digits that do not count; `evidence` what the result was
    read from, one of vocabulary.EVIDENCE.
    """

    round: str
    submitter: Any
    division: Any
    suite: Any
    model: str
    model_run: str
    scenario: Any
    value: Any = None
    label: Any = None
    result_id: str = ""
    availability: Any = None
    system: Any = None
    platform: Any = None
    accelerator: Any = None
    processor: Any = None
    per_node: Any = None
    total: Any = None
    nodes: Any = None
    processors_per_node: Any = None
    power: Any = None
    power_label: Any = None
    has_power: bool = False
    accuracy: Any = None
    weights: Any = None
    framework: Any = None
    location: Any = None
    inferred: bool = False
    repository: str = ""
    described: str = ""
    endpoints: bool | None = None
    origin: str = "official"
    printed: str = ""
    rounded: str = ""
    evidence: str = "summary"
