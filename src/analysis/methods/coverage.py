"""Coverage of the official results: counts by round, agreement with their own logs, and how many are comparable.

All functions but the first take rows as returned by `official`; `best` takes comparable ones (see
comparability.selection).
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis._core import interval, round_order, shared_memory
from analysis._core.agreement import AGREES, POWER_AGREES
from analysis._core.citation import several
from analysis._core.vocabulary import DIVISIONS, EVIDENCE, MIXED, round_age

ALL = "all rounds"
COLUMNS = [
    "id", "source_id", "round", "result_id", "submitter", "division", "suite", "system", "accelerator",
    "accelerator_count", "benchmark", "metric", "printed_unit", "unit", "precision", "inferred", "duplicate_of",
    "corrected", "power_measured", "power_watts_low", "energy_millijoules_per_query", "power_capped",
    "power_limit_watts", "recomputed", "recomputed_difference", "recomputed_power_difference", "evidence",
]  # fmt: skip
SINGLE = 0.02  # the share of a round's rows up to which logs are single ones, read where the tree cannot be had
_SHARED = ["why", "benchmark", "printed_unit", "unit"]  # what the rows of an exception share, "" where they need not


def official(results: pd.DataFrame, rounds: Sequence[str] = ()) -> pd.DataFrame:
    """Return the official rows of these rounds (empty: all) in COLUMNS; a column that `results` lacks is empty."""
    asked = results["origin"].eq("official") & (results["round"].isin(rounds) | (not rounds))
    return shared_memory.where(results.reindex(columns=COLUMNS), asked)


def counts(rows: pd.DataFrame, agrees: float = AGREES) -> pd.DataFrame:
    """Return counts of rows by round, oldest first, then of ALL; without rows an empty frame.

    Columns: rows; closed, open, network; recomputed (from a log), inferred (of these, from the log of another
    scenario), compared (recomputed, with a figure published beside the log), differing (from that figure by more than
    `agrees`, relative); unit_corrected; power, power_compared and power_differing (by more than POWER_AGREES) of watts
    or energy, power_excluded (metered, without a figure); precision_unknown; capped, cap_unknown (power-capped, the cap
    in watts unknown); those of `distinct`; source_ids.
    """
    figure = _power_figure(rows)
    flags = {name: rows["division"].eq(name) for name in DIVISIONS} | {
        "inferred": rows["recomputed"].notna() & rows["inferred"],
        "recomputed": rows["recomputed"].notna(),
        "compared": rows["recomputed_difference"].notna(),
        "differing": rows["recomputed_difference"].abs() > agrees,
        "unit_corrected": rows["corrected"].ne(""),
        "power": figure,
        "power_compared": rows["recomputed_power_difference"].notna(),
        "power_differing": rows["recomputed_power_difference"].abs() > POWER_AGREES,
        "power_excluded": rows["power_measured"] & ~figure,
        "precision_unknown": rows["precision"].eq(""),
        "capped": rows["power_capped"],
        "cap_unknown": rows["power_capped"] & rows["power_limit_watts"].isna(),
    }
    counted = _by_round({"rows": rows["id"].notna(), **flags}, rows["round"])
    if counted.empty:
        return counted
    who = rows[["round", "submitter", "system", "accelerator", "source_id"]]
    rounds = [*who.groupby("round"), (ALL, who)]
    of_each = {name: distinct(part) | {"source_ids": several(part["source_id"].unique())} for name, part in rounds}
    return counted.join(pd.DataFrame.from_dict(of_each, orient="index"))


def evidence_by_round(rows: pd.DataFrame) -> pd.DataFrame:
    """How many rows of each round were read from what: a row per round, oldest first; index 0, 1, ...

    Columns: round, results (all of its rows), then one for each of vocabulary.EVIDENCE, the strongest first. A row that
    says nothing of it counts in `results` alone.
    """
    flags = {"results": rows["id"].notna()} | {name: rows["evidence"].eq(name) for name in EVIDENCE}
    return _by_round(flags, rows["round"]).drop(index=ALL, errors="ignore").rename_axis("round").reset_index()


def distinct(rows: pd.DataFrame) -> dict[str, int]:
    """Return the numbers of distinct submitters, systems, and accelerators in the rows.

    A system is a submitter and its name for the system, in any division and round; a cluster of several types ("mixed")
    counts as no accelerator.
    """
    return {
        "submitters": rows["submitter"].nunique(),
        "systems": len(rows[["submitter", "system"]].drop_duplicates()),
        "accelerators": named(rows["accelerator"]).nunique(),
    }


def named(accelerators: pd.Series) -> pd.Series:
    """Return the cells that name an accelerator: not those of clusters of several types ("mixed")."""
    return accelerators[~accelerators.isin([MIXED, ""])]


def has_logs(with_log: pd.Series, rows: pd.Series) -> pd.Series:
    """Whether a round's logs are at hand: of more than SINGLE of its rows. Fewer were read one by one."""
    return with_log.gt(SINGLE * rows)


def exceptions(rows: pd.DataFrame) -> pd.DataFrame:
    """Return exceptions, one row per reason and benchmark, most rows first.

    Columns: why, benchmark ("" for several), printed_unit and unit ("" unless they are the reason), rounds, rows,
    result_ids (each once; none of a round without them), source_ids. Reasons: `no_round_logs` (the round's logs are not
    at hand, see has_logs), `no_log` (they are), `differs`, `unit` (labeled with another unit than that counted),
    `no_samples` (a power figure without them, others of its round have them), `power_differs`, `power_excluded`.
    """
    difference, power = rows["recomputed_difference"], rows["recomputed_power_difference"]
    logged = rows["recomputed"].notna()
    of_round = logged.groupby(rows["round"]).agg(["sum", "size"])
    round_logged = rows["round"].isin(of_round.index[has_logs(of_round["sum"], of_round["size"])])
    round_metered = rows["round"].isin(set(rows.loc[power.notna(), "round"]))
    figure = _power_figure(rows)
    reasons = {
        "differs": (difference.abs() > AGREES, ["benchmark"]),
        "power_differs": (power.abs() > POWER_AGREES, ["benchmark"]),
        "no_log": (round_logged & ~logged, ["benchmark"]),
        "no_samples": (round_metered & figure & power.isna(), ["benchmark"]),
        "power_excluded": (rows["power_measured"] & ~figure, ["benchmark"]),
        "unit": (rows["corrected"].ne(""), ["benchmark", "printed_unit", "unit"]),
        "no_round_logs": (~round_logged & ~logged, []),
    }
    parts = [
        rows[applies].assign(why=why, **{name: "" for name in _SHARED[1:] if name not in by})
        for why, (applies, by) in reasons.items()
    ]
    table = pd.concat(parts).groupby(_SHARED, sort=False).agg(
        rounds=("round", lambda names: tuple(sorted(set(names), key=round_age))),
        rows=("id", "size"), result_ids=("result_id", several), source_ids=("source_id", several),
    )  # fmt: skip
    return table.reset_index().sort_values("rows", ascending=False, kind="stable", ignore_index=True)


def set_aside(rows: pd.DataFrame) -> pd.DataFrame:
    """Return, by round and ALL, how many rows a comparison of closed data center throughput excludes, by reason.

    A row may have several reasons; `compared` counts rows with none. The rules are those of comparability.selection
    that do not depend on a benchmark.
    """
    reasons = {
        "another_division": rows["division"].ne("closed"),
        "another_suite": rows["suite"].eq("edge"),
        "latency": rows["metric"].ne("throughput"),
        "power_submission": rows["power_measured"],
        "capped_unmetered": rows["power_capped"] & ~rows["power_measured"] & rows["power_limit_watts"].isna(),
        "duplicate": rows["duplicate_of"].ne(""),
        "several_types": rows["accelerator"].eq(MIXED),
        "count_unstated": rows["accelerator_count"].isna(),
    }
    is_left_out = pd.DataFrame(reasons).any(axis=1)
    return _by_round(reasons | {"compared": ~is_left_out}, rows["round"])


def by_class(rows: pd.DataFrame) -> dict[str, int]:
    """Return how many closed-division results without duplicates each class has whose results are compared within it.

    "data-center throughput" are those that `set_aside` calls compared; the others are "edge latency", "edge throughput"
    (of the edge suite alone), "power" (measured, of any suite), and "other" (streams, several types of accelerators).
    """
    rows = rows[rows["division"].eq("closed") & rows["duplicate_of"].eq("")]
    aside, metered = set_aside(rows), rows["power_measured"]
    edge = rows["suite"].str.contains("edge") & ~metered
    counted = {
        "data-center throughput": int(aside.at[ALL, "compared"]) if len(aside) else 0,
        "edge latency": int((edge & rows["metric"].eq("latency")).sum()),
        "edge throughput": int((edge & rows["suite"].eq("edge") & rows["metric"].eq("throughput")).sum()),
        "power": int(metered.sum()),
    }
    return counted | {"other": len(rows) - sum(counted.values())}


def submitters(rows: pd.DataFrame) -> pd.DataFrame:
    """Return submitters, most rows first: submitter, rows, closed, systems, accelerators, then rows by round."""
    closed, accelerators = rows["division"].eq("closed"), named(rows["accelerator"]).reindex(rows.index)
    table = rows.assign(closed=closed, accelerator=accelerators).groupby("submitter").agg(
        rows=("id", "size"), closed=("closed", "sum"), systems=("system", "nunique"),
        accelerators=("accelerator", "nunique"),
    )  # fmt: skip
    by_round = pd.crosstab(rows["submitter"], rows["round"])
    table = table.join(by_round[sorted(by_round, key=round_age)])
    return table.sort_values("rows", ascending=False, kind="stable").reset_index()


def best(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the available row with the highest throughput per accelerator of each round, oldest first.

    `rows` are comparable. Added columns: over_first_low/high, the ratio to the throughput of the first round.
    """
    available = rows[rows["availability"].eq("available")]
    top = available.loc[available.groupby("round")["per_accelerator_high"].idxmax()]
    top = top.sort_values("round", key=round_order.of, kind="stable", ignore_index=True)
    rate = interval.of(top, "per_accelerator")
    return interval.put(top, "over_first", rate / interval.of(top.iloc[0], "per_accelerator") if len(top) else rate)


def _power_figure(rows: pd.DataFrame) -> pd.Series:
    """Return whether a row has watts or, in a stream scenario, millijoules per query."""
    return rows["power_watts_low"].notna() | rows["energy_millijoules_per_query"].notna()


def _by_round(flags: dict[str, pd.Series], rounds: pd.Series) -> pd.DataFrame:
    """Return how many rows have each flag by round, oldest first, then of ALL; empty without rows."""
    frame = pd.DataFrame(flags, dtype="bool")
    counted = frame.groupby(rounds).sum().astype("int64")
    counted = counted.loc[sorted(counted.index, key=round_age)]
    if len(counted):
        counted.loc[ALL] = frame.sum()
    return counted
