"""Hold one run: the columns of columns.csv, as keys and as attributes."""

from __future__ import annotations

import math
from typing import Any

from analysis.measure.record import NAN, shipped_rows

STATISTICS = ("mean", "p50", "p90", "p99")
BOUNDS = {row["column"]: (float(row["least"]), float(row["most"])) for row in shipped_rows("columns") if row["least"]}
TEXTS = [row["column"] for row in shipped_rows("columns") if not row["least"]]
TIMES = [column for column in BOUNDS if column.startswith(("ttft", "tpot", "latency")) and "limit" not in column]
UNKNOWN = dict.fromkeys(TEXTS, "") | dict.fromkeys(BOUNDS, NAN)
UNKNOWN |= {"example": False, "of_tokens": False, "said": (), "request_ttft_ms": None, "request_tpot_ms": None}


class Run(dict[str, Any]):
    """The values of a run by column; unknown are NaN, "", or None. `run.requests` is `run["requests"]`."""

    __setattr__ = dict.__setitem__

    def __getattr__(self, column: str) -> Any:
        if column in self:
            return self[column]
        raise AttributeError(column)

    def fill(self, **values: float) -> None:
        """Set the numbers that are unknown."""
        self.update({column: value for column, value in values.items() if math.isnan(self[column])})

    def say(self, words: str) -> None:
        """Add a remark about the numbers."""
        self.said += (words,)

    def statistics(self, name: str) -> list[float]:
        """Return mean, P50, P90, and P99 of a time in milliseconds: "ttft", "tpot", or "latency"."""
        return [self[f"{name}_{statistic}_ms"] for statistic in STATISTICS]

    def remove(self, *names: str) -> None:
        """Remove the times `names`, such as "tpot": their statistics, and those of single requests."""
        self.update({column: NAN for column in TIMES if column.startswith(names)})
        self.update({f"request_{name}_ms": None for name in names})

    def unstreamed(self, why: str) -> None:
        """Remove TTFT and TPOT, because the answers were not streamed; `why` is the evidence."""
        self.remove("ttft", "tpot")
        self.say(f"answers were not streamed ({why}): no TTFT or TPOT")
