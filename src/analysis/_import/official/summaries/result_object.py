"""`summary.json` of v6.1: one object of numbered results, which count their accelerators in total.

It has the names of the Collective Mind lists. Power repeats the row of its result, with the watts as Result.
"""

from __future__ import annotations

from dataclasses import replace

from analysis._import.official.summaries import collective_mind

FORM = replace(
    collective_mind.FORM,
    known_by=frozenset({"total_accelerators"}),
    evidence="summary",
    keys={**collective_mind.FORM.keys, "total": ("total_accelerators",)},
    present=(*collective_mind.FORM.present[:-1], ("per_node", "total")),
)
