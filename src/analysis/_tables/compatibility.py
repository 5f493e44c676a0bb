"""Which rounds of a benchmark may be compared: compatibility.csv, MLCommons' compatibility table with our additions."""

from __future__ import annotations

import pandas as pd

from analysis._core.vocabulary import round_age


def comparable_since(rows: pd.DataFrame, spans: pd.DataFrame) -> pd.Series:
    """Return the first round with which each result may be compared, "" where no span says so.

    Two results of one benchmark and scenario may be compared across rounds where they have the same. `rows` have
    benchmark, scenario and round; `spans` is the table compatibility, whose empty benchmark or scenario means all. Of
    several spans that hold a result all count, so the one that begins last decides.
    """
    keys = list(zip(*(rows[name].tolist() for name in ("benchmark", "scenario", "round")), strict=True))
    rules = list(zip(*(spans[name].tolist() for name in ("benchmark", "scenario", "since", "until")), strict=True))
    since = {key: _since(*key, rules) for key in dict.fromkeys(keys)}
    return pd.Series([since[key] for key in keys], rows.index, "str")


def _since(benchmark: str, scenario: str, round: str, rules: list[tuple[str, ...]]) -> str:
    begin = [
        since
        for of_benchmark, of_scenario, since, until in rules
        if of_benchmark in ("", benchmark)
        and of_scenario in ("", scenario)
        and round_age(since) <= round_age(round)
        and (not until or round_age(round) <= round_age(until))
    ]
    return max(begin, key=round_age, default="") if round else ""
