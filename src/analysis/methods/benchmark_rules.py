"""What a round's rules limit, what speed its scenarios promise a user by that, and which benchmarks speak in tokens.

`limits` is always the table benchmark_limits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
import pandas as pd

from analysis._core.cell_lists import cell_values
from analysis._core.plain_values import as_dicts, grouped
from analysis._core.vocabulary import LIMITED, MS_PER_SECOND

TTFT, TPOT, PROMPT = "ttft_p99_limit", "tpot_p99_limit", "max_sequence_length"  # quantities of the table
TPOT_AT = {"median": "tpot_p50_ms", "p99": "tpot_p99_ms"}  # of a run's log
LOGGED, LIMIT, NO_LIMIT = "log", "latency limit", "no latency limit"  # where the interactivity of a run is known from


def _holds(rule_rounds: Collection[str], rounds: Collection[str]) -> bool:
    """Whether a rule of `rule_rounds` (none: of all) holds in any of `rounds` (none: in any round)."""
    return not rule_rounds or not rounds or not set(rounds).isdisjoint(rule_rounds)


def longest_prompts(limits: pd.DataFrame, rounds: Sequence[str] = ()) -> dict[str, float]:
    """The tokens of the longest prompt that the rules of `rounds` (none: of any) allow, by benchmark.

    A row that names no rounds holds in all; one of low confidence is no rule.
    """
    rules = limits[limits["quantity"].eq(PROMPT) & limits["confidence"].ne("low")]
    holds = np.array([_holds(cell_values(cell), rounds) for cell in rules["rounds"]], dtype="bool")
    return rules[holds].groupby("benchmark")["high"].max().to_dict()


def limit_ms(limits: pd.DataFrame, benchmark: str, scenario: str, quantity: str, rounds: Sequence[str] = ()) -> float:
    """The tightest limit of a scenario in ms, of the quantity TTFT or TPOT, that holds in any of `rounds`.

    NaN where there is none: a benchmark that the rounds did not have, or one that limits no such latency.
    """
    return limits_ms(limits, quantity)(benchmark, scenario, rounds)


def limits_ms(limits: pd.DataFrame, quantity: str) -> Callable[[str, str, Collection[str]], float]:
    """`limit_ms` of one quantity as a function of benchmark, scenario and rounds: the table is read once for many."""
    rules = limits[limits["quantity"].eq(quantity) & limits["confidence"].ne("low") & limits["high"].notna()]
    rules = rules.assign(rounds=[cell_values(cell) for cell in rules["rounds"]])
    by_scenario = grouped(as_dicts(rules[["benchmark", "scenario", "rounds", "high"]]), ["benchmark", "scenario"])

    def limit(benchmark: str, scenario: str, rounds: Collection[str]) -> float:
        holding = (rule for rule in by_scenario.get((benchmark, scenario), ()) if _holds(rule["rounds"], rounds))
        return min((rule["high"] for rule in holding), default=float("nan"))

    return limit


def guaranteed_speed(limits: pd.DataFrame, benchmark: str, scenario: str, rounds: Sequence[str] = ()) -> float | None:
    """Tokens per second to a user that a scenario's p99 limit on time per output token leaves: 1000 / limit in ms.

    The limit is that of `rounds` (none: of any round); None where there is none.
    """
    limit = limit_ms(limits, benchmark, scenario, TPOT, rounds)
    return MS_PER_SECOND / limit if limit == limit else None


def of_rows(rows: pd.DataFrame, limits: pd.DataFrame, quantity: str, rounds: Sequence[str] = ()) -> pd.Series:
    """The limit in ms of each row's benchmark, scenario and round; NaN where the rules have none.

    A row without a round has that of `rounds` (none: of any round).
    """
    keys = list(zip(*(rows[name].tolist() for name in ("benchmark", "scenario", "round")), strict=True))
    limit = limits_ms(limits, quantity)
    limit_of = {key: limit(*key[:2], [key[2]] if key[2] else rounds) for key in set(keys)}
    return pd.Series([limit_of[key] for key in keys], index=rows.index, dtype="float64")


def first_token_ms(rows: pd.DataFrame, limits: pd.DataFrame, rounds: Sequence[str] = ()) -> pd.Series:
    """In how many ms each row's users had their first token, all but the slowest hundredth; NaN where nothing says it.

    That is the TTFT at p99 in the run's own log, `ttft_p99_ms`; where it has none, the limit of the round's rules (see
    `of_rows`), which is the most that it was.
    """
    logged = pd.to_numeric(rows.get("ttft_p99_ms", pd.Series(np.nan, index=rows.index)))
    return logged.where(logged > 0).fillna(of_rows(rows, limits, TTFT, rounds))


def interactivity_bounds(
    rows: pd.DataFrame, limits: pd.DataFrame, rounds: Sequence[str] = (), percentile: str = "p99"
) -> pd.DataFrame:
    """The speed that each row proves, by what, and its limits; index as `rows`.

    Columns: speed (tokens/s per user, 1000 / TPOT in ms: that of the median request, or that which all but the slowest
    hundredth saw, by `percentile`, a key of TPOT_AT), proof (LOGGED: the TPOT is that of the run's own log, where rows
    have its column; LIMIT: the log has none, but the rules of the round limit it at p99: at least that speed; else
    NO_LIMIT, with a speed of NaN), ttft_limit_ms, tpot_limit_ms (NaN for none; see `of_rows`).
    """
    logged = pd.to_numeric(rows.get(TPOT_AT[percentile], pd.Series(np.nan, index=rows.index)))
    logged = MS_PER_SECOND / logged.where(logged > 0)
    ttft, tpot = (of_rows(rows, limits, quantity, rounds) for quantity in (TTFT, TPOT))
    bound = MS_PER_SECOND / tpot
    proof = np.select([logged.notna(), bound.notna()], [LOGGED, LIMIT], NO_LIMIT)
    speed = logged.fillna(bound)
    columns = {"speed": speed, "proof": proof, "ttft_limit_ms": ttft, "tpot_limit_ms": tpot}
    return pd.DataFrame(columns, index=rows.index)


def language_models(limits: pd.DataFrame) -> list[str]:
    """The benchmarks whose rules limit the time per output token, in the order of the table.

    Only of these does a rate come with the speed that each user sees, in which language models are planned and
    compared; GPT-J's rules limit whole answers, and the edge's Llama 3.1 8B has no scenario of many users.
    """
    timed = limits["quantity"].eq(TPOT) & limits["scenario"].isin(LIMITED) & limits["confidence"].ne("low")
    return list(dict.fromkeys(limits.loc[timed, "benchmark"]))
